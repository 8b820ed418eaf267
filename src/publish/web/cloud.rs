//! The tournament in the format of LiveChess Cloud and as PGN, for programs that poll: served from memory, with the delay of the
//! public.

use super::etag;
use crate::daemon::DelayedView;
use crate::daemon::hub::feed::UpdateFeed;
use crate::publish::render::TournamentFiles;
use crate::round::Round;
use axum::body::Bytes;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Minimum interval between updates, as for games written to files.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// The files served under `/cloud`.
pub(super) struct CloudFiles {
    delayed_view: Arc<DelayedView>,
    cached: Mutex<CachedCloudGame>,
}

struct CachedCloudGame {
    updates: UpdateFeed,
    tournament: TournamentFiles,
    /// Entity tag and content, by path. Files of rounds that are no longer followed are kept until a name in them changes.
    files: BTreeMap<String, (String, Bytes)>,
    /// A hash of the names of each round.
    names: BTreeMap<u16, u64>,
    /// Whether there may be something new to publish.
    due: bool,
    at: Option<Instant>,
}

impl CloudFiles {
    /// Creates the files from this delayed view. `tags`: the configured tags of every game; `fide_ids`: whether FIDE IDs are public.
    pub(super) fn new(delayed_view: &Arc<DelayedView>, tags: Vec<(String, String)>, fide_ids: bool) -> CloudFiles {
        let (updates, tournament) = (delayed_view.subscribe(), TournamentFiles::new(tags).with_public_tags(fide_ids));
        let (files, names) = (BTreeMap::new(), BTreeMap::new());
        let cached = CachedCloudGame { updates, tournament, files, names, due: true, at: None };
        CloudFiles { delayed_view: Arc::clone(delayed_view), cached: Mutex::new(cached) }
    }

    /// Returns the entity tag and content of this path; `None` if there is no such file.
    pub(super) fn get(&self, path: &str) -> Option<(String, Bytes)> {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        while cached.updates.try_next().is_some() {
            cached.due = true;
        }
        if cached.due && cached.at.is_none_or(|at| at.elapsed() >= UPDATE_INTERVAL) {
            cached.update(&self.delayed_view);
        }
        cached.files.get(path).cloned()
    }
}

impl CachedCloudGame {
    fn update(&mut self, delayed_view: &DelayedView) {
        (self.due, self.at) = (false, Some(Instant::now()));
        self.tournament.follow(delayed_view);
        self.remove_changed_names(delayed_view);
        let now = self.tournament.format_files(delayed_view);
        // Remove the games of tables that no longer exist; rounds that are no longer followed stay unchanged.
        let rounds: Vec<String> = now.keys().filter_map(|path| Some(format!("{}/", path.split_once('/')?.0))).collect();
        self.files.retain(|path, _| now.contains_key(path) || !rounds.iter().any(|round| path.starts_with(round)));
        for (path, text) in now {
            if self.files.get(&path).is_none_or(|(_, known)| known != text.as_bytes()) {
                let tag = etag::entity_tag(text.as_bytes());
                self.files.insert(path, (tag, text.into()));
            }
        }
    }
    /// Removes the files of rounds in which a player has another name now. Those that are followed are made again.
    fn remove_changed_names(&mut self, delayed_view: &DelayedView) {
        let hash = |round: &Round| {
            let mut hasher = DefaultHasher::new();
            round.pairings.iter().for_each(|pairing| (&pairing.white.name, &pairing.black.name).hash(&mut hasher));
            hasher.finish()
        };
        let names: BTreeMap<u16, u64> =
            delayed_view.read(|state| state.desk.rounds.iter().map(|(number, round)| (*number, hash(round))).collect());
        for (number, _) in self.names.iter().filter(|(number, before)| names.get(number).is_some_and(|now| now != *before)) {
            let prefix = format!("round-{number}/");
            self.files.retain(|path, _| !path.starts_with(&prefix));
        }
        self.names = names;
    }
}
