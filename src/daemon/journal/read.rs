//! What is asked of the journal.

use super::JournalError;
use crate::game::{Event, GameResult, Stamped};
use crate::wire;
use rusqlite::{Connection, OptionalExtension, params};

/// One game with all its events.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredGame {
    /// Its number over all boards, from 1.
    pub id: u64,
    /// The board it was played on.
    pub board: String,
    /// When it began: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// The wall clock at [`Stamped::at`] 0: Unix time in milliseconds. A restarted daemon goes on counting from here.
    pub epoch_wall_ms: i64,
    /// Its events, numbers 1, 2, …
    pub events: Vec<Stamped>,
}

/// One game in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Its number over all boards, from 1.
    pub id: u64,
    /// The board it was played on.
    pub board: String,
    /// When it began: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// When its last event happened: Unix time in milliseconds.
    pub last_wall_ms: i64,
    /// The number of its last event.
    pub last_number: u64,
    /// Its result as it stands.
    pub result: Option<GameResult>,
}

pub(super) fn last_game(connection: &Connection, board: &str) -> Result<Option<StoredGame>, JournalError> {
    let failed = || JournalError::sqlite("read the last game from the journal");
    // One transaction, so that the game and its events belong together.
    let reading = connection.unchecked_transaction().map_err(failed())?;
    let game = reading
        .prepare_cached("SELECT id, started_wall_ms, epoch_wall_ms FROM game WHERE board = ?1 ORDER BY id DESC LIMIT 1")
        .and_then(|mut statement| statement.query_row([board], |row| Ok((id(row, 0)?, row.get(1)?, row.get(2)?))).optional())
        .map_err(failed())?;
    let Some((id, started_wall_ms, epoch_wall_ms)) = game else { return Ok(None) };
    Ok(Some(StoredGame { id, board: board.to_owned(), started_wall_ms, epoch_wall_ms, events: events(&reading, id, 0)? }))
}

pub(super) fn games(connection: &Connection) -> Result<Vec<GameSummary>, JournalError> {
    const GAMES: &str = "
        SELECT game.id, game.board, game.started_wall_ms, last.wall_ms, last.number,
               (SELECT event FROM event WHERE game = game.id AND kind = 'result' ORDER BY number DESC LIMIT 1)
        FROM game JOIN event AS last
          ON last.game = game.id AND last.number = (SELECT max(number) FROM event WHERE game = game.id)
        ORDER BY game.id";
    let failed = || JournalError::sqlite("list the games of the journal");
    let mut statement = connection.prepare_cached(GAMES).map_err(failed())?;
    let rows = statement
        .query_map([], |row| {
            let result: Option<String> = row.get(5)?;
            let summary = GameSummary {
                id: id(row, 0)?,
                board: row.get(1)?,
                started_wall_ms: row.get(2)?,
                last_wall_ms: row.get(3)?,
                last_number: id(row, 4)?,
                result: None,
            };
            Ok((summary, result))
        })
        .map_err(failed())?;
    rows.map(|row| {
        let (mut summary, text) = row.map_err(failed())?;
        if let Some(text) = text {
            let stamped = parse(summary.id, summary.last_number, &text)?;
            if let Event::Result { result, .. } = stamped.event {
                summary.result = result;
            }
        }
        Ok(summary)
    })
    .collect()
}

pub(super) fn games_of(connection: &Connection, board: &str, count: usize) -> Result<Vec<(u64, i64)>, JournalError> {
    let failed = || JournalError::sqlite("list the games of a board");
    let mut statement = connection
        .prepare_cached("SELECT id, started_wall_ms FROM game WHERE board = ?1 ORDER BY id DESC LIMIT ?2")
        .map_err(failed())?;
    let rows =
        statement.query_map(params![board, integer(count as u64)], |row| Ok((id(row, 0)?, row.get(1)?))).map_err(failed())?;
    let mut games = rows.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    games.reverse();
    Ok(games)
}

pub(super) fn events(connection: &Connection, game: u64, after: u64) -> Result<Vec<Stamped>, JournalError> {
    let failed = || JournalError::sqlite("read events from the journal");
    let mut statement = connection
        .prepare_cached("SELECT number, event FROM event WHERE game = ?1 AND number > ?2 ORDER BY number")
        .map_err(failed())?;
    let rows = statement
        .query_map(params![integer(game), integer(after)], |row| Ok((id(row, 0)?, row.get::<_, String>(1)?)))
        .map_err(failed())?;
    rows.map(|row| {
        let (number, text) = row.map_err(failed())?;
        parse(game, number, &text)
    })
    .collect()
}

/// The events of a game before the first that cannot be read.
pub(super) fn readable_events(connection: &Connection, game: u64) -> Vec<Stamped> {
    let Ok(mut statement) = connection.prepare_cached("SELECT number, event FROM event WHERE game = ?1 ORDER BY number") else {
        return Vec::new();
    };
    let row = |row: &rusqlite::Row<'_>| Ok((id(row, 0)?, row.get::<_, String>(1)?));
    let Ok(rows) = statement.query_map([integer(game)], row) else { return Vec::new() };
    let numbered = rows.map_while(Result::ok).zip(1..).take_while(|((number, _), expect)| number == expect);
    numbered.map_while(|((number, text), _)| parse(game, number, &text).ok()).collect()
}

fn parse(game: u64, number: u64, text: &str) -> Result<Stamped, JournalError> {
    wire::from_json(text).map_err(|error| JournalError::Unreadable { game, number, why: error.to_string() })
}

/// SQLite's integers have a sign. Nothing counted here comes near the end of either.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn id(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
