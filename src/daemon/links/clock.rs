//! The time, which only link tasks read.

use crate::boards::Millis;
use crate::daemon::steady_clock::unix_ms;
use std::time::{Duration, Instant};

/// Monotonic clock in milliseconds since a board's time 0; it continues across restarts.
pub(super) struct Clock {
    started: Instant,
    base: Millis,
}

impl Clock {
    /// Creates a clock whose time 0 is now.
    pub(super) fn new() -> Clock {
        Clock { started: Instant::now(), base: 0 }
    }

    /// Creates a clock that continues that of a game, from its time 0 (wall-clock) and the time of its last event. If the system
    /// clock was set back meanwhile, it continues right after the last event.
    pub(super) fn resumed(epoch_wall_ms: i64, last: Millis) -> Clock {
        let since = unix_ms().saturating_sub(epoch_wall_ms);
        Clock { started: Instant::now(), base: Millis::try_from(since).unwrap_or(0).max(last + 1) }
    }

    /// Returns the board's time at `now`.
    pub(super) fn at(&self, now: Instant) -> Millis {
        self.base + now.saturating_duration_since(self.started).as_millis() as Millis
    }

    /// Returns the instant at which the board's time is `at`.
    pub(super) fn instant(&self, at: Millis) -> Instant {
        self.started + Duration::from_millis(at.saturating_sub(self.base))
    }

    /// Returns the wall-clock time of time 0 in milliseconds, by the current system clock.
    pub(super) fn epoch_wall_ms(&self) -> i64 {
        unix_ms().saturating_sub_unsigned(self.at(Instant::now()))
    }
}
