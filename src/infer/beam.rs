//! How many lines of play are followed, and which comes first.

use super::model::{self, Cost};

/// What is kept of all that may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beam {
    /// For a game that is told while it is played: so many lines at most. The one that was told first stays first until another
    /// is clearly better.
    Steady(usize),
    /// For hindsight: as many lines as time and memory allow, and the likeliest comes first, whatever was told before. A game
    /// takes seconds and some ten megabytes.
    Wide,
}

impl Beam {
    /// So many lines at most.
    pub fn lines(self) -> usize {
        match self {
            Beam::Steady(lines) => lines.max(1),
            Beam::Wide => 1_024,
        }
    }

    /// So many positions all lines together hold at most, beyond the moves they share with the first.
    pub fn positions(self) -> usize {
        match self {
            Beam::Steady(_) => model::POSITIONS,
            Beam::Wide => 50_000,
        }
    }

    /// A line that costs so much more than the best is given up.
    pub fn hopeless(self) -> Cost {
        match self {
            Beam::Steady(_) => model::HOPELESS,
            Beam::Wide => model::HOPELESS * 3 / 2,
        }
    }
}
