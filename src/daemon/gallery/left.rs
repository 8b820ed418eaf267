//! What has left for the public, kept in a file: after a start it is public still, and nothing else is before the whole delay has
//! passed again. No time of day says how old an event is, because that of a small computer may have been hours wrong.

use crate::daemon::whole_file::{Lasting, replace};
use crate::game::Released;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use std::{fs, io};
use tokio::time::Instant;
use tracing::warn;

/// The file is written this often at most.
const EVERY: Duration = Duration::from_secs(1);

/// How far each game has left.
#[derive(Default)]
pub struct Left {
    /// `None`: it is not kept.
    path: Option<PathBuf>,
    games: BTreeMap<u64, Game>,
    /// When something has to be written.
    due: Option<Instant>,
    failed: bool,
}

/// What is kept of a game.
#[derive(Clone, Serialize, Deserialize)]
struct Game {
    /// The time of day at its board's time 0, which tells it from a game of the same number in another journal.
    epoch_wall_ms: i64,
    /// The number of its last event that has left.
    number: u64,
    /// Events that have left. `None` in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    released: Option<u64>,
    /// As [`Released::checkpoints`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checkpoints: Vec<(u64, u64)>,
}

/// How much of a game had left before a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Exactly.
    Released(Released),
    /// All up to the event with this number, with the corrections among them taken in: all that older versions kept.
    UpTo(u64),
}

impl Left {
    /// As it was kept in this file. What cannot be read there has not left.
    pub fn kept_in(path: PathBuf) -> Left {
        let games = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|why| {
                warn!("{} is not what was written there ({why}): the public waits for the whole delay", path.display());
                BTreeMap::new()
            }),
            Err(why) => {
                if why.kind() != io::ErrorKind::NotFound {
                    warn!("{} cannot be read ({why}): the public waits for the whole delay", path.display());
                }
                BTreeMap::new()
            }
        };
        Left { path: Some(path), games, ..Left::default() }
    }

    /// How much of this game has left; `None`: nothing.
    pub fn known(&self, game: u64, epoch_wall_ms: i64) -> Option<Known> {
        let game = self.games.get(&game).filter(|known| known.epoch_wall_ms == epoch_wall_ms)?;
        let released = |count| Released { count, checkpoints: game.checkpoints.clone() };
        Some(game.released.map_or(Known::UpTo(game.number), |count| Known::Released(released(count))))
    }

    /// So much of it has left, the last event with this number.
    pub fn note(&mut self, game: u64, epoch_wall_ms: i64, number: u64, released: &Released) {
        let Released { count, checkpoints } = released.clone();
        self.games.insert(game, Game { epoch_wall_ms, number, released: Some(count), checkpoints });
        self.due = self.due.or(self.path.is_some().then(|| Instant::now() + EVERY));
    }

    /// Forgets games before this one.
    pub fn forget_before(&mut self, game: u64) {
        self.games = self.games.split_off(&game);
    }

    /// When [`Left::begin_keeping`] has something to do.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// What is to be written now, by a thread that may wait for the disk; `None`: nothing.
    pub fn begin_keeping(&mut self) -> Option<Writing> {
        let path = self.path.clone().filter(|_| self.due.take().is_some())?;
        // It is JSON of numbers.
        Some(Writing { path, text: serde_json::to_string(&self.games).unwrap_or_default() })
    }

    /// What became of it. Where that failed it is written with what leaves next: the public waits longer after a start, and no less.
    pub fn kept(&mut self, outcome: io::Result<()>) {
        if let (Err(why), Some(path), false) = (&outcome, &self.path, self.failed) {
            warn!("{} cannot be written ({why}): make room, or let touchmoved write there", path.display());
        }
        self.failed = outcome.is_err();
    }

    /// Writes what has changed, and waits for the disk.
    pub fn keep(&mut self) {
        if let Some(writing) = self.begin_keeping() {
            self.kept(writing.write());
        }
    }
}

/// What is to stand in the file.
pub struct Writing {
    path: PathBuf,
    text: String,
}

impl Writing {
    /// Writes it.
    ///
    /// # Errors
    /// The disk takes it not.
    pub fn write(self) -> io::Result<()> {
        // Nothing else knows what has left, and in which order: a client would be told the same numbers with something else.
        replace(&self.path, &self.text, Lasting::OverPowerCuts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released(count: u64) -> Released {
        Released { count, checkpoints: vec![(2, 1)] }
    }

    #[test]
    fn what_has_left_is_known_after_a_start_and_of_that_game_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        let mut left = Left::kept_in(path.clone());
        assert!(left.known(7, 1_000).is_none() && left.due().is_none());
        left.note(7, 1_000, 3, &released(3));
        left.note(7, 1_000, 4, &released(4));
        left.note(3, 900, 9, &Released::default());
        assert!(left.due().is_some());
        left.keep();
        let mut left = Left::kept_in(path.clone());
        assert_eq!(left.known(7, 1_000), Some(Known::Released(released(4))));
        assert_eq!(left.known(3, 900), Some(Known::Released(Released::default())));
        // Another journal has other games of these numbers.
        assert_eq!(left.known(7, 1_001), None);
        left.forget_before(7);
        assert!(left.known(7, 1_000).is_some() && left.known(3, 900).is_none());
        std::fs::write(&path, "x").expect("a file");
        assert_eq!(Left::kept_in(path).known(7, 1_000), None);
    }

    #[test]
    fn a_file_of_an_older_version_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        std::fs::write(&path, r#"{"7":{"epoch_wall_ms":1000,"number":4}}"#).expect("a file");
        assert_eq!(Left::kept_in(path).known(7, 1_000), Some(Known::UpTo(4)));
    }
}
