//! The program nats-server: whether it can be used, and how it reads its configuration again.

use super::paths::HallFiles;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program of the package nats-server, which the unit touchmove-nats starts.
pub const PROGRAM: &str = "/usr/sbin/nats-server";
/// The unit that runs nats-server for a hall.
pub const UNIT: &str = "touchmove-nats.service";
/// The oldest version that can be used: that of Debian 12.
pub const OLDEST: Version = Version(2, 9, 0);

/// A version of nats-server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Parses a version as the server says it: `2.10.27`, also with a suffix such as `-RC.1`.
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split(['-', '+']).next()?.split('.').map(|part| part.parse::<u32>().ok());
        Some(Version(parts.next()??, parts.next()??, parts.next()??))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A problem with nats-server; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The program is not installed.
    #[error("there is no nats-server: install it with `sudo apt install nats-server`")]
    Missing,
    /// The program cannot be run.
    #[error("{} cannot be run ({error}): reinstall it with `sudo apt install --reinstall nats-server`", program.display())]
    NotRun {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The program does not say which version it is.
    #[error("{} --version printed {text:?} instead of its version: install the package nats-server", program.display())]
    NoVersion {
        /// The program.
        program: PathBuf,
        /// What it printed.
        text: String,
    },
    /// The program is too old.
    #[error("{} is version {found}, and a hall needs {OLDEST} or later: install that of Debian 12 or later", program.display())]
    TooOld {
        /// The program.
        program: PathBuf,
        /// Its version.
        found: Version,
    },
    /// The program refuses the configuration.
    #[error("nats-server refuses {}: {text}; report this as a bug of touchmove", file.display())]
    ConfigRefused {
        /// The file.
        file: PathBuf,
        /// What it printed.
        text: String,
    },
    /// The server runs, but cannot be told to read its configuration again.
    #[error(
        "nats-server (pid {pid}) cannot be told to read its configuration again ({error}): run `sudo systemctl reload {UNIT}`"
    )]
    NotReloaded {
        /// Its process.
        pid: i32,
        /// The error of the system.
        error: io::Error,
    },
}

/// Returns the installed program: that of the package, else the first in PATH.
///
/// # Errors
/// There is none.
pub fn find() -> Result<PathBuf, ServerError> {
    let package = PathBuf::from(PROGRAM);
    if package.is_file() {
        return Ok(package);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|dir| dir.join("nats-server"));
    programs.find(|program| program.is_file()).ok_or(ServerError::Missing)
}

/// Returns the version of a program, if it can be used.
///
/// # Errors
/// It cannot be run, or it is too old.
pub fn check_version(program: &Path) -> Result<Version, ServerError> {
    let text = run(program, &["--version".as_ref()]).map(|output| text_of(&output))?;
    let version = parse_version(&text).ok_or_else(|| ServerError::NoVersion { program: program.to_owned(), text })?;
    if version < OLDEST { Err(ServerError::TooOld { program: program.to_owned(), found: version }) } else { Ok(version) }
}

/// Checks whether a program accepts the configuration of the hall.
///
/// # Errors
/// It cannot be run, or it refuses the configuration.
pub fn check_config(program: &Path, files: &HallFiles) -> Result<(), ServerError> {
    let file = files.server_config();
    let output = run(program, &["-t".as_ref(), "-c".as_ref(), file.as_ref()])?;
    if output.status.success() { Ok(()) } else { Err(ServerError::ConfigRefused { file, text: text_of(&output) }) }
}

/// Makes the running server read its configuration again, without disconnecting others than removed machines. Returns whether
/// it runs.
///
/// # Errors
/// The signal cannot be sent.
pub fn reload(files: &HallFiles) -> Result<bool, ServerError> {
    let Some(pid) = running(files) else { return Ok(false) };
    let not_reloaded = |error: io::Error| ServerError::NotReloaded { pid: pid.as_raw_nonzero().get(), error };
    kill_process(pid, Signal::HUP).map_err(|error| not_reloaded(error.into()))?;
    Ok(true)
}

/// Returns the process of the running server. A file that a power cut has left is not believed: another process may have its
/// number.
pub fn running(files: &HallFiles) -> Option<Pid> {
    let pid: i32 = fs::read_to_string(files.pid_file()).ok()?.trim().parse().ok()?;
    let is_other = u32::try_from(pid).is_ok_and(|pid| pid != std::process::id());
    let pid = Pid::from_raw(pid)?;
    let is_server = match fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())) {
        Ok(name) => name.starts_with("nats-server"),
        // The kernel may hide the name from the service; it may signal only processes of its own user, and has no others there.
        Err(_) => is_other && test_kill_process(pid).is_ok(),
    };
    is_server.then_some(pid)
}

fn run(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Output, ServerError> {
    let output = Command::new(program).args(arguments).output();
    output.map_err(|error| ServerError::NotRun { program: program.to_owned(), error })
}

fn text_of(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    text.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("; ")
}

/// Parses what `nats-server --version` prints: `nats-server: v2.10.27`.
fn parse_version(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix("nats-server: v")?.split([' ', '\n']).next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(parse_version("nats-server: v2.9.10"), Some(Version(2, 9, 10)));
        assert_eq!(parse_version("nats-server: v2.14.0-RC.1"), Some(Version(2, 14, 0)));
        assert_eq!(parse_version("nats-server: v2"), None);
        assert_eq!(parse_version("mosquitto 2.0.11"), None);
        assert!(Version(2, 8, 4) < OLDEST && Version(2, 10, 27) > OLDEST);
    }
}
