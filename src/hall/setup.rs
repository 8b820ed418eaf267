//! Setting up a hall: the files of its message server at the hub, and the way in which a machine joins.
//!
//! `touchmovectl hall init` creates a CA, the certificate of the server, the hub's own key and the registry of machines, from
//! which the server's configuration follows. `touchmovectl hall add` adds a one-time code to the registry. `touchmovectl hall
//! join` on the machine connects with a key that follows from the code, verifies the server by the fingerprint in the code, and
//! sends the public half of a key that was made on the machine; the touchmoved of the hub answers (`admission`), and from then
//! on the server accepts that key. Secret keys never leave the machine on which they were made.

pub mod addresses;
pub mod admission;
pub mod authority;
pub mod certificates;
pub mod code;
pub mod join;
pub mod key;
pub mod paths;
pub mod registry;
pub mod registry_watch;
pub mod server;
pub mod server_config;
pub mod trust;
pub mod validity;

use std::io;
use std::path::{Path, PathBuf};

/// The reason why something in the set-up of a hall fails; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file cannot be read or written.
    #[error(
        "{} cannot be {action} ({error}): run it as root, `sudo touchmovectl hall …`, or name another state directory with \
         --state-dir",
        path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// `read`, `written`, `locked` or `created`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The state directory does not exist.
    #[error("there is no {}: start touchmoved once, or name its state directory with --state-dir", .0.display())]
    NoStateDir(PathBuf),
    /// This machine is not a hub.
    #[error(
        "this machine is not the hub of a hall: run `touchmovectl hall init --event NAME` on the machine that is to be the hub"
    )]
    NoHall,
    /// The registry is damaged.
    #[error(
        "{} is not a registry of machines ({reason}): restore it from a backup, or remove it and set up the hall again",
        path.display()
    )]
    InvalidRegistry {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The name is not valid.
    #[error(
        "{0:?} is not a name for a hall or a machine: use 1 to 32 lower-case letters and digits, with single hyphens between \
         them, such as pi-07"
    )]
    InvalidName(String),
    /// There is no such machine.
    #[error("there is no machine {0} in this hall: `touchmovectl hall list` shows them")]
    UnknownMachine(String),
    /// A key is damaged.
    #[error(
        "{} holds no key of a machine: remove it and join again, or, at the hub, run `touchmovectl hall init` again",
        .0.display()
    )]
    InvalidKey(PathBuf),
    /// A certificate cannot be made or read.
    #[error("{what} cannot be used ({reason}): remove the directory {} and set up the hall again", dir.display())]
    Certificate {
        /// The certificate or its key.
        what: String,
        /// What is wrong with it.
        reason: String,
        /// The directory of the hall's files.
        dir: PathBuf,
    },
    /// The system provides no random numbers.
    #[error("the system provides no random numbers ({0})")]
    NoRandomNumbers(io::Error),
    /// nats-server cannot be used, or cannot be told to read its configuration again.
    #[error(transparent)]
    Server(#[from] server::ServerError),
}

impl SetupError {
    fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> SetupError {
        move |error| SetupError::Io { path: path.to_owned(), action, error }
    }
}

#[cfg(test)]
mod tests;
