//! The beam: how many lines of play are followed, and which comes first.

use super::model::{self, Cost};

/// The beam width and the order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beam {
    /// Live decoding: at most this many lines. The line that was published first stays first until another is clearly better.
    Steady(usize),
    /// Offline decoding: as many lines as time and memory allow; the likeliest comes first, whatever was published before. A game
    /// takes seconds and about ten megabytes.
    Wide,
}

impl Beam {
    /// Returns the maximum number of lines.
    pub fn lines(self) -> usize {
        match self {
            Beam::Steady(lines) => lines.max(1),
            Beam::Wide => 1_024,
        }
    }

    /// Returns the maximum number of positions that all lines hold together, beyond the moves they share with the first.
    pub fn positions(self) -> usize {
        match self {
            Beam::Steady(_) => model::POSITIONS,
            Beam::Wide => 50_000,
        }
    }

    /// Returns the cost beyond the best line at which a line is pruned.
    pub fn hopeless(self) -> Cost {
        match self {
            Beam::Steady(_) => model::HOPELESS,
            Beam::Wide => model::HOPELESS * 3 / 2,
        }
    }
}
