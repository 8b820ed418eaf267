//! One touchmoved of the day with its bus, its configuration and its state: the only one, the hub of a hall, or a machine of it.

use crate::harness::{Daemon, PrivateBus, eventually};
use std::path::PathBuf;
use tempfile::TempDir;

/// A touchmoved. The fields are in the order in which they must be dropped.
pub struct Site {
    daemon: Option<Daemon>,
    dir: TempDir,
    pub bus: PrivateBus,
}

impl Site {
    /// Starts the bus; returns `None`, with a message, if there is none. The state directory is empty.
    pub fn new() -> Option<Site> {
        let site = Site { daemon: None, dir: tempfile::tempdir().unwrap(), bus: PrivateBus::start()? };
        std::fs::create_dir(site.state()).unwrap();
        Some(site)
    }

    /// The state directory.
    pub fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Starts touchmoved with this configuration. Does not wait until it is ready.
    pub fn start(&mut self, config: &str) {
        let path = self.dir.path().join("touchmoved.toml");
        std::fs::write(&path, config).unwrap();
        let (path, state) = (path.to_str().unwrap(), self.state());
        let args = ["--bus", &self.bus.address(), "--config", path, "--state-dir", state.to_str().unwrap()];
        self.daemon = Some(Daemon::start(&args));
    }

    fn daemon(&self) -> &Daemon {
        self.daemon.as_ref().expect("it was started")
    }

    /// Waits until touchmoved is ready.
    pub fn ready(&self) {
        self.daemon().ready();
    }

    /// Stops touchmoved.
    pub fn stop(&mut self) {
        self.daemon.take().expect("it was started").terminate();
    }

    /// The port of the page.
    pub fn page_port(&self) -> u16 {
        eventually("the page's port", || {
            let log = self.daemon().log();
            log.split_once("the page is at http://127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
        })
    }
}
