//! The names of the files beside the journal.

use std::path::{Path, PathBuf};

/// Returns the suffix of the second and later files of one name.
pub(super) fn name_suffix(count: u32) -> String {
    if count == 1 { String::new() } else { format!("-{count}") }
}

/// Returns the path of the file with this suffix beside the journal.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
