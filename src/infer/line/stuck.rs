//! Stuck squares, which show nothing of what happens on them.

use super::{Line, confidence, landing_square};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::infer::explain::{Explanation, explain_with_stuck, lifted_squares};
use crate::infer::model::{self, REST_TAKEBACK, REST_TRACELESS};
use crate::infer::{LineNode, ObservedBoard, placement_hash};
use shakmaty::{Bitboard, Move, Piece, Square};
use std::sync::Arc;

impl Line {
    /// Returns the squares that this line assumes to be stuck.
    pub fn assumed_stuck(&self) -> Bitboard {
        self.assumed_stuck
    }

    /// Returns the number of plies since the last of them was first assumed.
    pub fn plies_since_stuck(&self) -> usize {
        self.nodes.len().saturating_sub(self.assumed_stuck_since)
    }

    /// Adds squares that are known to be stuck.
    pub fn add_stuck(&mut self, squares: Bitboard, seen: &ObservedBoard) {
        if !self.assumed_stuck.is_superset(squares) {
            self.assumed_stuck |= squares;
            self.update_at_tip(seen);
        }
    }

    /// Updates whether the board shows the last position, without concluding anything from it.
    pub fn update_at_tip(&mut self, seen: &ObservedBoard) {
        self.at_tip = self.shows(self.tip(), seen);
    }

    /// Returns the squares that are not compared.
    pub(super) fn ignored_squares(&self, seen: &ObservedBoard) -> Bitboard {
        self.assumed_stuck | seen.doubtful()
    }

    /// Returns whether the board shows this node on all squares that can be trusted.
    pub(super) fn shows(&self, node: &LineNode, seen: &ObservedBoard) -> bool {
        let hidden = self.ignored_squares(seen);
        match hidden.is_empty() {
            true => node.placement_hash == seen.placement_hash(),
            false => {
                node.placement_hash ^ placement_hash::partial_hash(node.position.board(), hidden, seen.sensing())
                    == seen.hash_without(hidden)
            }
        }
    }

    /// Returns whether all squares to which the move brings a piece are hidden.
    pub(super) fn lands_unseen(&self, mv: Move, before: &LineNode, seen: &ObservedBoard) -> bool {
        let hidden = self.ignored_squares(seen);
        hidden.contains(landing_square(mv)) && {
            let changes = before.position.changes(mv);
            changes.iter().all(|(square, piece)| piece.is_none() || hidden.contains(square))
        }
    }

    /// Returns whether the last move's piece may still be in a hand: it came to where nothing is seen of it, and no press belongs
    /// to it.
    pub(super) fn may_be_in_hand(&self, seen: &ObservedBoard) -> bool {
        let before = self.node_back(1);
        let (Some(mv), Some(before)) = (self.tip().mv, before) else { return false };
        seen.sensing() != SensorKind::Occupancy && self.tip().pressed_at.is_none() && self.lands_unseen(mv, before, seen)
    }

    /// Assumes, when nothing else explains what is seen, that one square that has not changed in this game is stuck. A line splits
    /// off for each square that explains it. `waited`: the clock was pressed on a move that was not seen.
    pub(super) fn suspect_stuck(
        &mut self,
        now: Millis,
        quiet: Millis,
        waited: bool,
        seen: &ObservedBoard,
        others: &mut Vec<Line>,
    ) {
        /// Plies dropped from the end, and added.
        const TRIES: [(usize, u32); 7] = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3)];
        // By then a whole reading has been requested more than once, so no update was lost.
        let rest = if self.has_clock { REST_TAKEBACK } else { REST_TRACELESS };
        let due = waited
            || self.left_before_press(now, seen)
            || (quiet >= rest && (self.unexplained(seen).any() || self.left_before_reply()))
            || (quiet >= model::SCAN_TIME
                && (seen.has_extra_pieces(self.tip().position.board()) || self.was_answered_unseen(seen)));
        // A change found only by a whole reading was lost on the serial line, and so may others have been.
        let found = |square: Square| seen.was_found(square);
        let lost_edges = seen.changed_since(self.tip().made_at).into_iter().any(found);
        let lost_edges = lost_edges || seen.was_damaged(now, model::DAMAGE_WINDOW);
        if seen.sensing() == SensorKind::Occupancy
            || self.at_tip
            || !due
            || lost_edges
            || self.assumed_stuck.count() >= model::MAX_STUCK
        {
            return;
        }
        // A single piece of one player that explains the board alone is not a faulty square.
        if seen.sensing() == SensorKind::Identity && self.pressed_illegal_move(now, seen).is_some() {
            return;
        }
        // The opponent may have begun the reply to a move on which the clock was pressed.
        let reply_lifted = waited && self.lifted_since_press(seen);
        let mut level = 0;
        for (dropped, added) in TRIES {
            let drops_two = dropped == 2;
            if (level != 0 && level != added && !drops_two) || (drops_two && !self.left_before_reply()) {
                continue;
            }
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let position = &self.nodes[base].position;
            let mut found = explain_with_stuck(position, seen, self.ignored_squares(seen), seen.never_changed(), added, since);
            let is_credible = |line: &Explanation| line.doubts.traceless == 0 || self.unseen_presses >= line.moves.len();
            found.retain(|line| {
                line.doubts.skipped == 0 && is_credible(line) && (reply_lifted && added == 1 || line.doubts.in_hand == 0)
            });
            let least = found.iter().map(|line| line.doubts.disordered).min().unwrap_or(0);
            found.retain(|line| line.doubts.disordered == least);
            if found.is_empty() {
                continue;
            }
            level = if drops_two { level } else { added };
            found.truncate(model::MAX_STUCK_LINES);
            for explanation in found {
                let mut line = self.clone();
                line.truncate(base + 1);
                line.assume_stuck(explanation.stuck);
                line.replace_plies(now, base, &explanation.moves, &[], confidence::ANSWERED, seen);
                line.transfer_presses(base, self.nodes.get(base + 1).and_then(|first| first.pressed_at));
                others.push(line);
            }
        }
    }

    /// Returns whether the last move's piece had left its square when the clock was pressed on it: it had only stopped there.
    pub(super) fn left_before_press(&self, now: Millis, seen: &ObservedBoard) -> bool {
        let tip = self.tip();
        let has_left = tip.mv.is_some_and(|mv| {
            self.mismatch(seen).contains(landing_square(mv)) && !seen.occupied().contains(landing_square(mv))
        });
        let before = tip.pressed_at.zip(tip.left_at).is_some_and(|(pressed, left_at)| {
            left_at <= pressed + model::SCAN_TIME && now.saturating_sub(pressed) >= model::SCAN_TIME
        });
        seen.sensing() != SensorKind::Occupancy && has_left && before
    }

    /// Returns whether everything that the opponent of the player who pressed the clock has lifted was lifted after that press.
    fn lifted_since_press(&self, seen: &ObservedBoard) -> bool {
        let Some((at, by)) = self.unmatched_press else { return false };
        let lifted = self.mismatch(seen) & !seen.occupied() & self.tip().position.board().by_color(!by);
        lifted.into_iter().all(|square| seen.changed_at(square) > at)
    }

    /// Returns whether the opponent has put a piece down on another square while one of the player to move is on no square.
    fn was_answered_unseen(&self, seen: &ObservedBoard) -> bool {
        let wrong = self.mismatch(seen);
        let position = &self.tip().position;
        let opponent = position.board().by_color(!position.turn());
        let landed = |square: Square| match seen.at(square) {
            SquareState::Piece(Piece { color, .. }) | SquareState::Side(color) => color != position.turn(),
            SquareState::Occupied | SquareState::Empty => false,
        };
        let emptied = wrong & !seen.occupied();
        lifted_squares(position, seen, wrong).any() && (emptied & opponent).any() && wrong.into_iter().any(landed)
    }

    /// Returns whether the piece of the last move but one had left its square again before the reply was made, and has not come
    /// back: it had only stopped there.
    fn left_before_reply(&self) -> bool {
        let left_at = self.node_back(1).and_then(|node| node.left_at);
        left_at.is_some_and(|left_at| left_at < self.tip().made_at)
    }

    /// Transfers the presses to the moves that replaced others, or that were not seen before.
    pub(super) fn transfer_presses(&mut self, base: usize, first: Option<Millis>) {
        let unmatched = self.unmatched_press.take();
        for node in self.nodes.iter_mut().skip(base + 1) {
            let mover = !node.position.turn();
            let pressed = unmatched.filter(|(_, by)| *by == mover).map(|(at, _)| at);
            if let Some(at) = node.pressed_at.or(pressed) {
                Arc::make_mut(node).pressed_at = Some(at);
            }
        }
        if let (Some(at), Some(node)) = (first, self.nodes.get_mut(base + 1)) {
            Arc::make_mut(node).pressed_at = Some(at);
        }
    }

    fn assume_stuck(&mut self, square: Option<Square>) {
        self.assumed_stuck |= square.map_or(Bitboard::EMPTY, Bitboard::from_square);
        self.assumed_stuck_since = self.nodes.len();
        self.extra_cost += model::STUCK_SQUARE;
    }

    /// Clears the assumption that a square is stuck, because it changed.
    pub fn clear_stuck(&mut self, square: Square, seen: &ObservedBoard) {
        if self.assumed_stuck.contains(square) {
            self.assumed_stuck.discard(square);
            self.update_at_tip(seen);
        }
    }
}
