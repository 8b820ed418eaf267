//! The log of the operator's desk: every act, with its time and who did it.

use super::read::text;
use super::{Journal, JournalError, lock};
use crate::desk::DeskEntry;
use rusqlite::{Connection, params};

impl Journal {
    /// Stores an act of the operator's desk. Returns once it is on disk.
    ///
    /// # Errors
    /// It was not stored.
    pub async fn append_desk(&self, entry: DeskEntry) -> Result<(), JournalError> {
        self.writer.write(move |start| store(&start.connection, &entry)).await
    }

    /// Stores acts of the operator's desk in one transaction. Returns once they are on disk.
    ///
    /// # Errors
    /// None was stored.
    pub async fn append_desk_acts(&self, acts: Vec<DeskEntry>) -> Result<(), JournalError> {
        self.writer
            .write(move |start| {
                let failed = || JournalError::sqlite("write to the journal");
                let transaction = start.connection.transaction().map_err(failed())?;
                acts.iter().try_for_each(|entry| store(&transaction, entry))?;
                transaction.commit().map_err(failed())
            })
            .await
    }

    /// Returns all acts of the operator's desk in order, and a sentence for each one that cannot be read.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn desk(&self) -> Result<(Vec<DeskEntry>, Vec<String>), JournalError> {
        entries(&lock(&self.reader))
    }
}

/// Appends an act to the log.
pub(super) fn store(connection: &Connection, entry: &DeskEntry) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    // An act is always an object with the name of the act.
    let act = serde_json::to_value(&entry.act).unwrap_or_default();
    let kind = act.get("do").and_then(|kind| kind.as_str()).unwrap_or_default();
    connection
        .prepare_cached("INSERT INTO desk (wall_ms, by, kind, act) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut insert| insert.execute(params![entry.wall_ms, entry.by, kind, act.to_string()]))
        .map(drop)
        .map_err(failed())
}

/// Returns all acts in order, and a sentence for each one that this version cannot read.
pub(super) fn entries(connection: &Connection) -> Result<(Vec<DeskEntry>, Vec<String>), JournalError> {
    let failed = || JournalError::sqlite("read the desk's log from the journal");
    let mut statement =
        connection.prepare_cached("SELECT number, wall_ms, by, act FROM desk ORDER BY number").map_err(failed())?;
    let mut rows = statement.query([]).map_err(failed())?;
    let (mut entries, mut unreadable) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().map_err(failed())? {
        let (number, wall_ms): (i64, i64) = (row.get(0).map_err(failed())?, row.get(1).map_err(failed())?);
        let (by, act) = (text(row, 2).map_err(failed())?, text(row, 3).map_err(failed())?);
        match serde_json::from_str(&act) {
            Ok(act) => entries.push(DeskEntry { wall_ms, by, act }),
            Err(error) => unreadable.push(format!("act {number} of the desk, by {by}, cannot be read ({error})")),
        }
    }
    Ok((entries, unreadable))
}
