//! The exclusive lock on a journal: only one process writes it.

use super::JournalError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Lock file, held while the journal is open. SQLite's own locks would also exclude `touchmovectl backup`.
const LOCK: &str = "journal.lock";

/// The exclusive lock on a journal.
pub(super) struct Lock {
    file: File,
    /// The directory is locked as well, since the lock file can be deleted.
    dir: Option<File>,
}

/// A child process that was just forked may hold the files until it calls exec.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
        self.dir.iter().for_each(|dir| _ = dir.unlock());
    }
}

/// Locks the journal `path` in this directory.
pub(super) fn take_lock(dir: &Path, path: &Path) -> Result<Lock, JournalError> {
    let name = dir.join(LOCK);
    let directory = File::open(dir).map_err(JournalError::file("open", dir))?;
    let is_held = match directory.try_lock() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock) => true,
        // NFS locks only files open for writing, which a directory cannot be.
        Err(TryLockError::Error(_)) => {
            let file = lock_file(&name, path, false)?;
            return Ok(Lock { file, dir: None });
        }
    };
    let file = lock_file(&name, path, is_held)?;
    Ok(Lock { file, dir: Some(directory) })
}

/// Opens and locks the lock file. `is_held`: another process has locked the directory.
fn lock_file(name: &Path, path: &Path, is_held: bool) -> Result<File, JournalError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(!is_held).truncate(false).mode(0o640);
    let locked = |lock: Option<&mut File>| {
        let mut content = String::new();
        let process_note = match lock.map(|lock| lock.read_to_string(&mut content)) {
            Some(Ok(_)) if !content.trim().is_empty() => format!(" (process {})", content.trim()),
            _ => String::new(),
        };
        JournalError::Locked { path: path.to_owned(), holder: process_note }
    };
    let mut lock = match options.open(name) {
        Err(_) if is_held => return Err(locked(None)),
        opened => opened.map_err(JournalError::file("open", name))?,
    };
    match lock.try_lock() {
        Ok(()) if !is_held => {}
        Ok(()) | Err(TryLockError::WouldBlock) => return Err(locked(Some(&mut lock))),
        Err(TryLockError::Error(error)) => return Err(JournalError::file("lock", name)(error)),
    }
    // Needed only for the message above; on a full disk it stays empty.
    let _ = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
    Ok(lock)
}
