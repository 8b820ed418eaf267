//! Room for the last moves: a file that is there for nothing, and goes when the disk is full.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file in the state directory.
const FILE: &str = "journal.ballast";
/// Its length, in bytes: some hundred events.
const LENGTH: usize = 128 << 10;
/// It is made again when so much is free, in bytes.
const ROOM: u64 = 8 * LENGTH as u64;

/// The file, there or not.
pub(super) struct Ballast {
    path: PathBuf,
    is_there: bool,
    is_used: bool,
}

impl Ballast {
    /// In this state directory; made where there is room.
    pub fn new(dir: &Path) -> Ballast {
        let path = dir.join(FILE);
        let is_there = fs::metadata(&path).is_ok_and(|found| found.len() >= LENGTH as u64);
        let mut ballast = Ballast { path, is_there, is_used: false };
        ballast.restore();
        ballast
    }

    /// Makes it again where it is gone and there is room.
    pub fn restore(&mut self) {
        if self.is_there {
            return;
        }
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let free = rustix::fs::statvfs(dir).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        if free < ROOM {
            return;
        }
        // A file system that leaves out zeros would take no room for them.
        match fs::write(&self.path, vec![0xa5; LENGTH]) {
            Ok(()) => (self.is_there, self.is_used) = (true, false),
            Err(_) => self.remove(),
        }
    }

    /// Gives its room back; whether there was any.
    pub fn release(&mut self) -> bool {
        let was_there = self.is_there;
        self.remove();
        self.is_used |= was_there && !self.is_there;
        was_there && !self.is_there
    }

    fn remove(&mut self) {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "the ballast beside the journal cannot be removed");
            }
            _ => self.is_there = false,
        }
    }

    /// Whether its room has been given back, and there is no more than that.
    pub fn is_used(&self) -> bool {
        self.is_used
    }
}
