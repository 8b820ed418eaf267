//! One line of play: takes edges, quiet time and clock presses, and yields moves.

mod comparison;
mod confidence;
mod cost;
mod deferred;
mod edit;
mod hand;
mod history;
mod illegal;
mod king_signal;
mod lift;
mod matches;
mod offline;
mod pending;
mod presses;
mod promotion;
mod recognise;
mod redecode;
mod replacement;
mod search;
mod split;
mod stuck;

pub(super) use comparison::Comparison;
pub(super) use cost::PlyCost;
pub(super) use history::History;
pub(super) use illegal::PlayElsewhere;

use super::explain::landing_square;
use super::model::{self, Cost, REST_CASTLING, REST_DRAGGED, SERIAL_LATENCY};
use super::{LineNode, ObservedBoard, Patience};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::Position;
use cost::LineCosts;
use deferred::DeferredLines;
use illegal::DisplacedPiece;
use presses::UnmatchedPresses;
use replacement::Replacement;
use shakmaty::{Bitboard, Color, Square};
use std::sync::Arc;
use stuck::StuckSquares;

/// A line of play since the start of the game, and how well it explains what was seen. What the board shows is passed to every
/// call: all lines look at the same board.
#[derive(Clone, Debug)]
pub struct Line {
    history: History,
    /// Whether the board shows exactly the last node.
    at_tip: bool,
    /// The squares that differ from the last node, except hidden ones; `None` if they were not computed since that node changed.
    /// [`Line::update_at_tip`] must be called when squares or hidden squares have changed.
    wrong: Option<Bitboard>,
    presses: UnmatchedPresses,
    costs: LineCosts,
    stuck: StuckSquares,
    deferred: DeferredLines,
    /// A displaced piece that nothing legal explains, relative to the last position.
    displaced: Option<DisplacedPiece>,
}

impl Line {
    /// Creates a line that begins at `start`. `max_deferred`: the line keeps fewer deferred lines than this.
    pub fn new(start: Position, seen: &ObservedBoard, max_deferred: usize) -> Line {
        let start = LineNode::at_start(start, seen.sensing());
        Line {
            at_tip: start.placement_hash == seen.placement_hash(),
            wrong: None,
            history: History::new(start, seen.sensing()),
            presses: UnmatchedPresses::default(),
            costs: LineCosts::new(),
            stuck: StuckSquares::default(),
            deferred: DeferredLines::new(max_deferred),
            displaced: None,
        }
    }

    /// Returns the positions and moves of the line.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the positions, from the start, which has no move.
    pub fn nodes(&self) -> &[Arc<LineNode>] {
        self.history.nodes()
    }

    /// Returns the last node.
    pub fn tip(&self) -> &LineNode {
        self.history.tip()
    }

    /// Notes that the line replaces the published one, for `reason`.
    pub fn replace_published(&mut self, reason: CorrectionReason) {
        self.history.set_reason(reason);
    }

    /// Returns the approximate memory of the line in bytes, if `own_nodes` of its positions are held by no other line.
    pub fn memory_bytes(&self, own_nodes: usize) -> usize {
        let lines = 1 + self.deferred.count();
        model::LINE_BYTES * lines + model::PLY_BYTES * self.nodes().len() + model::NODE_BYTES * own_nodes
    }

    /// Returns whether the board shows exactly what this line says.
    pub fn is_at_tip(&self) -> bool {
        self.at_tip
    }

    /// Updates whether the board shows the last position and which squares differ, without concluding anything from it.
    pub fn update_at_tip(&mut self, seen: &ObservedBoard) {
        let hidden = self.stuck.hidden(seen);
        self.at_tip = comparison::shows(self.tip(), hidden, seen);
        self.wrong = Some(self.find_wrong(hidden, seen));
    }

    /// Returns the squares that differ from the last node, except hidden ones.
    fn find_wrong(&self, hidden: Bitboard, seen: &ObservedBoard) -> Bitboard {
        if self.at_tip { Bitboard::EMPTY } else { seen.mismatch(self.tip().position.board()) & !hidden }
    }

    /// Compares the last position with what is seen.
    pub fn compare<'a>(&'a self, seen: &'a ObservedBoard) -> Comparison<'a> {
        let hidden = self.stuck.hidden(seen);
        let wrong = self.wrong.unwrap_or_else(|| self.find_wrong(hidden, seen));
        debug_assert_eq!(wrong, self.find_wrong(hidden, seen), "the board has changed since it was compared");
        Comparison::new(&self.history, hidden, wrong, seen)
    }

    /// Returns the cost of the line now: that of its plies, and that of what the board shows.
    pub fn cost(&self, now: Millis, seen: &ObservedBoard) -> Cost {
        self.past_cost() + self.compare(seen).pending_cost(now, &self.presses)
    }

    /// Returns the cost without that of what the board shows, which the next edge may correct.
    pub fn past_cost(&self) -> Cost {
        self.costs.total()
    }

    /// Returns the cost of each ply, the start first, as far as it was counted.
    pub fn ply_costs(&self) -> &[PlyCost] {
        self.costs.plies()
    }

    /// Counts the costs of the plies from `from` on, as far as they were not counted yet.
    pub fn count_costs(&mut self, now: Millis, from: usize, seen: &ObservedBoard) {
        self.costs.count(now, from, &self.history, self.presses.has_clock(), seen.hands());
    }

    /// Clears all costs, as there is no other line left to compare with.
    pub fn forget_costs(&mut self) {
        self.costs.forget_all();
    }

    /// Returns the cost of all plies and of what the board shows now, even where there is no other line to compare with.
    pub fn total_cost(&self, now: Millis, seen: &ObservedBoard) -> Cost {
        let plies: Cost = (1..self.nodes().len()).map(|ply| self.history.cost_of(ply, seen.hands())).sum();
        plies + self.compare(seen).pending_cost(now, &self.presses)
    }

    /// Handles a change of one square, in squares of play; `seen` shows it already. Lines that split off are added to `others`.
    pub fn handle_edge(
        &mut self,
        now: Millis,
        square: Square,
        before: SquareState,
        seen: &ObservedBoard,
        others: &mut Vec<Line>,
    ) {
        self.note_left(now, square);
        if self.at_tip
            && let comparison = self.compare(seen)
            && let Some(touched) = comparison.lifted_color(square, before)
            && touched == self.tip().position.turn()
            && !self.tip().growth.victims.contains(square)
            && !comparison.may_be_in_hand()
        {
            self.history.decide_tip(confidence::ANSWERED);
            if let Some(tip) = self.history.tip_mut() {
                tip.answered = true;
            }
        }
        self.recognise(now, seen, others);
        if self.at_tip {
            return;
        }
        let comparison = self.compare(seen);
        if let Some(color) = comparison.lifted_color(square, before) {
            let own_lifted = comparison.own_lifted();
            let is_own = color == self.tip().position.turn();
            if !is_own || (own_lifted.count() == 2 && !comparison.may_be_castling(own_lifted)) {
                self.split_traceless(now, seen, others);
            }
        }
        if comparison.unexplained().any() && !comparison.is_swept() {
            self.costs.add(model::STILL_UNEXPLAINED);
        }
    }

    /// Handles changes in unknown order: a whole reading after some were missed or the link was lost.
    pub fn handle_found(&mut self, now: Millis, changed: Bitboard, seen: &ObservedBoard, others: &mut Vec<Line>) {
        for square in changed {
            self.note_left(now, square);
        }
        let plies = self.nodes().len();
        self.recognise(now, seen, others);
        if self.nodes().len() > plies
            && let Some((base, best)) = self.compare(seen).find_reordered()
        {
            self.history.set_reason(CorrectionReason::Evidence);
            self.replace_plies(now, &Replacement::of(base, best, confidence::RECONSTRUCTED), seen);
        }
    }

    /// Notes that the piece of the last move has left its square, if this is the square.
    fn note_left(&mut self, now: Millis, square: Square) {
        if self.tip().left_at.is_none()
            && self.tip().mv.is_some_and(|mv| landing_square(mv) == square)
            && let Some(tip) = self.history.tip_mut()
        {
            tip.left_at = Some(now);
        }
    }

    /// Handles a clock press of player `by`.
    pub fn handle_press(&mut self, now: Millis, by: Color, seen: &ObservedBoard) {
        self.presses.note_clock(true);
        if !self.history.assign_press(now, by) {
            self.costs.add(self.presses.note(now, by, seen.hands()));
        }
    }

    /// Transfers the presses to the moves after ply `base`, which replaced others, or were not seen before. `first`: the press of
    /// the first of them.
    fn transfer_presses(&mut self, base: usize, first: Option<Millis>) {
        self.history.transfer_presses(base, first, self.presses.take_last());
    }

    /// Handles time passing without an edge. `search`: no other line explains what is seen.
    pub fn handle_quiet(
        &mut self,
        now: Millis,
        patience: Patience,
        search: bool,
        seen: &ObservedBoard,
        others: &mut Vec<Line>,
    ) {
        // There is time now, and none at the next edge.
        if let Some(next) = self.history.next_moves(0)
            && seen.sensing() != SensorKind::Identity
        {
            next.compute_priors(self.tip());
        }
        self.compare_with_illegal(seen);
        let quiet = now.saturating_sub(seen.last_edge());
        let waited = self.presses.is_overdue(now);
        if !self.at_tip && (quiet >= model::REST_CARRIED || waited) {
            self.split_traceless(now, seen, others);
        }
        if quiet < patience.settle + SERIAL_LATENCY {
            if search && waited {
                self.suspect_stuck(now, quiet, waited, seen, others);
            }
            self.decide_rested(now, patience, seen);
            return;
        }
        if !search && self.compare(seen).unexplained().any() && !self.compare(seen).is_swept() {
            self.costs.add(model::STILL_UNEXPLAINED);
        }
        if search && self.compare(seen).mismatch().any() {
            self.split_captured_unseen(now, seen, others);
            if seen.sensing() == SensorKind::Identity {
                self.recover(now, quiet, seen);
            } else {
                let mut other = self.clone();
                other.recover(now, quiet, seen);
                if other.history.changes() != self.history.changes() {
                    others.push(other);
                }
            }
            self.suspect_stuck(now, quiet, waited, seen, others);
        }
        self.decide_rested(now, patience, seen);
    }

    /// Decides the last move if it has been on a quiet board for so long that waiting for it to go on costs more than it saves.
    fn decide_rested(&mut self, now: Millis, patience: Patience, seen: &ObservedBoard) {
        let Some((_, wrong)) = self.rest(patience, seen).filter(|(due, _)| *due <= now) else { return };
        let comparison = self.compare(seen);
        let tip = self.tip();
        let is_on_board = tip.mv.is_some_and(|mv| !comparison.mismatch().contains(landing_square(mv)));
        if is_on_board && !comparison.may_be_in_hand() && comparison.unexplained().is_empty() {
            let pressed = tip.pressed_at.is_some();
            self.history.decide_tip(if pressed { confidence::ANSWERED } else { confidence::rested(wrong) });
        }
    }

    /// Returns when the last move will have been on the board for long enough if nothing changes, in milliseconds; `None` if it is
    /// decided.
    pub fn rested_at(&self, patience: Patience, seen: &ObservedBoard) -> Option<Millis> {
        self.rest(patience, seen).map(|(due, _)| due)
    }

    /// Returns the same, and the cost of the move going on after that.
    fn rest(&self, patience: Patience, seen: &ObservedBoard) -> Option<(Millis, Cost)> {
        let tip = self.tip();
        let mv = tip.mv.filter(|_| tip.confidence.is_none())?;
        let costs = || {
            let before = self.history.node_back(1).zip(self.history.next_moves(1));
            before.map_or_else(Vec::new, |(before, next)| next.prior_costs(before).collect())
        };
        let stop = if tip.dragged { model::DRAGGED_ON } else { seen.hands().first_stop };
        let odds = tip.growth.odds(mv, stop, costs);
        let wait = |cost: Cost, half_life, max: Millis| {
            let (waits, max) = (patience.wait(cost, half_life), max - SERIAL_LATENCY);
            match waits < max {
                true => (waits, cost + Cost::try_from(waits * 16 / half_life).unwrap_or(Cost::MAX)),
                false => (max, cost.max(model::STOPPED_LONGER)),
            }
        };
        let longest = if tip.dragged { REST_DRAGGED } else { model::REST_STOPPED.max(patience.settle + SERIAL_LATENCY) };
        let stop = wait(odds.stop, model::STOP_HALF_LIFE, longest);
        let castling = odds.castling.map(|cost| wait(cost, model::CASTLING_HALF_LIFE, REST_CASTLING));
        let (waits, wrong) = castling.map_or(stop, |castling| (stop.0.max(castling.0), stop.1.min(castling.1)));
        // The player has finished, and after a scan all that belongs to the move has been seen.
        let waits = if tip.pressed_at.is_some() { waits.min(model::SCAN_TIME - SERIAL_LATENCY) } else { waits };
        Some((seen.last_edge() + waits + SERIAL_LATENCY, wrong))
    }

    /// Searches for an explanation on a quiet board that shows neither the last position nor one move from it.
    fn recover(&mut self, now: Millis, quiet: Millis, seen: &ObservedBoard) {
        let comparison = self.compare(seen);
        if seen.sensing() == SensorKind::Occupancy && comparison.shows_only_lifted() && quiet < model::REST_TRACELESS {
            return;
        }
        let overlap_tries = comparison.overlap_tries();
        if self.adopt_best(now, overlap_tries, confidence::RECONSTRUCTED, seen) {
            return;
        }
        if let Some(found) = self.compare(seen).find_deferred(now, &self.presses, &self.deferred) {
            self.replace_plies(now, &found, seen);
            return;
        }
        if let Some(nodes) = self.compare(seen).find_takeback(quiet) {
            self.take_back(self.nodes().len() - nodes, CorrectionReason::Takeback, seen);
        }
        let comparison = self.compare(seen);
        if comparison.mismatch().any() {
            self.adopt_best(now, comparison.quiet_tries(quiet), confidence::RECONSTRUCTED, seen);
        }
    }

    /// Drops plies from the end and adds others, by the first of `tries` (dropped, added) that explains what is seen. Returns
    /// whether there is one.
    fn adopt_best(&mut self, now: Millis, tries: &[(usize, u32)], confidence: Confidence, seen: &ObservedBoard) -> bool {
        let wrong = self.compare(seen).mismatch();
        let comparison = Comparison::new(&self.history, self.stuck.hidden(seen), wrong, seen);
        let found = comparison.find_best(now, tries, confidence, &self.presses, &mut self.deferred);
        if let Some(found) = &found {
            self.replace_plies(now, found, seen);
        }
        found.is_some()
    }

    /// Assumes, when nothing else explains what is seen, that one square that has not changed in this game is stuck. A line splits
    /// off for each square that explains it. `waited`: the clock was pressed on a move that was not seen.
    fn suspect_stuck(&mut self, now: Millis, quiet: Millis, waited: bool, seen: &ObservedBoard, others: &mut Vec<Line>) {
        let comparison = self.compare(seen);
        if self.at_tip || !comparison.may_be_stuck(now, quiet, waited, self.stuck.squares(), &self.presses) {
            return;
        }
        // A single piece of one player that explains the board alone is not a faulty square.
        if seen.sensing() == SensorKind::Identity && comparison.pressed_illegal_move(now, &self.presses).is_some() {
            return;
        }
        for (base, explanation) in comparison.find_stuck(waited, &self.presses) {
            let mut line = self.clone();
            line.truncate(base + 1);
            line.stuck.assume(explanation.stuck, line.history.node_count());
            line.costs.add_extra(seen.hands().stuck_square);
            line.replace_plies(now, &Replacement::of(base, explanation, confidence::ANSWERED), seen);
            line.transfer_presses(base, self.history.pressed_after(base));
            others.push(line);
        }
    }
}
