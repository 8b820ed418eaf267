//! When a port is opened next.

use crate::boards::Millis;
use crate::daemon::random;

/// First pause between attempts to open a port, in milliseconds.
pub(super) const FIRST_PAUSE: Millis = 100;
/// Longest pause, in milliseconds, before jitter.
const MAX_PAUSE: Millis = 5_000;

/// The backoff between attempts to open a port, without limit. Each pause is up to a quarter longer than its turn, at random: ports
/// that share an adapter, and disappear together, are not all opened together.
pub(super) struct Backoff {
    next_at: Millis,
    pause: Millis,
}

impl Backoff {
    /// Creates the backoff of a port that is to be opened at once.
    pub(super) fn new() -> Backoff {
        Backoff { next_at: 0, pause: FIRST_PAUSE }
    }

    /// Returns when to try next.
    pub(super) fn next_at(&self) -> Millis {
        self.next_at
    }

    /// Tries at once: something has changed.
    pub(super) fn retry_now(&mut self, now: Millis) {
        *self = Backoff { next_at: now, pause: FIRST_PAUSE };
    }

    /// Tries again after this time; no attempt has failed.
    pub(super) fn wait(&mut self, now: Millis, pause: Millis) {
        self.next_at = now + pause;
    }

    /// Tries again after a pause, and doubles the next one.
    pub(super) fn failed(&mut self, now: Millis) {
        // Without random numbers there is no jitter.
        let mut random = [0];
        let _ = random::fill(&mut random);
        let [random] = random;
        self.next_at = now + jittered(self.pause, random);
        self.pause = (self.pause * 2).min(MAX_PAUSE);
    }

    /// The port works: the next pause is short again.
    pub(super) fn reset(&mut self) {
        self.pause = FIRST_PAUSE;
    }
}

/// Returns a pause that is longer by up to a quarter.
fn jittered(pause: Millis, random: u8) -> Millis {
    pause + pause * Millis::from(random) / (4 * 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_vary() {
        assert_eq!((jittered(5_000, 0), jittered(5_000, 128), jittered(5_000, 255)), (5_000, 5_625, 6_245));
        let mut backoff = Backoff::new();
        assert_eq!(backoff.next_at(), 0);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.push(backoff.pause);
            backoff.failed(1_000);
            assert!(backoff.next_at() > 1_000);
        }
        assert_eq!(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        backoff.reset();
        assert_eq!(backoff.pause, FIRST_PAUSE);
        backoff.retry_now(9_000);
        assert_eq!(backoff.next_at(), 9_000);
    }
}
