//! The writing thread: one transaction per batch, answered when it is on disk; it checkpoints when idle.

use super::JournalError;
use super::ballast::Ballast;
use super::chain::{self, EventRow};
use super::desk;
use super::incarnation::{self, GameEnd, Incarnation};
use super::marks::{Mark, Marks};
use super::read::text;
use super::values::{id, integer};
use crate::daemon::atomic_file::Durability;
use crate::desk::DeskEntry;
use crate::game::{Event, StampedEvent};
use crate::wire;
use rusqlite::{Connection, TransactionBehavior, params};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Shortest interval between writes of the marks.
const MARKS_EVERY: Duration = Duration::from_secs(1);
/// Number of commits after which the write-ahead log is checkpointed into the main file: two or three fsyncs, done after the
/// answer.
const CHECKPOINT_AFTER_COMMITS: u32 = 64;

/// Durable events of one board.
pub(super) struct Batch {
    pub board: String,
    pub wall_ms: i64,
    pub events: Vec<StampedEvent>,
}

/// Result of storing a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendOutcome {
    /// Game of each event.
    pub games: Vec<u64>,
    /// The disk is full: the batch was stored in the space reserved for the last moves.
    pub uses_reserve: bool,
}

enum Job {
    Append {
        batch: Batch,
        answer: oneshot::Sender<Result<AppendOutcome, JournalError>>,
    },
    /// Stores events of a game that is no longer its board's current one.
    AppendLate {
        game: u64,
        wall_ms: i64,
        events: Vec<StampedEvent>,
        answer: oneshot::Sender<Result<(), JournalError>>,
    },
    /// Stores an act of the operator's desk.
    Desk {
        entry: Box<DeskEntry>,
        answer: oneshot::Sender<Result<(), JournalError>>,
    },
    /// Closes these games, since they are incomplete.
    Close {
        games: BTreeMap<u64, u64>,
        reason: String,
        answer: oneshot::Sender<Result<Incarnation, JournalError>>,
    },
    /// Records that the file is corrupt: the next start checks it first.
    MarkSuspect,
}

/// The thread's initial data.
pub(super) struct WriterState {
    pub connection: Connection,
    /// State directory.
    pub dir: PathBuf,
    /// Identifier of the incarnation.
    pub incarnation: String,
    pub ends: HashMap<String, GameEnd>,
    pub last_game: u64,
}

/// The thread and its channel.
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(start: WriterState) -> std::io::Result<Writer> {
        let (jobs, queue) = mpsc::channel();
        let thread =
            std::thread::Builder::new().name("journal".to_owned()).spawn(move || WriterThread::new(start).run(&queue))?;
        Ok(Writer { jobs: Some(jobs), thread: Some(thread) })
    }

    fn send(&self, job: Job) -> Result<(), JournalError> {
        self.jobs.as_ref().ok_or(JournalError::Closed)?.send(job).map_err(|_| JournalError::Closed)
    }

    pub(super) async fn append(&self, batch: Batch) -> Result<AppendOutcome, JournalError> {
        let (answer, outcome) = oneshot::channel();
        self.send(Job::Append { batch, answer })?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    pub(super) async fn append_late(&self, game: u64, wall_ms: i64, events: Vec<StampedEvent>) -> Result<(), JournalError> {
        let (answer, outcome) = oneshot::channel();
        self.send(Job::AppendLate { game, wall_ms, events, answer })?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    pub(super) async fn append_desk(&self, entry: DeskEntry) -> Result<(), JournalError> {
        let (answer, outcome) = oneshot::channel();
        self.send(Job::Desk { entry: Box::new(entry), answer })?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    pub(super) async fn close(&self, games: BTreeMap<u64, u64>, reason: String) -> Result<Incarnation, JournalError> {
        let (answer, outcome) = oneshot::channel();
        self.send(Job::Close { games, reason, answer })?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    pub(super) fn mark_suspect(&self) {
        // A thread that has ended has written its marks.
        let _ = self.send(Job::MarkSuspect);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's state.
struct WriterThread {
    start: WriterState,
    ballast: Ballast,
    suspect: bool,
    /// When the marks must be written; `None`: they are up to date.
    due: Option<Instant>,
    /// When they were last written.
    written: Option<Instant>,
    /// The thread that writes the marks, so that no commit waits for it.
    writing: Option<JoinHandle<()>>,
}

impl WriterThread {
    fn new(start: WriterState) -> WriterThread {
        // The opened journal may be another one than the marks describe.
        WriterThread {
            ballast: Ballast::new(&start.dir),
            start,
            suspect: false,
            due: Some(Instant::now()),
            written: None,
            writing: None,
        }
    }

    fn run(mut self, queue: &mpsc::Receiver<Job>) {
        // Checkpoint what an earlier run left in the log with the first commit.
        let mut commits = CHECKPOINT_AFTER_COMMITS;
        loop {
            let job = match self.due {
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => queue.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            let mut next = match job {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => {
                    self.write_marks(Durability::ProcessExitSafe);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            while let Some(job) = next {
                commits += u32::from(self.execute(job));
                next = queue.try_recv().ok();
            }
            if commits > CHECKPOINT_AFTER_COMMITS {
                commits = 0;
                // If this fails, e.g. on a full disk, the log keeps everything and the next attempt comes later.
                if let Err(error) = self.start.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
                    tracing::debug!(%error, "the journal's write-ahead log cannot be shortened");
                }
            }
        }
        self.write_marks(Durability::PowerCutSafe);
    }

    /// Executes a job; returns whether something was stored.
    fn execute(&mut self, job: Job) -> bool {
        let is_stored = match job {
            Job::Append { batch, answer } => {
                let stored = self.append(&batch);
                let is_stored = stored.is_ok();
                // The requester may be gone; the events are stored all the same.
                let _ = answer.send(stored);
                is_stored
            }
            Job::AppendLate { game, wall_ms, events, answer } => {
                let stored = store_late(&mut self.start, game, wall_ms, &events);
                let is_stored = stored.is_ok();
                let _ = answer.send(stored);
                is_stored
            }
            Job::Desk { entry, answer } => {
                let stored = desk::store(&self.start.connection, &entry);
                let is_stored = stored.is_ok();
                let _ = answer.send(stored);
                is_stored
            }
            Job::Close { games, reason, answer } => {
                let closed = close(&mut self.start, &games, &reason);
                let is_stored = closed.is_ok();
                let _ = answer.send(closed);
                is_stored
            }
            Job::MarkSuspect => {
                self.suspect = true;
                self.due = Some(Instant::now());
                false
            }
        };
        if is_stored && self.due.is_none() {
            let now = Instant::now();
            self.due = Some(self.written.map_or(now, |written| now.max(written + MARKS_EVERY)));
        }
        is_stored
    }

    fn append(&mut self, batch: &Batch) -> Result<AppendOutcome, JournalError> {
        let mut stored = store(&mut self.start, batch);
        if matches!(stored, Err(JournalError::Full)) && self.ballast.release() {
            stored = store(&mut self.start, batch);
        }
        let games = stored?;
        self.ballast.restore();
        Ok(AppendOutcome { games, uses_reserve: self.ballast.is_used() })
    }

    fn write_marks(&mut self, durability: Durability) {
        self.due = None;
        self.written = Some(Instant::now());
        let marks = Marks {
            incarnation: self.start.incarnation.clone(),
            last_game: self.start.last_game,
            suspect: self.suspect,
            games: self.start.ends.values().map(|end| (end.game, Mark::from(end))).collect(),
        };
        self.writing.take().map(JoinHandle::join);
        let dir = self.start.dir.clone();
        // If this fails, the existing marks remain, which are older but true.
        let save = move || {
            if let Err(error) = marks.save(&dir, durability) {
                tracing::debug!(%error, "the journal's marks cannot be written");
            }
        };
        match durability {
            Durability::PowerCutSafe => save(),
            Durability::ProcessExitSafe => self.writing = thread::Builder::new().name("marks".to_owned()).spawn(save).ok(),
        }
    }
}

fn close(start: &mut WriterState, games: &BTreeMap<u64, u64>, reason: &str) -> Result<Incarnation, JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    incarnation::begin(&transaction, reason, jiff::Timestamp::now().as_millisecond(), games)?;
    let incarnation = Incarnation::read(&transaction).map_err(failed())?;
    transaction.commit().map_err(failed())?;
    start.incarnation.clone_from(&incarnation.id);
    start.ends.retain(|_, end| !games.contains_key(&end.game));
    Ok(incarnation)
}

fn store(start: &mut WriterState, batch: &Batch) -> Result<Vec<u64>, JournalError> {
    let Some(last) = batch.events.last() else { return Ok(Vec::new()) };
    let failed = || JournalError::sqlite("write to the journal");
    let epoch_wall_ms = batch.wall_ms.saturating_sub(integer(last.at));
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let mut end = start.ends.get(&batch.board).cloned();
    let mut games = Vec::with_capacity(batch.events.len());
    for stamped in &batch.events {
        let wall_ms = epoch_wall_ms.saturating_add(integer(stamped.at));
        let is_start = matches!(stamped.event, Event::GameStarted { .. });
        let mut game_end = match end {
            Some(end) if !is_start => end,
            _ if is_start && stamped.number == Some(1) => {
                let row = params![batch.board, wall_ms, epoch_wall_ms];
                let mut insert = transaction
                    .prepare_cached("INSERT INTO game (board, started_wall_ms, epoch_wall_ms) VALUES (?1, ?2, ?3) RETURNING id")
                    .map_err(failed())?;
                let game = insert.query_row(row, |row| id(row, 0)).map_err(failed())?;
                let root = chain::root(game, &batch.board, wall_ms, epoch_wall_ms);
                GameEnd { game, number: 0, root, last: root }
            }
            _ => return Err(out_of_order(&batch.board, 1, stamped)),
        };
        insert_event(&transaction, &batch.board, &mut game_end, stamped, wall_ms)?;
        games.push(game_end.game);
        end = Some(game_end);
    }
    transaction.commit().map_err(failed())?;
    // Update only now: what was not committed must not count.
    start.last_game = games.iter().copied().fold(start.last_game, u64::max);
    start.ends.extend(end.map(|end| (batch.board.clone(), end)));
    Ok(games)
}

/// Stores events of a game that is no longer its board's current one.
fn store_late(start: &mut WriterState, game: u64, wall_ms: i64, events: &[StampedEvent]) -> Result<(), JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let found = chain::check(&transaction, game, None).map_err(failed())?;
    let board: String =
        transaction.query_row("SELECT board FROM game WHERE id = ?1", [integer(game)], |row| text(row, 0)).map_err(failed())?;
    let is_current = start.ends.get(&board).is_some_and(|end| end.game == game);
    if is_current || !found.is_complete {
        // The board's own events continue a current game; nothing continues a damaged one.
        return Err(JournalError::Order { board, expected: 0, found: found.last_good + 1 });
    }
    let mut end = GameEnd { game, number: found.last_good, root: found.root, last: found.last_link };
    for stamped in events {
        insert_event(&transaction, &board, &mut end, stamped, wall_ms)?;
    }
    transaction.commit().map_err(failed())
}

/// Inserts the next event of a game.
fn insert_event(
    transaction: &Connection,
    board: &str,
    end: &mut GameEnd,
    stamped: &StampedEvent,
    wall_ms: i64,
) -> Result<(), JournalError> {
    end.number += 1;
    if stamped.number != Some(end.number) || !stamped.event.is_durable() {
        return Err(out_of_order(board, end.number, stamped));
    }
    let (kind, event) = (wire::event_kind(&stamped.event), wire::to_json(stamped));
    let number = integer(end.number);
    end.last = chain::link(&end.last, &EventRow { number, at_ms: integer(stamped.at), wall_ms, kind, event: &event });
    let row = params![integer(end.game), number, integer(stamped.at), wall_ms, kind, event, end.last.as_slice()];
    transaction
        .prepare_cached(
            "INSERT INTO event (game, number, at_ms, wall_ms, kind, event, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .and_then(|mut insert| insert.execute(row))
        .map(drop)
        .map_err(JournalError::sqlite("write to the journal"))
}

fn out_of_order(board: &str, expected: u64, stamped: &StampedEvent) -> JournalError {
    JournalError::Order { board: board.to_owned(), expected, found: stamped.number.unwrap_or(0) }
}
