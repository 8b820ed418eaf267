//! How improbable a line is.

use super::Line;
use crate::boards::{Millis, Sensing};
use crate::infer::explain::in_hand;
use crate::infer::model::{self, Cost};
use crate::infer::{Next, Seen};
use shakmaty::{Bitboard, Move, Square, attacks};

impl Line {
    /// What speaks against the line now: what its moves and troubles cost, and what is seen besides.
    pub fn cost(&self, now: Millis, seen: &Seen) -> Cost {
        self.past_cost() + self.pending(now, seen)
    }

    /// The same without what is seen besides, which may come right at the next edge.
    pub fn past_cost(&self) -> Cost {
        self.costs.iter().sum::<Cost>() + self.troubles
    }

    /// What each ply costs, the start first, as far as it was counted: 0 while there was no other line to compare with.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// What the squares cost that the line's last position does not explain.
    pub(super) fn pending(&self, now: Millis, seen: &Seen) -> Cost {
        let wrong = self.mismatch(seen);
        let strays = (seen.changed_since(self.tip().made_at) & !wrong & !self.hidden(seen)).count() as u32;
        let strays = strays.min(model::STRAY_TOUCHES) as Cost * model::STRAY_TOUCH;
        if wrong.is_empty() {
            return strays;
        }
        let own = in_hand(&self.tip().position, seen, wrong);
        let taken = wrong & !own;
        let held = |square| model::held(now.saturating_sub(seen.changed_at(square)));
        let overtaken = match self.owed {
            Some((at, _)) if now.saturating_sub(at) >= model::SCANNED => model::NO_MOVE,
            None if self.absent_at_press(now, seen) => model::NO_MOVE,
            _ => 0,
        };
        let known = seen.sensing() != Sensing::Occupancy;
        // Where the pieces are known, what the opponent lifts is no sign that the mover has just begun.
        let lifted = if known && own.any() { own } else { wrong & !seen.occupied() };
        let base = strays + overtaken + lifted.into_iter().map(held).max().unwrap_or(0);
        if (wrong & seen.occupied()).any() || own.count() > 2 || taken.count() > 1 {
            return base + model::UNEXPLAINED + model::UNEXPLAINED_MORE * (wrong.count() as Cost - 1).min(6);
        }
        // What can still come of it: moves of a piece in hand, or captures of the piece that was taken off first.
        let of_hand = |mv: &Move| mv.from().is_some_and(|from| own.contains(from)) || (own.is_empty() && takes(*mv, taken));
        let going: u64 = self
            .next(0)
            .map_or(1, |next| next.costs(self.tip()).filter(|(mv, _)| of_hand(mv)).map(|(_, cost)| model::weight(cost)).sum());
        let victim = self.next(0).is_some_and(|next| next.all().any(|mv| of_hand(&mv) && takes(mv, taken)));
        let meddled = match own.any() && taken.any() && !victim {
            true if known && overtaken > 0 => model::UNEXPLAINED,
            true => model::WHILE_HELD,
            false => 0,
        };
        // Nobody lifts a piece when it is not his turn, but to adjust it, or because the game is over.
        let least = if own.is_empty() { model::OFF_TURN } else { model::UNEXPLAINED };
        let pair = if own.count() > 1 && !self.is_castling(own) { model::WHILE_HELD } else { 0 };
        base + model::cost_of(going, 1 << 32).min(least) + meddled + pair
    }

    /// Castling could still begin like this: king and rook in the air.
    pub(super) fn is_castling(&self, own: Bitboard) -> bool {
        let castles = |mv: Move| matches!(mv, Move::Castle { king, rook } if own.contains(king) && own.contains(rook));
        self.next(0).is_some_and(|next| next.all().any(castles))
    }

    /// Both lines have come to the same position in as many moves: whatever follows fits both alike.
    pub fn is_told_by(&self, other: &Line) -> bool {
        let (one, two) = (self.tip(), other.tip());
        self.nodes.len() == other.nodes.len()
            && one.key == two.key
            && one.position.board() == two.position.board()
            && one.position.key() == two.position.key()
    }

    /// There is no other line left to compare with.
    pub fn forget_costs(&mut self) {
        self.costs.iter_mut().for_each(|cost| *cost = 0);
        self.troubles = 0;
    }

    /// Counts what the moves cost that were not counted yet; `false`: forgets to count them, there is nothing to compare with.
    pub fn charge(&mut self, count: bool, seen: &Seen) {
        while self.costs.len() < self.nodes.len() {
            let index = self.costs.len();
            let cost = if count { self.cost_of(index, seen) } else { 0 };
            self.costs.push(cost);
        }
    }

    pub(super) fn cost_of(&self, index: usize, seen: &Seen) -> Cost {
        let (Some(before), Some(node)) = (self.nodes.get(index - 1), self.nodes.get(index)) else { return 0 };
        let Some(mv) = node.mv else { return 0 };
        let fresh;
        let next = match self.next(self.nodes.len() - index) {
            Some(next) => next,
            None => {
                fresh = Next::of(before, seen.sensing());
                &fresh
            }
        };
        let chosen = next.costs(before).find(|(other, _)| *other == mv).map_or(model::ILLEGAL, |(_, cost)| cost);
        let capture = match (mv.is_capture() && !mv.is_en_passant(), node.silent) {
            (true, true) => model::SILENT,
            (true, false) => model::SEEN,
            _ => 0,
        };
        // Squares that have nothing to do with the move, nor with the next player's hand.
        let mut own: Bitboard = before.position.changes(mv).iter().map(|(square, _)| square).collect();
        if let Move::Normal { from, to, .. } = mv {
            own |= attacks::between(from, to);
        }
        let in_hand = node.position.board().by_color(node.position.turn()) & !seen.occupied();
        let touched = seen.changed_since(before.made_at) & !own & !in_hand & !self.hidden(seen);
        let strays = touched.count() as u32;
        let early = if self.clock && index > 1 && before.pressed_at.is_none() { model::EARLY } else { 0 };
        let skipped = self.clock
            && index > 2
            && self.nodes[index - 2].pressed_at.is_none()
            && node.made_at.saturating_sub(self.nodes[index - 2].made_at) > model::PRESS_LATE;
        chosen
            + capture
            + strays.min(model::STRAY_TOUCHES) as Cost * model::STRAY_TOUCH
            + early
            + if skipped { model::UNPRESSED } else { 0 }
    }
}

/// The move takes what stood on one of these squares.
fn takes(mv: Move, squares: Bitboard) -> bool {
    match mv {
        Move::EnPassant { from, to } => squares.contains(Square::from_coords(to.file(), from.rank())),
        _ => mv.is_capture() && squares.contains(mv.to()),
    }
}
