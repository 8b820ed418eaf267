//! Why nothing can be shown.

use crate::publish::dbus::Bus;
use std::path::Path;

/// Why nothing can be shown; says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The bus cannot be reached.
    #[error(
        "cannot reach {bus} ({why}): check that it runs, or name another with --bus session, --bus system or --bus ADDRESS"
    )]
    NoBus {
        /// Which.
        bus: Bus,
        /// What it said.
        why: zbus::Error,
    },
    /// Nobody owns the name.
    #[error("touchmoved is {}: start it with `{}`", nowhere(looked), start(looked))]
    NotRunning {
        /// Where it was looked for.
        looked: Vec<Bus>,
    },
    /// The bus does not let us.
    #[error(
        "not allowed to read {name} on the system bus: join the group {group} (`sudo adduser $USER {group}`, then log in anew)"
    )]
    Denied {
        /// The name.
        name: &'static str,
        /// Who may.
        group: &'static str,
    },
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// The journal has another incarnation than the one that was named; the service's own words.
    #[error("{0}")]
    OtherIncarnation(String),
    /// The service refused; its own words.
    #[error("{0}")]
    Refused(String),
    /// The connection broke.
    #[error("the connection to touchmoved broke ({0}): try again")]
    Broken(zbus::Error),
}

impl ClientError {
    /// The program's exit code: 3 where what was asked for (or the daemon) is not there, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            ClientError::NoBus { .. } | ClientError::NotRunning { .. } | ClientError::NotFound(_) => 3,
            ClientError::Denied { .. }
            | ClientError::OtherIncarnation(_)
            | ClientError::Refused(_)
            | ClientError::Broken(_) => 1,
        }
    }
}

fn nowhere(looked: &[Bus]) -> String {
    match looked {
        [one, other] => format!("running neither on {one} nor on {other}"),
        _ => format!("not running on {}", looked.first().cloned().unwrap_or_default()),
    }
}

/// The service where it is installed for a bus that was asked, else the program.
fn start(looked: &[Bus]) -> String {
    if looked.contains(&Bus::System) && is_service_installed() {
        return "sudo systemctl start touchmoved".to_owned();
    }
    format!("touchmoved --bus {}", looked.first().cloned().unwrap_or_default().option())
}

/// Whether systemd of this machine knows touchmoved as a service.
pub fn is_service_installed() -> bool {
    // Of the administrator, of the package, of the package where /usr is not merged (systemd.unit(5)).
    const UNITS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];
    UNITS.iter().any(|dir| Path::new(dir).join("touchmoved.service").exists())
}
