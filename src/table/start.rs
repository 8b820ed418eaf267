//! How a game begins: from a start position on the board, or from another placement.

use super::check::PlacementCheck;
use super::game::TableGame;
use super::gap::Gap;
use super::review::Review;
use super::stuck_search::StuckSearch;
use super::unrecorded::UnrecordedPlay;
use super::{Output, Settings, Table};
use crate::boards::{Millis, Placement, SensorKind, SquareState};
use crate::game::Fault;
use crate::game::event::{Difference, Rotation};
use crate::infer::{
    DetectedStart, LineTrace, NearStart, ObservedBoard, REST_UNSEEN, explain, find_nearest_start, find_start,
    find_start_except_one, is_reachable, rotated,
};
use crate::laws::Position;
use crate::sense::Polarity;
use shakmaty::{Bitboard, File, Move, Rank, Square};

/// Time after which a placement at rest counts as intended, in milliseconds.
const REST_TIME: Millis = 1_000;

/// Time after which a set-up with more than a few wrong squares counts as intended, in milliseconds.
const SET_UP_REST_TIME: Millis = 3_000;

/// A placement on the board while no piece was in a hand.
#[derive(Clone, Copy)]
pub(super) struct RestedPlacement {
    placement: Placement,
    /// How long it was on the board, in milliseconds.
    rested: Millis,
}

/// An irregularity of a start position with which a game begins all the same.
pub(super) enum StartIrregularity {
    /// These squares hold something else than in this start position.
    Wrong(Position, Vec<Difference>),
    /// The pieces are correct, but moves have already been made.
    Moved,
    /// The pieces are correct, but this square does not show its piece.
    Stuck(Square),
    /// The pieces are set up as at the start on a board that is turned by 90 degrees (7.2.2).
    Quarter,
}

impl Table {
    /// Begins a game if a start position is on the board, unless it is the game in progress. During a game, pieces that were not
    /// seen to move may come from an outdated reply of the board, and so may the first reading after a gap until it is confirmed.
    pub(super) fn start_if_set_up(&mut self, now: Millis, quiet: Millis, output: &mut Output) {
        let Some(found) = self.find_set_up(quiet) else { return };
        let may_be_old = |game: &TableGame| game.is_shown_unseen() || (!self.check.is_done() && !game.is_over());
        if quiet < REST_UNSEEN && self.game.as_ref().is_some_and(may_be_old) {
            self.check.keep_start(found, *self.sense.placement());
        } else {
            self.report_missing_result(now, output);
            self.begin(now, found, output);
        }
    }

    /// Does the same where the start position is known to be on the board.
    pub(super) fn start_if_confirmed(&mut self, now: Millis, quiet: Millis, output: &mut Output) {
        if let Some(found) = self.find_set_up(quiet) {
            self.report_missing_result(now, output);
            self.begin(now, found, output);
        }
    }

    /// Alerts the arbiter if the game so far was played and has no result: the pieces have been set up for another one.
    fn report_missing_result(&mut self, now: Millis, output: &mut Output) {
        self.with_game(output, |game, context, output| game.report_missing_result(now, context, output));
    }

    /// Returns the start position that has been on the board for `quiet` milliseconds, if it is not that of the game in progress.
    pub(super) fn find_set_up(&mut self, quiet: Millis) -> Option<DetectedStart> {
        if !self.sense.is_complete() || !self.game.as_ref().is_none_or(|game| game.may_be_followed_by_another(quiet)) {
            return None;
        }
        let configured = self.settings.start().ok().flatten();
        let Settings { sensing, rotation, chess960, .. } = self.settings;
        let stuck = self.game.as_ref().map_or(Bitboard::EMPTY, TableGame::stuck_squares);
        let mut found = find_start(self.sense.placement(), sensing, rotation, chess960, configured.as_ref());
        if found.is_none() && sensing != SensorKind::Identity {
            let opposite = self.sense.placement().map(|sensed| Polarity::Inverted.normalise(sensing, sensed));
            found = find_start(&opposite, sensing, rotation, chess960, configured.as_ref());
            if found.is_some() {
                self.sense.invert(sensing);
            }
        }
        let except_one =
            || find_start_except_one(self.sense.placement(), sensing, rotation, stuck).filter(|_| configured.is_none());
        let found = found.or_else(|| except_one().map(|(found, _)| found))?;
        let known = self.game.as_ref().is_some_and(|game| game.published().begins_like(&found.position) && !game.is_over());
        (!known || self.rotation != Some(found.rotation)).then_some(found)
    }

    /// Records the placement after `quiet` milliseconds without a change as intended, unless a piece is in a hand.
    pub(super) fn note_rested_placement(&mut self, quiet: Millis) {
        if quiet < REST_TIME || self.is_piece_in_hand() {
            return;
        }
        let placement = *self.sense.placement();
        let before = self.rested.filter(|last| last.placement == placement).map_or(0, |last| last.rested);
        self.rested = self.sense.is_complete().then_some(RestedPlacement { placement, rested: quiet.max(before) });
    }

    /// Begins a game from the last placement at rest because the clock was started without a start position.
    pub(super) fn start_without_start_position(&mut self, now: Millis, output: &mut Output) {
        // The current placement must be known.
        let possible = self.sense.is_complete() && self.game.as_ref().is_none_or(TableGame::is_over);
        let Some(rest) = self.rested.filter(|_| possible) else { return };
        match self.find_irregular_start(&rest, self.settings.rotation) {
            // The placement may belong to the last game.
            Some((_, StartIrregularity::Moved)) if self.game.is_some() => {}
            Some((found, irregularity @ StartIrregularity::Moved)) => {
                let before = self.expected_placement(&found);
                self.begin_from_earlier(now, found, Some(irregularity), &before, output);
            }
            Some((found, irregularity)) => self.begin_from_earlier(now, found, Some(irregularity), &rest.placement, output),
            None => {}
        }
    }

    /// Begins a game when White makes a legal move from a placement at rest that is almost the start position, or a set-up.
    pub(super) fn start_with_a_move(&mut self, now: Millis, output: &mut Output) {
        let Some(rest) = self.rested.filter(|rest| self.sense.is_complete() && rest.placement != *self.sense.placement())
        else {
            return;
        };
        let Settings { sensing, rotation, .. } = self.settings;
        // If the board does not show its orientation, the move does.
        let unknown = rotation.is_none() && sensing == SensorKind::Occupancy;
        let rotations = if unknown { vec![Some(Rotation::Upright), Some(Rotation::Turned)] } else { vec![rotation] };
        let mut starts = rotations.into_iter().filter_map(|rotation| self.find_irregular_start(&rest, rotation));
        if let Some((found, irregularity)) = starts.find(|(found, irregularity)| self.is_played_from(found, Some(irregularity)))
        {
            self.begin_from_earlier(now, found, Some(irregularity), &rest.placement, output);
        }
    }

    /// Whether the current placement was played from this position. `irregularity`: the irregularity of that position.
    pub(super) fn is_played_from(&self, found: &DetectedStart, irregularity: Option<&StartIrregularity>) -> bool {
        let (hidden, start) = match irregularity {
            // With a piece in the middle of the board it is the end of a short game, or its analysis.
            Some(StartIrregularity::Wrong(start, differences)) => {
                let is_in_the_middle =
                    |difference: &Difference| (Rank::Third..=Rank::Sixth).contains(&difference.square.rank());
                if differences.iter().any(is_in_the_middle) {
                    return false;
                }
                (Bitboard::EMPTY, start)
            }
            Some(StartIrregularity::Stuck(square)) => (Bitboard::from_square(*square), &found.position),
            Some(StartIrregularity::Moved | StartIrregularity::Quarter) => return false,
            None => (Bitboard::EMPTY, &found.position),
        };
        let seen = ObservedBoard::from_placement(&rotated(self.sense.placement(), found.rotation), self.settings.sensing);
        // A piece that goes to its own square is a correction, not a move.
        let corrects_setup = |mv: &Move| {
            let piece = mv.from().and_then(|from| found.position.piece_at(from));
            piece.is_some() && start.piece_at(mv.to()) == piece
        };
        let is_play = |depth| {
            let lines = explain(&found.position, &seen, hidden, depth, 0);
            lines.first().is_some_and(|line| !line.moves.iter().any(corrects_setup))
        };
        // The reply may have followed at once.
        is_play(1) || is_play(2)
    }

    /// Returns the start position that this placement may be, if it was set up or reported incorrectly.
    fn find_irregular_start(
        &self,
        rest: &RestedPlacement,
        rotation: Option<Rotation>,
    ) -> Option<(DetectedStart, StartIrregularity)> {
        /// Maximum number of wrong squares before it is another position, unless it is a set-up: two pairs of swapped pieces, or
        /// this many missing pieces.
        const MAX_DIFFERENCES: usize = 4;
        /// Maximum number of moves that are searched for from a start position with few wrong squares.
        const MAX_MOVES: usize = 3;
        let RestedPlacement { placement, rested } = rest;
        if let Some((found, square)) = self.find_start_with_stuck_square(placement, rotation) {
            return Some((found, StartIrregularity::Stuck(square)));
        }
        let Settings { sensing, chess960, .. } = self.settings;
        let start = Position::start();
        let set_up = |turned: &Placement| ObservedBoard::from_placement(turned, sensing).mismatch(start.board()).is_empty();
        if quarter_turns(placement).iter().any(set_up) {
            let rotation = rotation.unwrap_or(Rotation::Upright);
            return Some((DetectedStart { rotation, position: start, chess960: Some(518) }, StartIrregularity::Quarter));
        }
        let configured = self.settings.start().ok().flatten();
        let nearest = find_nearest_start(placement, sensing, rotation, chess960, configured.as_ref());
        let NearStart { start, differences, position, is_set_up } = nearest?;
        let rotation = start.rotation;
        let from = |position| DetectedStart { rotation, position, chess960: None };
        let seen = ObservedBoard::from_placement(&rotated(placement, rotation), sensing);
        if differences.len() <= MAX_DIFFERENCES && is_reachable(&start.position, &seen, MAX_MOVES) {
            let in_turn = |depth| {
                let lines = explain(&start.position, &seen, Bitboard::EMPTY, depth, 0);
                lines.iter().any(|line| line.doubts.in_hand == 0)
            };
            let found = if (1..=MAX_MOVES).any(|depth| in_turn(depth as u32)) { Some(start) } else { position.map(from) };
            return Some((found?, StartIrregularity::Moved));
        }
        let is_intended = differences.len() <= MAX_DIFFERENCES || (is_set_up && *rested >= SET_UP_REST_TIME);
        position.filter(|_| is_intended).map(|position| (from(position), StartIrregularity::Wrong(start.position, differences)))
    }

    /// Returns the start position with a stuck square, if the pieces were set up while the board was read and one square never
    /// showed its piece. Players do not forget a piece.
    fn find_start_with_stuck_square(
        &self,
        placement: &Placement,
        rotation: Option<Rotation>,
    ) -> Option<(DetectedStart, Square)> {
        /// Number of squares that must have changed: half the pieces.
        const MIN_TOUCHED_SQUARES: usize = 16;
        let sensing = self.settings.sensing;
        let is_watched = self.touched.count() >= MIN_TOUCHED_SQUARES && self.settings.start_fen.is_none();
        let is_empty = |square: &Square| placement[*square as usize] == SquareState::Empty;
        let untouched = (!self.touched).into_iter().filter(is_empty).collect();
        find_start_except_one(placement, sensing, rotation, untouched).filter(|_| is_watched)
    }

    /// Corrects the orientation, which an occupancy board does not show at the start: upright is assumed. If the first move is a
    /// move of White's only on a turned board, the board is turned. A turned colour board looks like one that reports inverted
    /// colours: if the side that shows Black moves first, the colours are inverted and the board is not turned. Returns whether the
    /// orientation or the colours were changed.
    pub(super) fn correct_orientation(&mut self, now: Millis, output: &mut Output) -> bool {
        let Settings { sensing, rotation, .. } = self.settings;
        let is_undecided = sensing != SensorKind::Identity && rotation.is_none() && self.sense.is_complete();
        let Some(known) = self.rotation.filter(|_| is_undecided) else { return false };
        let start = Position::start();
        if !self.game.as_ref().is_some_and(|game| game.published().begins_like(&start) && !game.is_over()) {
            return false;
        }
        let other = known.other();
        let placement = *self.sense.placement();
        let opposite = match sensing {
            SensorKind::Colour => placement.map(|sensed| Polarity::Inverted.normalise(sensing, sensed)),
            _ => placement,
        };
        let shows = |placement: &Placement, rotation: Rotation| {
            let seen = ObservedBoard::from_placement(&rotated(placement, rotation), sensing);
            start.legal_moves().iter().any(|&mv: &Move| seen.mismatch(start.play(mv).board()).is_empty())
        };
        if shows(&placement, known) || !shows(&opposite, other) {
            return false;
        }
        if sensing == SensorKind::Colour {
            self.sense.invert(sensing);
        }
        let found = DetectedStart { rotation: other, position: start, chess960: Some(518) };
        let expected = self.expected_placement(&found);
        self.begin_from_earlier(now, found, None, &expected, output);
        true
    }

    /// Returns what the board shows in this position.
    fn expected_placement(&self, found: &DetectedStart) -> Placement {
        let mut placement = [SquareState::Empty; 64];
        for (square, piece) in found.position.board().clone() {
            placement[found.rotation.apply(square) as usize] = SquareState::Piece(piece).reduce_to(self.settings.sensing);
        }
        placement
    }

    /// On the first whole reading after the link came up during a game, chooses the polarity that fits the record.
    pub(super) fn invert_if_known(&mut self, placement: &Placement) {
        let sensing = self.settings.sensing;
        let (Some(rotation), Some(position)) = (self.rotation, self.game.as_ref().and_then(|game| game.published().position()))
        else {
            return;
        };
        let wrong = |polarity: Polarity| {
            let placement = placement.map(|sensed| polarity.normalise(sensing, sensed));
            ObservedBoard::from_placement(&rotated(&placement, rotation), sensing).mismatch(position.board()).count()
        };
        let polarity = self.sense.polarity();
        // Some moves may have been missed.
        if wrong(polarity.other()) * 4 < wrong(polarity) {
            self.sense.invert(sensing);
        }
    }

    /// Whether the last placement at rest is still on the board, except for one or two pieces in a hand.
    pub(super) fn is_piece_in_hand(&self) -> bool {
        let Some(rest) = self.rested.filter(|_| self.sense.is_complete()) else { return false };
        let changed = || rest.placement.iter().zip(self.sense.placement()).filter(|(before, now)| before != now);
        (1..=2).contains(&changed().count()) && changed().all(|(_, now)| *now == SquareState::Empty)
    }

    /// Begins a game from the current placement.
    pub(super) fn begin(&mut self, now: Millis, found: DetectedStart, output: &mut Output) {
        let placement = *self.sense.placement();
        self.begin_from(now, found, None, &placement, output);
    }

    /// Begins a game from this placement.
    fn begin_from(
        &mut self,
        now: Millis,
        found: DetectedStart,
        irregularity: Option<StartIrregularity>,
        placement: &Placement,
        output: &mut Output,
    ) {
        self.with_game(output, |game, context, output| game.finish(now, context, output));
        self.rotation = Some(found.rotation);
        self.gap = Gap::default();
        self.clock.begin_game();
        let seen = ObservedBoard::from_placement(&rotated(placement, found.rotation), self.settings.sensing);
        // The board is the same, and may have been turned.
        let before = self.game.as_ref().map_or_else(Vec::new, |game| {
            let old_rotation = game.record().rotation;
            game.faults().into_iter().map(|(square, fault)| (found.rotation.apply(old_rotation.apply(square)), fault)).collect()
        });
        let mut game = TableGame::begin(now, found, seen, &self.settings, output);
        game.set_beam(self.beam);
        if !self.is_judged {
            game.follow_only();
        }
        if let Some(trace) = &self.trace {
            game.trace(LineTrace::clone(trace));
        }
        game.inherit_faults(now, &before, output);
        match irregularity {
            Some(StartIrregularity::Wrong(_, differences)) => game.alert_wrong_start(now, &differences, output),
            Some(StartIrregularity::Stuck(square)) => game.inherit_faults(now, &[(square, Fault::Stuck)], output),
            Some(StartIrregularity::Quarter) => game.alert_wrong_orientation(now, output),
            Some(StartIrregularity::Moved) | None => {}
        }
        game.judge_start(now, output);
        self.game = Some(game);
        self.rested = None;
        self.unrecorded = UnrecordedPlay::default();
        self.detached_play = None;
        self.check = PlacementCheck::default();
        self.pending_position = None;
        self.touched = Bitboard::EMPTY;
        self.undo_log.clear();
        (self.log, self.review, self.stuck_search) = (None, Review::Begins, StuckSearch::default());
    }

    /// Begins a game from an earlier placement; what has changed since belongs to the game.
    pub(super) fn begin_from_earlier(
        &mut self,
        now: Millis,
        found: DetectedStart,
        irregularity: Option<StartIrregularity>,
        before: &Placement,
        output: &mut Output,
    ) {
        let placement = *self.sense.placement();
        self.report_missing_result(now, output);
        self.begin_from(now, found, irregularity, before, output);
        self.with_game(output, |game, context, output| game.handle_first_placement(now, &placement, context, output));
    }
}

/// Returns what the board would show if it were turned by 90 degrees, in both directions.
fn quarter_turns(placement: &Placement) -> [Placement; 2] {
    let left = std::array::from_fn(|index| {
        let square = Square::new(index as u32);
        placement[Square::from_coords(File::new(square.rank() as u32), Rank::new(7 - square.file() as u32)) as usize]
    });
    [left, rotated(&left, Rotation::Turned)]
}
