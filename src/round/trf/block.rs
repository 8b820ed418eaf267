//! A player's entry for one round in a tournament report file.

use crate::round::{ByeKind, PairingResult};
use std::fmt;

/// The opponent, the colour and the result. In a file it is eight characters: `  12 w 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The opponent's start number; 0: none.
    pub opponent: u32,
    /// `w`, `b`, or `-` or a space without an opponent.
    pub colour: char,
    /// The result in upper case; a space: none yet.
    pub result: char,
}

/// The letters of byes.
const BYES: [(char, ByeKind); 4] =
    [('U', ByeKind::PairingAllocated), ('F', ByeKind::FullPoint), ('H', ByeKind::HalfPoint), ('Z', ByeKind::ZeroPoint)];

impl Block {
    /// Nothing is known of the player in this round.
    pub(super) const EMPTY: Block = Block { opponent: 0, colour: ' ', result: ' ' };

    /// Creates the entry of a player without an opponent.
    pub(super) fn of_bye(kind: ByeKind) -> Block {
        let letter = BYES.iter().find(|(_, known)| *known == kind).map_or('Z', |(letter, _)| *letter);
        Block { opponent: 0, colour: '-', result: letter }
    }

    /// Creates the entries of White and of Black, who have these start numbers.
    pub(super) fn of_game(white: u32, black: u32, result: Option<PairingResult>) -> [Block; 2] {
        let [of_white, of_black] = match result {
            Some(PairingResult::WhiteWins) => ['1', '0'],
            Some(PairingResult::BlackWins) => ['0', '1'],
            Some(PairingResult::Draw) => ['=', '='],
            Some(PairingResult::BothLose) => ['0', '0'],
            Some(PairingResult::WhiteWinsByForfeit) => ['+', '-'],
            Some(PairingResult::BlackWinsByForfeit) => ['-', '+'],
            Some(PairingResult::BothForfeit) => ['-', '-'],
            Some(PairingResult::Adjourned) | None => [' ', ' '],
        };
        [Block { opponent: black, colour: 'w', result: of_white }, Block { opponent: white, colour: 'b', result: of_black }]
    }

    /// Returns the points, doubled.
    pub(super) fn doubled_points(self) -> u32 {
        match self.result {
            '1' | '+' | 'W' => 2,
            '=' | 'D' => 1,
            _ => self.bye().map_or(0, ByeKind::doubled_points),
        }
    }

    /// Returns whether there is no result yet.
    pub(super) fn is_open(self) -> bool {
        self.result == ' '
    }

    /// Returns the kind of the bye. Older files have `+`, `=` and `-` without an opponent. `None`: the player has an opponent, or
    /// nothing is known.
    pub(super) fn bye(self) -> Option<ByeKind> {
        match (self.opponent, self.result) {
            (0, '+' | '1') => Some(ByeKind::PairingAllocated),
            (0, '=') => Some(ByeKind::HalfPoint),
            (0, '-' | '0') => Some(ByeKind::ZeroPoint),
            (0, letter) => BYES.iter().find(|(known, _)| *known == letter).map(|(_, kind)| *kind),
            _ => None,
        }
    }

    /// Returns the result of White, who has this entry, against Black, who has `other`. `None`: there is none, or the
    /// two entries do not fit.
    pub(super) fn result_against(self, other: Block) -> Option<PairingResult> {
        match (self.result, other.result) {
            ('+', _) => Some(PairingResult::WhiteWinsByForfeit),
            (_, '+') => Some(PairingResult::BlackWinsByForfeit),
            ('-', '-') => Some(PairingResult::BothForfeit),
            ('1' | 'W', _) => Some(PairingResult::WhiteWins),
            (_, '1' | 'W') => Some(PairingResult::BlackWins),
            ('=' | 'D', _) => Some(PairingResult::Draw),
            ('0' | 'L', '0' | 'L') => Some(PairingResult::BothLose),
            _ => None,
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Block::EMPTY => write!(f, "{:8}", ""),
            Block { opponent: 0, colour, result } => write!(f, "0000 {colour} {result}"),
            Block { opponent, colour, result } => write!(f, "{opponent:>4} {colour} {result}"),
        }
    }
}
