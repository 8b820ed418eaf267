//! Files that hold secrets: readable for their owner, and at most for its group.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The permission bits of users who neither own a file nor are in its group.
const OTHERS: u32 = 0o007;

/// Why a secret in this file is none: every user of this machine may read or replace it. `None` where the file is kept from them, or
/// is not there.
pub fn exposed(path: &Path) -> Option<String> {
    let mode = fs::metadata(path).ok()?.permissions().mode();
    (mode & OTHERS != 0).then(|| {
        let path = path.display();
        format!("every user of this machine can use {path}, which holds a secret: run `sudo chmod o-rwx {path}`")
    })
}
