//! Time that nobody sets.
//!
//! A small computer learns the time of day from the network, perhaps hours after it has started, and its clock jumps then. How long
//! ago something was read must not jump with it: clocks that are counted on from there would run out.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

/// When this program first asked, and what time of day it was.
static BEGAN: LazyLock<(Instant, i64)> = LazyLock::new(|| (Instant::now(), unix_ms()));

/// The time of day, in milliseconds since 1970-01-01 UTC.
pub fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970-01-01 UTC, if nobody had set the time of day since this program was started. It says how long ago something
/// was, and nothing to another program.
pub fn now_ms() -> i64 {
    let (began, unix_ms) = *BEGAN;
    unix_ms.saturating_add(i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX))
}

/// By how much the time of day is ahead of that.
fn ahead_ms() -> i64 {
    unix_ms().saturating_sub(now_ms())
}

/// What has this time of day, as the time of day is known now, by the time that nobody sets.
pub fn of_wall(wall_ms: i64) -> i64 {
    wall_ms.saturating_sub(ahead_ms())
}

/// What has this time that nobody sets, as the time of day is known now.
pub fn to_wall(steady_ms: i64) -> i64 {
    steady_ms.saturating_add(ahead_ms())
}
