//! What a face is told.

use super::BoardId;
use crate::game::Stamped;
use std::sync::Arc;

/// What a face is told. The state has changed already when it hears of it.
#[derive(Clone, Debug)]
pub enum News {
    /// An event.
    Event(Arc<Published>),
    /// Something else about this board changed, or it is new.
    Board(BoardId),
    /// The round that is being played changed.
    Round,
    /// The list of troubles changed, or that of what is not used, or a new incarnation of the journal began.
    Trouble,
}

/// An event on its way out.
#[derive(Clone, Debug)]
pub struct Published {
    /// The board.
    pub board: BoardId,
    /// The game, for durable events and for others while there is one.
    pub game: Option<u64>,
    /// Time of day, in milliseconds since 1970-01-01 UTC.
    pub wall_ms: i64,
    /// What happened.
    pub stamped: Stamped,
}
