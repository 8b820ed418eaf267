//! Times when what the board shows is not play: a player adjusts pieces, a position is being set up again, or the clock is stopped.

use super::draft::AlertDraft;
use super::unexplained::UNEXPLAINED_LONG;
use super::{GameContext, TableGame};
use crate::boards::{Millis, Touch};
use crate::game::{AlertKind, Command, Event, Order, Text};
use crate::infer::{Follower, ObservedBoard, REST_TAKEBACK, explain};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::Color;

/// The longest time that a player who announced it may adjust pieces, in milliseconds.
const MAX_ADJUST_TIME: Millis = 30_000;
/// A change seen up to this long after the clock was stopped still belongs to the last move, in milliseconds: squares are reported
/// up to 600 ms late, and one hand may be slower than the other one on the clock.
const STOPPED_GRACE: Millis = 1_000;
/// Number of moves with the clock stopped from which play is analysis.
const ANALYSIS_MOVES: u32 = 2;

/// Why what the board shows is not play.
#[derive(Clone)]
enum HoldReason {
    /// This player announced that they adjust pieces (Art. 4.2).
    Adjusting {
        by: Color,
        until: Millis,
        /// Squares have changed.
        touched: bool,
        /// A hand was on a piece, on a board that senses that.
        is_felt: bool,
    },
    /// A position was set, or moves were taken back, and the board does not show the position yet.
    Restoring { touched: bool },
    /// The arbiter has paused the game.
    Paused,
    /// The clock is stopped in a game in which it was running.
    Stopped(Box<StoppedClockPlay>),
}

/// What happens while the clock is stopped.
#[derive(Clone)]
struct StoppedClockPlay {
    /// A follower that treats the changes as play.
    shadow: Follower,
    /// The last position that the board showed, with the side that moved taken into account.
    position: Position,
    /// The number of moves that led to `position`.
    moves: u32,
}

impl StoppedClockPlay {
    /// Processes a quiet board. Returns whether the play is analysis: moves go on, one side moves twice, or several moves are taken
    /// back at once. `follower`: the line of play until the clock was stopped.
    fn handle_rest(&mut self, follower: &Follower) -> bool {
        let seen = follower.seen();
        let hash = seen.placement_hash();
        match follower.nodes().iter().rev().position(|node| node.placement_hash == hash) {
            Some(plies_back) => self.moves = self.moves.max(if plies_back > 1 { ANALYSIS_MOVES } else { 0 }),
            None => {
                let found = [(false, 1), (true, 1), (false, 2), (false, 3)].into_iter().find_map(|(passed, moves)| {
                    let from = if passed { self.position.with_turn_passed() } else { self.position.clone() };
                    Some((explain_plainly(&from, seen, moves)?, moves))
                });
                if let Some((position, moves)) = found.filter(|_| seen.mismatch(self.position.board()).any()) {
                    (self.position, self.moves) = (position, self.moves + moves);
                }
            }
        }
        self.moves >= ANALYSIS_MOVES
    }
}

/// Whether and why what the board shows is currently not play.
#[derive(Clone, Default)]
pub(super) struct Hold {
    reason: Option<HoldReason>,
    /// Since when the clock, which ran in this game, has been stopped.
    stopped_at: Option<Millis>,
}

impl Hold {
    /// Whether what the board shows is not play.
    pub(super) fn is_active(&self) -> bool {
        self.reason.is_some()
    }

    /// Whether the arbiter has paused the game.
    pub(super) fn is_paused(&self) -> bool {
        matches!(self.reason, Some(HoldReason::Paused))
    }

    /// Whether a position is being set up again.
    pub(super) fn is_restoring(&self) -> bool {
        matches!(self.reason, Some(HoldReason::Restoring { .. }))
    }

    /// Whether a player adjusts pieces, or a position is being set up again.
    pub(super) fn is_adjusting_or_restoring(&self) -> bool {
        matches!(self.reason, Some(HoldReason::Adjusting { .. } | HoldReason::Restoring { .. }))
    }

    /// Whether squares change with the clock stopped.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.reason, Some(HoldReason::Stopped(_)))
    }

    /// Returns since when the clock, which ran in this game, has been stopped.
    pub(super) fn stopped_at(&self) -> Option<Millis> {
        self.stopped_at
    }

    /// Returns when the time to adjust pieces ends.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match self.reason {
            Some(HoldReason::Adjusting { until, .. }) => Some(until),
            _ => None,
        }
    }

    /// Returns the follower that treats changes with the clock stopped as play.
    pub(super) fn shadow(&mut self) -> Option<&mut Follower> {
        match &mut self.reason {
            Some(HoldReason::Stopped(stopped)) => Some(&mut stopped.shadow),
            _ => None,
        }
    }

    /// Begins the time in which this player adjusts pieces. Returns whether that changes anything. `touched`: the board differs
    /// from the record.
    fn adjust(&mut self, now: Millis, by: Color, touched: bool) -> bool {
        let is_possible = matches!(self.reason, None | Some(HoldReason::Adjusting { .. }));
        if is_possible {
            self.reason = Some(HoldReason::Adjusting { by, until: now + MAX_ADJUST_TIME, touched, is_felt: false });
        }
        is_possible
    }

    /// Waits for a position to be set up.
    fn restore(&mut self) {
        self.reason = Some(HoldReason::Restoring { touched: false });
    }

    /// Ends the hold. Returns whether there was one.
    fn end(&mut self) -> bool {
        self.reason.take().is_some()
    }

    /// Ends the hold for a stopped clock. Returns its shadow: the follower that went on as if play had not been stopped.
    fn take_shadow(&mut self) -> Option<Follower> {
        let reason = self.reason.take_if(|reason| matches!(reason, HoldReason::Stopped(_)))?;
        self.stopped_at = None;
        if let HoldReason::Stopped(stopped) = reason { Some(stopped.shadow) } else { None }
    }

    /// Processes a change on the board. Returns whether the hold ends. `agrees`: the board shows the last position.
    fn handle_change(&mut self, agrees: bool) -> bool {
        match &mut self.reason {
            Some(HoldReason::Restoring { .. } | HoldReason::Stopped(_)) if agrees => return true,
            Some(HoldReason::Adjusting { touched, .. } | HoldReason::Restoring { touched }) => *touched = true,
            _ => {}
        }
        false
    }
}

impl TableGame {
    /// Starts the time in which a player adjusts pieces. It lasts until the board agrees with the record again and is quiet, until
    /// the opponent moves, or until the timeout.
    pub(super) fn adjust(&mut self, now: Millis, by: Color) {
        if self.hold.adjust(now, by, self.follower.mismatch().any()) {
            self.follower.suspend();
        }
    }

    /// Processes a sensed touch. The time to adjust pieces ends when the hand leaves a piece and the board agrees with the record: a
    /// piece need not be lifted to be adjusted.
    pub(super) fn handle_touch_while_adjusting(&mut self, now: Millis, touch: Touch) {
        let Some(HoldReason::Adjusting { is_felt, .. }) = &mut self.hold.reason else { return };
        match touch {
            Touch::Begin { .. } => *is_felt = true,
            Touch::End if *is_felt && !self.follower.mismatch().any() => self.end_hold(now),
            Touch::End => {}
        }
    }

    /// Ends the time in which a player adjusts pieces, because the announcement was withdrawn: what they touched counts.
    pub(super) fn end_adjustment(&mut self, now: Millis) {
        if self.hold.reason.take_if(|reason| matches!(reason, HoldReason::Adjusting { .. })).is_some() {
            self.follower.resume_inference(now);
        }
    }

    /// If the board does not show the last position, stops inferring until it does.
    pub(crate) fn restore_board(&mut self, now: Millis) {
        if self.is_paused() {
            self.follower.suspend();
        } else if self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.end_hold(now);
        }
    }

    /// Stops inferring until the board shows the last position.
    pub(super) fn wait_for_position(&mut self) {
        self.hold.restore();
        self.follower.suspend();
    }

    /// Ends the hold: what the board shows counts again.
    pub(super) fn end_hold(&mut self, now: Millis) {
        if self.hold.end() {
            self.touches.exempt_until(now);
        }
        self.follower.resume_inference(now);
    }

    /// Whether the arbiter has paused the game and no result has ended the pause.
    pub(crate) fn is_paused(&self) -> bool {
        self.record().paused && self.hold.is_paused()
    }

    /// Pauses the game: the last move stays as it is, and the pieces and the lever may be moved freely.
    pub(super) fn pause(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if !self.board.is_unknown() && !self.hold.is_active() && self.follower.mismatch().is_empty() {
            self.follower.decide_last_move(now);
        }
        self.publish_all(now, context, output);
        self.kings.forget();
        self.presses.pause();
        self.clear(now, |alert| alert.kind == AlertKind::ClockStopped, output);
        self.hold_paused();
    }

    /// Ignores what the board shows until the pause is over.
    pub(super) fn hold_paused(&mut self) {
        self.hold.reason = Some(HoldReason::Paused);
        self.follower.suspend();
    }

    /// Continues the game: what the board shows counts again, unless a position must still be restored.
    pub(super) fn resume_after_pause(&mut self, now: Millis) {
        if self.record().restored.is_some() && self.follower.mismatch().any() {
            self.wait_for_position();
        } else {
            self.end_hold(now);
        }
    }

    /// Continues a paused game because the clock was started. Returns whether the game was paused.
    pub(crate) fn note_clock_started(&mut self, now: Millis, output: &mut Output) -> bool {
        let paused = self.is_paused() && !self.end.is_over();
        if paused {
            self.record_event(
                now,
                Event::Commanded { command: Command::Pause { paused: false }, by: Order::CLOCK.to_owned() },
                output,
            );
            self.resume_after_pause(now);
        }
        paused
    }

    /// Records that the clock, which ran in this game, was stopped or started. Returns whether what the board shows is play again.
    pub(crate) fn note_clock_stopped(&mut self, now: Millis, is_stopped: bool) -> bool {
        self.hold.stopped_at = is_stopped.then_some(now);
        let resumes = !is_stopped
            && self.hold.is_stopped()
            && (!self.published.is_raised(AlertKind::ResultWanted) || is_a_move_away(&self.follower));
        if resumes {
            self.end_hold(now);
        }
        resumes
    }

    /// Accepts what was done while the clock was stopped as play, as an arbiter said.
    pub(super) fn accept_stopped_play(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if let Some(shadow) = self.hold.take_shadow() {
            self.follower = shadow;
            self.published.mark_outdated();
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
            self.publish(now, context, output);
        }
    }

    /// Starts a hold if a square changes after the clock was stopped. The last move stays as it is. A delayed reading may have
    /// changed before the clock was stopped, so it is followed as play.
    pub(super) fn hold_if_stopped(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        let stopped = self.hold.stopped_at.is_some_and(|at| now >= at + STOPPED_GRACE);
        if !stopped || self.hold.is_active() || self.record().result.is_some() || self.follower.seen().is_late(now) {
            return;
        }
        self.hold_stopped(now, context, output);
    }

    /// Starts the hold.
    #[inline(never)] // rarely called, and its stack frame holds copies of lines of play
    fn hold_stopped(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.follower.mismatch().is_empty() {
            self.follower.decide_last_move(now);
        }
        self.publish_all(now, context, output);
        let position = self.follower.tip().position.clone();
        let stopped = StoppedClockPlay { shadow: self.follower.shadow(), position, moves: 0 };
        self.hold.reason = Some(HoldReason::Stopped(Box::new(stopped)));
        self.follower.suspend();
    }

    /// Updates the hold after a change on the board.
    pub(super) fn update_hold_on_change(&mut self, now: Millis) {
        if self.hold.is_active() && self.hold.handle_change(self.follower.mismatch().is_empty()) {
            self.end_hold(now);
        }
    }

    /// Updates the hold after the board was quiet for `quiet` milliseconds.
    pub(super) fn update_hold_on_quiet(&mut self, now: Millis, quiet: Millis, context: &GameContext<'_>, output: &mut Output) {
        let agrees = self.follower.mismatch().is_empty();
        match &mut self.hold.reason {
            Some(HoldReason::Adjusting { by, touched: true, .. }) if quiet >= context.patience.settle => {
                let position = &self.follower.tip().position;
                // If it is the adjusting player's turn, the opponent's move is the second one.
                let opponents = if position.turn() == *by { 2 } else { 1 };
                if agrees || explain_plainly(position, self.follower.seen(), opponents).is_some() {
                    self.end_hold(now);
                }
            }
            Some(HoldReason::Restoring { touched: true }) if quiet >= UNEXPLAINED_LONG => self.end_hold(now),
            Some(HoldReason::Stopped(stopped)) if quiet >= context.patience.settle => {
                stopped.shadow.handle_quiet(now, context.patience);
                if self.hold.stopped_at.is_none() && is_a_move_away(&self.follower) {
                    self.end_hold(now);
                } else if quiet >= REST_TAKEBACK
                    && !self.follower.king_strays()
                    && stopped.handle_rest(&self.follower)
                    && !self.published.is_raised(AlertKind::ResultWanted)
                {
                    self.raise(now, AlertDraft::new(AlertKind::ResultWanted, Text::new("result_wanted")), output);
                }
            }
            _ => {}
        }
        if !self.hold.is_active() && self.hold.stopped_at.is_none() && self.published.is_raised(AlertKind::ResultWanted) {
            self.clear(now, |alert| alert.kind == AlertKind::ResultWanted, output);
        }
    }
}

/// Returns the position that the board shows after this number of moves, if every move is fully visible.
fn explain_plainly(from: &Position, seen: &ObservedBoard, moves: u32) -> Option<Position> {
    let found = explain(from, seen, seen.doubtful(), moves, 0);
    let plain = found.iter().find(|line| line.doubts.traceless == 0 && line.doubts.skipped == 0 && line.doubts.in_hand == 0)?;
    Some(plain.moves.iter().fold(from.clone(), |position, &mv| position.play(mv)))
}

/// Whether the board shows the last position, or one legal move from it.
fn is_a_move_away(follower: &Follower) -> bool {
    follower.mismatch().is_empty() || explain_plainly(&follower.tip().position, follower.seen(), 1).is_some()
}
