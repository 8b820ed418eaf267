//! Searches for explanations beyond single moves: moves that were not seen one by one, and deferred lines that go on.

use super::comparison::Comparison;
use super::deferred::DeferredLines;
use super::presses::UnmatchedPresses;
use super::replacement::Replacement;
use crate::boards::Millis;
use crate::game::Confidence;
use crate::infer::explain::{Doubts, Explanation, explain, landing_square};
use crate::infer::model::{self, REST_CARRIED, REST_TAKEBACK, REST_TRACELESS};
use shakmaty::Move;

/// Numbers of plies dropped from the end, and added.
pub(super) type Tries = &'static [(usize, u32)];

impl Comparison<'_> {
    /// Returns what to try for two moves of which the first was never seen alone. A stop that was left again is more likely to have
    /// been just a stop: then the last move is one of the two.
    pub(super) fn overlap_tries(&self) -> Tries {
        if self.passed_square().any() { &[(1, 2), (0, 2)] } else { &[(0, 2)] }
    }

    /// Returns what to try on a board that has been quiet for `quiet` milliseconds.
    pub(super) fn quiet_tries(&self, quiet: Millis) -> Tries {
        /// Moves missed altogether, or a last move that was only a stop on the way.
        const SOON: Tries = &[(0, 2), (1, 1), (1, 2), (0, 3)];
        /// Other last moves, and longer gaps.
        const LATE: Tries = &[(0, 2), (0, 3), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)];
        let only_lifted = self.shows_only_lifted();
        match quiet {
            REST_TRACELESS.. => LATE,
            _ if only_lifted => &[],
            REST_TAKEBACK.. if self.was_released() => &[(0, 2), (0, 3)],
            REST_TAKEBACK.. => SOON,
            _ if self.mismatch().count() >= 4 => &[(0, 3)],
            _ => &[],
        }
    }

    /// Returns whether the board differs only by pieces that are missing.
    pub(super) fn shows_only_lifted(&self) -> bool {
        (self.mismatch() & self.seen().occupied()).is_empty()
    }

    /// Returns the number of nodes up to the past position that the board shows again.
    pub(super) fn find_takeback(&self, quiet: Millis) -> Option<usize> {
        if quiet < REST_TAKEBACK || (quiet < model::REST_UNSEEN && self.is_shown_unseen()) {
            return None;
        }
        Some(self.history().nodes().iter().rposition(|node| self.shows(node))? + 1)
    }

    /// Returns what explains what is seen by the first of `tries`. Defers lines that are not believed yet.
    pub(super) fn find_best(
        &self,
        now: Millis,
        tries: &[(usize, u32)],
        confidence: Confidence,
        presses: &UnmatchedPresses,
        deferred: &mut DeferredLines,
    ) -> Option<Replacement> {
        let nodes = self.history().nodes();
        for &(dropped, added) in tries {
            let Some(base) = nodes.len().checked_sub(1 + dropped) else { continue };
            if nodes[base + 1..].iter().any(|node| node.is_closed(now)) {
                continue;
            }
            let mut found = self.explain_after(base, added).into_iter();
            let Some(best) = found.next() else { continue };
            let equal = found.take_while(|other| other.doubts == best.doubts);
            let mut rivals: Vec<Vec<Move>> = equal.take(model::MAX_RIVALS).map(|other| other.moves).collect();
            if best.doubts.traceless > 0 && rivals.len() > 1 && presses.count() < best.moves.len() {
                continue; // One of several without a trace: that is no explanation.
            }
            if !self.is_believed(now, &best, presses) {
                if best.doubts.disordered == 0 {
                    let line = Replacement { rivals, ..Replacement::of(base, best, confidence) };
                    deferred.add(now, &nodes[base], line, false, self.seen().sensing());
                }
                continue;
            }
            if dropped > 1 {
                // Moves that were seen and answered are dropped: what was lost since may explain as much.
                rivals.push(self.history().moves_after(base).collect());
            }
            // Of what was not searched, at least one line is assumed to explain as much.
            let confidence = if best.cut_off { Confidence(confidence.0 / 2) } else { confidence };
            return Some(Replacement { rivals, ..Replacement::of(base, best, confidence) });
        }
        None
    }

    /// Returns whether a line is believed. Where a move left no trace, pieces in the hands are more likely, until the clock shows
    /// that moves were made, or nothing happens for long.
    fn is_believed(&self, now: Millis, line: &Explanation, presses: &UnmatchedPresses) -> bool {
        let quiet = now.saturating_sub(self.seen().last_edge());
        let Doubts { skipped, traceless, unseen, disordered, blind, .. } = line.doubts;
        let has_presses = quiet > 0 && presses.count() >= line.moves.len();
        (skipped == 0 || has_presses)
            && (traceless == 0 || quiet >= REST_TRACELESS || has_presses)
            && (unseen == 0 || quiet > 0)
            && (blind == 0 || quiet >= REST_CARRIED || has_presses)
            && (disordered == 0 || quiet >= REST_TRACELESS)
    }

    /// Returns the deferred line from which at most two more plies lead to what is seen; at least one ply if its own moves left no
    /// trace.
    pub(super) fn find_deferred(
        &self,
        now: Millis,
        presses: &UnmatchedPresses,
        deferred: &DeferredLines,
    ) -> Option<Replacement> {
        (0..=2).find_map(|depth| {
            deferred.iter().filter(|deferred| deferred.is_seen() || depth > 0).find_map(|deferred| {
                let tip = deferred.tip();
                let found = explain(&tip.position, self.seen(), self.hidden(), depth, tip.made_at);
                let best = found.first().filter(|best| self.is_believed(now, best, presses))?;
                Some(deferred.with_more(&best.moves))
            })
        })
    }

    /// Returns the moves by which the last move's piece went on from where it was for a moment, and was captured where it was not
    /// seen to arrive.
    pub(super) fn find_captured_unseen(&self, now: Millis) -> Option<(usize, Explanation)> {
        let base = self.history().node_count().checked_sub(2)?;
        if self.passed_square().is_empty() || self.tip().is_closed(now) {
            return None;
        }
        let from = self.tip().mv?.from();
        let fits = |moves: &[Move]| matches!(moves, [first, second] if first.from() == from && second.is_capture() && second.to() == landing_square(*first));
        let best = self.explain_after(base, 2).into_iter().find(|line| fits(&line.moves))?;
        Some((base, best))
    }

    /// Returns the last three moves in a better order, if there is one: the last one was found on the board and not seen to be
    /// made, so it may be older than others.
    pub(super) fn find_reordered(&self) -> Option<(usize, Explanation)> {
        let nodes = self.history().nodes();
        let mv = self.tip().mv.filter(|&mv| self.seen().was_found(landing_square(mv)))?;
        let base = nodes.len().checked_sub(1 + 3)?;
        let played: Vec<Move> = self.history().moves_after(base).collect();
        let since = self.history().next_made_at(base).saturating_sub(1);
        let found = explain(&nodes[base].position, self.seen(), self.hidden(), 3, since);
        let current = found.iter().find(|line| line.moves == played).map(|line| line.doubts)?;
        let best = found.into_iter().next().filter(|best| best.doubts < current && best.moves.contains(&mv))?;
        Some((base, best))
    }
}
