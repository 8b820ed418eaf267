//! What an arbiter or a player asks for.

use crate::game::GameResult;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Set the result; `None`: there is none yet, the game goes on.
    Result(Option<GameResult>),
    /// The position on the board is this, and a new game begins from it. FEN; X-FEN or Shredder-FEN for Chess960.
    Position(String),
    /// Take back so many plies, at least 1.
    TakeBack(u32),
}

/// A command and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What.
    pub command: Command,
    /// Who, as the face knew him: a bus name, a user, `configuration`.
    pub by: String,
}

/// Why a command was not carried out; says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no game.
    #[error("there is no game on this board: set up the start position, or give a position")]
    NoGame,
    /// Not that many moves.
    #[error("the game has only {0} plies: take back at most that many, and at least one")]
    TooManyPlies(u32),
    /// Not a FEN.
    #[error("not a position: {0}; give a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    BadFen(String),
}
