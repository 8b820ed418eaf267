//! The only clock.

use crate::boards::Millis;
use crate::daemon::steady::unix_ms;
use std::time::{Duration, Instant};

/// Monotonic milliseconds since a board's time 0, over restarts too.
pub struct Clock {
    started: Instant,
    base: Millis,
}

impl Clock {
    /// Time 0 is now.
    pub fn new() -> Clock {
        Clock { started: Instant::now(), base: 0 }
    }

    /// Goes on from a game whose time 0 was then and whose last event was `last` ms later. It goes on from there if the time
    /// of day went backwards meanwhile.
    pub fn resumed(epoch_wall_ms: i64, last: Millis) -> Clock {
        let since = unix_ms().saturating_sub(epoch_wall_ms);
        Clock { started: Instant::now(), base: Millis::try_from(since).unwrap_or(0).max(last + 1) }
    }

    /// How late it is then.
    pub fn at(&self, now: Instant) -> Millis {
        self.base + now.saturating_duration_since(self.started).as_millis() as Millis
    }

    /// When it will be this late.
    pub fn instant(&self, at: Millis) -> Instant {
        self.started + Duration::from_millis(at.saturating_sub(self.base))
    }

    /// The time of day at time 0, as the time of day is known now.
    pub fn epoch_wall_ms(&self) -> i64 {
        unix_ms().saturating_sub_unsigned(self.at(Instant::now()))
    }
}
