//! A private temporary directory.

use anyhow::{Context, bail};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// How many names are tried.
const MAX_ATTEMPTS: u32 = 100;

/// A private directory that is removed when this is dropped.
pub(super) struct TempDir(PathBuf);

impl TempDir {
    /// Creates a directory whose name begins with this prefix.
    pub(super) fn new(prefix: &str) -> anyhow::Result<TempDir> {
        let parent = std::env::temp_dir();
        for attempt in 0..MAX_ATTEMPTS {
            let path = parent.join(format!("{prefix}-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(TempDir(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("{} cannot be created", path.display())),
            }
        }
        bail!("no private directory can be created in {}", parent.display())
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Does not remove it; returns its path.
    pub(super) fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.0)
    }

    /// Writes a file in it; returns its path.
    pub(super) fn file(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.0.join(name);
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // An empty path: the directory is kept.
        let _ = fs::remove_dir_all(&self.0);
    }
}
