//! Why a command was not carried out.

use super::{ErrorCode, Text};
use crate::game::words::Word as _;
use shakmaty::{Color, Role, Square};

/// Declares the reasons: each with its message for programs and logs, the name of its code, the key of its sentence for people, and
/// what that sentence names.
macro_rules! refusals {
    ($($(#[$about:meta])+ $variant:ident $({$($fields:tt)+})? = $name:literal, $key:literal $([$($arg:ident),+])?;)+) => {
        /// Why a command was not carried out. The message says what to do.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Refusal {$(
            $(#[$about])+
            $variant $({$($fields)+})?,
        )+}

        impl Refusal {
            /// The names of all codes.
            pub const CODES: &[&str] = &[$($name),+];

            /// Returns the code for programs.
            pub fn code(&self) -> ErrorCode {
                ErrorCode::Conflict(match self {$(Refusal::$variant { .. } => $name),+})
            }
        }

        /// Converts the reason to its sentence for people: `refusal-` and a key. Moves are named as on a score sheet.
        impl From<&Refusal> for Text {
            fn from(refusal: &Refusal) -> Text {
                match refusal {$(
                    Refusal::$variant { $($($arg,)+)? .. } => {
                        Text::new(concat!("refusal-", $key))$($(.with(stringify!($arg), $arg.to_owned()))+)?
                    }
                )+}
            }
        }
    };
}

refusals! {
    /// There is no game.
    #[error("there is no game on this board: set up the start position, or give a position")]
    NoGame = "NoGame", "no_game";
    /// The game has fewer plies.
    #[error("the game has only {known} plies: take back at most that many, and at least one")]
    TooManyPlies {
        /// The number of plies.
        known: u32,
    } = "TooManyPlies", "too_many_plies" [known];
    /// There is no such alert, or it has been cleared.
    #[error("alert {alert} is not in force: `touchmovectl game` lists the alerts in force")]
    NoAlert {
        /// The requested alert.
        alert: u32,
    } = "NoAlert", "no_alert";
    /// There is no such ply.
    #[error("there is no position before ply {ply}: the game has {known} plies, so give 1 to {}", known + 1)]
    NoPositionBefore {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    } = "NoPly", "no_position_before";
    /// There is no such move.
    #[error("\"{uci}\" is not a move in this position: give one such as e2e4 or e7e8q, from a square with a piece on it")]
    NoMove {
        /// The requested move.
        uci: String,
    } = "NoMove", "no_move" [uci];
    /// The game has no such ply.
    #[error("there is no ply {ply}: the game has {known} plies")]
    NoPly {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    } = "NoPly", "no_ply";
    /// The move is not legal there.
    #[error("\"{uci}\" is not a legal move at ply {ply}: give one such as e2e4 or e7e8q")]
    NotLegal {
        /// The requested move.
        uci: String,
        /// The ply.
        ply: u32,
    } = "BadMove", "not_legal" [uci];
    /// That move is already on record.
    #[error("this move is on record at ply {ply} already")]
    SameMove {
        /// The ply.
        ply: u32,
    } = "BadMove", "same_move";
    /// A later move would become illegal.
    #[error("with this change, {san} at ply {ply} would be illegal: restore the position before it first")]
    LaterMove {
        /// The ply of that move, as it is now.
        ply: u32,
        /// The move.
        san: String,
        /// The move with its number.
        later: String,
    } = "BadMove", "later_move" [later];
    /// The alert is not about an irregular move.
    #[error("alert {alert} is not about an irregular move on record that could stand: acknowledge it instead")]
    NoIrregularMove {
        /// The alert.
        alert: u32,
    } = "NoIrregularMove", "no_irregular_move";
    /// The alert proposes no moves, or moves that the record does not allow any more.
    #[error("alert {alert} proposes no moves that can follow those on record: replace single moves instead")]
    NoProposal {
        /// The alert.
        alert: u32,
    } = "NoProposal", "no_proposal";
    /// No stored command can be undone.
    #[error("there is nothing to undo: only the last four commands that changed the game can be undone")]
    NothingToUndo = "NothingToUndo", "nothing_to_undo";
    /// Play has continued since, and cannot be followed again without the command.
    #[error("moves were made since {change}, and how play would have gone on without that is not known: give a new command instead")]
    MovedSince {
        /// What the command changed.
        change: &'static str,
    } = "NothingToUndo", "moved_since";
    /// Nothing is counted there.
    #[error("no irregularity of {} is counted at ply {ply}: {}", name(*.player), counted(.known))]
    NotCounted {
        /// The player.
        player: Color,
        /// The ply.
        ply: u32,
        /// The plies at which something is counted.
        known: Vec<u32>,
    } = "NotCounted", "not_counted" [player];
    /// The game is already paused.
    #[error("the game is paused already")]
    AlreadyPaused = "Paused", "already_paused";
    /// The game is not paused.
    #[error("the game is not paused")]
    NotPaused = "Paused", "not_paused";
    /// The note is too long.
    #[error("the note has {length} characters: give at most {most}")]
    LongNote {
        /// Its length, in characters.
        length: u32,
        /// The limit.
        most: u32,
    } = "LongNote", "long_note" [length, most];
    /// No pawn was promoted there, or it cannot become that piece.
    #[error("{}; `touchmovectl game` shows the moves, and a pawn becomes a queen, rook, bishop or knight", no_promotion(*.ply))]
    NoPromotion {
        /// The requested ply; `None`: the last promotion.
        ply: Option<u32>,
    } = "NoPromotion", "no_promotion";
    /// After a promotion to that piece, a later move would be illegal.
    #[error("with a promotion to a {}, {san} at ply {ply} would be illegal: take it back first", .piece.word())]
    IllegalAfterPromotion {
        /// The requested piece.
        piece: Role,
        /// The ply of the later move.
        ply: u32,
        /// The later move.
        san: String,
        /// The later move with its number.
        later: String,
    } = "NoPromotion", "illegal_after_promotion" [piece, later];
    /// The board shows another piece.
    #[error(
        "the board shows a {} on {square}: put the right piece there, and the record is corrected automatically", .shown.word()
    )]
    OtherPieceShown {
        /// The piece on the board.
        shown: Role,
        /// Its square.
        square: Square,
    } = "NoPromotion", "other_piece_shown" [shown, square];
    /// The game is over.
    #[error("the game is over: withdraw its result first")]
    GameOver = "GameOver", "game_over";
    /// The text is not a FEN.
    #[error("not a position: {error}; give a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    BadFen {
        /// The parser's message.
        error: String,
    } = "BadPosition", "bad_fen";
}

impl Refusal {
    /// Returns the reason why a game cannot be paused, or resumed, once more.
    pub fn of_pause(paused: bool) -> Refusal {
        if paused { Refusal::AlreadyPaused } else { Refusal::NotPaused }
    }
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
