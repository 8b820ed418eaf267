//! The lines of play of one game: applying events to each, re-decoding, and revising them for the arbiter.

use super::ranking;
use crate::boards::{Millis, SensorKind};
use crate::game::CorrectionReason;
use crate::infer::model;
use crate::infer::{Beam, DropReason, KnownPly, Line, LineNode, LineTrace, ObservedBoard};
use shakmaty::{Bitboard, Move, Role, Square};
use std::collections::VecDeque;
use std::sync::Arc;

/// All lines of play that are still possible.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// The first is published. Never empty.
    pub(super) lines: Vec<Line>,
    /// Limits the number of lines and decides which comes first.
    beam: Beam,
    /// Counts every change of the published line.
    changes: u64,
    /// Why the published line last changed its past; `None` means the line's own reason.
    reason: Option<CorrectionReason>,
    /// Number of plies that the arbiter has confirmed: they are not revised.
    fixed_plies: usize,
    /// When another line replaced the published one, oldest first; none that is older than [`model::REPLACEMENT_WINDOW`].
    replaced_at: VecDeque<Millis>,
    /// The line that is traced through the search, if one is.
    trace: Option<Box<LineTrace>>,
}

impl Lines {
    /// Creates the lines of a game, of which `line` is the first. `changes`: the first value of the counter of changes.
    pub(super) fn new(line: Line, beam: Beam, changes: u64) -> Lines {
        Lines { lines: vec![line], beam, changes, reason: None, fixed_plies: 0, replaced_at: VecDeque::new(), trace: None }
    }

    /// Returns the published line.
    pub(super) fn best(&self) -> &Line {
        // `lines` is never empty.
        &self.lines[0]
    }

    /// Returns all lines; the first is published.
    pub(super) fn all(&self) -> &[Line] {
        &self.lines
    }

    /// Traces a line through the search from now on.
    pub(super) fn set_trace(&mut self, trace: LineTrace) {
        self.trace = Some(Box::new(trace));
    }

    /// Returns the trace of a line, if one is traced.
    pub(super) fn trace(&self) -> Option<&LineTrace> {
        self.trace.as_deref()
    }

    /// Returns the beam width.
    pub(super) fn beam(&self) -> Beam {
        self.beam
    }

    /// Sets the beam width.
    pub(super) fn set_beam(&mut self, beam: Beam) {
        self.beam = beam;
    }

    /// Returns a counter of changes of the published line or of what is decided.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns why the published line last changed its past.
    pub(super) fn reason(&self) -> CorrectionReason {
        self.reason.unwrap_or(self.best().history().reason())
    }

    /// Returns the lines that are still possible; in offline decoding, those that live decoding would keep.
    pub(super) fn credible(&self, now: Millis, seen: &ObservedBoard) -> impl Iterator<Item = &Line> {
        let limit = match self.beam {
            Beam::Live(_) => None,
            Beam::Offline(_) => {
                let least = self.lines.iter().map(|line| line.cost(now, seen)).min().unwrap_or_default();
                Some(least + model::PRUNE_MARGIN)
            }
        };
        self.lines.iter().filter(move |line| {
            limit.is_none_or(|limit| line.cost(now, seen).min(line.past_cost() + model::MAX_PENDING_AT_PRUNE) <= limit)
        })
    }

    /// Calls `act` on every line, and does not rank them again.
    pub(super) fn for_each(&mut self, act: impl FnMut(&mut Line)) {
        self.lines.iter_mut().for_each(act);
    }

    /// Drops all lines but the published one.
    pub(super) fn keep_published(&mut self) {
        self.drop_others(|_| false);
    }

    /// Keeps the published line, and of the others those for which `keep` returns `true`.
    pub(super) fn retain_others(&mut self, keep: impl FnMut(&mut Line) -> bool) {
        self.drop_others(keep);
    }

    /// Drops the lines after the first for which `keep` returns `false`.
    fn drop_others(&mut self, mut keep: impl FnMut(&mut Line) -> bool) {
        let (mut first, trace) = (true, &mut self.trace);
        self.lines.retain_mut(|line| {
            let keeps = std::mem::take(&mut first) || keep(line);
            if let Some(trace) = trace.as_mut().filter(|_| !keeps) {
                trace.note_dropped(line, DropReason::Decided, 0);
            }
            keeps
        });
    }

    /// Publishes the line at `index`, and drops the others.
    pub(super) fn publish(&mut self, index: usize) {
        self.lines.swap(0, index);
        self.keep_published();
        self.changes += 1;
        self.reason = Some(CorrectionReason::Evidence);
    }

    /// Notes that these lines replace those of another decoding, whose counter of changes was at `changes`.
    pub(super) fn mark_replaced(&mut self, changes: u64) {
        self.changes = self.changes.max(changes) + 1;
        self.reason = Some(CorrectionReason::Evidence);
    }

    /// Limits the lines to this number for good.
    pub(super) fn narrow(&mut self, limit: usize) {
        self.beam = Beam::Live(self.beam.max_lines().min(limit));
        self.lines.truncate(self.beam.max_lines());
    }

    /// Handles a lift that only begins the next move, see [`Line::begin_move`]. Returns `false`, and changes nothing, if it may not be
    /// such a lift, and where several lines are followed or one is traced.
    pub(super) fn begin_move(&mut self, now: Millis, square: Square, seen: &ObservedBoard) -> bool {
        match self.lines.as_mut_slice() {
            [line] if self.trace.is_none() && !self.beam.is_offline() => line.begin_move(now, square, seen),
            _ => false,
        }
    }

    /// Applies `act` to every line, then re-ranks them. `may_redecode`: the last moments may be re-decoded.
    pub(super) fn apply(
        &mut self,
        now: Millis,
        seen: &ObservedBoard,
        may_redecode: bool,
        mut act: impl FnMut(&mut Line, &ObservedBoard, &mut Vec<Line>),
    ) {
        let before = self.best().history().changes();
        let (plies, last) = (self.best().nodes().len(), self.best().tip().mv);
        let fixed = (self.fixed_plies > 0).then(|| self.best().clone());
        let mut others = Vec::new();
        for line in &mut self.lines {
            act(line, seen, &mut others);
            others.truncate(model::MAX_SPLITS);
        }
        if self.beam.is_offline() {
            self.credible(now, seen).for_each(|line| line.add_replacements(now, seen, &mut others));
        }
        self.lines.append(&mut others);
        if seen.sensing() != SensorKind::Identity {
            let new = self.lines.iter().filter(|line| line.history().is_new(now));
            let merged: Vec<Line> = new.filter_map(|line| line.merge_continued_move(seen)).collect();
            self.lines.extend(merged);
            if may_redecode && seen.sensing() == SensorKind::Occupancy {
                self.redecode_occupancy(now, seen);
            }
        } else if may_redecode {
            // The past has changed, or two plies came at once.
            let nodes = self.best().nodes();
            let surprised = nodes.get(plies - 1).is_none_or(|node| node.mv != last) || nodes.len() > plies + 1;
            self.redecode(now, seen, surprised);
        }
        if let Some(published) = fixed {
            self.prune_unfixed(published, seen);
        }
        let alone = self.lines.len() == 1;
        if !alone {
            let from = self.first_difference();
            for line in &mut self.lines {
                line.count_costs(now, from, seen);
            }
        }
        if self.best().history().changes() != before {
            self.changes += 1;
            self.reason = None;
        }
        if !alone {
            self.rank(now, seen);
        }
        if let Some(trace) = &mut self.trace {
            trace.note_followed(now, &self.lines);
        }
    }

    /// Returns the first ply in which the lines differ, but none older than the last [`model::COMPARED_PLIES`] plies.
    pub(super) fn first_difference(&self) -> usize {
        let least = self.lines.iter().map(|line| line.nodes().len()).min().unwrap_or(0);
        let first = least.saturating_sub(model::COMPARED_PLIES);
        let ply = |node: &Arc<LineNode>| (node.mv, node.silent, node.handling_cost, node.pressed_at.is_some());
        let is_same = |one: &Arc<LineNode>, other: &Arc<LineNode>| Arc::ptr_eq(one, other) || ply(one) == ply(other);
        let differ = |index: &usize| {
            let best = self.best().nodes().get(*index);
            self.lines.iter().any(|line| !line.nodes().get(*index).zip(best).is_some_and(|(one, best)| is_same(one, best)))
        };
        (first..least).find(differ).unwrap_or(least)
    }

    /// Ranks the lines: puts the one to publish first and drops duplicates, hopeless lines and those over the limits.
    fn rank(&mut self, now: Millis, seen: &ObservedBoard) {
        while self.replaced_at.pop_front_if(|at| now.saturating_sub(*at) >= model::REPLACEMENT_WINDOW).is_some() {}
        let again = match seen.sensing() {
            SensorKind::Occupancy => model::switch_margin_again(self.replaced_at.len()),
            // Their squares soon distinguish lines.
            SensorKind::Identity | SensorKind::Colour => 0,
        };
        let ranking = match self.beam {
            Beam::Live(_) => ranking::rank_live(&mut self.lines, now, seen, again),
            Beam::Offline(_) => ranking::rank_offline(&mut self.lines, now, seen),
        };
        if ranking.replaced.is_some() {
            self.replaced_at.push_back(now);
            self.changes += 1;
            self.reason = ranking.replaced;
        }
        ranking::prune(ranking.lines, self.beam, &mut self.lines, self.trace.as_deref_mut());
        if let [line] = self.lines.as_mut_slice() {
            line.forget_costs();
        }
    }

    /// Replaces the plies by `plies`, on the authority of `reason`, and drops the other lines.
    pub(super) fn rewrite(&mut self, now: Millis, plies: &[KnownPly], reason: CorrectionReason, seen: &ObservedBoard) {
        self.keep_published();
        if let Some(line) = self.lines.first_mut() {
            // Later changes of the line were not published.
            let pairs = line.nodes().iter().skip(1).zip(plies);
            let unchanged = pairs.take_while(|(node, known)| known.matches(node)).count();
            line.take_back(line.nodes().len() - 1 - unchanged, reason, seen);
            plies.iter().skip(unchanged).for_each(|known| line.append_confirmed(now, known, seen));
        }
        self.fixed_plies = self.fixed_plies.min(plies.len());
        self.changes += 1;
        self.reason = Some(reason);
    }

    /// Fixes the first `plies` plies: they are not revised whatever is seen.
    pub(super) fn fix_plies(&mut self, plies: usize, seen: &ObservedBoard) {
        self.fixed_plies = plies.min(self.best().nodes().len() - 1);
        let best = self.best().clone();
        self.prune_unfixed(best, seen);
    }

    /// Prunes lines that differ in a fixed ply; `before`: the published line as it was.
    fn prune_unfixed(&mut self, before: Line, seen: &ObservedBoard) {
        let fixed = |line: &Line| line.nodes().iter().skip(1).take(self.fixed_plies).map(|node| node.mv).collect::<Vec<_>>();
        let moves = fixed(&before);
        let published = self.lines.first().is_some_and(|line| fixed(line) == moves);
        self.lines.retain(|line| fixed(line) == moves);
        if !published {
            self.lines.insert(0, before);
            self.lines.iter_mut().take(1).for_each(|line| line.update_at_tip(seen));
        }
    }

    /// Changes the promotion piece of this ply (counted from 1), on the arbiter's authority; the moves after it stay. Prunes lines
    /// that disagree.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub(super) fn set_promotion(&mut self, ply: usize, role: Role, seen: &ObservedBoard) -> Result<(), usize> {
        let move_of = |line: &Line| line.nodes().get(ply).and_then(|node| node.mv);
        let squares_of = |mv: Option<Move>| mv.map(|mv| (mv.from(), mv.to()));
        let old_move = move_of(self.best());
        if let Some(published) = self.lines.first_mut() {
            published.set_promotion(ply, role, seen)?;
        }
        self.retain_others(|line| {
            let same = line.nodes().get(ply).is_some() && squares_of(move_of(line)) == squares_of(old_move);
            same && line.set_promotion(ply, role, seen).is_ok()
        });
        if old_move != move_of(self.best()) {
            self.reason = Some(CorrectionReason::Arbiter);
        }
        self.changes += 1;
        Ok(())
    }

    /// Weighs the lines by the piece that the players chose now for the last promotion. Returns `false` if no line has one.
    pub(super) fn weigh_choice(&mut self, now: Millis, role: Role, seen: &ObservedBoard) -> bool {
        let Some(line) = self.lines.iter().find(|line| line.promotion_before(now).is_some()) else { return false };
        let is_chosen = |line: &Line| line.promotion_before(now).is_some_and(|ply| line.promotes_to(ply, role));
        // It may have been pruned.
        if !self.lines.iter().any(is_chosen) {
            let missing = line.promotion_before(now).and_then(|ply| line.with_promotion(ply, role, seen));
            self.lines.extend(missing);
        }
        self.lines.iter_mut().for_each(|line| line.weigh_choice(now, role, seen.hands()));
        true
    }

    /// Returns the squares that all credible lines assume to be stuck.
    pub(super) fn agreed_stuck(&self, now: Millis, seen: &ObservedBoard) -> Bitboard {
        self.credible(now, seen).fold(Bitboard::FULL, |all, line| all & line.assumed_stuck())
    }
}
