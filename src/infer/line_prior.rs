//! The prior cost of lines of moves. The positions that a line shares with the one before it are weighed once.

use super::model::Cost;
use super::prior::{RecentMoves, prior_costs};
use crate::laws::Position;
use shakmaty::Move;

/// The prior costs of lines from one position. The moves before it count as unknown.
pub(super) struct LinePrior<'a> {
    base: &'a Position,
    /// The positions of the last lines that were weighed, the base first.
    weighed: Vec<WeighedPosition>,
}

/// A position, with the prior cost of each legal move.
struct WeighedPosition {
    position: Position,
    recent: RecentMoves,
    /// The move that led here; `None` at the base.
    mv: Option<Move>,
    legal: Vec<Move>,
    costs: Box<[Cost]>,
}

impl WeighedPosition {
    fn new(position: Position, recent: RecentMoves, mv: Option<Move>) -> WeighedPosition {
        let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
        let costs = prior_costs(&position, &recent, &legal);
        WeighedPosition { position, recent, mv, legal, costs }
    }

    fn cost(&self, mv: Move) -> Cost {
        self.legal.iter().zip(self.costs.iter()).find(|(other, _)| **other == mv).map_or(0, |(_, cost)| *cost)
    }
}

impl<'a> LinePrior<'a> {
    /// Creates the costs of lines from `base`.
    pub(super) fn new(base: &'a Position) -> LinePrior<'a> {
        LinePrior { base, weighed: Vec::new() }
    }

    /// Returns the cost of these moves. What the line before had in common with this one is not weighed again.
    pub(super) fn cost(&mut self, moves: &[Move]) -> Cost {
        let mut cost = 0;
        for (index, &mv) in moves.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|last| moves.get(last)).copied();
            if self.weighed.get(index).is_none_or(|weighed| weighed.mv != before) {
                self.weighed.truncate(index);
                let next = match (self.weighed.last(), before) {
                    (Some(last), Some(mv)) => WeighedPosition::new(last.position.play(mv), last.recent.after(mv), Some(mv)),
                    _ => WeighedPosition::new(self.base.clone(), RecentMoves::default(), None),
                };
                self.weighed.push(next);
            }
            cost += self.weighed.get(index).map_or(0, |weighed| weighed.cost(mv));
        }
        cost
    }
}
