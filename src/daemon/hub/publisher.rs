//! The task that publishes the events of a board: first into the journal, then to the state and to front-ends.

use super::handle::{Batch, Step};
use super::{BoardId, Hub, JOURNAL_FAILED, JOURNAL_FULL, JOURNAL_LAST_ROOM, Published, TableExchange, Update};
use crate::daemon::journal::{AppendOutcome, JournalError};
use crate::game::StampedEvent;
use crate::names::MANAGER_INTERFACE;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::{debug, error, info};

/// Shortest and longest pause between attempts to write to a full disk.
const WRITE_RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

impl Hub {
    /// Publishes the batches of a board's events, in their order, until its handle is dropped.
    pub(super) async fn run_publisher(self: Arc<Self>, board: BoardId, mut queue: mpsc::UnboundedReceiver<Step>) {
        while let Some(step) = queue.recv().await {
            let mut batch = match step {
                Step::Events(batch) => *batch,
                Step::Remote(batch) => {
                    self.publish_remote(&board, *batch).await;
                    continue;
                }
                Step::Desk(order) => {
                    self.publish_desk_order(&board, *order).await;
                    continue;
                }
            };
            // Transient events do not wait for the disk, but never overtake durable ones.
            let durable: Vec<StampedEvent> = batch.events.iter().filter(|event| event.number.is_some()).cloned().collect();
            if durable.is_empty() {
                self.apply(&board, batch, Vec::new());
                continue;
            }
            let transient = batch.events.iter().take_while(|event| event.number.is_none()).count();
            let events = batch.events.drain(..transient).collect();
            let transient = Batch { epoch_wall_ms: batch.epoch_wall_ms, events, change: None, done: None, exchange: None };
            // Poll the write first, so that the disk starts before the transient events are published.
            let last = durable.last().map_or(0, |event| event.at);
            let wall_ms = batch.epoch_wall_ms.saturating_add_unsigned(last);
            let append = || self.journal.append(board.as_str(), wall_ms, durable.clone());
            let commit = self.commit(&board, append);
            let (games, ()) = tokio::join!(biased; commit, async { self.apply(&board, transient, Vec::new()) });
            // Seat the board before the game on it gets the names of another table. The seats may have changed since the request.
            if let Some(TableExchange { from, to, by, .. }) =
                batch.exchange.as_ref().filter(|exchange| exchange.from != exchange.to)
            {
                self.move_seat(from, to, by).await;
            }
            if let (Some(exchange), Some(first), Some(game)) = (&batch.exchange, durable.first(), games.first()) {
                let started_wall_ms = batch.epoch_wall_ms.saturating_add_unsigned(first.at);
                let order = exchange.order(started_wall_ms, durable.last().and_then(|last| last.number).unwrap_or(0));
                self.note_continuation(&board, order, *game).await;
            }
            self.apply(&board, batch, games);
        }
    }

    /// Stores durable events with `append`; retries until it succeeds. Returns the game of each.
    pub(super) async fn commit<F>(&self, board: &BoardId, append: impl Fn() -> F) -> Vec<u64>
    where
        F: Future<Output = Result<AppendOutcome, JournalError>>,
    {
        let mut delay = WRITE_RETRY.0;
        let mut is_held_back = false;
        loop {
            match append().await {
                Ok(AppendOutcome { games, uses_reserve }) => {
                    let sentence = uses_reserve.then(|| {
                        "the disk is full, and moves are stored in the space that was reserved for them: free some space in the \
                         state directory, or moves will be held back"
                            .to_owned()
                    });
                    let is_full = sentence.is_some();
                    if self.set_health_problem(JOURNAL_LAST_ROOM, None, sentence) && is_full {
                        error!("the disk is full: moves are being stored in the reserved space");
                    }
                    if is_held_back {
                        info!("the journal accepts moves again; nothing was lost");
                        self.set_health_problem(JOURNAL_FULL, Some(board), None);
                        self.set_health_problem(JOURNAL_FAILED, Some(board), None);
                    }
                    return games;
                }
                Err(error) => {
                    if !is_held_back {
                        let message = "moves are held back until the journal can store them";
                        let brief = format!("{message}: see property Problems of {MANAGER_INTERFACE}");
                        self.log_failure(&brief, &format!("board {board}: {message}: {error}"));
                    }
                    is_held_back = true;
                    let (kind, other, sentence) = if error.is_retryable() {
                        (JOURNAL_FULL, JOURNAL_FAILED, error.to_string())
                    } else {
                        let sentence = format!(
                            "moves of board {board} are held back, because they cannot be stored ({error}): touchmoved retries; if this persists, restart touchmoved"
                        );
                        (JOURNAL_FAILED, JOURNAL_FULL, sentence)
                    };
                    self.set_health_problem(other, Some(board), None);
                    self.set_health_problem(kind, Some(board), Some(sentence));
                    tokio::time::sleep(delay).await;
                    delay = (delay * 2).min(WRITE_RETRY.1);
                }
            }
        }
    }

    /// Applies events to the state and publishes them. `games` are the games of the durable ones.
    fn apply(&self, board: &BoardId, batch: Batch, games: Vec<u64>) {
        let mut updates = Vec::with_capacity(batch.events.len() + 1);
        let is_published = batch.exchange.is_none();
        {
            let mut state = self.lock();
            let mut games = games.into_iter();
            for stamped in batch.events {
                let game = if stamped.number.is_some() { games.next() } else { None };
                let game = game.or_else(|| state.boards.get(board).and_then(|view| view.game));
                state.apply(board, game, batch.epoch_wall_ms, &self.tags, &stamped);
                if !is_published {
                    continue;
                }
                debug!(%board, game, event = ?stamped.event, "event");
                let view = game.and_then(|game| state.games.get(&game));
                let epoch_wall_ms = view.map_or(batch.epoch_wall_ms, |game| game.epoch_wall_ms);
                let wall_ms = epoch_wall_ms.saturating_add_unsigned(stamped.at);
                let published = Published { board: board.clone(), game, wall_ms, age_ms: 0, stamped };
                updates.push(Update::Event(Arc::new(published)));
            }
            if let Some(exchange) = &batch.exchange {
                if let Some(game) = state.boards.get(board).and_then(|view| view.game) {
                    state.note_continuation(game, exchange.game, u64::MAX);
                }
                updates.push(Update::Board(board.clone()));
                // The board that the game has left is free now.
                updates.push(Update::Board(exchange.from.clone()));
            }
            if let (Some(change), Some(view)) = (batch.change, state.boards.get_mut(board)) {
                change(view);
                updates.push(Update::Board(board.clone()));
            }
        }
        updates.into_iter().for_each(|update| self.publish(update));
        if let Some((done, outcome)) = batch.done {
            // The requester may be gone.
            let _ = done.send(outcome);
        }
    }
}
