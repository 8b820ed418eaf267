//! The cost of what the board shows besides the moves of a line.

use super::comparison::Comparison;
use super::presses::UnmatchedPresses;
use crate::boards::{Millis, SensorKind};
use crate::infer::LineNode;
use crate::infer::model::{self, Cost};
use shakmaty::{Bitboard, Move, Square, attacks};

impl Comparison<'_> {
    /// Returns the cost of the squares that the line's last position does not explain.
    pub(super) fn pending_cost(&self, now: Millis, presses: &UnmatchedPresses) -> Cost {
        let (history, seen, wrong) = (self.history(), self.seen(), self.mismatch());
        let hands = seen.hands();
        let strays = (seen.changed_since(self.tip().made_at) & !wrong & !self.hidden()).count() as u32;
        let strays = strays.min(model::MAX_STRAY_TOUCHES) as Cost * hands.stray_touch;
        if wrong.is_empty() {
            return strays;
        }
        if seen.sensing() == SensorKind::Occupancy {
            if self.kings_in_centre().is_some() || self.kings_unclear().is_some() {
                return strays + hands.kings_signal + self.removed_early_cost();
            }
            if self.is_swept() {
                return strays + model::SWEPT + self.sweep_cost();
            }
        }
        let own_lifted = self.own_lifted();
        let removed = wrong & !own_lifted;
        let cost_of_holding = |square| model::holding_cost(now.saturating_sub(seen.changed_at(square)));
        let is_missing = presses.is_overdue(now) || (presses.last().is_none() && self.left_before_press(now));
        let press_cost = if is_missing { hands.press_without_move } else { 0 };
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
        let likelihood_sum: u64 = history.next_moves(0).map_or(1, |next| {
            next.prior_costs(self.tip()).filter(|(mv, _)| of_hand(mv)).map(|(_, cost)| model::likelihood(cost)).sum()
        });
        let victim = history.next_moves(0).is_some_and(|next| next.all().any(|mv| of_hand(&mv) && captures_on(mv, removed)));
        let mixed_hands_cost = match own_lifted.any() && removed.any() && !victim {
            true if shows_colours && press_cost > 0 => model::UNEXPLAINED,
            true => hands.reply_while_held,
            false => 0,
        };
        // Players lift a piece out of turn only to adjust it, or because the game is over.
        let least = if own_lifted.is_empty() { hands.lifted_out_of_turn } else { model::UNEXPLAINED };
        let pair_cost = if own_lifted.count() > 1 && !self.may_be_castling(own_lifted) { hands.reply_while_held } else { 0 };
        let last = history.node_back(1).map_or(0, |node| node.made_at);
        let moved_on = shows_colours && own_lifted.into_iter().any(|square| seen.changed_at(square) + model::SCAN_TIME < last);
        let out_of_turn = shows_colours
            && own_lifted.into_iter().any(|square| seen.changed_at(square) + model::SCAN_TIME < self.tip().made_at);
        base + model::cost_of_share(likelihood_sum, 1 << 32).min(least)
            + mixed_hands_cost
            + pair_cost
            + match (moved_on, out_of_turn) {
                (true, _) => model::UNEXPLAINED,
                (false, true) => hands.reply_while_held,
                (false, false) => 0,
            }
    }

    /// Returns the cost of the way in which this move, the next from the tip, was made. `has_clock`: a clock is in use.
    pub(super) fn handling_cost(&self, node: &LineNode, has_clock: bool) -> Cost {
        let (before, Some(mv)) = (self.tip(), node.mv) else { return 0 };
        let hands = self.seen().hands();
        // Squares that are unrelated to the move and to the next player's hand.
        let mut own_squares: Bitboard = before.position.changes(mv).iter().map(|(square, _)| square).collect();
        if let Move::Normal { from, to, .. } = mv {
            own_squares |= attacks::between(from, to);
        }
        let in_hand = node.position.board().by_color(node.position.turn()) & !self.seen().occupied();
        let strays = (self.seen().changed_since(before.made_at) & !own_squares & !in_hand & !self.hidden()).count() as u32;
        let replied = has_clock && self.history().node_count() > 1 && before.pressed_at.is_none();
        let early = if replied { hands.reply_before_press } else { 0 };
        strays.min(model::MAX_STRAY_TOUCHES) as Cost * hands.stray_touch + early + self.disorder_cost(mv)
    }

    /// Returns the cost of pieces that were lifted long before the kings, whose squares are empty: they were moved, not removed to
    /// make room for the kings.
    fn removed_early_cost(&self) -> Cost {
        let seen = self.seen();
        let kings = self.tip().position.board().kings();
        let empty = self.mismatch() & !seen.occupied();
        let Some(signalled_at) = (empty & kings).into_iter().map(|square| seen.changed_at(square)).min() else { return 0 };
        let is_early = |square: &Square| seen.changed_at(*square) + model::MAX_PRESS_DELAY < signalled_at;
        (empty & !kings).into_iter().filter(is_early).count() as Cost * model::UNEXPLAINED
    }

    /// Returns whether the pieces are being swept off the board: several are missing, and none is on another square.
    pub fn is_swept(&self) -> bool {
        /// More pieces than hands can hold during play.
        const MIN_MISSING: usize = 5;
        let wrong = self.mismatch();
        wrong.is_disjoint(self.seen().occupied()) && wrong.count() >= MIN_MISSING
    }

    /// Returns the cost of the pieces being swept off the board now: if the last move without a press was made in the rhythm of the
    /// sweep, it is none; if the first piece was lifted long before the others, it was moved.
    fn sweep_cost(&self) -> Cost {
        let (tip, seen) = (self.tip(), self.seen());
        let mut lifted_at: Vec<Millis> = self.mismatch().into_iter().map(|square| seen.changed_at(square)).collect();
        lifted_at.sort_unstable();
        let [first, second, ..] = lifted_at[..] else { return 0 };
        let left_at = tip.mv.and_then(|mv| mv.from()).map_or(0, |from| seen.changed_at(from).min(tip.made_at));
        let in_rhythm = |at: Millis, next: Millis| next <= at + model::REST_CARRIED;
        let made_in_sweep = tip.pressed_at.is_none() && tip.silent && in_rhythm(left_at, first);
        (if made_in_sweep { seen.hands().reply_while_held } else { 0 })
            + if in_rhythm(first, second) { 0 } else { model::UNEXPLAINED }
    }

    /// Returns the cost of the piece of this next move having left its square long before its player made the move before: nobody
    /// moves one piece while another is in their hand. Boards that detect only occupancy.
    fn disorder_cost(&self, mv: Move) -> Cost {
        let (seen, Some(own), Some(from)) = (self.seen(), self.history().node_back(1), mv.from()) else { return 0 };
        let is_known = seen.sensing() == SensorKind::Occupancy && own.mv.is_some() && !own.silent && !mv.is_castle();
        let is_empty = !seen.occupied().contains(from) && !self.hidden().contains(from);
        let is_early = is_known && is_empty && seen.changed_at(from) + model::SCAN_TIME < own.made_at;
        if is_early { model::UNEXPLAINED } else { 0 }
    }
}

/// Returns whether the move captures what was on one of these squares.
fn captures_on(mv: Move, squares: Bitboard) -> bool {
    match mv {
        Move::EnPassant { from, to } => squares.contains(Square::from_coords(to.file(), from.rank())),
        _ => mv.is_capture() && squares.contains(mv.to()),
    }
}
