//! The piece that the players have chosen for a promotion, on the board's own buttons.

use super::Line;
use crate::boards::Millis;
use crate::game::Confidence;
use crate::infer::model::MAX_CHOICE_TIME;
use crate::infer::{HandCosts, LineNode, ObservedBoard};
use shakmaty::Role;

impl Line {
    /// Returns the ply of the promotion for which a piece was chosen now: the last one, if it is not too long ago, its piece was not
    /// chosen yet, and it is not known for certain, as after a correction by the arbiter. `None` if the squares do not show it yet.
    pub fn promotion_before(&self, now: Millis) -> Option<usize> {
        let is_recent = |node: &LineNode| node.made_at + MAX_CHOICE_TIME >= now;
        let mut recent = self.nodes().iter().enumerate().rev().take_while(|(_, node)| is_recent(node));
        let (ply, node) = recent.find(|(_, node)| node.mv.is_some_and(|mv| mv.is_promotion()))?;
        (node.chosen_piece.is_none() && node.confidence != Some(Confidence::CERTAIN)).then_some(ply)
    }

    /// Returns whether this ply is a promotion to this piece.
    pub fn promotes_to(&self, ply: usize, role: Role) -> bool {
        self.nodes().get(ply).and_then(|node| node.mv).is_some_and(|mv| mv.promotion() == Some(role))
    }

    /// Returns this line with another piece for the promotion of this ply; `None` if a move after it would be illegal.
    pub fn with_promotion(&self, ply: usize, role: Role, seen: &ObservedBoard) -> Option<Line> {
        let mut line = self.clone();
        line.history.replace_promotion(ply, role).ok()?;
        line.deferred.clear();
        line.update_at_tip(seen);
        Some(line)
    }

    /// Credits the piece that the players chose now to the promotion that it is for, and adds the cost of a promotion to another
    /// piece. A line without a promotion costs nothing more.
    pub fn weigh_choice(&mut self, now: Millis, role: Role, hands: &HandCosts) {
        let Some(ply) = self.promotion_before(now) else { return };
        let is_other = !self.promotes_to(ply, role);
        let Some(node) = self.history.node_mut(ply) else { return };
        node.chosen_piece = Some(role);
        if is_other {
            node.handling_cost += hands.other_piece_chosen;
            self.costs.add_to_ply(ply, hands.other_piece_chosen);
        }
    }
}
