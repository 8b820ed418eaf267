//! Stores in a file what has been released to the public. After a restart exactly that is public again; all else waits for the
//! whole delay. An event's age is not computed from the system clock, because that of a small computer may have been hours wrong.

use crate::daemon::atomic_file::{Durability, replace};
use crate::game::{Delay, DelayPolicy, IllegalMoves, ReleaseState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io};
use tokio::time::Instant;
use tracing::warn;

/// Name of the file in the state directory.
pub const RELEASE_FILE: &str = "public.json";

/// Shortest interval between writes of the file.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// How much of each game has been released.
#[derive(Default)]
pub(super) struct ReleaseLog {
    /// `None`: not stored.
    path: Option<PathBuf>,
    games: BTreeMap<u64, StoredRelease>,
    /// When the next write is due.
    due: Option<Instant>,
    failed: bool,
    /// Number of writes begun, and that of the last one that succeeded: an older one must not replace it.
    begun: u64,
    written: Arc<Mutex<u64>>,
}

/// How much of a game has been released, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredRelease {
    /// Wall-clock time of its board's time 0. It distinguishes the game from one with the same number in another journal.
    epoch_wall_ms: i64,
    /// Number of its last released event.
    number: u64,
    /// Number of released events. `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    released: Option<u64>,
    /// See [`ReleaseState::checkpoints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checkpoints: Vec<(u64, u64)>,
    /// See [`ReleaseState::stricter`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stricter: Option<StoredPolicy>,
}

impl StoredRelease {
    /// `number`: that of the last released event.
    pub(super) fn new(epoch_wall_ms: i64, number: u64, released: &ReleaseState) -> StoredRelease {
        let ReleaseState { count, checkpoints, stricter } = released.clone();
        StoredRelease { epoch_wall_ms, number, released: Some(count), checkpoints, stricter: stricter.map(Into::into) }
    }

    /// Returns the state of a game of which nothing has been released.
    pub fn nothing(epoch_wall_ms: i64) -> StoredRelease {
        StoredRelease::new(epoch_wall_ms, 0, &ReleaseState::default())
    }

    /// Returns the state of the same game in the journal of this hub, which counts its time from then.
    #[must_use]
    pub fn with_epoch(self, epoch_wall_ms: i64) -> StoredRelease {
        StoredRelease { epoch_wall_ms, ..self }
    }

    /// Hides all events that have not been released by this policy, too: they were hidden by it at another hub.
    #[must_use]
    pub fn hidden_by(mut self, policy: DelayPolicy) -> StoredRelease {
        let policy = self.stricter.map_or(policy, |stored| <(u64, DelayPolicy)>::from(stored).1.strictest(policy));
        self.stricter = Some((u64::MAX, policy).into());
        self
    }
}

/// Adds to the file at `path` how much of games has been released at another hub, by their numbers here. What it says of other games
/// stays.
///
/// # Errors
/// The file cannot be written.
pub fn adopt_releases(path: &Path, games: BTreeMap<u64, StoredRelease>) -> io::Result<()> {
    let mut release_log = ReleaseLog::load(path.to_owned());
    release_log.games.extend(games);
    replace(path, &serde_json::to_string(&release_log.games).unwrap_or_default(), Durability::PowerCutSafe)
}

/// The policy of the events up to a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct StoredPolicy {
    up_to: u64,
    delay_ms: u64,
    delay_plies: u32,
    hold_illegal: bool,
}

impl From<(u64, DelayPolicy)> for StoredPolicy {
    fn from((up_to, DelayPolicy { delay, illegal_moves }): (u64, DelayPolicy)) -> StoredPolicy {
        let hold_illegal = illegal_moves == IllegalMoves::Hold;
        StoredPolicy { up_to, delay_ms: delay.ms, delay_plies: delay.plies, hold_illegal }
    }
}

impl From<StoredPolicy> for (u64, DelayPolicy) {
    fn from(stored: StoredPolicy) -> (u64, DelayPolicy) {
        let delay = Delay { ms: stored.delay_ms, plies: stored.delay_plies };
        let illegal_moves = if stored.hold_illegal { IllegalMoves::Hold } else { IllegalMoves::Show };
        (stored.up_to, DelayPolicy { delay, illegal_moves })
    }
}

/// How much of a game had been released before a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PriorRelease {
    /// The exact state.
    Released(ReleaseState),
    /// All events up to this number, with their corrections applied. Older versions stored only this.
    UpTo(u64),
}

impl PriorRelease {
    /// Returns which events an earlier policy hides, see [`ReleaseState::stricter`].
    pub(super) fn stricter(&self) -> Option<(u64, DelayPolicy)> {
        match self {
            PriorRelease::Released(released) => released.stricter,
            PriorRelease::UpTo(_) => None,
        }
    }
}

impl ReleaseLog {
    /// Loads the file. Unreadable content counts as not released.
    pub(super) fn load(path: PathBuf) -> ReleaseLog {
        let games = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|error| {
                warn!("{} is invalid ({error}): all events wait for the whole delay", path.display());
                BTreeMap::new()
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    warn!("{} cannot be read ({error}): all events wait for the whole delay", path.display());
                }
                BTreeMap::new()
            }
        };
        ReleaseLog { path: Some(path), games, ..ReleaseLog::default() }
    }

    /// Returns how much of this game has been released; `None`: nothing.
    pub(super) fn released(&self, game: u64, epoch_wall_ms: i64) -> Option<PriorRelease> {
        let game = self.games.get(&game).filter(|known| known.epoch_wall_ms == epoch_wall_ms)?;
        let stricter = game.stricter.map(Into::into);
        let released = |count| ReleaseState { count, checkpoints: game.checkpoints.clone(), stricter };
        Some(game.released.map_or(PriorRelease::UpTo(game.number), |count| PriorRelease::Released(released(count))))
    }

    /// Records that this much of a game has been released, up to the event with this number.
    pub(super) fn record(&mut self, game: u64, epoch_wall_ms: i64, number: u64, released: &ReleaseState) {
        self.games.insert(game, StoredRelease::new(epoch_wall_ms, number, released));
        self.due = self.due.or(self.path.is_some().then(|| Instant::now() + WRITE_INTERVAL));
    }

    /// As [`ReleaseLog::record`], with the number that is known.
    pub(super) fn record_released(&mut self, game: u64, epoch_wall_ms: i64, released: &ReleaseState) {
        let number = self.games.get(&game).filter(|known| known.epoch_wall_ms == epoch_wall_ms).map_or(0, |known| known.number);
        self.record(game, epoch_wall_ms, number, released);
    }

    /// Records that this policy hides every event of the games that are not present.
    pub(super) fn hide_absent(&mut self, is_present: impl Fn(u64) -> bool, policy: DelayPolicy) {
        for (_, stored) in self.games.iter_mut().filter(|(game, _)| !is_present(**game)) {
            *stored = stored.clone().hidden_by(policy);
        }
    }

    /// Returns all games.
    pub(super) fn games(&self) -> &BTreeMap<u64, StoredRelease> {
        &self.games
    }

    /// Returns whether events of any game are hidden by an earlier, stricter policy.
    pub(super) fn has_stricter(&self) -> bool {
        self.games.values().any(|stored| stored.stricter.is_some())
    }

    /// Removes games before this one.
    pub(super) fn forget_before(&mut self, game: u64) {
        self.games = self.games.split_off(&game);
    }

    /// Returns when [`ReleaseLog::begin_write`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the write that is due, for a thread that may block on the disk; `None`: nothing.
    pub(super) fn begin_write(&mut self) -> Option<PendingWrite> {
        let path = self.path.clone().filter(|_| self.due.take().is_some())?;
        self.begun += 1;
        // This cannot fail: the JSON contains only numbers.
        let text = serde_json::to_string(&self.games).unwrap_or_default();
        Some(PendingWrite { path, text, number: self.begun, written: Arc::clone(&self.written) })
    }

    /// Handles a write's outcome. After a failure the data is written together with the next release; until then, a restart makes
    /// the public wait longer, never less.
    pub(super) fn finish_write(&mut self, outcome: io::Result<()>) {
        if let (Err(error), Some(path), false) = (&outcome, &self.path, self.failed) {
            warn!("{} cannot be written ({error}): free some space, or let touchmoved write there", path.display());
        }
        self.failed = outcome.is_err();
    }

    /// Writes pending changes and waits for the disk.
    pub(super) fn write_now(&mut self) {
        if let Some(writing) = self.begin_write() {
            self.finish_write(writing.write());
        }
    }
}

/// A pending write of the file.
pub(super) struct PendingWrite {
    path: PathBuf,
    text: String,
    number: u64,
    written: Arc<Mutex<u64>>,
}

impl PendingWrite {
    /// Writes the file, unless a later write has already done so.
    ///
    /// # Errors
    /// The write failed.
    pub(super) fn write(self) -> io::Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if *written < self.number {
            // Nothing else stores what was released in which order: without it clients could get other events under the same
            // numbers.
            replace(&self.path, &self.text, Durability::PowerCutSafe)?;
            *written = self.number;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released(count: u64) -> ReleaseState {
        let delay = Delay { ms: 900_000, plies: 2 };
        let policy = DelayPolicy { delay, illegal_moves: IllegalMoves::Show };
        ReleaseState { count, checkpoints: vec![(2, 1)], stricter: Some((6, policy)) }
    }

    #[test]
    fn released_events_are_known_after_a_restart_and_for_that_game_only() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        let mut log = ReleaseLog::load(path.clone());
        assert!(log.released(7, 1_000).is_none() && log.due().is_none());
        log.record(7, 1_000, 3, &released(3));
        log.record(7, 1_000, 4, &released(4));
        log.record(3, 900, 9, &ReleaseState::default());
        assert!(log.due().is_some());
        log.write_now();
        let mut log = ReleaseLog::load(path.clone());
        assert_eq!(log.released(7, 1_000), Some(PriorRelease::Released(released(4))));
        assert_eq!(log.released(3, 900), Some(PriorRelease::Released(ReleaseState::default())));
        // Another journal has other games with these numbers.
        assert_eq!(log.released(7, 1_001), None);
        log.forget_before(7);
        assert!(log.released(7, 1_000).is_some() && log.released(3, 900).is_none());
        std::fs::write(&path, "x").expect("a file");
        assert_eq!(ReleaseLog::load(path).released(7, 1_000), None);
    }

    #[test]
    fn a_policy_change_hides_all_of_a_game_that_is_not_loaded() {
        let mut log = ReleaseLog::default();
        log.record(1, 7, 4, &released(4));
        log.record(2, 7, 4, &ReleaseState::default());
        let policy = DelayPolicy { delay: Delay { ms: 5, plies: 9 }, illegal_moves: IllegalMoves::Hold };
        log.hide_absent(|game| game == 2, policy);
        let stricter = |game| log.released(game, 7).and_then(|prior| prior.stricter());
        let both = DelayPolicy { delay: Delay { ms: 900_000, plies: 9 }, illegal_moves: IllegalMoves::Hold };
        assert_eq!((stricter(1), stricter(2)), (Some((u64::MAX, both)), None));
    }

    #[test]
    fn what_was_public_at_another_hub_is_adopted_and_all_else_stays_hidden() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        let mut log = ReleaseLog::load(path.clone());
        log.record(3, 900, 9, &ReleaseState::default());
        log.write_now();
        let state = ReleaseState { count: 4, checkpoints: vec![(3, 2)], stricter: None };
        let there = DelayPolicy { delay: Delay { ms: 900_000, plies: 0 }, illegal_moves: IllegalMoves::Show };
        let adopted = StoredRelease::new(1_000, 5, &state).hidden_by(there);
        let games = BTreeMap::from([(7, adopted), (8, StoredRelease::nothing(1_100).hidden_by(there))]);
        adopt_releases(&path, games).expect("written");
        let log = ReleaseLog::load(path);
        let expected = ReleaseState { stricter: Some((u64::MAX, there)), ..state };
        assert_eq!(log.released(7, 1_000), Some(PriorRelease::Released(expected)));
        let nothing = ReleaseState { stricter: Some((u64::MAX, there)), ..ReleaseState::default() };
        assert_eq!(log.released(8, 1_100), Some(PriorRelease::Released(nothing)));
        assert!(log.released(3, 900).is_some());
    }

    #[test]
    fn an_older_write_does_not_replace_a_newer_one() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        let mut log = ReleaseLog::load(path.clone());
        log.record(7, 1_000, 3, &released(3));
        let older = log.begin_write().expect("a write");
        log.record(7, 1_000, 4, &released(4));
        log.write_now();
        older.write().expect("written");
        assert_eq!(ReleaseLog::load(path).released(7, 1_000), Some(PriorRelease::Released(released(4))));
    }

    #[test]
    fn a_file_of_an_older_version_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        std::fs::write(&path, r#"{"7":{"epoch_wall_ms":1000,"number":4}}"#).expect("a file");
        assert_eq!(ReleaseLog::load(path).released(7, 1_000), Some(PriorRelease::UpTo(4)));
    }
}
