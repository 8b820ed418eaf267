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

/// The quantile of the normal distribution that leaves 2.5 % on each side.
const Z: f64 = 1.96;

/// Returns the 95 % interval of a share, by Wilson's formula, in percent; 0 to 100 if `total` is 0.
pub fn share_interval(part: u64, total: u64) -> [f64; 2] {
    if total == 0 {
        return [0.0, 100.0];
    }
    let (count, observed) = (total as f64, part as f64 / total as f64);
    let centre = observed + Z * Z / (2.0 * count);
    let spread = Z * (observed * (1.0 - observed) / count + Z * Z / (4.0 * count * count)).sqrt();
    [centre - spread, centre + spread].map(|bound| 100.0 * (bound / (1.0 + Z * Z / count)).clamp(0.0, 1.0))
}

/// Returns half the width of the 95 % interval of a rate, scaled. `games`: the count and the number of plies of each game. Games are
/// independent, plies of one game are not.
pub fn rate_margin(games: impl Iterator<Item = (u64, u64)> + Clone, scale: f64) -> f64 {
    let (count, plies) = games.clone().fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1));
    if plies == 0 {
        return 0.0;
    }
    let rate = count as f64 / plies as f64;
    let squares: f64 = games.map(|(count, plies)| (count as f64 - rate * plies as f64).powi(2)).sum();
    Z * squares.sqrt() * scale / plies as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_narrow_with_more_games() {
        let round = |[low, high]: [f64; 2]| [(low * 10.0).round(), (high * 10.0).round()];
        // Wilson's interval of 97 of 100, as published in tables.
        assert_eq!(round(share_interval(97, 100)), [915.0, 990.0]);
        assert_eq!(round(share_interval(0, 0)), [0.0, 1000.0]);
        let margin = |games: usize| rate_margin([(0, 80), (2, 80)].into_iter().cycle().take(games), 1000.0);
        assert!((margin(2) / margin(200) - 10.0).abs() < 1e-9);
        assert_eq!(rate_margin([(1, 100), (1, 100)].into_iter(), 1000.0), 0.0);
    }
}
