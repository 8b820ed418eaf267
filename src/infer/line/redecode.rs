//! Re-decoding of the last moves of a line.

use super::{Line, landing_square};
use crate::boards::{Millis, SquareState};
use crate::game::CorrectionReason;
use crate::infer::ObservedBoard;
use crate::infer::redecode::{RedecodedLine, redecode_moves};
use shakmaty::Move;

impl Line {
    /// Returns whether the last moves were so close together that they can be decoded in more than one way.
    pub fn needs_redecode(&self, seen: &ObservedBoard) -> bool {
        self.history.needs_redecode(|| self.compare(seen).unexplained().any())
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
            let is_same = |mv: Move| mv.is_promotion() && landing_square(mv) == landing_square(ply.mv);
            let old = self.nodes().get(base + 1 + index).filter(|old| old.is_piece_chosen && old.mv.is_some_and(is_same));
            if let (Some(_), Some(tip)) = (old, line.history.tip_mut()) {
                tip.is_piece_chosen = ply.mv.is_promotion();
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

    fn set_redecoded_costs(&mut self, base: usize, redecoded: &RedecodedLine, seen: &ObservedBoard) {
        for (index, ply) in redecoded.plies.iter().enumerate().map(|(index, ply)| (base + 1 + index, ply)) {
            if let Some(node) = self.history.node_mut(index) {
                (node.handling_cost, node.pressed_at) = (ply.handling_cost, ply.pressed_at);
            }
            self.costs.forget(index);
        }
        self.costs.add(redecoded.extra_cost);
        self.presses.set_count(redecoded.unmatched_presses);
        let landed = self.tip().mv.map(landing_square);
        if let Some(to) = landed.filter(|to| seen.at(*to) == SquareState::Empty)
            && let Some(tip) = self.history.tip_mut()
        {
            tip.left_at.get_or_insert(seen.changed_at(to));
        }
    }
}
