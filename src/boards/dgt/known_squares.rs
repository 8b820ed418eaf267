//! What is known of the squares of a DGT board from its dumps and updates.

use crate::boards::{Placement, SquareState};
use shakmaty::Square;

/// The state of the squares, and what is not certain yet.
#[derive(Default)]
pub(super) struct KnownSquares {
    /// State of the squares according to all readings passed on; `None` before the first dump.
    pub shown: Option<Box<Placement>>,
    /// A dump that differs from the known state, until another one confirms it.
    pub unconfirmed: Option<Box<Placement>>,
    /// Updates received before the first dump.
    updated: Vec<(Square, SquareState)>,
}

impl KnownSquares {
    /// Applies an update.
    pub(super) fn update(&mut self, square: Square, sensed: SquareState) {
        if self.shown.is_none() {
            self.updated.retain(|(known, _)| *known != square);
            self.updated.push((square, sensed));
        }
        for squares in [&mut self.shown, &mut self.unconfirmed].into_iter().flatten() {
            squares[square as usize] = sensed;
        }
    }

    /// Whether a dump agrees with the updates or with an earlier dump.
    pub(super) fn is_credible(&self, placement: &Placement) -> bool {
        let is_as_updated = || self.updated.iter().all(|(square, sensed)| placement[*square as usize] == *sensed);
        self.shown.as_deref().map_or_else(is_as_updated, |shown| shown == placement)
            || self.unconfirmed.as_deref() == Some(placement)
    }
}
