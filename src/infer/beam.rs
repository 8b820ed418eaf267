//! The beam: how many lines of play are followed, and which comes first.

use super::model::{self, Cost};

/// The beam width and the order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beam {
    /// Live decoding: at most this many lines. The line that was published first stays first until another is clearly better.
    Live(usize),
    /// Offline decoding: at most this many lines; the likeliest comes first, whatever was published before. With a thousand lines a
    /// game takes seconds and about ten megabytes.
    Offline(usize),
}

impl Beam {
    /// Returns the maximum number of lines.
    pub fn max_lines(self) -> usize {
        match self {
            Beam::Live(lines) | Beam::Offline(lines) => lines.max(1),
        }
    }

    /// Returns the maximum number of positions that all lines hold together, beyond the moves they share with the first.
    pub fn max_positions(self) -> usize {
        match self {
            Beam::Live(_) => model::MAX_POSITIONS,
            Beam::Offline(lines) => lines.saturating_mul(48),
        }
    }

    /// Returns the cost beyond the best line at which a line is pruned.
    pub fn prune_margin(self) -> Cost {
        match self {
            Beam::Live(_) => model::PRUNE_MARGIN,
            Beam::Offline(_) => model::PRUNE_MARGIN * 3 / 2,
        }
    }

    /// Whether this is offline decoding.
    pub fn is_offline(self) -> bool {
        matches!(self, Beam::Offline(_))
    }
}
