//! Files that hold secrets: they may be accessible to their owner and group only.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The permission bits of users who neither own a file nor are in its group.
const OTHERS_PERMISSIONS: u32 = 0o007;

/// Returns a warning if other users of this machine can read, replace or execute this file. `None` if they cannot, or if the file
/// does not exist.
pub fn exposure_warning(path: &Path) -> Option<String> {
    let mode = fs::metadata(path).ok()?.permissions().mode();
    (mode & OTHERS_PERMISSIONS != 0).then(|| {
        let path = path.display();
        format!("every user of this machine can use {path}, which holds a secret: run `sudo chmod o-rwx {path}`")
    })
}
