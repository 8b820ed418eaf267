//! The beam: how many lines of play are followed, and which comes first.

use super::model::{self, Cost};

/// The beam width and the order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beam {
    /// Live decoding: at most this many lines. The line that was published first stays first until another is clearly better.
    Live(usize),
    /// Offline decoding: as many lines as time and memory allow; the likeliest comes first, whatever was published before. A game
    /// takes seconds and about ten megabytes.
    Offline,
}

impl Beam {
    /// Returns the maximum number of lines.
    pub fn max_lines(self) -> usize {
        match self {
            Beam::Live(lines) => lines.max(1),
            Beam::Offline => 1_024,
        }
    }

    /// Returns the maximum number of positions that all lines hold together, beyond the moves they share with the first.
    pub fn max_positions(self) -> usize {
        match self {
            Beam::Live(_) => model::MAX_POSITIONS,
            Beam::Offline => 50_000,
        }
    }

    /// Returns the cost beyond the best line at which a line is pruned.
    pub fn prune_margin(self) -> Cost {
        match self {
            Beam::Live(_) => model::PRUNE_MARGIN,
            Beam::Offline => model::PRUNE_MARGIN * 3 / 2,
        }
    }
}
