//! A private bus, a virtual board and touchmoved, which all end and are cleaned up when the stage is dropped.

use crate::boards::Model;
use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, DirBuilder, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for a program to end after SIGTERM.
const TERM_TIMEOUT: Duration = Duration::from_secs(3);
/// The settings `settle_ms`, `settle_low_ms` and `dwell_ms`, in milliseconds. They are divided by the speed, as the durations of
/// the hands are.
const SETTLE: (u32, u32, u32) = (250, 120, 5000);

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
        let dir = TempDir::new()?;
        let conf = dir.file(
            "bus.conf",
            &format!(
                "<busconfig>\n<type>session</type>\n<listen>unix:path={}</listen>\n<auth>EXTERNAL</auth>\n\
                 <policy context=\"default\">\n<allow send_destination=\"*\" eavesdrop=\"true\"/>\n<allow eavesdrop=\"true\"/>\n\
                 <allow own=\"*\"/>\n</policy>\n</busconfig>\n",
                dir.0.join("bus").display()
            ),
        )?;
        let (settle, low, dwell) = SETTLE;
        dir.file(
            "touchmoved.toml",
            &format!(
                "[game]\nsettle_ms = {}\nsettle_low_ms = {}\ndwell_ms = {}\n[pgn]\nevent = \"Demonstration\"\nsite = \"Paris opera\"\n",
                (settle / speed).max(20),
                (low / speed).max(20),
                (dwell / speed).max(200)
            ),
        )?;
        let pgn = dir.file("game.pgn", pgn)?;

        let mut bus = Command::new("dbus-daemon");
        bus.arg("--config-file").arg(conf).args(["--nofork", "--nopidfile", "--print-address=1"]);
        let (bus, address) = ChildProcess::start("dbus-daemon", bus, &dir)
            .context("the private D-Bus does not start; if dbus-daemon is missing, run `sudo apt install dbus`")?;

        let mut board = Command::new(sibling("touchmovectl")?);
        board.arg("simulate").arg(pgn).args(["--pty", "--clock", "--stay", "--board", model.name]);
        board.args(["--hands", hands, "--speed", &speed.to_string()]);
        let (board, port) =
            ChildProcess::start("touchmovectl simulate", board, &dir).context("the virtual board does not start")?;
        Ok(DemoProcesses { touchmoved: None, model, board, bus, dir, address, port: port.into() })
    }

    /// Starts touchmoved on this bus, with this board and its own state directory.
    pub(super) fn start_touchmoved(&mut self) -> anyhow::Result<()> {
        let mut command = Command::new(sibling("touchmoved")?);
        let (dir, port) = (&self.dir.0, &self.port);
        command.arg("--bus").arg(&self.address).arg("--config").arg(dir.join("touchmoved.toml"));
        command.arg("--state-dir").arg(dir.join("state")).arg("--port").arg(port);
        command.args(["--board", self.model.name]).stdout(Stdio::null());
        self.touchmoved = Some(ChildProcess::spawn("touchmoved", command, &self.dir)?);
        Ok(())
    }

    /// Fails if one of the programs has ended.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        for running in [Some(&mut self.bus), Some(&mut self.board), self.touchmoved.as_mut()].into_iter().flatten() {
            if let Some(status) = running.child.try_wait()? {
                bail!("{} ended too early ({status}){}", running.name, running.stderr_text());
            }
        }
        Ok(())
    }

    /// Returns what touchmoved logged.
    pub(super) fn touchmoved_log(&self) -> String {
        self.touchmoved.as_ref().map(ChildProcess::stderr_text).unwrap_or_default().trim().to_owned()
    }
}

/// Returns the path of a program in the same directory as this one.
fn sibling(name: &str) -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let path = program.with_file_name(name);
    if !path.exists() {
        bail!("{} is missing: build both programs with `cargo build --release`, or install them together", path.display());
    }
    Ok(path)
}

/// A child process that ends when this is dropped.
struct ChildProcess {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl ChildProcess {
    fn spawn(name: &'static str, mut command: Command, dir: &TempDir) -> anyhow::Result<ChildProcess> {
        let log = dir.0.join(format!("{}.log", name.replace(' ', "-")));
        let child = command.stdin(Stdio::null()).stderr(File::create(&log)?).spawn();
        Ok(ChildProcess { name, child: child.with_context(|| format!("{name} cannot be started"))?, log })
    }

    /// Starts a program that prints its address in its first line.
    fn start(name: &'static str, mut command: Command, dir: &TempDir) -> anyhow::Result<(ChildProcess, String)> {
        command.stdout(Stdio::piped());
        let mut running = ChildProcess::spawn(name, command, dir)?;
        let mut line = String::new();
        if let Some(output) = running.child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        // `dbus-daemon` appends its guid.
        let address = line.trim().split(",guid=").next().unwrap_or_default().to_owned();
        if address.is_empty() {
            bail!("{name} ended at once{}", running.stderr_text());
        }
        Ok((running, address))
    }

    /// Returns what the program wrote to standard error, on a line of its own.
    fn stderr_text(&self) -> String {
        match fs::read_to_string(&self.log) {
            Ok(text) if !text.trim().is_empty() => format!(":\n{}", text.trim()),
            _ => String::new(),
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The child may have ended, but it has not been waited for, so its pid cannot have been reused.
            let _ = kill_process(pid, Signal::TERM);
        }
        let until = Instant::now() + TERM_TIMEOUT;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A private directory that is removed when this is dropped.
struct TempDir(PathBuf);

impl TempDir {
    fn new() -> anyhow::Result<TempDir> {
        let parent = std::env::temp_dir();
        for attempt in 0..100 {
            let path = parent.join(format!("touchmove-demo-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(TempDir(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("{} cannot be created", path.display())),
            }
        }
        bail!("no private directory can be created in {}", parent.display())
    }

    fn file(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = Path::new(&self.0).join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
