//! Irregularities that are injected on purpose, with what a board can detect of them.

use crate::boards::Millis;
use crate::simulate::hands::Rate;
use crate::simulate::illegal::IllegalMove;
use crate::simulate::rng::{Dice, Rng};
use shakmaty::{Color, Square};
use std::str::FromStr;

/// A kind of irregularity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IrregularityKind {
    /// The player to move makes an illegal move (see [`crate::simulate::illegal`]) and presses the clock. The opponent notices: the
    /// clock is pressed back, the pieces are restored, and the game goes on (Art. 7.5.1).
    IllegalMove,
    /// The same, but nobody notices. The illegal move stays on record. The game goes on with its own moves while they are legal,
    /// then with any, for at most twenty plies.
    IllegalStands,
    /// The player who has just moved moves another piece, and takes this move back after a while.
    WrongSide,
    /// A piece is nudged to an empty neighbouring square by an unknown person, and restored after up to four plies (Art. 7.4.1).
    /// Only pieces that these plies do not need are nudged, and only by steps that neither player could make as a move.
    Displaced,
    /// The same, but the piece is knocked off the board.
    Removed,
    /// A capture with both hands, so that both pieces leave the board within 40 ms, or castling with both hands (Art. 7.5.4). The
    /// first such ply from there on.
    TwoHands,
    /// Castling that begins with the rook, seconds before the king (Art. 4.4.2). The first castling from there on.
    RookFirst,
    /// The player to move lifts a piece that can move, puts it back, and moves another one (Art. 4.3.1).
    TouchedOther,
    /// The player to move presses the clock without a move; the opponent presses it back (Art. 7.5.3). Only with a clock.
    PressWithoutMove,
    /// A pawn is pushed to the last rank, the clock is pressed, and only seconds later the pawn is exchanged (Art. 7.5.2). The
    /// first promotion from there on.
    PawnLeft,
}

impl IrregularityKind {
    /// Every kind with its name.
    pub const ALL: &[(IrregularityKind, &str)] = &[
        (IrregularityKind::IllegalMove, "illegal_move"),
        (IrregularityKind::IllegalStands, "illegal_stands"),
        (IrregularityKind::WrongSide, "wrong_side"),
        (IrregularityKind::Displaced, "displaced"),
        (IrregularityKind::Removed, "removed"),
        (IrregularityKind::TwoHands, "two_hands"),
        (IrregularityKind::RookFirst, "rook_first"),
        (IrregularityKind::TouchedOther, "touched_other"),
        (IrregularityKind::PressWithoutMove, "press_without_move"),
        (IrregularityKind::PawnLeft, "pawn_left"),
    ];

    /// Returns its name on the command line and in figures.
    pub fn name(self) -> &'static str {
        IrregularityKind::ALL.iter().find(|kind| kind.0 == self).map_or("", |kind| kind.1)
    }
}

/// An irregularity to be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The kind.
    pub kind: IrregularityKind,
    /// The ply, from 1, or the first ply after it at which the irregularity is possible; `None`: a ply drawn for each game.
    pub ply: Option<u32>,
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Injection, String> {
        let names = || IrregularityKind::ALL.iter().map(|kind| kind.1).collect::<Vec<_>>().join(", ");
        let (word, ply) = match text.split_once('@') {
            Some((word, ply)) => (word, Some(ply)),
            None => (text, None),
        };
        let kind = IrregularityKind::ALL.iter().find(|kind| kind.1 == word).map(|kind| kind.0);
        let kind = kind.ok_or_else(|| format!("there is no irregularity \"{word}\": write one of {}", names()))?;
        let number = |ply: &str| ply.parse().ok().filter(|&ply| ply > 0);
        let ply = match ply {
            Some(ply) => Some(number(ply).ok_or("write the number of a ply after the @, from 1")?),
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

/// An irregularity that was injected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularity {
    /// The kind.
    pub kind: IrregularityKind,
    /// The ply that was due at that time, from 1.
    pub ply: u32,
    /// The player who committed it; `None`: unknown.
    pub by: Option<Color>,
    /// The squares involved.
    pub squares: Vec<Square>,
    /// The move, if it is an illegal one.
    pub illegal: Option<IllegalMove>,
    /// When it began.
    pub at: Millis,
    /// When the clock was pressed after it, if it was.
    pub pressed_at: Option<Millis>,
    /// When it was corrected; `None`: never.
    pub until: Option<Millis>,
}

impl Irregularity {
    /// Creates an irregularity that is never corrected, without a press and without a move.
    pub fn new(kind: IrregularityKind, ply: u32, by: Option<Color>, squares: Vec<Square>, at: Millis) -> Irregularity {
        Irregularity { kind, ply, by, squares, illegal: None, at, pressed_at: None, until: None }
    }
}

impl Dice {
    /// Returns the stream of an irregularity at this ply; ply 0: the stream that decides where it happens.
    pub fn irregularity(self, kind: IrregularityKind, ply: u32) -> Rng {
        Rng::new(self.stream(Rate::change_mind, u64::MAX).bits() ^ u64::from(ply), kind as u64)
    }
}
