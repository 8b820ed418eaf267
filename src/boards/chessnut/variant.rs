//! The differences between the models of Chessnut: commands for lights and battery, and what the greeting requests.

use shakmaty::Square;

/// One group of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Air, Air+, Pro and Go: one light in each square.
    Plain,
    /// Move: a light of any colour in each square.
    Move,
}

/// The version of the controller.
pub(super) const VERSION: &[u8] = &[0x27, 1, 1];
/// The battery.
pub(super) const CHARGE: &[u8] = &[0x29, 1, 0];
/// The battery of a Move.
pub(super) const MOVE_CHARGE: &[u8] = &[0x41, 1, 0x0c];
/// The code of green, in the lights of a Move.
const GREEN: u8 = 2;

impl Variant {
    /// Returns the request for the version, if the model is known to have one.
    pub(super) fn version(self) -> Option<&'static [u8]> {
        match self {
            Variant::Plain => Some(VERSION),
            Variant::Move => None,
        }
    }

    /// Returns the request for the state of the battery.
    pub(super) fn charge(self) -> &'static [u8] {
        match self {
            Variant::Plain => CHARGE,
            Variant::Move => MOVE_CHARGE,
        }
    }

    /// Returns the command that lights these squares and no others.
    pub(super) fn lights(self, squares: &[Square]) -> Vec<u8> {
        match self {
            Variant::Plain => {
                let mut ranks = [0; 8];
                for square in squares {
                    if let Some(rank) = ranks.get_mut(7 - square.rank() as usize) {
                        *rank |= 0x80 >> square.file() as u32;
                    }
                }
                [&[0x0a, 8], &ranks[..]].concat()
            }
            Variant::Move => {
                // In the order of the squares of a report: h8 first, in the low half.
                let mut pairs = [0; 32];
                for square in squares {
                    let index = 63 - *square as usize;
                    if let Some(pair) = pairs.get_mut(index / 2) {
                        *pair |= GREEN << (4 * (index % 2));
                    }
                }
                [&[0x43, 0x20], &pairs[..]].concat()
            }
        }
    }
}
