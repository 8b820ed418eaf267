//! Readings into edges: a whole placement becomes the squares in which it differs from what was known.
//!
//! It normalises and judges nothing: no edge is dropped or delayed here. Noise, stuck squares and rotation are
//! hypotheses of [`crate::infer`].

use crate::boards::{Millis, Placement, Sensed, Sensing};
use shakmaty::Square;

/// One square changed what it shows, in the board's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// When the reading arrived.
    pub at: Millis,
    /// Which square, as the board numbers it.
    pub square: Square,
    /// What it showed before; [`Sensed::Empty`] where nothing was known.
    pub before: Sensed,
    /// What it shows now.
    pub now: Sensed,
}

/// How a board's sensors are read: some report the opposite of what stands there, all of them alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// As they say.
    #[default]
    Straight,
    /// Occupied is empty, and empty occupied: contacts that open under a piece. White is Black, and Black White: magnets that
    /// are built in the other way round. Pieces that are told by name are what they are.
    Inverted,
}

impl Polarity {
    /// What stands on a square of which the board says this.
    pub fn normalise(self, sensing: Sensing, sensed: Sensed) -> Sensed {
        match (self, sensing, sensed.seen_by(sensing)) {
            (Polarity::Inverted, Sensing::Occupancy, Sensed::Empty) => Sensed::Occupied,
            (Polarity::Inverted, Sensing::Occupancy, Sensed::Occupied) => Sensed::Empty,
            (Polarity::Inverted, Sensing::Colour, Sensed::Side(color)) => Sensed::Side(!color),
            (_, _, seen) => seen,
        }
    }

    /// The other one.
    pub fn other(self) -> Polarity {
        match self {
            Polarity::Straight => Polarity::Inverted,
            Polarity::Inverted => Polarity::Straight,
        }
    }
}

/// What a board's squares show, and whether all of them are known.
#[derive(Clone, Debug)]
pub struct Sense {
    squares: Placement,
    whole: bool,
    polarity: Polarity,
}

impl Default for Sense {
    fn default() -> Self {
        Sense { squares: [Sensed::Empty; 64], whole: false, polarity: Polarity::Straight }
    }
}

impl Sense {
    /// How the board is read.
    pub fn polarity(&self) -> Polarity {
        self.polarity
    }

    /// The board is to be read the other way: what is known of its squares turns, too.
    pub fn invert(&mut self, sensing: Sensing) {
        self.polarity = self.polarity.other();
        self.squares = self.squares.map(|sensed| Polarity::Inverted.normalise(sensing, sensed));
    }

    /// What the squares show; meaningful once [`Sense::is_whole`].
    pub fn placement(&self) -> &Placement {
        &self.squares
    }

    /// Whether a whole placement has been read since the link came up.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The link went down: what stands on the board is no longer known.
    pub fn forget(&mut self) {
        self.whole = false;
    }

    /// One square's reading: an edge if it changed.
    pub fn square(&mut self, at: Millis, square: Square, now: Sensed) -> Option<Edge> {
        let before = std::mem::replace(&mut self.squares[square as usize], now);
        (before != now).then_some(Edge { at, square, before, now })
    }

    /// A whole placement: the edges that were missed, in the order a1 … h8.
    pub fn placement_read(&mut self, at: Millis, placement: &Placement) -> Vec<Edge> {
        self.whole = true;
        Square::ALL.into_iter().filter_map(|square| self.square(at, square, placement[square as usize])).collect()
    }
}
