//! Evaluation of a quiet board, and the deadlines of a game.

use super::end::CLOSING_QUIET;
use super::unexplained::UNEXPLAINED;
use super::{GameContext, TableGame};
use crate::boards::{BoardCommand, Millis};
use crate::game::CompletedBy;
use crate::game::event::ClockTimes;
use crate::infer::Patience;
use crate::table::Output;

impl TableGame {
    /// Processes the fact that nothing has changed for `quiet` milliseconds.
    pub(crate) fn handle_quiet(&mut self, now: Millis, quiet: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.board.is_unknown() || self.end.is_over() || self.is_paused() {
            return;
        }
        self.update_hold_on_quiet(now, quiet, context, output);
        self.follower.handle_quiet(now, context.patience);
        self.publish(now, context, output);
        self.board.note_agreement(self.follower.mismatch().is_empty());
        if self.follower.unexplained().any() {
            // An update may have been lost or damaged on the link: request the placement before explaining it.
            output.commands.push(BoardCommand::Placement);
        }
        let last = self.record().plies.len() as u32;
        let settled = self.moves_agree(last as usize) && self.follower.mismatch().is_empty();
        if !context.clock.is_in_use()
            && quiet >= Millis::from(context.settings.dwell_ms)
            && settled
            && self.published.is_open(last)
        {
            self.complete(now, last, CompletedBy::Dwell, ClockTimes::default(), output);
        }
        if quiet >= CLOSING_QUIET && (self.record().result.is_some() || self.is_over_but_for_notices()) {
            self.end.set_over(true);
        }
        self.judge_dead(now, output);
        self.settle_end(now, context, output);
        self.alert_unexplained(now, quiet, context, output);
        if quiet >= UNEXPLAINED {
            self.alert_touched_opponent(now, output);
        }
        self.check_record_lag(now, context, output);
        self.search_missed(now, quiet);
    }

    /// Returns when the follower must re-evaluate the board, when a doubtful move is published, or when the time to adjust ends.
    pub(crate) fn reevaluation_deadline(&self, patience: Patience) -> Option<Millis> {
        let follower = self.follower.deadline(patience);
        [
            follower,
            self.published.held_until(),
            self.hold.deadline(),
            self.presses.deadline(),
            self.touches.deadline(),
            self.lag.deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
        .filter(|_| !self.end.is_over() && !self.board.is_unknown() && !self.is_paused())
    }

    /// Returns when the next slice of a search is due, or when a held-back end of the game times out. Applies even while nothing is
    /// followed.
    pub(crate) fn background_deadline(&self) -> Option<Millis> {
        [self.searches.deadline(), self.end_deadline(), self.missed_deadline()].into_iter().flatten().min()
    }

    /// Runs what is due at `background_deadline`.
    pub(crate) fn run_background(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.end_deadline().is_some_and(|due| due <= now) {
            self.settle_end(now, context, output);
        } else if self.missed_deadline().is_some_and(|due| due <= now) {
            self.run_missed(now, context, output);
        } else {
            self.run_search(now, output);
        }
    }

    /// Runs what is due at `reevaluation_deadline`.
    pub(crate) fn reevaluate(&mut self, now: Millis, context: &GameContext<'_>, output: &mut Output) {
        if self.hold.deadline().is_some_and(|until| until <= now) {
            self.end_hold(now);
        }
        self.follower.handle_quiet(now, context.patience);
        self.publish(now, context, output);
        self.alert_idle_press(now, output);
        self.alert_handled_off_turn(now, context, output);
        if self.touches.take_touch_due(now) {
            self.alert_touched_opponent(now, output);
        }
        self.check_record_lag(now, context, output);
    }
}
