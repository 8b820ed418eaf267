//! The writing thread: stores the batches that are waiting in one transaction, and answers when they are on disk; it
//! checkpoints when idle.

use super::JournalError;
use super::append::{Batch, store_group};
use super::ballast::Ballast;
use super::incarnation::{self, GameEnd, Incarnation};
use super::marks::{Mark, Marks};
use crate::daemon::atomic_file::Durability;
use rusqlite::{Connection, TransactionBehavior};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Shortest interval between writes of the marks.
const MARKS_EVERY: Duration = Duration::from_secs(1);
/// Number of commits after which the write-ahead log is checkpointed into the main file when no job waits: two or three fsyncs,
/// done after the answer.
const CHECKPOINT_AFTER_COMMITS: u32 = 64;
/// Number of commits after which the log is checkpointed although other jobs wait.
const MAX_COMMITS: u32 = 4 * CHECKPOINT_AFTER_COMMITS;
/// Maximum number of batches in one transaction.
const MAX_GROUP: usize = 256;
/// Length of the events of other machines in one transaction, in bytes, after which no more are added: a move of this machine waits
/// for it.
const MAX_REMOTE_BYTES: usize = 256 * 1024;

/// Result of storing a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendOutcome {
    /// Game of each event.
    pub games: Vec<u64>,
    /// The disk is full: the batch was stored in the space reserved for the last moves.
    pub uses_reserve: bool,
}

/// A batch, and where the answer goes.
struct Append {
    batch: Batch,
    answer: oneshot::Sender<Result<AppendOutcome, JournalError>>,
}

enum Job {
    Append(Append),
    /// Does something else with the journal, and answers; returns whether something was stored.
    Write(Box<dyn FnOnce(&mut WriterState) -> bool + Send>),
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
        self.send(Job::Append(Append { batch, answer }))?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    /// Does this on the writing thread, after everything that was requested before.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriterState) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (answer, outcome) = oneshot::channel();
        self.send(Job::Write(Box::new(move |start: &mut WriterState| {
            let done = work(start);
            let is_stored = done.is_ok();
            // The requester may be gone; what was done remains.
            let _ = answer.send(done);
            is_stored
        })))?;
        outcome.await.unwrap_or(Err(JournalError::Closed))
    }

    pub(super) async fn close(&self, games: BTreeMap<u64, u64>, reason: String) -> Result<Incarnation, JournalError> {
        self.write(move |start| close(start, &games, &reason)).await
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
        let mut next = None;
        loop {
            let job = match (next.take(), self.due) {
                (Some(job), _) => Ok(job),
                (None, None) => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                (None, Some(due)) => queue.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match job {
                Ok(job) => {
                    let is_stored;
                    (is_stored, next) = self.execute(job, queue);
                    commits += u32::from(is_stored);
                    if is_stored && self.due.is_none() {
                        let now = Instant::now();
                        self.due = Some(self.written.map_or(now, |written| now.max(written + MARKS_EVERY)));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_idle = next.is_none();
            if (is_idle && commits > CHECKPOINT_AFTER_COMMITS) || commits > MAX_COMMITS {
                commits = 0;
                // If this fails, e.g. on a full disk, the log keeps everything and the next attempt comes later.
                if let Err(error) = self.start.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
                    tracing::debug!(%error, "the journal's write-ahead log cannot be shortened");
                }
            }
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.write_marks(Durability::ProcessExitSafe);
            }
        }
        self.write_marks(Durability::PowerCutSafe);
    }

    /// Executes a job, and with a batch all batches that are waiting behind it. Returns whether something was stored, and the
    /// next job.
    fn execute(&mut self, job: Job, queue: &mpsc::Receiver<Job>) -> (bool, Option<Job>) {
        let is_stored = match job {
            Job::Append(first) => {
                let mut remote_bytes = first.batch.remote_bytes();
                let mut group = vec![first];
                let next = loop {
                    match queue.try_recv() {
                        Ok(Job::Append(append)) if group.len() < MAX_GROUP && remote_bytes < MAX_REMOTE_BYTES => {
                            remote_bytes += append.batch.remote_bytes();
                            group.push(append);
                        }
                        next => break next.ok(),
                    }
                };
                return (self.append(group), next);
            }
            Job::Write(work) => work(&mut self.start),
            Job::MarkSuspect => {
                self.suspect = true;
                self.due = Some(Instant::now());
                false
            }
        };
        (is_stored, queue.try_recv().ok())
    }

    /// Stores batches in one transaction. The requesters of some may be gone; the events are stored all the same.
    fn append(&mut self, group: Vec<Append>) -> bool {
        let (batches, answers): (Vec<_>, Vec<_>) = group.into_iter().map(|append| (append.batch, append.answer)).unzip();
        let mut stored = store_group(&mut self.start, &batches);
        if matches!(stored, Err(JournalError::Full)) && self.ballast.release() {
            stored = store_group(&mut self.start, &batches);
        }
        let outcomes = match stored {
            Ok(outcomes) => outcomes,
            Err(error) => {
                answers.into_iter().for_each(|answer| drop(answer.send(Err(error.clone()))));
                return false;
            }
        };
        self.ballast.restore();
        let uses_reserve = self.ballast.is_used();
        let mut is_stored = false;
        for (answer, games) in answers.into_iter().zip(outcomes) {
            is_stored |= games.is_ok();
            let _ = answer.send(games.map(|games| AppendOutcome { games, uses_reserve }));
        }
        is_stored
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

/// Closes these games, since they are incomplete.
fn close(start: &mut WriterState, games: &BTreeMap<u64, u64>, reason: &str) -> Result<Incarnation, JournalError> {
    let failed = || JournalError::sqlite("write to the journal");
    let transaction = start.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    incarnation::begin(&transaction, reason, start.last_game + 1, games)?;
    let incarnation = Incarnation::read(&transaction).map_err(failed())?;
    transaction.commit().map_err(failed())?;
    start.incarnation.clone_from(&incarnation.id);
    start.ends.retain(|_, end| !games.contains_key(&end.game));
    Ok(incarnation)
}
