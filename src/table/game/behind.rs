//! Whether the record has fallen behind the board. Quiet shows that at once, but in time trouble there is none, so presses and
//! time are counted as well.

use super::alerts::{ABANDONED, Told};
use super::hold::Hold;
use super::{Around, Game};
use crate::boards::{Millis, Placement, Sensing};
use crate::game::event::Difference;
use crate::game::{AlertKind, CorrectionReason, Event, Text};
use crate::infer::{Bridge, Bridged, Known, Seen, turned};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::{Bitboard, Move};

/// No line of play has explained the board for so long, in milliseconds, before the arbiter is told however busy it is: longer than
/// hands overlap in time trouble.
const BEHIND: Millis = 10_000;
/// The same when the clock was pressed so often meanwhile, in milliseconds and presses: nobody presses four times in one exchange.
const BEHIND_PRESSED: (Millis, u32) = (3_000, 4);
/// Pieces that one reading of the whole board shows on so many squares of which no update has told were not put there just now: a
/// reading before was wrong, or changes were lost, and the arbiter is told after this time, in milliseconds.
const AT_ONCE: (usize, Millis) = (3, 3_000);
/// So many squares differ from the start position when two moves were played.
const PLAYED: usize = 4;
/// So long one king may be on its way to tell a result, and pieces on their way from the board, in milliseconds.
const SOON: Millis = 14_000;
/// Pieces are no longer being put away, or set up, when nothing has moved for this long, in milliseconds.
const AT_REST: Millis = 12_000;
/// A king that strays to the centre, or pieces that are put away, are looked at again after so long, in milliseconds.
const AGAIN: Millis = 5_000;

/// Moves that nobody saw are looked for when the board was quiet for so long, in milliseconds.
const BRIDGE_AFTER: Millis = 1_500;
/// The time between two slices of that search, in milliseconds, and the moves that are tried in one: some milliseconds on a small
/// computer.
const SLICE: (Millis, u32) = (20, 1 << 11);

/// The search for moves that were missed while nobody listened.
pub(super) struct Missed {
    /// When the next slice is due.
    next: Millis,
    /// The moves from whose end on it is searched: more than are published where the last one was not decided.
    line: Vec<Move>,
    bridge: Box<Bridge>,
}

/// No line of play explains the board.
pub(super) struct Behind {
    since: Millis,
    presses: u32,
    /// Nobody listened before, and moves may be missing.
    after_gap: bool,
    missed: Option<Missed>,
    /// Pieces came to many squares at once: they are not being put away.
    came_at_once: bool,
    /// When that is looked at if nothing happens; `None`: the arbiter knows.
    look_at: Option<Millis>,
}

impl Behind {
    fn begin(since: Millis) -> Behind {
        Behind { since, presses: 0, after_gap: false, missed: None, came_at_once: false, look_at: Some(since + BEHIND) }
    }
}

impl Game {
    /// Looks whether the record is behind the board, and tells the arbiter once it has been for too long. To be called after every
    /// change, press and deadline.
    pub(super) fn watch_behind(&mut self, now: Millis, around: &Around<'_>, output: &mut Output) {
        let wrong = self.behind_squares(around);
        if wrong.is_empty() {
            self.behind = None;
            return;
        }
        let behind = self.behind.get_or_insert_with(|| Behind::begin(now));
        let (least, presses) = BEHIND_PRESSED;
        let pressed = behind.presses >= presses && now >= behind.since + least;
        if behind.look_at.is_none_or(|look_at| now < look_at && !pressed) {
            return;
        }
        let (after_gap, came_at_once, since) = (behind.after_gap, behind.came_at_once, behind.since);
        let told = self.is_told_of_position();
        // Kings that tell a result are soon both there, and pieces that are put away soon gone; where moves are missing one king may
        // stand in the centre for long, and many pieces were taken.
        let at_rest = now >= self.follower.seen().last_edge() + AT_REST;
        let (soon, in_time) = (now < since + SOON, now < since + ABANDONED && !at_rest);
        let ends = (in_time && self.follower.kings_unclear().is_some()) || (soon && self.follower.king_strays());
        // Where nothing was played, nobody misses a move; but whoever clears the board puts no pieces on other squares.
        let came = wrong & self.follower.seen().occupied();
        let unplayed = in_time && self.published.is_empty() && came.count() < PLAYED;
        let cleared = (in_time && self.is_set_up_anew(wrong)) || ((soon || unplayed) && self.is_cleared(wrong));
        let is_put_away = self.is_taken_off() || (!after_gap && (ends || (cleared && !came_at_once)));
        if told || is_put_away {
            if let Some(behind) = &mut self.behind {
                let next = if now < since + SOON { (now + AGAIN).min(since + SOON) } else { now + AGAIN };
                behind.look_at = (!told).then_some(next);
            }
        } else {
            let differences = wrong.into_iter().map(|square| self.difference(square)).collect();
            self.set_displaced(wrong);
            self.tell_behind(now, differences, output);
        }
    }

    /// The clock was pressed while that lasts.
    pub(super) fn count_press(&mut self) {
        if let Some(behind) = &mut self.behind {
            behind.presses += 1;
        }
    }

    /// A reading of the whole board showed pieces on so many squares where none of them stood before.
    pub(super) fn came_at_once(&mut self, now: Millis, came: usize) {
        let (many, soon) = AT_ONCE;
        if let Some(behind) = self.behind.as_mut().filter(|_| came >= many) {
            behind.came_at_once = true;
            behind.look_at = behind.look_at.map(|look_at| look_at.min(now + soon));
        }
    }

    /// After a gap: the board has not agreed with the record since then.
    pub fn was_behind_since(&mut self, since: Millis) {
        self.behind = Some(Behind { after_gap: true, ..Behind::begin(since) });
    }

    /// The board changed: what was searched for is another thing now.
    pub(super) fn search_missed_anew(&mut self) {
        if let Some(behind) = &mut self.behind {
            behind.missed = None;
        }
    }

    /// Looks for moves that were missed once nothing else explains what stands on the board.
    pub(super) fn search_missed(&mut self, now: Millis, quiet: Millis) {
        let identity = self.follower.seen().sensing() == Sensing::Identity;
        if quiet < BRIDGE_AFTER || !identity || self.hold.is_some() || self.follower.unexplained().is_empty() {
            return;
        }
        if self.behind.as_ref().is_none_or(|behind| !behind.after_gap || behind.missed.is_some()) {
            return;
        }
        let bridge = Bridge::new(self.follower.tip().position.clone(), self.follower.seen(), self.follower.hidden());
        let missed = Missed { next: now + SLICE.0, line: self.followed_moves(), bridge: Box::new(bridge) };
        if let Some(behind) = &mut self.behind {
            behind.missed = Some(missed);
        }
    }

    /// The moves of the line that is followed, published or not.
    fn followed_moves(&self) -> Vec<Move> {
        self.follower.line().iter().filter_map(|node| node.mv).collect()
    }

    /// When the next slice of that is due.
    pub(super) fn missed_deadline(&self) -> Option<Millis> {
        let missed = self.behind.as_ref()?.missed.as_ref()?;
        (missed.next < Millis::MAX && !self.blind).then_some(missed.next)
    }

    /// That time has come.
    pub(super) fn run_missed(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        let line = self.followed_moves();
        if self.behind.as_ref().and_then(|behind| behind.missed.as_ref()).is_some_and(|missed| missed.line != line) {
            self.search_missed_anew();
            self.search_missed(now, BRIDGE_AFTER);
            return;
        }
        let Some(missed) = self.behind.as_mut().and_then(|behind| behind.missed.as_mut()) else { return };
        missed.next = now + SLICE.0;
        match missed.bridge.run(SLICE.1) {
            None => {}
            // Until the board changes there is nothing to find.
            Some(Bridged::Nothing) => missed.next = Millis::MAX,
            Some(Bridged::Line(moves)) => self.add_missed(now, &moves, around, output),
        }
    }

    /// These moves were missed after those that are followed.
    fn add_missed(&mut self, now: Millis, moves: &[Move], around: &mut Around<'_>, output: &mut Output) {
        let line = self.followed_moves();
        let (from, known) = (line.len(), self.published.len());
        if line.get(..known) != Some(self.published.as_slice()) {
            return; // What is followed is about to be published as another line.
        }
        let all = [line.get(known..).unwrap_or_default(), moves].concat();
        self.add(now, &all, CorrectionReason::Evidence, around, output);
        if moves.len() > 1 {
            self.raise_plies(now, "uncertain_order", from, moves.len(), output);
        }
    }

    /// These moves come on record after the last.
    pub fn add(&mut self, now: Millis, moves: &[Move], reason: CorrectionReason, around: &mut Around<'_>, output: &mut Output) {
        if !moves.is_empty() {
            let plies = moves.iter().map(|&mv| Known { mv, pressed_at: None, found: None });
            self.add_plies(now, plies, reason, around, output);
        }
    }

    fn add_plies(
        &mut self,
        now: Millis,
        plies: impl Iterator<Item = Known>,
        reason: CorrectionReason,
        around: &mut Around<'_>,
        output: &mut Output,
    ) {
        (self.behind, self.missed) = (None, None);
        let mut known = self.known(self.published.len());
        known.extend(plies);
        self.follower.rewrite(now, &known, reason);
        self.publish_all(now, around, output);
    }

    /// The arbiter knows that moves are missing since nobody listened, and nothing tells which.
    pub fn misses_moves(&self) -> bool {
        let behind = self.behind.as_ref().is_some_and(|behind| behind.after_gap && behind.look_at.is_none());
        // A square that does not work would show another position.
        behind && !self.blind && self.hold.is_none() && self.follower.hidden().is_empty()
    }

    /// Moves are missing, and play has gone on with these from this position: it is taken up as a new stretch of the game, and the
    /// arbiter is told.
    pub fn take_up(&mut self, now: Millis, from: &Position, moves: &[Move], around: &mut Around<'_>, output: &mut Output) {
        let before = self.position_after(self.published.len());
        // A null move for each player where the same is to move again: White's moves stay White's.
        let passed = (before.turn() == from.turn()).then(|| before.found(from.board().clone(), !from.turn()));
        let mut missing = Vec::new();
        let mut last = &before;
        for found in passed.iter().chain([from]) {
            let Some(mv) = last.null_move() else { return };
            missing.push(Known { mv, pressed_at: None, found: Some(found.clone()) });
            last = found;
        }
        let ply = self.published.len() as u32 + 1;
        let plies = moves.iter().map(|&mv| Known { mv, pressed_at: None, found: None });
        self.add_plies(now, missing.into_iter().chain(plies), CorrectionReason::Evidence, around, output);
        self.fix();
        let text = Text::new("moves_missing").with("number", before.fullmoves());
        let told = Told { ply: Some(ply), ..Told::new(AlertKind::MovesUncertain, text) };
        self.raise(now, told, output);
    }

    /// When somebody wants to look again whether the record is behind.
    pub(super) fn behind_deadline(&self) -> Option<Millis> {
        self.behind.as_ref().and_then(|behind| behind.look_at)
    }

    /// The arbiter is told that the board shows something else than the record, and for how long it has.
    pub fn tell_behind(&mut self, now: Millis, differences: Vec<Difference>, output: &mut Output) {
        if let Some(behind) = &mut self.behind {
            behind.look_at = None;
        }
        if self.is_told_of_position() || self.record.result.is_some() || self.over {
            return;
        }
        let squares = differences.iter().map(|difference| difference.square).collect();
        output.tell(now, Event::Displaced { squares: differences.clone() });
        let text = Text::new("behind").with("differences", differences);
        self.raise(now, Told { squares, ..Told::new(AlertKind::PositionUnexplained, text) }, output);
    }

    /// The board remembers what was played while nobody listened, and has not said so yet: the arbiter is told that this is missing.
    /// `placement`: what stands on the board, in its own coordinates.
    pub fn tell_awaited(&mut self, now: Millis, placement: &Placement, around: &Around<'_>, output: &mut Output) {
        let seen = Seen::of(&turned(placement, around.rotation), around.settings.sensing);
        let position = self.position_after(self.published.len());
        let one = |square| Difference { square, expected: position.piece_at(square), seen: seen.at(square) };
        let differences = seen.mismatch(position.board()).into_iter().map(one).collect();
        self.tell_behind(now, differences, output);
    }

    /// The squares that no line of play explains while somebody plays: also beside a clock that is stopped, or is said to be.
    fn behind_squares(&self, around: &Around<'_>) -> Bitboard {
        let plays = matches!(self.hold, None | Some(Hold::Stopped(_))) && !self.over && !self.blind;
        let after_gap = self.behind.as_ref().is_some_and(|behind| behind.after_gap);
        // In a game of which nothing was recorded pieces may be shown around; play changes more than that.
        let many = || self.follower.mismatch().count() >= PLAYED;
        let begun = !self.published.is_empty() || around.clock.counts() || after_gap || many();
        if !plays || !begun || self.record.result.is_some() || self.is_over_but_for_notices() {
            return Bitboard::EMPTY;
        }
        self.follower.unexplained() | self.follower.displaced()
    }
}
