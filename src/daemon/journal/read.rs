//! Queries of the journal.

use super::JournalError;
use super::chain::{self, EventContent};
use super::desk_events;
use super::remote::EventRow;
use super::schema::{FIRST_CHAINED_SCHEMA, FIRST_REMOTE_SCHEMA};
use super::values::{id, integer};
use crate::game::{DeskRecord, Event, GameResult, StampedEvent, shown_game};
use crate::wire::{self, WireError};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};

/// A game with all its events.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredGame {
    /// Number over all boards, from 1.
    pub id: u64,
    /// Board on which it was played.
    pub board: String,
    /// Start time: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Wall-clock time at [`StampedEvent::at`] 0: Unix time in milliseconds. A restarted daemon continues counting from here.
    pub epoch_wall_ms: i64,
    /// Events, numbered 1, 2, …
    pub events: Vec<StampedEvent>,
}

/// Summary of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Number over all boards, from 1.
    pub id: u64,
    /// Board on which it was played.
    pub board: String,
    /// Start time: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Time of its last event: Unix time in milliseconds.
    pub last_wall_ms: i64,
    /// Number of its last event.
    pub last_number: u64,
    /// Current result.
    pub result: Option<GameResult>,
    /// Whether a move was made, and perhaps taken back.
    pub has_moves: bool,
}

/// The games of a board, the newest first. Older games of another machine may arrive after newer ones. Within a journal their numbers
/// say which is newer: a game that continues one of another board began earlier than games that it follows.
const GAMES_OF_BOARD: &str = "
    FROM (SELECT game.id, started_wall_ms, epoch_wall_ms, remote_game.remote_game AS number,
                 iif(remote_game.game IS NULL, 0,
                     max(started_wall_ms) OVER (PARTITION BY journal ORDER BY remote_game.remote_game)) AS begun
          FROM game LEFT JOIN remote_game ON remote_game.game = game.id WHERE board = ?1)
    ORDER BY begun DESC, number DESC, id DESC";

pub(super) fn last_game(connection: &Connection, chains: Chains, board: &str) -> Result<Option<StoredGame>, JournalError> {
    let failed = || JournalError::sqlite("read the last game from the journal");
    let game = connection
        .prepare_cached(&format!("SELECT id, started_wall_ms, epoch_wall_ms {GAMES_OF_BOARD} LIMIT 1"))
        .and_then(|mut statement| statement.query_row([board], |row| Ok((id(row, 0)?, row.get(1)?, row.get(2)?))).optional())
        .map_err(failed())?;
    let Some((id, started_wall_ms, epoch_wall_ms)) = game else { return Ok(None) };
    // A game's row never changes, and events that are added meanwhile are its own.
    let events = events(connection, chains, id, 0)?;
    Ok(Some(StoredGame { id, board: board.to_owned(), started_wall_ms, epoch_wall_ms, events }))
}

pub(super) fn game(connection: &Connection, chains: Chains, id: u64) -> Result<Option<StoredGame>, JournalError> {
    let failed = || JournalError::sqlite("read a game from the journal");
    let row = connection
        .prepare_cached("SELECT board, started_wall_ms, epoch_wall_ms FROM game WHERE id = ?1")
        .and_then(|mut statement| {
            statement.query_row([integer(id)], |row| Ok((text(row, 0)?, row.get(1)?, row.get(2)?))).optional()
        })
        .map_err(failed())?;
    let Some((board, started_wall_ms, epoch_wall_ms)) = row else { return Ok(None) };
    let events = events(connection, chains, id, 0)?;
    Ok(Some(StoredGame { id, board, started_wall_ms, epoch_wall_ms, events }))
}

pub(super) fn games(connection: &Connection) -> Result<Vec<GameSummary>, JournalError> {
    const GAMES: &str = "
        SELECT game.id, game.board, game.started_wall_ms, last.wall_ms, last.number,
               (SELECT event FROM event WHERE game = game.id AND kind = 'result' ORDER BY number DESC LIMIT 1),
               EXISTS (SELECT 1 FROM event WHERE game = game.id AND kind IN ('move_made', 'moves_corrected'))
        FROM game JOIN event AS last
          ON last.game = game.id AND last.number = (SELECT max(number) FROM event WHERE game = game.id)
        ORDER BY game.id";
    let failed = || JournalError::sqlite("list the games of the journal");
    let _snapshot = snapshot(connection).map_err(failed())?;
    let mut statement = connection.prepare_cached(GAMES).map_err(failed())?;
    let rows = statement
        .query_map([], |row| {
            let result: Option<String> = row.get(5)?;
            let summary = GameSummary {
                id: id(row, 0)?,
                board: text(row, 1)?,
                started_wall_ms: row.get(2)?,
                last_wall_ms: row.get(3)?,
                last_number: id(row, 4)?,
                result: None,
                has_moves: row.get(6)?,
            };
            Ok((summary, result))
        })
        .map_err(failed())?;
    let mut entered: BTreeMap<u64, DeskRecord> = BTreeMap::new();
    for (game, event) in desk_events::read(connection, None)? {
        entered.entry(game).or_default().add(&event);
    }
    rows.map(|row| {
        let (mut summary, text) = row.map_err(failed())?;
        let desk = entered.get(&summary.id);
        // List a game even if its event cannot be read.
        let stamped: Option<StampedEvent> = text.and_then(|text| wire::from_json(&text).ok());
        let own = stamped.and_then(|stamped| match stamped.event {
            Event::Result { result, .. } => Some((stamped.number?, result)),
            _ => None,
        });
        let own = own.map(|(number, result)| (desk.map_or(number, |desk| desk.shown_number(number)), result));
        let entered = desk.and_then(DeskRecord::result);
        // What a person has entered stands; else the last one counts.
        let last = own.into_iter().chain(entered).max_by_key(|(number, _)| *number).and_then(|(_, result)| result);
        summary.result = desk.and_then(DeskRecord::standing).or(last);
        if let Some(desk) = desk {
            summary.last_number = desk.shown_number(summary.last_number + 1) - 1;
        }
        Ok(summary)
    })
    .collect()
}

pub(super) fn games_of(connection: &Connection, board: &str, count: usize) -> Result<Vec<(u64, i64)>, JournalError> {
    let failed = || JournalError::sqlite("list the games of a board");
    let mut statement =
        connection.prepare_cached(&format!("SELECT id, started_wall_ms {GAMES_OF_BOARD} LIMIT ?2")).map_err(failed())?;
    let rows =
        statement.query_map(params![board, integer(count as u64)], |row| Ok((id(row, 0)?, row.get(1)?))).map_err(failed())?;
    let mut games = rows.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    games.reverse();
    Ok(games)
}

/// Whether a journal's events carry chains; older versions' files do not until this version opens them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chains {
    Stored,
    Missing,
}

impl Chains {
    pub(super) fn of(connection: &Connection) -> rusqlite::Result<Chains> {
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok(if version < FIRST_CHAINED_SCHEMA { Chains::Missing } else { Chains::Stored })
    }
}

/// Lets the statements that follow see one state of the journal, until the value is dropped.
fn snapshot(connection: &Connection) -> rusqlite::Result<Option<Transaction<'_>>> {
    connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()
}

pub(super) fn events(
    connection: &Connection,
    chains: Chains,
    game: u64,
    after: u64,
) -> Result<Vec<StampedEvent>, JournalError> {
    let failed = || JournalError::sqlite("read events from the journal");
    let _snapshot = snapshot(connection).map_err(failed())?;
    let entered = desk_events::read(connection, Some(game))?;
    // The desk's events have their places between all events of the machine.
    let first = if entered.is_empty() { after } else { 0 };
    let (mut events, unreadable) = good_events(connection, chains, game, first).map_err(failed())?;
    if !entered.is_empty() || is_remote(connection, game).map_err(failed())? {
        events = shown_game(events, entered.into_iter().map(|(_, event)| event).collect());
        events.retain(|stamped| stamped.number.is_none_or(|number| number > after));
    }
    match unreadable {
        Some(error) if last_good(connection, chains, game).map_err(failed())?.is_none() => Err(error),
        _ => Ok(events),
    }
}

/// Returns a game's events before the first that cannot be read.
pub(super) fn readable_events(connection: &Connection, chains: Chains, game: u64) -> Vec<StampedEvent> {
    let _snapshot = snapshot(connection);
    let (own, _) = good_events(connection, chains, game, 0).unwrap_or_default();
    if !is_remote(connection, game).unwrap_or(false) {
        return own;
    }
    let entered = desk_events::read(connection, Some(game)).unwrap_or_default();
    shown_game(own, entered.into_iter().map(|(_, event)| event).collect())
}

/// Returns the number of the last good event of an incomplete game; `None`: it is complete.
pub(super) fn last_good(connection: &Connection, chains: Chains, game: u64) -> rusqlite::Result<Option<u64>> {
    if chains == Chains::Missing {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached("SELECT number FROM last_good WHERE game = ?1 ORDER BY number LIMIT 1")?;
    statement.query_row([integer(game)], |row| id(row, 0)).optional()
}

/// Returns a game's events after this number and before the first that is unreadable or changed, and the reason why it is.
fn good_events(
    connection: &Connection,
    chains: Chains,
    game: u64,
    after: u64,
) -> rusqlite::Result<(Vec<StampedEvent>, Option<JournalError>)> {
    let mut events = Vec::new();
    let unreadable = read_rows(connection, chains, game, after, |number, content| {
        Ok(match parse(connection, game, content.event)? {
            Ok(event) => {
                events.push(event);
                Continue(())
            }
            Err(error) => Break(Some(JournalError::Unreadable { game, number, reason: error.to_string() })),
        })
    })?;
    Ok((events, unreadable))
}

/// Returns a game's events after this number and before the first that is changed: at least one, and more while their texts,
/// each with [`EventRow::MORE_BYTES`], do not exceed `max_bytes`.
pub(super) fn event_rows(connection: &Connection, game: u64, after: u64, max_bytes: usize) -> rusqlite::Result<Vec<EventRow>> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    read_rows(connection, Chains::Stored, game, after, |number, content| {
        bytes = content.event.len().saturating_add(EventRow::MORE_BYTES).saturating_add(bytes);
        if bytes > max_bytes && !rows.is_empty() {
            return Ok(Break(None));
        }
        rows.push(EventRow { number, wall_ms: content.wall_ms, text: content.event.to_owned() });
        Ok(Continue(()))
    })?;
    Ok(rows)
}

/// Passes a game's events after this number to `take`, each with its number, until that breaks with a reason. Returns the
/// reason why the next event is not among them, if there is one.
fn read_rows(
    connection: &Connection,
    chains: Chains,
    game: u64,
    after: u64,
    mut take: impl FnMut(u64, &EventContent<'_>) -> rusqlite::Result<ControlFlow<Option<JournalError>>>,
) -> rusqlite::Result<Option<JournalError>> {
    let columns = if chains == Chains::Stored { chain::COLUMNS } else { "number, at_ms, wall_ms, kind, event" };
    let mut last = match (chains, after) {
        (Chains::Stored, 0) => chain::stored_root(connection, game)?,
        _ => None,
    };
    let mut statement =
        connection.prepare_cached(&format!("SELECT {columns} FROM event WHERE game = ?1 AND number >= ?2 ORDER BY number"))?;
    let mut rows = statement.query(params![integer(game), integer(after)])?;
    let mut expected = after.saturating_add(1);
    while let Some(row) = rows.next()? {
        if after > 0 && matches!(row.get_ref(0)?, rusqlite::types::ValueRef::Integer(number) if number == integer(after)) {
            if chains == Chains::Stored {
                last = chain::stored_link(row, 5);
            }
            continue;
        }
        let unreadable = |reason: &str| Some(JournalError::Unreadable { game, number: expected, reason: reason.to_owned() });
        if chains == Chains::Stored {
            last = last.and_then(|last| chain::verified_link(row, &last, expected));
            if last.is_none() {
                return Ok(unreadable("it has been changed: its checksum does not match"));
            }
        }
        let Some(content) = chain::content(row).filter(|content| content.number == integer(expected)) else {
            return Ok(unreadable("it is not in the format of the journal"));
        };
        if let Break(reason) = take(expected, &content)? {
            return Ok(reason);
        }
        expected += 1;
    }
    Ok(None)
}

/// Reads a text as far as it is readable.
pub(super) fn text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(column)?.as_bytes()?).into_owned())
}

/// Parses an event. Only games of other machines may have events of unknown kinds.
fn parse(connection: &Connection, game: u64, text: &str) -> rusqlite::Result<Result<StampedEvent, WireError>> {
    match wire::known_from_json(text) {
        Err(_) if is_remote(connection, game)? => Ok(wire::from_json(text)),
        parsed => Ok(parsed),
    }
}

/// Returns whether a game is one of another machine.
pub(super) fn is_remote(connection: &Connection, game: u64) -> rusqlite::Result<bool> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version < FIRST_REMOTE_SCHEMA {
        return Ok(false);
    }
    connection.prepare_cached("SELECT 1 FROM remote_game WHERE game = ?1")?.exists([integer(game)])
}
