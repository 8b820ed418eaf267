//! The settings of touchmoved for simulated hands that are faster than real ones.

/// The settings `settle_ms`, `settle_low_ms` and `dwell_ms`, in milliseconds. They are divided by the speed, as the durations of
/// the hands are, and a delay costs as many times more.
const SETTLE: (u32, u32, u32) = (250, 120, 5000);

/// Returns the table `[game]` of the configuration for hands of this speed, as a multiple of that of real ones.
pub(super) fn game_settings(speed: u32) -> String {
    let (settle, low, dwell) = SETTLE;
    let speed = speed.max(1);
    format!(
        "[game]\nsettle_ms = {}\nsettle_low_ms = {}\ndwell_ms = {}\ndelay_cost = {speed}\n",
        (settle / speed).max(20),
        (low / speed).max(20),
        (dwell / speed).max(200)
    )
}
