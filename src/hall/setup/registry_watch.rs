//! Notices changes of the registry: another event has begun, a machine has joined or was removed.

use super::SetupError;
use super::paths::HallFiles;
use super::registry::{self, Registry};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// What distinguishes one version of the registry's file from the next. The file is replaced, not changed, so its inode differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileVersion {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// Watches the registry, whose file is read only when it has changed.
#[derive(Debug)]
pub struct RegistryWatch {
    files: HallFiles,
    version: Option<FileVersion>,
}

impl RegistryWatch {
    /// Watches the registry of these files.
    pub fn new(files: HallFiles) -> RegistryWatch {
        RegistryWatch { files, version: None }
    }

    /// Returns the registry if its file has changed since the last call, and always at the first call; `None`: it has not, or
    /// there is none.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged. It is read again when it has changed.
    pub fn changed(&mut self) -> Result<Option<Registry>, SetupError> {
        let version = fs::metadata(self.files.registry()).ok().map(|file| FileVersion {
            inode: file.ino(),
            seconds: file.mtime(),
            nanoseconds: file.mtime_nsec(),
        });
        if version == self.version {
            return Ok(None);
        }
        self.version = version;
        registry::load(&self.files)
    }
}
