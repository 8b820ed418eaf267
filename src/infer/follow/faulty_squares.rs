//! Squares that do not work: which flicker, which are stuck or assumed stuck.

use super::Follower;
use crate::boards::{Millis, SquareState};
use crate::game::Fault;
use crate::infer::model::Cost;
use crate::infer::{Faults, Line, model};
use shakmaty::{Bitboard, Square};

impl Follower {
    /// Returns the faults of squares that are in force.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Takes the faults found or cleared since the last call.
    pub fn take_faults(&mut self) -> Vec<(Square, Fault)> {
        self.faults.take_unreported()
    }

    /// Sets a known fault of a square, without reporting it.
    pub fn set_known_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.set_known(now, square, fault);
        self.apply_faults(now);
    }

    /// Sets a fault of a square and reports it.
    pub fn report_fault(&mut self, now: Millis, square: Square, fault: Fault) {
        self.faults.set_found(now, square, fault);
        self.apply_faults(now);
    }

    /// Returns the squares that are stuck or assumed stuck.
    pub fn stuck_squares(&self) -> Bitboard {
        self.best().assumed_stuck()
    }

    /// Assumes that a square is stuck, before anything was played.
    pub fn assume_stuck(&mut self, square: Square) {
        self.lines.for_each(|line| line.assume_stuck(square, &self.seen));
    }

    /// Returns the cost of all moves of the likeliest line and of what the board shows now.
    pub fn total_cost(&self, now: Millis) -> Cost {
        self.best().total_cost(now, &self.seen)
    }

    /// Follows the lines of play of another decoding of the same game. The squares that it assumes to be stuck are reported like those
    /// that are assumed now.
    pub fn replace_lines(&mut self, now: Millis, other: Follower) {
        let changes = self.changes();
        *self = Follower { faults: std::mem::take(&mut self.faults), ..other };
        self.lines.mark_replaced(changes);
        self.lines.for_each(Line::date_stuck);
        self.apply_faults(now);
    }

    /// Returns the squares that were reported as stuck, and those that flicker now.
    pub fn reported_faulty(&self) -> Bitboard {
        self.faults.squares_with(Fault::Stuck) | self.seen.doubtful()
    }

    /// Returns the faulty squares, which are not compared.
    pub fn ignored_squares(&self) -> Bitboard {
        self.best().assumed_stuck() | self.seen.doubtful()
    }

    /// Handles a change of a square that had shown `before` since `since`: tests whether it flickers, or was wrongly assumed stuck.
    pub(super) fn watch_square(&mut self, now: Millis, square: Square, before: SquareState, since: Millis) {
        let tip = self.lines.best().tip();
        let is_right = || self.seen.is_compatible(square, tip.position.piece_at(square));
        let moved = || tip.mv.is_some_and(|mv| mv.to() == square) && tip.made_at >= since;
        let had_gap = before == SquareState::Empty && now.saturating_sub(since) <= model::MAX_FLICKER_GAP;
        if had_gap && !moved() && is_right() {
            self.faults.note_gap(now, square);
        }
        let had_faults = !self.faults.is_empty();
        if had_faults {
            self.faults.note_change(now, square, is_right());
            self.faults.advance(now, tip.position.board().occupied());
        }
        if !self.faults.squares_with(Fault::Stuck).contains(square) {
            self.lines.for_each(|line| line.clear_stuck(square, &self.seen));
        }
        if had_faults {
            self.apply_faults(now);
        }
    }

    /// Reports a square that all lines have assumed stuck for a few moves.
    pub(super) fn report_stuck(&mut self, now: Millis) {
        if self.best().assumed_stuck().is_empty() {
            return; // Nearly always.
        }
        let new = self.lines.agreed_stuck(now, &self.seen) & !self.faults.squares_with(Fault::Stuck);
        let best = self.best();
        if new.any() && best.is_at_tip() && best.plies_since_stuck() >= model::STUCK_REPORT_PLIES {
            for square in new {
                self.faults.set_found(now, square, Fault::Stuck);
            }
        }
    }

    /// Applies the known faults of squares to all lines.
    pub(super) fn apply_faults(&mut self, now: Millis) {
        self.seen.set_flickering(self.faults.squares_with(Fault::Flickering));
        let stuck = self.faults.squares_with(Fault::Stuck);
        self.lines.for_each(|line| line.add_stuck(stuck, &self.seen));
        self.update_doubt(now);
    }

    pub(super) fn update_doubt(&mut self, now: Millis) {
        if self.seen.update_doubt(now) {
            self.update_at_tip();
        }
    }
}
