//! The hash chain of what the hub's desk has entered about a game: each entry carries the SHA-256 of itself and of all earlier ones.
//!
//! The root follows from the root of the game's own chain ([`chain`]), and numbers are hashed as there.

use super::chain::{self, Hash};
use super::read::text;
use super::schema::{FIRST_DESK_CHAIN_SCHEMA, FIRST_DESK_EVENT_SCHEMA};
use super::values::{id, integer};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

/// The hashed content of an entry: its row without the game, which the root covers.
pub(super) struct EntryContent<'a> {
    pub number: i64,
    pub after: i64,
    pub wall_ms: i64,
    pub event: &'a str,
}

/// An entry as it is read.
pub(super) struct StoredEntry {
    pub game: u64,
    /// Its number in the game that is shown.
    pub number: u64,
    /// The number of the machine's event that it follows.
    pub after: u64,
    /// When it was entered: Unix time in milliseconds; 0 if that is malformed.
    pub wall_ms: i64,
    /// Its text; `None`: it was changed, or an entry before it is missing. Its place is then the first that is possible.
    pub text: Option<String>,
}

/// Returns the link of an entry whose predecessor has the link `before`.
pub(super) fn link(before: &Hash, content: &EntryContent<'_>) -> Hash {
    let mut hash = Sha256::new();
    hash.update(before);
    for number in [content.number, content.after, content.wall_ms] {
        hash.update(number.to_le_bytes());
    }
    hash.update(content.event);
    hash.finalize().into()
}

/// Returns the root: the link before the first entry about a game; `None`: the game does not exist or its row is malformed.
fn root(connection: &Connection, game: u64) -> rusqlite::Result<Option<Hash>> {
    let game_root = chain::stored_root(connection, game)?;
    Ok(game_root.map(|game_root| {
        let mut hash = Sha256::new();
        hash.update(b"touchmove desk");
        hash.update(game_root);
        hash.finalize().into()
    }))
}

/// Returns the link that the next entry about a game follows; `None`: that cannot be known.
pub(super) fn last_link(connection: &Connection, game: u64) -> rusqlite::Result<Option<Hash>> {
    let last = connection
        .prepare_cached("SELECT chain FROM desk_event WHERE game = ?1 ORDER BY number DESC LIMIT 1")?
        .query_row([integer(game)], |row| Ok(chain::stored_link(row, 0)))
        .optional()?;
    match last {
        Some(stored) => Ok(stored),
        None => root(connection, game),
    }
}

/// Returns the content of a row of `number, after, wall_ms, event`, of which the first has this column; `None`: it is malformed.
fn content<'a>(row: &'a Row<'_>, first: usize) -> Option<EntryContent<'a>> {
    Some(EntryContent {
        number: chain::number(row, first)?,
        after: chain::number(row, first + 1)?,
        wall_ms: chain::number(row, first + 2)?,
        event: chain::text(row, first + 3)?,
    })
}

/// The end of the entries about a game that were read.
struct EntriesEnd {
    game: u64,
    /// The stored link of the last one; `None`: it is malformed.
    link: Option<Hash>,
    /// The number of entries.
    count: u64,
    number: u64,
    after: u64,
}

/// Returns the entries about a game, or about all games, in order. Each is compared with its hash, if the journal has these.
///
/// # Errors
/// SQLite's error.
pub(super) fn entries(connection: &Connection, game: Option<u64>) -> rusqlite::Result<Vec<StoredEntry>> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version < FIRST_DESK_EVENT_SCHEMA {
        return Ok(Vec::new());
    }
    let is_chained = version >= FIRST_DESK_CHAIN_SCHEMA;
    let link_column = if is_chained { ", chain" } else { "" };
    let condition = if game.is_some() { "game = ?1" } else { "?1 IS NULL" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT game, number, after, wall_ms, event{link_column} FROM desk_event WHERE {condition} ORDER BY game, number"
    ))?;
    let mut rows = statement.query([game.map(integer)])?;
    let (mut entries, mut end): (_, Option<EntriesEnd>) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let game = id(row, 0)?;
        let before = match end.take() {
            Some(end) if end.game == game => end,
            _ => {
                let link = if is_chained { root(connection, game)? } else { None };
                // The first event of a game is always there.
                EntriesEnd { game, link, count: 0, number: 1, after: 1 }
            }
        };
        let (entry, after_it) = read(row, &before, is_chained)?;
        entries.push(entry);
        end = Some(after_it);
    }
    Ok(entries)
}

fn read(row: &Row<'_>, before: &EntriesEnd, is_chained: bool) -> rusqlite::Result<(StoredEntry, EntriesEnd)> {
    let (game, count) = (before.game, before.count + 1);
    let content = content(row, 1);
    let wall_ms = content.as_ref().map_or(0, |content| content.wall_ms);
    // The events of the machine and the entries before it are counted by its number.
    let place = content.as_ref().and_then(|content| {
        let (number, after) = (u64::try_from(content.number).ok()?, u64::try_from(content.after).ok()?);
        (number == after.checked_add(count)? && after >= before.after).then_some((number, after))
    });
    let stored = if is_chained { chain::stored_link(row, 5) } else { None };
    let is_good = place.is_some()
        && (!is_chained || {
            let expected = before.link.zip(content).map(|(before, content)| link(&before, &content));
            stored.is_some() && stored == expected
        });
    let text = if is_good { Some(text(row, 4)?) } else { None };
    let (number, after) = place.unwrap_or((before.number.saturating_add(1), before.after));
    Ok((StoredEntry { game, number, after, wall_ms, text }, EntriesEnd { game, link: stored, count, number, after }))
}

/// Returns the number of the machine's event that the first changed entry about a game follows, or the first entry before which one
/// is missing; `None`: all are good. `closed`: the number of the last good event, if the game is known to be damaged.
///
/// # Errors
/// SQLite's error if the file is corrupt.
pub(super) fn last_good_if_damaged(connection: &Connection, game: u64, closed: Option<u64>) -> rusqlite::Result<Option<u64>> {
    let changed = entries(connection, Some(game))?.into_iter().find(|entry| entry.text.is_none());
    // In the game that is shown it has the same number or a higher one, so that no damaged event counts as good.
    let good = changed.map(|entry| entry.after);
    Ok(good.filter(|good| closed.is_none_or(|known| *good < known)))
}

/// Computes the chains of a journal that has none.
///
/// # Errors
/// SQLite's error.
pub(super) fn compute_all(connection: &Connection) -> rusqlite::Result<()> {
    let games = connection
        .prepare("SELECT DISTINCT game FROM desk_event ORDER BY game")?
        .query_map([], |row| id(row, 0))?
        .collect::<rusqlite::Result<Vec<u64>>>()?;
    for game in games {
        let Some(mut last) = root(connection, game)? else { continue };
        let mut links = Vec::new();
        {
            let mut statement = connection
                .prepare_cached("SELECT number, after, wall_ms, event FROM desk_event WHERE game = ?1 ORDER BY number")?;
            let mut rows = statement.query([integer(game)])?;
            while let Some(row) = rows.next()? {
                // An entry that cannot be read here stays as it is, and is reported.
                let Some(content) = content(row, 0) else { break };
                last = link(&last, &content);
                links.push((content.number, last));
            }
        }
        let mut update = connection.prepare_cached("UPDATE desk_event SET chain = ?3 WHERE game = ?1 AND number = ?2")?;
        for (number, link) in links {
            update.execute(params![integer(game), number, link.as_slice()])?;
        }
    }
    Ok(())
}
