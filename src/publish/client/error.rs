//! Why nothing can be shown.

use crate::publish::dbus::Bus;

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
    #[error("touchmoved is not running on {bus}: start it with `touchmoved --bus {option}`")]
    NotRunning {
        /// Where it was looked for.
        bus: Bus,
        /// That bus as an argument.
        option: String,
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
            ClientError::Denied { .. } | ClientError::Refused(_) | ClientError::Broken(_) => 1,
        }
    }
}
