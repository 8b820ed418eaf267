//! The time of day of one program, which can be set with libfaketime.

use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where libraries are installed; Debian has one more folder there for each architecture.
const LIBRARIES: &[&str] = &["/usr/lib", "/usr/lib64"];
/// The library in them.
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

/// Returns the path of libfaketime; `None`: it is not installed.
pub(super) fn library() -> Option<PathBuf> {
    LIBRARIES.iter().find_map(|dir| {
        let inner = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
        let mut dirs = std::iter::once(PathBuf::from(dir)).chain(inner);
        dirs.find_map(|dir| Some(dir.join(LIBRARY)).filter(|path| path.is_file()))
    })
}

/// A time of day. It passes as fast as that of the system.
pub(super) struct TimeOfDay {
    library: PathBuf,
    /// The file from which the library reads the difference.
    file: PathBuf,
}

impl TimeOfDay {
    /// Begins with the time of the system. `dir`: where its file is written.
    pub(super) fn new(library: PathBuf, dir: &Path) -> anyhow::Result<TimeOfDay> {
        let time = TimeOfDay { library, file: dir.join("time-of-day") };
        time.set(0)?;
        Ok(time)
    }

    /// Lets a program have this time.
    pub(super) fn apply(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library).env("FAKETIME_TIMESTAMP_FILE", &self.file);
        command.envs([("FAKETIME_NO_CACHE", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1"), ("NO_FAKE_STAT", "1")]);
    }

    /// Sets it ahead of the system's by this number of seconds.
    pub(super) fn set(&self, ahead: i64) -> anyhow::Result<()> {
        // The library must not read half a file.
        let new = self.file.with_extension("new");
        let written = fs::write(&new, format!("{ahead:+}\n")).and_then(|()| fs::rename(&new, &self.file));
        written.with_context(|| format!("{} cannot be written", self.file.display()))
    }

    /// Removes what the library leaves in shared memory when its process is killed: the next process with that id would not start.
    pub(super) fn tidy_up(pid: i32) {
        for name in [format!("faketime_shm_{pid}"), format!("sem.faketime_sem_{pid}")] {
            let _ = fs::remove_file(Path::new("/dev/shm").join(name));
        }
    }
}
