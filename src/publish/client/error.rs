//! Errors of the D-Bus client.

use crate::publish::dbus::{Bus, Stream};
use std::path::Path;

/// An error of the D-Bus client; its message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The bus cannot be reached.
    #[error(
        "cannot reach {bus} ({error}): check that it runs, or name another with --bus session, --bus system or --bus ADDRESS"
    )]
    NoBus {
        /// The bus.
        bus: Bus,
        /// The error of the bus.
        error: zbus::Error,
    },
    /// The name has no owner.
    #[error("touchmoved is {}: start it with `{}`", not_running_on(looked), start_command(looked))]
    NotRunning {
        /// The buses that were searched.
        looked: Vec<Bus>,
    },
    /// The bus policy denies access.
    #[error("not allowed to read {} on the system bus: {}", .stream.name(), how_to_join(*.stream))]
    Denied {
        /// The stream.
        stream: Stream,
    },
    /// The requested object does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The journal has another incarnation than the requested one; the message is the service's.
    #[error("{0}")]
    OtherIncarnation(String),
    /// The change must be confirmed: the reason.
    #[error("{0}")]
    Unconfirmed(String),
    /// The service refused; the message is the service's.
    #[error("{0}")]
    Refused(String),
    /// The connection was lost.
    #[error("the connection to touchmoved broke ({0}): try again")]
    Broken(zbus::Error),
}

impl ClientError {
    /// Returns the program's exit code: 3 if the requested object or the daemon was not found, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            ClientError::NoBus { .. } | ClientError::NotRunning { .. } | ClientError::NotFound(_) => 3,
            ClientError::Denied { .. }
            | ClientError::OtherIncarnation(_)
            | ClientError::Unconfirmed(_)
            | ClientError::Refused(_)
            | ClientError::Broken(_) => 1,
        }
    }
}

fn not_running_on(looked: &[Bus]) -> String {
    match looked {
        [one, other] => format!("running neither on {one} nor on {other}"),
        _ => format!("not running on {}", looked.first().cloned().unwrap_or_default()),
    }
}

/// Returns how a user gets access to this stream.
fn how_to_join(stream: Stream) -> String {
    let group = stream.group();
    let others: String = stream.groups().filter(|other| *other != group).map(|other| format!(", or {other}")).collect();
    format!("join the group {group} (`sudo adduser $USER {group}`, then log in again){others}")
}

/// Returns the command that starts touchmoved: the service's where it is installed for one of the buses searched, else the
/// program's.
fn start_command(looked: &[Bus]) -> String {
    if looked.contains(&Bus::System) && is_service_installed() {
        return "sudo systemctl start touchmoved".to_owned();
    }
    format!("touchmoved --bus {}", looked.first().cloned().unwrap_or_default().as_argument())
}

/// Returns whether touchmoved is installed as a systemd service on this machine.
pub fn is_service_installed() -> bool {
    // Units of the administrator, of the package, and of the package where /usr is not merged (systemd.unit(5)).
    const UNITS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
    UNITS.iter().any(|dir| Path::new(dir).join("touchmoved.service").exists())
}
