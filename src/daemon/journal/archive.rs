//! The journal as others read it: also while touchmoved writes, and without changing a byte.

use super::backup::open_source;
use super::{GameSummary, JournalError, read};
use crate::game::Stamped;
use rusqlite::Connection;
use std::path::Path;

/// A state directory's journal as it was when it was opened.
pub struct Archive {
    connection: Connection,
    chains: read::Chains,
}

impl Archive {
    /// Opens it for reading; see [`super::backup`] for who may.
    ///
    /// # Errors
    /// When there is none, when it may not be read, and when a later touchmove has written it.
    pub fn open(dir: &Path) -> Result<Archive, JournalError> {
        let connection = open_source(dir)?;
        super::open::refuse_newer(&dir.join(super::FILE), &connection)?;
        let chains = read::Chains::of(&connection).map_err(JournalError::sqlite("read the journal"))?;
        Ok(Archive { connection, chains })
    }

    /// All games, the oldest first.
    pub fn games(&self) -> Result<Vec<GameSummary>, JournalError> {
        read::games(&self.connection)
    }

    /// All events of a game, in order; none if there is no such game.
    pub fn events(&self, game: u64) -> Result<Vec<Stamped>, JournalError> {
        read::events(&self.connection, self.chains, game, 0)
    }
}
