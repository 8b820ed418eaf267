//! An order on its way from a face to the task that owns the board's table.

use super::BoardId;
use crate::daemon::hub::LastGame;
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

/// What the task that owns the board's table is asked for.
pub struct Request {
    /// What.
    pub what: Asked,
    /// Answered once what came of it is published.
    pub done: Done,
}

/// What can be asked for.
pub enum Asked {
    /// An order, with who gave it.
    Order(Order, Meant),
    /// A game of another board goes on at this one.
    CarryOn(Box<Carried>),
    /// That the board shows which one it is.
    Identify,
}

/// What an order is about. A table is ahead of what is published of it, as long as that is not in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// Whatever is played on the board when the order comes there.
    Whatever,
    /// The game that was on the board when so many had begun there, see [`BoardView::begun`](super::BoardView::begun).
    After(u64),
}

/// A game that goes on at another board.
pub struct Carried {
    /// The game as it stands.
    pub game: LastGame,
    /// What is put on its record: who carried it on.
    pub order: Order,
    /// Which boards change places in the round then.
    pub exchange: Exchange,
}

/// A board stands at the table of another one from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The game that goes on.
    pub game: u64,
    /// The board that stood there; the same one, where its game goes on that a position had ended.
    pub from: BoardId,
    /// The one that stands there now.
    pub to: BoardId,
    /// Who wants it.
    pub by: String,
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
    /// Another game has begun on the board, and nobody has heard of it yet. Whoever asked is told [`OrderError::NotCurrent`].
    #[error("another game has begun on that board: `touchmovectl list` shows which")]
    Overtaken,
    /// There is no game to go on elsewhere.
    #[error("no game is being played on board {0}: there is nothing to go on with")]
    NothingPlayed(BoardId),
    /// Somebody plays there.
    #[error("game {game} is being played on board {board}: take a board that is free")]
    Taken {
        /// Where the game was to go on.
        board: BoardId,
        /// What is played there.
        game: u64,
    },
    /// Players would see it.
    #[error(
        "game {game} is being played on board {board}, and nothing may be shown to its players (Art. 12.6): wait until it is over"
    )]
    Playing {
        /// Which was to show itself.
        board: BoardId,
        /// What is played there.
        game: u64,
    },
    /// The board has nothing to show itself with.
    #[error("board {0} cannot be seen or heard: it has no lights and no beeper that can be used, or is not plugged in")]
    Unnoticed(BoardId),
    /// The pieces are to be put up before.
    #[error("the position of the game does not stand on board {board}{}: put it up there, either way round, and ask again", unlike(.squares))]
    NotPutUp {
        /// Where the game is to go on.
        board: BoardId,
        /// What differs there; none: the board has said nothing yet.
        squares: Vec<shakmaty::Square>,
    },
    /// The game cannot be read.
    #[error("the game cannot go on elsewhere, because the journal cannot be read: {0}")]
    Unreadable(String),
    /// The journal cannot take it now.
    #[error("the order was not carried out because it could not be kept: {0}")]
    JournalFull(String),
    /// The daemon is going down.
    #[error("touchmoved is shutting down: start it again, then repeat the order")]
    Stopping,
}

fn unlike(squares: &[shakmaty::Square]) -> String {
    let names: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if names.is_empty() { ", which has said nothing yet".to_owned() } else { format!(" (see {})", names.join(", ")) }
}
