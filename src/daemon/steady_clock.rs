//! A steady clock: Unix time that is not affected by changes of the system clock.
//!
//! A small computer gets the time of day from the network, perhaps hours after it has booted, and its system clock jumps then. The
//! time since a reading must not jump with it: chess clocks extrapolated from the reading would run out.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

/// Instant and wall-clock time at first use in this process.
static START: LazyLock<(Instant, i64)> = LazyLock::new(|| (Instant::now(), unix_ms()));

/// Returns the wall-clock time, in milliseconds since 1970-01-01 UTC.
pub fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the steady time: milliseconds since 1970-01-01 UTC, as if the system clock had not been set since this process was
/// started. It measures elapsed time and has no meaning for other programs.
pub fn now_ms() -> i64 {
    let (began, unix_ms) = *START;
    unix_ms.saturating_add(i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX))
}

/// Returns how far the wall clock is ahead of the steady clock.
fn wall_offset_ms() -> i64 {
    unix_ms().saturating_sub(now_ms())
}

/// Converts wall-clock time to steady time, by the current system clock.
pub fn from_wall(wall_ms: i64) -> i64 {
    wall_ms.saturating_sub(wall_offset_ms())
}

/// Converts steady time to wall-clock time, by the current system clock.
pub fn to_wall(steady_ms: i64) -> i64 {
    steady_ms.saturating_add(wall_offset_ms())
}
