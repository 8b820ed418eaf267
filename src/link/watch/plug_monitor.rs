//! Plug events.

use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Waits for plug events from udev; polls only where udev does not run.
pub struct PlugMonitor(AsyncFd<udev::MonitorSocket>);

/// Polling interval where udev does not run.
pub const POLL_INTERVAL: Duration = Duration::from_secs(5);

impl PlugMonitor {
    /// Subscribes to udev's events. Must be called inside a tokio runtime with I/O and time. All later events are reported.
    ///
    /// # Errors
    /// udev cannot be subscribed to, as in some containers.
    pub fn listen() -> io::Result<PlugMonitor> {
        let socket =
            udev::MonitorBuilder::new()?.match_subsystem("tty")?.match_subsystem_devtype("usb", "usb_device")?.listen()?;
        // The replacement is `unsafe`: its caller must know that the descriptor stays the same, as this socket's does.
        #[allow(deprecated)]
        Ok(PlugMonitor(AsyncFd::with_interest(socket, Interest::READABLE)?))
    }

    /// Waits for a plug event. Without udev, as in some containers, returns every five seconds.
    ///
    /// # Errors
    /// The socket failed; call [`PlugMonitor::listen`] again.
    pub async fn next(&mut self) -> io::Result<()> {
        if Path::new("/run/udev/control").exists() {
            return self.wait_readable().await;
        }
        tokio::time::timeout(POLL_INTERVAL, self.wait_readable()).await.unwrap_or(Ok(()))
    }

    async fn wait_readable(&mut self) -> io::Result<()> {
        loop {
            let mut ready = self.0.readable().await?;
            let has_events = ready.get_inner().iter().count() > 0;
            ready.clear_ready();
            if has_events {
                return Ok(());
            }
        }
    }
}
