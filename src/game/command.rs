//! What an arbiter or a player asks for.

use crate::game::GameResult;
use crate::laws::draws::Claimed;
use crate::laws::{Irregularity, Laws};
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
    /// The irregular move of this alert stands: play goes on from it, and it is never told as anything else.
    LetStand(u32),
    /// At this ply another move was played. The moves after it stay.
    Replace {
        /// From 1.
        ply: u32,
        /// The legal move, as UCI.
        uci: String,
    },
    /// Before this ply a move is missing from the record. The moves after it stay.
    Insert {
        /// From 1; one more than there are: at the end.
        ply: u32,
        /// The legal move, as UCI.
        uci: String,
    },
    /// The last command that changed the game is taken back.
    Undo,
    /// This is counted of a player for the penalties of illegal moves (Art. 7.5.5), as of the last move on record.
    Count {
        /// Who did it.
        player: Color,
        /// What.
        what: Irregularity,
    },
    /// What was last counted of a player at this ply is counted no more.
    Strike {
        /// Of whom.
        player: Color,
        /// The ply, as it was counted.
        ply: u32,
    },
    /// The arbiter sets both clocks, or says what they show: for the journal alone.
    ClockNote {
        /// White's time in milliseconds.
        white_ms: u32,
        /// Black's.
        black_ms: u32,
        /// Why; at most [`Command::NOTE`] characters.
        note: String,
    },
    /// This game is played by other Laws than the event: edition, time class, supervision. What was told stays as it was told.
    Laws(Laws),
    /// PGN tags of this game besides those of the event: the players and what is known of them. They take the place of those given
    /// before.
    Tags(Vec<(String, String)>),
    /// Play is paused, or goes on. While it is, the lever and the pieces may be handled freely; it goes on by itself when the
    /// clock is started.
    Pause(bool),
    /// A player claims a draw (Art. 9.2, 9.3). Nothing changes: it is answered at once.
    Claim {
        /// Who.
        player: Color,
        /// What.
        claimed: Claimed,
        /// The move that is written down and not played, as UCI; `None`: the claim is about the position on the board.
        intended: Option<String>,
    },
}

impl Command {
    /// A note has so many characters at most: some lines.
    pub const NOTE: usize = 500;
}

/// A command and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// What.
    pub command: Command,
    /// Who, as the face knew him: a bus name, a user, `configuration`.
    pub by: String,
}

impl Order {
    /// Who lets a paused game go on when the clock is started.
    pub const CLOCK: &str = "clock";
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
    /// No such move.
    #[error("\"{0}\" is no move in this position: give one such as e2e4 or e7e8q, from a square with a piece on it")]
    NoMove(String),
    /// The game has no such ply.
    #[error("there is no ply {ply}: the game has {known}")]
    NoSuchPly {
        /// Which was asked for.
        ply: u32,
        /// How many there are.
        known: u32,
    },
    /// Not a legal move there.
    #[error("\"{uci}\" is no legal move at ply {ply}: give one such as e2e4 or e7e8q")]
    NotLegal {
        /// What was asked for.
        uci: String,
        /// Where.
        ply: u32,
    },
    /// That move is on record already.
    #[error("ply {0} is that move already")]
    SameMove(u32),
    /// A later move would not be legal then.
    #[error("with that the move of ply {ply}, {san}, is not legal: put back the position before it first")]
    LaterMove {
        /// Its ply, as it is now.
        ply: u32,
        /// What it is.
        san: String,
    },
    /// The alert is not about an irregular move.
    #[error("alert {alert} is about no irregular move on record, so nothing has to stand: acknowledge it instead")]
    NothingStands {
        /// Which.
        alert: u32,
    },
    /// No command is kept that could be taken back.
    #[error(
        "there is nothing to take back: neither a new position nor an adjustment is, and of other commands the last four are"
    )]
    NothingToUndo,
    /// Play has gone on since.
    #[error("moves were made since {0}: command anew how it should be")]
    MovedSince(&'static str),
    /// Nothing is counted there.
    #[error("nothing is counted of {} at ply {ply}: {}", name(*.player), counted(.known))]
    NotCounted {
        /// Of whom.
        player: Color,
        /// At which ply.
        ply: u32,
        /// The plies at which something is.
        known: Vec<u32>,
    },
    /// The game is paused already, or is not.
    #[error("{}", if *.0 { "the game is paused already" } else { "the game is not paused" })]
    Paused(bool),
    /// A note that is too long.
    #[error("the note has {0} characters: give at most {max}", max = Command::NOTE)]
    LongNote(usize),
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

fn name(player: Color) -> &'static str {
    if player.is_white() { "White" } else { "Black" }
}

fn counted(known: &[u32]) -> String {
    match known {
        [] => "nothing is at all".to_owned(),
        known => format!("what is was at ply {}", known.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn no_promotion(ply: Option<u32>) -> String {
    match ply {
        Some(ply) => format!("ply {ply} is no promotion"),
        None => "no promotion is on record".to_owned(),
    }
}
