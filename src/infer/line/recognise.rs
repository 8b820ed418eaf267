//! Finds the moves that explain what the board shows.

use super::matches::{Match, find_matches};
use super::{Line, confidence, explain, landing_square};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::CorrectionReason;
use crate::infer::model::{self, MAX_OVERLAP, MAX_STOP};
use crate::infer::{LineNode, ObservedBoard};
use shakmaty::{Bitboard, Color, Move, Piece};

impl Line {
    /// Tests whether the board shows a next move, or a replacement of the last one.
    pub(super) fn recognise(&mut self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        self.at_tip = self.shows(self.tip(), seen);
        if self.at_tip {
            self.deferred.clear();
            return;
        }
        let (next, stayed): (Vec<Match>, bool) = {
            let found = self.matches(0, seen);
            let stayed = found.first().is_some_and(|found| (found.lifted & self.passed_square(seen)).is_empty());
            (found, stayed)
        };
        let settled = (stayed && seen.sensing() == SensorKind::Identity) || !self.may_be_replaced(seen);
        let mut other = if settled { Vec::new() } else { self.matches(1, seen) };
        // The square that the last move itself emptied needs no other explanation.
        let emptied = self.tip().mv.and_then(|mv| mv.from());
        other.retain(|found| {
            self.may_be_replaced_by(found.mv, found.lifted, seen)
                && !emptied.is_some_and(|emptied| found.lifted.contains(emptied))
        });
        if let Some(&Match { mv, .. }) = next.first().filter(|_| !stayed) {
            self.defer_line(now, self.nodes.len() - 1, &[mv], Vec::new(), true, seen);
        }
        if seen.sensing() != SensorKind::Identity && !stayed && !next.is_empty() {
            let mut line = self.clone();
            line.append_one_of(now, &next, seen, others);
            others.push(line);
        }
        if stayed || !other.is_empty() {
            if seen.sensing() != SensorKind::Identity && stayed && !other.is_empty() {
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
        } else if let Some((deferred, mv)) = self.deferred.iter().find_map(|deferred| {
            find_matches(&deferred.tip, &deferred.next, seen, self.ignored_squares(seen), false, |_| false)
                .first()
                .map(|found| (deferred.clone(), found.mv))
        }) {
            let (moves, rivals) = deferred.append(&[mv]);
            self.replace_plies(now, deferred.base, &moves, &rivals, confidence::RECONSTRUCTED, seen);
        } else if seen.sensing() == SensorKind::Identity {
            let adopted =
                self.reply_overlaps(seen) && self.adopt_best(now, self.overlap_tries(seen), confidence::ANSWERED, seen);
            if !adopted && (5..=7).contains(&self.mismatch(seen).count()) {
                // Three plies within a second: soon there will be too many to distinguish.
                self.adopt_best(now, &[(0, 3)], confidence::RECONSTRUCTED, seen);
            }
        } else if self.may_be_two_moves(seen) {
            let may_be_three = (4..=7).contains(&self.mismatch(seen).count());
            for tries in [(0, 2), (1, 2), (0, 3)].into_iter().filter(|tries| tries.1 < 3 || may_be_three) {
                let mut line = self.clone();
                if (tries.0 == 0 || !self.was_released(seen)) && line.adopt_best(now, &[tries], confidence::ANSWERED, seen) {
                    others.push(line);
                }
            }
        }
    }

    /// Appends one of these moves as the next; a line splits off for each other one.
    pub(super) fn append_one_of(&mut self, now: Millis, next: &[Match], seen: &ObservedBoard, others: &mut Vec<Line>) {
        let is_plain_capture = |found: &Match| found.mv.is_capture() && !found.mv.is_en_passant();
        if seen.sensing() == SensorKind::Occupancy && next.first().is_some_and(is_plain_capture) {
            // The other piece may only have been adjusted, while this one is still on its way.
            others.push(self.clone());
        }
        self.split_over(next, others, |line, found| line.append_move(now, found.mv, seen));
    }

    /// Replaces the last move by one of these; a line splits off for each other one.
    pub(super) fn replace_by_one_of(&mut self, now: Millis, other: &[Match], seen: &ObservedBoard, others: &mut Vec<Line>) {
        let old = self.tip();
        let instead_of = old.confidence.and(old.mv).or(old.replaced);
        let stop = old.mv;
        self.split_over(other, others, |line, found| {
            let dragged = stop.is_some_and(|stop| stop.from() == found.mv.from() && stop.to().distance(found.mv.to()) == 1);
            line.truncate(line.nodes.len() - 1);
            line.reason = CorrectionReason::Evidence;
            line.append_move(now, found.mv, seen);
            if let Some(tip) = line.tip_mut() {
                (tip.dragged, tip.replaced) = (dragged, instead_of);
            }
        });
    }

    /// Returns the line in which the last move and the one two plies before it were one move by one piece, and the reply began
    /// before the piece had come to rest; `None` if the last move did not continue with that piece soon after.
    pub fn merge_continued_move(&self, seen: &ObservedBoard) -> Option<Line> {
        let [.., before, first, answer, last] = self.nodes.as_slice() else { return None };
        let (old, reply, mv) = (first.mv?, answer.mv?, last.mv?);
        let soon = last.made_at.saturating_sub(first.made_at) <= MAX_STOP + MAX_OVERLAP;
        if mv.from() != Some(landing_square(old)) || !soon || old.is_castle() || mv.is_castle() || old.is_capture() {
            return None;
        }
        let legal = before.position.legal_moves();
        let merged = legal.iter().find(|merged| {
            merged.from() == old.from() && merged.to() == mv.to() && merged.promotion() == mv.promotion() && !merged.is_castle()
        })?;
        let after = before.position.play(*merged);
        let reply =
            after.legal_moves().iter().copied().find(|other| (other.from(), other.to()) == (reply.from(), reply.to()))?;
        let (first_at, reply_at) = (first.made_at, answer.made_at);
        let mut line = self.clone();
        line.truncate(line.nodes.len() - 3);
        line.reason = CorrectionReason::Evidence;
        line.append_move(first_at, *merged, seen);
        line.append_move(reply_at, reply, seen);
        line.at_tip.then_some(line)
    }

    /// Returns the line in which the last move's piece went on from where it was for a moment, and was captured where it was not
    /// seen to arrive.
    pub(super) fn captured_unseen(&self, now: Millis, seen: &ObservedBoard) -> Option<Line> {
        let base = self.nodes.len().checked_sub(2)?;
        if self.passed_square(seen).is_empty() || self.is_closed(now) {
            return None;
        }
        let from = self.tip().mv?.from();
        let found = explain(&self.nodes[base].position, seen, self.ignored_squares(seen), 2, self.tip().made_at);
        let fits = |moves: &[Move]| matches!(moves, [first, second] if first.from() == from && second.is_capture() && second.to() == landing_square(*first));
        let best = found.into_iter().find(|line| fits(&line.moves))?;
        let mut line = self.clone();
        line.reason = CorrectionReason::Evidence;
        line.replace_plies(now, base, &best.moves, &[], confidence::RECONSTRUCTED, seen);
        Some(line)
    }

    /// Returns whether the last move is new: nothing has happened since.
    pub fn is_new(&self, now: Millis) -> bool {
        self.tip().mv.is_some() && self.tip().made_at == now
    }

    /// Continues with the first of several moves; a line splits off for each other one.
    pub(super) fn split_over(&mut self, found: &[Match], others: &mut Vec<Line>, apply: impl Fn(&mut Line, &Match)) {
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
    pub(super) fn split_traceless(&mut self, now: Millis, seen: &ObservedBoard, others: &mut Vec<Line>) {
        if seen.sensing() != SensorKind::Occupancy && self.ignored_squares(seen).is_empty() {
            return;
        }
        // Both kings in the air indicate a result.
        if seen.sensing() != SensorKind::Occupancy && self.kings_are_gone(seen) {
            return;
        }
        let tip = self.tip();
        let may_continue = tip.mv.is_some() && !self.is_closed(now) && (!self.was_released(seen) || !tip.answered);
        let may_continue = may_continue || self.left_before_press(now, seen);
        for back in 0..=usize::from(may_continue) {
            let (Some(next), Some(node)) = (self.next_moves(back), self.node_back(back)) else { continue };
            for found in find_matches(node, next, seen, self.ignored_squares(seen), true, |_| false) {
                let grown = back == 0 || tip.growth.moves.contains(&found.mv);
                if !self.is_traceless(found.mv, node, seen) || found.lifted.contains(landing_square(found.mv)) || !grown {
                    continue;
                }
                let mut other = self.clone();
                if back > 0 {
                    other.truncate(other.nodes.len() - 1);
                    other.reason = CorrectionReason::Evidence;
                }
                other.append_move(now, found.mv, seen);
                if let Some(tip) = other.tip_mut() {
                    tip.silent = true;
                }
                others.push(other);
            }
        }
    }

    /// Returns whether the move cannot be distinguished from its piece being in the air: it captures a piece whose square has shown
    /// no change since the position before it, or it comes to a square that shows nothing of it.
    pub(super) fn is_traceless(&self, mv: Move, before: &LineNode, seen: &ObservedBoard) -> bool {
        if self.lands_unseen(mv, before, seen) {
            return true;
        }
        seen.sensing() == SensorKind::Occupancy
            && mv.is_capture()
            && !mv.is_en_passant()
            && seen.changed_at(landing_square(mv)) <= before.made_at
    }

    /// Returns what to try (plies dropped, added) for two moves of which the first was never seen alone. A stop that was left again
    /// is more likely to have been just a stop: then the last move is one of the two.
    pub(super) fn overlap_tries(&self, seen: &ObservedBoard) -> &'static [(usize, u32)] {
        if self.passed_square(seen).any() { &[(1, 2), (0, 2)] } else { &[(0, 2)] }
    }

    /// Returns the square that the last move's piece left again before the hand can have released it; empty if it stayed.
    pub(super) fn passed_square(&self, seen: &ObservedBoard) -> Bitboard {
        let to = self.tip().mv.map_or(Bitboard::EMPTY, |mv| Bitboard::from_square(mv.to()));
        if self.was_released(seen) { Bitboard::EMPTY } else { to & !seen.occupied() & !self.ignored_squares(seen) }
    }

    /// Returns whether the last move's piece was on its square so long that the hand had released it.
    pub(super) fn was_released(&self, seen: &ObservedBoard) -> bool {
        let tip = self.tip();
        let left_at = tip.left_at.unwrap_or(seen.last_edge());
        tip.growth.is_final()
            || left_at.saturating_sub(tip.made_at) > MAX_STOP
            || tip.pressed_at.is_some_and(|pressed| left_at > pressed + model::SCAN_TIME)
    }

    /// Returns the moves from the node `back` plies before the tip (0: the tip) that show what is seen, except those that cannot be
    /// distinguished from a piece in the air.
    pub(super) fn matches(&self, back: usize, seen: &ObservedBoard) -> Vec<Match> {
        let (Some(next), Some(node)) = (self.next_moves(back), self.node_back(back)) else { return Vec::new() };
        find_matches(node, next, seen, self.ignored_squares(seen), back > 0, |mv| self.is_traceless(mv, node, seen))
    }

    /// Returns whether the last move may still turn out to be any other move; see [`Line::may_be_replaced_by`].
    pub(super) fn may_be_replaced(&self, seen: &ObservedBoard) -> bool {
        let tip = self.tip();
        tip.mv.is_some() && !self.is_closed(seen.last_edge()) && !(self.was_released(seen) && tip.growth.is_final())
    }

    /// Returns whether the last move may turn out to be this one at once. It may not once the clock was pressed on it some time
    /// ago. If its piece was released, it may not when the opponent replied or holds a piece (then it is a move of its own, begun
    /// early), nor when this move did not grow out of the same touch: such cases wait until the board is quiet.
    pub(super) fn may_be_replaced_by(&self, mv: Move, lifted: Bitboard, seen: &ObservedBoard) -> bool {
        let tip = self.tip();
        let pressed = self.is_closed(seen.last_edge());
        let grown = tip.growth.moves.contains(&mv) && (mv.is_castle() || (!tip.answered && lifted.is_empty()));
        let same_touch = !self.was_released(seen) || grown;
        tip.mv.is_some_and(|old| old != mv) && !pressed && same_touch
    }

    /// Returns whether a piece is on a square that was empty, and the other differences could be the rest of two moves.
    pub(super) fn may_be_two_moves(&self, seen: &ObservedBoard) -> bool {
        let wrong = self.mismatch(seen);
        (wrong & seen.occupied()).any() && (2..=6).contains(&wrong.count())
    }

    /// Returns whether the clock was pressed on the last move, so long ago that everything that belongs to it has been seen.
    pub(super) fn is_closed(&self, now: Millis) -> bool {
        self.tip().is_closed(now)
    }

    /// Returns whether pieces of both players are on new squares: two moves, of which the first was never seen alone.
    pub(super) fn reply_overlaps(&self, seen: &ObservedBoard) -> bool {
        let position = &self.tip().position;
        let wrong = self.mismatch(seen);
        let landed = |color: Color| {
            wrong.into_iter().any(|square| match seen.at(square) {
                SquareState::Piece(Piece { color: seen, .. }) | SquareState::Side(seen) => seen == color,
                SquareState::Occupied => true,
                SquareState::Empty => false,
            })
        };
        wrong.count() >= 3
            && wrong.count() <= 8
            && landed(!position.turn())
            && (wrong & position.board().by_color(position.turn())).any()
    }
}
