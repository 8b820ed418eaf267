//! How far the journal was when it was last looked at, in a small file beside it: what is found later to be missing was told.
//!
//! The file is written after commits, so it never says more than the journal held on disk.

use super::chain::Hash;
use crate::daemon::whole_file::{Lasting, replace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The file in the state directory.
const FILE: &str = "journal.marks.json";
/// What the public was told, in the state directory.
const PUBLIC: &str = "public.json";

/// How far the journal was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// Of which incarnation.
    pub incarnation: String,
    /// The number of the last game that was begun.
    pub last_game: u64,
    /// The file was found to be torn while it was in use: it is to be looked through before it is used again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
    /// The last game of each board.
    pub games: BTreeMap<u64, Mark>,
}

/// How far a game was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The number of its last event.
    pub number: u64,
    /// The link of that event.
    pub chain: Hash,
    /// The root of its chain, which tells it from a game of the same number in another journal.
    pub root: Hash,
}

impl Marks {
    /// What stands beside the journal in this directory; `None`: nothing that can be read.
    pub fn load(dir: &Path) -> Option<Marks> {
        let path = dir.join(FILE);
        let text = fs::read_to_string(&path)
            .map_err(|why| match why.kind() {
                io::ErrorKind::NotFound => {}
                _ => tracing::warn!(
                    "{} cannot be read ({why}): what is missing in the journal may not be noticed",
                    path.display()
                ),
            })
            .ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes it beside the journal in this directory.
    ///
    /// # Errors
    /// The disk does not take it; what was there stays.
    pub fn save(&self, dir: &Path, lasting: Lasting) -> io::Result<()> {
        // It is JSON of texts and numbers.
        replace(&dir.join(FILE), &serde_json::to_string(self).unwrap_or_default(), lasting)
    }
}

/// The part of a game that is public, as far as it matters here.
#[derive(Deserialize)]
pub(super) struct Public {
    /// Which tells it from a game of the same number in another journal.
    pub epoch_wall_ms: i64,
    /// The number of its last event that is public.
    pub number: u64,
}

/// What the public was told, by game. What cannot be read there says nothing.
pub(super) fn public(dir: &Path) -> BTreeMap<u64, Public> {
    fs::read_to_string(dir.join(PUBLIC)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
