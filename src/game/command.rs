//! Commands of an arbiter or a player.

use crate::game::GameResult;
use crate::laws::draws::ClaimKind;
use crate::laws::{Irregularity, Laws};
use shakmaty::{Color, Role};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Sets the result; `None`: removes it, and the game goes on.
    Result(Option<GameResult>),
    /// Sets the position on the board and begins a new game from it. FEN; X-FEN or Shredder-FEN for Chess960.
    Position(String),
    /// Takes back this number of plies, at least 1.
    TakeBack(u32),
    /// Sets the piece of a promotion, where the board cannot identify pieces or shows another one.
    Promotion {
        /// The ply of the promotion, from 1; `None`: the last promotion on record.
        ply: Option<u32>,
        /// Queen, rook, bishop or knight; anything else is refused.
        role: Role,
    },
    /// Announces that this player adjusts pieces (Art. 4.2): a piece that they touch next and put back is no move.
    Adjust(Color),
    /// Acknowledges this alert: it is cleared.
    Acknowledge(u32),
    /// Restores the position before this ply (Art. 7.5.1, 7.4, 7.6): the moves from there on are removed from the record.
    Restore {
        /// From 1; the number of plies plus one means the last position on record.
        ply: u32,
    },
    /// Lets the irregular move of this alert remain in force: play continues from it, and it is never corrected to another move.
    LetStand(u32),
    /// Replaces the move of this ply. The moves after it stay.
    Replace {
        /// From 1.
        ply: u32,
        /// The legal move, in UCI.
        uci: String,
    },
    /// Inserts a missing move before this ply. The moves after it stay.
    Insert {
        /// From 1; the number of plies plus one means at the end.
        ply: u32,
        /// The legal move, in UCI.
        uci: String,
    },
    /// Undoes the last command that changed the game.
    Undo,
    /// Counts an irregularity of a player for the penalties of illegal moves (Art. 7.5.5), at the last move on record.
    Count {
        /// The player.
        player: Color,
        /// The irregularity.
        what: Irregularity,
    },
    /// Removes the irregularity last counted of a player at this ply.
    Strike {
        /// The player.
        player: Color,
        /// The ply at which it was counted.
        ply: u32,
    },
    /// Notes that the arbiter set both clocks, or what they show: only for the journal.
    ClockNote {
        /// White's time, in milliseconds.
        white_ms: u32,
        /// Black's time, in milliseconds.
        black_ms: u32,
        /// The reason; at most [`Command::MAX_NOTE_CHARS`] characters.
        note: String,
    },
    /// Sets the Laws for this game where they differ from those of the event: edition, time class, supervision. Earlier alerts stay
    /// unchanged.
    Laws(Laws),
    /// Sets the PGN tags of this game in addition to those of the event: the players and their data. They replace those given
    /// before.
    Tags(Vec<(String, String)>),
    /// Pauses play, or continues it. During a pause the lever and the pieces may be moved freely. Starting the clock also continues
    /// play.
    Pause(bool),
    /// Evaluates a player's draw claim (Art. 9.2, 9.3). Nothing changes; the reply is immediate.
    Claim {
        /// The player.
        player: Color,
        /// The kind of claim.
        claimed: ClaimKind,
        /// The move that is written down and not played, in UCI; `None`: the claim is about the position on the board.
        intended: Option<String>,
    },
}

impl Command {
    /// Maximum length of a note, in characters: a few lines.
    pub const MAX_NOTE_CHARS: usize = 500;
}

/// A command and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The command.
    pub command: Command,
    /// Who gave it, as the front-end knows them: a bus name, a user, `configuration`.
    pub by: String,
}

impl Order {
    /// The name used in `by` when starting the clock continues a paused game.
    pub const CLOCK: &str = "clock";
}

/// Why a command was not carried out. The message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no game.
    #[error("there is no game on this board: set up the start position, or give a position")]
    NoGame,
    /// The game has fewer plies.
    #[error("the game has only {0} plies: take back at most that many, and at least one")]
    TooManyPlies(u32),
    /// There is no such alert, or it has been cleared.
    #[error("alert {0} is not in force: `touchmovectl game` lists the alerts in force")]
    NoAlert(u32),
    /// There is no such ply.
    #[error("there is no position before ply {ply}: the game has {known} plies, so give 1 to {}", known + 1)]
    NoPly {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    },
    /// There is no such move.
    #[error("\"{0}\" is not a move in this position: give one such as e2e4 or e7e8q, from a square with a piece on it")]
    NoMove(String),
    /// The game has no such ply.
    #[error("there is no ply {ply}: the game has {known} plies")]
    NoSuchPly {
        /// The requested ply.
        ply: u32,
        /// The number of plies.
        known: u32,
    },
    /// The move is not legal there.
    #[error("\"{uci}\" is not a legal move at ply {ply}: give one such as e2e4 or e7e8q")]
    NotLegal {
        /// The requested move.
        uci: String,
        /// The ply.
        ply: u32,
    },
    /// That move is already on record.
    #[error("ply {0} already is this move")]
    SameMove(u32),
    /// A later move would become illegal.
    #[error("with this change, the move of ply {ply}, {san}, would be illegal: restore the position before it first")]
    LaterMove {
        /// The ply of that move, as it is now.
        ply: u32,
        /// The move.
        san: String,
    },
    /// The alert is not about an irregular move.
    #[error("alert {alert} is not about an irregular move on record that could stand: acknowledge it instead")]
    NothingStands {
        /// The alert.
        alert: u32,
    },
    /// No stored command can be undone.
    #[error("there is nothing to undo: only the last four commands can be undone, and never a new position or an adjustment")]
    NothingToUndo,
    /// Play has continued since.
    #[error("moves were made since {0}: give a new command instead")]
    MovedSince(&'static str),
    /// Nothing is counted there.
    #[error("no irregularity of {} is counted at ply {ply}: {}", name(*.player), counted(.known))]
    NotCounted {
        /// The player.
        player: Color,
        /// The ply.
        ply: u32,
        /// The plies at which something is counted.
        known: Vec<u32>,
    },
    /// The game is already paused, or is not paused.
    #[error("{}", if *.0 { "the game is paused already" } else { "the game is not paused" })]
    Paused(bool),
    /// The note is too long.
    #[error("the note has {0} characters: give at most {max}", max = Command::MAX_NOTE_CHARS)]
    LongNote(usize),
    /// No pawn was promoted there, or it cannot become that piece.
    #[error("{}; `touchmovectl game` shows the moves, and a pawn becomes a queen, rook, bishop or knight", no_promotion(*.0))]
    NoPromotion(Option<u32>),
    /// With that piece the record or the board would be wrong.
    #[error("{0}")]
    PromotionUnlike(String),
    /// The game is over.
    #[error("the game is over: withdraw its result first")]
    Over,
    /// The request is not implemented yet.
    #[error("touchmove cannot do this yet: {0}")]
    NotYet(&'static str),
    /// The text is not a FEN.
    #[error("not a position: {0}; give a FEN such as rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    BadFen(String),
}

fn name(player: Color) -> &'static str {
    if player.is_white() { "White" } else { "Black" }
}

fn counted(known: &[u32]) -> String {
    match known {
        [] => "none is counted".to_owned(),
        known => format!("the counted ones are at ply {}", known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn no_promotion(ply: Option<u32>) -> String {
    match ply {
        Some(ply) => format!("ply {ply} is not a promotion"),
        None => "no promotion is on record".to_owned(),
    }
}
