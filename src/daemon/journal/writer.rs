//! The thread that writes: one transaction a batch, answered when it is on disk, tidied up when nothing else is to do.

use super::JournalError;
use super::read::{id, integer};
use crate::game::{Event, Stamped};
use crate::wire;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::HashMap;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// How many batches may wait. A board has one at a time under way, so this is never reached but on a dying disk.
const WAITING: usize = 64;
/// After so many commits the write-ahead log is written into the main file: two or three fsyncs, done after the answer.
const TIDY_AFTER: u32 = 64;

/// Durable events of one board.
pub(super) struct Batch {
    pub board: String,
    pub wall_ms: i64,
    pub events: Vec<Stamped>,
}

struct Job {
    batch: Batch,
    answer: oneshot::Sender<Result<Vec<u64>, JournalError>>,
}

/// The thread and the way to it.
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub fn start(connection: Connection) -> std::io::Result<Writer> {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || run(connection, waiting))?;
        Ok(Writer { jobs: Some(jobs), thread: Some(thread) })
    }

    pub async fn append(&self, batch: Batch) -> Result<Vec<u64>, JournalError> {
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or(JournalError::Closed)?;
        jobs.send(Job { batch, answer }).await.map_err(|_| JournalError::Closed)?;
        answered.await.unwrap_or(Err(JournalError::Closed))
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

fn run(mut connection: Connection, mut waiting: mpsc::Receiver<Job>) {
    let mut ends = HashMap::new();
    // What an earlier run left in the log is tidied up with the first commit.
    let mut untidy = TIDY_AFTER;
    while let Some(Job { batch, answer }) = waiting.blocking_recv() {
        let stored = store(&mut connection, &mut ends, &batch);
        untidy += u32::from(stored.is_ok());
        // Whoever asked may have gone; the events are stored all the same.
        let _ = answer.send(stored);
        if untidy > TIDY_AFTER && waiting.is_empty() {
            untidy = 0;
            // If this fails, on a full disk perhaps, the log keeps everything and the next attempt comes later.
            if let Err(error) = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
                tracing::debug!(%error, "the journal's write-ahead log stays as long as it is");
            }
        }
    }
}

/// How far a board's current game has come.
#[derive(Clone, Copy)]
struct End {
    game: u64,
    number: u64,
}

fn store(connection: &mut Connection, ends: &mut HashMap<String, End>, batch: &Batch) -> Result<Vec<u64>, JournalError> {
    let Some(last) = batch.events.last() else { return Ok(Vec::new()) };
    let failed = || JournalError::sqlite("write to the journal");
    let epoch_wall_ms = batch.wall_ms.saturating_sub(integer(last.at));
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    let mut end = match ends.get(&batch.board) {
        Some(end) => Some(*end),
        None => stored_end(&writing, &batch.board).map_err(failed())?,
    };
    let mut games = Vec::with_capacity(batch.events.len());
    for stamped in &batch.events {
        let wall_ms = epoch_wall_ms.saturating_add(integer(stamped.at));
        let starts = matches!(stamped.event, Event::GameStarted { .. });
        let (game, expected) = match end {
            Some(End { game, number }) if !starts => (game, number + 1),
            _ if starts && stamped.number == Some(1) => {
                let row = params![batch.board, wall_ms, epoch_wall_ms];
                let mut insert = writing
                    .prepare_cached("INSERT INTO game (board, started_wall_ms, epoch_wall_ms) VALUES (?1, ?2, ?3) RETURNING id")
                    .map_err(failed())?;
                (insert.query_row(row, |row| id(row, 0)).map_err(failed())?, 1)
            }
            _ => return Err(out_of_order(batch, 1, stamped)),
        };
        if stamped.number != Some(expected) || !stamped.event.is_durable() {
            return Err(out_of_order(batch, expected, stamped));
        }
        let kind = wire::kind(&stamped.event);
        let row = params![integer(game), integer(expected), integer(stamped.at), wall_ms, kind, wire::to_json(stamped)];
        writing
            .prepare_cached("INSERT INTO event (game, number, at_ms, wall_ms, kind, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
            .and_then(|mut insert| insert.execute(row))
            .map_err(failed())?;
        games.push(game);
        end = Some(End { game, number: expected });
    }
    writing.commit().map_err(failed())?;
    // Only now: what was not committed never happened.
    ends.extend(end.map(|end| (batch.board.clone(), end)));
    Ok(games)
}

fn stored_end(connection: &Connection, board: &str) -> rusqlite::Result<Option<End>> {
    const END: &str = "
        SELECT id, (SELECT coalesce(max(number), 0) FROM event WHERE game = id)
        FROM game WHERE board = ?1 ORDER BY id DESC LIMIT 1";
    connection.prepare_cached(END)?.query_row([board], |row| Ok(End { game: id(row, 0)?, number: id(row, 1)? })).optional()
}

fn out_of_order(batch: &Batch, expected: u64, stamped: &Stamped) -> JournalError {
    JournalError::Order { board: batch.board.clone(), expected, found: stamped.number.unwrap_or(0) }
}
