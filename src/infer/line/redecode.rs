//! Re-decoding of the last moves of a line.

use super::{Line, PlyCost, landing_square};
use crate::boards::{Millis, SquareState};
use crate::game::CorrectionReason;
use crate::infer::model::{MAX_OVERLAP, MAX_STOP, MIN_HAND_INTERVAL, REDECODE_WINDOW};
use crate::infer::redecode::{RedecodedLine, redecode_moves};
use crate::infer::{LineNode, ObservedBoard};
use shakmaty::Move;
use std::sync::Arc;

impl Line {
    /// Returns whether the last moves were so close together that they can be decoded in more than one way.
    pub fn needs_redecode(&self, seen: &ObservedBoard) -> bool {
        let [.., before, _, last] = self.nodes.as_slice() else { return false };
        let apart = last.made_at.saturating_sub(before.made_at);
        // No hand is as fast as a program that moves pieces, whose timing is unknown.
        let soon = apart <= MAX_STOP + MAX_OVERLAP && before.pressed_at.is_none();
        apart >= MIN_HAND_INTERVAL && (soon || self.unexplained(seen).any())
    }

    /// Returns the last settled ply, at most six plies back: the ones after it are re-decoded. A clock press alone does not settle
    /// a ply, because it may belong to the player's move before.
    pub fn settled_ply(&self, now: Millis) -> usize {
        let oldest = self.nodes.len().saturating_sub(1 + 6);
        let old = |node: &LineNode| now.saturating_sub(node.made_at) > REDECODE_WINDOW;
        let settled = |&index: &usize| {
            self.nodes.get(index..).is_some_and(|rest| match rest {
                [node, next, ..] => old(node) || (node.is_closed(now) && next.is_closed(now)),
                rest => rest.iter().all(|node| old(node)),
            })
        };
        (oldest..self.nodes.len()).rev().find(settled).unwrap_or(oldest)
    }

    /// Returns whether the line already has the plies of `redecoded` after ply `base`.
    pub fn has_plies(&self, base: usize, redecoded: &RedecodedLine) -> bool {
        self.nodes.len() == base + 1 + redecoded.plies.len()
            && self.nodes.iter().skip(base + 1).zip(&redecoded.plies).all(|(node, ply)| node.mv == Some(ply.mv))
    }

    /// Returns this line with these moves after ply `base`.
    pub fn with_redecoded(&self, base: usize, redecoded: &RedecodedLine, seen: &ObservedBoard) -> Line {
        let mut line = self.clone();
        let unexplained = line.costs.get(base).map_or(0, |charge| charge.unexplained);
        line.truncate(base + 1);
        if let Some(charge) = line.costs.last_mut() {
            charge.unexplained = unexplained;
        }
        line.changes += 1;
        line.reason = CorrectionReason::Evidence;
        line.unmatched_press = None;
        for ply in &redecoded.plies {
            line.append_move(ply.made_at, ply.mv, seen);
        }
        line.set_redecoded_costs(base, redecoded, seen);
        line
    }

    /// Recomputes the cost of the last plies as a whole.
    pub fn recompute_costs(&mut self, base: usize, now: Millis, seen: &ObservedBoard) {
        let Some(node) = self.nodes.get(base) else { return };
        let moves: Vec<Move> = self.nodes.iter().skip(base + 1).filter_map(|node| node.mv).collect();
        if let Some(redecoded) = redecode_moves(node, &moves, seen, self.ignored_squares(seen), now) {
            self.set_redecoded_costs(base, &redecoded, seen);
        }
    }

    fn set_redecoded_costs(&mut self, base: usize, redecoded: &RedecodedLine, seen: &ObservedBoard) {
        for (index, ply) in redecoded.plies.iter().enumerate().map(|(index, ply)| (base + 1 + index, ply)) {
            if let Some(node) = self.nodes.get_mut(index) {
                let node = Arc::make_mut(node);
                (node.handling_cost, node.pressed_at) = (ply.manner, ply.pressed_at);
            }
            if let Some(charge) = self.costs.get_mut(index) {
                *charge = PlyCost::default();
            }
        }
        self.add_cost(redecoded.extra_cost);
        self.unseen_presses = redecoded.unmatched_presses;
        let landed = self.tip().mv.map(landing_square);
        if let Some(to) = landed.filter(|to| seen.at(*to) == SquareState::Empty)
            && let Some(tip) = self.tip_mut()
        {
            tip.left_at.get_or_insert(seen.changed_at(to));
        }
    }
}
