//! A link task's handle at the hub.

use super::{BoardId, BoardView, Hub, OrderError, OrderGuard, ReplySender, Request, TableExchange};
use crate::daemon::journal::{JournalError, RemoteEvents};
use crate::game::{Answer, Order, StampedEvent};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A link task's handle at the hub: publishes the board's events and receives requests for it. Dropping it ends the board's
/// publisher.
pub struct BoardHandle {
    pub(super) hub: Arc<Hub>,
    pub(super) board: BoardId,
    pub(super) batches: mpsc::UnboundedSender<Step>,
    /// Requests for this board.
    pub requests: mpsc::Receiver<Request>,
}

impl BoardHandle {
    /// Publishes events in order after they are written to the journal, then changes the board's view, then answers a request.
    /// Returns at once.
    ///
    /// `epoch_wall_ms`: wall-clock time of the board's time 0, in milliseconds since 1970-01-01 UTC, by the current system clock.
    pub fn publish(
        &self,
        epoch_wall_ms: i64,
        events: Vec<StampedEvent>,
        change: impl FnOnce(&mut BoardView) + Send + 'static,
        done: Option<(ReplySender, Result<Answer, OrderError>)>,
    ) {
        self.send_batch(Batch { epoch_wall_ms, events, change: Some(Box::new(change)), done, exchange: None });
    }

    /// Publishes a game that is continued from another board: with all its events, none of which is published as an update. The
    /// board takes that game's playing table in the round.
    pub fn publish_continuation(&self, epoch_wall_ms: i64, events: Vec<StampedEvent>, exchange: TableExchange) {
        self.send_batch(Batch { epoch_wall_ms, events, change: None, done: None, exchange: Some(exchange) });
    }

    /// Publishes events of another machine's journal in order after they are written to this one.
    pub fn publish_remote(&self, remote: RemoteBatch) {
        self.send(Step::Remote(Box::new(remote)));
    }

    /// Carries out an order of the hub's desk about a game of another machine, after the events that were published before. `game`:
    /// one that has left the board; `None`: the one that is there, as `guard` says.
    pub fn publish_desk_order(&self, game: Option<u64>, guard: OrderGuard, order: Order, done: ReplySender) {
        self.send(Step::Desk(Box::new(DeskOrder { game, guard, order, done })));
    }

    fn send_batch(&self, batch: Batch) {
        self.send(Step::Events(Box::new(batch)));
    }

    fn send(&self, step: Step) {
        // The publisher outlives the handle, so the channel is open.
        let _ = self.batches.send(step);
    }

    /// Changes the board's view at once, before pending events are in the journal: for data that is not part of the game.
    pub fn update(&self, change: impl FnOnce(&mut BoardView)) {
        self.hub.change_board(&self.board, change);
    }

    /// As [`BoardHandle::update`], but only if `condition` returns true. Returns whether it did.
    pub fn update_if(&self, condition: impl FnOnce(&BoardView) -> bool, change: impl FnOnce(&mut BoardView)) -> bool {
        let needed = self.hub.read(|state| state.boards.get(&self.board).is_some_and(condition));
        if needed {
            self.update(change);
        }
        needed
    }

    /// Returns the board's name.
    pub fn board(&self) -> &BoardId {
        &self.board
    }
}

/// One step of a board.
pub(super) enum Step {
    /// Events of the board.
    Events(Box<Batch>),
    /// Events of another machine's journal.
    Remote(Box<RemoteBatch>),
    /// An order of the hub's desk.
    Desk(Box<DeskOrder>),
}

/// An order of the hub's desk about a game of another machine.
pub(super) struct DeskOrder {
    /// One that has left the board; `None`: the one that is there, as `guard` says.
    pub(super) game: Option<u64>,
    pub(super) guard: OrderGuard,
    pub(super) order: Order,
    pub(super) done: ReplySender,
}

/// Events of a board, then a change of its view, then the answer to a request.
pub(super) struct Batch {
    pub(super) epoch_wall_ms: i64,
    pub(super) events: Vec<StampedEvent>,
    pub(super) change: Option<Change>,
    pub(super) done: Option<(ReplySender, Result<Answer, OrderError>)>,
    /// If set, the events are those of a game from another board that is continued here.
    pub(super) exchange: Option<TableExchange>,
}

/// Consecutive events of a game in the journal of another machine.
pub struct RemoteBatch {
    /// The events as they are stored.
    pub events: RemoteEvents,
    /// The same events, as far as this version understands them.
    pub stamped: Vec<StampedEvent>,
    /// How long ago each was stored there, in milliseconds.
    pub ages_ms: Vec<u64>,
    /// Whether it is the newest game of its board. Others are older games that arrive later, and are only stored.
    pub is_newest: bool,
    /// If set, the game continues one of another board.
    pub continues: Option<RemoteContinuation>,
    /// Is called when the events are stored here, or refused.
    pub on_done: Box<dyn FnOnce(Result<(), JournalError>) + Send>,
}

/// How a game of another machine continues one of another board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteContinuation {
    /// The boards that change places in the round.
    pub exchange: TableExchange,
    /// The number of events that the game has from the earlier one. They are not published as updates.
    pub recalled: u64,
}

pub(super) type Change = Box<dyn FnOnce(&mut BoardView) + Send>;
