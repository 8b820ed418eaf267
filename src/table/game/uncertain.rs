//! Alerts about moves that may have been other ones.

use super::TableGame;
use super::draft::AlertDraft;
use crate::boards::{Millis, SensorKind};
use crate::game::{AlertKind, Confidence, CorrectionReason, Text};
use crate::infer::model::{DAMAGE_WINDOW, MAX_OVERLAP};
use crate::infer::{LineNode, landing_square};
use crate::laws::Position;
use crate::table::Output;
use shakmaty::{Move, Square};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// On boards that identify pieces, moves are rarely published with less confidence than this: a square did not show the move.
const DOUBTFUL: Confidence = Confidence(500);

/// The same as [`MAX_OVERLAP`] where the opponent's move could have been two, one before and one after, in milliseconds.
const OVERLAP_OF_TWO: Millis = 600;
/// A hand rarely carries a piece for longer than this, in milliseconds: it may have been put down in between.
const MAX_CARRY_TIME: Millis = 1_000;

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
    pub fn alert_unconfirmed_plies(&mut self, now: Millis, from: usize, output: &mut Output) {
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
            let Some((key, plies, rival)) = self.doubt(now, ply, to > from + 1) else { continue };
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

    /// Returns why the move of this ply may have been another one: the text key, the plies concerned, and the other move if known.
    /// `several`: it was published together with others.
    fn doubt(&self, now: Millis, ply: usize, several: bool) -> Option<(&'static str, RangeInclusive<usize>, Option<Move>)> {
        let (line, seen) = (self.follower.nodes(), self.follower.seen());
        let (before, node) = (line.get(ply.checked_sub(1)?)?, line.get(ply)?);
        let mv = node.mv?;
        let earlier = ply.checked_sub(2).and_then(|earlier| line.get(earlier)).zip(before.mv);
        let both_plies = ply - usize::from(earlier.is_some())..=ply;
        let is_identity = seen.sensing() == SensorKind::Identity;
        if is_identity {
            // What was recorded at once, including missing moves, has its own alert.
            let is_seen = node.confidence != Some(Confidence::CERTAIN);
            let is_damaged = seen.was_damaged(now, DAMAGE_WINDOW);
            if is_damaged && (node.is_reconstructed() || (several && is_seen)) {
                return Some(("uncertain_line", ply..=ply, None));
            }
            // The piece was on its square long before the move that this move answers, or was found there before any move was.
            if is_damaged && (self.stood_before(before, mv, MAX_OVERLAP) || self.displaced.has_differed(landing_square(mv))) {
                return Some(("uncertain_line", both_plies, None));
            }
            if is_damaged && earlier.is_some_and(|(earlier, _)| self.is_reply_to_another(ply, earlier, before, mv)) {
                return Some(("uncertain_line", both_plies, None));
            }
            // On a link that loses nothing, a delayed reply may have shown it.
            if !is_damaged && seen.found_delayed().contains(landing_square(mv)) {
                return Some(("uncertain_late", ply..=ply, None));
            }
            // A working square shows a piece that arrives. A square that is only suspected of being stuck, to explain this very
            // move, has not been reported.
            let faulty = self.follower.reported_faulty();
            let is_working = |square| !faulty.contains(square);
            if is_working(landing_square(mv)) && (node.silent || self.follower.stuck_squares().contains(landing_square(mv))) {
                return Some(("uncertain_unshown", ply..=ply, None));
            }
            if earlier.is_some_and(|(earlier, first)| self.is_between_two(earlier, first, before, mv)) {
                return Some(("uncertain_twice", both_plies, None));
            }
            if earlier.is_some_and(|(_, first)| self.may_be_one_move(ply, first, before, mv)) {
                return Some(("uncertain_twice", ply - 2..=ply, None));
            }
            if mv.promotion().is_some() && seen.assumed_queens().contains(mv.to()) {
                return Some(("uncertain_promotion", ply..=ply, None));
            }
        }
        if earlier.is_some_and(|(_, first)| self.came_late_together(first, before, mv, node))
            && seen.sensing() != SensorKind::Occupancy
        {
            return Some(("uncertain_late", both_plies, None));
        }
        let doubt = is_identity.then(|| self.follower.confidence(ply, now)).flatten();
        let rivals =
            doubt.filter(|(confidence, _)| *confidence < DOUBTFUL).map_or_else(|| node.rivals.clone(), |doubt| doubt.1);
        let legal = before.position.legal_moves();
        let (rival, _) = rivals.into_iter().find(|(other, _)| legal.contains(other))?;
        Some(("uncertain", ply..=ply, Some(rival)))
    }

    /// Whether the pieces of these two moves were reported at the same instant, which was later than their arrival. `before`,
    /// `node`: the positions after the moves.
    fn came_late_together(&self, first: Move, before: &LineNode, mv: Move, node: &LineNode) -> bool {
        let seen = self.follower.seen();
        let (from, to) = (landing_square(first), landing_square(mv));
        let at_once = if from == to { before.made_at == node.made_at } else { seen.changed_at(from) == seen.changed_at(to) };
        let both_delayed = at_once && seen.delayed_squares().contains(from) && seen.delayed_squares().contains(to);
        // One of the pieces may have left since.
        both_delayed || before.made_at == node.made_at && seen.is_late(node.made_at)
    }

    /// Whether the piece of this move was on its destination square more than `min_time` ms before the move that it answers.
    fn stood_before(&self, before: &LineNode, mv: Move, min_time: Millis) -> bool {
        self.follower.seen().changed_at(landing_square(mv)) + min_time < before.made_at
    }

    /// Whether this move was made before the move that it answers, but after a clock press by the opponent: it answered a move that
    /// was lost. `earlier`: the position before the opponent's move that led to `before`.
    fn is_reply_to_another(&self, ply: usize, earlier: &LineNode, before: &LineNode, mv: Move) -> bool {
        let seen = self.follower.seen();
        let arrived_at = seen.changed_at(landing_square(mv));
        // A press may be reported so late that it belongs to the opponent's previous move.
        let known = ply.checked_sub(3).and_then(|last| self.follower.nodes().get(last)).and_then(|last| last.pressed_at);
        let pressed = |(at, by)| by == earlier.position.turn() && at < arrived_at && Some(at) != known;
        arrived_at < before.made_at && seen.presses_since(earlier.made_at).any(pressed)
    }

    /// Whether the opponent's piece was in the air long enough to be put down on the way, with this move as the reply to that.
    /// `earlier`: the position before the opponent's move `first`, which leads to `before`.
    fn is_between_two(&self, earlier: &LineNode, first: Move, before: &LineNode, mv: Move) -> bool {
        let lifted = first.from().map(|from| self.follower.seen().changed_at(from));
        self.stood_before(before, mv, OVERLAP_OF_TWO)
            && lifted.is_some_and(|lifted| lifted + MAX_CARRY_TIME < before.made_at)
            && could_be_two(&earlier.position, first, mv)
    }

    /// Whether the piece of this player's last move moved on before the opponent's move between the two had begun: it may have been
    /// one move, with the clock pressed on the way. `before`: the position after the opponent's move `first`.
    fn may_be_one_move(&self, ply: usize, first: Move, before: &LineNode, mv: Move) -> bool {
        let (line, seen) = (self.follower.nodes(), self.follower.seen());
        let Some((start, first_half)) = ply.checked_sub(3).and_then(|start| line.get(start).zip(line.get(start + 1))) else {
            return false;
        };
        let Some((first_half, first_half_at)) = first_half.mv.zip(Some(first_half.made_at)) else { return false };
        let arrived_at = seen.changed_at(landing_square(mv));
        let is_one = |other: &Move| other.from() == first_half.from() && landing_square(*other) == landing_square(mv);
        mv.from() == Some(landing_square(first_half))
            && (first_half_at..before.made_at).contains(&arrived_at)
            && first.from().is_some_and(|from| arrived_at < seen.changed_at(from))
            && start.position.legal_moves().iter().any(is_one)
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

/// Whether a piece could have come to the same square in two moves, with this reply to the first of them.
fn could_be_two(position: &Position, mv: Move, reply: Move) -> bool {
    position.legal_moves().into_iter().filter(|half| half.from() == mv.from() && half.to() != mv.to()).any(|half| {
        let between = position.play(half);
        between.legal_moves().contains(&reply) && {
            let after = between.play(reply);
            let continues = |other: &Move| other.from() == Some(half.to()) && other.to() == mv.to();
            after.legal_moves().iter().any(continues)
        }
    })
}
