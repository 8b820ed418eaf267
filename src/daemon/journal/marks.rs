//! Marks: how far the journal had been written, in a small file beside it. An event within the marks that is later missing may have
//! been published.
//!
//! The file is written after commits, so it never claims more than the journal held on disk.

use super::chain::Hash;
use crate::daemon::atomic_file::{Durability, replace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// Name of the file in the state directory.
const FILE: &str = "journal.marks.json";
/// Name of the file that stores what was released to the public, in the state directory.
const PUBLIC: &str = "public.json";

/// How far the journal had been written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// Identifier of the incarnation.
    pub incarnation: String,
    /// Number of the last game that began.
    pub last_game: u64,
    /// Set if the file was found to be corrupt while in use: it must be checked before it is used again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
    /// The last game of each board.
    pub games: BTreeMap<u64, Mark>,
}

/// How far a game had been written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// Number of its last event.
    pub number: u64,
    /// Link of that event.
    pub chain: Hash,
    /// Root of its chain, which distinguishes it from a game with the same number in another journal.
    pub root: Hash,
}

impl Marks {
    /// Loads the marks of this directory; `None`: there are no readable ones.
    pub(super) fn load(dir: &Path) -> Option<Marks> {
        let path = dir.join(FILE);
        let text = fs::read_to_string(&path)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {}
                _ => tracing::warn!(
                    "{} cannot be read ({error}): events that are missing in the journal may not be noticed",
                    path.display()
                ),
            })
            .ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes the marks to this directory.
    ///
    /// # Errors
    /// The write failed; the old file remains.
    pub(super) fn save(&self, dir: &Path, durability: Durability) -> io::Result<()> {
        // This cannot fail: the JSON contains only texts and numbers.
        replace(&dir.join(FILE), &serde_json::to_string(self).unwrap_or_default(), durability)
    }
}

/// How much of a game is public, as far as needed here.
#[derive(Deserialize)]
pub(super) struct PublicMark {
    /// Distinguishes the game from one with the same number in another journal.
    pub epoch_wall_ms: i64,
    /// Number of its last public event.
    pub number: u64,
}

/// Returns how much was released to the public, by game. An unreadable file counts as empty.
pub(super) fn load_public(dir: &Path) -> BTreeMap<u64, PublicMark> {
    fs::read_to_string(dir.join(PUBLIC)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
