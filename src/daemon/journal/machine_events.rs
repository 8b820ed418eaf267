//! Reads the events of one machine from a journal file, also while touchmoved writes it: to compare the journal of a machine with
//! what the hub of its hall has of it.

use super::values::id;
use super::{EventRow, FILE_NAME, JournalError};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How long a read waits for another program.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The events of games, in their order, by the journal in which each game began and its number there.
pub type MachineEvents = BTreeMap<(String, u64), Vec<EventRow>>;

/// Reads the events of the own games of a machine. `dir`: its state directory.
///
/// # Errors
/// There is no journal, or it cannot be read.
pub fn own_events(dir: &Path) -> Result<MachineEvents, JournalError> {
    const OWN: &str = "
        SELECT (SELECT id FROM incarnation WHERE first_game <= event.game ORDER BY number DESC LIMIT 1), event.game,
               event.number, event.wall_ms, event.event
        FROM event WHERE event.game NOT IN (SELECT game FROM remote_game) AND ?1 IS NULL ORDER BY event.game, event.number";
    read(dir, OWN, None)
}

/// Reads the events that a hub has of this machine. `dir`: the state directory of the hub.
///
/// # Errors
/// There is no journal, or it cannot be read.
pub fn events_at_hub(dir: &Path, machine: &str) -> Result<MachineEvents, JournalError> {
    const AT_HUB: &str = "
        SELECT coalesce(journal, ''), remote_game.remote_game, event.number, event.wall_ms, event.event
        FROM event JOIN remote_game USING (game) WHERE machine = ?1 ORDER BY event.game, event.number";
    read(dir, AT_HUB, Some(machine))
}

/// Returns the number of moves that were made in the own games of a machine.
///
/// # Errors
/// There is no journal, or it cannot be read.
pub fn own_moves(dir: &Path) -> Result<u64, JournalError> {
    const MOVES: &str = "SELECT count(*) FROM event WHERE kind = 'move_made' AND game NOT IN (SELECT game FROM remote_game)";
    open(dir)?.query_row(MOVES, [], |row| id(row, 0)).map_err(failed())
}

fn failed() -> impl FnOnce(rusqlite::Error) -> JournalError {
    JournalError::sqlite("read the journal")
}

fn open(dir: &Path) -> Result<Connection, JournalError> {
    let file = dir.join(FILE_NAME);
    if !file.exists() {
        return Err(JournalError::Missing { dir: dir.to_owned() });
    }
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed())?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed())?;
    Ok(connection)
}

fn read(dir: &Path, query: &str, machine: Option<&str>) -> Result<MachineEvents, JournalError> {
    let connection = open(dir)?;
    let mut statement = connection.prepare(query).map_err(failed())?;
    let mut rows = statement.query([machine]).map_err(failed())?;
    let mut events = MachineEvents::new();
    while let Some(row) = rows.next().map_err(failed())? {
        let game = (row.get(0).map_err(failed())?, id(row, 1).map_err(failed())?);
        let event = EventRow {
            number: id(row, 2).map_err(failed())?,
            wall_ms: row.get(3).map_err(failed())?,
            text: row.get(4).map_err(failed())?,
        };
        events.entry(game).or_default().push(event);
    }
    Ok(events)
}
