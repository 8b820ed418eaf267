//! Detects that the record has fallen behind the board. Quiet shows that at once, but there is no quiet in time trouble, so presses
//! and elapsed time are counted as well.

use super::draft::{AlertDraft, has_position_alert};
use super::unexplained::DISORDER_TIMEOUT;
use super::{GameContext, TableGame};
use crate::boards::{Millis, Placement, SensorKind};
use crate::game::event::Difference;
use crate::game::{AlertKind, CorrectionReason, Event, Text};
use crate::infer::{GapResult, GapSearch, KnownPly, ObservedBoard, rotated};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::{Bitboard, Move};

/// Time without a line of play that explains the board, however busy it is, after which the arbiter is alerted, in milliseconds:
/// longer than hands overlap in time trouble.
const LAG_TIMEOUT: Millis = 10_000;
/// The same, if the clock was pressed at least this number of times meanwhile, in milliseconds and presses: one exchange of moves
/// has fewer than four presses.
const LAG_PRESS_LIMIT: (Millis, u32) = (3_000, 4);
/// Number of squares on which one whole placement shows pieces that no update has reported, and the time after which the arbiter is
/// then alerted, in milliseconds: an earlier reading was wrong, or changes were lost.
const AT_ONCE: (usize, Millis) = (3, 3_000);
/// Number of squares that differ from the start position once two moves were played.
const MIN_PLAYED_SQUARES: usize = 4;
/// How long one king may be on its way to signal a result, and pieces on their way off the board, in milliseconds.
const SOON: Millis = 14_000;
/// The pieces are no longer being put away or set up when nothing has moved for this time, in milliseconds.
const AT_REST: Millis = 12_000;
/// Interval after which a king in the centre, or pieces being put away, are re-evaluated, in milliseconds.
const REEVALUATION_INTERVAL: Millis = 5_000;

/// Quiet after which moves that were not seen are searched for, in milliseconds.
const SEARCH_DELAY: Millis = 1_500;
/// The time between two slices of that search, in milliseconds, and the number of moves tried in one slice: some milliseconds of
/// work on a small computer.
const SLICE: (Millis, u32) = (20, 1 << 11);

/// The search for moves that were missed while the board was not read.
pub(super) struct MissedMovesSearch {
    /// When the next slice is due.
    next: Millis,
    /// The moves after which the search starts. They are more than the published ones if the last move was not decided.
    line: Vec<Move>,
    search: Box<GapSearch>,
}

/// The state while no line of play explains the board.
pub(super) struct RecordLag {
    since: Millis,
    presses: u32,
    /// The board was not read before, so moves may be missing.
    after_gap: bool,
    missed: Option<MissedMovesSearch>,
    /// Pieces appeared on many squares at once, so they are not being put away.
    came_at_once: bool,
    /// When this is re-evaluated if nothing happens; `None`: the arbiter was alerted.
    check_at: Option<Millis>,
}

impl RecordLag {
    fn begin(since: Millis) -> RecordLag {
        RecordLag {
            since,
            presses: 0,
            after_gap: false,
            missed: None,
            came_at_once: false,
            check_at: Some(since + LAG_TIMEOUT),
        }
    }
}

impl TableGame {
    /// Checks whether the record is behind the board, and alerts the arbiter when that lasts too long. Must be called after every
    /// change, press and deadline.
    pub(super) fn check_record_lag(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let wrong = self.lagging_squares(context);
        if wrong.is_empty() {
            self.lag = None;
            return;
        }
        let lag = self.lag.get_or_insert_with(|| RecordLag::begin(now));
        let (min_time, presses) = LAG_PRESS_LIMIT;
        let pressed = lag.presses >= presses && now >= lag.since + min_time;
        if lag.check_at.is_none_or(|check_at| now < check_at && !pressed) {
            return;
        }
        let (after_gap, came_at_once, since) = (lag.after_gap, lag.came_at_once, lag.since);
        let is_alerted = has_position_alert(self.record());
        // Kings that signal a result are soon both in the centre, and pieces that are put away are soon gone. Where moves are
        // missing, one king may be in the centre for long, and many pieces may have been captured.
        let at_rest = now >= self.follower.seen().last_edge() + AT_REST;
        let (soon, in_time) = (now < since + SOON, now < since + DISORDER_TIMEOUT && !at_rest);
        let is_kings_signal = (in_time && self.follower.kings_unclear().is_some()) || (soon && self.follower.king_strays());
        // Where nothing was played, no move is missing. Clearing the board puts no pieces on other squares.
        let arrived = wrong & self.follower.seen().occupied();
        let unplayed = in_time && self.published.is_empty() && arrived.count() < MIN_PLAYED_SQUARES;
        let cleared = (in_time && self.is_set_up_anew(wrong)) || ((soon || unplayed) && self.is_cleared(wrong));
        let is_put_away = self.are_pieces_removed() || (!after_gap && (is_kings_signal || (cleared && !came_at_once)));
        if is_alerted || is_put_away {
            if let Some(lag) = &mut self.lag {
                let next = if now < since + SOON {
                    (now + REEVALUATION_INTERVAL).min(since + SOON)
                } else {
                    now + REEVALUATION_INTERVAL
                };
                lag.check_at = (!is_alerted).then_some(next);
            }
        } else {
            let differences = wrong.into_iter().map(|square| self.difference(square)).collect();
            self.displaced.publish(wrong);
            self.alert_record_lag(now, differences, output);
        }
    }

    /// Counts a press of the clock while the record is behind.
    pub(super) fn count_press(&mut self) {
        if let Some(lag) = &mut self.lag {
            lag.presses += 1;
        }
    }

    /// Records that a whole placement showed `arrived` pieces on squares where they were not before.
    pub(super) fn note_pieces_at_once(&mut self, now: Millis, arrived: usize) {
        let (min_pieces, soon) = AT_ONCE;
        if let Some(lag) = self.lag.as_mut().filter(|_| arrived >= min_pieces) {
            lag.came_at_once = true;
            lag.check_at = lag.check_at.map(|at| at.min(now + soon));
        }
    }

    /// Marks the record as behind the board after a gap: the board has not agreed with the record since `since`.
    pub fn was_behind_since(&mut self, since: Millis) {
        self.lag = Some(RecordLag { after_gap: true, ..RecordLag::begin(since) });
    }

    /// Discards the search after a change on the board.
    pub(super) fn discard_missed_search(&mut self) {
        if let Some(lag) = &mut self.lag {
            lag.missed = None;
        }
    }

    /// Starts a search for missed moves once nothing else explains the placement.
    pub(super) fn search_missed(&mut self, now: Millis, quiet: Millis) {
        let is_identity = self.follower.seen().sensing() == SensorKind::Identity;
        if quiet < SEARCH_DELAY || !is_identity || self.hold.is_active() || self.follower.unexplained().is_empty() {
            return;
        }
        if self.lag.as_ref().is_none_or(|lag| !lag.after_gap || lag.missed.is_some()) {
            return;
        }
        let search =
            GapSearch::new(self.follower.tip().position.clone(), self.follower.seen(), self.follower.ignored_squares());
        let missed = MissedMovesSearch { next: now + SLICE.0, line: self.followed_moves(), search: Box::new(search) };
        if let Some(lag) = &mut self.lag {
            lag.missed = Some(missed);
        }
    }

    /// Returns the moves of the line that is followed, published or not.
    fn followed_moves(&self) -> Vec<Move> {
        self.follower.nodes().iter().filter_map(|node| node.mv).collect()
    }

    /// Returns when the next slice of the search is due.
    pub(super) fn missed_deadline(&self) -> Option<Millis> {
        let missed = self.lag.as_ref()?.missed.as_ref()?;
        (missed.next < Millis::MAX && !self.board.is_unknown()).then_some(missed.next)
    }

    /// Runs the next slice of the search.
    pub(super) fn run_missed(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let line = self.followed_moves();
        if self.lag.as_ref().and_then(|lag| lag.missed.as_ref()).is_some_and(|missed| missed.line != line) {
            self.discard_missed_search();
            self.search_missed(now, SEARCH_DELAY);
            return;
        }
        let Some(missed) = self.lag.as_mut().and_then(|lag| lag.missed.as_mut()) else { return };
        missed.next = now + SLICE.0;
        match missed.search.run(SLICE.1) {
            None => {}
            // Until the board changes there is nothing to find.
            Some(GapResult::Nothing) => missed.next = Millis::MAX,
            Some(GapResult::Line(moves)) => self.add_missed(now, &moves, context, output),
        }
    }

    /// Adds moves that were missed after those that are followed.
    fn add_missed(&mut self, now: Millis, moves: &[Move], context: &GameContext<'_>, output: &mut Output) {
        let line = self.followed_moves();
        let (from, known) = (line.len(), self.published.len());
        if line.get(..known) != Some(self.published.moves()) {
            return; // The followed line is about to be published as another line.
        }
        let all = [line.get(known..).unwrap_or_default(), moves].concat();
        self.add(now, &all, CorrectionReason::Evidence, context, output);
        if moves.len() > 1 {
            self.raise_plies(now, "uncertain_order", from, moves.len(), output);
        }
    }

    /// Adds these moves at the end of the record.
    pub fn add(
        &mut self,
        now: Millis,
        moves: &[Move],
        reason: CorrectionReason,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        if !moves.is_empty() {
            let plies = moves.iter().map(|&mv| KnownPly { mv, pressed_at: None, found: None });
            self.add_plies(now, plies, reason, context, output);
        }
    }

    fn add_plies(
        &mut self,
        now: Millis,
        plies: impl Iterator<Item = KnownPly>,
        reason: CorrectionReason,
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        self.lag = None;
        self.board.forget_gap();
        let mut known = self.published.known_plies(self.published.len());
        known.extend(plies);
        self.follower.rewrite(now, &known, reason);
        self.publish_all(now, context, output);
    }

    /// Whether the arbiter was alerted that moves are missing since a gap, and nothing shows which.
    pub fn misses_moves(&self) -> bool {
        let is_behind = self.lag.as_ref().is_some_and(|lag| lag.after_gap && lag.check_at.is_none());
        // A square that does not work would show another position.
        is_behind && !self.board.is_unknown() && !self.hold.is_active() && self.follower.ignored_squares().is_empty()
    }

    /// Takes up play that went on with these moves from this position after missing moves. It becomes a new part of the game, and
    /// the arbiter is alerted.
    pub fn append_after_missing_moves(
        &mut self,
        now: Millis,
        from: &Position,
        moves: &[Move],
        context: &GameContext<'_>,
        output: &mut Output,
    ) {
        let before = self.published.position_after(self.published.len());
        // Where the same player is to move again, one null move for each player is recorded, so that White's moves stay White's.
        let passed = (before.turn() == from.turn()).then(|| before.with_found_board(from.board().clone(), !from.turn()));
        let mut missing = Vec::new();
        let mut last = &before;
        for found in passed.iter().chain([from]) {
            let Some(mv) = last.null_move() else { return };
            missing.push(KnownPly { mv, pressed_at: None, found: Some(found.clone()) });
            last = found;
        }
        let ply = self.published.len() as u32 + 1;
        let plies = moves.iter().map(|&mv| KnownPly { mv, pressed_at: None, found: None });
        self.add_plies(now, missing.into_iter().chain(plies), CorrectionReason::Evidence, context, output);
        self.fix();
        let text = Text::new("moves_missing").with("number", before.fullmoves());
        let draft = AlertDraft { ply: Some(ply), ..AlertDraft::new(AlertKind::MovesUncertain, text) };
        self.raise(now, draft, output);
    }

    /// Returns when the check for a record that is behind must run again.
    pub(super) fn lag_deadline(&self) -> Option<Millis> {
        self.lag.as_ref().and_then(|lag| lag.check_at)
    }

    /// Publishes that the board differs from the record, and alerts the arbiter. `differences`: what differs.
    pub fn alert_record_lag(&mut self, now: Millis, differences: Vec<Difference>, output: &mut Output) {
        if let Some(lag) = &mut self.lag {
            lag.check_at = None;
        }
        if has_position_alert(self.record()) || self.record().result.is_some() || self.end.is_over() {
            return;
        }
        let squares = differences.iter().map(|difference| difference.square).collect();
        output.emit(now, Event::Displaced { squares: differences.clone() });
        let text = Text::new("behind").with("differences", differences);
        self.raise(now, AlertDraft { squares, ..AlertDraft::new(AlertKind::PositionUnexplained, text) }, output);
    }

    /// Alerts the arbiter that moves are missing which the board may remember but has not sent yet. `placement`: what the board
    /// shows, in its own coordinates.
    pub fn alert_memory_awaited(&mut self, now: Millis, placement: &Placement, context: &GameContext<'_>, output: &mut Output) {
        let seen = ObservedBoard::from_placement(&rotated(placement, context.rotation), context.settings.sensing);
        let position = self.published.position_after(self.published.len());
        let difference = |square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) };
        let differences = seen.mismatch(position.board()).into_iter().map(difference).collect();
        self.alert_record_lag(now, differences, output);
    }

    /// Returns the squares that no line of play explains during play, even if the clock is stopped or reported as stopped.
    fn lagging_squares(&self, context: &GameContext<'_>) -> Bitboard {
        let is_in_play = (!self.hold.is_active() || self.hold.is_stopped()) && !self.end.is_over() && !self.board.is_unknown();
        let after_gap = self.lag.as_ref().is_some_and(|lag| lag.after_gap);
        // In a game without recorded moves, pieces may be moved for demonstration; play changes more squares than that.
        let many_differ = || self.follower.mismatch().count() >= MIN_PLAYED_SQUARES;
        let has_begun = !self.published.is_empty() || context.clock.is_in_use() || after_gap || many_differ();
        if !is_in_play || !has_begun || self.record().result.is_some() || self.is_over_but_for_notices() {
            return Bitboard::EMPTY;
        }
        self.follower.unexplained() | self.follower.displaced_squares()
    }
}
