//! What the squares have shown during a test.

use crate::boards::{Placement, SquareState};
use shakmaty::{Bitboard, Square};

/// What a square has shown with a piece on it, in the board's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// These squares have shown the piece.
    Shown {
        /// At least one square.
        reported: Bitboard,
        /// Whether one of them kept changing.
        flickers: bool,
        /// What the first of them showed.
        state: Option<SquareState>,
    },
    /// No square has shown it.
    Silent,
}

/// The results of a test so far.
pub(super) struct Results<'a> {
    /// What each square has shown; `None`: it was not tested.
    pub(super) outcomes: &'a [Option<Outcome>; 64],
    /// What the empty board showed.
    pub(super) baseline: Option<&'a Placement>,
    /// Squares that did not show the same as most on the empty board.
    pub(super) stuck: Bitboard,
    /// Squares that changed by themselves.
    pub(super) flickering: Bitboard,
    /// Squares that still showed a piece at the end.
    pub(super) remaining: Bitboard,
}

impl Results<'_> {
    fn all(&self) -> impl Iterator<Item = (Square, Outcome)> {
        Square::ALL.into_iter().zip(self.outcomes).filter_map(|(square, outcome)| Some((square, (*outcome)?)))
    }

    /// Returns each square for which one square was reported, with that.
    pub(super) fn pairs(&self) -> Vec<(Square, Square)> {
        let single = |(square, outcome)| match outcome {
            Outcome::Shown { reported, .. } => Some((square, reported.single_square()?)),
            Outcome::Silent => None,
        };
        self.all().filter_map(single).collect()
    }

    /// Returns the squares that were reported for a tested one.
    pub(super) fn reported(&self) -> Bitboard {
        self.all().fold(Bitboard::EMPTY, |all, (_, outcome)| match outcome {
            Outcome::Shown { reported, .. } => all | reported,
            Outcome::Silent => all,
        })
    }

    /// Returns the squares that have shown a piece.
    pub(super) fn shown(&self) -> Bitboard {
        self.all().filter(|(_, outcome)| *outcome != Outcome::Silent).map(|(square, _)| square).collect()
    }

    /// Returns the squares that have shown nothing.
    pub(super) fn silent(&self) -> Bitboard {
        self.all().filter(|(_, outcome)| *outcome == Outcome::Silent).map(|(square, _)| square).collect()
    }

    /// Returns what each square has shown.
    pub(super) fn states(&self) -> impl Iterator<Item = (Square, SquareState)> {
        self.all().filter_map(|(square, outcome)| match outcome {
            Outcome::Shown { state, .. } => Some((square, state?)),
            Outcome::Silent => None,
        })
    }

    /// Whether most squares of the empty board showed a piece.
    pub(super) fn is_inverted(&self) -> bool {
        let occupied = |baseline: &Placement| baseline.iter().filter(|state| **state != SquareState::Empty).count();
        self.baseline.is_some_and(|baseline| occupied(baseline) > 32)
    }
}
