//! The directory of a simulated hall.

use crate::ctl::temp_dir::TempDir;
use anyhow::{Context, bail};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A directory in which everything is.
pub(super) enum WorkDir {
    /// It is removed at the end.
    Temporary(TempDir),
    /// It was named by the user, and stays.
    Named(PathBuf),
}

impl WorkDir {
    /// Creates the named directory, which must be empty if it exists; without a name, a temporary one.
    pub(super) fn create(named: Option<&Path>) -> anyhow::Result<WorkDir> {
        let Some(named) = named else { return Ok(WorkDir::Temporary(TempDir::new("touchmove-hall")?)) };
        let path = std::path::absolute(named).with_context(|| format!("{} is no path", named.display()))?;
        let created = DirBuilder::new().mode(0o700).recursive(true).create(&path);
        created.with_context(|| format!("{} cannot be created", path.display()))?;
        let mut entries = fs::read_dir(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        if entries.next().is_some() {
            bail!("{} is not empty: name a directory that is empty, or does not exist yet", path.display());
        }
        Ok(WorkDir::Named(path))
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        match self {
            WorkDir::Temporary(dir) => dir.path(),
            WorkDir::Named(path) => path,
        }
    }

    /// Does not remove it at the end.
    pub(super) fn keep(self) -> PathBuf {
        match self {
            WorkDir::Temporary(dir) => dir.keep(),
            WorkDir::Named(path) => path,
        }
    }
}
