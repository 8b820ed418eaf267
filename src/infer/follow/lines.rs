//! The lines of play that are followed: applying events to each, ranking, merging and pruning.

use super::Follower;
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::{CorrectionReason, Fault};
use crate::infer::model::{self, Cost};
use crate::infer::retell::retell;
use crate::infer::{Beam, Line, Seen};
use shakmaty::{Bitboard, Square};
use std::sync::Arc;

impl Follower {
    /// Returns the lines that are still possible; in offline decoding, those that live decoding would keep.
    pub(super) fn credible(&self, now: Millis) -> impl Iterator<Item = &Line> {
        let costs = |beam| match beam {
            Beam::Steady(_) => None,
            Beam::Wide => {
                Some(self.lines.iter().map(|line| line.cost(now, &self.seen)).min().unwrap_or_default() + model::HOPELESS)
            }
        };
        let most = costs(self.beam);
        self.lines.iter().filter(move |line| {
            most.is_none_or(|most| line.cost(now, &self.seen).min(line.past_cost() + model::AT_WORST) <= most)
        })
    }

    /// Applies `act` to every line, then re-ranks them.
    pub(super) fn each(&mut self, now: Millis, mut act: impl FnMut(&mut Line, &Seen, &mut Vec<Line>)) {
        let before = self.best().changes();
        let (plies, last) = (self.line().len(), self.tip().mv);
        let fixed = (self.fixed > 0).then(|| self.best().clone());
        let mut others = Vec::new();
        for line in &mut self.lines {
            act(line, &self.seen, &mut others);
            others.truncate(model::PARTED);
        }
        if self.beam == Beam::Wide {
            self.credible(now).for_each(|line| line.ways(now, &self.seen, &mut others));
        }
        self.lines.append(&mut others);
        if self.seen.sensing() == Sensing::Identity {
            // The past has changed, or two plies came at once.
            let surprised = self.line().get(plies - 1).is_none_or(|node| node.mv != last) || self.line().len() > plies + 1;
            self.retell(now, surprised);
        } else {
            let new = self.lines.iter().filter(|line| line.is_new(now));
            let in_one_go: Vec<Line> = new.filter_map(|line| line.in_one_go(&self.seen)).collect();
            self.lines.extend(in_one_go);
        }
        if let Some(published) = fixed {
            self.keep_fixed(published);
        }
        let alone = self.lines.len() == 1;
        if !alone {
            let from = self.parting();
            for line in &mut self.lines {
                line.charge(now, from, &self.seen);
            }
        }
        if self.best().changes() != before {
            self.changes += 1;
            self.reason = None;
        }
        if !alone {
            self.weigh(now);
        }
        self.find_stuck(now);
    }

    /// Re-decodes the last moments where hands overlap.
    pub(super) fn retell(&mut self, now: Millis, surprised: bool) {
        if self.seen.sensing() != Sensing::Identity
            || self.held.is_some()
            || (self.lines.len() == 1 && !surprised && !self.best().is_hurried(&self.seen))
        {
            return;
        }
        let published = self.best();
        let base = published.solid(now);
        let Some(node) = published.nodes().get(base) else { return };
        let irregular = published.nodes().iter().skip(base + 1).any(|node| node.irregular);
        if irregular || !self.seen.remembers(node.made_at) || self.seen.is_damaged(now, model::BAD_LINE) {
            return;
        }
        let hidden = self.hidden();
        let told = retell(node, &self.seen, hidden, now);
        let Some(best) = told.first() else { return };
        let limit = best.cost + model::RETOLD;
        let new: Vec<Line> = told
            .iter()
            .take_while(|told| told.cost <= limit)
            .take(4)
            .filter(|told| !self.lines.iter().any(|line| line.says(base, told)))
            .map(|told| published.told_anew(base, told, &self.seen))
            .collect();
        self.lines.extend(new);
        // All lines are weighed over the same moments.
        let base = base.min(self.parting().saturating_sub(1));
        let Some(node) = self.best().nodes().get(base) else { return };
        if self.seen.remembers(node.made_at) {
            for line in &mut self.lines {
                line.tell_anew(base, now, &self.seen);
            }
        }
    }

    /// Returns the first ply in which the lines differ, but none older than the last [`model::COMPARED`] plies.
    pub(super) fn parting(&self) -> usize {
        let least = self.lines.iter().map(|line| line.nodes().len()).min().unwrap_or(0);
        let first = least.saturating_sub(model::COMPARED);
        let ply = |line: &Line, index: usize| {
            line.nodes().get(index).map(|node| (node.mv, node.silent, node.manner, node.pressed_at.is_some()))
        };
        let differ = |index: &usize| self.lines.iter().any(|line| ply(line, *index) != ply(self.best(), *index));
        (first..least).find(differ).unwrap_or(least)
    }

    /// Handles a change of a square that had shown `before` since `since`: tests whether it flickers, or was wrongly assumed stuck.
    pub(super) fn watch(&mut self, now: Millis, square: Square, before: Sensed, since: Millis) {
        let tip = self.best().tip();
        let right = self.seen.shows(square, tip.position.piece_at(square));
        let moved = tip.mv.is_some_and(|mv| mv.to() == square) && tip.made_at >= since;
        if before == Sensed::Empty && right && !moved && now.saturating_sub(since) <= model::FLICKER {
            self.faults.spell(now, square);
        }
        self.faults.changed(now, square, right);
        self.faults.pass(now, self.best().tip().position.board().occupied());
        if !self.faults.with(Fault::Stuck).contains(square) {
            for line in &mut self.lines {
                line.disprove(square, &self.seen);
            }
        }
        self.discount(now);
    }

    /// Reports a square that all lines have assumed stuck for a few moves.
    pub(super) fn find_stuck(&mut self, now: Millis) {
        let all = self.credible(now).fold(Bitboard::FULL, |all, line| all & line.blind());
        let best = self.best();
        if (all & !self.faults.with(Fault::Stuck)).any() && best.is_at_tip() && best.plies_since_blind() >= model::STUCK_TOLD {
            for square in all & !self.faults.with(Fault::Stuck) {
                self.faults.find(now, square, Fault::Stuck);
            }
        }
    }

    /// Applies the known faults of squares to all lines.
    pub(super) fn discount(&mut self, now: Millis) {
        self.seen.set_flickering(self.faults.with(Fault::Flickering));
        let stuck = self.faults.with(Fault::Stuck);
        for line in &mut self.lines {
            line.add_blind(stuck, &self.seen);
        }
        self.doubt(now);
    }

    pub(super) fn doubt(&mut self, now: Millis) {
        if self.seen.doubt(now) {
            for line in &mut self.lines {
                line.look_again(&self.seen);
            }
        }
    }

    /// Ranks the lines: puts the one to publish first and drops duplicates, hopeless lines and those over the limits.
    pub(super) fn weigh(&mut self, now: Millis) {
        let weighed = match self.beam {
            Beam::Steady(_) => self.steadily(now),
            Beam::Wide => self.by_cost(now),
        };
        self.keep(weighed);
        if self.lines.len() == 1
            && let Some(line) = self.lines.first_mut()
        {
            line.forget_costs();
        }
    }

    /// Sorts the lines by cost; of equal ones the one that was first stays first.
    pub(super) fn by_cost(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let cost = |line: Line| (line.cost(now, &self.seen), line);
        let mut weighed: Vec<(usize, (Cost, Line))> = self.lines.drain(..).map(cost).enumerate().collect();
        weighed.sort_by_key(|(_, (cost, _))| *cost);
        if weighed.first().is_some_and(|(was, _)| *was > 0) {
            self.changes += 1;
            self.reason = Some(CorrectionReason::Evidence);
        }
        weighed.into_iter().map(|(_, line)| line).collect()
    }

    /// Puts the published line first, or another one if it is clearly better; sorts the rest by cost.
    pub(super) fn steadily(&mut self, now: Millis) -> Vec<(Cost, Line)> {
        let published = self.lines.remove(0);
        let mut weighed: Vec<(Cost, Line)> = self.lines.drain(..).map(|line| (line.cost(now, &self.seen), line)).collect();
        weighed.sort_by_key(|(cost, _)| *cost);
        let cost = published.cost(now, &self.seen);
        let margin = match published.is_at_tip() {
            true => model::MARGIN,
            false if now.saturating_sub(self.seen.last_edge()) >= model::REST_CASTLING => model::MARGIN_QUIET,
            false => model::MARGIN_OPEN,
        };
        let long = now.saturating_sub(self.seen.last_edge()) >= model::REST_TRACELESS;
        let at_a_loss = long && published.unexplained(&self.seen).any();
        let stuck = |other: &Line| match published.blind().count() <= other.blind().count() {
            // A line that assumes a stuck square does not drop that because a player lifts an unlikely piece.
            false if published.plies_since_blind() > 1 => model::MARGIN_STUCK,
            false => 0,
            // Before the arbiter is alerted, a stuck square is the better explanation.
            true if at_a_loss && other.is_at_tip() && other.blind() != published.blind() => -model::MARGIN_STUCK,
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
            first.take_over(reason);
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
    pub(super) fn keep(&mut self, weighed: Vec<(Cost, Line)>) {
        let least = weighed.iter().map(|(cost, _)| *cost).min().unwrap_or_default();
        let shared = |one: &Line, other: &Line| {
            one.nodes().iter().zip(other.nodes()).take_while(|(one, other)| Arc::ptr_eq(one, other)).count()
        };
        let (mut positions, mut bytes) = (0, 0);
        let mut prints = Vec::with_capacity(weighed.len());
        for (cost, line) in weighed {
            let print = line.print();
            if self.lines.is_empty() {
                bytes = line.bytes(0);
                self.lines.push(line);
                prints.push(print);
                continue;
            }
            let own = line.nodes().len() - shared(&line, self.best());
            let hopeless = cost.min(line.past_cost() + model::AT_WORST) > least + self.beam.hopeless();
            let small = self.beam == Beam::Wide || bytes + line.bytes(own) <= model::BYTES;
            let room = small && self.lines.len() < self.beam.lines() && positions + own < self.beam.positions();
            // Most lines differ in this one number.
            let known = || prints.iter().zip(&self.lines).any(|(other, told)| *other == print && told.is_told_by(&line));
            if !hopeless && room && !known() {
                positions += own;
                bytes += line.bytes(own);
                self.lines.push(line);
                prints.push(print);
            }
        }
    }
}
