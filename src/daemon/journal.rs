//! The journal: stores every durable event of every game on disk before the event is published.
//!
//! It is one SQLite file that people can read with `sqlite3` (`docs/journal.md`). One thread writes. A call of [`Journal::append`] is
//! one transaction and one fsync, except for the first call after each checkpoint; calls that wait at the same time share one.
//!
//! Each event carries a hash of itself and of all earlier ones of its game (`chain`, and `desk_chain` for those of the hub's desk). A
//! small file beside the journal records how far the journal was written (`marks`), so that later losses are detected.
//!
//! **Invariants:** No event is ever deleted here. A file that cannot be read is neither deleted nor written to: it is set aside.
//! The number of an event that may have been published is never given to another event.

mod append;
mod archive;
mod backup;
mod ballast;
mod chain;
mod check;
mod continuations;
mod desk;
mod desk_chain;
mod desk_events;
mod files;
mod hall;
mod incarnation;
mod lock;
mod log;
pub mod machine_events;
mod marks;
mod open;
mod read;
mod remote;
mod schema;
mod values;
mod writer;

pub use archive::Archive;
pub use backup::backup;
pub use check::{Check, Damaged, Findings};
pub use continuations::ContinuationOrder;
pub use desk_events::DeskEventRow;
pub use hall::CommandState;
pub use incarnation::Incarnation;
pub use read::{GameSummary, StoredGame};
pub use remote::{EventRow, GameEndRow, KnownRemoteGame, RemoteEvents, RemoteGame};
pub use writer::AppendOutcome;

use crate::game::{ErrorCode, StampedEvent};
use read::Chains;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Name of the journal file in the state directory.
pub const FILE_NAME: &str = "journal.sqlite3";

/// Reason why the journal could not be opened, written or read; each message says what to do.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// A later version of touchmove has written the file.
    #[error(
        "{path} has schema {found}, but this touchmove knows schemas only up to {known}: a later version wrote it. \
         Install that version again, or give another state directory; the file has not been changed"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest schema known here.
        known: i64,
    },
    /// Another touchmoved has the file open.
    #[error("{path} is in use by another touchmoved{holder}: stop that process, or give another state directory")]
    Locked {
        /// File.
        path: PathBuf,
        /// ` (process 4711)`, or empty.
        holder: String,
    },
    /// A directory or the like has the file's name.
    #[error("{path} is not a file: move it away, and touchmoved creates a new journal there")]
    NotAFile {
        /// The object in the way.
        path: PathBuf,
    },
    /// A file system operation failed.
    #[error("cannot {action} {path}: {source}{advice}")]
    File {
        /// Operation.
        action: &'static str,
        /// File.
        path: PathBuf,
        /// Error of the operating system.
        source: Arc<std::io::Error>,
        /// What to do, beginning with a colon or bracket; or empty.
        advice: &'static str,
    },
    /// The disk is full. Nothing was written; the same call may be repeated.
    #[error("the disk is full: free some space in the state directory; no move is published until it can be stored")]
    Full,
    /// Another program holds the file. Nothing was written; the same call may be repeated.
    #[error("the journal is locked by another program, perhaps an sqlite3 shell with an open transaction: close it")]
    Busy,
    /// The file has been damaged while in use.
    #[error("the journal is damaged ({0}): restart touchmoved, which sets the file aside and creates a new one")]
    Damaged(String),
    /// An event does not follow the last stored one.
    #[error("event {found} of board {board} is out of order: number {expected} is next")]
    Order {
        /// Board.
        board: String,
        /// Number that would follow; 1 if there is no game.
        expected: u64,
        /// Number received; 0 for a transient event.
        found: u64,
    },
    /// An event of another machine cannot be accepted.
    #[error(
        "event {number} of game {} from machine {} cannot be stored: {reason}; update touchmove here if that machine has a later \
         version",
        .game.game,
        .game.machine
    )]
    RemoteEvent {
        /// The game at its machine.
        game: RemoteGame,
        /// Event.
        number: u64,
        /// Reason.
        reason: String,
    },
    /// An event of another machine is not the one that was received before under its number.
    #[error(
        "event {number} of game {} from machine {} is not the one that was received before: its journal {} was changed, or another \
         machine has a copy of it; find out which machine has the right one, and stop touchmoved on the other",
        .game.game,
        .game.machine,
        .game.journal
    )]
    RemoteChanged {
        /// The game at its machine.
        game: RemoteGame,
        /// Event.
        number: u64,
    },
    /// A stored event is malformed.
    #[error("event {number} of game {game} in the journal cannot be read: {reason}")]
    Unreadable {
        /// Game.
        game: u64,
        /// Event.
        number: u64,
        /// Reason.
        reason: String,
    },
    /// The backup's target exists already.
    #[error("{path} already exists: give another file for the backup; nothing has been overwritten")]
    Exists {
        /// File.
        path: PathBuf,
    },
    /// There is no journal.
    #[error("there is no journal in {dir}: give the state directory of touchmoved")]
    Missing {
        /// Directory.
        dir: PathBuf,
    },
    /// An SQLite operation failed.
    #[error("cannot {action}: {source}")]
    Sqlite {
        /// Operation.
        action: &'static str,
        /// Error of SQLite.
        source: Arc<rusqlite::Error>,
    },
    /// The writing thread has ended.
    #[error("the journal has been closed")]
    Closed,
}

impl JournalError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::Unavailable("JournalUnreadable")
    }

    /// Returns whether nothing was written and the same call may be repeated later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, JournalError::Full | JournalError::Busy)
    }

    /// Returns whether these events of another machine would be refused again.
    pub fn is_about_remote_events(&self) -> bool {
        use JournalError::{Damaged, Order, RemoteChanged, RemoteEvent};
        matches!(self, Order { .. } | RemoteEvent { .. } | RemoteChanged { .. } | Damaged(_))
    }

    fn sqlite(action: &'static str) -> impl FnOnce(rusqlite::Error) -> JournalError {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase};
        move |source| {
            let extended = source.sqlite_error().map(|error| error.extended_code);
            match source.sqlite_error_code() {
                Some(DiskFull) => JournalError::Full,
                // The index of the write-ahead log could not grow.
                _ if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => JournalError::Full,
                Some(DatabaseBusy | DatabaseLocked) => JournalError::Busy,
                Some(DatabaseCorrupt) => JournalError::Damaged(format!("it is corrupt or truncated: {source}")),
                Some(NotADatabase) => JournalError::Damaged("it is not an SQLite database".to_owned()),
                _ => JournalError::Sqlite { action, source: Arc::new(source) },
            }
        }
    }

    fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> JournalError {
        use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let path = path.to_owned();
        move |source| match source.kind() {
            StorageFull | QuotaExceeded => JournalError::Full,
            kind => {
                let advice = match kind {
                    PermissionDenied => " (it must belong to the user that touchmoved runs as)",
                    ReadOnlyFilesystem => " (give a writable state directory)",
                    _ => "",
                };
                JournalError::File { action, path, source: Arc::new(source), advice }
            }
        }
    }
}

/// A sentence about the journal that the operator should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What was wrong, what was done about it, and where the old file is.
    pub message: String,
    /// New path of the old file, if it was set aside.
    pub set_aside: Option<PathBuf>,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// An open journal. Dropping it writes all accepted events, checkpoints the write-ahead log and releases the lock.
pub struct Journal {
    // Fields are dropped in this order: the writer closes last, so that it can checkpoint, and the lock outlives it.
    reader: Mutex<Connection>,
    writer: writer::Writer,
    dir: PathBuf,
    incarnation: Mutex<Incarnation>,
    /// Games that were checked when the journal was opened.
    checked_games: BTreeSet<u64>,
    _lock: lock::Lock,
}

impl Journal {
    /// Opens the journal in this directory; creates both if missing, with modes 0750 and 0640. A damaged file is set aside under a
    /// name with the date. A [`Notice`] reports that, and also published events that are missing or changed. A file of an older
    /// version is migrated, after a backup beside it.
    ///
    /// Checks the last game of each board, the newest hundred games and those in the marks; [`Journal::check`] checks the others.
    pub fn open(dir: &Path) -> Result<(Journal, Vec<Notice>), JournalError> {
        let opened = open::open(dir)?;
        let incarnation::CheckedJournal { incarnation, ends, last_game, checked, .. } = *opened.settled;
        let start = writer::WriterState {
            connection: opened.writer,
            dir: dir.to_owned(),
            incarnation: incarnation.id.clone(),
            ends,
            last_game,
        };
        let journal = Journal {
            reader: Mutex::new(opened.reader),
            writer: writer::Writer::start(start)
                .map_err(JournalError::file("start the writer thread of", &dir.join(FILE_NAME)))?,
            dir: dir.to_owned(),
            incarnation: Mutex::new(incarnation),
            checked_games: checked,
            _lock: opened.lock,
        };
        Ok((journal, opened.notices))
    }

    /// Stores durable events of one board, in order and in one transaction. Returns the game of each event once they are on disk.
    ///
    /// A `GameStarted` begins a new game, whose number is the next over all boards. Later events belong to the board's current
    /// game, without gaps in its numbers. Batches of several boards that wait at the same time are stored in one transaction;
    /// if one is refused, that does not affect the others. `wall_ms` is the wall-clock time of the last event (Unix time in
    /// milliseconds). After [`JournalError::Full`] and [`JournalError::Busy`] nothing has been written and the call may be
    /// repeated. If the future is dropped before it completes, the events may or may not have been stored.
    pub async fn append(&self, board: &str, wall_ms: i64, events: Vec<StampedEvent>) -> Result<AppendOutcome, JournalError> {
        self.writer.append(append::Batch::Local { board: board.to_owned(), wall_ms, events }).await
    }

    /// Stores events of a game that is no longer its board's current one, such as a result that is entered late. Returns once they
    /// are on disk. `wall_ms`: their wall-clock time (Unix time in milliseconds).
    ///
    /// # Errors
    /// Nothing was stored. [`JournalError::Order`]: the game is current, damaged or one of another machine, or the numbers do not
    /// follow.
    pub async fn append_late(&self, game: u64, wall_ms: i64, events: Vec<StampedEvent>) -> Result<(), JournalError> {
        self.writer.write(move |start| append::store_late(start, game, wall_ms, &events)).await
    }

    /// Returns a game with all its events; `None`: there is no such game.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn game(&self, game: u64) -> Result<Option<StoredGame>, JournalError> {
        read::game(&lock(&self.reader), Chains::Stored, game)
    }

    /// Returns the journal's incarnation.
    pub fn incarnation(&self) -> Incarnation {
        lock(&self.incarnation).clone()
    }

    /// Returns the number of the last good event of a game that is damaged, to which no events are added any more; `None`: the game
    /// is complete.
    pub fn last_good(&self, game: u64) -> Option<u64> {
        lock(&self.incarnation).last_good.iter().find(|(known, _)| *known == game).map(|(_, number)| *number)
    }

    /// Returns a check of everything that was not checked when the journal was opened, to be run on its own thread.
    pub fn check(&self) -> Check {
        Check::of_the_rest(&self.dir, self.checked_games.clone())
    }

    /// Closes the games that a [`Journal::check`] found damaged, so that changed events are never used as the original ones. A
    /// corrupt file is set aside at the next start. Returns whether a new incarnation began.
    ///
    /// # Errors
    /// The journal cannot be written; nothing has changed then.
    pub async fn close_damaged(&self, findings: &Findings) -> Result<bool, JournalError> {
        if findings.torn.is_some() {
            self.writer.mark_suspect();
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

    /// Returns a board's last game with all its events; `None` if it never had one.
    pub fn last_game(&self, board: &str) -> Result<Option<StoredGame>, JournalError> {
        read::last_game(&lock(&self.reader), Chains::Stored, board)
    }

    /// Returns all games, oldest first.
    pub fn games(&self) -> Result<Vec<GameSummary>, JournalError> {
        read::games(&lock(&self.reader))
    }

    /// Returns at most `count` of a board's last games, oldest first: the number of each and its start time (Unix time in
    /// milliseconds). Games of another machine are in the order of their start times, since older ones may arrive later.
    pub fn games_of(&self, board: &str, count: usize) -> Result<Vec<(u64, i64)>, JournalError> {
        read::games_of(&lock(&self.reader), board, count)
    }

    /// Returns a game's events with numbers above `after`, in order; none if the game does not exist.
    pub fn events(&self, game: u64, after: u64) -> Result<Vec<StampedEvent>, JournalError> {
        read::events(&lock(&self.reader), Chains::Stored, game, after)
    }

    /// Returns a game's events before the first that cannot be read.
    pub fn readable_events(&self, game: u64) -> Vec<StampedEvent> {
        read::readable_events(&lock(&self.reader), Chains::Stored, game)
    }

    /// Copies the journal's current state into a new file while writing continues.
    pub fn backup(&self, to: &Path) -> Result<(), JournalError> {
        backup(&self.dir, to, |_, _| {})
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
