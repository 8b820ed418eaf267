//! The deadlines of a table.

use super::game::TableGame;
use super::{Output, Table};
use crate::boards::{BoardCommand, Millis};
use crate::infer::Patience;

impl Table {
    /// Runs the deadlines due by `now`, each at its own time. Returns whether there were any.
    pub(super) fn run_due(&mut self, now: Millis, output: &mut Output) -> bool {
        let mut has_run = false;
        while let Some(due) = self.next_deadline().filter(|&due| due <= now) {
            has_run = true;
            self.deadline.take();
            self.run_deadline(due, output);
        }
        self.now = self.now.max(now);
        has_run
    }

    /// Runs one deadline that is due by `due`: of several, the first in this order.
    #[inline(never)] // its stack frame is large, and nearly always nothing is due
    fn run_deadline(&mut self, due: Millis, output: &mut Output) {
        if self.gap.deadline().is_some_and(|at| at <= due) {
            // Overdue deadlines then run no earlier than what `run_gap` publishes.
            self.now = self.now.max(due);
            self.run_gap(due, output);
        } else if self.silence.silence_deadline().is_some_and(|at| at <= due) {
            let ms = self.silence.take_silence(due);
            self.with_game(output, |game, _, output| game.alert_silent(due, ms, output));
        } else if self.silence.placement_deadline().is_some_and(|at| at <= due) {
            self.silence.note_placement();
            self.with_game(output, |game, _, output| game.alert_placement_missing(due, output));
        } else if self.clock.deadline().is_some_and(|at| at <= due) {
            // A flag that fell earlier must not cause a deadline before this time.
            self.now = self.now.max(due);
            self.accept_clock_reading(due, output);
        } else if self.check.deadline().is_some_and(|at| at <= due) {
            self.run_check(due, output);
        } else if self.clock.request_deadline().is_some_and(|at| at <= due) {
            self.clock.note_request(due);
            output.commands.push(BoardCommand::Clock);
        } else if self.kings_deadline().is_some_and(|at| at <= due) {
            self.with_game(output, |game, context, output| game.handle_kings_signal(due, context, output));
        } else if self.background_deadline().is_some_and(|at| at <= due) {
            self.with_game(output, |game, context, output| game.run_background(due, context, output));
        } else if self.review.deadline().is_some_and(|at| at <= due) {
            self.run_review(due, output);
        } else if self.stuck_search.deadline().is_some_and(|at| at <= due) {
            self.run_stuck_search(due, output);
        } else if self.reevaluation_deadline().is_some_and(|at| at <= due) {
            // This runs before all moves are taken back to the placement on the board.
            self.start_if_set_up(due, self.quiet.elapsed(due), output);
            self.with_game(output, |game, context, output| game.reevaluate(due, context, output));
        } else {
            self.quiet.next_stage();
            self.handle_quiet(due, output);
        }
    }

    /// Returns when `advance` must be called; `None`: not before the next input.
    pub fn next_deadline(&self) -> Option<Millis> {
        let due = *self.deadline.get_or_init(|| self.compute_deadline());
        debug_assert_eq!(due, self.compute_deadline(), "the table has changed since the deadline was computed");
        due.map(|due| due.max(self.now))
    }

    /// Returns the next deadline, which may have passed.
    fn compute_deadline(&self) -> Option<Millis> {
        let due = [
            // The settle time changes when a clock falls below the limit, so its end may already have passed.
            self.quiet.deadline(self.is_short_of_time()),
            self.gap.deadline(),
            self.silence.silence_deadline(),
            self.silence.placement_deadline(),
            self.check.deadline(),
            self.clock.deadline(),
            self.clock.request_deadline(),
            self.kings_deadline(),
            self.reevaluation_deadline(),
            self.background_deadline(),
            self.review.deadline(),
            self.stuck_search.deadline(),
        ];
        let due = due.into_iter().flatten().fold(Millis::MAX, Millis::min);
        (due < Millis::MAX).then_some(due)
    }

    /// Whether a player is short of time.
    fn is_short_of_time(&self) -> bool {
        self.clock.is_low(self.settings.low_time_ms)
    }

    /// Returns how long moves wait now.
    pub(super) fn patience(&self) -> Patience {
        let [usual, short_of_time] = self.patience;
        if self.is_short_of_time() { short_of_time } else { usual }
    }

    /// Returns when the kings have been in the centre long enough to signal a result.
    pub(super) fn kings_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(TableGame::kings_deadline)
    }

    fn background_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(TableGame::background_deadline)
    }

    fn reevaluation_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(|game| game.reevaluation_deadline(self.patience()))
    }
}
