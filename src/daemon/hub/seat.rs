//! A link task's place at the hub.

use super::{BoardId, BoardView, Done, Exchange, Hub, OrderError, Request};
use crate::game::{Answer, Stamped};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A link task's place at the hub: it tells what its board says and gets the orders for it. Dropped: the board says no more.
pub struct Seat {
    pub(super) hub: Arc<Hub>,
    pub(super) board: BoardId,
    pub(super) batches: mpsc::UnboundedSender<Batch>,
    /// Orders for this board.
    pub requests: mpsc::Receiver<Request>,
}

impl Seat {
    /// Publishes events in order, journalled first; then changes the board's view; then answers an order. Returns at once.
    ///
    /// `epoch_wall_ms`: the time of day at the board's time 0, milliseconds since 1970-01-01 UTC, by what the time of day is now.
    pub fn publish(
        &self,
        epoch_wall_ms: i64,
        events: Vec<Stamped>,
        change: impl FnOnce(&mut BoardView) + Send + 'static,
        done: Option<(Done, Result<Answer, OrderError>)>,
    ) {
        let batch = Batch { epoch_wall_ms, events, change: Some(Box::new(change)), done, carried: None };
        // The publisher outlives the seat, so the channel is open.
        let _ = self.batches.send(batch);
    }

    /// A game that was played on another board goes on here: with all its events, none of which is news, and at that table of the
    /// round.
    pub fn carry_on(&self, epoch_wall_ms: i64, events: Vec<Stamped>, exchange: Exchange) {
        let batch = Batch { epoch_wall_ms, events, change: None, done: None, carried: Some(exchange) };
        // As above.
        let _ = self.batches.send(batch);
    }

    /// Changes the board's view at once, before what is still to be journalled: for what is not part of the game.
    pub fn update(&self, change: impl FnOnce(&mut BoardView)) {
        self.hub.change_board(&self.board, change);
    }

    /// As [`Seat::update`], if there is something to change; whether there was.
    pub fn update_if(&self, needed: impl FnOnce(&BoardView) -> bool, change: impl FnOnce(&mut BoardView)) -> bool {
        let needed = self.hub.read(|state| state.boards.get(&self.board).is_some_and(needed));
        if needed {
            self.update(change);
        }
        needed
    }

    /// The board's name.
    pub fn board(&self) -> &BoardId {
        &self.board
    }
}

/// The game that a board had when the daemon ended.
pub struct LastGame {
    /// The time of day at the board's time 0, in milliseconds since 1970-01-01 UTC.
    pub epoch_wall_ms: i64,
    /// All its events.
    pub events: Vec<Stamped>,
    /// Not all of them can be read: these are the ones before the first that cannot, and they go on as a game of their own. The number
    /// of the game that they were read from.
    pub cut_from: Option<u64>,
}

/// One step of a board: events, then what changes in its view, then the answer to an order.
pub(super) struct Batch {
    pub(super) epoch_wall_ms: i64,
    pub(super) events: Vec<Stamped>,
    pub(super) change: Option<Change>,
    pub(super) done: Option<(Done, Result<Answer, OrderError>)>,
    /// The events are those of a game from another board, which goes on here.
    pub(super) carried: Option<Exchange>,
}

pub(super) type Change = Box<dyn FnOnce(&mut BoardView) + Send>;
