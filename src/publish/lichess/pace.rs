//! The rate of requests to Lichess.

use std::time::Duration;

/// Intervals and timeouts of the requests to Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Minimum interval between the starts of two requests.
    pub every: Duration,
    /// Timeout of a request including its response. Lichess aborts its own processing after 7 s.
    pub within: Duration,
    /// The backoff after the first failure; it doubles with each further failure …
    pub first: Duration,
    /// … up to this maximum.
    pub most: Duration,
    /// How long to wait before rejected games are sent again unchanged, and after status 429 without `Retry-After`: Lichess then
    /// asks for a full minute.
    pub refused: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        let seconds = Duration::from_secs;
        Pace { every: seconds(1), within: seconds(30), first: seconds(2), most: seconds(60), refused: seconds(60) }
    }
}

impl Pace {
    /// Returns the backoff after this number of consecutive failures.
    pub fn pause(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(16);
        self.first.saturating_mul(1 << doublings).min(self.most)
    }

    /// Limits the time that Lichess asks to wait to a reasonable range: at most an hour.
    pub fn asked(&self, wait: Duration) -> Duration {
        wait.clamp(self.every, self.every.max(Duration::from_secs(3600)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let pauses: Vec<u64> = (0..9).map(|failures| Pace::default().pause(failures).as_secs()).collect();
        assert_eq!(pauses, [2, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(Pace::default().pause(u32::MAX).as_secs(), 60);
        assert_eq!(Pace::default().asked(Duration::ZERO).as_secs(), 1);
        assert_eq!(Pace::default().asked(Duration::MAX).as_secs(), 3600);
    }
}
