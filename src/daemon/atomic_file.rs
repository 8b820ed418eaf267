//! Atomic file replacement: a file has either its old or its complete new content, even after a power cut.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// The mode of a temporary file whose final mode is set when its content is complete.
const PRIVATE: u32 = 0o600;

/// What a file's new content must survive. In every case the file is complete, with the new or the old content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: once written, the old content never returns.
    PowerCutSafe,
    /// The end of this process. After a power cut the old content may return: for data that others send again.
    ProcessExitSafe,
}

/// Replaces a file's content with this text; missing directories are created. Watchers of the directory never see an unfinished
/// file under a name of its kind. Waits for the disk.
///
/// # Errors
/// The write failed. The old content remains, or the content after a power cut is undefined.
pub fn replace(path: &Path, text: &str, durability: Durability) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder, 0o777)?;
    }
    replace_with(path, text.as_bytes(), 0o666, File::sync_all)?;
    if durability == Durability::PowerCutSafe { sync_folder_of(path) } else { Ok(()) }
}

/// As [`replace`], for files that everybody may read: files and created directories are world-readable, regardless of the umask.
/// The content survives the end of this process, but nothing is synced: after a power cut, what was written in the last half minute
/// may be incomplete. The mode of an existing directory is not changed.
///
/// # Errors
/// The write failed; the old content remains.
pub fn replace_public(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_public(folder)?;
    }
    // Set explicitly: the umask of this process (umask(2)) is the journal's.
    replace_with(path, content.as_ref(), PRIVATE, |new| new.set_permissions(Permissions::from_mode(0o644)))
}

/// As [`replace`], for files that only the user of this process may read, at any time; the content survives a power cut.
///
/// # Errors
/// The write failed. The old content remains, or the content after a power cut is undefined.
pub fn replace_secret(path: &Path, text: &str) -> io::Result<()> {
    replace_with(path, text.as_bytes(), PRIVATE, |new| {
        new.set_permissions(Permissions::from_mode(0o600))?;
        new.sync_all()
    })?;
    sync_folder_of(path)
}

/// As [`replace`], for a file with this owner and mode, regardless of the user and the umask of this process; the content survives a
/// power cut. Until the file has that owner and mode, other users cannot read it, under its temporary name either.
///
/// # Errors
/// The write failed, or this process may not give the file to that user. The old content remains, or the content after a power cut
/// is undefined.
pub fn replace_as(path: &Path, text: &str, owner: Owner, mode: u32) -> io::Result<()> {
    replace_with(path, text.as_bytes(), PRIVATE, |new| {
        new.set_permissions(Permissions::from_mode(mode & 0o600))?;
        // The service may give no file away, and need not.
        if Owner::from(&new.metadata()?) != owner {
            fchown(new, Some(owner.user), Some(owner.group))?;
        }
        new.set_permissions(Permissions::from_mode(mode))?;
        new.sync_all()
    })?;
    sync_folder_of(path)
}

/// The user and the group that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The number of the user.
    pub user: u32,
    /// The number of the group.
    pub group: u32,
}

impl Owner {
    /// Returns the owner of this file or directory.
    ///
    /// # Errors
    /// It does not exist, or its directory is not accessible.
    pub fn of(path: &Path) -> io::Result<Owner> {
        fs::metadata(path).map(|metadata| Owner::from(&metadata))
    }
}

impl From<&fs::Metadata> for Owner {
    fn from(metadata: &fs::Metadata) -> Owner {
        Owner { user: metadata.uid(), group: metadata.gid() }
    }
}

/// Creates this directory and its parents with this mode if missing, so that they survive a power cut.
///
/// # Errors
/// The directory cannot be created, or something else has that name.
pub fn make_folder(folder: &Path, mode: u32) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_folder(parent, mode)?;
    }
    match DirBuilder::new().mode(mode).create(folder) {
        // Another thread or process has created it meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        created => created?,
    }
    sync_folder_of(folder)
}

/// Syncs the directory of this file, so that its entries survive a power cut.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn make_public(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_public(parent)?;
    }
    fs::create_dir(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o755))
}

/// Writes a temporary file next to the target, calls `finish` on it, and renames it to the target. The temporary file is a new one,
/// with this mode from the beginning (less the umask): neither a link of that name is followed, nor an old file written to.
fn replace_with(path: &Path, content: &[u8], mode: u32, finish: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let new = folder.join(format!(".{}.new", name.display()));
    // Left by a process that was killed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&new)?;
    let written = file.write_all(content).and_then(|()| finish(&file)).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_written_to_a_new_file_that_nobody_else_may_read() {
        let dir = tempfile::tempdir().unwrap();
        let (path, victim) = (dir.path().join("key.pem"), dir.path().join("victim"));
        fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join(".key.pem.new")).unwrap();
        let mode = |file: &File| file.metadata().unwrap().permissions().mode() & 0o777;
        replace_with(&path, b"secret", PRIVATE, |new| {
            assert_eq!(mode(new), 0o600);
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        replace_secret(&path, "another").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap(), mode(&File::open(&path).unwrap())), ("another".to_owned(), 0o600));
        replace_public(&path, "page").unwrap();
        assert_eq!(mode(&File::open(&path).unwrap()), 0o644);
        replace_as(&path, "shared", Owner::of(&path).unwrap(), 0o640).unwrap();
        assert_eq!(mode(&File::open(&path).unwrap()), 0o640);
        // As any new file.
        replace(&path, "text", Durability::ProcessExitSafe).unwrap();
        assert_eq!(mode(&File::open(&path).unwrap()), 0o666 & !umask());
    }

    /// Returns the umask of this process, as the kernel reports it.
    fn umask() -> u32 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap();
        u32::from_str_radix(umask.trim(), 8).unwrap()
    }
}
