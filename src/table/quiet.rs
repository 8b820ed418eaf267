//! Evaluation of the board when it has been quiet for some time.

use super::game::{DISORDER_TIMEOUT, MAX_KING_DELAY, TableGame, UNEXPLAINED, UNEXPLAINED_LONG};
use super::settings::Settings;
use super::unrecorded::POSITION_REST_TIME;
use super::{Output, Table};
use crate::boards::Millis;
use crate::infer::model::REST_CARRIED;
use crate::infer::{REST_TAKEBACK, SERIAL_LATENCY};

/// Maximum number of readings with changes at one time; more than this were delayed somewhere. Two moves in one scan of a board
/// make no more.
const MAX_READINGS_AT_ONCE: u32 = 4;

/// Measures for how long the board has been quiet, and says when it is re-evaluated.
#[derive(Clone)]
pub(super) struct QuietTimer {
    /// When a square last changed.
    last_edge: Millis,
    /// The number of readings with changes at that time.
    readings_at_once: u32,
    /// The number of stages that have run since the last change.
    stage: usize,
    /// The durations of quiet after which the board is re-evaluated, in milliseconds, ascending. The second row applies while a
    /// player is short of time.
    stages: [[Millis; 10]; 2],
}

impl QuietTimer {
    /// Creates a timer that is stopped.
    pub(super) fn new(settings: &Settings) -> QuietTimer {
        let stages = [settings.settle_ms, settings.settle_low_ms].map(|settle| quiet_stages(settings, settle.into()));
        QuietTimer { last_edge: 0, readings_at_once: 0, stage: usize::MAX, stages }
    }

    /// Returns for how long the board has been quiet, in milliseconds.
    pub(super) fn elapsed(&self, now: Millis) -> Millis {
        now.saturating_sub(self.last_edge)
    }

    /// Returns when a square last changed.
    pub(super) fn last_edge(&self) -> Millis {
        self.last_edge
    }

    /// Records a reading with changes. Returns whether more of them came at this time than a board can send: they were delayed
    /// somewhere.
    pub(super) fn note_reading(&mut self, now: Millis) -> bool {
        self.readings_at_once = if self.last_edge == now { self.readings_at_once + 1 } else { 1 };
        self.restart(now);
        self.readings_at_once > MAX_READINGS_AT_ONCE
    }

    /// Sets the time of the last change without starting the stages.
    pub(super) fn set_last_edge(&mut self, at: Millis) {
        self.last_edge = at;
    }

    /// Measures quiet from `now` on.
    pub(super) fn restart(&mut self, now: Millis) {
        (self.last_edge, self.stage) = (now, 0);
    }

    /// Runs all stages again: the board is re-evaluated. The time of the last change stays the same.
    pub(super) fn run_again(&mut self) {
        self.stage = 0;
    }

    /// Runs no stage until the next change.
    pub(super) fn stop(&mut self) {
        self.stage = usize::MAX;
    }

    /// Returns when the next stage is due.
    pub(super) fn deadline(&self, is_short_of_time: bool) -> Option<Millis> {
        let stages = &self.stages[usize::from(is_short_of_time)];
        stages.get(self.stage).map(|quiet| self.last_edge.saturating_add(*quiet))
    }

    /// Records that the stage that was due has run.
    pub(super) fn next_stage(&mut self) {
        self.stage += 1;
    }
}

/// Returns the durations of quiet after which the board is re-evaluated, in milliseconds, ascending. `settle`: the settle time.
fn quiet_stages(settings: &Settings, settle: Millis) -> [Millis; 10] {
    let dwell = Millis::from(settings.dwell_ms);
    let mut stages = [
        settle + SERIAL_LATENCY,
        REST_CARRIED,
        REST_TAKEBACK,
        1_500,
        UNEXPLAINED,
        dwell,
        MAX_KING_DELAY,
        POSITION_REST_TIME,
        UNEXPLAINED_LONG,
        DISORDER_TIMEOUT,
    ];
    stages.sort_unstable();
    stages
}

impl Table {
    /// Runs the next stage of quiet.
    pub(super) fn handle_quiet(&mut self, now: Millis, output: &mut Output) {
        let quiet = self.quiet.elapsed(now);
        self.start_if_set_up(now, quiet, output);
        self.start_unconfirmed(now, false, output);
        if self.game.as_ref().is_none_or(TableGame::is_over) {
            self.start_with_a_move(now, output);
        }
        if self.game.as_ref().is_none_or(TableGame::is_over) {
            self.note_rested_placement(quiet);
        }
        if self.game.as_ref().is_none_or(TableGame::is_over) && self.sense.is_complete() {
            self.unrecorded.handle_rest(self.sense.placement(), quiet);
        }
        self.correct_orientation(now, output);
        self.with_game(output, |game, context, output| game.handle_quiet(now, quiet, context, output));
        self.follow_detached_play(now, quiet, output);
        if self.sense.is_complete() {
            self.publish_differences(now, output);
        }
    }
}
