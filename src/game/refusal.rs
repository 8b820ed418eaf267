//! Why a command was not carried out.

use super::ErrorCode;
use crate::game::Command;
use shakmaty::Color;

/// Declares the reasons, each with its message and the name of its code.
macro_rules! refusals {
    ($($(#[$about:meta])+ $variant:ident $(($($content:ty),+))? $({$($fields:tt)+})? = $name:literal,)+) => {
        /// Why a command was not carried out. The message says what to do.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Refusal {$(
            $(#[$about])+
            $variant $(($($content),+))? $({$($fields)+})?,
        )+}

        impl Refusal {
            /// Returns the code for programs.
            pub fn code(&self) -> ErrorCode {
                ErrorCode::Conflict(match self {$(Refusal::$variant { .. } => $name),+})
            }
        }
    };
}

refusals! {
    /// There is no game.
    #[error("there is no game on this board: set up the start position, or give a position")]
    NoGame = "NoGame",
    /// The game has fewer plies.
    #[error("the game has only {0} plies: take back at most that many, and at least one")]
    TooManyPlies(u32) = "TooManyPlies",
    /// There is no such alert, or it has been cleared.
    #[error("alert {0} is not in force: `touchmovectl game` lists the alerts in force")]
    NoAlert(u32) = "NoAlert",
    /// There is no such ply.
    #[error("there is no position before ply {ply}: the game has {known} plies, so give 1 to {}", known + 1)]
    NoPositionBefore {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    } = "NoPly",
    /// There is no such move.
    #[error("\"{0}\" is not a move in this position: give one such as e2e4 or e7e8q, from a square with a piece on it")]
    NoMove(String) = "NoMove",
    /// The game has no such ply.
    #[error("there is no ply {ply}: the game has {known} plies")]
    NoPly {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    } = "NoPly",
    /// The move is not legal there.
    #[error("\"{uci}\" is not a legal move at ply {ply}: give one such as e2e4 or e7e8q")]
    NotLegal {
        /// The requested move.
        uci: String,
        /// The ply.
        ply: u32,
    } = "BadMove",
    /// That move is already on record.
    #[error("this move is on record at ply {0} already")]
    SameMove(u32) = "BadMove",
    /// A later move would become illegal.
    #[error("with this change, {san} at ply {ply} would be illegal: restore the position before it first")]
    LaterMove {
        /// The ply of that move, as it is now.
        ply: u32,
        /// The move.
        san: String,
    } = "BadMove",
    /// The alert is not about an irregular move.
    #[error("alert {alert} is not about an irregular move on record that could stand: acknowledge it instead")]
    NoIrregularMove {
        /// The alert.
        alert: u32,
    } = "NoIrregularMove",
    /// No stored command can be undone.
    #[error("there is nothing to undo: only the last four commands that changed the game can be undone")]
    NothingToUndo = "NothingToUndo",
    /// Play has continued since, and cannot be followed again without the command.
    #[error("moves were made since {0}, and how play would have gone on without that is not known: give a new command instead")]
    MovedSince(&'static str) = "NothingToUndo",
    /// Nothing is counted there.
    #[error("no irregularity of {} is counted at ply {ply}: {}", name(*.player), counted(.known))]
    NotCounted {
        /// The player.
        player: Color,
        /// The ply.
        ply: u32,
        /// The plies at which something is counted.
        known: Vec<u32>,
    } = "NotCounted",
    /// The game is already paused, or is not paused.
    #[error("{}", if *.paused { "the game is paused already" } else { "the game is not paused" })]
    Paused {
        /// Whether it is paused.
        paused: bool,
    } = "Paused",
    /// The note is too long.
    #[error("the note has {0} characters: give at most {max}", max = Command::MAX_NOTE_CHARS)]
    LongNote(usize) = "LongNote",
    /// No pawn was promoted there, or it cannot become that piece.
    #[error("{}; `touchmovectl game` shows the moves, and a pawn becomes a queen, rook, bishop or knight", no_promotion(*.ply))]
    NoPromotion {
        /// The requested ply; `None`: the last promotion.
        ply: Option<u32>,
    } = "NoPromotion",
    /// With that piece the record or the board would be wrong.
    #[error("{0}")]
    PromotionConflict(String) = "NoPromotion",
    /// The game is over.
    #[error("the game is over: withdraw its result first")]
    GameOver = "GameOver",
    /// The request is not implemented yet.
    #[error("touchmove cannot do this yet: {0}")]
    NotYet(&'static str) = "NotYet",
    /// The text is not a FEN.
    #[error("not a position: {0}; give a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    BadFen(String) = "BadPosition",
}

fn name(player: Color) -> &'static str {
    if player.is_white() { "White" } else { "Black" }
}

fn counted(known: &[u32]) -> String {
    match known {
        [] => "none is counted".to_owned(),
        known => {
            format!("the counted ones are at {}", known.iter().map(|ply| format!("ply {ply}")).collect::<Vec<_>>().join(", "))
        }
    }
}

fn no_promotion(ply: Option<u32>) -> String {
    match ply {
        Some(ply) => format!("ply {ply} is not a promotion"),
        None => "no promotion is on record".to_owned(),
    }
}
