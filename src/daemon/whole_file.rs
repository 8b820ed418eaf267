//! A file that is written whole, or stays what it was: also after a power cut.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// What the new content of a file has to survive. The file itself is always whole: this, or what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// A power cut: once it is written, nothing brings back what was there before.
    OverPowerCuts,
    /// The end of this program. After a power cut what was there before may be there again: for what is told again by others.
    WhilePowered,
}

/// Puts this text in the place of what was there; folders are made where they are missing. What watches the folder never sees it
/// unfinished under a name of its kind. Waits for the disk.
///
/// # Errors
/// The disk takes it not; what was there stays, or what a power cut leaves is not known.
pub fn replace(path: &Path, text: &str, lasting: Lasting) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder, 0o777)?;
    }
    put(path, text, File::sync_all)?;
    if lasting == Lasting::OverPowerCuts { sync_folder_of(path) } else { Ok(()) }
}

/// The same for what everybody may read, whatever else this program writes: files and the folders that are made are so, and survive
/// the end of this program. It waits for no disk: a power cut may leave a part of what was written in the last half minute. A folder
/// that is there already stays as it is.
///
/// # Errors
/// The disk takes it not; what was there stays.
pub fn replace_public(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_public(folder)?;
    }
    // Explicitly: the mask of this program (umask(2)) is that of the journal.
    put(path, text, |new| new.set_permissions(Permissions::from_mode(0o644)))
}

/// The same as [`replace`] for what nobody may read but the user of this program; it survives a power cut.
///
/// # Errors
/// The disk takes it not; what was there stays, or what a power cut leaves is not known.
pub fn replace_secret(path: &Path, text: &str) -> io::Result<()> {
    put(path, text, |new| {
        new.set_permissions(Permissions::from_mode(0o600))?;
        new.sync_all()
    })?;
    sync_folder_of(path)
}

/// Makes this folder and those above it where they are missing, with this mode, so that they survive a power cut.
///
/// # Errors
/// The disk takes it not, or something else has that name.
pub fn make_folder(folder: &Path, mode: u32) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folder(above, mode)?;
    }
    match DirBuilder::new().mode(mode).create(folder) {
        // Somebody else has made it meanwhile.
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        made => made?,
    }
    sync_folder_of(folder)
}

/// Makes the names in the folder of this file last.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn make_public(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_public(above)?;
    }
    fs::create_dir(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o755))
}

/// Writes it beside what is there, makes it ready, and puts it in its place.
fn put(path: &Path, text: &str, ready: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let new = folder.join(format!(".{}.new", name.display()));
    let written = File::create(&new)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| ready(&file)))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // It may never have been there.
        let _ = fs::remove_file(&new);
    }
    written
}
