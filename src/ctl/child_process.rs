//! A program that this one has started.

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for a program to end after SIGTERM.
const TERM_TIMEOUT: Duration = Duration::from_secs(3);

/// Variables of a service manager, which are not meant for a touchmoved that this program starts.
pub(super) const SERVICE_VARIABLES: &[&str] =
    &["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "RUNTIME_DIRECTORY", "STATE_DIRECTORY"];

/// A program that ends when this is dropped: with SIGTERM, and with SIGKILL if that has no effect.
pub(super) struct ChildProcess {
    name: String,
    child: Child,
    log: PathBuf,
}

impl ChildProcess {
    /// Starts a program. What it writes to standard error is appended to `NAME.log` in this directory.
    pub(super) fn spawn(name: &str, mut command: Command, log_dir: &Path) -> anyhow::Result<ChildProcess> {
        let log = log_file(name, log_dir);
        let file = OpenOptions::new().create(true).append(true).open(&log);
        let file = file.with_context(|| format!("{} cannot be written", log.display()))?;
        let child = command.stdin(Stdio::null()).stderr(file).spawn();
        Ok(ChildProcess { name: name.to_owned(), child: child.with_context(|| format!("{name} cannot be started"))?, log })
    }

    /// As [`ChildProcess::spawn`], but this program writes the log: a limit on the files of the other does not affect it.
    pub(super) fn spawn_piped(name: &str, mut command: Command, log_dir: &Path) -> anyhow::Result<ChildProcess> {
        let log = log_file(name, log_dir);
        let file = OpenOptions::new().create(true).append(true).open(&log);
        let mut file = file.with_context(|| format!("{} cannot be written", log.display()))?;
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.with_context(|| format!("{name} cannot be started"))?;
        if let Some(mut pipe) = child.stderr.take() {
            std::thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                    // The program must not wait for its log.
                    let _ = file.write_all(chunk.get(..count).unwrap_or_default());
                }
            });
        }
        Ok(ChildProcess { name: name.to_owned(), child, log })
    }

    /// Starts a program that prints its address in its first line; returns that, too.
    pub(super) fn start(name: &str, mut command: Command, log_dir: &Path) -> anyhow::Result<(ChildProcess, String)> {
        command.stdout(Stdio::piped());
        let mut running = ChildProcess::spawn(name, command, log_dir)?;
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

    /// Fails if the program has ended.
    pub(super) fn still_runs(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("{} ended too early ({status}){}", self.name, self.stderr_text()),
        }
    }

    /// Returns what the program wrote to standard error, on a line of its own.
    pub(super) fn stderr_text(&self) -> String {
        match fs::read_to_string(&self.log) {
            Ok(text) if !text.trim().is_empty() => format!(":\n{}", text.trim()),
            _ => String::new(),
        }
    }

    /// Returns its process id; `None`: it is not one of Linux.
    pub(super) fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Sends a signal. A program that has ended ignores it: its id is not reused before it was waited for.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, signal);
        }
    }

    /// Kills the program, as `kill -9` does.
    pub(super) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_file(name: &str, log_dir: &Path) -> PathBuf {
    log_dir.join(format!("{}.log", name.replace(' ', "-")))
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        self.signal(Signal::TERM);
        // It may have been stopped.
        self.signal(Signal::CONT);
        let until = Instant::now() + TERM_TIMEOUT;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the path of a program in the same directory as this one.
pub(super) fn sibling(name: &str) -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let path = program.with_file_name(name);
    if !path.exists() {
        bail!("{} is missing: build both programs with `cargo build --release`, or install them together", path.display());
    }
    Ok(path)
}
