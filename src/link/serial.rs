//! A serial port: opened exclusively, read until it disappears, and its output is never drained.
//!
//! `flush` is never called: in this stack it waits in `tcdrain` on the thread that runs all other tasks, 67 ms for 64 bytes at 9600
//! Bd and forever on a stuck line.

use super::bluetooth::Unavailable;
use super::rules;
use crate::boards::{ControlLines, SerialSettings};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_serial::{ClearBuffer, SerialPort as _, SerialPortBuilderExt, SerialStream};

/// A program that has the port open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Name as the kernel knows it.
    pub name: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

/// Reason why a port could not be opened; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist.
    #[error("{} does not exist: plug the board in, or run `touchmovectl doctor` to list the ports", port.display())]
    NoSuchDevice {
        /// Port.
        port: PathBuf,
    },
    /// The file exists, but this user may not open it.
    #[error("no permission to open {}: it belongs to {}; {}", port.display(), quoted_group(group), join_group_hint(group))]
    NoPermission {
        /// Port.
        port: PathBuf,
        /// Group that owns it: its name, its number if it has no name, or [`UNSEEN_GROUP`].
        group: String,
    },
    /// Another program holds it.
    #[error("{} is in use by {}; {}", port.display(), holder_or_unknown(holder), release_hint(holder))]
    Busy {
        /// Port.
        port: PathBuf,
        /// That program, if this user can see it: root sees all processes, others only their own.
        holder: Option<Holder>,
    },
    /// Not a serial port.
    #[error("{} is not a serial port: give one such as /dev/ttyUSB0 or a link in /dev/serial/by-id", port.display())]
    NotATerminal {
        /// Path.
        port: PathBuf,
    },
    /// Not a USB device.
    #[error("{} is not a USB device: give one such as /dev/bus/usb/001/004 or a link in /dev/touchmove", port.display())]
    NotUsb {
        /// Path.
        port: PathBuf,
    },
    /// A board cannot be reached over Bluetooth.
    #[error(transparent)]
    Bluetooth(#[from] Unavailable),
    /// Any other error, in the operating system's words.
    #[error("{} cannot be opened: {reason}", port.display())]
    Other {
        /// Port.
        port: PathBuf,
        /// The operating system's message.
        reason: String,
    },
}

impl OpenError {
    /// Returns whether only the board is missing: it is unplugged, off or out of range.
    pub fn is_absence(&self) -> bool {
        match self {
            OpenError::NoSuchDevice { .. } => true,
            OpenError::Bluetooth(reason) => reason.is_absence(),
            _ => false,
        }
    }
}

/// Name of a group that this process cannot see: the service has its own user namespace (`PrivateUsers=`, see systemd.exec(5)), in
/// which most groups have no name.
/// to whom most groups have no name.
pub const UNSEEN_GROUP: &str = "?";

/// Returns the group's name for use in a sentence.
fn quoted_group(group: &str) -> String {
    if group == UNSEEN_GROUP { "a group that is not visible from here".to_owned() } else { format!("group {group}") }
}

/// Returns what the user of this process must do to get access to a group's devices.
pub fn join_group_hint(group: &str) -> String {
    let user = rustix::process::geteuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    join(group, users.lines().filter_map(name_and_number).find(|(_, id)| *id == user).map_or("$USER", |(name, _)| name))
}

fn join(group: &str, user: &str) -> String {
    match (group, user) {
        ("root", _) => "only root can use it: a udev rule must assign it to a group (`doctor` shows the line)".to_owned(),
        (UNSEEN_GROUP, rules::USER) => {
            format!("`ls -l` shows it: run `sudo usermod -aG GROUP {user}`, then `sudo systemctl restart touchmoved`")
        }
        (UNSEEN_GROUP, _) => "`ls -l` shows it: run `sudo usermod -aG GROUP $USER`, then log out and in again".to_owned(),
        // Nobody logs in as the service's user.
        (_, rules::USER) => format!("run `sudo usermod -aG {group} {user}`, then `sudo systemctl restart touchmoved`"),
        _ => format!("run `sudo usermod -aG {group} $USER`, then log out and in again"),
    }
}

fn holder_or_unknown(holder: &Option<Holder>) -> String {
    holder.as_ref().map_or_else(|| "another program".to_owned(), Holder::to_string)
}

/// Returns what to do about a port that another program holds.
pub fn release_hint(holder: &Option<Holder>) -> String {
    match holder {
        Some(Holder { name, .. }) if name == "ModemManager" => {
            "it probes boards as modems: run `sudo systemctl stop ModemManager`, or mark the port with ID_MM_DEVICE_IGNORE"
                .into()
        }
        Some(Holder { name, .. }) if name == "touchmoved" => "a running touchmoved uses it: see `touchmovectl list`".into(),
        Some(Holder { pid, .. }) => format!("close that program, or end it with `kill {pid}`"),
        None => "close it (`sudo fuser -v` with the port's name shows it)".into(),
    }
}

/// Reason why reading or writing failed.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// Unplugged, or the other end was closed. The port is unusable: drop it and open it again.
    #[error("the port is gone")]
    Gone,
    /// The connection over Bluetooth has ended, for this reason, which says what to do.
    #[error(transparent)]
    Disconnected(Unavailable),
    /// Any other error, in the operating system's words. The port is unusable, as after [`LineError::Gone`].
    #[error("the port failed: {0}")]
    Failed(io::Error),
}

impl LineError {
    /// Returns a sentence with what to do.
    pub fn advice(&self) -> String {
        match self {
            LineError::Disconnected(reason) => reason.to_string(),
            error => format!("{error}: plug the board in again"),
        }
    }
}

impl From<io::Error> for LineError {
    fn from(error: io::Error) -> Self {
        // EIO 5, ENXIO 6, ENODEV 19: errors of an unplugged adapter or a closed pseudo-terminal.
        match error.raw_os_error() {
            Some(5 | 6 | 19) => LineError::Gone,
            _ => LineError::Failed(error),
        }
    }
}

/// An open serial port, held exclusively (`TIOCEXCL` and `flock`) until it is dropped.
#[derive(Debug)]
pub struct Port {
    stream: SerialStream,
}

impl Port {
    /// Opens the port with 8 data bits, no parity, one stop bit and no flow control, and discards earlier input.
    ///
    /// Must be called inside a tokio runtime with I/O. Never blocks.
    pub fn open(path: &Path, line: SerialSettings, control: ControlLines) -> Result<Port, OpenError> {
        check_port(path)?;
        let asserted = control == ControlLines::Asserted;
        let mut stream = tokio_serial::new(path.to_string_lossy(), line.baud)
            .dtr_on_open(asserted)
            .open_native_async()
            .map_err(|error| open_error(path, error))?;
        // Pseudo-terminals have no modem control lines and return an error.
        let _ = stream.write_request_to_send(asserted);
        stream.clear(ClearBuffer::Input).map_err(|error| open_error(path, error))?;
        Ok(Port { stream })
    }

    /// Reads bytes into `buf` and returns their number, at least one. Cancel safe.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        loop {
            match self.stream.read(buf).await {
                Ok(0) => return Err(LineError::Gone),
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Passes all bytes to the kernel at once: pauses between writes are up to the caller. Not cancel safe.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        Ok(self.stream.write_all(bytes).await?)
    }
}

/// Checks a port as far as possible without opening it.
pub fn check_port(path: &Path) -> Result<(), OpenError> {
    // Major number of /dev/null, /dev/zero and similar devices.
    const MEM_MAJOR: u64 = 1;
    match fs::metadata(path) {
        Ok(meta) if !meta.file_type().is_char_device() || (meta.rdev() >> 8) & 0xfff == MEM_MAJOR => {
            Err(OpenError::NotATerminal { port: path.into() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(OpenError::NoSuchDevice { port: path.into() }),
        _ => Ok(()),
    }
}

/// Determines the reason for an error of the serial crate, which distinguishes only few.
fn open_error(path: &Path, error: tokio_serial::Error) -> OpenError {
    use tokio_serial::ErrorKind;
    let port = path.to_path_buf();
    match error.kind {
        ErrorKind::Io(io::ErrorKind::NotFound) => OpenError::NoSuchDevice { port },
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => OpenError::NoPermission { group: group_of(path), port },
        // EBUSY because of TIOCEXCL, or the failed flock.
        ErrorKind::NoDevice => OpenError::Busy { holder: holder(path), port },
        _ if !is_terminal(path) => OpenError::NotATerminal { port },
        _ => OpenError::Other { port, reason: error.description },
    }
}

fn is_terminal(path: &Path) -> bool {
    // O_NOCTTY | O_NONBLOCK: neither become the session's controlling terminal nor wait for a carrier.
    const FLAGS: i32 = 0o400 | 0o4000;
    fs::OpenOptions::new().read(true).custom_flags(FLAGS).open(path).map_or(true, |file| io::IsTerminal::is_terminal(&file))
}

/// Returns the group that owns a file: its name, its number if it has no name, or [`UNSEEN_GROUP`] if the group or the file cannot
/// be seen.
pub fn group_of(path: &Path) -> String {
    /// The kernel's overflow id for groups that are not mapped in this user namespace (user_namespaces(7)).
    const OVERFLOW: u32 = 65534;
    let Some(meta) = fs::metadata(path).ok().filter(|meta| meta.gid() != OVERFLOW) else { return UNSEEN_GROUP.to_owned() };
    let gid = meta.gid().to_string();
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    groups.lines().filter_map(name_and_number).find(|(_, id)| *id == gid).map_or(gid.clone(), |(name, _)| name.to_owned())
}

/// Returns name and number of a line of `/etc/group` or `/etc/passwd`.
fn name_and_number(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.split(':');
    Some((fields.next()?, fields.nth(1)?))
}

/// Returns another process that has this device open, as far as this user can see.
pub fn holder(path: &Path) -> Option<Holder> {
    /// The device that creates pseudo-terminals.
    const PTMX: u64 = 5 << 8 | 2;
    /// Major numbers of pseudo-terminals.
    const PTS_MAJORS: std::ops::RangeInclusive<u64> = 136..=143;
    let device = fs::metadata(path).ok()?.rdev();
    // The process that created a pseudo-terminal is its other end and no conflict, even if it also keeps this end open.
    let is_other_end = |pid: u32| PTS_MAJORS.contains(&(device >> 8 & 0xfff)) && has_open(pid, PTMX);
    let own_pid = std::process::id();
    let pid = processes().into_iter().find(|pid| *pid != own_pid && has_open(*pid, device) && !is_other_end(*pid))?;
    Some(Holder { pid, name: name_of(pid) })
}

/// Returns the pid of the first process with this name, as the kernel knows it. Every user can see that.
pub fn find_process(name: &str) -> Option<u32> {
    processes().into_iter().find(|pid| name_of(*pid) == name)
}

fn processes() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let mut pids: Vec<u32> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    pids
}

fn name_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// Returns whether a process has this device open. Compares device numbers, since a device may have several names.
fn has_open(pid: u32, device: u64) -> bool {
    let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files.flatten().any(|file| {
        let in_dev = fs::read_link(file.path()).is_ok_and(|target| target.starts_with("/dev"));
        in_dev && fs::metadata(file.path()).is_ok_and(|meta| meta.file_type().is_char_device() && meta.rdev() == device)
    })
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn advice_on_joining_a_group() {
        for (group, user, expect) in [
            ("dialout", "anna", "run `sudo usermod -aG dialout $USER`, then log out and in again"),
            (
                super::UNSEEN_GROUP,
                "touchmove",
                "`ls -l` shows it: run `sudo usermod -aG GROUP touchmove`, then `sudo systemctl restart touchmoved`",
            ),
            ("gpio", "touchmove", "run `sudo usermod -aG gpio touchmove`, then `sudo systemctl restart touchmoved`"),
            ("root", "touchmove", "only root can use it: a udev rule must assign it to a group (`doctor` shows the line)"),
        ] {
            assert_eq!(join(group, user), expect);
        }
    }
}
