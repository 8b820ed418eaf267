//! What has left for the public, kept in a file: after a start it is public still, and nothing else is before the whole delay has
//! passed again. No time of day says how old an event is, because that of a small computer may have been hours wrong.

use crate::daemon::whole_file::{Lasting, replace};
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

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Game {
    /// The time of day at its board's time 0, which tells it from a game of the same number in another journal.
    epoch_wall_ms: i64,
    /// The number of its last event that has left.
    number: u64,
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

    /// The number of the last event of this game that has left; 0: none has.
    pub fn last(&self, game: u64, epoch_wall_ms: i64) -> u64 {
        self.games.get(&game).filter(|known| known.epoch_wall_ms == epoch_wall_ms).map_or(0, |known| known.number)
    }

    /// This event of it has left.
    pub fn note(&mut self, game: u64, epoch_wall_ms: i64, number: u64) {
        let number = number.max(self.last(game, epoch_wall_ms));
        self.games.insert(game, Game { epoch_wall_ms, number });
        self.due = self.due.or(self.path.is_some().then(|| Instant::now() + EVERY));
    }

    /// Forgets games before this one.
    pub fn forget_before(&mut self, game: u64) {
        self.games = self.games.split_off(&game);
    }

    /// When [`Left::keep`] has something to do.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes what has changed. Where that fails it is written with what leaves next: the public waits longer after a start, and no
    /// less.
    pub fn keep(&mut self) {
        let (Some(path), Some(_)) = (&self.path, self.due.take()) else { return };
        // It is JSON of numbers.
        let text = serde_json::to_string(&self.games).unwrap_or_default();
        match replace(path, &text, Lasting::WhilePowered) {
            Ok(()) => self.failed = false,
            Err(why) if !self.failed => {
                warn!("{} cannot be written ({why}): make room, or let touchmoved write there", path.display());
                self.failed = true;
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_left_is_known_after_a_start_and_of_that_game_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("public.json");
        let mut left = Left::kept_in(path.clone());
        assert!(left.last(7, 1_000) == 0 && left.due().is_none());
        left.note(7, 1_000, 4);
        left.note(7, 1_000, 3);
        left.note(3, 900, 9);
        assert!(left.due().is_some());
        left.keep();
        let mut left = Left::kept_in(path.clone());
        assert_eq!((left.last(7, 1_000), left.last(3, 900)), (4, 9));
        // Another journal has other games of these numbers.
        assert_eq!(left.last(7, 1_001), 0);
        left.forget_before(7);
        assert_eq!((left.last(7, 1_000), left.last(3, 900)), (4, 0));
        std::fs::write(&path, "x").expect("a file");
        assert_eq!(Left::kept_in(path).last(7, 1_000), 0);
    }
}
