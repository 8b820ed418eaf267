//! Explanations beyond single moves: takebacks, moves that were not seen one by one, and deferred lines.

use super::{Line, confidence};
use crate::boards::{Millis, SensorKind};
use crate::game::{Confidence, CorrectionReason};
use crate::infer::explain::{Doubts, Explanation, explain};
use crate::infer::model::{self, REST_CARRIED, REST_TAKEBACK, REST_TRACELESS};
use crate::infer::{LineNode, NextMoves, ObservedBoard};
use shakmaty::Move;
use std::sync::Arc;

/// A deferred line, which branches off after `base` plies.
#[derive(Clone, Debug)]
pub(super) struct DeferredLine {
    pub(super) base: usize,
    pub(super) moves: Vec<Move>,
    /// Other lines that lead to the same placement, equally good.
    pub(super) rivals: Vec<Vec<Move>>,
    pub(super) tip: LineNode,
    pub(super) next: NextMoves,
    /// Whether every move of it was seen; then the only doubt is that a hand may still be on its way.
    pub(super) seen: bool,
}

impl DeferredLine {
    /// Returns the moves with `more` appended, and the rivals likewise.
    pub(super) fn append(&self, more: &[Move]) -> (Vec<Move>, Vec<Vec<Move>>) {
        let longer = |line: &Vec<Move>| [line.as_slice(), more].concat();
        (longer(&self.moves), self.rivals.iter().map(longer).collect())
    }
}

impl Line {
    /// Searches for an explanation on a quiet board that shows neither the last position nor one move from it.
    pub(super) fn recover(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) {
        /// Moves missed altogether, or a last move that was only a stop on the way.
        const SOON: [(usize, u32); 4] = [(0, 2), (1, 1), (1, 2), (0, 3)];
        /// Other last moves, and longer gaps.
        const LATE: [(usize, u32); 7] = [(0, 2), (0, 3), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)];
        let only_lifted = (self.mismatch(seen) & seen.occupied()).is_empty();
        if seen.sensing() == SensorKind::Occupancy && only_lifted && quiet < REST_TRACELESS {
            return;
        }
        if self.adopt_best(now, self.overlap_tries(seen), confidence::RECONSTRUCTED, seen) || self.adopt_deferred(now, seen) {
            return;
        }
        self.detect_takeback(quiet, seen);
        if self.mismatch(seen).is_empty() {
            return;
        }
        if quiet >= REST_TRACELESS {
            self.adopt_best(now, &LATE, confidence::RECONSTRUCTED, seen);
        } else if quiet < REST_TAKEBACK && self.mismatch(seen).count() >= 4 && !only_lifted {
            self.adopt_best(now, &[(0, 3)], confidence::RECONSTRUCTED, seen);
        } else if quiet >= REST_TAKEBACK && !only_lifted {
            let tries: &[(usize, u32)] = if self.was_released(seen) { &[(0, 2), (0, 3)] } else { &SOON };
            self.adopt_best(now, tries, confidence::RECONSTRUCTED, seen);
        }
    }

    /// Takes moves back if the board shows a past position again.
    pub(super) fn detect_takeback(&mut self, quiet: Millis, seen: &ObservedBoard) {
        if quiet < REST_TAKEBACK || (quiet < model::REST_UNSEEN && self.is_shown_unseen(seen)) {
            return;
        }
        if let Some(index) = self.nodes.iter().rposition(|node| self.shows(node, seen)) {
            self.take_back(self.nodes.len() - 1 - index, CorrectionReason::Takeback, seen);
        }
    }

    /// Returns whether pieces are on other squares than after the last move although no edge showed them moving there.
    pub fn is_shown_unseen(&self, seen: &ObservedBoard) -> bool {
        (self.mismatch(seen) & seen.doubted()).any()
    }

    /// Drops plies from the end and adds others, by the first of `tries` (dropped, added) that explains what is seen.
    pub(super) fn adopt_best(
        &mut self,
        now: Millis,
        tries: &[(usize, u32)],
        confidence: Confidence,
        seen: &ObservedBoard,
    ) -> bool {
        for &(dropped, added) in tries {
            let Some(base) = self.nodes.len().checked_sub(1 + dropped) else { continue };
            if self.nodes[base + 1..].iter().any(|node| node.is_closed(now)) {
                continue;
            }
            let since = self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at);
            let found = explain(&self.nodes[base].position, seen, self.ignored_squares(seen), added, since);
            let Some(best) = found.first() else { continue };
            let equal = found.iter().skip(1).take_while(|other| other.doubts == best.doubts);
            let mut rivals: Vec<Vec<Move>> = equal.take(model::MAX_RIVALS).map(|other| other.moves.clone()).collect();
            if best.doubts.traceless > 0 && rivals.len() > 1 && self.unseen_presses < best.moves.len() {
                continue; // One of several without a trace: that is no explanation.
            }
            if !self.is_believed(now, best, seen) {
                if best.doubts.disordered == 0 {
                    self.defer_line(now, base, &best.moves.clone(), rivals, false, seen);
                }
                continue;
            }
            if dropped > 0 {
                self.reason = CorrectionReason::Evidence;
            }
            if dropped > 1 {
                // Moves that were seen and answered are dropped: what was lost since may explain as much.
                rivals.push(self.nodes[base + 1..].iter().filter_map(|node| node.mv).collect());
            }
            // Of what was not searched, at least one line is assumed to explain as much.
            let confidence = if best.cut_off { Confidence(confidence.0 / 2) } else { confidence };
            self.replace_plies(now, base, &best.moves, &rivals, confidence, seen);
            return true;
        }
        false
    }

    /// Returns whether a line is believed. Where a move left no trace, pieces in the hands are more likely, until the clock shows
    /// that moves were made, or nothing happens for long.
    pub(super) fn is_believed(&self, now: Millis, line: &Explanation, seen: &ObservedBoard) -> bool {
        let quiet = now.saturating_sub(seen.last_edge());
        let Doubts { skipped, traceless, unseen, disordered, blind, .. } = line.doubts;
        let has_presses = quiet > 0 && self.unseen_presses >= line.moves.len();
        (skipped == 0 || has_presses)
            && (traceless == 0 || quiet >= REST_TRACELESS || has_presses)
            && (unseen == 0 || quiet > 0)
            && (blind == 0 || quiet >= REST_CARRIED || has_presses)
            && (disordered == 0 || quiet >= REST_TRACELESS)
    }

    pub(super) fn defer_line(
        &mut self,
        now: Millis,
        base: usize,
        moves: &[Move],
        rivals: Vec<Vec<Move>>,
        fully_seen: bool,
        seen: &ObservedBoard,
    ) {
        if seen.sensing() == SensorKind::Occupancy {
            return; // Too many lines would explain too little.
        }
        if self.deferred.len() + 1 >= self.max_deferred.min(model::MAX_DEFERRED)
            || self.deferred.iter().any(|deferred| deferred.base == base && deferred.moves == moves)
        {
            return;
        }
        let sensing = seen.sensing();
        let mut tip = LineNode::clone(&self.nodes[base]);
        for &mv in moves {
            tip = tip.after_move(mv, now, sensing, None);
        }
        let next = NextMoves::of(&tip, sensing);
        self.deferred.push(Arc::new(DeferredLine { base, moves: moves.to_vec(), rivals, tip, next, seen: fully_seen }));
    }

    /// Adopts the deferred line from which at most two more plies lead to what is seen; at least one ply if its own moves left no
    /// trace.
    pub(super) fn adopt_deferred(&mut self, now: Millis, seen: &ObservedBoard) -> bool {
        for depth in 0..=2 {
            let found = self.deferred.iter().filter(|deferred| deferred.seen || depth > 0).find_map(|deferred| {
                let found = explain(&deferred.tip.position, seen, self.ignored_squares(seen), depth, deferred.tip.made_at);
                let best = found.first().filter(|best| self.is_believed(now, best, seen))?;
                Some((deferred.base, deferred.append(&best.moves)))
            });
            if let Some((base, (moves, rivals))) = found {
                self.replace_plies(now, base, &moves, &rivals, confidence::RECONSTRUCTED, seen);
                return true;
            }
        }
        false
    }
}
