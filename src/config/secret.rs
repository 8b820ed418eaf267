//! Files that hold secrets: they may be accessible to their owner and group only. And files that decide what is allowed: only root, or
//! the user of this process, may change them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
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

/// The permission bits with which a group or other users may change a file or directory.
const WRITE_PERMISSIONS: u32 = 0o022;
/// The permission bit of a directory in which each user can remove or rename only their own files.
const STICKY: u32 = 0o1000;

/// Returns why others than root and the user of this process could change this file, or put another one in its place. `None` if they
/// could not.
///
/// # Errors
/// The file does not exist, or is not accessible.
pub fn untrusted_reason(path: &Path) -> std::io::Result<Option<String>> {
    let own = rustix::process::geteuid().as_raw();
    // The file that a link leads to is the one that is read.
    let path = path.canonicalize()?;
    for one in path.ancestors() {
        let metadata = fs::metadata(one)?;
        let owner = metadata.uid();
        if owner != 0 && owner != own {
            return Ok(Some(format!("{} belongs to a user who is not root: run `sudo chown root {0}`", one.display())));
        }
        let is_sticky = metadata.is_dir() && metadata.mode() & STICKY != 0;
        if metadata.mode() & WRITE_PERMISSIONS != 0 && !is_sticky {
            let advice = format!("run `sudo chmod go-w {}`", one.display());
            return Ok(Some(format!("{} can be changed by users who are not root: {advice}", one.display())));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_others_can_change_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("touchmoved.toml");
        assert!(untrusted_reason(&path).is_err());
        fs::write(&path, "").unwrap();
        for (mode, is_trusted) in [(0o644, true), (0o600, true), (0o664, false), (0o646, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(untrusted_reason(&path).unwrap().is_none(), is_trusted, "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o775)).unwrap();
        assert!(untrusted_reason(&path).unwrap().is_some_and(|reason| reason.contains("chmod go-w")));
    }
}
