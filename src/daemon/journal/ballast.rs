//! Disk space reserved for the last moves: a ballast file that is deleted when the disk is full.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Name of the file in the state directory.
const FILE: &str = "journal.ballast";
/// Size of the file in bytes: enough for some hundred events.
const SIZE: usize = 128 << 10;
/// Free space needed to create the file again, in bytes.
const FREE_SPACE_TO_RESTORE: u64 = 8 * SIZE as u64;

/// The ballast file, whether it exists or not.
pub(super) struct Ballast {
    path: PathBuf,
    is_present: bool,
    is_used: bool,
}

impl Ballast {
    /// Creates the ballast in this state directory, if there is room.
    pub(super) fn new(dir: &Path) -> Ballast {
        let path = dir.join(FILE);
        let is_present = fs::metadata(&path).is_ok_and(|found| found.len() >= SIZE as u64);
        let mut ballast = Ballast { path, is_present, is_used: false };
        ballast.restore();
        ballast
    }

    /// Creates the file again if it is missing and there is room.
    pub(super) fn restore(&mut self) {
        if self.is_present {
            return;
        }
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let free = rustix::fs::statvfs(dir).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        if free < FREE_SPACE_TO_RESTORE {
            return;
        }
        // A file system that stores zeros sparsely would reserve no space for them.
        match fs::write(&self.path, vec![0xa5; SIZE]) {
            Ok(()) => (self.is_present, self.is_used) = (true, false),
            Err(_) => self.remove(),
        }
    }

    /// Deletes the file to free its space; returns whether it existed.
    pub(super) fn release(&mut self) -> bool {
        let was_present = self.is_present;
        self.remove();
        self.is_used |= was_present && !self.is_present;
        was_present && !self.is_present
    }

    fn remove(&mut self) {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "the ballast of the journal cannot be removed");
            }
            _ => self.is_present = false,
        }
    }

    /// Returns whether the file was deleted and there is not enough free space to create it again.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }
}
