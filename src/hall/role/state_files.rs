//! The files of the state directory that the other hub goes on with: the hashes of tokens and sessions, and how far games are on Lichess.

use crate::daemon::atomic_file::{Durability, make_folder, replace, replace_secret};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// The files with secrets.
const SECRETS: [&str; 2] = ["tokens.json", "sessions.json"];
/// The directory with a directory for each round on Lichess.
const LICHESS: &str = "lichess";

/// What distinguishes one version of a file from the next.
type Version = (u64, u64, i64, i64);

/// Watches these files, which are read only when they have changed.
pub(super) struct StateFiles {
    dir: PathBuf,
    versions: BTreeMap<String, Version>,
}

impl StateFiles {
    /// Watches the files of this state directory.
    pub(super) fn new(dir: &Path) -> StateFiles {
        StateFiles { dir: dir.to_owned(), versions: BTreeMap::new() }
    }

    /// Returns the files that have changed since the last call, by their paths in the directory; `None`: it was removed. A file that
    /// cannot be read now is among them at the next call.
    pub(super) fn changed(&mut self) -> Vec<(String, Option<String>)> {
        let mut changed = Vec::new();
        let present = paths(&self.dir);
        self.versions.retain(|path, _| {
            let is_present = present.contains(path);
            if !is_present {
                changed.push((path.clone(), None));
            }
            is_present
        });
        for path in present {
            let file = self.dir.join(&path);
            let Ok(metadata) = fs::metadata(&file) else { continue };
            let version = (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
            if self.versions.get(&path) == Some(&version) {
                continue;
            }
            if let Ok(text) = fs::read_to_string(&file) {
                self.versions.insert(path.clone(), version);
                changed.push((path, Some(text)));
            }
        }
        changed
    }

    /// Forgets what was returned.
    pub(super) fn forget(&mut self) {
        self.versions.clear();
    }
}

/// Returns the paths of the files that there are.
fn paths(dir: &Path) -> BTreeSet<String> {
    let mut paths: BTreeSet<String> =
        SECRETS.iter().filter(|name| dir.join(name).is_file()).map(|name| (*name).to_owned()).collect();
    let names = |dir: &Path| -> Vec<String> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    };
    for round in names(&dir.join(LICHESS)) {
        let games = names(&dir.join(LICHESS).join(&round)).into_iter().map(|name| format!("{LICHESS}/{round}/{name}"));
        paths.extend(games.filter(|path| is_copied(path)));
    }
    paths
}

/// Returns whether a path is that of a file that is copied.
fn is_copied(path: &str) -> bool {
    let parts: Vec<Component<'_>> = Path::new(path).components().collect();
    let is_plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    let is_game = parts.len() == 3 && path.starts_with("lichess/") && path.ends_with(".json") && !path.contains("/.");
    is_plain && (is_game || SECRETS.contains(&path))
}

/// Replaces the files of this state directory by those of another hub. `files`: their contents, by path, `None` if the file was removed;
/// what is not among them is removed, unless the other hub never had any.
///
/// # Errors
/// A file cannot be written or removed.
pub(super) fn adopt(dir: &Path, files: &BTreeMap<String, Option<String>>) -> io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    for path in paths(dir).into_iter().filter(|path| !matches!(files.get(path), Some(Some(_)))) {
        fs::remove_file(dir.join(path))?;
    }
    let present = files.iter().filter_map(|(path, text)| Some((path, text.as_ref()?)));
    for (path, text) in present.filter(|(path, _)| is_copied(path)) {
        let file = dir.join(path);
        if fs::read_to_string(&file).is_ok_and(|known| known == *text) {
            continue;
        }
        match SECRETS.contains(&path.as_str()) {
            true => replace_secret(&file, text)?,
            false => {
                file.parent().map_or(Ok(()), |folder| make_folder(folder, 0o750))?;
                replace(&file, text, Durability::PowerCutSafe)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_adopted_and_nothing_else() {
        let (one, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let write = |dir: &Path, path: &str, text: &str| {
            let file = dir.join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        };
        write(one.path(), "tokens.json", "[1]");
        write(one.path(), "lichess/AbCd/game-1.json", "{}");
        write(one.path(), "journal.sqlite3", "no");
        let mut files = StateFiles::new(one.path());
        let found = files.changed();
        assert_eq!(found.len(), 2);
        assert_eq!(files.changed(), []);
        write(other.path(), "tokens.json", "[0]");
        write(other.path(), "lichess/AbCd/game-2.json", "{}");
        let mut found: BTreeMap<String, Option<String>> = found.into_iter().collect();
        found.insert("../elsewhere.json".to_owned(), Some("no".to_owned()));
        adopt(other.path(), &found).expect("written");
        let read = |path: &str| fs::read_to_string(other.path().join(path)).ok();
        assert_eq!(read("tokens.json").as_deref(), Some("[1]"));
        assert_eq!(read("lichess/AbCd/game-1.json").as_deref(), Some("{}"));
        assert_eq!(read("lichess/AbCd/game-2.json"), None);
        fs::remove_file(one.path().join("tokens.json")).expect("removed");
        let removed = files.changed();
        assert_eq!(removed, [("tokens.json".to_owned(), None)]);
        adopt(other.path(), &removed.into_iter().collect()).expect("removed");
        assert_eq!(read("tokens.json"), None);
    }
}
