//! Storing events: the batches of several boards in one transaction.

use super::JournalError;
use super::chain::{self, EventContent, Hash};
use super::incarnation::GameEnd;
use super::read::{is_remote, text};
use super::remote::{self, CheckedEvents};
use super::values::{id, integer};
use super::writer::WriterState;
use crate::game::{Event, StampedEvent};
use crate::wire;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::HashMap;

/// Durable events of one board, which are stored together or not at all.
pub(super) enum Batch {
    /// Of a board of this machine; `wall_ms`: the wall-clock time of the last event.
    Local { board: String, wall_ms: i64, events: Vec<StampedEvent> },
    /// Of a game of another machine.
    Remote { board: String, events: CheckedEvents },
}

impl Batch {
    /// Returns the length of the events if they are those of another machine, in bytes.
    pub(super) fn remote_bytes(&self) -> usize {
        match self {
            Batch::Local { .. } => 0,
            Batch::Remote { events, .. } => events.bytes(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Batch::Local { events, .. } => events.is_empty(),
            Batch::Remote { events, .. } => events.is_empty(),
        }
    }
}

/// A batch in the current transaction.
struct Stored {
    /// Game of each event.
    games: Vec<u64>,
    /// The board of this machine whose current game it is, and the state of that game.
    end: Option<(String, GameEnd)>,
}

/// Stores batches in their order, in one transaction. Returns the game of each event, or why the batch is refused; the other
/// batches are stored all the same.
///
/// # Errors
/// Nothing was stored.
pub(super) fn store_group(
    start: &mut WriterState,
    batches: &[Batch],
) -> Result<Vec<Result<Vec<u64>, JournalError>>, JournalError> {
    if batches.iter().all(Batch::is_empty) {
        return Ok(vec![Ok(Vec::new()); batches.len()]);
    }
    let failed = || JournalError::sqlite("write to the journal");
    let mut transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let mut ends: HashMap<String, GameEnd> = HashMap::new();
    let mut outcomes = Vec::with_capacity(batches.len());
    for batch in batches {
        let current = |board: &str| ends.get(board).or_else(|| start.ends.get(board)).cloned();
        let stored = match batches.len() {
            1 => Ok(store(&transaction, current, batch)?),
            _ => store_apart(&mut transaction, current, batch)?,
        };
        outcomes.push(stored.map(|Stored { games, end }| {
            ends.extend(end);
            games
        }));
    }
    transaction.commit().map_err(failed())?;
    // Update only now: what was not committed must not count.
    start.last_game = outcomes.iter().flatten().flatten().copied().fold(start.last_game, u64::max);
    start.ends.extend(ends);
    Ok(outcomes)
}

/// As [`store`], but a batch that is refused leaves nothing behind in the transaction.
///
/// # Errors
/// The transaction cannot go on.
fn store_apart(
    transaction: &mut Transaction<'_>,
    current: impl FnOnce(&str) -> Option<GameEnd>,
    batch: &Batch,
) -> Result<Result<Stored, JournalError>, JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let mut savepoint = transaction.savepoint().map_err(failed())?;
    match store(&savepoint, current, batch) {
        Ok(stored) => savepoint.commit().map(|()| Ok(stored)).map_err(failed()),
        // SQLite may have rolled back the whole transaction; there is no savepoint then.
        Err(error) if error.is_retryable() || savepoint.rollback().is_err() => Err(error),
        Err(error) => savepoint.commit().map(|()| Err(error)).map_err(failed()),
    }
}

/// Stores a batch in the current transaction. `current`: the current game of a board of this machine.
fn store(
    connection: &Connection,
    current: impl FnOnce(&str) -> Option<GameEnd>,
    batch: &Batch,
) -> Result<Stored, JournalError> {
    let (board, wall_ms, events) = match batch {
        Batch::Local { board, wall_ms, events } => (board, *wall_ms, events),
        Batch::Remote { board, events } => {
            return Ok(Stored { games: remote::store(connection, board, events)?, end: None });
        }
    };
    let mut games = Vec::with_capacity(events.len());
    let Some(last) = events.last() else { return Ok(Stored { games, end: None }) };
    let epoch_wall_ms = wall_ms.saturating_sub(integer(last.at));
    let mut end = current(board);
    for stamped in events {
        let wall_ms = epoch_wall_ms.saturating_add(integer(stamped.at));
        let is_start = matches!(stamped.event, Event::GameStarted { .. });
        let mut game_end = match end {
            Some(end) if !is_start => end,
            _ if is_start && stamped.number == Some(1) => insert_game(connection, board, wall_ms, epoch_wall_ms)?,
            _ => return Err(out_of_order(board, 1, stamped)),
        };
        insert_event(connection, board, &mut game_end, stamped, wall_ms)?;
        games.push(game_end.game);
        end = Some(game_end);
    }
    Ok(Stored { games, end: end.map(|end| (board.clone(), end)) })
}

/// Stores events of a game that is no longer its board's current one.
pub(super) fn store_late(
    start: &mut WriterState,
    game: u64,
    wall_ms: i64,
    events: &[StampedEvent],
) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let found = chain::check(&transaction, game, None).map_err(failed())?;
    let board: String =
        transaction.query_row("SELECT board FROM game WHERE id = ?1", [integer(game)], |row| text(row, 0)).map_err(failed())?;
    let is_current = start.ends.get(&board).is_some_and(|end| end.game == game);
    if is_current || !found.is_complete || is_remote(&transaction, game).map_err(failed())? {
        // The board's own events continue a current game, its own machine a remote one; nothing continues a damaged one.
        return Err(JournalError::Order { board, expected: 0, found: found.last_good + 1 });
    }
    let mut end = GameEnd { game, number: found.last_good, root: found.root, last: found.last_link };
    for stamped in events {
        insert_event(&transaction, &board, &mut end, stamped, wall_ms)?;
    }
    transaction.commit().map_err(failed())
}

/// Inserts a new game, which must get its first event in the same transaction.
pub(super) fn insert_game(
    connection: &Connection,
    board: &str,
    started_wall_ms: i64,
    epoch_wall_ms: i64,
) -> Result<GameEnd, JournalError> {
    let row = params![board, started_wall_ms, epoch_wall_ms];
    let game = connection
        .prepare_cached("INSERT INTO game (board, started_wall_ms, epoch_wall_ms) VALUES (?1, ?2, ?3) RETURNING id")
        .and_then(|mut insert| insert.query_row(row, |row| id(row, 0)))
        .map_err(JournalError::sqlite("write to the journal"))?;
    let root = chain::root(game, board, started_wall_ms, epoch_wall_ms);
    Ok(GameEnd { game, number: 0, root, last: root })
}

/// Inserts the next event of a game of this machine.
fn insert_event(
    connection: &Connection,
    board: &str,
    end: &mut GameEnd,
    stamped: &StampedEvent,
    wall_ms: i64,
) -> Result<(), JournalError> {
    let number = end.number + 1;
    if stamped.number != Some(number) || !stamped.event.is_durable() {
        return Err(out_of_order(board, number, stamped));
    }
    let (kind, event) = (wire::event_kind(&stamped.event), wire::to_json(stamped));
    let content = EventContent { number: integer(number), at_ms: integer(stamped.at), wall_ms, kind, event: &event };
    end.last = insert_row(connection, end.game, &end.last, &content)?;
    end.number = number;
    Ok(())
}

/// Inserts an event that follows the link `before`; returns its own.
pub(super) fn insert_row(
    connection: &Connection,
    game: u64,
    before: &Hash,
    content: &EventContent<'_>,
) -> Result<Hash, JournalError> {
    let link = chain::link(before, content);
    let EventContent { number, at_ms, wall_ms, kind, event } = content;
    let row = params![integer(game), number, at_ms, wall_ms, kind, event, link.as_slice()];
    connection
        .prepare_cached(
            "INSERT INTO event (game, number, at_ms, wall_ms, kind, event, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .and_then(|mut insert| insert.execute(row))
        .map_err(JournalError::sqlite("write to the journal"))?;
    Ok(link)
}

pub(super) fn out_of_order(board: &str, expected: u64, stamped: &StampedEvent) -> JournalError {
    JournalError::Order { board: board.to_owned(), expected, found: stamped.number.unwrap_or(0) }
}
