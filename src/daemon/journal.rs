//! The journal: every durable event of every game, on disk before anybody hears of it.
//!
//! One SQLite file, `journal.sqlite3`, that people can read with `sqlite3` (`docs/journal.md`). One thread owns the connection
//! that writes; a call of [`Journal::append`] is one transaction and, but for the first after each tidying up, one fsync.
//!
//! Each event carries a hash of itself and of all before it in its game (`chain`). A small file beside the journal says how far it was
//! (`marks`), so that what is missing later is noticed.
//!
//! **Invariants:** nothing here deletes an event, and no file that cannot be read is deleted or written to: it is set aside. The number
//! of an event that anybody may know is never given to another one.

mod archive;
mod backup;
mod ballast;
mod chain;
mod check;
mod incarnation;
mod log;
mod marks;
mod open;
mod read;
mod writer;

pub use archive::Archive;
pub use backup::backup;
pub use check::{Check, Damaged, Findings};
pub use incarnation::Incarnation;
pub use read::{GameSummary, StoredGame};
pub use writer::Stored;

use crate::game::Stamped;
use read::Chains;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The journal's file in the state directory.
pub const FILE: &str = "journal.sqlite3";

/// Why the journal could not be opened, written or read; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A later touchmove has written it.
    #[error(
        "{path} has schema {found}, and this touchmove knows schemas up to {known}: a later touchmove has written it. \
         Install that version again, or name another state directory; the file has not been changed"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest schema known here.
        known: i64,
    },
    /// Another touchmoved has it open.
    #[error("{path} is in use by another touchmoved{who}: stop that one, or name another state directory")]
    Locked {
        /// The file.
        path: PathBuf,
        /// ` (process 4711)`, or nothing.
        who: String,
    },
    /// Something that is not a file has its name.
    #[error("{path} is not a file: move it away, touchmoved will begin a new journal there")]
    NotAFile {
        /// What is in the way.
        path: PathBuf,
    },
    /// The file system said no.
    #[error("cannot {doing} {path}: {source}{advice}")]
    File {
        /// What was tried.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do, beginning with a colon or bracket, or nothing.
        advice: &'static str,
    },
    /// The disk is full. Nothing was written; the same call may be repeated.
    #[error("the disk is full: free some space in the state directory; no move is published until it can be stored")]
    Full,
    /// Another program holds the file. Nothing was written; the same call may be repeated.
    #[error("the journal is held by another program, perhaps an sqlite3 shell with an open transaction: close it")]
    Busy,
    /// The file has been damaged while in use.
    #[error("the journal is damaged ({0}): restart touchmoved, which sets the file aside and begins a new one")]
    Damaged(String),
    /// An event does not follow what is stored.
    #[error("event {found} of board {board} does not follow: number {expected} is next")]
    Order {
        /// Which board.
        board: String,
        /// The number that would follow; 1 where there is no game.
        expected: u64,
        /// The number that came; 0 for a transient event.
        found: u64,
    },
    /// A stored event is not in the form it was written in.
    #[error("event {number} of game {game} in the journal cannot be read: {why}")]
    Unreadable {
        /// Which game.
        game: u64,
        /// Which event.
        number: u64,
        /// Why.
        why: String,
    },
    /// There is something where the backup should go.
    #[error("{path} exists already: name another file for the backup, nothing is overwritten")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is no journal.
    #[error("there is no journal in {dir}: give the state directory of touchmoved")]
    Missing {
        /// The directory.
        dir: PathBuf,
    },
    /// SQLite said no.
    #[error("cannot {doing}: {source}")]
    Sqlite {
        /// What was tried.
        doing: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The writing thread is gone.
    #[error("the journal has been closed")]
    Closed,
}

impl JournalError {
    /// Whether nothing was written and the same call may be repeated later.
    pub fn may_be_repeated(&self) -> bool {
        matches!(self, JournalError::Full | JournalError::Busy)
    }

    fn sqlite(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase};
        move |source| {
            let extended = source.sqlite_error().map(|error| error.extended_code);
            match source.sqlite_error_code() {
                Some(DiskFull) => JournalError::Full,
                // The index of the write-ahead log could not grow.
                _ if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => JournalError::Full,
                Some(DatabaseBusy | DatabaseLocked) => JournalError::Busy,
                Some(DatabaseCorrupt) => JournalError::Damaged(format!("it is torn or cut short: {source}")),
                Some(NotADatabase) => JournalError::Damaged("it is not an SQLite database".to_owned()),
                _ => JournalError::Sqlite { doing, source },
            }
        }
    }

    fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> JournalError {
        use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let path = path.to_owned();
        move |source| match source.kind() {
            StorageFull | QuotaExceeded => JournalError::Full,
            kind => {
                let advice = match kind {
                    PermissionDenied => " (it must belong to the user that touchmoved runs as)",
                    ReadOnlyFilesystem => " (name a state directory that can be written to)",
                    _ => "",
                };
                JournalError::File { doing, path, source, advice }
            }
        }
    }
}

/// Something the operator should know about the journal, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What was wrong, what was done about it, and where the old file is.
    pub message: String,
    /// Where the old file has been put, if it has.
    pub set_aside: Option<PathBuf>,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// An open journal. Dropping it writes out what has been accepted, tidies up and lets others open it.
pub struct Journal {
    // Dropped in this order: the writer closes last and can tidy up, and the lock outlives it.
    reader: Mutex<Connection>,
    writer: writer::Writer,
    dir: PathBuf,
    incarnation: Mutex<Incarnation>,
    /// The games that were looked through when it was opened.
    checked: BTreeSet<u64>,
    _lock: open::Lock,
}

impl Journal {
    /// Opens the journal in this directory, creating both where missing (0750 and 0640). A damaged file is set aside under a
    /// name with the date, and a [`Notice`] says so; so does one where published events are missing or changed. A file of an older
    /// version is brought up to date, after a backup beside it.
    ///
    /// The last game of each board, the newest hundred and those of the marks are looked through; the others are by
    /// [`Journal::check`].
    pub fn open(dir: &Path) -> Result<(Journal, Vec<Notice>), JournalError> {
        let opened = open::open(dir)?;
        let incarnation::Settled { incarnation, ends, last_game, checked, .. } = *opened.settled;
        let start = writer::Start {
            connection: opened.writer,
            dir: dir.to_owned(),
            incarnation: incarnation.id.clone(),
            ends,
            last_game,
        };
        let journal = Journal {
            reader: Mutex::new(opened.reader),
            writer: writer::Writer::start(start).map_err(JournalError::file("start the thread of", &dir.join(FILE)))?,
            dir: dir.to_owned(),
            incarnation: Mutex::new(incarnation),
            checked,
            _lock: opened.lock,
        };
        Ok((journal, opened.notices))
    }

    /// Stores durable events of one board, in order and in one transaction, and gives the game of each; it returns when they
    /// are on disk.
    ///
    /// A `GameStarted` begins a new game, the number of which is the next over all boards; what follows belongs to the board's
    /// current game, without a gap in its numbers. `wall_ms` is the wall clock (Unix time in milliseconds) at the time of the
    /// last of them. On [`JournalError::Full`] and [`JournalError::Busy`] nothing has been written and the same events may be
    /// given again. A call that is dropped before it returns may have stored its events or not.
    pub async fn append(&self, board: &str, wall_ms: i64, events: Vec<Stamped>) -> Result<Stored, JournalError> {
        self.writer.append(writer::Batch { board: board.to_owned(), wall_ms, events }).await
    }

    /// Which incarnation of the journal this is.
    pub fn incarnation(&self) -> Incarnation {
        lock(&self.incarnation).clone()
    }

    /// The number of the last good event of a game of which something is missing or changed, to which nothing is added any more;
    /// `None`: nothing is missing.
    pub fn last_good(&self, game: u64) -> Option<u64> {
        lock(&self.incarnation).last_good.iter().find(|(known, _)| *known == game).map(|(_, number)| *number)
    }

    /// A check of all that was not looked through when the journal was opened, for a thread of its own.
    pub fn check(&self) -> Check {
        Check::of_the_rest(&self.dir, self.checked.clone())
    }

    /// Closes the games that a [`Journal::check`] found to be damaged: what is damaged there is never taken for what it was. A torn
    /// file is set aside at the next start. Returns whether a new incarnation began.
    ///
    /// # Errors
    /// The journal does not take it; nothing has changed then.
    pub async fn close_damaged(&self, findings: &Findings) -> Result<bool, JournalError> {
        if findings.torn.is_some() {
            self.writer.suspect();
        }
        let known = self.incarnation().last_good;
        let is_known = |damaged: &&Damaged| known.iter().any(|(game, good)| *game == damaged.game && *good <= damaged.good);
        let games: BTreeMap<u64, u64> =
            findings.damaged.iter().filter(|damaged| !is_known(damaged)).map(|damaged| (damaged.game, damaged.good)).collect();
        if games.is_empty() {
            return Ok(false);
        }
        let incarnation = self.writer.close(games, findings.to_string()).await?;
        *lock(&self.incarnation) = incarnation;
        Ok(true)
    }

    /// The last game of a board, with all its events; `None` if it never had one.
    pub fn last_game(&self, board: &str) -> Result<Option<StoredGame>, JournalError> {
        read::last_game(&lock(&self.reader), Chains::Stored, board)
    }

    /// All games, the oldest first.
    pub fn games(&self) -> Result<Vec<GameSummary>, JournalError> {
        read::games(&lock(&self.reader))
    }

    /// The last games of a board, at most so many, the oldest first: the number of each, and when it began (Unix time in
    /// milliseconds).
    pub fn games_of(&self, board: &str, count: usize) -> Result<Vec<(u64, i64)>, JournalError> {
        read::games_of(&lock(&self.reader), board, count)
    }

    /// The events of a game with numbers above `after`, in order; none if there is no such game.
    pub fn events(&self, game: u64, after: u64) -> Result<Vec<Stamped>, JournalError> {
        read::events(&lock(&self.reader), Chains::Stored, game, after)
    }

    /// The events of a game before the first that cannot be read.
    pub fn readable_events(&self, game: u64) -> Vec<Stamped> {
        read::readable_events(&lock(&self.reader), Chains::Stored, game)
    }

    /// Copies the journal as it is now into a new file, while writing goes on.
    pub fn backup(&self, to: &Path) -> Result<(), JournalError> {
        backup(&self.dir, to, |_, _| {})
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
