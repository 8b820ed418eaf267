//! The pieces that hands touch, on boards that sense hands as well as pieces.

use crate::boards::{Millis, Touch};
use shakmaty::{Bitboard, Piece, Square};

/// A touch of one square, in the board's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// When it began to be reported.
    pub at: Millis,
    /// The square, as the board numbers it.
    pub square: Square,
    /// The piece that the board believes to be on the square, if it reports one.
    pub piece: Option<Piece>,
}

/// The touches since no square was touched. The board reports only when the last one ends.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    since_release: Vec<Contact>,
}

impl Contacts {
    /// Processes a touch, or the end of all touches. A square that is touched again counts once, from the first time.
    pub fn update(&mut self, at: Millis, touch: Touch) {
        match touch {
            Touch::Begin { square, piece } => {
                if !self.squares().contains(square) {
                    self.since_release.push(Contact { at, square, piece });
                }
            }
            Touch::End => self.since_release.clear(),
        }
    }

    /// Returns the touches in the order in which they began.
    pub fn iter(&self) -> impl Iterator<Item = &Contact> {
        self.since_release.iter()
    }

    /// Returns the touched squares.
    pub fn squares(&self) -> Bitboard {
        self.since_release.iter().map(|contact| contact.square).collect()
    }
}
