//! How often Lichess is asked.

use std::time::Duration;

/// How often Lichess is asked, and how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// From the beginning of one request to that of the next at least.
    pub every: Duration,
    /// A request with its answer takes no longer. Lichess gives up its own work after 7 s.
    pub within: Duration,
    /// How long to wait after a failure; twice as long after the next …
    pub first: Duration,
    /// … and no longer than this.
    pub most: Duration,
    /// How long to wait before what was refused is sent again unchanged, and after status 429 without `Retry-After`: Lichess
    /// asks for a full minute then.
    pub refused: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        let seconds = Duration::from_secs;
        Pace { every: seconds(1), within: seconds(30), first: seconds(2), most: seconds(60), refused: seconds(60) }
    }
}

impl Pace {
    /// How long to wait after so many failures, one after the other.
    pub fn pause(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(16);
        self.first.saturating_mul(1 << doublings).min(self.most)
    }

    /// What Lichess asks for, as far as it makes sense: an hour at most.
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
