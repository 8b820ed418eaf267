//! What events and records consist of: moves, squares, clocks, results.

use super::json::squares::{piece_or_empty, sensed, square};
use super::words::{Word, words};
use crate::boards::{Millis, SquareState};
use crate::laws::NULL_UCI;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

/// A probability in thousandths, 0–1000. An integer, so that every machine computes the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(pub u16);

impl Confidence {
    /// No doubt within the resolution.
    pub const CERTAIN: Confidence = Confidence(1000);
}

/// A move as it is published: as text, so that it can be read without a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedMove {
    /// UCI: `e2e4`, `e7e8q`; castling `e1g1`, in Chess960 king takes rook; `0000` where moves are missing.
    pub uci: String,
    /// Standard algebraic notation with check and mate signs (FIDE Laws, Appendix C); `Ke1-e3` if the move was illegal; `--` where
    /// moves are missing.
    pub san: String,
    /// The position after the move. The player who made the move is the one not to move here.
    pub fen: String,
    /// The move is illegal in the position before it, or moves are missing: what the board showed. Castling is then written as king
    /// takes rook in `uci`.
    pub irregular: bool,
    /// The evidence for an irregular move, oldest first, at most [`PlayedMove::EVIDENCE`]: the last edges, and how the squares of the
    /// move came to show their current state. Empty for other moves.
    pub evidence: Vec<Sighting>,
}

impl PlayedMove {
    /// Maximum number of edges kept as evidence for a move: the last ones.
    pub const EVIDENCE: usize = 32;

    /// Whether it represents missing moves: they were not seen, and play continued from the position after it.
    pub fn is_missing(&self) -> bool {
        self.uci == NULL_UCI
    }

    /// Returns who made the move: the player not to move in the position after it. `None` if `fen` does not say.
    pub fn mover(&self) -> Option<Color> {
        match self.fen.split(' ').nth(1)? {
            "b" => Some(Color::White),
            "w" => Some(Color::Black),
            _ => None,
        }
    }

    /// Returns the number of the move, as `fen` says; 1 if it does not.
    pub fn number(&self) -> u32 {
        let after: u32 = self.fen.split(' ').nth(5).and_then(|number| number.parse().ok()).unwrap_or(1);
        if self.mover() == Some(Color::Black) { after.saturating_sub(1) } else { after }
    }

    /// Returns the move in SAN with its number: `21.Nf3`, `21...Qa5`.
    pub fn numbered_san(&self) -> String {
        let dots = if self.mover() == Some(Color::Black) { "..." } else { "." };
        format!("{}{dots}{}", self.number(), self.san)
    }
}

/// A change of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// When it was seen, in milliseconds since the recording of this board began.
    #[serde(rename = "t")]
    pub at: Millis,
    /// The square, in the game's coordinates.
    #[serde(with = "square")]
    pub square: Square,
    /// What it showed before; if that was not seen, what the record had there.
    #[serde(with = "sensed")]
    pub before: SquareState,
    /// What it showed then.
    #[serde(with = "sensed")]
    pub now: SquareState,
}

/// A hand on a square, on a board that senses hands. Whose hand it was is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchSighting {
    /// When it was first sensed, in milliseconds since the recording of this board began.
    #[serde(rename = "t")]
    pub at: Millis,
    /// When it was no longer sensed.
    pub until: Millis,
    /// The square, in the game's coordinates.
    #[serde(with = "square")]
    pub square: Square,
}

/// What shows that a piece was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchEvidence {
    /// The piece left its square.
    Lift,
    /// The board sensed a hand on the square, and the piece stayed there.
    Touch,
}

/// Another move that would explain what was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// The move in UCI.
    pub uci: String,
    /// How likely it is.
    pub confidence: Confidence,
}

/// One player's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockTime {
    /// Milliseconds left.
    pub ms: u32,
    /// The finest step it could have, in milliseconds.
    pub resolution_ms: u32,
    /// How long before the event the clock reported it, in milliseconds.
    pub age_ms: u32,
}

/// Both players' times; `None` where no clock is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockTimes {
    /// White's time.
    #[serde(rename = "clock_white")]
    pub white: Option<ClockTime>,
    /// Black's time.
    #[serde(rename = "clock_black")]
    pub black: Option<ClockTime>,
}

/// What completed a move (Art. 6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletedBy {
    /// The clock was pressed (6.2.1).
    Clock,
    /// The move ended the game (6.2.1.1).
    GameEnd,
    /// The same player made their next move (6.2.1.2).
    OwnNextMove,
    /// The opponent replied. Our convention where there is no clock.
    Reply,
    /// The board did not change for the dwell time. Our convention where there is no clock.
    Dwell,
    /// The arbiter's decision.
    Arbiter,
}

/// Why published moves changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrectionReason {
    /// Later readings are explained better by another move.
    Evidence,
    /// The players took moves back.
    Takeback,
    /// What looked like a king's move was half of a result signal.
    KingSignal,
    /// The moves were analysis after the game.
    Analysis,
    /// The arbiter corrected the record.
    Arbiter,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// 1-0
    WhiteWins,
    /// 0-1
    BlackWins,
    /// 1/2-1/2
    Draw,
}

impl GameResult {
    /// Returns the result as in PGN.
    pub fn as_str(self) -> &'static str {
        self.word()
    }

    /// Parses `1-0`, `0-1`, `1/2-1/2`; `None` for anything else, `*` included.
    pub fn parse(text: &str) -> Option<GameResult> {
        GameResult::from_word(text)
    }
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultReason {
    /// 5.1.1
    Checkmate,
    /// 5.2.1
    Stalemate,
    /// Both kings were put on the centre squares.
    KingsSignal,
    /// The arbiter's decision.
    Arbiter,
}

/// A fault of a square of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It always shows the same.
    Stuck,
    /// It changes without being touched.
    Flickering,
    /// It works again.
    Mended,
}

/// How the board is oriented: on which side its nominal a1 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// As the maker intended (DGT: connector on White's left).
    Upright,
    /// Turned by 180 degrees.
    Turned,
}

impl Rotation {
    /// Returns the opposite orientation.
    pub fn other(self) -> Rotation {
        match self {
            Rotation::Upright => Rotation::Turned,
            Rotation::Turned => Rotation::Upright,
        }
    }

    /// Converts a square of the board to the game's coordinates, and vice versa.
    pub fn apply(self, square: Square) -> Square {
        match self {
            Rotation::Upright => square,
            Rotation::Turned => square.rotate_180(),
        }
    }
}

/// A square that does not show what the record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The square, in the game's coordinates.
    #[serde(with = "square")]
    pub square: Square,
    /// What should be there.
    #[serde(with = "piece_or_empty")]
    pub expected: Option<shakmaty::Piece>,
    /// What the square shows.
    #[serde(with = "sensed")]
    pub seen: SquareState,
}

words! {
    TouchEvidence { Lift = "lift", Touch = "touch" }
    Rotation { Upright = "upright", Turned = "turned" }
    GameResult { WhiteWins = "1-0", BlackWins = "0-1", Draw = "1/2-1/2" }
    CompletedBy {
        Clock = "clock", GameEnd = "game_end", OwnNextMove = "own_next_move", Reply = "reply", Dwell = "dwell",
        Arbiter = "arbiter",
    }
    CorrectionReason {
        Evidence = "evidence", Takeback = "takeback", KingSignal = "king_signal", Analysis = "analysis", Arbiter = "arbiter",
    }
    ResultReason {
        Checkmate = "checkmate", Stalemate = "stalemate", KingsSignal = "kings_signal", Arbiter = "arbiter",
    }
    Fault { Stuck = "stuck", Flickering = "flickering", Mended = "mended" }
}
