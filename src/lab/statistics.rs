//! Shares, and distributions of delays.

use serde::Serialize;

/// A distribution of delays.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Delay {
    /// Number of moves.
    pub moves: u64,
    /// Half of the moves were published within this time.
    pub median_ms: u64,
    /// 99 % of the moves were published within this time.
    pub p99_ms: u64,
}

impl Delay {
    /// Creates the distribution of these delays, in any order; all 0 if there are none.
    pub fn of(mut delays: Vec<u64>) -> Delay {
        delays.sort_unstable();
        let at = |permille: usize| {
            delays.get((delays.len() * permille / 1000).min(delays.len().saturating_sub(1))).copied().unwrap_or(0)
        };
        Delay { moves: delays.len() as u64, median_ms: at(500), p99_ms: at(990) }
    }
}

/// Returns `part / total * scale`; 0 if `total` is 0.
pub fn share(part: u64, total: u64, scale: f64) -> f64 {
    if total == 0 { 0.0 } else { part as f64 * scale / total as f64 }
}
