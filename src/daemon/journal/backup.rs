//! Copies the journal while it is in use by this process or another.
//!
//! A copy contains a table that the journal does not have ([`is_marked`]). It shows, when the copy is opened as the journal, that
//! events stored after the copy was made are missing.

use super::{FILE_NAME, JournalError};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Number of pages copied between two calls of `progress`.
const PAGES_PER_STEP: i32 = 256;

/// Copies the current state of this directory's journal into a new file; `touchmoved` may continue writing meanwhile.
///
/// `progress` is called with the number of pages copied and the total. The target appears under its name only when it is complete.
/// It is a single file without a write-ahead log. Nothing is overwritten. The copy is marked: opening it as the journal begins a
/// new incarnation.
pub fn backup(dir: &Path, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<(), JournalError> {
    write_copy(&open_source(dir)?, to, &mut progress)
}

/// Returns whether this journal is a restored copy that was not opened yet.
pub(super) fn is_marked(journal: &Connection) -> rusqlite::Result<bool> {
    const COUNT_MARK_TABLES: &str = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'backup'";
    journal.query_row(COUNT_MARK_TABLES, [], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

/// Removes the mark of a copy.
pub(super) fn unmark(journal: &Connection) -> rusqlite::Result<()> {
    journal.execute_batch("DROP TABLE backup")
}

/// Marks a journal as a copy made now. Its source may itself be a copy that was not opened yet.
fn mark(copy: &Connection) -> rusqlite::Result<()> {
    let wall_ms = jiff::Timestamp::now().as_millisecond();
    copy.execute_batch(&format!(
        "BEGIN;
        CREATE TABLE IF NOT EXISTS backup (wall_ms INTEGER NOT NULL) STRICT;
        INSERT INTO backup (wall_ms) VALUES ({wall_ms});
        COMMIT;"
    ))
}

/// Copies the journal of an open connection into a new file.
pub(super) fn copy_to(source: &Connection, to: &Path) -> Result<(), JournalError> {
    write_copy(source, to, &mut |_, _| {})
}

fn write_copy(source: &Connection, to: &Path, progress: &mut impl FnMut(u64, u64)) -> Result<(), JournalError> {
    refuse_existing(to)?;
    let part = part_name(to);
    let create = OpenOptions::new().write(true).create_new(true).mode(0o640).open(&part);
    drop(create.map_err(JournalError::file("create", &part))?);
    let copied = copy(source, &part, progress).and_then(|()| {
        refuse_existing(to)?;
        fs::rename(&part, to).map_err(JournalError::file("rename the backup to", to))
    });
    if copied.is_err() {
        // The partial file belongs to this call and is useless.
        let _ = fs::remove_file(&part);
        return copied;
    }
    let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(JournalError::file("sync", directory))
}

pub(super) fn open_source(dir: &Path) -> Result<Connection, JournalError> {
    let path = dir.join(FILE_NAME);
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(JournalError::Missing { dir: dir.to_owned() });
        }
        Err(error) => return Err(JournalError::file("read", &path)(error)),
        Ok(found) if !found.is_file() => return Err(JournalError::NotAFile { path }),
        Ok(_) => {}
    }
    // The file must not be opened and closed here: a process loses its POSIX locks on a file, also those of SQLite on the open journal,
    // when it closes any descriptor of it.
    access(&path, Access::READ_OK).map_err(|error| JournalError::file("read", &path)(error.into()))?;
    let failed = || JournalError::sqlite("read the journal (run this as root or as the user that touchmoved runs as)");
    let source = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    source.busy_timeout(Duration::from_secs(5)).map_err(failed())?;
    // A read transaction: the copy is a snapshot of this moment, however long copying takes.
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;").map_err(failed())?;
    Ok(source)
}

fn copy(source: &Connection, part: &Path, progress: &mut impl FnMut(u64, u64)) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("write the backup");
    let mut target = Connection::open_with_flags(part, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    let copying = Backup::new(source, &mut target).map_err(failed())?;
    loop {
        let step = copying.step(PAGES_PER_STEP).map_err(failed())?;
        let pages = |count: i32| u64::try_from(count).unwrap_or(0);
        let total = pages(copying.progress().pagecount);
        progress(total.saturating_sub(pages(copying.progress().remaining)), total);
        match step {
            StepResult::Done => break,
            StepResult::More => {}
            // Nobody else knows the target, and the source is read in one transaction.
            _ => return Err(JournalError::Busy),
        }
    }
    drop(copying);
    let check_result: String = target
        .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .and_then(|()| target.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))
        .map_err(failed())?;
    if check_result == "ok" { mark(&target).map_err(failed()) } else { Err(JournalError::Damaged(check_result)) }
}

fn refuse_existing(path: &Path) -> Result<(), JournalError> {
    // A dangling symbolic link also counts as existing.
    if fs::symlink_metadata(path).is_ok() { Err(JournalError::Exists { path: path.to_owned() }) } else { Ok(()) }
}

fn part_name(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(format!(".part-{}", std::process::id()));
    PathBuf::from(name)
}
