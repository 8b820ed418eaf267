//! What is done against the Laws on purpose, and what a board can see of it.

use crate::boards::Millis;
use crate::simulate::illegal::Illegal;
use shakmaty::{Color, Square};
use std::str::FromStr;

/// A kind of irregularity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The player to move makes a move that is not legal (see [`crate::simulate::illegal`]) and presses the clock. The opponent
    /// notices: the clock goes back, the pieces too, and the game goes on (Art. 7.5.1).
    IllegalMove,
    /// The same, but nobody notices. The illegal move stays on record; the game goes on with its own moves as long as they are
    /// legal, then with any, for twenty plies at most.
    IllegalStands,
    /// The player who has just moved moves again, another piece; after a while he takes this move back.
    WrongSide,
    /// A piece is nudged to an empty neighbouring square, by whom nobody knows, and is put back after up to four plies
    /// (Art. 7.4.1). Only pieces that these plies do not need, and only steps that neither player could make as a move.
    Displaced,
    /// The same, but the piece is knocked off the board.
    Removed,
    /// A capture with both hands, so that victim and capturer leave the board within 40 ms, or castling with both hands
    /// (Art. 7.5.4). The first such ply from there on.
    TwoHands,
    /// Castling that begins with the rook, seconds before the king (Art. 4.4.2). The first castling from there on.
    RookFirst,
    /// The player to move lifts a piece that can move, puts it back, and moves another one (Art. 4.3.1).
    TouchedOther,
    /// The player to move presses the clock without having moved; the opponent presses it back (Art. 7.5.3). Only with a clock.
    PressWithoutMove,
    /// A pawn is pushed to the last rank, the clock is pressed, and only seconds later the pawn is exchanged (Art. 7.5.2). The
    /// first promotion from there on.
    PawnLeft,
}

impl Kind {
    /// Every kind with its word.
    pub const ALL: &[(Kind, &str)] = &[
        (Kind::IllegalMove, "illegal_move"),
        (Kind::IllegalStands, "illegal_stands"),
        (Kind::WrongSide, "wrong_side"),
        (Kind::Displaced, "displaced"),
        (Kind::Removed, "removed"),
        (Kind::TwoHands, "two_hands"),
        (Kind::RookFirst, "rook_first"),
        (Kind::TouchedOther, "touched_other"),
        (Kind::PressWithoutMove, "press_without_move"),
        (Kind::PawnLeft, "pawn_left"),
    ];

    /// The word for it on the command line and in figures.
    pub fn name(self) -> &'static str {
        Kind::ALL.iter().find(|kind| kind.0 == self).map_or("", |kind| kind.1)
    }
}

/// An irregularity to be committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// What.
    pub kind: Kind,
    /// At this ply, from 1, or at the first one after it where it can be done; `None`: at a ply drawn for each game.
    pub ply: Option<u32>,
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Injection, String> {
        let names = || Kind::ALL.iter().map(|kind| kind.1).collect::<Vec<_>>().join(", ");
        let (word, ply) = match text.split_once('@') {
            Some((word, ply)) => (word, Some(ply)),
            None => (text, None),
        };
        let kind = Kind::ALL.iter().find(|kind| kind.1 == word).map(|kind| kind.0);
        let kind = kind.ok_or_else(|| format!("there is no irregularity \"{word}\": write one of {}", names()))?;
        let number = |ply: &str| ply.parse().ok().filter(|&ply| ply > 0);
        let ply = match ply {
            Some(ply) => Some(number(ply).ok_or("after the @ write the number of a ply, from 1")?),
            None => None,
        };
        Ok(Injection { kind, ply })
    }
}

impl std::fmt::Display for Injection {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.kind.name())?;
        self.ply.iter().try_for_each(|ply| write!(f, "@{ply}"))
    }
}

/// An irregularity that was committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularity {
    /// What.
    pub kind: Kind,
    /// The ply that was to be played then, from 1.
    pub ply: u32,
    /// Who; `None`: nobody knows.
    pub by: Option<Color>,
    /// The squares that it concerns.
    pub squares: Vec<Square>,
    /// The move, where it is one that is not legal.
    pub illegal: Option<Illegal>,
    /// When it began.
    pub at: Millis,
    /// When the clock was pressed on it, if it was.
    pub pressed_at: Option<Millis>,
    /// When it was put right; `None`: never.
    pub until: Option<Millis>,
}

impl Irregularity {
    /// One that is never put right, with no press and no move.
    pub fn new(kind: Kind, ply: u32, by: Option<Color>, squares: Vec<Square>, at: Millis) -> Irregularity {
        Irregularity { kind, ply, by, squares, illegal: None, at, pressed_at: None, until: None }
    }
}
