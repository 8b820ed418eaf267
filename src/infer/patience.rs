//! How long a move that may still turn out to be another one waits before it is published.

use super::model::{self, Cost};
use crate::boards::Millis;

/// How long moves wait for evidence, from what a wrong move costs and what a second of delay costs.
///
/// If a move is wrong with probability p, and the evidence against it arrives with a half-life of h, publishing it after the time t
/// costs t + W · p · 2^(−t/h) on average, where W is the delay that costs as much as a wrong move. That is least at
/// t = h · log₂(W · p · ln 2 / h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The time for which a board must be quiet before it is evaluated although no move explains it, in milliseconds.
    pub settle: Millis,
    /// 16 · log₂ of W, in milliseconds.
    wrong_move: Cost,
}

impl Patience {
    /// Creates it from the cost of a wrong move, and the cost of a second of delay in the same unit.
    pub fn new(settle: Millis, wrong_move_cost: u32, delay_cost: u32) -> Patience {
        let wrong_move = model::cost_of_share(u64::from(delay_cost), u64::from(wrong_move_cost) * 1_000);
        Patience { settle, wrong_move }
    }

    /// Returns how long a move waits that is wrong with the probability of `wrong`, while the evidence for that arrives with this
    /// half-life; both times in milliseconds.
    pub fn wait(self, wrong: Cost, half_life: Millis) -> Millis {
        /// 16 · log₂ of 1 / ln 2.
        const LN_2: Cost = 8;
        let excess = self.wrong_move - LN_2 - model::cost_of_share(1, half_life) - wrong;
        Millis::try_from(excess).unwrap_or(0) * half_life / 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_likely_waits_less_and_what_is_costly_waits_longer() {
        let patience = Patience::new(250, 100, 1);
        let half_life = model::STOP_HALF_LIFE;
        let [rare, usual, likely] = [160, 74, 20].map(|cost| patience.wait(cost, half_life));
        assert_eq!(rare, 0);
        // 130 ms · log₂(100 s · 2^(−74/16) · ln 2 / 130 ms) = 577 ms.
        assert!((560..=590).contains(&usual), "{usual}");
        assert!(likely > usual);
        // Twice the cost is one half-life more.
        let doubled = Patience::new(250, 200, 1).wait(74, half_life);
        assert_eq!(doubled, usual + half_life);
        assert_eq!(Patience::new(250, 200, 2).wait(74, half_life), usual);
    }
}
