//! The files of a hall in the state directory. They belong to the owner of that directory, whoever writes them: touchmoved, or
//! root with touchmovectl.

use super::SetupError;
use crate::config::hall::{CA_FILE, DIRECTORY, KEY_FILE};
use crate::daemon::atomic_file::{self, Owner};
use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

/// The paths of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HallFiles {
    state_dir: PathBuf,
    dir: PathBuf,
}

impl HallFiles {
    /// Returns the paths in this state directory.
    pub fn of(state_dir: &Path) -> HallFiles {
        // nats-server runs in another directory than this process.
        let state_dir = std::path::absolute(state_dir).unwrap_or_else(|_| state_dir.to_owned());
        HallFiles { dir: state_dir.join(DIRECTORY), state_dir }
    }

    /// The directory of the files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The registry of the machines, at the hub.
    pub fn registry(&self) -> PathBuf {
        self.dir.join("machines.json")
    }

    /// The file that is locked while the registry is changed.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("machines.lock")
    }

    /// The configuration of nats-server.
    pub fn server_config(&self) -> PathBuf {
        self.dir.join("nats-server.conf")
    }

    /// The file with the process id of nats-server.
    pub fn pid_file(&self) -> PathBuf {
        self.dir.join("nats-server.pid")
    }

    /// The directory of the streams.
    pub fn store(&self) -> PathBuf {
        self.dir.join("streams")
    }

    /// The certificate of the CA, as PEM. A machine has a copy.
    pub fn ca(&self) -> PathBuf {
        self.dir.join(CA_FILE)
    }

    /// The secret key of the CA, at the hub.
    pub fn ca_key(&self) -> PathBuf {
        self.dir.join("ca.key")
    }

    /// The certificate of nats-server, followed by that of the CA, as PEM.
    pub fn server_certificate(&self) -> PathBuf {
        self.dir.join("server.pem")
    }

    /// The secret key of nats-server's certificate.
    pub fn server_key(&self) -> PathBuf {
        self.dir.join("server.key")
    }

    /// The secret key with which the touchmoved of this machine connects.
    pub fn key(&self) -> PathBuf {
        self.dir.join(KEY_FILE)
    }

    /// The file with the greatest term of the hub's role that this hub has seen.
    fn term(&self) -> PathBuf {
        self.dir.join("term")
    }

    /// Returns the greatest term of the hub's role that this hub has seen; 0: none.
    pub fn known_term(&self) -> u64 {
        HallFiles::read(&self.term()).ok().flatten().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Stores the greatest term of the hub's role that this hub has seen.
    ///
    /// # Errors
    /// The write failed.
    pub fn store_term(&self, term: u64) -> Result<(), SetupError> {
        self.write(&self.term(), &format!("{term}\n"), FOR_ARBITERS)
    }

    /// Creates the directory if it is missing.
    ///
    /// # Errors
    /// There is no state directory, or this user may not write there.
    pub fn create_dir(&self) -> Result<(), SetupError> {
        if !self.state_dir.is_dir() {
            return Err(SetupError::NoStateDir(self.state_dir.clone()));
        }
        let created = atomic_file::make_folder(&self.dir, 0o750);
        created.and_then(|()| self.give_to_owner(&self.dir)).map_err(SetupError::io(&self.dir, "created"))
    }

    /// Gives a file or directory to the owner of the state directory.
    pub(super) fn give_to_owner(&self, path: &Path) -> io::Result<()> {
        let owner = Owner::of(&self.state_dir)?;
        if Owner::of(path)? == owner { Ok(()) } else { chown(path, Some(owner.user), Some(owner.group)) }
    }

    /// Replaces the content of a file of the hall.
    ///
    /// # Errors
    /// The write failed.
    pub(super) fn write(&self, path: &Path, text: &str, mode: u32) -> Result<(), SetupError> {
        Owner::of(&self.state_dir)
            .and_then(|owner| atomic_file::replace_as(path, text, owner, mode))
            .map_err(SetupError::io(path, "written"))
    }

    /// Reads a file of the hall; `None`: it does not exist.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(path: &Path) -> Result<Option<String>, SetupError> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SetupError::io(path, "read")(error)),
        }
    }
}

/// The mode of a file that only its owner may read.
pub(super) const SECRET: u32 = 0o600;
/// The mode of a file that the arbiters may read, too.
pub(super) const FOR_ARBITERS: u32 = 0o640;
