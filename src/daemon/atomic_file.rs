//! Atomic file replacement: a file has either its old or its complete new content, even after a power cut.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::Path;

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
    replace_with(path, text.as_bytes(), File::sync_all)?;
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
    replace_with(path, content.as_ref(), |new| new.set_permissions(Permissions::from_mode(0o644)))
}

/// As [`replace`], for files that only the user of this process may read; the content survives a power cut.
///
/// # Errors
/// The write failed. The old content remains, or the content after a power cut is undefined.
pub fn replace_secret(path: &Path, text: &str) -> io::Result<()> {
    replace_with(path, text.as_bytes(), |new| {
        new.set_permissions(Permissions::from_mode(0o600))?;
        new.sync_all()
    })?;
    sync_folder_of(path)
}

/// As [`replace`], for a file with this owner and mode, regardless of the user and the umask of this process; the content survives a
/// power cut. Other users never see the file with another owner or mode.
///
/// # Errors
/// The write failed, or this process may not give the file to that user. The old content remains, or the content after a power cut
/// is undefined.
pub fn replace_as(path: &Path, text: &str, owner: Owner, mode: u32) -> io::Result<()> {
    replace_with(path, text.as_bytes(), |new| {
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

/// Writes a temporary file next to the target, calls `finish` on it, and renames it to the target.
fn replace_with(path: &Path, content: &[u8], finish: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let new = folder.join(format!(".{}.new", name.display()));
    let written = File::create(&new)
        .and_then(|mut file| file.write_all(content).and_then(|()| finish(&file)))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // It may not exist.
        let _ = fs::remove_file(&new);
    }
    written
}
