//! The file under the state directory that stores the round that is being played.

use crate::daemon::atomic_file::{Durability, replace};
use crate::round::Round;
use std::fs;
use std::io;
use std::path::PathBuf;
use tracing::warn;

/// The file; it exists once a round was loaded.
#[derive(Clone, Debug)]
pub struct RoundFile(pub PathBuf);

impl RoundFile {
    /// Loads the stored round. A file that cannot be read is reported and left as it is.
    pub fn load(&self) -> Option<Round> {
        let text = match fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                warn!("{} cannot be read ({error}): load the round again", self.0.display());
                return None;
            }
        };
        match serde_json::from_str(&text) {
            Ok(round) => Some(round),
            Err(error) => {
                warn!("{} is not a round ({error}): load the round again", self.0.display());
                None
            }
        }
    }

    /// Stores this round atomically and replaces the old one.
    ///
    /// # Errors
    /// The write failed; the old round remains.
    pub fn store(&self, round: &Round) -> io::Result<()> {
        replace(&self.0, &serde_json::to_string_pretty(round)?, Durability::PowerCutSafe)
    }
}
