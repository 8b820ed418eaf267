//! What the hub's desk has entered about games of other machines. It stands beside the events of the machine, which stay as they are.

use super::append::out_of_order;
use super::chain::Hash;
use super::desk_chain::{self, EntryContent, StoredEntry};
use super::read::is_remote;
use super::values::{id, integer};
use super::writer::WriterState;
use super::{Journal, JournalError, lock};
use crate::game::{DeskEvent, DeskRecord, StampedEvent};
use crate::wire;
use rusqlite::{Connection, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A stored event of the hub's desk, unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeskEventRow {
    /// Its number in the game as it is shown.
    pub number: u64,
    /// The number of the machine's event after which it stands.
    pub after: u64,
    /// When it was entered: Unix time in milliseconds.
    pub wall_ms: i64,
    /// Its JSON text as in the journal.
    pub text: String,
}

impl Journal {
    /// Returns the events of the hub's desk in a game, in order.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn desk_event_rows(&self, game: u64) -> Result<Vec<DeskEventRow>, JournalError> {
        rows(&lock(&self.reader), game).map_err(JournalError::sqlite("read what the desk has entered from the journal"))
    }

    /// Replaces the events of the hub's desk in these games of other machines, in one transaction: by those that another hub of the
    /// hall has.
    ///
    /// # Errors
    /// Nothing was changed.
    pub async fn replace_desk_events(&self, games: Vec<(u64, Vec<DeskEventRow>)>) -> Result<(), JournalError> {
        self.writer.write(move |start| replace(start, &games).map_err(JournalError::sqlite("write to the journal"))).await
    }

    /// Stores events that the hub's desk enters about a game of another machine. They follow all events of the game that are stored,
    /// and so are numbered. Returns the number of the machine's event after which they stand.
    ///
    /// # Errors
    /// Nothing was stored: [`JournalError::Order`] if the events have other numbers, or the game is not that of a machine.
    pub async fn append_desk_events(&self, game: u64, wall_ms: i64, events: Vec<StampedEvent>) -> Result<u64, JournalError> {
        self.writer.write(move |start| store(start, game, wall_ms, &events)).await
    }

    /// Returns what the hub's desk has entered about games of other machines, by the number of the game.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn desk_records(&self) -> Result<BTreeMap<u64, DeskRecord>, JournalError> {
        let mut records: BTreeMap<u64, DeskRecord> = BTreeMap::new();
        for (game, event) in read(&lock(&self.reader), None)? {
            records.entry(game).or_default().add(&event);
        }
        Ok(records)
    }
}

fn store(start: &mut WriterState, game: u64, wall_ms: i64, events: &[StampedEvent]) -> Result<u64, JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let is_of_machine = is_remote(&transaction, game).map_err(failed())?;
    let count = |table: &str, number: &str| {
        transaction
            .prepare_cached(&format!("SELECT {number} FROM {table} WHERE game = ?1"))
            .and_then(|mut statement| statement.query_row([integer(game)], |row| id(row, 0)))
            .map_err(failed())
    };
    let after = count("event", "coalesce(max(number), 0)")?;
    let first = after + count("desk_event", "count(*)")? + 1;
    let mut last = desk_chain::last_link(&transaction, game).map_err(failed())?;
    for (stamped, number) in events.iter().zip(first..) {
        if !is_of_machine || stamped.number != Some(number) || !stamped.event.is_durable() {
            return Err(out_of_order(&format!("of game {game}"), number, stamped));
        }
        let before =
            last.ok_or_else(|| JournalError::Damaged(format!("what the desk entered about game {game} cannot be continued")))?;
        let event = wire::to_json(stamped);
        let content = EntryContent { number: integer(number), after: integer(after), wall_ms, event: &event };
        last = Some(insert(&transaction, game, &before, &content).map_err(failed())?);
    }
    transaction.commit().map_err(failed())?;
    Ok(after)
}

/// Inserts an event of which the link before is known. Returns its own link.
fn insert(connection: &Connection, game: u64, before: &Hash, content: &EntryContent<'_>) -> rusqlite::Result<Hash> {
    let link = desk_chain::link(before, content);
    let EntryContent { number, after, wall_ms, event } = content;
    connection
        .prepare_cached("INSERT INTO desk_event (game, number, after, wall_ms, event, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![integer(game), number, after, wall_ms, event, link.as_slice()])?;
    Ok(link)
}

/// Returns the events of the hub's desk in a game. One that was changed here says nothing, and keeps its place.
fn rows(connection: &Connection, game: u64) -> rusqlite::Result<Vec<DeskEventRow>> {
    let row = |StoredEntry { number, after, wall_ms, text, .. }| {
        let text = text.unwrap_or_else(|| unreadable(number));
        DeskEventRow { number, after, wall_ms, text }
    };
    Ok(desk_chain::entries(connection, Some(game))?.into_iter().map(row).collect())
}

fn replace(start: &mut WriterState, games: &[(u64, Vec<DeskEventRow>)]) -> rusqlite::Result<()> {
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (game, new) in games {
        if !is_remote(&transaction, *game)? {
            continue;
        }
        let new = placed(&transaction, *game, new)?;
        if rows(&transaction, *game)? == new {
            continue;
        }
        transaction.prepare_cached("DELETE FROM desk_event WHERE game = ?1")?.execute([integer(*game)])?;
        // The root of the chain: none of its entries is left. Of a game whose row is malformed nothing is shown.
        let Some(mut last) = desk_chain::last_link(&transaction, *game)? else { continue };
        for DeskEventRow { number, after, wall_ms, text } in &new {
            let content = EntryContent { number: integer(*number), after: integer(*after), wall_ms: *wall_ms, event: text };
            last = insert(&transaction, *game, &last, &content)?;
        }
    }
    transaction.commit()
}

/// Returns events of another hub's desk as they are stored here: none stands after an event of the machine that is not here, and each
/// has the number that follows from its place.
fn placed(connection: &Connection, game: u64, events: &[DeskEventRow]) -> rusqlite::Result<Vec<DeskEventRow>> {
    let present = connection
        .prepare_cached("SELECT coalesce(max(number), 0) FROM event WHERE game = ?1")?
        .query_row([integer(game)], |row| id(row, 0))?;
    let mut after = present.min(1);
    let place = |(row, count): (&DeskEventRow, u64)| {
        after = row.after.clamp(after, present.max(after));
        let number = after + count;
        let text = if number == row.number { row.text.clone() } else { renumbered(&row.text, number) };
        DeskEventRow { number, after, wall_ms: row.wall_ms, text }
    };
    Ok(events.iter().zip(1..).map(place).collect())
}

/// Returns the text of an event with another number.
fn renumbered(text: &str, number: u64) -> String {
    match wire::from_json(text) {
        Ok(stamped) => wire::to_json(&StampedEvent { number: Some(number), ..stamped }),
        Err(_) => unreadable(number),
    }
}

/// Returns the text of an event that says nothing, in the place of one that was changed: the events after it keep their numbers.
fn unreadable(number: u64) -> String {
    format!(r#"{{"t":0,"n":{number},"event":"unreadable"}}"#)
}

/// Returns the events of the hub's desk in a game, or in all games of machines, in order.
///
/// # Errors
/// They cannot be read.
pub(super) fn read(connection: &Connection, game: Option<u64>) -> Result<Vec<(u64, DeskEvent)>, JournalError> {
    let entries = desk_chain::entries(connection, game)
        .map_err(JournalError::sqlite("read what the desk has entered from the journal"))?;
    let event = |entry: StoredEntry| {
        let StoredEntry { game, number, after, text, .. } = entry;
        let known = text.and_then(|text| wire::from_json(&text).ok()).map_or_else(|| wire::from_json(&unreadable(number)), Ok);
        let stamped = known.map_err(|error| JournalError::Unreadable { game, number, reason: error.to_string() })?;
        Ok((game, DeskEvent { after, stamped }))
    };
    entries.into_iter().map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::{EventRow, RemoteEvents, RemoteGame};
    use crate::game::event::Rotation;
    use crate::game::{Command, Event};

    fn named(number: u64) -> StampedEvent {
        let tags = vec![("White".to_owned(), format!("Ada {number}"))];
        let event = Event::Commanded { command: Command::Tags { tags }, by: "Ann".to_owned() };
        StampedEvent { at: 2_000, number: Some(number), event }
    }

    #[tokio::test]
    async fn adopted_events_follow_those_of_the_machine_that_are_here() {
        let dir = tempfile::tempdir().expect("a folder");
        let (journal, _) = Journal::open(dir.path()).expect("a journal");
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let event = Event::GameStarted { fen, chess960: None, laws: "fide-2023".to_owned(), rotation: Rotation::Upright };
        let started = StampedEvent { at: 1_000, number: Some(1), event };
        let events = vec![EventRow { number: 1, wall_ms: 11_000, text: wire::to_json(&started) }];
        let source = RemoteGame { machine: "pi-01".to_owned(), journal: "j".to_owned(), game: 4 };
        let events = RemoteEvents { source, started_wall_ms: 11_000, epoch_wall_ms: 10_000, events };
        journal.append_remote("pi_01_b", events).await.expect("stored");

        // The other hub had five events of the machine.
        let row = |number| DeskEventRow { number, after: 5, wall_ms: 12_000, text: wire::to_json(&named(number)) };
        for _ in 0..2 {
            journal.replace_desk_events(vec![(1, vec![row(6), row(7)])]).await.expect("adopted");
            let rows = journal.desk_event_rows(1).expect("rows");
            assert_eq!(rows.iter().map(|row| (row.number, row.after)).collect::<Vec<_>>(), [(2, 1), (3, 1)]);
        }
        // Their hashes are right: they are read, and the next one follows.
        assert_eq!(journal.append_desk_events(1, 13_000, vec![named(4)]).await.ok(), Some(1));
        let shown = journal.events(1, 0).expect("events");
        assert_eq!(shown.iter().filter_map(|stamped| stamped.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(shown.iter().all(|stamped| !matches!(stamped.event, Event::Unknown(_))));
    }
}
