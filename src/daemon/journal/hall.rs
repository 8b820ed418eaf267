//! What the journal stores for the hall besides games: how far streams were read, and the commands that were received.

use super::read::text;
use super::values::{id, integer};
use super::{Journal, JournalError, lock};
use rusqlite::{Connection, OptionalExtension, params};

/// State of a command that was received before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// It was begun; whether it was carried out is unknown.
    Begun,
    /// It was carried out or refused, with this outcome.
    Done(String),
}

impl Journal {
    /// Stores that everything of a stream up to this sequence number is in the journal. `created`: when the stream was created,
    /// which distinguishes it from a later one of the same name.
    pub async fn store_hall_position(&self, stream: &str, created: &str, sequence: u64) -> Result<(), JournalError> {
        let (stream, created) = (stream.to_owned(), created.to_owned());
        self.writer.write(move |start| store_position(&start.connection, &stream, &created, sequence).map_err(failed())).await
    }

    /// Returns when a stream was created and up to which sequence number it is in the journal; `None`: nothing was stored of
    /// it, or a game in it was damaged since, and it must be read again.
    pub fn hall_position(&self, stream: &str) -> Result<Option<(String, u64)>, JournalError> {
        lock(&self.reader)
            .prepare_cached("SELECT created, sequence FROM hall_position WHERE stream = ?1")
            .and_then(|mut statement| statement.query_row([stream], |row| Ok((text(row, 0)?, id(row, 1)?))).optional())
            .map_err(JournalError::sqlite("read the journal"))
    }

    /// Stores that a command was received, before it is carried out. `wall_ms`: Unix time in milliseconds. Returns `None` if it
    /// is new, and otherwise what is known of it: it must not be carried out again.
    pub async fn begin_command(&self, id: &str, wall_ms: i64) -> Result<Option<CommandState>, JournalError> {
        let id = id.to_owned();
        self.writer.write(move |start| begin(&start.connection, &id, wall_ms).map_err(failed())).await
    }

    /// Stores the outcome of a command that was begun. The first outcome remains.
    pub async fn finish_command(&self, id: &str, outcome: &str) -> Result<(), JournalError> {
        let (id, outcome) = (id.to_owned(), outcome.to_owned());
        self.writer.write(move |start| finish(&start.connection, &id, &outcome).map_err(failed())).await
    }
}

fn failed() -> impl FnOnce(rusqlite::Error) -> JournalError {
    JournalError::sqlite("write to the journal")
}

fn store_position(connection: &Connection, stream: &str, created: &str, sequence: u64) -> rusqlite::Result<()> {
    const STORE: &str = "
        INSERT INTO hall_position (stream, created, sequence) VALUES (?1, ?2, ?3)
        ON CONFLICT (stream) DO UPDATE SET created = excluded.created, sequence = excluded.sequence";
    connection.prepare_cached(STORE)?.execute(params![stream, created, integer(sequence)]).map(drop)
}

fn begin(connection: &Connection, id: &str, wall_ms: i64) -> rusqlite::Result<Option<CommandState>> {
    let inserted = connection
        .prepare_cached("INSERT INTO hall_command (id, wall_ms) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![id, wall_ms])?;
    if inserted > 0 {
        return Ok(None);
    }
    let mut known = connection.prepare_cached("SELECT outcome FROM hall_command WHERE id = ?1")?;
    let outcome: Option<String> = known.query_row([id], |row| row.get(0))?;
    Ok(Some(outcome.map_or(CommandState::Begun, CommandState::Done)))
}

fn finish(connection: &Connection, id: &str, outcome: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE hall_command SET outcome = ?2 WHERE id = ?1 AND outcome IS NULL")?
        .execute([id, outcome])
        .map(drop)
}
