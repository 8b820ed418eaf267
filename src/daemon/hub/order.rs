//! An order on its way from a face to the task that owns the board's table.

use super::BoardId;
use crate::game::command::Refused;
use crate::game::{Answer, Order};
use tokio::sync::oneshot;

/// Whom an order is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Whatever is played on this board.
    Board(BoardId),
    /// This game, and no other on the same board.
    Game(u64),
}

/// An order for the task that owns the board's table.
#[derive(Debug)]
pub struct Request {
    /// What, and who gave it.
    pub order: Order,
    /// Answered once what came of it is published.
    pub done: Done,
}

/// Where an order's outcome is told.
pub type Done = oneshot::Sender<Result<Answer, OrderError>>;

/// Why an order was not carried out; says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The core refused it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No such board.
    #[error("there is no board {0}: `touchmovectl list` shows the boards there are")]
    NoSuchBoard(String),
    /// No such game at hand.
    #[error("game {0} is not at hand: `touchmovectl list` shows the games that are")]
    NoSuchGame(u64),
    /// Another game is played on the board by now.
    #[error("game {asked} is over, and game {current} is on board {board} now: command that one")]
    NotCurrent {
        /// Which was asked for.
        asked: u64,
        /// The board it was on.
        board: BoardId,
        /// Which is on it now.
        current: u64,
    },
    /// The journal cannot take it now.
    #[error("the order was not carried out because it could not be kept: {0}")]
    JournalFull(String),
    /// The daemon is going down.
    #[error("touchmoved is shutting down: start it again, then repeat the order")]
    Stopping,
}
