//! Opening: the lock, the check, what is set aside, the schema.

use super::{FILE, JournalError, Notice};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Held while the journal is open. SQLite's own locks would shut out `touchmovectl backup` too.
const LOCK: &str = "journal.lock";
/// Marks the file as ours: `tchm`.
const APPLICATION_ID: i64 = 0x7463_686d;
/// How long another program may hold the file before an answer says so. Readers never wait, and nobody else should write.
const PATIENCE: Duration = Duration::from_secs(1);
/// What SQLite may leave beside the file.
const BESIDE: [&str; 4] = ["-wal", "-shm", "-journal", ""];
/// The write-ahead log begins with one of these (SQLite file format, 4.1).
const LOG_MAGIC: [[u8; 4]; 2] = [0x377f_0682_u32.to_be_bytes(), 0x377f_0683_u32.to_be_bytes()];

/// Each brings the schema one further; never change one that has been released. `PRAGMA user_version` counts them.
const MIGRATIONS: &[&str] = &["
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
"];

pub(super) struct Opened {
    pub writer: Connection,
    pub reader: Connection,
    pub lock: Lock,
    pub notices: Vec<Notice>,
}

pub(super) fn open(dir: &Path) -> Result<Opened, JournalError> {
    let path = dir.join(FILE);
    DirBuilder::new().recursive(true).mode(0o750).create(dir).map_err(JournalError::file("create", dir))?;
    let lock = take_lock(dir, &path)?;
    let mut notices = Vec::new();
    notices.extend(set_aside_foreign_log(dir, &path)?);
    let mut writer = match inspect(&path)? {
        Found::Nothing => None,
        Found::Journal(connection) => Some(connection),
        Found::Damaged(why) => {
            notices.push(set_aside(dir, &path, &why)?);
            None
        }
    };
    let mut writer = match writer.take() {
        Some(connection) => connection,
        None => create(&path)?,
    };
    prepare(&mut writer)?;
    let failed = || JournalError::sqlite("open the journal for reading");
    let reader = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    reader.busy_timeout(PATIENCE).map_err(failed())?;
    Ok(Opened { writer, reader, lock, notices })
}

/// Nobody else writes to this journal.
pub(super) struct Lock(File);

/// A child process that was just started may hold the file until it is another program.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

fn take_lock(dir: &Path, path: &Path) -> Result<Lock, JournalError> {
    let name = dir.join(LOCK);
    let mut lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o640)
        .open(&name)
        .map_err(JournalError::file("open", &name))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            let who = match lock.read_to_string(&mut process) {
                Ok(_) if !process.trim().is_empty() => format!(" (process {})", process.trim()),
                _ => String::new(),
            };
            return Err(JournalError::Locked { path: path.to_owned(), who });
        }
        Err(TryLockError::Error(error)) => return Err(JournalError::file("lock", &name)(error)),
    }
    // For the message above only: on a full disk it stays empty.
    let _ = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
    Ok(Lock(lock))
}

/// What has the journal's name.
enum Found {
    Nothing,
    Journal(Connection),
    Damaged(String),
}

fn inspect(path: &Path) -> Result<Found, JournalError> {
    let length = |beside: &str| fs::metadata(with(path, beside)).map_or(0, |found| found.len());
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let orphan = length("-wal") > 0 || length("-journal") > 0;
            return Ok(if orphan { Found::Damaged("the main file is missing".to_owned()) } else { Found::Nothing });
        }
        Err(error) => return Err(JournalError::file("open", path)(error)),
        Ok(found) if !found.is_file() => return Err(JournalError::NotAFile { path: path.to_owned() }),
        // With a rollback journal beside it, it was being created; SQLite knows what to do.
        Ok(found) if found.len() == 0 && length("-journal") == 0 => return Ok(Found::Damaged("it is empty".to_owned())),
        Ok(_) => {}
    }
    // SQLite says only that it cannot open it; the system says why.
    let readable = OpenOptions::new().read(true).write(true).open(path);
    drop(readable.map_err(JournalError::file("open", path))?);
    let connection = connect(path)?;
    match check(path, &connection) {
        Ok(None) => Ok(Found::Journal(connection)),
        Ok(Some(why)) => Ok(Found::Damaged(why)),
        Err(JournalError::Damaged(why)) => Ok(Found::Damaged(why)),
        Err(error) => Err(error),
    }
}

/// A file that a later touchmove has written cannot be understood.
pub(super) fn refuse_newer(path: &Path, connection: &Connection) -> Result<(), JournalError> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let (found, known) = (version.map_err(JournalError::sqlite("read the journal"))?, MIGRATIONS.len() as i64);
    if found > known {
        return Err(JournalError::Newer { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// What is wrong with the file, if anything.
fn check(path: &Path, connection: &Connection) -> Result<Option<String>, JournalError> {
    let failed = || JournalError::sqlite("read the journal");
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed());
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    if tables > 0 && number("PRAGMA application_id")? != APPLICATION_ID {
        return Ok(Some("it is a database of another program".to_owned()));
    }
    refuse_newer(path, connection)?;
    let whole: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed())?;
    Ok((whole != "ok").then(|| format!("it is torn or cut short: {}", whole.replace('\n', " "))))
}

fn create(path: &Path) -> Result<Connection, JournalError> {
    // Made here and not by SQLite, for the mode; what SQLite puts beside it has the same.
    let made = OpenOptions::new().write(true).create_new(true).mode(0o640).open(path);
    drop(made.map_err(JournalError::file("create", path))?);
    connect(path)
}

fn connect(path: &Path) -> Result<Connection, JournalError> {
    let failed = || JournalError::sqlite("open the journal");
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed())?;
    connection.busy_timeout(PATIENCE).map_err(failed())?;
    // Until it has been checked, nothing may be written into it: not even its own log when the connection closes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(failed())?;
    Ok(connection)
}

fn prepare(connection: &mut Connection) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("set up the journal");
    // The log is tidied up by the writer, after it has answered; not by whichever commit makes it long.
    let mode: String = connection
        .execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
        .and_then(|()| connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)))
        .map_err(failed())?;
    if mode != "wal" {
        tracing::warn!(mode, "no write-ahead log on this file system: writing is slower, and backups wait");
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(failed())?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed())?;
    let done = usize::try_from(version).unwrap_or(0);
    for (step, migration) in MIGRATIONS.iter().enumerate().skip(done) {
        let step = step + 1;
        let migrating = connection.transaction().map_err(failed())?;
        migrating
            .execute_batch(&format!("{migration} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {step};"))
            .map_err(failed())?;
        migrating.commit().map_err(failed())?;
    }
    Ok(())
}

/// A log that SQLite would take for rubbish and overwrite.
fn set_aside_foreign_log(dir: &Path, path: &Path) -> Result<Option<Notice>, JournalError> {
    let log = with(path, "-wal");
    let mut magic = [0; 4];
    let foreign = match File::open(&log).and_then(|mut log| log.read_exact(&mut magic)) {
        Ok(()) => !LOG_MAGIC.contains(&magic),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // Shorter than its first word: nothing was ever committed there.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(JournalError::file("read", &log)(error)),
    };
    if !foreign {
        return Ok(None);
    }
    let aside = with(&free_name(dir), "-wal");
    fs::rename(&log, &aside).map_err(JournalError::file("set aside", &log))?;
    sync_directory(dir)?;
    let message = format!(
        "the journal's write-ahead log {} is damaged and has been set aside as {}; the journal goes on from what was in the \
         main file, and the last moves may be missing",
        log.display(),
        aside.display()
    );
    Ok(Some(Notice { message, set_aside: aside }))
}

fn set_aside(dir: &Path, path: &Path, why: &str) -> Result<Notice, JournalError> {
    let aside = free_name(dir);
    // The main file last: killed in between, the next start finds it still damaged and takes it aside as well.
    for beside in BESIDE {
        match fs::rename(with(path, beside), with(&aside, beside)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(JournalError::file("set aside", path)(error)),
            _ => {}
        }
    }
    sync_directory(dir)?;
    let message = format!(
        "the journal {} cannot be used: {why}. It has been set aside as {} with nothing deleted, and a new journal has been \
         begun; games played before are not known to touchmoved any more",
        path.display(),
        aside.display()
    );
    Ok(Notice { message, set_aside: aside })
}

/// `journal-damaged-20261121T100000Z.sqlite3`, or with `-2` and so on where that is taken.
fn free_name(dir: &Path) -> PathBuf {
    let date = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut count = 1;
    loop {
        let again = if count == 1 { String::new() } else { format!("-{count}") };
        let name = dir.join(format!("journal-damaged-{date}{again}.sqlite3"));
        if BESIDE.iter().all(|beside| fs::symlink_metadata(with(&name, beside)).is_err()) {
            return name;
        }
        count += 1;
    }
}

fn sync_directory(dir: &Path) -> Result<(), JournalError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(JournalError::file("write out", dir))
}

fn with(path: &Path, beside: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(beside);
    PathBuf::from(name)
}
