//! The cost of a line.

use super::Line;
use crate::boards::{Millis, SensorKind};
use crate::infer::explain::lifted_squares;
use crate::infer::model::{self, Cost};
use crate::infer::{LineNode, NextMoves, ObservedBoard};
use shakmaty::{Bitboard, Color, Move, Role, Square, attacks};

/// The cost of one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlyCost {
    /// Cost of the move and of the way it was made; `None` if not counted because there was no other line to compare with.
    pub ply: Option<Cost>,
    /// Whether no clock press belongs to it.
    pub unpressed: bool,
    /// Cost of what happened while it was the last ply and has no explanation: presses without a move, unexplained changes.
    pub unexplained: Cost,
}

impl PlyCost {
    /// Returns the sum of all parts.
    pub fn total(self) -> Cost {
        self.unexplained + self.ply.unwrap_or(0) + if self.unpressed { model::MOVE_WITHOUT_PRESS } else { 0 }
    }
}

impl Line {
    /// Returns the cost of the line now: that of its plies, and that of what the board shows.
    pub fn cost(&self, now: Millis, seen: &ObservedBoard) -> Cost {
        self.past_cost() + self.pending_cost(now, seen)
    }

    /// Returns the cost without that of what the board shows, which the next edge may correct.
    pub fn past_cost(&self) -> Cost {
        self.costs.iter().map(|charge| charge.total()).sum::<Cost>() + self.extra_cost
    }

    /// Returns the cost of each ply, the start first, as far as it was counted.
    pub fn costs(&self) -> &[PlyCost] {
        &self.costs
    }

    /// Returns the cost of the squares that the line's last position does not explain.
    pub(super) fn pending_cost(&self, now: Millis, seen: &ObservedBoard) -> Cost {
        let wrong = self.mismatch(seen);
        let strays = (seen.changed_since(self.tip().made_at) & !wrong & !self.ignored_squares(seen)).count() as u32;
        let strays = strays.min(model::MAX_STRAY_TOUCHES) as Cost * model::STRAY_TOUCH;
        if wrong.is_empty() {
            return strays;
        }
        let own_lifted = lifted_squares(&self.tip().position, seen, wrong);
        let removed = wrong & !own_lifted;
        let cost_of_holding = |square| model::holding_cost(now.saturating_sub(seen.changed_at(square)));
        let press_cost = match self.unmatched_press {
            Some((at, _)) if now.saturating_sub(at) >= model::SCAN_TIME => model::PRESS_WITHOUT_MOVE,
            None if self.left_before_press(now, seen) => model::PRESS_WITHOUT_MOVE,
            _ => 0,
        };
        let shows_colours = seen.sensing() != SensorKind::Occupancy;
        // Where the board identifies pieces, a piece that the opponent lifts is no sign that the mover has just begun.
        let lifted = if shows_colours && own_lifted.any() { own_lifted } else { wrong & !seen.occupied() };
        let base = strays + press_cost + lifted.into_iter().map(cost_of_holding).max().unwrap_or(0);
        if (wrong & seen.occupied()).any() || own_lifted.count() > 2 || removed.count() > 1 {
            return base + model::UNEXPLAINED + model::UNEXPLAINED_SQUARE * (wrong.count() as Cost - 1).min(6);
        }
        // What can still follow: moves of a piece in hand, or captures of the piece that was removed first.
        let of_hand = |mv: &Move| {
            mv.from().is_some_and(|from| own_lifted.contains(from)) || (own_lifted.is_empty() && captures_on(*mv, removed))
        };
        let likelihood_sum: u64 = self.next_moves(0).map_or(1, |next| {
            next.prior_costs(self.tip()).filter(|(mv, _)| of_hand(mv)).map(|(_, cost)| model::likelihood(cost)).sum()
        });
        let victim = self.next_moves(0).is_some_and(|next| next.all().any(|mv| of_hand(&mv) && captures_on(mv, removed)));
        let mixed_hands_cost = match own_lifted.any() && removed.any() && !victim {
            true if shows_colours && press_cost > 0 => model::UNEXPLAINED,
            true => model::REPLY_WHILE_HELD,
            false => 0,
        };
        // Players lift a piece out of turn only to adjust it, or because the game is over.
        let least = if own_lifted.is_empty() { model::LIFTED_OUT_OF_TURN } else { model::UNEXPLAINED };
        let pair_cost = if own_lifted.count() > 1 && !self.may_be_castling(own_lifted) { model::REPLY_WHILE_HELD } else { 0 };
        let last = self.nodes.len().checked_sub(2).and_then(|index| self.nodes.get(index)).map_or(0, |node| node.made_at);
        let moved_on = shows_colours && own_lifted.into_iter().any(|square| seen.changed_at(square) + model::SCAN_TIME < last);
        let out_of_turn = shows_colours
            && own_lifted.into_iter().any(|square| seen.changed_at(square) + model::SCAN_TIME < self.tip().made_at);
        base + model::cost_of_share(likelihood_sum, 1 << 32).min(least)
            + mixed_hands_cost
            + pair_cost
            + match (moved_on, out_of_turn) {
                (true, _) => model::UNEXPLAINED,
                (false, true) => model::REPLY_WHILE_HELD,
                (false, false) => 0,
            }
    }

    /// Returns whether this could be the beginning of castling: king and rook in the air.
    pub(super) fn may_be_castling(&self, lifted: Bitboard) -> bool {
        let castles = |mv: Move| matches!(mv, Move::Castle { king, rook } if lifted.contains(king) && lifted.contains(rook));
        self.next_moves(0).is_some_and(|next| next.all().any(castles))
    }

    /// Returns a fingerprint that is equal for lines that have reached the same position, and rarely for others.
    pub fn fingerprint(&self) -> u64 {
        let board = self.tip().position.board();
        let colors = board.by_color(Color::White).0.rotate_left(31);
        Role::ALL
            .into_iter()
            .fold(colors, |sum, role| (sum ^ board.by_role(role).0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }

    /// Returns whether both lines have reached the same position, in equally many moves or long ago: whatever follows fits both
    /// alike.
    pub fn is_same_as(&self, other: &Line) -> bool {
        let (one, two) = (self.tip(), other.tip());
        let moves = |line: &Line| -> Vec<Option<Move>> {
            line.nodes.iter().rev().take(model::MERGE_PLIES).map(|node| node.mv).collect()
        };
        one.placement_hash == two.placement_hash
            && one.position.board() == two.position.board()
            && one.position.key() == two.position.key()
            && (self.nodes.len() == other.nodes.len() || moves(self) == moves(other))
    }

    /// Adds `cost` to the last ply, or to what comes after it.
    pub(super) fn add_cost(&mut self, cost: Cost) {
        if let Some(charge) = self.costs.last_mut() {
            charge.unexplained += cost;
        }
    }

    /// Clears all costs, as there is no other line left to compare with.
    pub fn forget_costs(&mut self) {
        self.costs.iter_mut().for_each(|charge| *charge = PlyCost::default());
        self.extra_cost = 0;
    }

    /// Counts the costs of the plies from `from` on, as far as they were not counted yet.
    pub fn count_costs(&mut self, now: Millis, from: usize, seen: &ObservedBoard) {
        for index in from.max(1)..self.nodes.len() {
            let unpressed = self.has_no_press(now, index);
            let counted = self.costs.get(index).and_then(|charge| charge.ply);
            let ply = counted.unwrap_or_else(|| self.cost_of(index, seen));
            if let Some(charge) = self.costs.get_mut(index) {
                (charge.ply, charge.unpressed) = (Some(ply), unpressed);
            }
        }
    }

    /// Returns whether this ply has no reported press, in a game with a clock, and will get none.
    fn has_no_press(&self, now: Millis, index: usize) -> bool {
        let Some(node) = self.nodes.get(index) else { return false };
        let is_overdue = now.saturating_sub(node.made_at) > model::MAX_PRESS_DELAY && self.nodes.len() > index + 2;
        self.has_clock && index > 0 && node.pressed_at.is_none() && is_overdue
    }

    /// Returns the cost of the way in which this move, the next from the tip, was made.
    pub(super) fn handling_cost(&self, node: &LineNode, seen: &ObservedBoard) -> Cost {
        let (before, Some(mv)) = (self.tip(), node.mv) else { return 0 };
        // Squares that are unrelated to the move and to the next player's hand.
        let mut own_squares: Bitboard = before.position.changes(mv).iter().map(|(square, _)| square).collect();
        if let Move::Normal { from, to, .. } = mv {
            own_squares |= attacks::between(from, to);
        }
        let in_hand = node.position.board().by_color(node.position.turn()) & !seen.occupied();
        let strays =
            (seen.changed_since(before.made_at) & !own_squares & !in_hand & !self.ignored_squares(seen)).count() as u32;
        let early =
            if self.has_clock && self.nodes.len() > 1 && before.pressed_at.is_none() { model::REPLY_BEFORE_PRESS } else { 0 };
        strays.min(model::MAX_STRAY_TOUCHES) as Cost * model::STRAY_TOUCH + early
    }

    /// Returns the cost of the ply at this index.
    pub fn cost_of(&self, index: usize, seen: &ObservedBoard) -> Cost {
        let (Some(before), Some(node)) = (self.nodes.get(index - 1), self.nodes.get(index)) else { return 0 };
        let Some(mv) = node.mv else { return 0 };
        let fresh;
        let next = match self.next_moves(self.nodes.len() - index) {
            Some(next) => next,
            None => {
                fresh = NextMoves::of(before, seen.sensing());
                &fresh
            }
        };
        let chosen = next.prior_costs(before).find(|(other, _)| *other == mv).map_or(model::ILLEGAL_MOVE, |(_, cost)| cost);
        let capture = match (mv.is_capture() && !mv.is_en_passant(), node.silent) {
            (true, true) => model::SILENT_CAPTURE,
            (true, false) => model::SEEN_CAPTURE,
            _ => 0,
        };
        chosen + capture + node.handling_cost
    }
}

/// Returns whether the move captures what was on one of these squares.
fn captures_on(mv: Move, squares: Bitboard) -> bool {
    match mv {
        Move::EnPassant { from, to } => squares.contains(Square::from_coords(to.file(), from.rank())),
        _ => mv.is_capture() && squares.contains(mv.to()),
    }
}
