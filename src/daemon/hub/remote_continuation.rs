//! Games of other machines that continue on another board: by order of this hub, or on a board of the same machine. Any other game is not
//! a continuation, however it begins, because a machine must not take over the table of another one.

use super::{BoardId, GameView, Hub, RemoteContinuation, TableExchange, Update};
use crate::daemon::journal::{ContinuationOrder, RemoteEvents};
use tracing::warn;

impl TableExchange {
    /// Returns the order to continue the game; `None`: the game is not here. `recalled`: the number of events that the game has.
    pub fn order(&self, started_wall_ms: i64, recalled: u64) -> Option<ContinuationOrder> {
        let TableExchange { game, from, to, by } = self;
        let (from, to, by) = (from.to_string(), to.to_string(), by.clone());
        Some(ContinuationOrder { continued: (*game)?, from, to, by, started_wall_ms, recalled })
    }
}

impl RemoteContinuation {
    /// Returns the order that the game of these events carries out. If there was none, it is what the order would have been.
    pub(super) fn order(&self, events: &RemoteEvents) -> Option<ContinuationOrder> {
        self.exchange.order(events.started_wall_ms, self.recalled)
    }
}

impl Hub {
    /// Returns how a game that its machine has begun continues another one of that machine, although nobody at the hub has asked for
    /// that: the position that had ended it was undone, or the boards were exchanged there. It began at the same moment, and has all
    /// events of that game.
    pub(super) fn unexpected_continuation(
        &self,
        board: &BoardId,
        game: u64,
        events: &RemoteEvents,
    ) -> Option<RemoteContinuation> {
        let began_then = |other: &&GameView| {
            other.id != game
                && !other.record.plies.is_empty()
                && other.wall_ms(other.record.started_at) == events.started_wall_ms
        };
        let others: Vec<(u64, BoardId)> = self
            .read(|state| state.games.values().rev().filter(began_then).map(|other| (other.id, other.board.clone())).collect());
        others.into_iter().find_map(|(other, from)| {
            // In a round, games of many machines may begin at the same moment: their events are not read.
            let source = self.journal.remote_game(other).ok()??;
            if source.machine != events.source.machine {
                return None;
            }
            let rows = self.journal.event_rows(other, 0, usize::MAX).ok()?;
            let same = events.events.iter().map(|row| &row.text).take(rows.len());
            let is_same = same.eq(rows.iter().map(|row| &row.text));
            let recalled = rows.len() as u64;
            let exchange = TableExchange { game: Some(other), from, to: board.clone(), by: source.machine };
            is_same.then_some(RemoteContinuation { exchange, recalled })
        })
    }

    /// Seats the board on which a game continues at the table of the one that it has left. Nothing changes if that was done before.
    pub(super) async fn move_seat_of(&self, order: &ContinuationOrder) {
        if order.from != order.to {
            self.move_seat(&BoardId::new(&order.from), &BoardId::new(&order.to), &order.by).await;
        }
    }

    /// Gives a game that has come of an order the names of the game that it continues, and notes that it has come.
    pub(super) async fn finish_continuation(&self, board: &BoardId, order: ContinuationOrder, game: u64) {
        self.enter_names_of(board, &order, game).await;
        self.note_continuation(board, Some(order), game).await;
        // Which pairing the game belongs to follows from its names.
        self.publish(Update::Desk);
    }

    /// Stores that a game has come of an order; `None`: the game that it continues is not here.
    pub(super) async fn note_continuation(&self, board: &BoardId, order: Option<ContinuationOrder>, game: u64) {
        let Some(order) = order else { return };
        if let Err(error) = self.journal.finish_continuation(order, game).await {
            warn!("that a game continues on board {board} cannot be stored: {error}");
        }
    }

    /// Finishes the orders to continue a game that were interrupted by the end of the process after the game had come: moves the seat,
    /// enters the names. The boards must be registered.
    pub async fn resume_continuations(&self) {
        let open = self.journal.open_continuations().unwrap_or_else(|error| {
            warn!("the games that continue on other boards cannot be read: {error}");
            Vec::new()
        });
        for (order, game) in open {
            let Some(game) = game else { continue };
            self.move_seat_of(&order).await;
            if let Some(continued) = self.lock().games.get_mut(&order.continued) {
                continued.is_continued = true;
            }
            self.finish_continuation(&BoardId::new(&order.to), order, game).await;
        }
    }
}
