//! Turns readings into edges: a whole placement becomes the list of squares that differ from the last known state.
//!
//! This module normalises readings but does not judge them: it drops and delays no edge. Noise, stuck squares and rotation are
//! hypotheses of [`crate::infer`].

use crate::boards::{Millis, Placement, SensorKind, SquareState};
use shakmaty::Square;

/// A change of one square, in the board's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Time at which the reading arrived.
    pub at: Millis,
    /// The square, as the board numbers it.
    pub square: Square,
    /// The previous reading; [`SquareState::Empty`] if none was known.
    pub before: SquareState,
    /// The new reading.
    pub now: SquareState,
}

/// How to interpret a board's sensors: on some boards all of them report the opposite of what is on the square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// As reported.
    #[default]
    Straight,
    /// Inverted. Occupied means empty and empty means occupied: the contacts open under a piece. White means Black and Black means
    /// White: the magnets are mounted the other way round. Pieces that the board identifies stay as they are.
    Inverted,
}

impl Polarity {
    /// Returns what is on a square for which the board reports `sensed`.
    pub fn normalise(self, sensing: SensorKind, sensed: SquareState) -> SquareState {
        match (self, sensing, sensed.reduce_to(sensing)) {
            (Polarity::Inverted, SensorKind::Occupancy, SquareState::Empty) => SquareState::Occupied,
            (Polarity::Inverted, SensorKind::Occupancy, SquareState::Occupied) => SquareState::Empty,
            (Polarity::Inverted, SensorKind::Colour, SquareState::Side(color)) => SquareState::Side(!color),
            (_, _, seen) => seen,
        }
    }

    /// Returns the opposite polarity.
    pub fn other(self) -> Polarity {
        match self {
            Polarity::Straight => Polarity::Inverted,
            Polarity::Inverted => Polarity::Straight,
        }
    }
}

/// The last known state of a board's squares, and whether all of them are known.
#[derive(Clone, Debug)]
pub struct SquareTracker {
    squares: Placement,
    is_complete: bool,
    polarity: Polarity,
}

impl Default for SquareTracker {
    fn default() -> Self {
        SquareTracker { squares: [SquareState::Empty; 64], is_complete: false, polarity: Polarity::Straight }
    }
}

impl SquareTracker {
    /// Returns the polarity in use.
    pub fn polarity(&self) -> Polarity {
        self.polarity
    }

    /// Inverts the polarity, and with it the known state of the squares.
    pub fn invert(&mut self, sensing: SensorKind) {
        self.polarity = self.polarity.other();
        self.squares = self.squares.map(|sensed| Polarity::Inverted.normalise(sensing, sensed));
    }

    /// Returns the state of the squares; meaningful only if [`SquareTracker::is_complete`].
    pub fn placement(&self) -> &Placement {
        &self.squares
    }

    /// Whether a whole placement has been read since the link came up.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Marks the placement as unknown because the link went down.
    pub fn invalidate(&mut self) {
        self.is_complete = false;
    }

    /// Processes the reading of one square and returns an edge if it changed.
    pub fn update_square(&mut self, at: Millis, square: Square, now: SquareState) -> Option<Edge> {
        let before = std::mem::replace(&mut self.squares[square as usize], now);
        (before != now).then_some(Edge { at, square, before, now })
    }

    /// Processes a whole placement and returns the edges that were missed, in the order a1 … h8.
    pub fn update_placement(&mut self, at: Millis, placement: &Placement) -> Vec<Edge> {
        self.is_complete = true;
        Square::ALL.into_iter().filter_map(|square| self.update_square(at, square, placement[square as usize])).collect()
    }
}
