//! The moves of a line: appending, deciding, taking back.

use super::{Line, PlyCost, READY_NODES, confidence};
use crate::boards::Millis;
use crate::game::{Confidence, CorrectionReason};
use crate::infer::model::{Cost, PRESS_OVERTAKE_WINDOW};
use crate::infer::{Growth, LineNode, NextMoves, ObservedBoard};
use crate::laws::{CENTRE, Position};
use shakmaty::{Move, Role};
use std::sync::Arc;

impl Line {
    /// Decides the last move: no more moves will be made in this game.
    pub fn decide_last_move(&mut self) {
        if self.tip().confidence.is_none() {
            self.decide_tip(confidence::ANSWERED);
        }
    }

    /// Removes the last king moves to the centre, which turned out to be a result signal.
    pub fn withdraw_king_moves(&mut self, keep: impl Fn(usize, &LineNode) -> bool, seen: &ObservedBoard) {
        while let Some(node) = self.nodes.last()
            && let Some(mv) = node.mv
            && mv.role() == Role::King
            && !Position::is_null_move(mv)
            && CENTRE.contains(mv.to())
            && !keep(self.nodes.len() - 1, node)
        {
            let instead_of = node.replaced;
            let made_at = node.made_at;
            self.truncate(self.nodes.len() - 1);
            self.reason = CorrectionReason::KingSignal;
            if let Some(mv) = instead_of {
                self.append_move(made_at, mv, seen);
                self.decide_tip(confidence::ANSWERED);
                break;
            }
        }
    }

    /// Changes the promotion piece of this ply; the moves after it stay, with the times at which they were made.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub fn set_promotion(&mut self, ply: usize, role: Role, seen: &ObservedBoard) -> Result<(), usize> {
        let mut nodes = self.nodes.get(..ply).unwrap_or_default().to_vec();
        for (index, old) in self.nodes.iter().enumerate().skip(ply) {
            let (Some(before), Some(old_before)) = (nodes.last(), self.nodes.get(index - 1)) else { return Err(index) };
            if old.mv.is_some_and(Position::is_null_move) {
                nodes.push(Arc::clone(old)); // The position found after missing moves does not depend on what was played before.
                continue;
            }
            let mv = match old.mv {
                Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(_) }) if index == ply => {
                    Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(role) })
                }
                mv => mv.and_then(|mv| before.position.parse_uci(&old_before.position.uci(mv))),
            };
            let legal = mv.filter(|mv| before.position.legal_moves().contains(mv));
            let mut node = before.after_move(legal.ok_or(index)?, old.made_at, seen.sensing(), None);
            if index == ply {
                (node.growth, node.confidence) = (Growth::default(), Some(Confidence::CERTAIN));
            } else {
                (node.confidence, node.rivals) = (old.confidence, old.rivals.clone());
            }
            (node.dragged, node.answered, node.silent) = (old.dragged, old.answered, old.silent);
            (node.left_at, node.pressed_at, node.handling_cost) = (old.left_at, old.pressed_at, old.handling_cost);
            nodes.push(Arc::new(node));
        }
        self.nodes = nodes;
        self.ready.iter_mut().for_each(|slot| *slot = Arc::default());
        self.deferred.clear();
        self.changes += 1;
        self.update_at_tip(seen);
        Ok(())
    }

    /// Takes back the last `plies` plies, for the arbiter or the players.
    pub fn take_back(&mut self, plies: usize, reason: CorrectionReason, seen: &ObservedBoard) {
        self.truncate(self.nodes.len() - plies.min(self.nodes.len() - 1));
        self.changes += 1;
        self.reason = reason;
        self.taken_back_to = Some(self.nodes.len());
        self.update_at_tip(seen);
        self.deferred.clear();
        (self.unmatched_press, self.unseen_presses) = (None, 0);
    }

    /// Cuts the line after `base` plies and appends these moves. `rivals`: lines that explain as much.
    pub(super) fn replace_plies(
        &mut self,
        now: Millis,
        base: usize,
        moves: &[Move],
        rivals: &[Vec<Move>],
        confidence: Confidence,
        seen: &ObservedBoard,
    ) {
        let lines = rivals.len() + 1;
        let share = |count: usize| Confidence((usize::from(confidence.0) * count / lines) as u16);
        if self.nodes.len() > base + 1 {
            self.reason = CorrectionReason::Evidence;
        }
        self.truncate(base + 1);
        self.changes += 1;
        for (index, &mv) in moves.iter().enumerate() {
            self.append_move(now, mv, seen);
            let mut others: Vec<(Move, usize)> = Vec::new();
            for &other in rivals.iter().filter_map(|line| line.get(index)).filter(|&&other| other != mv) {
                match others.iter_mut().find(|(known, _)| *known == other) {
                    Some((_, count)) => *count += 1,
                    None => others.push((other, 1)),
                }
            }
            others.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            let elsewhere: usize = others.iter().map(|&(_, count)| count).sum();
            let last = index + 1 == moves.len();
            if let Some(tip) = self.tip_mut() {
                tip.rivals = others.into_iter().map(|(other, count)| (other, share(count))).collect();
                // The last of two overlapping moves may still grow.
                if !last || confidence < confidence::ANSWERED || elsewhere > 0 {
                    tip.confidence = Some(share(lines - elsewhere));
                }
            }
        }
        self.at_tip = self.shows(self.tip(), seen);
    }

    pub(super) fn append_move(&mut self, now: Millis, mv: Move, seen: &ObservedBoard) {
        // A reply is on the board.
        if self.tip().confidence.is_none() {
            self.decide_tip(confidence::ANSWERED);
        }
        let mut node = self.tip().after_move(mv, now, seen.sensing(), self.next_moves(0));
        if let Some((at, _)) = self.unmatched_press.take_if(|(_, by)| *by != node.position.turn())
            && now.saturating_sub(at) <= PRESS_OVERTAKE_WINDOW
        {
            node.pressed_at = Some(at);
        }
        let open = !node.growth.is_final();
        node.handling_cost = self.handling_cost(&node, seen);
        self.push_node(node);
        if !open && !self.may_be_in_hand(seen) {
            let to_centre = mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to());
            self.decide_tip(if to_centre { confidence::KING_TO_CENTRE } else { confidence::CLOSED });
        }
        self.at_tip = self.shows(self.tip(), seen);
        self.compare_with_illegal(seen);
    }

    /// Appends a null move for missing moves; play goes on from the position `found`.
    pub(super) fn append_missing(&mut self, now: Millis, null: Move, found: Position, seen: &ObservedBoard) {
        if self.tip().confidence.is_none() {
            self.decide_tip(confidence::ANSWERED);
        }
        let node = self.tip().after_missing(null, found, now, seen.sensing());
        self.push_node(node);
        (self.displaced, self.unmatched_press) = (None, None);
        self.at_tip = self.shows(self.tip(), seen);
    }

    pub(super) fn push_node(&mut self, node: LineNode) {
        self.nodes.push(Arc::new(node));
        self.costs.push(PlyCost::default());
        self.ready.push(Arc::default());
        self.update_ready();
        self.changes += 1;
        self.deferred.clear();
        self.unseen_presses = 0;
    }

    /// Keeps the first `keep` nodes, at least one.
    pub(super) fn truncate(&mut self, keep: usize) {
        while self.nodes.len() > keep.max(1) {
            self.nodes.pop();
            self.ready.pop();
            self.changes += 1;
        }
        let dropped: Cost = self.costs.drain(self.nodes.len()..).map(|charge| charge.unexplained).sum();
        self.add_cost(dropped);
        self.update_ready();
    }

    pub(super) fn decide_tip(&mut self, confidence: Confidence) {
        if self.tip().confidence.is_some() {
            return;
        }
        self.changes += 1;
        if let Some(tip) = self.tip_mut() {
            tip.confidence = Some(confidence);
        }
    }

    pub(super) fn tip_mut(&mut self) -> Option<&mut LineNode> {
        self.nodes.last_mut().map(Arc::make_mut)
    }

    /// Returns the node `back` plies before the tip; 0 is the tip.
    pub(super) fn node_back(&self, back: usize) -> Option<&LineNode> {
        self.nodes.iter().rev().nth(back).map(Arc::as_ref)
    }

    /// Returns the prepared moves of the node `back` plies before the tip; `None` if it has none.
    pub(super) fn next_moves(&self, back: usize) -> Option<&NextMoves> {
        let slot = self.ready.iter().rev().nth(back)?;
        let node = self.node_back(back)?;
        Some(slot.get_or_init(|| NextMoves::of(node, self.sensing)))
    }

    /// Adjusts the slots so that exactly the last [`READY_NODES`] nodes are kept ready.
    pub(super) fn update_ready(&mut self) {
        let wanted = self.nodes.len().min(READY_NODES);
        while self.ready.len() > wanted {
            self.ready.remove(0);
        }
        while self.ready.len() < wanted {
            self.ready.insert(0, Arc::default());
        }
    }
}
