//! Times when what the board shows is not play: a player adjusts pieces, a position is being set up again, or the clock is stopped.

use super::alerts::Told;
use super::alerts::UNEXPLAINED_LONG;
use super::{Around, Game};
use crate::boards::Millis;
use crate::game::{AlertKind, Command, Event, Order, Text};
use crate::infer::{Follower, REST_TAKEBACK, Seen, explain};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::Color;

/// The longest time that a player who announced it may adjust pieces, in milliseconds.
const ADJUSTS: Millis = 30_000;
/// A change seen up to this long after the clock was stopped still belongs to the last move, in milliseconds: squares are reported
/// up to 600 ms late, and one hand may be slower than the other one on the clock.
const STOPPED: Millis = 1_000;
/// Number of moves with the clock stopped from which play is analysis.
const ANALYSIS: u32 = 2;

/// Why what the board shows is not play.
pub enum Hold {
    /// This player announced that they adjust pieces (Art. 4.2).
    Adjusting { by: Color, until: Millis, touched: bool },
    /// A position was set, or moves were taken back, and the board does not show the position yet.
    Restoring { touched: bool },
    /// The arbiter has paused the game.
    Paused,
    /// The clock is stopped in a game in which it was running.
    Stopped(Box<Stopped>),
}

/// What happens while the clock is stopped.
pub struct Stopped {
    /// A follower that treats the changes as play.
    shadow: Follower,
    /// The last position that the board showed, with the side that moved taken into account.
    position: Position,
    /// The number of moves that led to `position`.
    moves: u32,
}

impl Game {
    /// Starts the time in which a player adjusts pieces. It lasts until the board agrees with the record again and is quiet, until
    /// the opponent moves, or until the timeout.
    pub(super) fn adjust(&mut self, now: Millis, by: Color) {
        if matches!(self.hold, None | Some(Hold::Adjusting { .. })) {
            self.hold = Some(Hold::Adjusting { by, until: now + ADJUSTS, touched: self.follower.mismatch().any() });
            self.follower.hold();
        }
    }

    /// If the board does not show the last position, stops inferring until it does.
    pub fn restore_board(&mut self, now: Millis) {
        if self.is_paused() {
            self.follower.hold();
        } else if self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.let_go(now);
        }
    }

    /// Stops inferring until the board shows the last position.
    pub(super) fn wait_for_position(&mut self) {
        self.hold = Some(Hold::Restoring { touched: false });
        self.follower.hold();
    }

    /// Ends the hold: what the board shows counts again.
    pub(super) fn let_go(&mut self, now: Millis) {
        if self.hold.take().is_some() {
            self.touch_free_until = now;
        }
        self.follower.let_go(now);
    }

    /// Returns when the time to adjust pieces ends.
    pub(super) fn hold_deadline(&self) -> Option<Millis> {
        match self.hold {
            Some(Hold::Adjusting { until, .. }) => Some(until),
            _ => None,
        }
    }

    /// Whether what the board shows is not play, so that it need not agree with the record.
    pub(super) fn is_no_play(&self) -> bool {
        self.hold.is_some()
    }

    /// Whether the arbiter has paused the game and no result has ended the pause.
    pub fn is_paused(&self) -> bool {
        self.record.paused && matches!(self.hold, Some(Hold::Paused))
    }

    /// Pauses the game: the last move stays as it is, and the pieces and the lever may be moved freely.
    pub(super) fn pause(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        if !self.blind && self.hold.is_none() && self.follower.mismatch().is_empty() {
            self.follower.decide(now);
        }
        self.publish_all(now, around, output);
        (self.kings_at, self.pending, self.idle_press) = (None, None, None);
        self.clear(now, |alert| alert.kind == AlertKind::ClockStopped, output);
        self.hold_paused();
    }

    /// Ignores what the board shows until the pause is over.
    pub(super) fn hold_paused(&mut self) {
        self.hold = Some(Hold::Paused);
        self.follower.hold();
    }

    /// Continues the game: what the board shows counts again, unless a position must still be restored.
    pub(super) fn go_on(&mut self, now: Millis) {
        if self.record.restored.is_some() && self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.let_go(now);
        }
    }

    /// Continues a paused game because the clock was started. Returns whether the game was paused.
    pub fn clock_started(&mut self, now: Millis, output: &mut Output) -> bool {
        let paused = self.is_paused() && !self.over;
        if paused {
            self.tell(now, Event::Commanded { command: Command::Pause(false), by: Order::CLOCK.to_owned() }, output);
            self.go_on(now);
        }
        paused
    }

    /// Returns the follower that treats changes with the clock stopped as play.
    pub(super) fn shadow(&mut self) -> Option<&mut Follower> {
        match &mut self.hold {
            Some(Hold::Stopped(stopped)) => Some(&mut stopped.shadow),
            _ => None,
        }
    }

    /// Records that the clock, which ran in this game, was stopped or started. Returns whether what the board shows is play again.
    pub fn clock_stops(&mut self, now: Millis, stops: bool) -> bool {
        self.stopped_at = stops.then_some(now);
        let held = matches!(self.hold, Some(Hold::Stopped(_)));
        let goes_on = !stops && held && (!self.is_raised(AlertKind::ResultWanted) || self.is_a_move_away());
        if goes_on {
            self.let_go(now);
        }
        goes_on
    }

    /// Accepts what was done while the clock was stopped as play, as an arbiter said.
    pub(super) fn play_on(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        if let Some(Hold::Stopped(stopped)) = self.hold.take_if(|hold| matches!(hold, Hold::Stopped(_))) {
            (self.follower, self.stopped_at, self.seen_changes) = (stopped.shadow, None, None);
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
            self.publish(now, around, output);
        }
    }

    /// Whether the board shows the last position, or one legal move from it.
    fn is_a_move_away(&self) -> bool {
        self.follower.mismatch().is_empty() || plain(&self.follower.tip().position, self.follower.seen(), 1).is_some()
    }

    /// Starts a hold if a square changes after the clock was stopped. The last move stays as it is. A delayed reading may have
    /// changed before the clock was stopped, so it is followed as play.
    pub(super) fn hold_if_stopped(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        let stopped = self.stopped_at.is_some_and(|at| now >= at + STOPPED);
        if !stopped || self.hold.is_some() || self.record.result.is_some() || self.follower.seen().is_late(now) {
            return;
        }
        if self.follower.mismatch().is_empty() {
            self.follower.decide(now);
        }
        self.publish_all(now, around, output);
        let position = self.follower.tip().position.clone();
        self.hold = Some(Hold::Stopped(Box::new(Stopped { shadow: self.follower.shadow(), position, moves: 0 })));
        self.follower.hold();
    }

    /// Updates the hold after a change on the board.
    pub(super) fn touched_while_held(&mut self, now: Millis) {
        let agrees = self.follower.mismatch().is_empty();
        match &mut self.hold {
            Some(Hold::Restoring { .. } | Hold::Stopped(_)) if agrees => self.let_go(now),
            Some(Hold::Adjusting { touched, .. } | Hold::Restoring { touched }) => *touched = true,
            _ => {}
        }
    }

    /// Updates the hold after the board was quiet for `quiet` milliseconds.
    pub(super) fn quiet_while_held(&mut self, now: Millis, quiet: Millis, around: &mut Around<'_>, output: &mut Output) {
        let agrees = self.follower.mismatch().is_empty();
        match &mut self.hold {
            Some(Hold::Adjusting { by, touched: true, .. }) if quiet >= around.settle => {
                let position = &self.follower.tip().position;
                // If it is the adjusting player's turn, the opponent's move is the second one.
                let opponents = if position.turn() == *by { 2 } else { 1 };
                if agrees || plain(position, self.follower.seen(), opponents).is_some() {
                    self.let_go(now);
                }
            }
            Some(Hold::Restoring { touched: true }) if quiet >= UNEXPLAINED_LONG => self.let_go(now),
            Some(Hold::Stopped(stopped)) if quiet >= around.settle => {
                stopped.shadow.quiet(now, around.settle);
                if self.stopped_at.is_none() && self.is_a_move_away() {
                    self.let_go(now);
                } else if quiet >= REST_TAKEBACK && !self.follower.king_strays() {
                    self.judge_analysis(now, output);
                }
            }
            _ => {}
        }
        if self.hold.is_none() && self.stopped_at.is_none() && self.is_raised(AlertKind::ResultWanted) {
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
        }
    }

    /// Decides whether play with the clock stopped is analysis: moves go on, one side moves twice, or several moves are taken back
    /// at once.
    fn judge_analysis(&mut self, now: Millis, output: &mut Output) {
        let key = self.follower.seen().key();
        let line = self.follower.line();
        let back = line.iter().rev().position(|node| node.key == key);
        let Some(Hold::Stopped(stopped)) = &mut self.hold else { return };
        match back {
            Some(plies) => stopped.moves = stopped.moves.max(if plies > 1 { ANALYSIS } else { 0 }),
            None => {
                let seen = self.follower.seen();
                let found = [(false, 1), (true, 1), (false, 2), (false, 3)].into_iter().find_map(|(passed, moves)| {
                    let from = if passed { stopped.position.passed() } else { stopped.position.clone() };
                    Some((plain(&from, seen, moves)?, moves))
                });
                if let Some((position, moves)) = found.filter(|_| seen.mismatch(stopped.position.board()).any()) {
                    (stopped.position, stopped.moves) = (position, stopped.moves + moves);
                }
            }
        }
        if stopped.moves >= ANALYSIS && !self.is_raised(AlertKind::ResultWanted) {
            self.raise(now, Told::new(AlertKind::ResultWanted, Text::new("result_wanted")), output);
        }
    }
}

/// Returns the position that the board shows after this number of moves, if every move is fully visible.
fn plain(from: &Position, seen: &Seen, moves: u32) -> Option<Position> {
    let found = explain(from, seen, seen.doubtful(), moves, 0);
    let plain = found.iter().find(|line| line.doubts.traceless == 0 && line.doubts.skipped == 0 && line.doubts.in_hand == 0)?;
    Some(plain.moves.iter().fold(from.clone(), |position, &mv| position.play(mv)))
}
