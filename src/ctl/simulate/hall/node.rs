//! A touchmoved of a simulated hall, with its bus and its directory.

use super::other_computer::OtherComputer;
use super::time_of_day::TimeOfDay;
use crate::ctl::child_process::{ChildProcess, SERVICE_VARIABLES, sibling};
use crate::ctl::private_bus;
use crate::publish::client::Client;
use crate::publish::dbus::{Bus, Stream};
use anyhow::{Context, bail};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, prlimit};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a start may take.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which it is checked whether touchmoved has started.
const START_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Starts the program that follows so that a write beyond the limit of file sizes fails, instead of ending it.
const IGNORE_LIMIT: &str = "trap '' XFSZ; exec \"$0\" \"$@\"";

/// Where a touchmoved runs.
pub(super) enum Environment {
    /// On this computer.
    Plain,
    /// On this computer, with a disk that can be made full.
    LimitedDisk,
    /// On this computer, with a time of day of its own.
    OwnTime(TimeOfDay),
    /// As if on another computer.
    Other(OtherComputer),
}

/// A touchmoved. The fields are in the order in which they must be dropped.
pub(super) struct Node {
    touchmoved: Option<ChildProcess>,
    /// A connection to its bus.
    pub(super) client: Client,
    _bus: ChildProcess,
    /// The address of its bus.
    pub(super) address: String,
    dir: PathBuf,
    environment: Environment,
    /// The port that is given to it instead of configured boards.
    port: Option<PathBuf>,
}

impl Node {
    /// Prepares a touchmoved in this directory, with a bus of its own. It serves the boards of the configuration, or, without any,
    /// none.
    pub(super) async fn new(dir: &Path, config: &str, environment: Environment, has_boards: bool) -> anyhow::Result<Node> {
        fs::create_dir_all(state_dir(dir)).with_context(|| format!("{} cannot be created", dir.display()))?;
        let file = dir.join("touchmoved.toml");
        fs::write(&file, config).with_context(|| format!("{} cannot be written", file.display()))?;
        let (bus, address) = private_bus::start(dir)?;
        let client = Client::connect_to_bus(&Bus::Address(address.clone()), Stream::Live).await?;
        // Without that it would serve the boards of this computer.
        let port = (!has_boards).then(|| dir.join("no_board"));
        Ok(Node { touchmoved: None, client, _bus: bus, address, dir: dir.to_owned(), environment, port })
    }

    /// Starts touchmoved. Does not wait until it is ready: see [`Node::ready`].
    pub(super) fn start(&mut self) -> anyhow::Result<()> {
        let program = sibling("touchmoved")?;
        let mut command = match &self.environment {
            Environment::Plain => Command::new(&program),
            Environment::LimitedDisk => {
                let mut command = Command::new("sh");
                command.args(["-c", IGNORE_LIMIT]).arg(&program);
                command
            }
            Environment::OwnTime(time) => {
                let mut command = Command::new(&program);
                time.apply(&mut command);
                command
            }
            Environment::Other(computer) => computer.command(&program),
        };
        command.arg("--bus").arg(&self.address).arg("--config").arg(self.dir.join("touchmoved.toml"));
        command.arg("--state-dir").arg(self.state_dir());
        if let Some(port) = &self.port {
            command.arg("--port").arg(port);
        }
        SERVICE_VARIABLES.iter().for_each(|name| _ = command.env_remove(name));
        // An interruption from the keyboard is for this program alone.
        command.env("NO_COLOR", "1").stdout(Stdio::null()).process_group(0);
        self.touchmoved = Some(ChildProcess::spawn_piped("touchmoved", command, &self.dir)?);
        Ok(())
    }

    /// Waits until touchmoved answers on its bus.
    pub(super) async fn ready(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + START_TIMEOUT;
        while !self.client.is_running().await? {
            self.still_runs()?;
            if Instant::now() > end {
                bail!("touchmoved in {} did not start within {} s", self.dir.display(), START_TIMEOUT.as_secs());
            }
            tokio::time::sleep(START_POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Fails if touchmoved has ended by itself.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        self.touchmoved.as_mut().map_or(Ok(()), ChildProcess::still_runs)
    }

    /// Kills touchmoved, as `kill -9` does.
    pub(super) fn kill(&mut self) {
        if let Some(touchmoved) = self.touchmoved.take() {
            let pid = touchmoved.pid();
            touchmoved.kill();
            if let (Environment::OwnTime(_), Some(pid)) = (&self.environment, pid) {
                TimeOfDay::tidy_up(pid.as_raw_nonzero().get());
            }
        }
    }

    /// Stops touchmoved in order.
    pub(super) fn stop(&mut self) {
        self.touchmoved = None;
    }

    /// Lets touchmoved stand still, or go on.
    pub(super) fn set_frozen(&self, is_frozen: bool) {
        if let Some(touchmoved) = &self.touchmoved {
            touchmoved.signal(if is_frozen { Signal::STOP } else { Signal::CONT });
        }
    }

    /// Lets every write to a file fail, or no more. Only with [`Environment::LimitedDisk`].
    pub(super) fn set_disk_full(&self, is_full: bool) -> anyhow::Result<()> {
        let Some(pid) = self.touchmoved.as_ref().and_then(ChildProcess::pid) else { return Ok(()) };
        limit_files(pid, is_full).context("the limit of file sizes cannot be set")
    }

    /// Sets its time of day ahead by this number of seconds. Only with [`Environment::OwnTime`].
    pub(super) fn set_time_ahead(&self, seconds: i64) -> anyhow::Result<()> {
        match &self.environment {
            Environment::OwnTime(time) => time.set(seconds),
            _ => bail!("{} has the time of this computer", self.dir.display()),
        }
    }

    /// Returns its state directory.
    pub(super) fn state_dir(&self) -> PathBuf {
        state_dir(&self.dir)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let (Environment::OwnTime(_), Some(pid)) = (&self.environment, self.touchmoved.as_ref().and_then(ChildProcess::pid))
        {
            self.touchmoved = None;
            TimeOfDay::tidy_up(pid.as_raw_nonzero().get());
        }
    }
}

/// Returns the state directory of the touchmoved in this directory.
pub(super) fn state_dir(dir: &Path) -> PathBuf {
    dir.join("state")
}

/// Lets no file of a process grow or be written, or sets the limit of this process again.
fn limit_files(pid: Pid, is_full: bool) -> std::io::Result<()> {
    let usual = getrlimit(Resource::Fsize);
    let current = if is_full { Some(0) } else { usual.current };
    prlimit(Some(pid), Resource::Fsize, Rlimit { current, maximum: usual.maximum })?;
    Ok(())
}
