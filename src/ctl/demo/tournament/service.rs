//! The touchmoved of a demonstration, on a private bus.

use crate::ctl::child_process::{ChildProcess, SERVICE_VARIABLES, sibling};
use crate::ctl::private_bus;
use crate::publish::client::Client;
use crate::publish::dbus::{Bus, Stream};
use anyhow::{Context, bail};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// How long a start may take.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which it is checked whether touchmoved has started.
const START_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The name of the file of its configuration.
const CONFIG_FILE: &str = "touchmoved.toml";

/// A touchmoved. The fields are in the order in which they must be dropped.
pub(super) struct DemoService {
    touchmoved: Option<ChildProcess>,
    /// A connection to its bus.
    pub(super) client: Client,
    bus: ChildProcess,
    /// The address of its bus.
    pub(super) address: String,
}

impl DemoService {
    /// Starts a bus, and touchmoved with this configuration, which names its boards. Everything is in this directory.
    pub(super) async fn start(dir: &Path, config: &str) -> anyhow::Result<DemoService> {
        let file = dir.join(CONFIG_FILE);
        std::fs::write(&file, config).with_context(|| format!("{} cannot be written", file.display()))?;
        let (bus, address) = private_bus::start(dir)?;
        let client = Client::connect_to_bus(&Bus::Address(address.clone()), Stream::Live).await?;
        let mut command = Command::new(sibling("touchmoved")?);
        command.arg("--bus").arg(&address).arg("--config").arg(file).arg("--state-dir").arg(dir.join("state"));
        SERVICE_VARIABLES.iter().for_each(|name| _ = command.env_remove(name));
        // An interruption from the keyboard is for this program alone.
        command.env("NO_COLOR", "1").stdout(Stdio::null()).process_group(0);
        let touchmoved = Some(ChildProcess::spawn("touchmoved", command, dir)?);
        Ok(DemoService { touchmoved, client, bus, address })
    }

    /// Waits until touchmoved answers on its bus, and its page on this port.
    pub(super) async fn ready(&mut self, page: u16) -> anyhow::Result<()> {
        let end = Instant::now() + START_TIMEOUT;
        loop {
            self.still_runs()?;
            if self.client.is_running().await? && TcpStream::connect(("127.0.0.1", page)).await.is_ok() {
                return Ok(());
            }
            if Instant::now() > end {
                bail!("touchmoved did not start within {} s", START_TIMEOUT.as_secs());
            }
            sleep(START_POLL_INTERVAL).await;
        }
    }

    /// Fails if touchmoved or the bus has ended.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        self.touchmoved.iter_mut().chain([&mut self.bus]).try_for_each(ChildProcess::still_runs)
    }

    /// Returns what touchmoved logged.
    pub(super) fn log(&self) -> String {
        self.touchmoved.as_ref().map(ChildProcess::stderr_text).unwrap_or_default().trim().to_owned()
    }

    /// Stops touchmoved in order. Meanwhile this program goes on: touchmoved still sends its last games.
    pub(super) async fn stop(&mut self) {
        let touchmoved = self.touchmoved.take();
        // It fails only if touchmoved could not be stopped in order.
        let _ = tokio::task::spawn_blocking(move || drop(touchmoved)).await;
    }
}
