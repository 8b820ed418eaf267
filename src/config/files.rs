//! The directory of the public files: see `publish::files`.

use super::key::{Key, Table, is_absolute, key, text};
use super::values::Values;
use std::path::{Component, Path, PathBuf};

/// The table `[files]`.
pub(super) static TABLE: Table = Table {
    name: "files",
    about: "The games as files, in the format of DGT LiveChess, for the Lichess Broadcaster and other programs that watch such a\n\
            folder: round-N/game-M.pgn, round-N/games.pgn, and the JSON of LiveChess Cloud next to them. With the delay of\n\
            [broadcast].",
    keys: KEYS,
};

const KEYS: &[Key] = &[key(
    "dir",
    text("an absolute path", is_absolute),
    None,
    "\"/srv/chess\"",
    "The folder of the tournament, which is created if it does not exist. If omitted, no files are written.",
)];

/// Returns the directory of the public files. Reports a problem if it overlaps with the state directory, other than in its
/// subdirectory `public`.
pub(super) fn read(values: Values<'_>, state_dir: &Path) -> Option<PathBuf> {
    let dir = PathBuf::from(values.given_text("dir")?);
    if let Some(conflict) = conflict(&dir, state_dir) {
        values.problems.add(&values.span_of("dir").unwrap_or(values.span.clone()), conflict);
    }
    Some(dir)
}

/// Returns the reason why the public files cannot be written to `dir` while the state is kept in `state_dir`, or `None`. Both paths
/// must be absolute. They are compared as text, since neither directory needs to exist. `public` in the state directory is reserved
/// for such files and allowed.
pub(super) fn conflict(dir: &Path, state_dir: &Path) -> Option<String> {
    let (files, state) = (normalized(dir), normalized(state_dir));
    let relation = if files.starts_with(&state) && !files.starts_with(state.join("public")) {
        "lies in the state directory".to_owned()
    } else if state.starts_with(&files) {
        format!("contains the state directory {}", state.display())
    } else {
        return None;
    };
    Some(format!("{} {relation}, which holds tokens and games that are not public yet: give another directory", dir.display()))
}

/// Returns the absolute path without `.` and `..`, without reading the file system.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            other => normal.push(other),
        }
    }
    normal
}
