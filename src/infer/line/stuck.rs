//! Stuck squares, which show nothing of what happens on them.

use super::{Line, landing, sure};
use crate::boards::{Millis, Sensed, Sensing};
use crate::infer::explain::{Explanation, explain_but_one, in_hand};
use crate::infer::model::{self, REST_TAKEBACK, REST_TRACELESS};
use crate::infer::{Node, Seen, keys};
use shakmaty::{Bitboard, Move, Piece, Square};
use std::sync::Arc;

impl Line {
    /// Returns the squares that this line assumes to be stuck.
    pub fn blind(&self) -> Bitboard {
        self.blind
    }

    /// Returns the number of plies since the last of them was first assumed.
    pub fn plies_since_blind(&self) -> usize {
        self.nodes.len().saturating_sub(self.blind_since)
    }

    /// Adds squares that are known to be stuck.
    pub fn add_blind(&mut self, squares: Bitboard, seen: &Seen) {
        if !self.blind.is_superset(squares) {
            self.blind |= squares;
            self.look_again(seen);
        }
    }

    /// Updates whether the board shows the last position, without concluding anything from it.
    pub fn look_again(&mut self, seen: &Seen) {
        self.at_tip = self.shows(self.tip(), seen);
    }

    /// Returns the squares that are not compared.
    pub(super) fn hidden(&self, seen: &Seen) -> Bitboard {
        self.blind | seen.doubtful()
    }

    /// Returns whether the board shows this node on all squares that can be trusted.
    pub(super) fn shows(&self, node: &Node, seen: &Seen) -> bool {
        let hidden = self.hidden(seen);
        match hidden.is_empty() {
            true => node.key == seen.key(),
            false => node.key ^ keys::part(node.position.board(), hidden, seen.sensing()) == seen.key_without(hidden),
        }
    }

    /// Returns whether all squares to which the move brings a piece are hidden.
    pub(super) fn lands_unseen(&self, mv: Move, before: &Node, seen: &Seen) -> bool {
        let hidden = self.hidden(seen);
        hidden.contains(landing(mv)) && {
            let changes = before.position.changes(mv);
            changes.iter().all(|(square, piece)| piece.is_none() || hidden.contains(square))
        }
    }

    /// Returns whether the last move's piece may still be in a hand: it came to where nothing is seen of it, and no press belongs
    /// to it.
    pub(super) fn may_be_in_hand(&self, seen: &Seen) -> bool {
        let before = self.node(1);
        let (Some(mv), Some(before)) = (self.tip().mv, before) else { return false };
        seen.sensing() != Sensing::Occupancy && self.tip().pressed_at.is_none() && self.lands_unseen(mv, before, seen)
    }

    /// Assumes, when nothing else explains what is seen, that one square that has not changed in this game is stuck. A line splits
    /// off for each square that explains it. `waited`: the clock was pressed on a move that was not seen.
    pub(super) fn suspect(&mut self, now: Millis, quiet: Millis, waited: bool, seen: &Seen, others: &mut Vec<Line>) {
        /// Plies dropped from the end, and added.
        const TRIES: [(usize, u32); 7] = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3)];
        // By then a whole reading has been requested more than once, so no update was lost.
        let rest = if self.clock { REST_TAKEBACK } else { REST_TRACELESS };
        let due = waited
            || self.absent_at_press(now, seen)
            || (quiet >= rest && (self.unexplained(seen).any() || self.gone_before_reply()))
            || (quiet >= model::SCANNED && (seen.exceeds(self.tip().position.board()) || self.answered_unseen(seen)));
        // A change found only by a whole reading was lost on the serial line, and so may others have been.
        let found = |square: Square| seen.was_found(square);
        let lost = seen.changed_since(self.tip().made_at).into_iter().any(found);
        let lost = lost || seen.is_damaged(now, model::BAD_LINE);
        if seen.sensing() == Sensing::Occupancy || self.at_tip || !due || lost || self.blind.count() >= model::STUCK_AT_MOST {
            return;
        }
        // A single piece of one player that explains the board alone is not a faulty square.
        if seen.sensing() == Sensing::Identity && self.pressed_stray(now, seen).is_some() {
            return;
        }
        // The opponent may have begun the reply to a move on which the clock was pressed.
        let hand = waited && self.lifted_since_press(seen);
        let mut level = 0;
        for (dropped, added) in TRIES {
            let again = dropped == 2;
            if (level != 0 && level != added && !again) || (again && !self.gone_before_reply()) {
                continue;
            }
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let position = &self.nodes[base].position;
            let mut found = explain_but_one(position, seen, self.hidden(seen), seen.never_changed(), added, since);
            let told = |line: &Explanation| line.doubts.traceless == 0 || self.presses_unseen >= line.moves.len();
            found.retain(|line| line.doubts.skipped == 0 && told(line) && (hand && added == 1 || line.doubts.in_hand == 0));
            let least = found.iter().map(|line| line.doubts.disordered).min().unwrap_or(0);
            found.retain(|line| line.doubts.disordered == least);
            if found.is_empty() {
                continue;
            }
            level = if again { level } else { added };
            found.truncate(model::SUSPICIONS);
            for explanation in found {
                let mut line = self.clone();
                line.cut(base + 1);
                line.believe_stuck(explanation.stuck);
                line.adopt(now, base, &explanation.moves, &[], sure::ANSWERED, seen);
                line.keep_presses(base, self.nodes.get(base + 1).and_then(|first| first.pressed_at));
                others.push(line);
            }
        }
    }

    /// Returns whether the last move's piece had left its square when the clock was pressed on it: it had only stopped there.
    pub(super) fn absent_at_press(&self, now: Millis, seen: &Seen) -> bool {
        let tip = self.tip();
        let gone = tip.mv.is_some_and(|mv| self.mismatch(seen).contains(landing(mv)) && !seen.occupied().contains(landing(mv)));
        let before = tip
            .pressed_at
            .zip(tip.left_at)
            .is_some_and(|(pressed, left)| left <= pressed + model::SCANNED && now.saturating_sub(pressed) >= model::SCANNED);
        seen.sensing() != Sensing::Occupancy && gone && before
    }

    /// Returns whether everything that the opponent of the player who pressed the clock has lifted was lifted after that press.
    fn lifted_since_press(&self, seen: &Seen) -> bool {
        let Some((at, by)) = self.owed else { return false };
        let lifted = self.mismatch(seen) & !seen.occupied() & self.tip().position.board().by_color(!by);
        lifted.into_iter().all(|square| seen.changed_at(square) > at)
    }

    /// Returns whether the opponent has put a piece down on another square while one of the player to move is on no square.
    fn answered_unseen(&self, seen: &Seen) -> bool {
        let wrong = self.mismatch(seen);
        let position = &self.tip().position;
        let opponent = position.board().by_color(!position.turn());
        let landed = |square: Square| match seen.at(square) {
            Sensed::Piece(Piece { color, .. }) | Sensed::Side(color) => color != position.turn(),
            Sensed::Occupied | Sensed::Empty => false,
        };
        let gone = wrong & !seen.occupied();
        in_hand(position, seen, wrong).any() && (gone & opponent).any() && wrong.into_iter().any(landed)
    }

    /// Returns whether the piece of the last move but one had left its square again before the reply was made, and has not come
    /// back: it had only stopped there.
    fn gone_before_reply(&self) -> bool {
        let left = self.node(1).and_then(|node| node.left_at);
        left.is_some_and(|left| left < self.tip().made_at)
    }

    /// Transfers the presses to the moves that replaced others, or that were not seen before.
    pub(super) fn keep_presses(&mut self, base: usize, first: Option<Millis>) {
        let owed = self.owed.take();
        for node in self.nodes.iter_mut().skip(base + 1) {
            let mover = !node.position.turn();
            let pressed = owed.filter(|(_, by)| *by == mover).map(|(at, _)| at);
            if let Some(at) = node.pressed_at.or(pressed) {
                Arc::make_mut(node).pressed_at = Some(at);
            }
        }
        if let (Some(at), Some(node)) = (first, self.nodes.get_mut(base + 1)) {
            Arc::make_mut(node).pressed_at = Some(at);
        }
    }

    fn believe_stuck(&mut self, square: Option<Square>) {
        self.blind |= square.map_or(Bitboard::EMPTY, Bitboard::from_square);
        self.blind_since = self.nodes.len();
        self.troubles += model::STUCK;
    }

    /// Clears the assumption that a square is stuck, because it changed.
    pub fn disprove(&mut self, square: Square, seen: &Seen) {
        if self.blind.contains(square) {
            self.blind.discard(square);
            self.look_again(seen);
        }
    }
}
