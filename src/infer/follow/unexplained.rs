//! What is tried when no line explains a quiet board.

use super::Follower;
use crate::boards::Millis;
use crate::infer::line::PlayElsewhere;
use crate::infer::{Line, model};
use shakmaty::Bitboard;

impl Follower {
    /// Looks for an illegal move on which the clock was pressed, before anything else is tried.
    pub(super) fn look_for_illegal(&mut self, now: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        if quiet < model::REST_TAKEBACK || self.ignored_squares().any() {
            return;
        }
        let mut published = true;
        let mut found = false;
        self.apply_to_lines(now, |line, seen, _| {
            if std::mem::take(&mut published) {
                found = line.append_pressed_illegal(now, quiet, seen);
            }
        });
        if found && self.tip().irregular {
            self.lines.retain_others(|line| !line.has_better_illegal());
        }
        self.excuse_slip(now);
    }

    /// Excuses the squares of a slip that was put on record now, until they change.
    pub(super) fn excuse_slip(&mut self, now: Millis) {
        let new = self.nodes().iter().rev().take_while(|node| node.made_at == now).find(|node| node.slip.is_some()).cloned();
        let Some((node, slip)) = new.as_ref().and_then(|node| Some((node, node.slip.as_ref()?))) else { return };
        if !self.seen.excused().is_superset(slip.squares) {
            self.lines.keep_published();
            self.seen.excuse(slip.squares, node.position.board());
            self.update_at_tip();
        }
    }

    /// Looks for an illegal move, or a displaced piece while play goes on, if no legal line explains the board.
    pub(super) fn look_for_displaced(&mut self, now: Millis, settle: Millis) {
        let quiet = now.saturating_sub(self.seen.last_edge());
        // A stuck square makes legal moves look strange.
        if quiet < settle + model::SERIAL_LATENCY
            || self.lines.credible(now, &self.seen).count() > 1
            || self.ignored_squares().any()
        {
            return;
        }
        self.lines.keep_published();
        let mut elsewhere = None;
        self.apply_to_lines(now, |line, seen, _| elsewhere = line.explain_irregular(now, quiet, seen));
        self.excuse_slip(now);
        if let Some(PlayElsewhere { squares, moves }) = elsewhere {
            let board = self.tip().position.board().clone();
            self.seen.excuse(squares, &board);
            self.apply_to_lines(now, |line, seen, _| line.append_elsewhere(now, &moves, seen));
        }
    }

    /// Returns the squares that show a displaced piece, or none where one should be, while play goes on elsewhere.
    pub fn displaced_squares(&self) -> Bitboard {
        let excused = self.seen.excused();
        if excused.is_empty() {
            return excused; // Nearly always.
        }
        let slips = self.nodes().iter().filter_map(|node| node.slip.as_ref());
        slips.fold(excused, |rest, slip| rest & !slip.squares)
    }

    /// In offline decoding, when no credible line explains the board: tries everything else that leads to what is seen.
    pub(super) fn search_offline(&mut self, now: Millis, settle: Millis) {
        /// It searches from the likeliest lines: from one of so many.
        const SEARCHED_SHARE: usize = 85;
        let quiet = now.saturating_sub(self.seen.last_edge());
        let is_unexplained = |line: &Line| !line.is_at_tip();
        if !self.lines.beam().is_offline() || quiet < settle || !self.lines.credible(now, &self.seen).all(is_unexplained) {
            return;
        }
        let mut remaining = self.lines.beam().max_lines().div_ceil(SEARCHED_SHARE);
        self.apply_to_lines(now, |line, seen, others| {
            if remaining > 0 {
                remaining -= 1;
                line.add_detours(now, seen, others);
            }
        });
    }
}
