//! Times when what the board shows is no play: a player adjusts his pieces, a position is being set up again, the clock is
//! stopped.

use super::alerts::Told;
use super::alerts::UNEXPLAINED_LONG;
use super::{Around, Game};
use crate::boards::Millis;
use crate::game::{AlertKind, Command, Event, Order, Text};
use crate::infer::{Follower, REST_TAKEBACK, Seen, explain};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::Color;

/// A player who said so adjusts for so long at most, in milliseconds.
const ADJUSTS: Millis = 30_000;
/// What is seen so long after the clock was stopped still belongs to the last move, in milliseconds: squares are told up to
/// 600 ms late, and a hand may be slower than the other one on the clock.
const STOPPED: Millis = 1_000;
/// So many moves with the clock stopped are analysis.
const ANALYSIS: u32 = 2;

/// Why what the board shows is no play.
pub enum Hold {
    /// This player said that he adjusts (Art. 4.2).
    Adjusting { by: Color, until: Millis, touched: bool },
    /// A position was given, or moves were taken back, and the board does not show that yet.
    Restoring { touched: bool },
    /// The arbiter has paused the game.
    Paused,
    /// The clock is stopped in a game that had one running.
    Stopped(Box<Stopped>),
}

/// What happens while the clock is stopped.
pub struct Stopped {
    /// The game, if it were play.
    shadow: Follower,
    /// What the board last showed of it, with whoever moved.
    position: Position,
    /// So many moves led there.
    moves: u32,
}

impl Game {
    /// A player adjusts. Until the board agrees with the record again and is quiet, the opponent moves, or it takes too long.
    pub(super) fn adjust(&mut self, now: Millis, by: Color) {
        if matches!(self.hold, None | Some(Hold::Adjusting { .. })) {
            self.hold = Some(Hold::Adjusting { by, until: now + ADJUSTS, touched: self.follower.mismatch().any() });
            self.follower.hold();
        }
    }

    /// Nothing is concluded from a board that does not show the last position until it does.
    pub fn restore_board(&mut self, now: Millis) {
        if self.is_paused() {
            self.follower.hold();
        } else if self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.let_go(now);
        }
    }

    /// Nothing is concluded until the board shows the last position.
    pub(super) fn wait_for_position(&mut self) {
        self.hold = Some(Hold::Restoring { touched: false });
        self.follower.hold();
    }

    /// What the board shows counts again.
    pub(super) fn let_go(&mut self, now: Millis) {
        if self.hold.take().is_some() {
            self.touch_free_until = now;
        }
        self.follower.let_go(now);
    }

    /// When a player has adjusted long enough.
    pub(super) fn hold_deadline(&self) -> Option<Millis> {
        match self.hold {
            Some(Hold::Adjusting { until, .. }) => Some(until),
            _ => None,
        }
    }

    /// The board need not agree with the record: nobody is playing.
    pub(super) fn is_no_play(&self) -> bool {
        self.hold.is_some()
    }

    /// The arbiter has paused the game, and no result has ended that.
    pub fn is_paused(&self) -> bool {
        self.record.paused && matches!(self.hold, Some(Hold::Paused))
    }

    /// The game is paused: the last move stands as it is, and pieces and lever may be handled freely.
    pub(super) fn pause(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        if !self.blind && self.hold.is_none() && self.follower.mismatch().is_empty() {
            self.follower.decide(now);
        }
        self.publish_all(now, around, output);
        (self.kings_at, self.pending, self.idle_press) = (None, None, None);
        self.clear(now, |alert| alert.kind == AlertKind::ClockStopped, output);
        self.hold_paused();
    }

    /// Nothing that the board shows counts until the pause is over.
    pub(super) fn hold_paused(&mut self) {
        self.hold = Some(Hold::Paused);
        self.follower.hold();
    }

    /// The game goes on: what stands there counts again, unless a position is still to be put back.
    pub(super) fn go_on(&mut self, now: Millis) {
        if self.record.restored.is_some() && self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.let_go(now);
        }
    }

    /// The clock was started: a game that was paused goes on. Whether it was.
    pub fn clock_started(&mut self, now: Millis, output: &mut Output) -> bool {
        let paused = self.is_paused() && !self.over;
        if paused {
            self.tell(now, Event::Commanded { command: Command::Pause(false), by: Order::CLOCK.to_owned() }, output);
            self.go_on(now);
        }
        paused
    }

    /// The follower of what would be play if the clock were not stopped.
    pub(super) fn shadow(&mut self) -> Option<&mut Follower> {
        match &mut self.hold {
            Some(Hold::Stopped(stopped)) => Some(&mut stopped.shadow),
            _ => None,
        }
    }

    /// The clock, which ran in this game, was stopped, or no longer is. Tells whether what stands on the board is play again.
    pub fn clock_stops(&mut self, now: Millis, stops: bool) -> bool {
        self.stopped_at = stops.then_some(now);
        let held = matches!(self.hold, Some(Hold::Stopped(_)));
        let goes_on = !stops && held && (!self.is_raised(AlertKind::ResultWanted) || self.is_a_move_away());
        if goes_on {
            self.let_go(now);
        }
        goes_on
    }

    /// What was done while the clock was stopped was play, somebody says.
    pub(super) fn play_on(&mut self, now: Millis, around: &mut Around<'_>, output: &mut Output) {
        if let Some(Hold::Stopped(stopped)) = self.hold.take_if(|hold| matches!(hold, Hold::Stopped(_))) {
            (self.follower, self.stopped_at, self.seen_changes) = (stopped.shadow, None, None);
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
            self.publish(now, around, output);
        }
    }

    /// The board shows the last position, or one legal move from it.
    fn is_a_move_away(&self) -> bool {
        self.follower.mismatch().is_empty() || plain(&self.follower.tip().position, self.follower.seen(), 1).is_some()
    }

    /// A square changes while the clock has been stopped for a while. The last move stands as it is. What comes late may have changed
    /// before the clock was stopped: it is followed.
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

    /// The board changed.
    pub(super) fn touched_while_held(&mut self, now: Millis) {
        let agrees = self.follower.mismatch().is_empty();
        match &mut self.hold {
            Some(Hold::Restoring { .. } | Hold::Stopped(_)) if agrees => self.let_go(now),
            Some(Hold::Adjusting { touched, .. } | Hold::Restoring { touched }) => *touched = true,
            _ => {}
        }
    }

    /// Nothing changed for so long.
    pub(super) fn quiet_while_held(&mut self, now: Millis, quiet: Millis, around: &mut Around<'_>, output: &mut Output) {
        let agrees = self.follower.mismatch().is_empty();
        match &mut self.hold {
            Some(Hold::Adjusting { by, touched: true, .. }) if quiet >= around.settle => {
                let position = &self.follower.tip().position;
                // If it is his turn, the opponent's move is the second one.
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

    /// Whether what happens while the clock is stopped is analysis: moves go on, one side moves twice, several are taken back at
    /// once.
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

/// The position that the board shows after so many moves, if hands have left nothing open.
fn plain(from: &Position, seen: &Seen, moves: u32) -> Option<Position> {
    let found = explain(from, seen, seen.doubtful(), moves, 0);
    let plain = found.iter().find(|line| line.doubts.traceless == 0 && line.doubts.skipped == 0 && line.doubts.in_hand == 0)?;
    Some(plain.moves.iter().fold(from.clone(), |position, &mv| position.play(mv)))
}
