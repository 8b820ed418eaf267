//! A file that is written whole, or stays what it was.

use std::fs;
use std::io;
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
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    fs::create_dir_all(folder)?;
    let new = folder.join(format!(".{}.new", name.display()));
    let written = fs::write(&new, text)
        .and_then(|()| if lasting == Lasting::OverPowerCuts { fs::File::open(&new)?.sync_all() } else { Ok(()) })
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // It may never have been there.
        let _ = fs::remove_file(&new);
    }
    written
}
