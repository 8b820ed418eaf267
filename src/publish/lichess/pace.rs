//! The rate of requests to Lichess.

use std::time::Duration;

/// Intervals and timeouts of the requests to Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestPacing {
    /// Minimum interval between the starts of two requests.
    pub min_interval: Duration,
    /// Timeout of a request including its response. Lichess aborts its own processing after 7 s.
    pub timeout: Duration,
    /// The backoff after the first failure; it doubles with each further failure …
    pub first_backoff: Duration,
    /// … up to this maximum.
    pub max_backoff: Duration,
    /// How long to wait before rejected games are sent again unchanged, and after status 429 without `Retry-After`: Lichess then
    /// asks for a full minute.
    pub rejected_retry: Duration,
}

impl Default for RequestPacing {
    fn default() -> RequestPacing {
        let seconds = Duration::from_secs;
        RequestPacing {
            min_interval: seconds(1),
            timeout: seconds(30),
            first_backoff: seconds(2),
            max_backoff: seconds(60),
            rejected_retry: seconds(60),
        }
    }
}

impl RequestPacing {
    /// Returns the backoff after this number of consecutive failures.
    pub fn backoff(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(16);
        self.first_backoff.saturating_mul(1 << doublings).min(self.max_backoff)
    }

    /// Limits the time that Lichess asks to wait to a reasonable range: at most an hour.
    pub fn clamp_retry_after(&self, wait: Duration) -> Duration {
        wait.clamp(self.min_interval, self.min_interval.max(Duration::from_secs(3600)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let pauses: Vec<u64> = (0..9).map(|failures| RequestPacing::default().backoff(failures).as_secs()).collect();
        assert_eq!(pauses, [2, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(RequestPacing::default().backoff(u32::MAX).as_secs(), 60);
        assert_eq!(RequestPacing::default().clamp_retry_after(Duration::ZERO).as_secs(), 1);
        assert_eq!(RequestPacing::default().clamp_retry_after(Duration::MAX).as_secs(), 3600);
    }
}
