//! Alerts about moves that may have been other ones.

use super::TableGame;
use super::doubt::doubt;
use super::draft::AlertDraft;
use crate::boards::Millis;
use crate::game::{AlertKind, Confidence, CorrectionReason, Text};
use crate::table::Output;
use shakmaty::{Move, Role, Square};
use std::collections::BTreeMap;

/// Minimum confidence of an illegal move that may have been made in place of a legal one, for an alert. For kings there is none: most
/// illegal captures are theirs.
const MIN_ILLEGAL: Confidence = Confidence(250);

impl TableGame {
    /// Alerts the arbiter if the record was rewritten from ply `same` on, where it had the moves `before`, and the order is
    /// uncertain. If the new moves are the same in another order, little was seen of the order. After a gap, an occupancy board
    /// shows nothing but the order.
    pub(super) fn alert_rewritten_order(&mut self, now: Millis, same: usize, before: &[Move], output: &mut Output) {
        let after = self.published.moves().get(same..).unwrap_or_default();
        let is_reordered = after.get(..before.len()).is_some_and(|after| {
            after != before && before.iter().all(|mv| after.contains(mv)) && after.iter().all(|mv| before.contains(mv))
        });
        let count = if is_reordered { before.len() } else { after.len() };
        let is_doubtful =
            is_reordered || (before.len() > 1 && count > 0 && self.follows_gap_blindly() && !self.is_gap_alerted());
        if is_doubtful && self.follower.reason() == CorrectionReason::Evidence {
            self.raise_plies(now, "uncertain_order", same, count, output);
        }
    }

    /// Alerts the arbiter if several moves were reconstructed from the position seen after a gap, without evidence for each: other
    /// moves, or more of them, may have led there. Returns whether the arbiter was alerted. `same`, `to`: the number of plies that
    /// were published before, and that are now.
    pub(super) fn alert_reconstructed_moves(&mut self, now: Millis, same: usize, to: usize, output: &mut Output) -> bool {
        let Some((from, seen_at)) = self.board.gap_seen() else { return false };
        let line = self.follower.nodes();
        let nodes = line.get(from + 1..to + 1).unwrap_or_default();
        // A board that does not identify pieces has not agreed with the record since, and only these moves together explain it.
        let together = to > same.max(from) + 1 && !self.board.has_agreed() && self.follows_gap_blindly();
        let missed = nodes.iter().take_while(|node| together || node.is_reconstructed() || node.made_at <= seen_at).count();
        if missed < nodes.len() || nodes.len() > 1 {
            self.board.forget_gap();
        }
        if missed < 2 {
            return false;
        }
        self.raise_plies(now, "uncertain_order", from, missed, output);
        true
    }

    /// Alerts the arbiter if the board's memory does not show all that is on record after the first `from` plies: other moves may
    /// have been played.
    pub(crate) fn alert_unconfirmed_plies(&mut self, now: Millis, from: usize, output: &mut Output) {
        let count = self.published.len().saturating_sub(from);
        if count > 0 {
            self.raise_plies(now, "uncertain_order", from, count, output);
        }
    }

    /// Alerts the arbiter that the `count` plies after the first `from` of the record are uncertain. `key`: the text that says why.
    pub(super) fn raise_plies(&mut self, now: Millis, key: &str, from: usize, count: usize, output: &mut Output) {
        let line = self.follower.nodes();
        let moves = line.iter().zip(line.iter().skip(1)).skip(from).take(count).filter_map(|(before, node)| {
            let mv = node.mv?;
            Some((before.position.numbered_san(mv), mv.to()))
        });
        let (plies, squares): (Vec<String>, Vec<Square>) = moves.unzip();
        let text = Text::new(key).with("plies", plies.join(", "));
        let ply = Some(from as u32 + 1);
        self.raise(now, AlertDraft { squares, ply, ..AlertDraft::new(AlertKind::MovesUncertain, text) }, output);
    }

    /// Alerts the arbiter of moves that were just published and that other lines would explain as well.
    pub(super) fn alert_uncertain_moves(&mut self, now: Millis, from: usize, to: usize, output: &mut Output) {
        let line = self.follower.nodes();
        // Plies, with destination square and notation, grouped by the reason that makes them uncertain.
        let mut doubts: BTreeMap<&str, BTreeMap<usize, (Square, String)>> = BTreeMap::new();
        for ply in from + 1..=to {
            let Some((key, plies, rival)) = doubt(&self.follower, &self.displaced, now, ply, to > from + 1) else { continue };
            for ply in plies {
                let (Some(before), Some(node)) = (line.get(ply - 1), line.get(ply)) else { continue };
                let Some(mv) = node.mv else { continue };
                let written = before.position.numbered_san(rival.unwrap_or(mv));
                doubts.entry(key).or_default().insert(ply, (mv.to(), written));
            }
        }
        for (key, moves) in doubts {
            // The first of them, so that a correction of other moves does not settle it.
            let ply = moves.keys().next().map(|&ply| ply as u32);
            let (squares, plies): (Vec<Square>, Vec<String>) = moves.into_values().unzip();
            let text = Text::new(key).with("plies", plies.join(", "));
            self.raise(now, AlertDraft { squares, ply, ..AlertDraft::new(AlertKind::MovesUncertain, text) }, output);
        }
    }

    /// Alerts the arbiter of a published capture whose capturing square showed no change, if an illegal move explains everything
    /// that has changed.
    pub(super) fn alert_illegal_alternative(&mut self, now: Millis, output: &mut Output) {
        for ply in self.alert_filter.last_capture_ply() + 1..=self.published.len() {
            let line = self.follower.nodes();
            let (Some(before), Some(node)) = (line.get(ply - 1), line.get(ply)) else { return };
            let Some((mv, instead)) =
                node.mv.zip(node.illegal_alternative).filter(|(mv, _)| self.published.moves().get(ply - 1) == Some(mv))
            else {
                continue;
            };
            let share = self
                .follower
                .confidence(ply, now)
                .and_then(|(_, others)| others.into_iter().find_map(|(other, share)| (other == instead.mv).then_some(share)));
            if instead.mv.role() != Role::King && share.is_none_or(|share| share < MIN_ILLEGAL) {
                continue;
            }
            let squares = vec![mv.to(), instead.mv.to()];
            let text = Text::new("uncertain").with("plies", before.position.numbered_san(instead.mv));
            self.alert_filter.note_capture_alert(ply);
            self.raise(
                now,
                AlertDraft { squares, ply: Some(ply as u32), ..AlertDraft::new(AlertKind::MovesUncertain, text) },
                output,
            );
        }
    }
}
