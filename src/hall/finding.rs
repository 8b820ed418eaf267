//! What an examination of this machine's part in its hall has found.

use std::fs::File;
use std::io;
use std::path::PathBuf;

/// One finding, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is as it should be.
    Good(String),
    /// It is neither good nor bad.
    Note(String),
    /// It is a fault. After the last colon the sentence says what to do.
    Fault(String),
}

impl Finding {
    /// Returns that only root can examine the hall, if one of these files exists and cannot be read.
    pub(super) fn no_permission(files: &[PathBuf]) -> Option<Finding> {
        let is_denied = |file: &&PathBuf| File::open(file).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        let file = files.iter().find(is_denied)?.display().to_string();
        Some(Finding::Note(format!(
            "the hall is not examined, because only root and touchmoved may read {file}: run `sudo touchmovectl doctor`"
        )))
    }
}
