//! A game's hash chain: each stored event carries the SHA-256 of itself and of all earlier events.
//!
//! The root is the hash of the game's row; each event adds its own row. Numbers are hashed as eight bytes, little-endian. A text
//! that another field follows is preceded by its length.

use super::values::integer;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use sha2::{Digest, Sha256};

/// A link of a chain.
pub(super) type Hash = [u8; 32];

/// The hashed content of an event: its row without the game, which the root covers.
pub(super) struct EventContent<'a> {
    pub number: i64,
    pub at_ms: i64,
    pub wall_ms: i64,
    pub kind: &'a str,
    pub event: &'a str,
}

/// Returns the root: the link before the first event of a game.
pub(super) fn root(game: u64, board: &str, started_wall_ms: i64, epoch_wall_ms: i64) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"touchmove game");
    for number in [integer(game), started_wall_ms, epoch_wall_ms] {
        hash.update(number.to_le_bytes());
    }
    hash.update(board);
    hash.finalize().into()
}

/// Returns the link of an event whose predecessor has the link `before`.
pub(super) fn link(before: &Hash, content: &EventContent<'_>) -> Hash {
    let mut hash = Sha256::new();
    hash.update(before);
    for number in [content.number, content.at_ms, content.wall_ms, integer(content.kind.len() as u64)] {
        hash.update(number.to_le_bytes());
    }
    hash.update(content.kind);
    hash.update(content.event);
    hash.finalize().into()
}

/// Returns the root of a stored game; `None`: the game does not exist or its row is malformed.
pub(super) fn stored_root(connection: &Connection, game: u64) -> rusqlite::Result<Option<Hash>> {
    const GAME: &str = "SELECT board, started_wall_ms, epoch_wall_ms FROM game WHERE id = ?1";
    let read = |row: &Row<'_>| {
        Ok(text(row, 0)
            .zip(number(row, 1))
            .zip(number(row, 2))
            .map(|((board, started), epoch)| root(game, board, started, epoch)))
    };
    Ok(connection.prepare_cached(GAME)?.query_row([integer(game)], read).optional()?.flatten())
}

/// Columns that [`verified_link`] and [`content`] read, in this order.
pub(super) const COLUMNS: &str = "number, at_ms, wall_ms, kind, event, chain";

/// Returns the content of a row of [`COLUMNS`]; `None`: it is malformed.
pub(super) fn content<'a>(row: &'a Row<'_>) -> Option<EventContent<'a>> {
    Some(EventContent {
        number: number(row, 0)?,
        at_ms: number(row, 1)?,
        wall_ms: number(row, 2)?,
        kind: text(row, 3)?,
        event: text(row, 4)?,
    })
}

/// Returns the link of a row of [`COLUMNS`], if it has the number `expected` and follows the link `before`; `None`: the row was
/// changed.
pub(super) fn verified_link(row: &Row<'_>, before: &Hash, expected: u64) -> Option<Hash> {
    let content = content(row).filter(|content| content.number == integer(expected))?;
    stored_link(row, 5).filter(|stored| *stored == link(before, &content))
}

/// Returns the link stored in this column.
pub(super) fn stored_link(row: &Row<'_>, column: usize) -> Option<Hash> {
    match row.get_ref(column) {
        Ok(ValueRef::Blob(bytes)) => bytes.try_into().ok(),
        _ => None,
    }
}

/// Returns the number stored in this column.
pub(super) fn number(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(number)) => Some(number),
        _ => None,
    }
}

/// Returns the text stored in this column.
pub(super) fn text<'a>(row: &'a Row<'_>, column: usize) -> Option<&'a str> {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// Result of checking a game's chain.
pub(super) struct ChainCheck {
    /// Number of the last event before the first missing or changed one; 0: no event is good.
    pub last_good: u64,
    /// Whether that is the last stored event.
    pub is_complete: bool,
    /// Root.
    pub root: Hash,
    /// Link of the last good event.
    pub last_link: Hash,
    /// Link of the requested event, if it is good.
    pub requested: Option<Hash>,
}

/// Checks a game's chain. `requested_number`: number of an event whose link is requested.
///
/// # Errors
/// SQLite's error if the file is corrupt.
pub(super) fn check(connection: &Connection, game: u64, requested_number: Option<u64>) -> rusqlite::Result<ChainCheck> {
    let Some(root) = stored_root(connection, game)? else {
        return Ok(ChainCheck { last_good: 0, is_complete: false, root: [0; 32], last_link: [0; 32], requested: None });
    };
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM event WHERE game = ?1 ORDER BY number"))?;
    let mut rows = statement.query([integer(game)])?;
    let mut checked = ChainCheck { last_good: 0, is_complete: true, root, last_link: root, requested: None };
    while let Some(row) = rows.next()? {
        match self::verified_link(row, &checked.last_link, checked.last_good + 1) {
            Some(link) => (checked.last_good, checked.last_link) = (checked.last_good + 1, link),
            None => {
                checked.is_complete = false;
                break;
            }
        }
        if requested_number == Some(checked.last_good) {
            checked.requested = Some(checked.last_link);
        }
    }
    // The first event is stored together with its game.
    checked.is_complete &= checked.last_good > 0;
    Ok(checked)
}

/// Computes the chains of a journal that has none.
///
/// # Errors
/// SQLite's error.
pub(super) fn compute_all(connection: &Connection) -> rusqlite::Result<()> {
    let games = connection
        .prepare("SELECT id FROM game ORDER BY id")?
        .query_map([], |row| super::values::id(row, 0))?
        .collect::<rusqlite::Result<Vec<u64>>>()?;
    for game in games {
        let Some(mut last) = stored_root(connection, game)? else { continue };
        let mut links = Vec::new();
        {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM event WHERE game = ?1 ORDER BY number"))?;
            let mut rows = statement.query([integer(game)])?;
            while let Some(row) = rows.next()? {
                // An event that cannot be read here could not be read before either, and stays as it is.
                let Some(content) = content(row) else { break };
                last = link(&last, &content);
                links.push((content.number, last));
            }
        }
        let mut update = connection.prepare_cached("UPDATE event SET chain = ?3 WHERE game = ?1 AND number = ?2")?;
        for (number, link) in links {
            update.execute(rusqlite::params![integer(game), number, link.as_slice()])?;
        }
    }
    Ok(())
}
