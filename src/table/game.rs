//! One game on the table: what is followed against what was published.

use super::clock::{Clock, Press};
use super::{Output, Settings};
use crate::boards::{Cue, Millis, Placement, Sensed};
use crate::game::command::{Command, Refused};
use crate::game::event::{Alternative, ClockTimes, Difference, Rotation};
use crate::game::record::PlyState;
use crate::game::{
    Alert, AlertKind, CompletedBy, Confidence, CorrectionReason, Event, GameResult, Order, Played, Record, ResultReason,
    Stamped,
};
use crate::infer::{Follower, Node, Seen, StartFound, turned};
use crate::laws::{CENTRE, Ending, Position};
use crate::sense::Edge;
use shakmaty::{Bitboard, Color, Move, Role, Square};

/// The board stands unexplained for so long, in milliseconds, before the arbiter is told: longer than a piece is put aside to
/// be adjusted.
pub const UNEXPLAINED: Millis = 3_000;
/// So long one king may wait in the centre for the other, in milliseconds.
pub const KINGS_APART: Millis = 10_000;
/// So long a board may be in the disorder of pieces being put away, in milliseconds.
pub const ABANDONED: Millis = 60_000;
/// Both kings stand in the centre for so long when they mean a result, in milliseconds.
const KINGS_STAY: Millis = 1_000;
/// A king's move that the clock completed was meant if the other king came so much later, in milliseconds.
const KINGS_TOGETHER: Millis = 3_000;
/// The mover's clock may still be corrected for so long after the press, in milliseconds: an increment that comes late.
const REVISABLE: Millis = 1_500;
/// A game that ended by the rules takes corrections for so long, in milliseconds of quiet.
const CLOSING: Millis = 1_000;
/// More squares out of order than this, with the kings away, and the pieces are being put away.
const SWEPT: usize = 10;
/// The same if more pieces than this are missing.
const TAKEN_OFF: usize = 5;
/// A start position that stands again after no more plies than this was a takeback.
const TAKEN_BACK_AT_MOST: usize = 2;

/// What surrounds a game on its table.
pub struct Around<'a> {
    pub clock: &'a mut Clock,
    pub settle: Millis,
    pub settings: &'a Settings,
    pub rotation: Rotation,
}

pub struct Game {
    follower: Follower,
    record: Record,
    start: Position,
    /// The moves that were published, as the record has them.
    published: Vec<Move>,
    /// `Follower::changes` when last published.
    seen_changes: u64,
    over: bool,
    /// The link is down, or nothing was read yet: what the board shows is not known.
    blind: bool,
    kings_at: Option<Millis>,
    /// The arbiter withdrew the result that the kings told: it is told anew only when they have left the centre.
    kings_meant_nothing: bool,
    /// A press whose move has not been published yet.
    pending: Option<Press>,
    /// A completed move whose clock may still be corrected.
    revisable: Option<(u32, Millis)>,
    /// Presses in a row by the player who seemed to be to move.
    presses_off_turn: u32,
}

impl Game {
    pub fn begin(now: Millis, found: StartFound, seen: Seen, settings: &Settings, output: &mut Output) -> Game {
        let event = Event::GameStarted {
            fen: found.position.fen(),
            chess960: found.chess960,
            laws: settings.laws.clone(),
            rotation: found.rotation,
        };
        let record = Record {
            start_fen: found.position.fen(),
            chess960: found.chess960,
            laws: settings.laws.clone(),
            rotation: found.rotation,
            started_at: now,
            plies: Vec::new(),
            result: None,
            revision: 0,
            alerts: Vec::new(),
            alerts_raised: 0,
            last_number: 1,
        };
        output.tell(now, event);
        Game::with(
            record,
            found.position.clone(),
            Follower::new(now, found.position, seen, usize::from(settings.hypotheses)),
            Vec::new(),
            false,
        )
    }

    /// The game that these events tell, the last one if they tell of several.
    pub fn restore(events: &[Stamped], settings: &Settings) -> Option<Game> {
        let first = events.iter().rposition(|stamped| matches!(stamped.event, Event::GameStarted { .. }))?;
        let (first, rest) = events.get(first..)?.split_first()?;
        let mut record = Record::begin(first)?;
        for stamped in rest {
            record.apply(stamped);
        }
        let chess960 = record.chess960.is_some_and(|number| number != 518);
        let start = Position::from_fen(&record.start_fen, chess960).ok()?;
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in &record.plies {
            let mv = position.parse_uci(&ply.played.uci)?;
            position = position.play(mv);
            let pressed = matches!(ply.state, PlyState::Completed { by: CompletedBy::Clock, .. }).then_some(ply.made_at);
            moves.push((mv, pressed));
        }
        let now = events.last().map_or(0, |last| last.at);
        let follower =
            Follower::resume(now, start.clone(), &moves, Seen::new(settings.sensing), usize::from(settings.hypotheses));
        let published = moves.into_iter().map(|(mv, _)| mv).collect();
        Some(Game::with(record, start, follower, published, true))
    }

    fn with(record: Record, start: Position, follower: Follower, published: Vec<Move>, blind: bool) -> Game {
        Game {
            over: record.result.is_some(),
            seen_changes: follower.changes(),
            follower,
            record,
            start,
            published,
            blind,
            kings_at: None,
            kings_meant_nothing: false,
            pending: None,
            revisable: None,
            presses_off_turn: 0,
        }
    }

    pub fn record(&self) -> &Record {
        &self.record
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Both times at the last completed move that has them.
    pub fn last_clocks(&self) -> Option<ClockTimes> {
        self.record.plies.iter().rev().map(|ply| ply.clocks).find(|clocks| clocks.white.is_some() && clocks.black.is_some())
    }

    pub fn set_last_number(&mut self, number: u64) {
        self.record.last_number = number;
    }

    /// Whether a start position that stands after so much quiet begins another game.
    pub fn may_be_followed_by_another(&self, quiet: Millis) -> bool {
        self.over
            || self.published.is_empty()
            || (quiet >= crate::infer::REST_TAKEBACK
                && self.published.len() > TAKEN_BACK_AT_MOST
                && !self.follower.mismatch().is_empty())
    }

    /// Whether this game began from that position and no move was made yet.
    pub fn begins_like(&self, position: &Position) -> bool {
        self.published.is_empty() && self.start.board() == position.board()
    }

    pub fn lose_sight(&mut self) {
        self.blind = true;
        self.kings_at = None;
    }

    /// The first whole reading after the link came up.
    pub fn see(&mut self, now: Millis, placement: &Placement, around: &mut Around<'_>, output: &mut Output) {
        self.blind = false;
        let placement = turned(placement, around.rotation);
        self.take(now, Square::ALL.into_iter().map(|square| (square, placement[square as usize])), around, output);
    }

    pub fn changed(&mut self, now: Millis, edges: &[Edge], whole: bool, around: &mut Around<'_>, output: &mut Output) {
        let rotation = around.rotation;
        match (edges, whole) {
            _ if self.blind || self.over => {}
            ([edge], false) => {
                self.follower.edge(now, rotation.apply(edge.square), edge.now);
                self.after_change(now, around, output);
            }
            _ => self.take(now, edges.iter().map(|edge| (rotation.apply(edge.square), edge.now)), around, output),
        }
    }

    fn take(
        &mut self,
        now: Millis,
        changed: impl IntoIterator<Item = (Square, Sensed)>,
        around: &mut Around<'_>,
        output: &mut Output,
    ) {
        if !self.over {
            self.follower.edges(now, changed);
            self.after_change(now, around, output);
        }
    }

    fn after_change(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        self.watch_kings(now, output);
        self.publish(now, around, output);
    }

    pub fn pressed(&mut self, now: Millis, mut press: Press, around: &mut Around<'_>, output: &mut Output) {
        if self.blind || self.over {
            return;
        }
        let off_turn = self.follower.tip().position.turn() == press.by && self.follower.line().len() > 1;
        self.presses_off_turn = if off_turn { self.presses_off_turn + 1 } else { 0 };
        // The first press of a game is White's. Later, one press by the wrong side may be a lost move; three in a row are not.
        let first_is_wrong = off_turn && self.follower.line().len() == 2;
        if (first_is_wrong || self.presses_off_turn >= 3) && around.clock.turn_round() {
            self.presses_off_turn = 0;
            let ClockTimes { white, black } = press.clocks;
            press = Press { by: !press.by, clocks: ClockTimes { white: black, black: white }, ..press };
        }
        self.follower.pressed(now, press.by);
        output.cues.push(Cue::Placement);
        let plies = self.follower.line().len() - 1;
        let movers_last = if self.follower.tip().position.turn() == press.by { plies.saturating_sub(1) } else { plies };
        let is_made = movers_last <= self.published.len() && self.moves_agree(movers_last);
        match self.record.ply(movers_last as u32) {
            Some(ply) if is_made && ply.state == PlyState::Made => {
                self.complete(now, movers_last as u32, CompletedBy::Clock, press.clocks, output);
                self.revisable = Some((movers_last as u32, now));
            }
            _ => self.pending = Some(press),
        }
        self.follower.quiet(now, around.settle);
        self.publish(now, around, output);
    }

    /// Whether what was published of this ply is what the follower holds.
    fn moves_agree(&self, ply: usize) -> bool {
        let followed = self.follower.line().get(ply).and_then(|node| node.mv);
        ply.checked_sub(1).is_some_and(|index| self.published.get(index).copied() == followed)
    }

    /// The clock said something, but the lever stayed.
    pub fn clock_told(&mut self, now: Millis, times: ClockTimes, output: &mut Output) {
        let Some((number, completed_at)) = self.revisable else { return };
        if now.saturating_sub(completed_at) > REVISABLE {
            self.revisable = None;
            return;
        }
        let Some(ply) = self.record.ply(number) else { return };
        let whites = self.mover(number) == Color::White;
        let (known, told) = if whites { (ply.clocks.white, times.white) } else { (ply.clocks.black, times.black) };
        if known.map(|time| time.ms) != told.map(|time| time.ms) {
            let clocks =
                if whites { ClockTimes { white: told, ..ply.clocks } } else { ClockTimes { black: told, ..ply.clocks } };
            self.revisable = None;
            self.tell(now, Event::ClockRevised { ply: number, clocks }, output);
        }
    }

    /// Nothing changed for so long.
    pub fn quiet(&mut self, now: Millis, quiet: Millis, around: &mut Around<'_>, output: &mut Output) {
        if self.blind || self.over {
            return;
        }
        self.follower.quiet(now, around.settle);
        self.publish(now, around, output);
        if self.follower.unexplained().any() {
            // An update may have been lost or damaged on the line: what stands there is asked for before it is explained.
            output.cues.push(Cue::Placement);
        }
        let last = self.record.plies.len() as u32;
        let settled = self.moves_agree(last as usize) && self.follower.mismatch().is_empty();
        if !around.clock.counts() && quiet >= Millis::from(around.settings.dwell_ms) && settled && self.is_open(last) {
            self.complete(now, last, CompletedBy::Dwell, ClockTimes::default(), output);
        }
        if quiet >= CLOSING && self.record.result.is_some() {
            self.over = true;
        }
        self.tell_unexplained(now, quiet, around, output);
    }

    pub fn order(
        &mut self,
        now: Millis,
        order: Order,
        placement: &Placement,
        around: &mut Around<'_>,
        output: &mut Output,
    ) -> Result<(), Refused> {
        let done = Event::Commanded { command: order.command.clone(), by: order.by };
        match order.command {
            Command::Result(result) => {
                if result.is_some() && !self.over && !self.blind && self.follower.mismatch().is_empty() {
                    self.follower.decide();
                    self.publish(now, around, output);
                }
                self.tell(now, done, output);
                self.tell(now, Event::Result { result, reason: ResultReason::Arbiter }, output);
                output.cues.push(Cue::Placement);
                let resumes = self.over && result.is_none();
                self.over = result.is_some();
                if self.over {
                    // Nothing is left to be looked at on this board.
                    self.clear(now, |alert| alert.kind != AlertKind::MovesUncertain, output);
                } else if resumes && !self.blind {
                    self.kings_meant_nothing = true;
                    self.see(now, placement, around, output);
                }
            }
            Command::TakeBack(plies) => {
                let known = self.record.plies.len() as u32;
                if plies == 0 || plies > known {
                    return Err(Refused::TooManyPlies(known));
                }
                self.tell(now, done, output);
                let kept = (known - plies) as usize;
                self.follower.take_back((self.follower.line().len() - 1).saturating_sub(kept), CorrectionReason::Arbiter);
                self.publish(now, around, output);
            }
            // A new game: the table's affair.
            Command::Position(_) => {}
        }
        Ok(())
    }

    /// The game began from something that is not the start position.
    pub fn wrong_start(&mut self, now: Millis, differences: &[Difference], output: &mut Output) {
        let squares = differences.iter().map(|difference| difference.square).collect();
        let detail = format!("the game was begun from a wrong start position: {}", in_words(differences));
        self.raise(now, AlertKind::WrongStart, Some("7.2.1"), squares, detail, output);
    }

    pub fn kings_deadline(&self) -> Option<Millis> {
        self.kings_at.map(|at| at + KINGS_STAY)
    }

    /// Both kings stood in the centre long enough: a result.
    pub fn kings_stayed(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        let (Some(came), Some(white), Some(black)) =
            (self.kings_at.take(), self.follower.seen().king(Color::White), self.follower.seen().king(Color::Black))
        else {
            return;
        };
        let record = &self.record;
        let meant = |index: usize, node: &Node| {
            let completed = record.ply(index as u32).is_some_and(|ply| {
                matches!(ply.state, PlyState::Completed { by: CompletedBy::Clock | CompletedBy::OwnNextMove, .. })
            });
            completed && came.saturating_sub(node.made_at) > KINGS_TOGETHER
        };
        self.follower.decide();
        self.follower.withdraw_king_moves(meant);
        self.publish(now, around, output);
        let result = match (white.is_light(), black.is_light()) {
            (true, true) => GameResult::WhiteWins,
            (false, false) => GameResult::BlackWins,
            _ => GameResult::Draw,
        };
        self.tell_unlike_record(now, output);
        if around.settings.accept_kings_signal {
            self.tell(now, Event::Result { result: Some(result), reason: ResultReason::KingsSignal }, output);
            self.over = true;
        } else if !self.is_raised(AlertKind::ResultSignalled) {
            let detail =
                format!("the kings on {white} and {black} say {}: confirm the result, or set another", result.as_str());
            self.raise(now, AlertKind::ResultSignalled, None, vec![white, black], detail, output);
        }
    }

    /// The kings end the game, and other pieces stand where neither the record nor the start position has them: moves are missing.
    fn tell_unlike_record(&mut self, now: Millis, output: &mut Output) {
        let position = &self.follower.tip().position;
        let seen = self.follower.seen();
        let kings = Color::ALL.into_iter().filter_map(|color| seen.king(color)).collect::<Bitboard>();
        let strange = seen.mismatch(position.board()) & seen.mismatch(self.start.board()) & seen.occupied() & !kings;
        if strange.any() && !self.is_raised(AlertKind::PositionUnexplained) {
            let differences: Vec<Difference> = strange
                .into_iter()
                .map(|square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) })
                .collect();
            let detail = format!("the game ended in another position than that of the record: {}", in_words(&differences));
            self.raise(now, AlertKind::PositionUnexplained, None, strange.into_iter().collect(), detail, output);
        }
    }

    /// Kings on two of the four centre squares, which no play can bring about: they stand next to each other.
    fn watch_kings(&mut self, now: Millis, output: &mut Output) {
        let in_centre = |color| self.follower.seen().king(color).is_some_and(|square| CENTRE.contains(square));
        if !(in_centre(Color::White) && in_centre(Color::Black)) {
            (self.kings_at, self.kings_meant_nothing) = (None, false);
            if self.is_raised(AlertKind::ResultSignalled) {
                self.clear(now, |alert| alert.kind == AlertKind::ResultSignalled, output);
            }
        } else if self.record.result.is_none() && !self.kings_meant_nothing {
            if self.kings_at.is_none() {
                output.cues.push(Cue::Placement);
            }
            self.kings_at.get_or_insert(now);
        }
    }

    /// Publishes what is decided and was not published yet.
    fn publish(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        if self.is_raised(AlertKind::PositionUnexplained) && self.follower.mismatch().is_empty() {
            self.clear(now, |alert| alert.kind == AlertKind::PositionUnexplained, output);
            output.tell(now, Event::Displaced { squares: Vec::new() });
        }
        if self.seen_changes == self.follower.changes() {
            return;
        }
        self.seen_changes = self.follower.changes();
        let line = self.follower.line();
        let same = self.published.iter().zip(line.iter().skip(1)).take_while(|(mv, node)| Some(**mv) == node.mv).count();
        let decided = self.follower.decided();
        if same < self.published.len() {
            if line.len() > same + 1 && decided <= same {
                return; // What replaces a published move may itself still grow.
            }
            self.correct(now, same, decided, around, output);
        } else {
            for index in same..decided {
                self.make(now, index, around, output);
            }
        }
        self.tell_uncertain(now, same, decided, output);
    }

    /// Moves that were just published, and that other lines would explain as well: the arbiter is asked.
    fn tell_uncertain(&mut self, now: Millis, from: usize, to: usize, output: &mut Output) {
        let mut squares = Vec::new();
        let mut others = Vec::new();
        for index in from..to {
            let (Some(before), Some(node)) = (self.follower.line().get(index), self.follower.line().get(index + 1)) else {
                continue;
            };
            let (Some(mv), Some(first)) = (node.mv, node.rivals.first()) else { continue };
            squares.push(mv.to());
            others.push(format!("ply {} could also be {}", index + 1, before.position.uci(first.0)));
        }
        if !others.is_empty() {
            let detail = format!(
                "moves were not seen one by one, and the board does not tell which they were: {}: compare the score sheets",
                others.join("; ")
            );
            self.raise(now, AlertKind::MovesUncertain, None, squares, detail, output);
        }
    }

    fn correct(&mut self, now: Millis, same: usize, decided: usize, around: &mut Around<'_>, output: &mut Output) {
        let moves: Vec<Played> = (same..decided).filter_map(|index| self.played(index)).collect();
        let reason = self.follower.reason();
        self.published.truncate(same);
        self.published.extend(self.follower.line().iter().take(decided + 1).skip(same + 1).filter_map(|node| node.mv));
        self.pending = self.pending.filter(|_| decided > same);
        self.tell(now, Event::MovesCorrected { from_ply: same as u32 + 1, moves, reason }, output);
        // What was uncertain is gone, or is told anew.
        let gone = |alert: &Alert| alert.kind == AlertKind::MovesUncertain && alert.ply > same as u32;
        self.clear(now, gone, output);
        if let Some((_, reason @ (ResultReason::Checkmate | ResultReason::Stalemate))) = self.record.result {
            self.tell(now, Event::Result { result: None, reason }, output);
        }
        for index in same..decided {
            self.made(now, index, around, output);
        }
    }

    fn make(&mut self, now: Millis, index: usize, around: &mut Around<'_>, output: &mut Output) {
        let (Some(played), Some(node)) = (self.played(index), self.follower.line().get(index + 1)) else { return };
        let (Some(mv), Some(confidence)) = (node.mv, node.decided.or(Some(Confidence::CERTAIN))) else { return };
        let mut others: Vec<(Move, Confidence)> = node.rivals.clone();
        if others.is_empty() && confidence.0 < 990 {
            let share = Confidence((1000 - confidence.0) / (node.growth.moves.len().max(1) as u16));
            others.extend(node.growth.moves.iter().map(|&other| (other, share)));
        }
        let before = self.follower.line().get(index).map(|node| &node.position);
        let alternatives = before.map_or_else(Vec::new, |before| {
            others.iter().map(|&(other, confidence)| Alternative { uci: before.uci(other), confidence }).collect()
        });
        self.published.push(mv);
        let ply = index as u32 + 1;
        self.tell(now, Event::MoveMade { ply, played, confidence, alternatives }, output);
        self.made(now, index, around, output);
    }

    /// What follows from a published move.
    fn made(&mut self, now: Millis, index: usize, around: &mut Around<'_>, output: &mut Output) {
        let ply = index as u32 + 1;
        if ply > 2 && self.is_open(ply - 2) {
            let clocks = around.clock.times(now, around.rotation);
            self.complete(now, ply - 2, CompletedBy::OwnNextMove, clocks, output);
        }
        if ply > 1 && !around.clock.counts() && self.is_open(ply - 1) {
            self.complete(now, ply - 1, CompletedBy::Reply, ClockTimes::default(), output);
        }
        let mover = self.mover(ply);
        if let Some(press) = self.pending.take_if(|press| press.by == mover) {
            let clocks = aged(press.clocks, now.saturating_sub(press.at));
            self.complete(now, ply, CompletedBy::Clock, clocks, output);
            self.revisable = Some((ply, press.at));
        }
        let Some(node) = self.follower.line().get(index + 1) else { return };
        if let Some(ending) = node.position.ending() {
            let (result, reason) = match (ending, mover) {
                (Ending::Checkmate, Color::White) => (GameResult::WhiteWins, ResultReason::Checkmate),
                (Ending::Checkmate, Color::Black) => (GameResult::BlackWins, ResultReason::Checkmate),
                (Ending::Stalemate, _) => (GameResult::Draw, ResultReason::Stalemate),
            };
            if self.is_open(ply) {
                self.complete(now, ply, CompletedBy::GameEnd, around.clock.times(now, around.rotation), output);
            }
            self.tell(now, Event::Result { result: Some(result), reason }, output);
            output.cues.push(Cue::Placement);
        }
    }

    fn tell_unexplained(&mut self, now: Millis, quiet: Millis, around: &mut Around<'_>, output: &mut Output) {
        let wrong = self.follower.unexplained();
        let begun = !self.published.is_empty() || around.clock.counts();
        if quiet < UNEXPLAINED || wrong.is_empty() || !begun || self.record.result.is_some() {
            return;
        }
        let seen = self.follower.seen();
        let position = &self.follower.tip().position;
        let king_strays =
            |color: Color| seen.king(color).is_some_and(|square| CENTRE.contains(square) && wrong.contains(square));
        if Color::ALL.into_iter().any(king_strays) && quiet < KINGS_APART {
            return;
        }
        let king_is_home = |color: Color| !position.board().by_piece(Role::King.of(color)).intersects(wrong);
        let missing = wrong & !seen.occupied() & position.board().occupied();
        let put_away = missing.count() > TAKEN_OFF || (wrong.count() > SWEPT && !Color::ALL.into_iter().all(king_is_home));
        if put_away && quiet < ABANDONED {
            return;
        }
        if self.is_raised(AlertKind::PositionUnexplained) {
            return;
        }
        let differences: Vec<Difference> = wrong
            .into_iter()
            .map(|square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) })
            .collect();
        let detail = format!("the board does not show the position of the record: {}", in_words(&differences));
        output.tell(now, Event::Displaced { squares: differences });
        self.raise(now, AlertKind::PositionUnexplained, None, wrong.into_iter().collect(), detail, output);
    }

    fn is_raised(&self, kind: AlertKind) -> bool {
        self.record.alerts.iter().any(|alert| alert.kind == kind)
    }

    fn raise(
        &mut self,
        now: Millis,
        kind: AlertKind,
        article: Option<&str>,
        squares: Vec<Square>,
        detail: String,
        output: &mut Output,
    ) {
        let alert = Alert {
            id: self.record.alerts_raised + 1,
            kind,
            ply: self.record.plies.len() as u32,
            by: None,
            article: article.map(str::to_owned),
            squares,
            detail,
            position: self.record.fen().to_owned(),
        };
        self.tell(now, Event::AlertRaised(alert), output);
    }

    fn clear(&mut self, now: Millis, which: impl Fn(&Alert) -> bool, output: &mut Output) {
        let ids: Vec<u32> = self.record.alerts.iter().filter(|alert| which(alert)).map(|alert| alert.id).collect();
        for id in ids {
            self.tell(now, Event::AlertCleared { id }, output);
        }
    }

    fn complete(&mut self, now: Millis, ply: u32, by: CompletedBy, clocks: ClockTimes, output: &mut Output) {
        self.tell(now, Event::MoveCompleted { ply, by, clocks }, output);
    }

    fn is_open(&self, ply: u32) -> bool {
        self.record.ply(ply).is_some_and(|ply| ply.state == PlyState::Made)
    }

    fn mover(&self, ply: u32) -> Color {
        let first = self.start.turn();
        if ply % 2 == 1 { first } else { !first }
    }

    /// The move from node `index` to the next.
    fn played(&self, index: usize) -> Option<Played> {
        let before = &self.follower.line().get(index)?.position;
        let node = self.follower.line().get(index + 1)?;
        let mv = node.mv?;
        Some(Played { uci: before.uci(mv), san: before.san(mv), fen: node.position.fen() })
    }

    /// Into the record, and out.
    fn tell(&mut self, at: Millis, event: Event, output: &mut Output) {
        let stamped = Stamped { at, number: None, event };
        self.record.apply(&stamped);
        output.events.push(stamped);
    }
}

/// The same times, told so much later.
fn aged(clocks: ClockTimes, by: Millis) -> ClockTimes {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let age = |time: Option<crate::game::ClockTime>| {
        time.map(|time| crate::game::ClockTime { age_ms: time.age_ms.saturating_add(by), ..time })
    };
    ClockTimes { white: age(clocks.white), black: age(clocks.black) }
}

/// Square by square, what should be there and what is.
fn in_words(differences: &[Difference]) -> String {
    let piece = |piece: shakmaty::Piece| {
        let color = if piece.color.is_white() { "white" } else { "black" };
        let role = match piece.role {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        };
        format!("a {color} {role}")
    };
    let one = |difference: &Difference| {
        let expected = difference.expected.map_or_else(|| "nothing".to_owned(), piece);
        let seen = match difference.seen {
            Sensed::Empty => "nothing".to_owned(),
            Sensed::Piece(found) => piece(found),
            Sensed::Side(color) => format!("a {} piece", if color.is_white() { "white" } else { "black" }),
            Sensed::Occupied => "a piece".to_owned(),
        };
        format!("{} should hold {expected}, but holds {seen}", difference.square)
    };
    differences.iter().map(one).collect::<Vec<_>>().join("; ")
}
