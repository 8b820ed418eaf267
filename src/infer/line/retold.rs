//! Re-decoding of the last moves of a line.

use super::{Charge, Line, landing};
use crate::boards::{Millis, Sensed};
use crate::game::CorrectionReason;
use crate::infer::model::{HANDS, OVERLAP, RETOLD_WITHIN, STOPS};
use crate::infer::retell::{Retold, retell_as};
use crate::infer::{Node, Seen};
use shakmaty::Move;
use std::sync::Arc;

impl Line {
    /// Returns whether the last moves were so close together that they can be decoded in more than one way.
    pub fn is_hurried(&self, seen: &Seen) -> bool {
        let [.., before, _, last] = self.nodes.as_slice() else { return false };
        let apart = last.made_at.saturating_sub(before.made_at);
        // No hand is as fast as a program that moves pieces, whose timing is unknown.
        let soon = apart <= STOPS + OVERLAP && before.pressed_at.is_none();
        apart >= HANDS && (soon || self.unexplained(seen).any())
    }

    /// Returns the last settled ply, at most six plies back: the ones after it are re-decoded. A clock press alone does not settle
    /// a ply, because it may belong to the player's move before.
    pub fn solid(&self, now: Millis) -> usize {
        let most = self.nodes.len().saturating_sub(1 + 6);
        let old = |node: &Node| now.saturating_sub(node.made_at) > RETOLD_WITHIN;
        let settled = |&index: &usize| {
            self.nodes.get(index..).is_some_and(|rest| match rest {
                [node, next, ..] => old(node) || (node.is_closed(now) && next.is_closed(now)),
                rest => rest.iter().all(|node| old(node)),
            })
        };
        (most..self.nodes.len()).rev().find(settled).unwrap_or(most)
    }

    /// Returns whether the line already has the plies of `told` after ply `base`.
    pub fn says(&self, base: usize, told: &Retold) -> bool {
        self.nodes.len() == base + 1 + told.plies.len()
            && self.nodes.iter().skip(base + 1).zip(&told.plies).all(|(node, ply)| node.mv == Some(ply.mv))
    }

    /// Returns this line with these moves after ply `base`.
    pub fn told_anew(&self, base: usize, told: &Retold, seen: &Seen) -> Line {
        let mut line = self.clone();
        let trouble = line.costs.get(base).map_or(0, |charge| charge.trouble);
        line.cut(base + 1);
        if let Some(charge) = line.costs.last_mut() {
            charge.trouble = trouble;
        }
        line.changes += 1;
        line.reason = CorrectionReason::Evidence;
        line.owed = None;
        for ply in &told.plies {
            line.extend(ply.made_at, ply.mv, seen);
        }
        line.note(base, told, seen);
        line
    }

    /// Recomputes the cost of the last plies as a whole.
    pub fn tell_anew(&mut self, base: usize, now: Millis, seen: &Seen) {
        let Some(node) = self.nodes.get(base) else { return };
        let moves: Vec<Move> = self.nodes.iter().skip(base + 1).filter_map(|node| node.mv).collect();
        if let Some(told) = retell_as(node, &moves, seen, self.hidden(seen), now) {
            self.note(base, &told, seen);
        }
    }

    fn note(&mut self, base: usize, told: &Retold, seen: &Seen) {
        for (index, ply) in told.plies.iter().enumerate().map(|(index, ply)| (base + 1 + index, ply)) {
            if let Some(node) = self.nodes.get_mut(index) {
                let node = Arc::make_mut(node);
                (node.manner, node.pressed_at) = (ply.manner, ply.pressed_at);
            }
            if let Some(charge) = self.costs.get_mut(index) {
                *charge = Charge::default();
            }
        }
        self.blame(told.troubles);
        self.presses_unseen = told.presses_unseen;
        let landed = self.tip().mv.map(landing);
        if let Some(to) = landed.filter(|to| seen.at(*to) == Sensed::Empty)
            && let Some(tip) = self.tip_mut()
        {
            tip.left_at.get_or_insert(seen.changed_at(to));
        }
    }
}
