//! The costs of a line, by ply.

use super::history::History;
use crate::boards::Millis;
use crate::infer::model::{self, Cost};
use crate::infer::{HandCosts, NextMoves};

/// The cost of one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlyCost {
    /// Cost of the move and of the way it was made; `None` if not counted because there was no other line to compare with.
    pub ply: Option<Cost>,
    /// Cost of no clock press belonging to it.
    pub unpressed: Cost,
    /// Cost of what happened while it was the last ply and has no explanation: presses without a move, unexplained changes.
    pub unexplained: Cost,
}

impl PlyCost {
    /// Returns the sum of all parts.
    pub fn total(self) -> Cost {
        self.unexplained + self.ply.unwrap_or(0) + self.unpressed
    }
}

/// The costs of a line, as far as they were counted.
#[derive(Clone, Debug)]
pub(super) struct LineCosts {
    /// The cost of each node, the start first.
    plies: Vec<PlyCost>,
    /// Additional cost of the line.
    extra: Cost,
}

impl LineCosts {
    /// Creates the costs of a line without moves.
    pub(super) fn new() -> LineCosts {
        LineCosts { plies: vec![PlyCost::default()], extra: 0 }
    }

    /// Returns the cost of each ply, the start first.
    pub(super) fn plies(&self) -> &[PlyCost] {
        &self.plies
    }

    /// Returns the total.
    pub(super) fn total(&self) -> Cost {
        self.plies.iter().map(|charge| charge.total()).sum::<Cost>() + self.extra
    }

    /// Adds a ply without cost.
    pub(super) fn push(&mut self) {
        self.plies.push(PlyCost::default());
    }

    /// Keeps the costs of the first `keep` nodes; what has no explanation then counts for the last of them.
    pub(super) fn truncate(&mut self, keep: usize) {
        let dropped: Cost = self.plies.drain(keep..).map(|charge| charge.unexplained).sum();
        self.add(dropped);
    }

    /// Adds `cost` to the last ply, or to what comes after it.
    pub(super) fn add(&mut self, cost: Cost) {
        if let Some(charge) = self.plies.last_mut() {
            charge.unexplained += cost;
        }
    }

    /// Adds to the cost of a ply, if that was counted already.
    pub(super) fn add_to_ply(&mut self, index: usize, cost: Cost) {
        if let Some(PlyCost { ply: Some(ply), .. }) = self.plies.get_mut(index) {
            *ply += cost;
        }
    }

    /// Adds a cost that belongs to no ply.
    pub(super) fn add_extra(&mut self, cost: Cost) {
        self.extra += cost;
    }

    /// Returns the cost of what has no explanation after this many plies.
    pub(super) fn unexplained(&self, index: usize) -> Cost {
        self.plies.get(index).map_or(0, |charge| charge.unexplained)
    }

    /// Sets the cost of what has no explanation after the last ply.
    pub(super) fn set_unexplained(&mut self, cost: Cost) {
        if let Some(charge) = self.plies.last_mut() {
            charge.unexplained = cost;
        }
    }

    /// Forgets the cost of this ply.
    pub(super) fn forget(&mut self, index: usize) {
        if let Some(charge) = self.plies.get_mut(index) {
            *charge = PlyCost::default();
        }
    }

    /// Forgets all costs, as there is no other line left to compare with.
    pub(super) fn forget_all(&mut self) {
        self.plies.iter_mut().for_each(|charge| *charge = PlyCost::default());
        self.extra = 0;
    }

    /// Counts the costs of the plies from `from` on, as far as they were not counted yet. `has_clock`: a clock is in use.
    pub(super) fn count(&mut self, now: Millis, from: usize, history: &History, has_clock: bool, hands: &HandCosts) {
        for index in from.max(1)..history.node_count() {
            let unpressed = if has_clock && has_no_press(now, index, history) { hands.move_without_press } else { 0 };
            let counted = self.plies.get(index).and_then(|charge| charge.ply);
            let ply = counted.unwrap_or_else(|| history.cost_of(index, hands));
            if let Some(charge) = self.plies.get_mut(index) {
                (charge.ply, charge.unpressed) = (Some(ply), unpressed);
            }
        }
    }
}

/// Returns whether this ply has no reported press, in a game with a clock, and will get none.
fn has_no_press(now: Millis, index: usize, history: &History) -> bool {
    let Some(node) = history.nodes().get(index) else { return false };
    let is_overdue = now.saturating_sub(node.made_at) > model::MAX_PRESS_DELAY && history.node_count() > index + 2;
    index > 0 && node.pressed_at.is_none() && is_overdue
}

impl History {
    /// Returns the cost of the ply at this index.
    pub fn cost_of(&self, index: usize, hands: &HandCosts) -> Cost {
        let (Some(before), Some(node)) = (self.nodes().get(index - 1), self.nodes().get(index)) else { return 0 };
        let Some(mv) = node.mv else { return 0 };
        let fresh;
        let next = match self.next_moves(self.node_count() - index) {
            Some(next) => next,
            None => {
                fresh = NextMoves::of(before, self.sensing());
                &fresh
            }
        };
        let chosen = next.prior_costs(before).find(|(other, _)| *other == mv).map_or(model::ILLEGAL_MOVE, |(_, cost)| cost);
        let capture = match (mv.is_capture() && !mv.is_en_passant(), node.silent) {
            (true, true) => hands.silent_capture,
            (true, false) => hands.seen_capture,
            _ => 0,
        };
        chosen + capture + node.handling_cost
    }
}
