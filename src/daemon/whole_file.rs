//! A file that is written whole, or stays what it was.

use std::fs;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What a file has to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// A power cut: it is on the disk before it takes the place of the old one.
    OverPowerCuts,
    /// The end of this program. What is written every second would wear out a memory card otherwise.
    WhilePowered,
}

/// Puts this text in the place of what was there; folders are made where they are missing. What watches the folder never sees it
/// unfinished under a name of its kind.
///
/// # Errors
/// The disk takes it not; what was there stays.
pub fn replace(path: &Path, text: &str, lasting: Lasting) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    put(path, text, |new| if lasting == Lasting::OverPowerCuts { fs::File::open(new)?.sync_all() } else { Ok(()) })
}

/// The same for what everybody may read, whatever else this program writes: files and the folders that are made are so, files that
/// survive the end of this program. A folder that is there already stays as it is.
///
/// # Errors
/// The disk takes it not; what was there stays.
pub fn replace_public(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_public(folder)?;
    }
    // Explicitly: the mask of this program (umask(2)) is that of the journal.
    put(path, text, |new| fs::set_permissions(new, Permissions::from_mode(0o644)))
}

/// The same for what nobody may read but the user of this program, and what has to survive a power cut.
///
/// # Errors
/// The disk takes it not; what was there stays.
pub fn replace_secret(path: &Path, text: &str) -> io::Result<()> {
    put(path, text, |new| {
        fs::set_permissions(new, Permissions::from_mode(0o600))?;
        fs::File::open(new)?.sync_all()
    })
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
fn put(path: &Path, text: &str, ready: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let new = folder.join(format!(".{}.new", name.display()));
    let written = fs::write(&new, text).and_then(|()| ready(&new)).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // It may never have been there.
        let _ = fs::remove_file(&new);
    }
    written
}
