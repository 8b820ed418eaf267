//! Explanations where nothing legal explains the board: an illegal move, or a displaced piece while play goes on.
//!
//! One piece on another square may be either. It is a move once its player pressed the clock on it (Art. 7.5.1), or the opponent
//! played on; it is a displaced piece once its player moved another one. Until then it is neither.

mod candidates;
mod displaced;
mod instead;

pub(super) use displaced::DisplacedPiece;
pub(crate) use displaced::PlayElsewhere;

use super::replacement::Replacement;
use super::{Line, confidence};
use crate::boards::{Millis, SensorKind};
use crate::game::CorrectionReason;
use crate::infer::ObservedBoard;
use crate::infer::model::{REST_TAKEBACK, REST_TRACELESS, UNEXPLAINED};
use crate::infer::node::Slip;
use crate::laws::reason::{IllegalReason, why_illegal};
use candidates::{is_king_signal, is_out_of_turn};
use instead::is_better;
use shakmaty::Move;

/// Maximum number of differing squares among which a displaced piece is looked for.
const MAX_DIFFERENCES: usize = 7;

impl Line {
    /// Handles a board that was quiet for `quiet` milliseconds and that nothing legal explains. Appends an illegal move if one was
    /// made; returns legal play that went on elsewhere.
    pub fn explain_irregular(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) -> Option<PlayElsewhere> {
        let wrong = self.compare(seen).mismatch();
        if wrong.is_empty() {
            self.displaced = None;
            return None;
        }
        if self.append_pressed_illegal(now, quiet, seen) {
            return None;
        }
        if self.correct_illegal(now, seen) || !self.compare(seen).is_irregular() {
            return None;
        }
        let is_identity = seen.sensing() == SensorKind::Identity;
        let certain = is_identity || quiet >= REST_TRACELESS;
        let comparison = self.compare(seen);
        let known = self.displaced.clone().filter(|stray| stray.nodes == self.nodes().len());
        if let Some(mut stray) = comparison.single_difference() {
            stray.pressed = stray.mv.is_some_and(|mv| comparison.is_pressed(now, mv, &self.presses))
                || known.is_some_and(|known| known.pressed && known.mv == stray.mv);
            if certain || stray.pressed {
                self.displaced = Some(stray);
            }
            return None;
        }
        // A move with a press needs no more proof when the opponent plays on.
        if !certain && !known.as_ref().is_some_and(|known| known.pressed) {
            return None;
        }
        if comparison.king_strays() {
            return None; // Half of a result signal, after which play does not go on.
        }
        if let Some(stray) = known {
            if let Some((mv, reply)) = comparison.played_on(&stray, &self.presses) {
                self.append_illegal(now, mv, stray.slip, seen);
                reply.into_iter().for_each(|mv| self.append_move(now, mv, seen));
                return None;
            }
            // It may have been a move after all: the press of the reply decides.
            let pending = quiet < REST_TRACELESS && self.presses.has_clock() && comparison.reply(&stray).is_some();
            if !pending && let Some(elsewhere) = comparison.find_play_elsewhere(stray.squares) {
                return Some(elsewhere);
            }
        }
        if quiet < REST_TRACELESS || wrong.count() > MAX_DIFFERENCES || !is_identity {
            return None;
        }
        // It was never seen as the only difference: a displaced piece if there is exactly one explanation, but no accusation.
        comparison.find_only_play_elsewhere()
    }

    /// Appends an illegal move if it is on the board and its player pressed the clock on it. Returns whether it did.
    pub fn append_pressed_illegal(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) -> bool {
        if quiet < REST_TAKEBACK {
            return false;
        }
        if let Some(mv) = self.compare(seen).illegal_for_capture(now, self.at_tip) {
            self.replace_by_illegal(now, mv, seen);
            return true;
        }
        if self.compare(seen).mismatch().is_empty() || self.correct_illegal(now, seen) || !self.compare(seen).is_irregular() {
            return false;
        }
        if let Some((mv, slip)) = self.compare(seen).pressed_illegal_move(now, &self.presses) {
            self.append_illegal(now, mv, slip, seen);
            return true;
        }
        let Some(mv) = self.compare(seen).illegal_after_stop(now) else { return false };
        self.replace_by_illegal(now, mv, seen);
        true
    }

    /// Replaces the last move by `mv`, which is illegal.
    fn replace_by_illegal(&mut self, now: Millis, mv: Move, seen: &ObservedBoard) {
        let pressed_at = self.tip().pressed_at;
        self.drop_plies(1, CorrectionReason::Evidence);
        self.append_illegal(now, mv, None, seen);
        if let Some(tip) = self.history.tip_mut() {
            tip.pressed_at = pressed_at;
        }
    }

    /// Returns whether the last move is a capture that left no trace on its capture square, while an illegal move explains all
    /// changes, and not by chance. Occupancy boards only.
    pub fn has_better_illegal(&self) -> bool {
        self.tip().illegal_alternative.as_ref().is_some_and(is_better)
    }

    /// Tests whether an illegal move explains the changes if the last move is a capture that left no trace.
    pub(super) fn compare_with_illegal(&mut self, seen: &ObservedBoard) {
        let found = self.compare(seen).find_alternative();
        // A decided move stays as it was published.
        if self.tip().illegal_alternative == found || (found.is_none() && self.tip().confidence.is_some()) {
            return;
        }
        let had_better = self.has_better_illegal();
        if let Some(tip) = self.history.tip_mut() {
            tip.illegal_alternative = found;
        }
        if self.has_better_illegal() && !had_better {
            self.costs.add(UNEXPLAINED);
        }
        self.history.note_change();
    }

    /// Returns the illegal move on the board, if what is there is one, and why it is illegal; it may have no press.
    pub fn illegal_move(&self) -> Option<(Move, IllegalReason)> {
        let position = &self.tip().position;
        let stray = self.displaced.as_ref().filter(|stray| stray.nodes == self.nodes().len())?;
        let mv = stray.mv.filter(|&mv| !is_out_of_turn(position, mv) && !is_king_signal(mv))?;
        let slip = stray.slip.as_ref().map(|slip| slip.reason.clone());
        Some((mv, slip.or_else(|| why_illegal(position, mv))?))
    }

    /// Appends play that went on elsewhere; `seen` excuses the squares that differ.
    pub fn append_elsewhere(&mut self, now: Millis, moves: &[Move], seen: &ObservedBoard) {
        self.update_at_tip(seen);
        for &mv in moves {
            self.append_move(now, mv, seen);
        }
        self.displaced = None;
    }

    /// Appends a move that is illegal here. `slip`: the part that the move does not describe.
    pub(super) fn append_illegal(&mut self, now: Millis, mv: Move, slip: Option<Slip>, seen: &ObservedBoard) {
        self.history.decide_tip(confidence::ANSWERED);
        let mover = self.tip().position.mover(mv);
        let mut node = self.tip().after_illegal(mv, now, seen.sensing());
        node.pressed_at = self.presses.take_by(mover);
        node.handling_cost = self.compare(seen).handling_cost(&node, self.presses.has_clock());
        node.slip = slip.map(Box::new);
        self.push_node(node);
        self.displaced = None;
        self.history.decide_tip(confidence::RECONSTRUCTED);
        self.at_tip = self.tip().placement_hash == seen.placement_hash();
    }

    /// Handles a correction of an illegal move: its player made another move instead, or play went on and the piece is back on its
    /// square.
    fn correct_illegal(&mut self, now: Millis, seen: &ObservedBoard) -> bool {
        if self.tip().irregular
            && let Some(mv) = self.compare(seen).matches(1).first().map(|found| found.mv)
        {
            self.drop_plies(1, CorrectionReason::Takeback);
            self.append_move(now, mv, seen);
            return true;
        }
        let Some((base, moves)) = self.compare(seen).without_illegal() else { return false };
        self.history.set_reason(CorrectionReason::Evidence);
        let line = Replacement { base, moves, rivals: Vec::new(), confidence: confidence::RECONSTRUCTED };
        self.replace_plies(now, &line, seen);
        true
    }
}
