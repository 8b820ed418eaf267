//! The lines that split off where the board shows several things at once.

use super::matches::{Match, find_matches};
use super::recognise::{ContinuedMove, Recognition};
use super::replacement::Replacement;
use super::{Line, confidence};
use crate::boards::{Millis, SensorKind};
use crate::game::CorrectionReason;
use crate::infer::ObservedBoard;
use crate::infer::explain::landing_square;
use crate::laws::CENTRE;
use shakmaty::Role;

impl Line {
    /// Tests whether the board shows a next move, or a replacement of the last one.
    pub(super) fn recognise(&mut self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        self.update_at_tip(seen);
        if self.at_tip {
            self.deferred.clear();
            return;
        }
        let is_identity = seen.sensing() == SensorKind::Identity;
        if is_identity && self.deferred.is_empty() && self.compare(seen).missing_pieces().is_some() {
            return;
        }
        let Recognition { next, stayed, other } = self.compare(seen).recognise();
        if let Some(&Match { mv, .. }) = next.first().filter(|_| !stayed) {
            let (base, confidence) = (self.history.node_count() - 1, confidence::RECONSTRUCTED);
            let line = Replacement { base, moves: vec![mv], rivals: Vec::new(), confidence };
            self.deferred.add(now, self.history.tip(), line, true, seen.sensing());
        }
        if !is_identity && !stayed && !next.is_empty() {
            let mut line = self.clone();
            line.append_one_of(now, &next, seen, others);
            others.push(line);
        }
        if stayed || !other.is_empty() {
            if !is_identity && stayed && !other.is_empty() {
                // The board does not tell whose piece it is: the last one may have gone on, or this is the reply to it.
                let mut line = self.clone();
                line.replace_by_one_of(now, &other, seen, others);
                others.push(line);
            }
            if stayed {
                self.append_one_of(now, &next, seen, others);
            } else {
                self.replace_by_one_of(now, &other, seen, others);
            }
        } else if let Some(found) = self.deferred.recognise(seen, self.stuck.hidden(seen)) {
            self.replace_plies(now, &found, seen);
        } else if is_identity {
            let comparison = self.compare(seen);
            let (overlaps, wrong) = (comparison.reply_overlaps(), comparison.mismatch().count());
            let adopted = overlaps && self.adopt_best(now, comparison.overlap_tries(), confidence::ANSWERED, seen);
            if !adopted && (5..=7).contains(&wrong) {
                // Three plies within a second: soon there will be too many to distinguish.
                self.adopt_best(now, &[(0, 3)], confidence::RECONSTRUCTED, seen);
            }
        } else if self.compare(seen).may_be_two_moves() {
            let may_be_three = (4..=7).contains(&self.compare(seen).mismatch().count());
            for tries in [(0, 2), (1, 2), (0, 3)].into_iter().filter(|tries| tries.1 < 3 || may_be_three) {
                let mut line = self.clone();
                if (tries.0 == 0 || !self.compare(seen).was_released())
                    && line.adopt_best(now, &[tries], confidence::ANSWERED, seen)
                {
                    others.push(line);
                }
            }
        }
    }

    /// Appends one of these moves as the next; a line splits off for each other one.
    fn append_one_of(&mut self, now: Millis, next: &[Match], seen: &ObservedBoard, others: &mut Vec<Line>) {
        let is_plain_capture = |found: &Match| found.mv.is_capture() && !found.mv.is_en_passant();
        if seen.sensing() == SensorKind::Occupancy && next.first().is_some_and(is_plain_capture) {
            // The other piece may only have been adjusted, while this one is still on its way.
            others.push(self.clone());
        }
        let kings = self.tip().position.board().kings();
        let is_signal =
            |found: &Match| found.mv.role() == Role::King && CENTRE.contains(found.mv.to()) && (found.lifted & kings).any();
        if seen.sensing() == SensorKind::Occupancy && next.iter().any(is_signal) {
            // Both kings are off their squares: this may be the result signal.
            others.push(self.clone());
        }
        self.split_over(next, others, |line, found| line.append_move(now, found.mv, seen));
    }

    /// Replaces the last move by one of these; a line splits off for each other one.
    fn replace_by_one_of(&mut self, now: Millis, other: &[Match], seen: &ObservedBoard, others: &mut Vec<Line>) {
        let old = self.tip();
        let instead_of = old.confidence.and(old.mv).or(old.replaced);
        let stop = old.mv;
        self.split_over(other, others, |line, found| {
            let dragged = stop.is_some_and(|stop| stop.from() == found.mv.from() && stop.to().distance(found.mv.to()) == 1);
            line.drop_plies(1, CorrectionReason::Evidence);
            line.append_move(now, found.mv, seen);
            if let Some(tip) = line.history.tip_mut() {
                (tip.dragged, tip.replaced) = (dragged, instead_of);
            }
        });
    }

    /// Continues with the first of several moves; a line splits off for each other one.
    fn split_over(&mut self, found: &[Match], others: &mut Vec<Line>, apply: impl Fn(&mut Line, &Match)) {
        for found in found.iter().skip(1) {
            let mut other = self.clone();
            apply(&mut other, found);
            others.push(other);
        }
        if let Some(first) = found.first() {
            apply(self, first);
        }
    }

    /// Splits off a line for each move that may have been made and leaves no trace on the square where the piece lands. This line
    /// keeps the piece in hand.
    pub(super) fn split_traceless(&self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        let comparison = self.compare(seen);
        if seen.sensing() != SensorKind::Occupancy && comparison.hidden().is_empty() {
            return;
        }
        // Both kings in the air indicate a result.
        if seen.sensing() != SensorKind::Occupancy && comparison.kings_are_lifted() {
            return;
        }
        let tip = self.tip();
        let may_continue = tip.mv.is_some() && !tip.is_closed(now) && (!comparison.was_released() || !tip.answered);
        let may_continue = may_continue || comparison.left_before_press(now);
        for back in 0..=usize::from(may_continue) {
            let (Some(next), Some(node)) = (self.history.next_moves(back), self.history.node_back(back)) else { continue };
            for found in find_matches(node, next, seen, comparison.hidden(), true, |_| false) {
                let grown = back == 0 || tip.growth.moves.contains(&found.mv);
                if !comparison.is_traceless(found.mv, node) || found.lifted.contains(landing_square(found.mv)) || !grown {
                    continue;
                }
                let mut other = self.clone();
                if back > 0 {
                    other.drop_plies(1, CorrectionReason::Evidence);
                }
                other.append_move(now, found.mv, seen);
                if let Some(tip) = other.history.tip_mut() {
                    tip.silent = true;
                }
                others.push(other);
            }
        }
    }

    /// Returns the line in which the last move and the one two plies before it were one move by one piece, and the reply began
    /// before the piece had come to rest; `None` if the last move did not continue with that piece soon after.
    pub fn merge_continued_move(&self, seen: &ObservedBoard) -> Option<Line> {
        let found = ContinuedMove::find(self.nodes())?;
        let mut line = self.clone();
        line.drop_plies(3, CorrectionReason::Evidence);
        line.append_move(found.made_at, found.mv, seen);
        line.append_move(found.replied_at, found.reply, seen);
        line.at_tip.then_some(line)
    }

    /// Splits off the line in which the last move's piece went on from where it was for a moment, and was captured where it was
    /// not seen to arrive.
    pub(super) fn split_captured_unseen(&self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        if let Some((base, best)) = self.compare(seen).find_captured_unseen(now) {
            let mut line = self.clone();
            line.history.set_reason(CorrectionReason::Evidence);
            line.replace_plies(now, &Replacement::of(base, best, confidence::RECONSTRUCTED), seen);
            others.push(line);
        }
    }
}
