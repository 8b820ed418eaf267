//! Backoff between failed starts.
//!
//! The service manager restarts the service at once, whatever ended it, since a crash in mid-round must cost no moves. It cannot
//! distinguish that from a start that fails each time (`RestartSteps=` is newer than the systemd of Debian 12), so the service
//! itself waits before it starts. The number of consecutive failed starts is in its runtime directory, which the service manager
//! preserves across restarts but not across a reboot.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the file in the runtime directory.
const FILE_NAME: &str = "failed-starts";
/// First pause, before the third consecutive start. The second start is delayed only by the service manager.
const FIRST_PAUSE: Duration = Duration::from_millis(400);
/// Longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Counts consecutive failed starts.
#[derive(Debug)]
pub struct StartBackoff {
    /// `None`: the process is not restarted automatically.
    file: Option<PathBuf>,
}

impl StartBackoff {
    /// Uses the runtime directory that systemd gives to the service (`RuntimeDirectory=`). Without one there are no pauses.
    pub fn from_env() -> StartBackoff {
        // If there are several, separated by colons, use the first.
        let dirs = std::env::var("RUNTIME_DIRECTORY").unwrap_or_default();
        let dir = dirs.split(':').next().filter(|dir| !dir.is_empty());
        StartBackoff { file: dir.map(|dir| Path::new(dir).join(FILE_NAME)) }
    }

    /// Counts a start as failed until [`StartBackoff::reset`] is called, so that a killed process counts too. Returns the
    /// number of failed starts before it, and the pause before it.
    ///
    /// # Errors
    /// The file cannot be written; there is no pause then.
    pub fn begin(&self) -> io::Result<(u32, Duration)> {
        let Some(file) = &self.file else { return Ok((0, Duration::ZERO)) };
        let failed: u32 = fs::read_to_string(file).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0);
        fs::write(file, failed.saturating_add(1).to_string())?;
        Ok((failed, pause(failed)))
    }

    /// Resets the count: the start succeeded or was cancelled.
    pub fn reset(&self) {
        if let Some(file) = &self.file {
            // If the file cannot be removed, the next start waits half a minute at most.
            let _ = fs::remove_file(file);
        }
    }
}

/// Returns the pause before a start after this number of failed ones.
fn pause(failed: u32) -> Duration {
    match failed.checked_sub(2) {
        None => Duration::ZERO,
        Some(doublings) => FIRST_PAUSE.saturating_mul(1 << doublings.min(16)).min(MAX_PAUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_half_a_minute() {
        let pauses: Vec<u64> = (0..12).map(|failed| pause(failed).as_millis() as u64).collect();
        assert_eq!(pauses, [0, 0, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
        assert_eq!(pause(u32::MAX), MAX_PAUSE);
    }

    #[test]
    fn an_invalid_count_is_read_as_zero() {
        let dir = tempfile::tempdir().unwrap();
        let backoff = StartBackoff { file: Some(dir.path().join(FILE_NAME)) };
        for text in ["", "-1", "99999999999", "a word"] {
            fs::write(dir.path().join(FILE_NAME), text).unwrap();
            assert_eq!(backoff.begin().unwrap(), (0, Duration::ZERO), "{text}");
            assert_eq!(backoff.begin().unwrap().0, 1);
        }
        backoff.reset();
        assert_eq!(backoff.begin().unwrap().0, 0);
    }
}
