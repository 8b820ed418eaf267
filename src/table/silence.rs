//! Detection of a board that is silent, or that sends data without reporting its placement.

use crate::boards::Millis;

/// Silence of a board after which the arbiter is alerted, in milliseconds. Boards are polled about once a second, and most cables
/// that were bumped are working again by then.
const SILENCE_TIMEOUT: Millis = 90_000;

/// Time without a whole placement, while the link is up, after which the arbiter is alerted, in milliseconds. Every board is first
/// requested to send its placement, and the slowest reply takes less than two seconds.
const PLACEMENT_TIMEOUT: Millis = 10_000;

/// Since when a board has been silent, or has not reported its placement. Each is cleared when the arbiter is alerted.
#[derive(Clone, Default)]
pub(super) struct SilenceTimers {
    silent_since: Option<Millis>,
    placement_missing_since: Option<Millis>,
}

impl SilenceTimers {
    /// Records a change of the link state.
    pub(super) fn handle_link(&mut self, now: Millis, is_up: bool) {
        self.silent_since = None;
        self.placement_missing_since = is_up.then_some(now);
    }

    /// Records that the board has been silent since `since`.
    pub(super) fn begin_silence(&mut self, since: Millis) {
        (self.silent_since, self.placement_missing_since) = (Some(since), None);
    }

    /// Records that the board sends data again. `is_complete`: its placement is known.
    pub(super) fn end_silence(&mut self, now: Millis, is_complete: bool) {
        self.silent_since = None;
        self.placement_missing_since = (!is_complete).then_some(now);
    }

    /// Records that the board reported its placement.
    pub(super) fn note_placement(&mut self) {
        self.placement_missing_since = None;
    }

    /// Returns when the arbiter is alerted that the board is silent.
    pub(super) fn silence_deadline(&self) -> Option<Millis> {
        self.silent_since.map(|since| since + SILENCE_TIMEOUT)
    }

    /// Returns for how long the board has been silent. The silence is not reported again.
    pub(super) fn take_silence(&mut self, now: Millis) -> Millis {
        now - self.silent_since.take().unwrap_or(now)
    }

    /// Returns when the arbiter is alerted that the board does not report its placement.
    pub(super) fn placement_deadline(&self) -> Option<Millis> {
        self.placement_missing_since.map(|since| since + PLACEMENT_TIMEOUT)
    }
}
