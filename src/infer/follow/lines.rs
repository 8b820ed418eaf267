//! The lines of play that are followed: applying events to each, ranking, merging and pruning.

use super::Follower;
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{CorrectionReason, Fault};
use crate::infer::model::{self, Cost};
use crate::infer::redecode::redecode;
use crate::infer::{Beam, Line, ObservedBoard};
use shakmaty::{Bitboard, Square};
use std::sync::Arc;

impl Follower {
    /// Returns the lines that are still possible; in offline decoding, those that live decoding would keep.
    pub(super) fn credible_lines(&self, now: Millis) -> impl Iterator<Item = &Line> {
        let cost_limit = |beam| match beam {
            Beam::Live(_) => None,
            Beam::Offline => {
                Some(self.lines.iter().map(|line| line.cost(now, &self.seen)).min().unwrap_or_default() + model::PRUNE_MARGIN)
            }
        };
        let limit = cost_limit(self.beam);
        self.lines.iter().filter(move |line| {
            limit.is_none_or(|limit| line.cost(now, &self.seen).min(line.past_cost() + model::MAX_PENDING_AT_PRUNE) <= limit)
        })
    }

    /// Applies `act` to every line, then re-ranks them.
    pub(super) fn apply_to_lines(&mut self, now: Millis, mut act: impl FnMut(&mut Line, &ObservedBoard, &mut Vec<Line>)) {
        let before = self.best().changes();
        let (plies, last) = (self.nodes().len(), self.tip().mv);
        let fixed = (self.fixed_plies > 0).then(|| self.best().clone());
        let mut others = Vec::new();
        for line in &mut self.lines {
            act(line, &self.seen, &mut others);
            others.truncate(model::MAX_SPLITS);
        }
        if self.beam == Beam::Offline {
            self.credible_lines(now).for_each(|line| line.add_replacements(now, &self.seen, &mut others));
        }
        self.lines.append(&mut others);
        if self.seen.sensing() == SensorKind::Identity {
            // The past has changed, or two plies came at once.
            let surprised = self.nodes().get(plies - 1).is_none_or(|node| node.mv != last) || self.nodes().len() > plies + 1;
            self.redecode(now, surprised);
        } else {
            let new = self.lines.iter().filter(|line| line.is_new(now));
            let merged: Vec<Line> = new.filter_map(|line| line.merge_continued_move(&self.seen)).collect();
            self.lines.extend(merged);
        }
        if let Some(published) = fixed {
            self.prune_unfixed(published);
        }
        let alone = self.lines.len() == 1;
        if !alone {
            let from = self.first_difference();
            for line in &mut self.lines {
                line.count_costs(now, from, &self.seen);
            }
        }
        if self.best().changes() != before {
            self.changes += 1;
            self.reason = None;
        }
        if !alone {
            self.rank_lines(now);
        }
        self.report_stuck(now);
    }

    /// Re-decodes the last moments where hands overlap.
    pub(super) fn redecode(&mut self, now: Millis, surprised: bool) {
        if self.seen.sensing() != SensorKind::Identity
            || self.suspended.is_some()
            || (self.lines.len() == 1 && !surprised && !self.best().needs_redecode(&self.seen))
        {
            return;
        }
        let published = self.best();
        let base = published.settled_ply(now);
        let Some(node) = published.nodes().get(base) else { return };
        let irregular = published.nodes().iter().skip(base + 1).any(|node| node.irregular);
        if irregular || !self.seen.has_all_changes(node.made_at) || self.seen.was_damaged(now, model::DAMAGE_WINDOW) {
            return;
        }
        let hidden = self.ignored_squares();
        let candidates = redecode(node, &self.seen, hidden, now);
        let Some(best) = candidates.first() else { return };
        let limit = best.cost + model::REDECODE_MARGIN;
        let new: Vec<Line> = candidates
            .iter()
            .take_while(|candidate| candidate.cost <= limit)
            .take(4)
            .filter(|candidate| !self.lines.iter().any(|line| line.has_plies(base, candidate)))
            .map(|candidate| published.with_redecoded(base, candidate, &self.seen))
            .collect();
        self.lines.extend(new);
        // All lines are weighed over the same moments.
        let base = base.min(self.first_difference().saturating_sub(1));
        let Some(node) = self.best().nodes().get(base) else { return };
        if self.seen.has_all_changes(node.made_at) {
            for line in &mut self.lines {
                line.recompute_costs(base, now, &self.seen);
            }
        }
    }

    /// Returns the first ply in which the lines differ, but none older than the last [`model::COMPARED_PLIES`] plies.
    pub(super) fn first_difference(&self) -> usize {
        let least = self.lines.iter().map(|line| line.nodes().len()).min().unwrap_or(0);
        let first = least.saturating_sub(model::COMPARED_PLIES);
        let ply = |line: &Line, index: usize| {
            line.nodes().get(index).map(|node| (node.mv, node.silent, node.handling_cost, node.pressed_at.is_some()))
        };
        let differ = |index: &usize| self.lines.iter().any(|line| ply(line, *index) != ply(self.best(), *index));
        (first..least).find(differ).unwrap_or(least)
    }

    /// Handles a change of a square that had shown `before` since `since`: tests whether it flickers, or was wrongly assumed stuck.
    pub(super) fn watch_square(&mut self, now: Millis, square: Square, before: SquareState, since: Millis) {
        let tip = self.best().tip();
        let right = self.seen.is_compatible(square, tip.position.piece_at(square));
        let moved = tip.mv.is_some_and(|mv| mv.to() == square) && tip.made_at >= since;
        if before == SquareState::Empty && right && !moved && now.saturating_sub(since) <= model::MAX_FLICKER_GAP {
            self.faults.note_gap(now, square);
        }
        self.faults.note_change(now, square, right);
        self.faults.advance(now, self.best().tip().position.board().occupied());
        if !self.faults.squares_with(Fault::Stuck).contains(square) {
            for line in &mut self.lines {
                line.clear_stuck(square, &self.seen);
            }
        }
        self.apply_faults(now);
    }

    /// Reports a square that all lines have assumed stuck for a few moves.
    pub(super) fn report_stuck(&mut self, now: Millis) {
        let all = self.credible_lines(now).fold(Bitboard::FULL, |all, line| all & line.assumed_stuck());
        let best = self.best();
        if (all & !self.faults.squares_with(Fault::Stuck)).any()
            && best.is_at_tip()
            && best.plies_since_stuck() >= model::STUCK_REPORT_PLIES
        {
            for square in all & !self.faults.squares_with(Fault::Stuck) {
                self.faults.set_found(now, square, Fault::Stuck);
            }
        }
    }

    /// Applies the known faults of squares to all lines.
    pub(super) fn apply_faults(&mut self, now: Millis) {
        self.seen.set_flickering(self.faults.squares_with(Fault::Flickering));
        let stuck = self.faults.squares_with(Fault::Stuck);
        for line in &mut self.lines {
            line.add_stuck(stuck, &self.seen);
        }
        self.update_doubt(now);
    }

    pub(super) fn update_doubt(&mut self, now: Millis) {
        if self.seen.update_doubt(now) {
            for line in &mut self.lines {
                line.update_at_tip(&self.seen);
            }
        }
    }

    /// Ranks the lines: puts the one to publish first and drops duplicates, hopeless lines and those over the limits.
    pub(super) fn rank_lines(&mut self, now: Millis) {
        let weighed = match self.beam {
            Beam::Live(_) => self.rank_live(now),
            Beam::Offline => self.rank_offline(now),
        };
        self.prune_lines(weighed);
        if self.lines.len() == 1
            && let Some(line) = self.lines.first_mut()
        {
            line.forget_costs();
        }
    }

    /// Sorts the lines by cost; of equal ones the one that was first stays first.
    pub(super) fn rank_offline(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let cost = |line: Line| (line.cost(now, &self.seen), line);
        let mut weighed: Vec<(usize, (Cost, Line))> = self.lines.drain(..).map(cost).enumerate().collect();
        weighed.sort_by_key(|(_, (cost, _))| *cost);
        if weighed.first().is_some_and(|(old_index, _)| *old_index > 0) {
            self.changes += 1;
            self.reason = Some(CorrectionReason::Evidence);
        }
        weighed.into_iter().map(|(_, line)| line).collect()
    }

    /// Puts the published line first, or another one if it is clearly better; sorts the rest by cost.
    pub(super) fn rank_live(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let published = self.lines.remove(0);
        let mut weighed: Vec<(Cost, Line)> = self.lines.drain(..).map(|line| (line.cost(now, &self.seen), line)).collect();
        weighed.sort_by_key(|(cost, _)| *cost);
        let cost = published.cost(now, &self.seen);
        let margin = match published.is_at_tip() {
            true => model::SWITCH_MARGIN,
            false if now.saturating_sub(self.seen.last_edge()) >= model::REST_CASTLING => model::SWITCH_MARGIN_QUIET,
            false => model::SWITCH_MARGIN_OPEN,
        };
        let is_quiet_long = now.saturating_sub(self.seen.last_edge()) >= model::REST_TRACELESS;
        let is_unexplained = is_quiet_long && published.unexplained(&self.seen).any();
        let stuck = |other: &Line| match published.assumed_stuck().count() <= other.assumed_stuck().count() {
            // A line that assumes a stuck square does not drop that because a player lifts an unlikely piece.
            false if published.plies_since_stuck() > 1 => model::SWITCH_MARGIN_STUCK,
            false => 0,
            // Before the arbiter is alerted, a stuck square is the better explanation.
            true if is_unexplained && other.is_at_tip() && other.assumed_stuck() != published.assumed_stuck() => {
                -model::SWITCH_MARGIN_STUCK
            }
            true => 0,
        };
        // A line that leaves the board equally unexplained is no better.
        let better = weighed
            .iter()
            .position(|(other, line)| other + margin + stuck(line) < cost && line.unexplained(&self.seen).is_empty());
        let reason = match better.and_then(|better| weighed.get(better)) {
            Some((_, line)) if line.takes_back(&published) => CorrectionReason::Takeback,
            _ => CorrectionReason::Evidence,
        };
        weighed.push((cost, published));
        if let Some(better) = better {
            // It comes first; the line that was published goes where its cost puts it.
            let (cost, mut first) = weighed.remove(better);
            // The change is published when the line is decided, which may be later.
            first.replace_published(reason);
            weighed.sort_by_key(|(cost, _)| *cost);
            weighed.insert(0, (cost, first));
            self.changes += 1;
            self.reason = Some(reason);
        } else {
            weighed.rotate_right(1);
        }
        weighed
    }

    /// Keeps the first line, and as many of the others as the limits allow.
    pub(super) fn prune_lines(&mut self, weighed: Vec<(Cost, Line)>) {
        let least = weighed.iter().map(|(cost, _)| *cost).min().unwrap_or_default();
        let shared = |one: &Line, other: &Line| {
            one.nodes().iter().zip(other.nodes()).take_while(|(one, other)| Arc::ptr_eq(one, other)).count()
        };
        let (mut positions, mut bytes) = (0, 0);
        let mut fingerprints = Vec::with_capacity(weighed.len());
        for (cost, line) in weighed {
            let fingerprint = line.fingerprint();
            if self.lines.is_empty() {
                bytes = line.memory_bytes(0);
                self.lines.push(line);
                fingerprints.push(fingerprint);
                continue;
            }
            let own_nodes = line.nodes().len() - shared(&line, self.best());
            let hopeless = cost.min(line.past_cost() + model::MAX_PENDING_AT_PRUNE) > least + self.beam.prune_margin();
            let fits_memory = self.beam == Beam::Offline || bytes + line.memory_bytes(own_nodes) <= model::MAX_BYTES;
            let has_room =
                fits_memory && self.lines.len() < self.beam.max_lines() && positions + own_nodes < self.beam.max_positions();
            // Most lines differ in this one number.
            let is_duplicate = || {
                fingerprints
                    .iter()
                    .zip(&self.lines)
                    .any(|(other, retained)| *other == fingerprint && retained.is_same_as(&line))
            };
            if !hopeless && has_room && !is_duplicate() {
                positions += own_nodes;
                bytes += line.memory_bytes(own_nodes);
                self.lines.push(line);
                fingerprints.push(fingerprint);
            }
        }
    }
}
