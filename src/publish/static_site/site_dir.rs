//! The directory of the exported page.

use super::stored_games::StoredGames;
use crate::daemon::atomic_file::replace_public;
use crate::publish::engine_files::FILES as ENGINE_FILES;
use crate::publish::public::{PageForm, PublicPath, PublicTournament, View, seq_of};
use crate::publish::web::page::public_files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{fs, io};

/// The file that lists the files written here, so that those of an earlier event can be removed.
const LIST: &str = ".touchmove.json";

/// The directory, and what is known of its content.
pub(super) struct SiteDir {
    dir: PathBuf,
    form: PageForm<'static>,
    /// The directory of the engine that evaluates positions.
    engine: PathBuf,
    /// The number of the change with which each file was last written or found to be current.
    written: BTreeMap<String, u64>,
    /// Files that existed before this process started.
    existing: BTreeSet<String>,
    /// Whether the files that the pages load, and the list of files, have been written.
    is_begun: bool,
}

impl SiteDir {
    /// Creates the state of a directory. `form`: how pages are made.
    pub(super) fn new(dir: PathBuf, form: PageForm<'static>, engine: PathBuf) -> SiteDir {
        let list = fs::read(dir.join(LIST)).ok().and_then(|list| serde_json::from_slice(&list).ok());
        let mut existing: BTreeSet<String> = list.unwrap_or_default();
        // Whoever can write the list must not be able to have other files removed.
        existing.retain(|name| is_site_file(name));
        SiteDir { dir, form, engine, written: BTreeMap::new(), existing, is_begun: false }
    }

    /// Writes the files whose content has changed, and removes those that are none any more. Adds the paths of these to `changed`.
    ///
    /// # Errors
    /// A file cannot be written; the others are. Returns a sentence that says what to do.
    pub(super) fn write(
        &mut self,
        tournament: &PublicTournament,
        address: Option<&str>,
        changed: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let mut first_error = None;
        let mut paths = tournament.paths(address.is_some());
        // Whoever reads these finds everything to which they refer.
        paths.sort_by_key(|path| matches!(path, PublicPath::Event | PublicPath::Page(View::Event)));
        let mut names: BTreeSet<String> = public_files().map(|(name, _)| format!("page/{name}")).collect();
        names.extend(paths.iter().map(PublicPath::file_name));
        if tournament.allows_evaluation() {
            names.extend(ENGINE_FILES.iter().map(|file| engine_name(file.name)));
        }
        // A file that is not in the list would never be removed.
        let listed = self.existing.iter().chain(self.written.keys()).chain(&names).cloned().collect();
        self.write_list(listed, &mut first_error);
        if !self.is_begun {
            for (name, bytes) in public_files() {
                self.replace(format!("page/{name}"), 1, bytes, changed, &mut first_error);
            }
            self.is_begun = first_error.is_none();
        }
        let dir = self.dir.clone();
        let stored = StoredGames::find(&dir, tournament, |name| self.written.contains_key(name));
        if tournament.allows_evaluation() {
            self.write_engine(changed, &mut first_error);
        }
        let form = PageForm { address, ..self.form };
        for path in &paths {
            let name = path.file_name();
            let Some(seq) = seq_of(tournament, *path).filter(|_| !stored.keeps(*path)) else { continue };
            if self.written.get(&name) == Some(&seq) {
                continue;
            }
            if let Some(document) = stored.render(tournament, *path, &paths, &form) {
                self.replace(name, seq, document.text.as_bytes(), changed, &mut first_error);
            }
        }
        self.remove_others(tournament, &names, &stored, changed, &mut first_error);
        first_error.map_or(Ok(()), |(path, error)| {
            Err(format!(
                "{} cannot be written ({error}): give touchmoved write access to that folder, or set another one as dir in [publish_static]; touchmove tries again",
                self.dir.join(path).display()
            ))
        })
    }

    /// Writes the engine's files.
    fn write_engine(&mut self, changed: &mut BTreeSet<String>, first_error: &mut Option<(String, io::Error)>) {
        for file in &ENGINE_FILES {
            let name = engine_name(file.name);
            if !self.written.contains_key(&name) {
                match fs::read(self.engine.join(file.name)) {
                    Ok(bytes) => self.replace(name, 1, &bytes, changed, first_error),
                    Err(error) => _ = first_error.get_or_insert((name, error)),
                }
            }
        }
    }

    /// Replaces a file if its content differs.
    fn replace(
        &mut self,
        name: String,
        seq: u64,
        content: &[u8],
        changed: &mut BTreeSet<String>,
        first_error: &mut Option<(String, io::Error)>,
    ) {
        let path = self.dir.join(&name);
        let is_same = fs::read(&path).is_ok_and(|existing| existing == content);
        if !is_same {
            match replace_public(&path, content) {
                Ok(()) => _ = changed.insert(name.clone()),
                Err(error) => {
                    first_error.get_or_insert((name, error));
                    return;
                }
            }
        }
        self.written.insert(name, seq);
    }

    /// Removes the files of tables and rounds that do not exist any more, and writes the list of all others.
    fn remove_others(
        &mut self,
        tournament: &PublicTournament,
        names: &BTreeSet<String>,
        stored: &StoredGames<'_>,
        changed: &mut BTreeSet<String>,
        first_error: &mut Option<(String, io::Error)>,
    ) {
        let before: BTreeSet<String> = self.existing.iter().chain(self.written.keys()).cloned().collect();
        let is_kept = |name: &str| PublicPath::parse(name).is_some_and(|path| stored.has(path));
        // Without a round, boards that have not appeared yet may still have games.
        let may_remove = |name: &String| tournament.has_rounds() || self.written.contains_key(name);
        let removed: Vec<String> =
            before.iter().filter(|name| !names.contains(*name) && !is_kept(name) && may_remove(name)).cloned().collect();
        let mut after = before.clone();
        for name in removed {
            match fs::remove_file(self.dir.join(&name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    first_error.get_or_insert((name, error));
                    continue;
                }
                _ => _ = changed.insert(name.clone()),
            }
            after.remove(&name);
            self.written.remove(&name);
        }
        self.write_list(after, first_error);
    }

    /// Writes the list of files if it has changed.
    fn write_list(&mut self, files: BTreeSet<String>, first_error: &mut Option<(String, io::Error)>) {
        if files != self.existing
            && let Ok(list) = serde_json::to_string(&files)
        {
            match replace_public(&self.dir.join(LIST), list) {
                Ok(()) => self.existing = files,
                Err(error) => _ = first_error.get_or_insert((LIST.to_owned(), error)),
            }
        }
    }
}

/// Returns the name of a file of the engine.
fn engine_name(file: &str) -> String {
    format!("page/engine/{file}")
}

/// Returns whether this is the name of a file of the page.
fn is_site_file(name: &str) -> bool {
    PublicPath::parse(name).is_some_and(|path| path.file_name() == name)
        || public_files().any(|(file, _)| name.strip_prefix("page/") == Some(file))
        || ENGINE_FILES.iter().any(|file| engine_name(file.name) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_page_are_read_from_the_list() {
        for name in
            ["index.html", "round/3/table/14.html", "public/round/3.pgn", "page/engine/stockfish.wasm", "standings.html"]
        {
            assert!(is_site_file(name), "{name}");
        }
        for name in ["", "../index.html", "/etc/passwd", "round/3", "page/../../x", "public/../x", "page/x.js"] {
            assert!(!is_site_file(name), "{name}");
        }
    }
}
