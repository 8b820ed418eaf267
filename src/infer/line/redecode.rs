//! Re-decoding of the last moves of a line.

use super::{Line, landing_square};
use crate::boards::{Millis, SquareState};
use crate::game::CorrectionReason;
use crate::infer::ObservedBoard;
use crate::infer::model::{Cost, MAX_OVERLAP, MAX_STOP, MIN_HAND_INTERVAL};
use crate::infer::redecode::{RedecodedLine, redecode_moves, redecode_occupancy_moves};
use shakmaty::{Bitboard, Move, Square};

impl Line {
    /// Returns whether the last moves were so close together that they can be decoded in more than one way. When the next move has
    /// only begun, that was done before, and where its piece is put down decides.
    pub fn needs_redecode(&self, seen: &ObservedBoard) -> bool {
        let comparison = self.compare(seen);
        !comparison.is_move_begun() && self.history.needs_redecode(|| comparison.unexplained().any())
    }

    /// Returns whether the last moves, one of them new, were close together, or the board shows something that the last position
    /// does not explain. Boards that detect only occupancy.
    pub fn needs_occupancy_redecode(&self, now: Millis, seen: &ObservedBoard) -> bool {
        let is_close = match self.nodes() {
            [.., before, _] => {
                self.history.is_new(now) && before.mv.is_some() && now.saturating_sub(before.made_at) <= MAX_STOP + MAX_OVERLAP
            }
            _ => false,
        };
        // What has just changed may be explained by the next change.
        let has_stayed = |square: Square| now.saturating_sub(seen.changed_at(square)) >= MIN_HAND_INTERVAL;
        is_close || self.compare(seen).unexplained().into_iter().any(has_stayed)
    }

    /// Returns the squares that are not compared.
    pub fn hidden(&self, seen: &ObservedBoard) -> Bitboard {
        self.stuck.hidden(seen)
    }

    /// Returns whether the line already has the plies of `redecoded` after ply `base`.
    pub fn has_plies(&self, base: usize, redecoded: &RedecodedLine) -> bool {
        let nodes = self.nodes();
        nodes.len() == base + 1 + redecoded.plies.len()
            && nodes.iter().skip(base + 1).zip(&redecoded.plies).all(|(node, ply)| node.mv == Some(ply.mv))
    }

    /// Returns this line with these moves after ply `base`.
    pub fn with_redecoded(&self, base: usize, redecoded: &RedecodedLine, seen: &ObservedBoard) -> Line {
        let mut line = self.clone();
        let unexplained = line.costs.unexplained(base);
        line.truncate(base + 1);
        line.costs.set_unexplained(unexplained);
        line.history.note_change();
        line.history.set_reason(CorrectionReason::Evidence);
        line.presses.take_last();
        for (index, ply) in redecoded.plies.iter().enumerate() {
            line.append_move(ply.made_at, ply.mv, seen);
            if let Some(tip) = line.history.tip_mut() {
                tip.silent = ply.silent;
            }
            let is_same = |mv: Move| mv.is_promotion() && landing_square(mv) == landing_square(ply.mv);
            let old = self.nodes().get(base + 1 + index).filter(|old| old.mv.is_some_and(is_same));
            let chosen = old.and_then(|old| old.chosen_piece).filter(|_| ply.mv.is_promotion());
            if let (Some(role), Some(tip)) = (chosen, line.history.tip_mut()) {
                tip.chosen_piece = Some(role);
            }
        }
        line.set_redecoded_costs(base, redecoded, seen);
        line
    }

    /// Recomputes the cost of the last plies as a whole.
    pub fn recompute_costs(&mut self, base: usize, now: Millis, seen: &ObservedBoard) {
        let Some(node) = self.nodes().get(base) else { return };
        let moves: Vec<Move> = self.history.moves_after(base).collect();
        if let Some(redecoded) = redecode_moves(node, &moves, seen, self.stuck.hidden(seen), now) {
            self.set_redecoded_costs(base, &redecoded, seen);
        }
    }

    /// Returns by how much the costs that were counted for the plies after ply `base`, as they were made, exceed those of the same
    /// plies re-decoded; 0 if the changes of the squares do not allow them. Boards that detect only occupancy.
    pub fn excess_of_counted_costs(&self, base: usize, now: Millis, seen: &ObservedBoard) -> Cost {
        let Some(node) = self.nodes().get(base) else { return 0 };
        let moves: Vec<Move> = self.history.moves_after(base).collect();
        let Some(redecoded) = redecode_occupancy_moves(node, &moves, seen, self.stuck.hidden(seen), now) else { return 0 };
        let counted = self.nodes().iter().enumerate().skip(base + 1);
        let counted: Cost = counted.map(|(index, node)| node.handling_cost + self.costs.unexplained(index)).sum();
        counted - redecoded.extra.cost - redecoded.plies.iter().map(|ply| ply.handling.cost).sum::<Cost>()
    }

    /// Adds a cost to what has no explanation after the last ply.
    pub fn add_cost(&mut self, cost: Cost) {
        self.costs.add(cost);
    }

    /// Sets the costs of the plies after ply `base` to those of `redecoded`, which has the same moves.
    pub fn set_redecoded_costs(&mut self, base: usize, redecoded: &RedecodedLine, seen: &ObservedBoard) {
        for (index, ply) in redecoded.plies.iter().enumerate().map(|(index, ply)| (base + 1 + index, ply)) {
            if let Some(node) = self.history.node_mut(index) {
                (node.handling_cost, node.pressed_at) = (ply.handling.cost, ply.pressed_at);
                node.silent |= ply.silent;
            }
            self.costs.forget(index);
        }
        self.costs.add(redecoded.extra.cost);
        self.presses.set_count(redecoded.unmatched_presses);
        let landed = self.tip().mv.map(landing_square);
        if let Some(to) = landed.filter(|to| seen.at(*to) == SquareState::Empty)
            && let Some(tip) = self.history.tip_mut()
        {
            tip.left_at.get_or_insert(seen.changed_at(to));
        }
    }
}
