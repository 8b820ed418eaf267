//! The schema of the journal, and its migrations.

use super::files::{name_suffix, with_suffix};
use super::{JournalError, backup, chain, desk_chain};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

/// SQLite application id of the file: `tchm`.
pub(super) const APPLICATION_ID: i64 = 0x7463_686d;
/// First schema version in which events carry chains.
pub(super) const FIRST_CHAINED_SCHEMA: i64 = 2;
/// First schema version with games of other machines.
pub(super) const FIRST_REMOTE_SCHEMA: i64 = 4;
/// First schema version with events of the hub's desk in such games.
pub(super) const FIRST_DESK_EVENT_SCHEMA: i64 = 5;
/// First schema version in which these carry chains.
pub(super) const FIRST_DESK_CHAIN_SCHEMA: i64 = 6;

/// Migrations: each raises the schema version by one. A released one must never be changed. `PRAGMA user_version` counts them.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE game (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        board TEXT NOT NULL,
        started_wall_ms INTEGER NOT NULL,
        epoch_wall_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX game_of_board ON game (board, id);
    CREATE TABLE event (
        game INTEGER NOT NULL REFERENCES game (id),
        number INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        wall_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (game, number)
    ) STRICT, WITHOUT ROWID;
",
    "
    ALTER TABLE event ADD COLUMN chain BLOB NOT NULL DEFAULT x'';
    CREATE TABLE incarnation (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        wall_ms INTEGER NOT NULL,
        reason TEXT NOT NULL
    ) STRICT;
    CREATE TABLE last_good (
        incarnation INTEGER NOT NULL REFERENCES incarnation (number),
        game INTEGER NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (game, incarnation)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE desk (
        number INTEGER PRIMARY KEY,
        wall_ms INTEGER NOT NULL,
        by TEXT NOT NULL,
        kind TEXT NOT NULL,
        act TEXT NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE incarnation ADD COLUMN first_game INTEGER NOT NULL DEFAULT 1;
    CREATE TABLE remote_game (
        game INTEGER PRIMARY KEY REFERENCES game (id),
        machine TEXT NOT NULL,
        journal TEXT,
        remote_game INTEGER NOT NULL,
        UNIQUE (machine, journal, remote_game)
    ) STRICT;
    CREATE TABLE hall_position (
        stream TEXT PRIMARY KEY,
        created TEXT NOT NULL,
        sequence INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE hall_command (
        id TEXT PRIMARY KEY,
        wall_ms INTEGER NOT NULL,
        outcome TEXT
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE desk_event (
        game INTEGER NOT NULL REFERENCES game (id),
        number INTEGER NOT NULL,
        after INTEGER NOT NULL,
        wall_ms INTEGER NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (game, number)
    ) STRICT, WITHOUT ROWID;
",
    "
    ALTER TABLE desk_event ADD COLUMN chain BLOB NOT NULL DEFAULT x'';
    CREATE TABLE continuation (
        id INTEGER PRIMARY KEY,
        continued INTEGER NOT NULL REFERENCES game (id),
        from_board TEXT NOT NULL,
        to_board TEXT NOT NULL,
        by TEXT NOT NULL,
        started_wall_ms INTEGER NOT NULL,
        recalled INTEGER NOT NULL,
        game INTEGER REFERENCES game (id)
    ) STRICT;
    CREATE INDEX continuation_of_game ON continuation (continued);
",
];

/// Refuses a file that a later version of touchmove has written.
pub(super) fn refuse_newer(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let (found, known) = (version.map_err(JournalError::sqlite("read the journal"))?, MIGRATIONS.len() as i64);
    if found > known {
        return Err(JournalError::Newer { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// Migrates the schema to the current version.
pub(super) fn migrate(path: &Path, connection: &mut Connection) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("set up the journal");
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed())?;
    let done = usize::try_from(version).unwrap_or(0);
    if done > 0 && done < MIGRATIONS.len() {
        let copy = unused_backup_path(path, version);
        backup::copy_to(connection, &copy)?;
        tracing::info!(
            "migrating the journal from schema {version} to {}; a copy of it is in {}",
            MIGRATIONS.len(),
            copy.display()
        );
    }
    for (step, migration) in MIGRATIONS.iter().enumerate().skip(done) {
        let step = step + 1;
        let migrating = connection.transaction().map_err(failed())?;
        migrating
            .execute_batch(&format!("{migration} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {step};"))
            .map_err(failed())?;
        match step as i64 {
            FIRST_CHAINED_SCHEMA => chain::compute_all(&migrating).map_err(failed())?,
            FIRST_DESK_CHAIN_SCHEMA => desk_chain::compute_all(&migrating).map_err(failed())?,
            _ => {}
        }
        migrating.commit().map_err(failed())?;
    }
    Ok(())
}

/// Returns `journal.sqlite3.backup-v1`, with `-2` and so on if that exists.
fn unused_backup_path(path: &Path, version: i64) -> PathBuf {
    let name = |count: u32| with_suffix(path, &format!(".backup-v{version}{}", name_suffix(count)));
    (1..).map(name).find(|name| fs::symlink_metadata(name).is_err()).unwrap_or_else(|| name(0))
}
