//! Plug events for static programs: they have no libudev, which reports them, so that devices are listed regularly instead.

use std::io;
use std::time::Duration;

/// Waits for the next time to list the devices.
pub struct PlugMonitor(());

/// Polling interval.
pub const POLL_INTERVAL: Duration = Duration::from_secs(5);

impl PlugMonitor {
    /// Begins to poll.
    ///
    /// # Errors
    /// None.
    pub fn listen() -> io::Result<PlugMonitor> {
        Ok(PlugMonitor(()))
    }

    /// Returns every five seconds.
    ///
    /// # Errors
    /// None.
    pub async fn next(&mut self) -> io::Result<()> {
        tokio::time::sleep(POLL_INTERVAL).await;
        Ok(())
    }
}
