//! Opening the journal: the check, and setting damaged files aside.

use super::files::{name_suffix, with_suffix};
use super::incarnation::{CheckedJournal, Witnesses, check_and_begin};
use super::lock::{Lock, take_lock};
use super::marks::{self, Marks};
use super::schema::{APPLICATION_ID, FIRST_REMOTE_SCHEMA, migrate, refuse_newer};
use super::{FILE_NAME, JournalError, Notice, log};
use crate::daemon::atomic_file::make_folder;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another program may hold the file before a call fails. Readers never wait, and no other program should write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// Suffixes of the files that SQLite may leave beside the journal; the empty one is the journal itself.
const FILE_SUFFIXES: [&str; 4] = ["-wal", "-shm", "-journal", ""];
/// Magic numbers of the write-ahead log (SQLite file format, 4.1).
const LOG_MAGIC: [[u8; 4]; 2] = [log::MAGIC.to_be_bytes(), (log::MAGIC + 1).to_be_bytes()];
/// Maximum size of a file that is checked completely before use, in bytes; a larger one is checked afterwards.
const MAX_FULL_CHECK_SIZE: u64 = 4 << 20;
pub(super) struct Opened {
    pub writer: Connection,
    pub reader: Connection,
    pub lock: Lock,
    pub settled: Box<CheckedJournal>,
    pub notices: Vec<Notice>,
}

pub(super) fn open(dir: &Path) -> Result<Opened, JournalError> {
    let path = dir.join(FILE_NAME);
    make_folder(dir, 0o750).map_err(JournalError::file("create", dir))?;
    let lock = take_lock(dir, &path)?;
    let mut witnesses = Witnesses { marks: Marks::load(dir), public: marks::load_public(dir), lost_frames: 0 };
    let mut notices = Vec::new();
    let (lost_frames, log_notice) = recover_log(dir, &path)?;
    witnesses.lost_frames = lost_frames;
    let is_suspect = log_notice.is_some() || witnesses.marks.as_ref().is_some_and(|marks| marks.suspect);
    notices.extend(log_notice);
    let (writer, settled) = match inspect(&path, is_suspect, &witnesses)? {
        FileState::Nothing => begin(&path, &witnesses)?,
        FileState::Journal(connection, settled) => (connection, settled),
        FileState::Damaged(reason) => {
            notices.push(set_aside(dir, &path, &reason)?);
            begin(&path, &witnesses)?
        }
    };
    notices.extend(settled.damage.iter().map(|damage| Notice { message: damage.clone(), set_aside: None }));
    let failed = || JournalError::sqlite("open the journal for reading");
    let reader = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    reader.busy_timeout(BUSY_TIMEOUT).map_err(failed())?;
    Ok(Opened { writer, reader, lock, settled, notices })
}

/// Creates a new journal.
fn begin(path: &Path, witnesses: &Witnesses) -> Result<(Connection, Box<CheckedJournal>), JournalError> {
    let mut connection = create(path)?;
    prepare(path, &mut connection)?;
    let settled = check_and_begin(&mut connection, witnesses)?;
    Ok((connection, Box::new(settled)))
}

/// What exists under the journal's name.
enum FileState {
    Nothing,
    Journal(Connection, Box<CheckedJournal>),
    Damaged(String),
}

/// Inspects the journal file. `is_suspect`: there is a reason to check it completely.
fn inspect(path: &Path, is_suspect: bool, witnesses: &Witnesses) -> Result<FileState, JournalError> {
    let length = |suffix: &str| fs::metadata(with_suffix(path, suffix)).map_or(0, |found| found.len());
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let orphan = length("-wal") > 0 || length("-journal") > 0;
            return Ok(if orphan { FileState::Damaged("the main file is missing".to_owned()) } else { FileState::Nothing });
        }
        Err(error) => return Err(JournalError::file("open", path)(error)),
        Ok(found) if !found.is_file() => return Err(JournalError::NotAFile { path: path.to_owned() }),
        // If there is a rollback journal beside it, an older touchmoved was creating it, and SQLite recovers it.
        Ok(found) if found.len() == 0 && length("-journal") == 0 => return Ok(FileState::Damaged("it is empty".to_owned())),
        Ok(_) => {}
    }
    // SQLite reports only that it cannot open the file; the operating system gives the reason.
    let readable = OpenOptions::new().read(true).write(true).open(path);
    drop(readable.map_err(JournalError::file("open", path))?);
    let mut connection = connect(path)?;
    let is_full = is_suspect || length("") <= MAX_FULL_CHECK_SIZE;
    let outcome = match check_or_reindex(path, &mut connection, is_full) {
        Ok(None) => prepare(path, &mut connection).and_then(|()| check_and_begin(&mut connection, witnesses)),
        Ok(Some(reason)) => return Ok(FileState::Damaged(reason)),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(settled) => Ok(FileState::Journal(connection, Box::new(settled))),
        Err(JournalError::Damaged(reason)) => Ok(FileState::Damaged(reason)),
        Err(JournalError::Sqlite { source, .. }) if is_damage(&source) => {
            Ok(FileState::Damaged(format!("it is corrupt or truncated: {source}")))
        }
        Err(error) => Err(error),
    }
}

/// Returns whether this error of SQLite means that the file is damaged, rather than not writable.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ApiMisuse, ConstraintViolation, ReadOnly, SchemaChanged, TypeMismatch, Unknown};
    match error.sqlite_error_code() {
        // The operating system has already opened it for writing.
        Some(code) => matches!(code, ReadOnly | Unknown | SchemaChanged | TypeMismatch | ConstraintViolation | ApiMisuse),
        None => !matches!(error, rusqlite::Error::InvalidPath(_) | rusqlite::Error::InvalidQuery),
    }
}

/// As [`check`], but rebuilds a wrong index, since its table contains all its data.
fn check_or_reindex(path: &Path, connection: &mut Connection, is_full: bool) -> Result<Option<String>, JournalError> {
    let found = check(path, connection, is_full);
    let (Ok(Some(_)) | Err(JournalError::Damaged(_))) = found else { return found };
    let Ok(transaction) = connection.transaction() else { return found };
    let is_repaired = transaction.execute_batch("REINDEX").is_ok() && matches!(check(path, &transaction, true), Ok(None));
    if !is_repaired || transaction.commit().is_err() {
        return found;
    }
    tracing::warn!("an index in the journal {} was damaged and has been rebuilt; nothing is missing", path.display());
    Ok(None)
}

/// Returns what is damaged in the file, if anything. `is_full`: check the whole file, not only the tables.
fn check(path: &Path, connection: &Connection, is_full: bool) -> Result<Option<String>, JournalError> {
    let failed = || JournalError::sqlite("read the journal");
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed());
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if tables > 0 && number("PRAGMA application_id")? != APPLICATION_ID {
        return Ok(Some("it is a database of another program".to_owned()));
    }
    refuse_newer(path, connection)?;
    // Unlike `quick_check`, this detects a row that has moved to another game. The tables of games alone are short, and their
    // indexes say which games a board has, and which are those of other machines.
    let pragmas: &[&str] = match is_full {
        true => &["PRAGMA integrity_check(1)"],
        false if number("PRAGMA user_version")? < FIRST_REMOTE_SCHEMA => &["PRAGMA integrity_check('game')"],
        false => &["PRAGMA integrity_check('game')", "PRAGMA integrity_check('remote_game')"],
    };
    for pragma in pragmas.iter().filter(|_| tables > 0) {
        let result: String = connection.query_row(pragma, [], |row| row.get(0)).map_err(failed())?;
        if result != "ok" {
            return Ok(Some(format!("it is corrupt or truncated: {}", result.replace('\n', " "))));
        }
    }
    Ok(None)
}

/// Creates an empty journal. It appears under its name only when complete: an empty or unfinished file of that name is always
/// damaged.
fn create(path: &Path) -> Result<Connection, JournalError> {
    let new = with_suffix(path, ".new");
    for suffix in FILE_SUFFIXES {
        match fs::remove_file(with_suffix(&new, suffix)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(JournalError::file("remove", &new)(error)),
            _ => {}
        }
    }
    // Created here rather than by SQLite to set the mode; SQLite's files beside it get the same mode.
    let created = OpenOptions::new().write(true).create_new(true).mode(0o640).open(&new);
    drop(created.map_err(JournalError::file("create", &new))?);
    migrate(&new, &mut connect(&new)?)?;
    fs::rename(&new, path).map_err(JournalError::file("create", path))?;
    if let Some(dir) = path.parent() {
        sync_directory(dir)?;
    }
    connect(path)
}

fn connect(path: &Path) -> Result<Connection, JournalError> {
    let failed = || JournalError::sqlite("open the journal");
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed())?;
    // Until it has been checked nothing may be written into it, not even its own log when the connection closes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(failed())?;
    Ok(connection)
}

fn prepare(path: &Path, connection: &mut Connection) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("set up the journal");
    // The writer checkpoints the log after answering, instead of the commit that makes it long.
    let mode: String = connection
        .execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
        .and_then(|()| connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)))
        .map_err(failed())?;
    if mode != "wal" {
        tracing::warn!(mode, "this file system does not support a write-ahead log: writing is slower, and backups wait");
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(failed())?;
    migrate(path, connection)
}

/// Handles a log of which SQLite would silently ignore a part. Returns the number of lost frames and a notice of what was done.
fn recover_log(dir: &Path, path: &Path) -> Result<(u64, Option<Notice>), JournalError> {
    let log = with_suffix(path, "-wal");
    let mut magic = [0; 4];
    let foreign = match File::open(&log).and_then(|mut log| log.read_exact(&mut magic)) {
        Ok(()) => !LOG_MAGIC.contains(&magic),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((0, None)),
        // Shorter than the magic number: nothing was ever committed there.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(JournalError::file("read", &log)(error)),
    };
    let damage = match foreign {
        // Each frame contains a page, and no page is shorter than 512 bytes.
        true => Some(log::Damage { frames: fs::metadata(&log).map_or(0, |log| log.len() / 512), in_main_file: false }),
        false => log::damage(&log, path).map_err(JournalError::file("read", &log))?,
    };
    let Some(log::Damage { frames, in_main_file }) = damage else { return Ok((0, None)) };
    let aside = with_suffix(&unused_aside_path(dir), "-wal");
    if foreign || in_main_file {
        fs::rename(&log, &aside).map_err(JournalError::file("set aside", &log))?;
    } else {
        // SQLite reads the frames before the damage.
        fs::copy(&log, &aside).map(drop).map_err(JournalError::file("set aside", &log))?;
    }
    sync_directory(dir)?;
    let (lost, outcome) = match in_main_file {
        true => (0, "everything in it is also in the main file, and nothing is missing"),
        false => (frames, "the journal continues from its readable part, and the last moves may be missing"),
    };
    let message = format!(
        "the journal's write-ahead log {} is damaged and has been set aside as {}; {outcome}",
        log.display(),
        aside.display()
    );
    Ok((lost, Some(Notice { message, set_aside: Some(aside) })))
}

fn set_aside(dir: &Path, path: &Path, reason: &str) -> Result<Notice, JournalError> {
    let aside = unused_aside_path(dir);
    // Move the main file last: if killed in between, the next start still finds it damaged and moves it as well.
    for suffix in FILE_SUFFIXES {
        match fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(JournalError::file("set aside", path)(error)),
            _ => {}
        }
    }
    sync_directory(dir)?;
    let message = format!(
        "the journal {} cannot be used: {reason}. It has been set aside as {}, nothing has been deleted, and a new journal has \
         been created; touchmoved does not know the earlier games any more",
        path.display(),
        aside.display()
    );
    Ok(Notice { message, set_aside: Some(aside) })
}

/// Returns `journal-damaged-20261121T100000Z.sqlite3`, with `-2` and so on if that exists.
fn unused_aside_path(dir: &Path) -> PathBuf {
    let date = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut count = 1;
    loop {
        let name = dir.join(format!("journal-damaged-{date}{}.sqlite3", name_suffix(count)));
        if FILE_SUFFIXES.iter().all(|suffix| fs::symlink_metadata(with_suffix(&name, suffix)).is_err()) {
            return name;
        }
        count += 1;
    }
}

fn sync_directory(dir: &Path) -> Result<(), JournalError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(JournalError::file("sync", dir))
}
