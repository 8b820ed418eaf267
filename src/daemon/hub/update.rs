//! The updates that front-ends receive.

use super::BoardId;
use crate::game::StampedEvent;
use std::sync::Arc;

/// A change of which front-ends are notified, after the state has changed.
#[derive(Clone, Debug)]
pub enum Update {
    /// An event.
    Event(Arc<Published>),
    /// Something else about this board changed, or the board is new.
    Board(BoardId),
    /// The operator's desk changed: seats, rounds, or which round is played.
    Desk,
    /// What is known of the machines of the hall changed.
    Machines,
    /// The search for boards over Bluetooth has begun, found something or ended.
    Bluetooth,
    /// The list of health problems or that of unused devices changed, or a new incarnation of the journal began.
    Health,
}

/// An event as published.
#[derive(Clone, Debug)]
pub struct Published {
    /// Board.
    pub board: BoardId,
    /// Game; for transient events `None` if there is no game.
    pub game: Option<u64>,
    /// Wall-clock time, in milliseconds since 1970-01-01 UTC.
    pub wall_ms: i64,
    /// How long ago it happened, in milliseconds, if that is known to be long: of an event that another machine has sent late.
    pub age_ms: u64,
    /// Event with its number and time.
    pub stamped: StampedEvent,
}
