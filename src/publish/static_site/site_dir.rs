//! The directory of the exported page.

use crate::daemon::atomic_file::replace_public;
use crate::publish::engine_files::FILES as ENGINE_FILES;
use crate::publish::public::{PageForm, PublicPath, PublicTournament, View, render, seq_of};
use crate::publish::web::page::public_files;
use serde_json::Value;
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
        SiteDir { dir, form, engine, written: BTreeMap::new(), existing: list.unwrap_or_default(), is_begun: false }
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
        if !self.is_begun {
            for (name, bytes) in public_files() {
                self.replace(format!("page/{name}"), 1, bytes, changed, &mut first_error);
            }
            self.is_begun = first_error.is_none();
        }
        let mut paths = tournament.paths(address.is_some());
        // Whoever reads these finds everything to which they refer.
        paths.sort_by_key(|path| matches!(path, PublicPath::Event | PublicPath::Page(View::Event)));
        let kept = tournament.rounds_without_games(|path, names| self.has_game(path, names));
        let mut names: BTreeSet<String> = public_files().map(|(name, _)| format!("page/{name}")).collect();
        if tournament.allows_evaluation() {
            names.extend(self.write_engine(changed, &mut first_error));
        }
        for path in paths {
            let name = path.file_name();
            names.insert(name.clone());
            let Some(seq) = seq_of(tournament, path).filter(|_| !path.round().is_some_and(|round| kept.contains(&round)))
            else {
                continue;
            };
            if self.written.get(&name) == Some(&seq) {
                continue;
            }
            if let Some(document) = render(tournament, path, &PageForm { address, ..self.form }) {
                self.replace(name, seq, document.text.as_bytes(), changed, &mut first_error);
            }
        }
        self.remove_others(tournament, &names, &kept, changed, &mut first_error);
        first_error.map_or(Ok(()), |(path, error)| {
            Err(format!(
                "{} cannot be written ({error}): give touchmoved write access to that folder, or set another one as dir in [publish_static]; touchmove tries again",
                self.dir.join(path).display()
            ))
        })
    }

    /// Writes the engine's files; returns their names.
    fn write_engine(&mut self, changed: &mut BTreeSet<String>, first_error: &mut Option<(String, io::Error)>) -> Vec<String> {
        let mut names = Vec::new();
        for file in &ENGINE_FILES {
            let name = format!("page/engine/{}", file.name);
            if !self.written.contains_key(&name) {
                match fs::read(self.engine.join(file.name)) {
                    Ok(bytes) => self.replace(name.clone(), 1, &bytes, changed, first_error),
                    Err(error) => _ = first_error.get_or_insert((name.clone(), error)),
                }
            }
            names.push(name);
        }
        names
    }

    /// Returns whether a file has a game of the players with these names.
    fn has_game(&self, path: PublicPath, [white, black]: [&str; 2]) -> bool {
        let game = || -> Option<Value> { serde_json::from_slice(&fs::read(self.dir.join(path.file_name())).ok()?).ok() };
        game().is_some_and(|game| game["white"]["name"] == white && game["black"]["name"] == black)
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
        kept: &BTreeSet<u16>,
        changed: &mut BTreeSet<String>,
        first_error: &mut Option<(String, io::Error)>,
    ) {
        let before: BTreeSet<String> = self.existing.iter().chain(self.written.keys()).cloned().collect();
        let is_kept =
            |name: &str| PublicPath::parse(name).and_then(|path| path.round()).is_some_and(|round| kept.contains(&round));
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
        if after != self.existing
            && let Ok(list) = serde_json::to_string(&after)
        {
            match replace_public(&self.dir.join(LIST), list) {
                Ok(()) => self.existing = after,
                Err(error) => _ = first_error.get_or_insert((LIST.to_owned(), error)),
            }
        }
    }
}
