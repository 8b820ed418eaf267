//! Changes of a line: moves appended, replaced, taken back.

use super::replacement::Replacement;
use super::{Line, confidence};
use crate::boards::Millis;
use crate::game::{Confidence, CorrectionReason};
use crate::infer::model::PRESS_OVERTAKE_WINDOW;
use crate::infer::{Growth, KnownPly, LineNode, ObservedBoard};
use crate::laws::{CENTRE, Position};
use shakmaty::{Move, Role};

impl Line {
    /// Appends a ply that was published before.
    pub fn append_known(&mut self, now: Millis, known: &KnownPly, seen: &ObservedBoard) {
        let KnownPly { mv, pressed_at, found } = known;
        match found {
            Some(found) => return self.append_missing(now, *mv, found.clone(), seen),
            None if self.tip().position.is_legal(*mv) => self.append_move(now, *mv, seen),
            None => self.append_illegal(now, *mv, None, seen),
        }
        self.history.decide_tip(Confidence::CERTAIN);
        self.presses.note_clock(pressed_at.is_some());
        if let Some(node) = self.history.tip_mut() {
            node.pressed_at = *pressed_at;
        }
    }

    /// Appends a ply that somebody confirmed: it cannot become another one.
    pub fn append_confirmed(&mut self, now: Millis, known: &KnownPly, seen: &ObservedBoard) {
        self.append_known(now, known, seen);
        if let Some(node) = self.history.tip_mut() {
            node.growth = Growth::default();
        }
    }

    /// Decides the last move: no more moves will be made in this game.
    pub fn decide_last_move(&mut self) {
        self.history.decide_tip(confidence::ANSWERED);
    }

    /// Removes the last king moves to the centre, which turned out to be a result signal.
    pub fn withdraw_king_moves(&mut self, keep: impl Fn(usize, &LineNode) -> bool, seen: &ObservedBoard) {
        while let Some(node) = self.nodes().last()
            && let Some(mv) = node.mv
            && mv.role() == Role::King
            && !Position::is_null_move(mv)
            && CENTRE.contains(mv.to())
            && !keep(self.nodes().len() - 1, node)
        {
            let instead_of = node.replaced;
            let made_at = node.made_at;
            self.drop_plies(1, CorrectionReason::KingSignal);
            if let Some(mv) = instead_of {
                self.append_move(made_at, mv, seen);
                self.history.decide_tip(confidence::ANSWERED);
                break;
            }
        }
        self.update_at_tip(seen);
    }

    /// Changes the promotion piece of this ply; the moves after it stay, with the times at which they were made.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub fn set_promotion(&mut self, ply: usize, role: Role, seen: &ObservedBoard) -> Result<(), usize> {
        self.history.set_promotion(ply, role)?;
        self.deferred.clear();
        self.update_at_tip(seen);
        Ok(())
    }

    /// Takes back the last `plies` plies, for the arbiter or the players.
    pub fn take_back(&mut self, plies: usize, reason: CorrectionReason, seen: &ObservedBoard) {
        self.drop_plies(plies.min(self.nodes().len() - 1), reason);
        self.history.note_change();
        self.history.note_takeback();
        self.update_at_tip(seen);
        self.deferred.clear();
        self.presses.clear();
    }

    /// Replaces the last plies.
    pub(super) fn replace_plies(&mut self, now: Millis, line: &Replacement, seen: &ObservedBoard) {
        if self.nodes().len() > line.base + 1 {
            self.history.set_reason(CorrectionReason::Evidence);
        }
        self.truncate(line.base + 1);
        self.history.note_change();
        for (index, &mv) in line.moves.iter().enumerate() {
            self.append_move(now, mv, seen);
            let (confidence, rivals) = line.shares(index, mv);
            let last = index + 1 == line.moves.len();
            if let Some(tip) = self.history.tip_mut() {
                // The last of two overlapping moves may still grow.
                if !last || line.confidence < confidence::ANSWERED || !rivals.is_empty() {
                    tip.confidence = Some(confidence);
                }
                tip.rivals = rivals;
            }
        }
        self.update_at_tip(seen);
    }

    /// Appends a legal move.
    pub(super) fn append_move(&mut self, now: Millis, mv: Move, seen: &ObservedBoard) {
        // A reply is on the board.
        self.history.decide_tip(confidence::ANSWERED);
        let mut node = self.tip().after_move(mv, now, seen.sensing(), self.history.next_moves(0));
        if let Some(at) = self.presses.take_by(!node.position.turn())
            && now.saturating_sub(at) <= PRESS_OVERTAKE_WINDOW
        {
            node.pressed_at = Some(at);
        }
        let open = !node.growth.is_final();
        node.handling_cost = self.compare(seen).handling_cost(&node, self.presses.has_clock());
        if let (Some(role), Some(chosen)) = (mv.promotion(), seen.chosen_promotion(now)) {
            node.chosen_piece = Some(chosen);
            if role != chosen {
                node.handling_cost += seen.hands().other_piece_chosen;
            }
        }
        self.push_node(node);
        if !open && !self.compare(seen).may_be_in_hand() {
            let to_centre = mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to());
            self.history.decide_tip(if to_centre { confidence::KING_TO_CENTRE } else { confidence::CLOSED });
        }
        self.update_at_tip(seen);
        self.compare_with_illegal(seen);
    }

    /// Appends a null move for missing moves; play goes on from the position `found`.
    fn append_missing(&mut self, now: Millis, null: Move, found: Position, seen: &ObservedBoard) {
        self.history.decide_tip(confidence::ANSWERED);
        let node = self.tip().after_missing(null, found, now, seen.sensing());
        self.push_node(node);
        self.displaced = None;
        self.presses.take_last();
        self.update_at_tip(seen);
    }

    /// Appends a node.
    pub(super) fn push_node(&mut self, node: LineNode) {
        self.history.push(node);
        self.wrong = None;
        self.costs.push();
        self.deferred.clear();
        self.presses.set_count(0);
    }

    /// Keeps the first `keep` nodes, at least one.
    pub(super) fn truncate(&mut self, keep: usize) {
        self.history.truncate(keep);
        self.wrong = None;
        self.costs.truncate(self.nodes().len());
    }

    /// Drops the last `plies` plies, for `reason`.
    pub(super) fn drop_plies(&mut self, plies: usize, reason: CorrectionReason) {
        self.truncate(self.nodes().len() - plies);
        self.history.set_reason(reason);
    }
}
