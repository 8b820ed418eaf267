//! Read-only access to the journal for other programs, also while touchmoved writes. It changes no byte.

use super::backup::open_source;
use super::{GameSummary, JournalError, read};
use crate::desk::Desk;
use crate::game::StampedEvent;
use rusqlite::Connection;
use std::path::Path;

/// A snapshot of a state directory's journal, taken when it is opened.
pub struct Archive {
    connection: Connection,
    chains: read::Chains,
}

impl Archive {
    /// Opens the journal for reading; see [`super::backup`] for who may.
    ///
    /// # Errors
    /// The journal does not exist, must not be read, or was written by a later version of touchmove.
    pub fn open(dir: &Path) -> Result<Archive, JournalError> {
        let connection = open_source(dir)?;
        super::schema::refuse_newer(&dir.join(super::FILE_NAME), &connection)?;
        let chains = read::Chains::of(&connection).map_err(JournalError::sqlite("read the journal"))?;
        Ok(Archive { connection, chains })
    }

    /// Returns all games, oldest first.
    pub fn games(&self) -> Result<Vec<GameSummary>, JournalError> {
        read::games(&self.connection)
    }

    /// Returns the desk, as all acts that can be read have left it.
    pub fn desk(&self) -> Result<Desk, JournalError> {
        let (entries, _) = super::desk::entries(&self.connection)?;
        Ok(Desk::from_acts(entries.iter().map(|entry| &entry.act)).0)
    }

    /// Returns all events of a game, in order; none if the game does not exist.
    pub fn events(&self, game: u64) -> Result<Vec<StampedEvent>, JournalError> {
        read::events(&self.connection, self.chains, game, 0)
    }
}
