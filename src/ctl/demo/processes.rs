//! A private bus, a virtual board and touchmoved, which all end and are cleaned up when this is dropped.

use crate::boards::Model;
use crate::ctl::child_process::{ChildProcess, sibling};
use crate::ctl::hands_speed::game_settings;
use crate::ctl::private_bus;
use crate::ctl::temp_dir::TempDir;
use anyhow::Context;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// All running programs. The last one started ends first; the directory is removed last.
pub(super) struct DemoProcesses {
    touchmoved: Option<ChildProcess>,
    model: &'static Model,
    board: ChildProcess,
    bus: ChildProcess,
    dir: TempDir,
    /// The address of the private bus.
    pub address: String,
    /// The virtual board's serial port.
    pub port: PathBuf,
}

impl DemoProcesses {
    /// Starts bus and board; the board begins to play when touchmoved greets it.
    pub(super) fn set(pgn: &str, model: &'static Model, hands: &str, speed: u32) -> anyhow::Result<DemoProcesses> {
        let dir = TempDir::new("touchmove-demo")?;
        let pgn_tags = "[pgn]\nevent = \"Demonstration\"\nsite = \"Paris opera\"\n";
        dir.file("touchmoved.toml", &format!("{}{pgn_tags}", game_settings(speed)))?;
        let pgn = dir.file("game.pgn", pgn)?;
        let (bus, address) = private_bus::start(dir.path())?;

        let mut board = Command::new(sibling("touchmovectl")?);
        board.arg("simulate").arg(pgn).args(["--pty", "--clock", "--stay", "--board", model.name]);
        board.args(["--hands", hands, "--speed", &speed.to_string()]);
        let (board, port) =
            ChildProcess::start("touchmovectl simulate", board, dir.path()).context("the virtual board does not start")?;
        Ok(DemoProcesses { touchmoved: None, model, board, bus, dir, address, port: port.into() })
    }

    /// Starts touchmoved on this bus, with this board and its own state directory.
    pub(super) fn start_touchmoved(&mut self) -> anyhow::Result<()> {
        let mut command = Command::new(sibling("touchmoved")?);
        let (dir, port) = (self.dir.path(), &self.port);
        command.arg("--bus").arg(&self.address).arg("--config").arg(dir.join("touchmoved.toml"));
        command.arg("--state-dir").arg(dir.join("state")).arg("--port").arg(port);
        command.args(["--board", self.model.name]).stdout(Stdio::null());
        self.touchmoved = Some(ChildProcess::spawn("touchmoved", command, dir)?);
        Ok(())
    }

    /// Fails if one of the programs has ended.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        let running = [Some(&mut self.bus), Some(&mut self.board), self.touchmoved.as_mut()];
        running.into_iter().flatten().try_for_each(ChildProcess::still_runs)
    }

    /// Returns what touchmoved logged.
    pub(super) fn touchmoved_log(&self) -> String {
        self.touchmoved.as_ref().map(ChildProcess::stderr_text).unwrap_or_default().trim().to_owned()
    }
}
