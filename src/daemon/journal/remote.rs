//! Games of other machines: their events keep their numbers and their text.
//!
//! **Invariant:** Whatever arrives twice is stored once, and what is stored has no gaps. A damaged game is closed like any
//! other; its events are then stored again, as a new game.

use super::append::{Batch, insert_game, insert_row};
use super::chain::{self, EventContent, Hash};
use super::incarnation::GameEnd;
use super::read::{self, text};
use super::values::{id, integer};
use super::{AppendOutcome, Journal, JournalError, lock};
use crate::game::{Event, StampedEvent};
use crate::wire;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// A game in the journal of another machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteGame {
    /// Name of the machine.
    pub machine: String,
    /// Incarnation of its journal in which the game began.
    pub journal: String,
    /// Number of the game there.
    pub game: u64,
}

/// A stored event, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Number of the event in its game.
    pub number: u64,
    /// When it happened: Unix time in milliseconds.
    pub wall_ms: i64,
    /// Its JSON text as in the journal.
    pub text: String,
}

impl EventRow {
    /// The bytes that a message has beside the text of an event: its times, as text.
    pub const MORE_BYTES: usize = 32;
}

/// Consecutive events of a game of another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteEvents {
    /// The game.
    pub source: RemoteGame,
    /// Start time of the game: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Wall-clock time at time 0 of the events: Unix time in milliseconds.
    pub epoch_wall_ms: i64,
    /// The events.
    pub events: Vec<EventRow>,
}

/// A game of another machine that this journal has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRemoteGame {
    /// The game at its machine.
    pub source: RemoteGame,
    /// Its number in this journal.
    pub game: u64,
    /// Board on which it is shown here.
    pub board: String,
    /// Number of its last event that is stored here.
    pub last: u64,
}

/// How far a game of this machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEndRow {
    /// Number of the game.
    pub game: u64,
    /// Board on which it was played.
    pub board: String,
    /// Start time: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Wall-clock time at time 0 of its events: Unix time in milliseconds.
    pub epoch_wall_ms: i64,
    /// Incarnation in which it began. It never changes, and with the number it identifies the game everywhere.
    pub journal: String,
    /// Number of its last event.
    pub last: u64,
    /// Number of its last good event, if it is damaged; no events are added to it any more.
    pub closed_at: Option<u64>,
}

impl Journal {
    /// Stores events of a game of another machine, which is shown on this board. Returns the game's number in this journal,
    /// once for each event, when they are on disk. Events that are stored already are skipped.
    ///
    /// # Errors
    /// Nothing was stored. [`JournalError::Order`]: events before these are missing. [`JournalError::RemoteEvent`]: an event cannot
    /// be accepted. [`JournalError::RemoteChanged`]: the journal has another event of that number.
    pub async fn append_remote(&self, board: &str, events: RemoteEvents) -> Result<AppendOutcome, JournalError> {
        let parse =
            |row: &EventRow| wire::from_json(&row.text).map_err(|error| refused(&events.source, row.number, error.to_string()));
        let parsed = events.events.iter().map(parse).collect::<Result<Vec<StampedEvent>, _>>()?;
        self.append_parsed_remote(board, Arc::new(events), &parsed).await
    }

    /// As [`Journal::append_remote`], for events whose texts were parsed before, to these.
    ///
    /// # Errors
    /// As [`Journal::append_remote`].
    pub async fn append_parsed_remote(
        &self,
        board: &str,
        events: Arc<RemoteEvents>,
        parsed: &[StampedEvent],
    ) -> Result<AppendOutcome, JournalError> {
        let events = CheckedEvents::new(events, parsed)?;
        self.writer.append(Batch::Remote { board: board.to_owned(), events }).await
    }

    /// Returns the games of other machines that events may be added to.
    pub fn remote_games(&self) -> Result<Vec<KnownRemoteGame>, JournalError> {
        const GAMES: &str = "
            SELECT remote_game.game, machine, journal, remote_game.remote_game, board,
                   (SELECT coalesce(max(number), 0) FROM event WHERE event.game = remote_game.game)
            FROM remote_game JOIN game ON game.id = remote_game.game WHERE journal IS NOT NULL ORDER BY remote_game.game";
        let reader = lock(&self.reader);
        let known = |row: &rusqlite::Row<'_>| {
            let source = RemoteGame { machine: text(row, 1)?, journal: text(row, 2)?, game: id(row, 3)? };
            Ok(KnownRemoteGame { source, game: id(row, 0)?, board: text(row, 4)?, last: id(row, 5)? })
        };
        reader
            .prepare_cached(GAMES)
            .and_then(|mut statement| statement.query_map([], known)?.collect())
            .map_err(JournalError::sqlite("list the games of other machines"))
    }

    /// Returns a game's events with numbers above `after`, in order and unchanged, up to the first that is damaged. Stops
    /// before the texts, each with [`EventRow::MORE_BYTES`], exceed `max_bytes`, but returns at least one event if there is one.
    pub fn event_rows(&self, game: u64, after: u64, max_bytes: usize) -> Result<Vec<EventRow>, JournalError> {
        read::event_rows(&lock(&self.reader), game, after, max_bytes)
            .map_err(JournalError::sqlite("read events from the journal"))
    }

    /// Returns how far each game of this machine is.
    pub fn game_ends(&self) -> Result<Vec<GameEndRow>, JournalError> {
        const ENDS: &str = "
            SELECT id, board, started_wall_ms, epoch_wall_ms,
                   (SELECT incarnation.id FROM incarnation WHERE first_game <= game.id ORDER BY number DESC LIMIT 1),
                   (SELECT coalesce(max(number), 0) FROM event WHERE event.game = game.id),
                   (SELECT min(number) FROM last_good WHERE last_good.game = game.id)
            FROM game WHERE id NOT IN (SELECT remote_game.game FROM remote_game) ORDER BY id";
        let reader = lock(&self.reader);
        let end = |row: &rusqlite::Row<'_>| {
            let closed_at = row.get::<_, Option<i64>>(6)?.map(|_| id(row, 6)).transpose()?;
            Ok(GameEndRow {
                game: id(row, 0)?,
                board: text(row, 1)?,
                started_wall_ms: row.get(2)?,
                epoch_wall_ms: row.get(3)?,
                journal: text(row, 4)?,
                last: id(row, 5)?,
                closed_at,
            })
        };
        reader
            .prepare_cached(ENDS)
            .and_then(|mut statement| statement.query_map([], end)?.collect())
            .map_err(JournalError::sqlite("list the games of the journal"))
    }

    /// Returns the incarnation in which a game of this machine began.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn birth_journal(&self, game: u64) -> Result<String, JournalError> {
        lock(&self.reader)
            .prepare_cached("SELECT id FROM incarnation WHERE first_game <= ?1 ORDER BY number DESC LIMIT 1")
            .and_then(|mut statement| statement.query_row([integer(game)], |row| row.get(0)))
            .map_err(JournalError::sqlite("read the incarnation of a game"))
    }

    /// Returns the game of another machine that has this number here; `None`: it is a game of this machine.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn remote_game(&self, game: u64) -> Result<Option<RemoteGame>, JournalError> {
        let source =
            |row: &rusqlite::Row<'_>| Ok(RemoteGame { machine: text(row, 0)?, journal: text(row, 1)?, game: id(row, 2)? });
        lock(&self.reader)
            .prepare_cached("SELECT machine, journal, remote_game FROM remote_game WHERE game = ?1 AND journal IS NOT NULL")
            .and_then(|mut statement| statement.query_row([integer(game)], source).optional())
            .map_err(JournalError::sqlite("read a game of another machine"))
    }

    /// Returns the wall-clock time at time 0 of a game, as [`crate::daemon::hub::GameView::epoch_wall_ms`] counts it: Unix time in
    /// milliseconds; `None`: there is no such game.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn game_epoch_wall_ms(&self, game: u64) -> Result<Option<i64>, JournalError> {
        const EPOCH: &str = "SELECT started_wall_ms - at_ms FROM game JOIN event ON event.game = game.id WHERE game.id = ?1 AND event.number = 1";
        lock(&self.reader)
            .prepare_cached(EPOCH)
            .and_then(|mut statement| statement.query_row([integer(game)], |row| row.get(0)).optional())
            .map_err(JournalError::sqlite("read a game of another machine"))
    }

    /// Returns the game here that was damaged, and that the machine has sent anew as this game; `None`: there is none.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn damaged_before(&self, game: u64) -> Result<Option<u64>, JournalError> {
        const DAMAGED: &str = "
            SELECT max(old.game) FROM remote_game AS old JOIN game AS old_game ON old_game.id = old.game
            JOIN remote_game AS new ON new.game = ?1 JOIN game AS new_game ON new_game.id = new.game
            WHERE old.journal IS NULL AND old.game < new.game AND old.machine = new.machine AND old.remote_game = new.remote_game
              AND old_game.started_wall_ms = new_game.started_wall_ms";
        let damaged = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0)?.map(|_| id(row, 0)).transpose();
        lock(&self.reader)
            .prepare_cached(DAMAGED)
            .and_then(|mut statement| statement.query_row([integer(game)], damaged))
            .map_err(JournalError::sqlite("read a game of another machine"))
    }

    /// Returns an event of a game of another machine; `None`: it is not stored.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn remote_event(&self, source: &RemoteGame, number: u64) -> Result<Option<EventRow>, JournalError> {
        const EVENT: &str = "
            SELECT number, wall_ms, event FROM event
            WHERE game = (SELECT game FROM remote_game WHERE machine = ?1 AND journal = ?2 AND remote_game = ?3) AND number = ?4";
        let event = |row: &rusqlite::Row<'_>| Ok(EventRow { number: id(row, 0)?, wall_ms: row.get(1)?, text: text(row, 2)? });
        lock(&self.reader)
            .prepare_cached(EVENT)
            .and_then(|mut statement| {
                let key = params![source.machine, source.journal, integer(source.game), integer(number)];
                statement.query_row(key, event).optional()
            })
            .map_err(JournalError::sqlite("read an event of another machine"))
    }
}

/// Events of another machine whose texts are events with these numbers.
pub(super) struct CheckedEvents {
    remote: Arc<RemoteEvents>,
    /// The columns of each event that are read from its text.
    columns: Vec<EventColumns>,
}

struct EventColumns {
    at_ms: i64,
    kind: String,
}

impl CheckedEvents {
    fn new(remote: Arc<RemoteEvents>, parsed: &[StampedEvent]) -> Result<CheckedEvents, JournalError> {
        let RemoteEvents { source, events, .. } = &*remote;
        if let Some(unread) = events.get(parsed.len()) {
            return Err(refused(source, unread.number, "its text was not read".to_owned()));
        }
        let columns = events.iter().zip(parsed).map(|(row, stamped)| EventColumns::new(source, row, stamped));
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(CheckedEvents { remote, columns })
    }

    /// Returns the length of their texts.
    pub(super) fn bytes(&self) -> usize {
        self.remote.events.iter().map(|row| row.text.len()).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.remote.events.is_empty()
    }
}

impl EventColumns {
    fn new(source: &RemoteGame, row: &EventRow, stamped: &StampedEvent) -> Result<EventColumns, JournalError> {
        let refused = |reason: String| refused(source, row.number, reason);
        if stamped.number != Some(row.number) {
            return Err(refused(format!(
                "its field `n` is {}",
                stamped.number.map_or("missing".to_owned(), |n| n.to_string())
            )));
        }
        if matches!(stamped.event, Event::GameStarted { .. }) != (row.number == 1) {
            return Err(refused("a game begins with a \"game_started\" event, and has only one".to_owned()));
        }
        Ok(EventColumns { at_ms: integer(stamped.at), kind: stamped.event.word().to_owned() })
    }
}

fn refused(source: &RemoteGame, number: u64, reason: String) -> JournalError {
    JournalError::RemoteEvent { game: source.clone(), number, reason }
}

/// Stores events of another machine in the current transaction; returns the game of each.
pub(super) fn store(connection: &Connection, board: &str, checked: &CheckedEvents) -> Result<Vec<u64>, JournalError> {
    let CheckedEvents { remote, columns } = checked;
    let Some(first) = remote.events.first().map(|row| row.number) else { return Ok(Vec::new()) };
    let mut end = match stored_end(connection, &remote.source)? {
        Some(end) => end,
        None if first == 1 => begin(connection, board, remote)?,
        None => return Err(JournalError::Order { board: board.to_owned(), expected: 1, found: first }),
    };
    for (row, EventColumns { at_ms, kind }) in remote.events.iter().zip(columns) {
        let EventRow { number, wall_ms, text } = row;
        if *number <= end.number {
            compare(connection, &remote.source, end.game, row)?;
            continue;
        }
        let expected = end.number + 1;
        if *number != expected {
            return Err(JournalError::Order { board: board.to_owned(), expected, found: *number });
        }
        let content = EventContent { number: integer(*number), at_ms: *at_ms, wall_ms: *wall_ms, kind, event: text };
        end.last = insert_row(connection, end.game, &end.last, &content)?;
        end.number = *number;
    }
    Ok(vec![end.game; remote.events.len()])
}

/// Inserts the game of another machine.
fn begin(connection: &Connection, board: &str, remote: &RemoteEvents) -> Result<GameEnd, JournalError> {
    let end = insert_game(connection, board, remote.started_wall_ms, remote.epoch_wall_ms)?;
    let RemoteGame { machine, journal, game } = &remote.source;
    connection
        .prepare_cached("INSERT INTO remote_game (game, machine, journal, remote_game) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut insert| insert.execute(params![integer(end.game), machine, journal, integer(*game)]))
        .map_err(JournalError::sqlite("write to the journal"))?;
    Ok(end)
}

/// Returns how far a game of another machine is stored; `None`: it is not, or only as a damaged game.
fn stored_end(connection: &Connection, source: &RemoteGame) -> Result<Option<GameEnd>, JournalError> {
    let failed = || JournalError::sqlite("read the journal");
    let known: Option<u64> = connection
        .prepare_cached("SELECT game FROM remote_game WHERE machine = ?1 AND journal = ?2 AND remote_game = ?3")
        .and_then(|mut statement| {
            let key = params![source.machine, source.journal, integer(source.game)];
            statement.query_row(key, |row| id(row, 0)).optional()
        })
        .map_err(failed())?;
    let Some(game) = known else { return Ok(None) };
    let last: Option<(u64, Option<Hash>)> = connection
        .prepare_cached("SELECT number, chain FROM event WHERE game = ?1 ORDER BY number DESC LIMIT 1")
        .and_then(|mut statement| {
            statement.query_row([integer(game)], |row| Ok((id(row, 0)?, chain::stored_link(row, 1)))).optional()
        })
        .map_err(failed())?;
    let root = chain::stored_root(connection, game).map_err(failed())?;
    match (root, last) {
        (Some(root), Some((number, Some(last)))) => Ok(Some(GameEnd { game, number, root, last })),
        _ => Err(JournalError::Damaged(format!("game {game} cannot be continued"))),
    }
}

/// Compares an event with the stored one of its number.
fn compare(connection: &Connection, source: &RemoteGame, game: u64, row: &EventRow) -> Result<(), JournalError> {
    let stored = connection
        .prepare_cached("SELECT event FROM event WHERE game = ?1 AND number = ?2")
        .and_then(|mut statement| {
            statement.query_row(params![integer(game), integer(row.number)], |row| text(row, 0)).optional()
        })
        .map_err(JournalError::sqlite("read the journal"))?;
    if stored.as_ref() == Some(&row.text) {
        return Ok(());
    }
    Err(JournalError::RemoteChanged { game: source.clone(), number: row.number })
}
