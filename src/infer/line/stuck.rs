//! Stuck squares, which show nothing of what happens on them.

use super::Line;
use super::comparison::Comparison;
use super::presses::UnmatchedPresses;
use crate::boards::{Millis, SensorKind};
use crate::infer::ObservedBoard;
use crate::infer::explain::{Explanation, explain_with_stuck};
use crate::infer::model::{self, REST_TAKEBACK, REST_TRACELESS};
use shakmaty::{Bitboard, Square};

/// The squares that a line assumes to be stuck: what they show is not compared.
#[derive(Clone, Debug, Default)]
pub(super) struct StuckSquares {
    squares: Bitboard,
    /// Number of nodes of the line when the last of them was assumed.
    since: usize,
}

impl StuckSquares {
    /// Returns the squares.
    pub(super) fn squares(&self) -> Bitboard {
        self.squares
    }

    /// Returns the number of nodes of the line when the last of them was assumed.
    pub(super) fn since(&self) -> usize {
        self.since
    }

    /// Returns the squares that are not compared.
    pub(super) fn hidden(&self, seen: &ObservedBoard) -> Bitboard {
        self.squares | seen.doubtful()
    }

    /// Adds squares that are known to be stuck. Returns whether any of them is new.
    pub(super) fn add(&mut self, squares: Bitboard) -> bool {
        let new = !self.squares.is_superset(squares);
        self.squares |= squares;
        new
    }

    /// Assumes that a square is stuck, in a line of this many nodes.
    pub(super) fn assume(&mut self, square: Option<Square>, nodes: usize) {
        self.squares |= square.map_or(Bitboard::EMPTY, Bitboard::from_square);
        self.since = nodes;
    }

    /// Removes a square. Returns whether it was assumed to be stuck.
    pub(super) fn remove(&mut self, square: Square) -> bool {
        let known = self.squares.contains(square);
        self.squares.discard(square);
        known
    }
}

impl Line {
    /// Returns the squares that this line assumes to be stuck.
    pub fn assumed_stuck(&self) -> Bitboard {
        self.stuck.squares()
    }

    /// Returns the number of plies since the last of them was first assumed.
    pub fn plies_since_stuck(&self) -> usize {
        self.nodes().len().saturating_sub(self.stuck.since())
    }

    /// Assumes that a square is stuck.
    pub fn assume_stuck(&mut self, square: Square, seen: &ObservedBoard) {
        self.stuck.assume(Some(square), self.nodes().len());
        self.update_at_tip(seen);
    }

    /// Counts the plies since squares were assumed to be stuck from now on.
    pub fn date_stuck(&mut self) {
        self.stuck.assume(None, self.nodes().len());
    }

    /// Adds squares that are known to be stuck.
    pub fn add_stuck(&mut self, squares: Bitboard, seen: &ObservedBoard) {
        if self.stuck.add(squares) {
            self.update_at_tip(seen);
        }
    }

    /// Clears the assumption that a square is stuck, because it changed.
    pub fn clear_stuck(&mut self, square: Square, seen: &ObservedBoard) {
        if self.stuck.remove(square) {
            self.update_at_tip(seen);
        }
    }
}

impl Comparison<'_> {
    /// Returns what explains the board if one square that has not changed in this game is stuck and nothing else explains it, with
    /// the number of plies that stay. `waited`: the clock was pressed on a move that was not seen.
    pub(super) fn find_stuck(&self, waited: bool, presses: &UnmatchedPresses) -> Vec<(usize, Explanation)> {
        /// Plies dropped from the end, and added.
        const TRIES: [(usize, u32); 7] = [(0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (0, 3), (1, 3)];
        let mut all = Vec::new();
        let (history, seen) = (self.history(), self.seen());
        // The opponent may have begun the reply to a move on which the clock was pressed.
        let reply_lifted = waited && self.lifted_since_press(presses);
        let mut level = 0;
        for (dropped, added) in TRIES {
            let drops_two = dropped == 2;
            if (level != 0 && level != added && !drops_two) || (drops_two && !self.left_before_reply()) {
                continue;
            }
            let Some(base) = history.node_count().checked_sub(1 + dropped) else { continue };
            let position = &history.nodes()[base].position;
            let mut found =
                explain_with_stuck(position, seen, self.hidden(), seen.never_changed(), added, history.next_made_at(base));
            let is_credible = |line: &Explanation| line.doubts.traceless == 0 || presses.count() >= line.moves.len();
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
            all.extend(found.into_iter().map(|explanation| (base, explanation)));
        }
        all
    }

    /// Returns whether a stuck square may explain the board now. `assumed`: the squares that are assumed to be stuck; `waited`: the
    /// clock was pressed on a move that was not seen.
    pub(super) fn may_be_stuck(
        &self,
        now: Millis,
        quiet: Millis,
        waited: bool,
        assumed: Bitboard,
        presses: &UnmatchedPresses,
    ) -> bool {
        let seen = self.seen();
        // By then a whole reading has been requested more than once, so no update was lost.
        let rest = if presses.has_clock() { REST_TAKEBACK } else { REST_TRACELESS };
        let due = waited
            || self.left_before_press(now)
            || (quiet >= rest && (self.unexplained().any() || self.left_before_reply()))
            || (quiet >= model::SCAN_TIME
                && (seen.has_extra_pieces(self.tip().position.board()) || self.was_answered_unseen()));
        // A change found only by a whole reading was lost on the serial line, and so may others have been.
        let found = |square: Square| seen.was_found(square);
        let lost_edges = seen.changed_since(self.tip().made_at).into_iter().any(found);
        let lost_edges = lost_edges || seen.was_damaged(now, model::DAMAGE_WINDOW);
        seen.sensing() != SensorKind::Occupancy && due && !lost_edges && assumed.count() < model::MAX_STUCK
    }
}
