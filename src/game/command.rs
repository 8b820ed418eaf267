//! What an arbiter or a player asks for.

use crate::game::GameResult;
use shakmaty::{Color, Role};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Set the result; `None`: there is none yet, the game goes on.
    Result(Option<GameResult>),
    /// The position on the board is this, and a new game begins from it. FEN; X-FEN or Shredder-FEN for Chess960.
    Position(String),
    /// Take back so many plies, at least 1.
    TakeBack(u32),
    /// This is the piece that the pawn became: where the board cannot tell pieces apart, or stands otherwise.
    Promotion {
        /// The ply of the promotion, from 1; `None`: the last promotion on record.
        ply: Option<u32>,
        /// Queen, rook, bishop or knight; anything else is refused.
        role: Role,
    },
    /// This player says that he adjusts pieces (Art. 4.2): what he touches next and puts back is no move.
    Adjust(Color),
    /// The arbiter has seen this alert: it stands no more.
    Acknowledge(u32),
    /// The position before this ply is put back (Art. 7.5.1, 7.4, 7.6): the moves from there on leave the record.
    Restore {
        /// From 1; one more than there are: the last position on record.
        ply: u32,
    },
}

/// A command and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What.
    pub command: Command,
    /// Who, as the face knew him: a bus name, a user, `configuration`.
    pub by: String,
}

/// What a command that was carried out says to whoever gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// It was done.
    #[default]
    Done,
    /// A position was put back, and the player to move has to make one of these moves, as UCI (Art. 7.5.1); none: any legal move.
    Bound(Vec<String>),
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
    /// There is no such alert, or it stands no more.
    #[error("alert {0} does not stand: `touchmovectl game` shows the alerts that do")]
    NoAlert(u32),
    /// There is no such ply.
    #[error("there is no position before ply {ply}: the game has {known} plies, so give 1 to {}", known + 1)]
    NoPly {
        /// Which was asked for.
        ply: u32,
        /// How many there are.
        known: u32,
    },
    /// No pawn was promoted there, or it cannot become that piece.
    #[error("{}; `touchmovectl game` shows the moves, and a pawn becomes a queen, rook, bishop or knight", no_promotion(*.0))]
    NoPromotion(Option<u32>),
    /// With that piece the record, or the board, would not be right.
    #[error("{0}")]
    PromotionUnlike(String),
    /// The game is over.
    #[error("the game is over: withdraw its result first")]
    Over,
    /// What was asked for is not there yet.
    #[error("touchmove cannot do this yet: {0}")]
    NotYet(&'static str),
    /// Not a FEN.
    #[error("not a position: {0}; give a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    BadFen(String),
}

fn no_promotion(ply: Option<u32>) -> String {
    match ply {
        Some(ply) => format!("ply {ply} is no promotion"),
        None => "no promotion is on record".to_owned(),
    }
}
