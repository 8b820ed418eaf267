//! One line of play: takes edges, quiet time and clock presses, and yields moves.

mod cost;
mod edit;
mod illegal;
mod king_signal;
mod matches;
mod offline;
mod recognise;
mod redecode;
mod search;
mod stuck;

pub use cost::PlyCost;
use search::DeferredLine;

use super::explain::{explain, landing_square, lifted_squares};
use super::model::{self, Cost, REST_CASTLING, REST_DRAGGED, SERIAL_LATENCY};
use super::{Growth, KnownPly, LineNode, NextMoves, ObservedBoard};
use crate::boards::{Millis, SensorKind, SquareState};
use crate::game::{Confidence, CorrectionReason};
use crate::laws::Position;
use shakmaty::{Bitboard, Color, Move, Piece, Square};
use std::sync::{Arc, OnceLock};

pub use illegal::PlayElsewhere;

/// Number of last positions of a line whose moves are kept ready for recognition.
const READY_NODES: usize = 3;

/// Confidence of a move, by how it was decided.
mod confidence {
    use crate::game::Confidence;
    /// Nothing else could have grown out of the same touch; seen square by square.
    pub const CLOSED: Confidence = Confidence(999);
    /// The opponent or the clock has answered it.
    pub const ANSWERED: Confidence = Confidence(995);
    /// It was on the board long enough but could still go on: in 8 of 199 real moves a hand stopped on the way.
    pub const RESTED: Confidence = Confidence(950);
    /// A king move to the centre, which may be half of a result signal.
    pub const KING_TO_CENTRE: Confidence = Confidence(900);
    /// Found by search, when nothing else would explain the board.
    pub const RECONSTRUCTED: Confidence = crate::infer::model::RECONSTRUCTED_CONFIDENCE;
}

/// A line of play since the start of the game, and how well it explains what was seen. What the board shows is passed to every
/// call: all lines look at the same board.
#[derive(Clone, Debug)]
pub struct Line {
    nodes: Vec<Arc<LineNode>>,
    /// Prepared moves of the last nodes, oldest first; computed on first use.
    ready: Vec<Arc<OnceLock<NextMoves>>>,
    /// Whether the board shows exactly the last node.
    at_tip: bool,
    reason: CorrectionReason,
    /// Number of nodes that were left when the players last took moves back.
    taken_back_to: Option<usize>,
    /// Counts the changes of the line.
    changes: u64,
    /// Deferred lines: they explain what was seen less well than pieces in the players' hands do, and wait until play goes on from
    /// one.
    deferred: Vec<Arc<DeferredLine>>,
    /// The line keeps fewer deferred lines than this.
    max_deferred: usize,
    /// Number of presses since the last move was found, each of a move that was not seen.
    unseen_presses: usize,
    /// The last of these presses: when, and by whom.
    unmatched_press: Option<(Millis, Color)>,
    /// Whether a clock is in use: presses were seen.
    has_clock: bool,
    /// The cost of each node, as far as it was counted.
    costs: Vec<PlyCost>,
    /// A displaced piece that nothing legal explains, relative to the last position.
    displaced: Option<illegal::DisplacedPiece>,
    /// Additional cost of the line.
    extra_cost: Cost,
    /// Squares that this line assumes to be stuck: what they show is not compared.
    assumed_stuck: Bitboard,
    /// Number of plies after which the line assumed the last of them.
    assumed_stuck_since: usize,
    sensing: SensorKind,
}

impl Line {
    /// Creates a line that begins at `start`. `max_deferred`: the line keeps fewer deferred lines than this.
    pub fn new(start: Position, seen: &ObservedBoard, max_deferred: usize) -> Line {
        let start = LineNode::at_start(start, seen.sensing());
        let mut line = Line {
            at_tip: start.placement_hash == seen.placement_hash(),
            nodes: vec![Arc::new(start)],
            ready: Vec::new(),
            reason: CorrectionReason::Evidence,
            taken_back_to: None,
            changes: 0,
            deferred: Vec::new(),
            max_deferred,
            unseen_presses: 0,
            unmatched_press: None,
            has_clock: false,
            costs: vec![PlyCost::default()],
            displaced: None,
            extra_cost: 0,
            assumed_stuck: Bitboard::EMPTY,
            assumed_stuck_since: 0,
            sensing: seen.sensing(),
        };
        line.update_ready();
        line
    }

    /// Appends a ply that was published before.
    pub fn append_known(&mut self, now: Millis, known: &KnownPly, seen: &ObservedBoard) {
        let KnownPly { mv, pressed_at, found } = known;
        match found {
            Some(found) => return self.append_missing(now, *mv, found.clone(), seen),
            None if self.tip().position.is_legal(*mv) => self.append_move(now, *mv, seen),
            None => self.append_illegal(now, *mv, None, seen),
        }
        self.decide_tip(Confidence::CERTAIN);
        self.has_clock |= pressed_at.is_some();
        if let Some(node) = self.tip_mut() {
            node.pressed_at = *pressed_at;
        }
    }

    /// Appends a ply that somebody confirmed: it cannot become another one.
    pub fn append_confirmed(&mut self, now: Millis, known: &KnownPly, seen: &ObservedBoard) {
        self.append_known(now, known, seen);
        if let Some(node) = self.tip_mut() {
            node.growth = Growth::default();
        }
    }

    /// Returns the positions, from the start, which has no move.
    pub fn nodes(&self) -> &[Arc<LineNode>] {
        &self.nodes
    }

    /// Returns the last node.
    pub fn tip(&self) -> &LineNode {
        // The start node is never removed.
        &self.nodes[self.nodes.len() - 1]
    }

    /// Returns the number of decided plies, from the start.
    pub fn decided(&self) -> usize {
        if self.tip().confidence.is_some() { self.nodes.len() - 1 } else { self.nodes.len() - 2 }
    }

    /// Returns a counter of changes of the line or of what is decided.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns why the line last changed its past.
    pub fn reason(&self) -> CorrectionReason {
        self.reason
    }

    /// Notes that the line replaces the published one, for `reason`.
    pub fn replace_published(&mut self, reason: CorrectionReason) {
        self.reason = reason;
    }

    /// Returns whether the two are equal up to where moves were taken back in this one.
    pub fn takes_back(&self, other: &Line) -> bool {
        let same = self.nodes.iter().zip(&other.nodes).take_while(|(one, other)| one.mv == other.mv).count();
        self.taken_back_to == Some(same) && same < other.nodes.len()
    }

    /// Returns the approximate memory of the line in bytes, if `own_nodes` of its positions are held by no other line.
    pub fn memory_bytes(&self, own_nodes: usize) -> usize {
        model::LINE_BYTES * (1 + self.deferred.len()) + model::PLY_BYTES * self.nodes.len() + model::NODE_BYTES * own_nodes
    }

    /// Returns whether the board shows exactly what this line says.
    pub fn is_at_tip(&self) -> bool {
        self.at_tip
    }

    /// Returns the squares that differ from the line's last position.
    pub fn mismatch(&self, seen: &ObservedBoard) -> Bitboard {
        if self.at_tip { Bitboard::EMPTY } else { seen.mismatch(self.tip().position.board()) & !self.ignored_squares(seen) }
    }

    /// Returns the squares of [`mismatch`](Self::mismatch) that pieces in the hands of the side to move (up to two of its own, and
    /// one captured) do not explain.
    pub fn unexplained(&self, seen: &ObservedBoard) -> Bitboard {
        let wrong = self.mismatch(seen);
        let own_lifted = lifted_squares(&self.tip().position, seen, wrong);
        let removed = wrong & !own_lifted;
        let in_hands =
            (wrong & seen.occupied()).is_empty() && own_lifted.count() <= 2 && removed.count() <= own_lifted.count().min(1);
        if in_hands { Bitboard::EMPTY } else { wrong }
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
            && let Some(touched) = self.lifted_color(square, before, seen.at(square))
            && touched == self.tip().position.turn()
            && !self.tip().growth.victims.contains(square)
            && !self.may_be_in_hand(seen)
        {
            self.decide_tip(confidence::ANSWERED);
            if let Some(tip) = self.tip_mut() {
                tip.answered = true;
            }
        }
        self.recognise(now, seen, others);
        if !self.at_tip
            && let Some(color) = self.lifted_color(square, before, seen.at(square))
        {
            let position = &self.tip().position;
            let own_lifted = lifted_squares(position, seen, self.mismatch(seen));
            if color != position.turn() || (own_lifted.count() == 2 && !self.may_be_castling(own_lifted)) {
                self.split_traceless(now, seen, others);
            }
        }
        if !self.at_tip && self.unexplained(seen).any() {
            self.add_cost(model::STILL_UNEXPLAINED);
        }
    }

    /// Handles changes in unknown order: a whole reading after some were missed or the link was lost.
    pub fn handle_found(&mut self, now: Millis, changed: Bitboard, seen: &ObservedBoard, others: &mut Vec<Line>) {
        for square in changed {
            self.note_left(now, square);
        }
        let plies = self.nodes.len();
        self.recognise(now, seen, others);
        if self.nodes.len() > plies {
            self.reorder(now, seen);
        }
    }

    /// Reorders the last moves where better: the last one was found on the board and not seen to be made, so it may be older than
    /// others.
    fn reorder(&mut self, now: Millis, seen: &ObservedBoard) {
        let Some(mv) = self.tip().mv.filter(|&mv| seen.was_found(landing_square(mv))) else { return };
        let Some(base) = self.nodes.len().checked_sub(1 + 3) else { return };
        let played: Vec<Move> = self.nodes[base + 1..].iter().filter_map(|node| node.mv).collect();
        let found = explain(
            &self.nodes[base].position,
            seen,
            self.ignored_squares(seen),
            3,
            self.nodes[base + 1].made_at.saturating_sub(1),
        );
        let Some(current) = found.iter().find(|line| line.moves == played).map(|line| line.doubts) else { return };
        if let Some(best) = found.first().filter(|best| best.doubts < current && best.moves.contains(&mv)) {
            self.reason = CorrectionReason::Evidence;
            self.replace_plies(now, base, &best.moves.clone(), &[], confidence::RECONSTRUCTED, seen);
        }
    }

    fn note_left(&mut self, now: Millis, square: Square) {
        if self.tip().left_at.is_none()
            && self.tip().mv.is_some_and(|mv| landing_square(mv) == square)
            && let Some(tip) = self.tip_mut()
        {
            tip.left_at = Some(now);
        }
    }

    /// Handles a clock press of player `by`.
    pub fn handle_press(&mut self, now: Millis, by: Color) {
        self.has_clock = true;
        match self.nodes.iter_mut().rev().find(|node| node.mv.is_some() && node.position.turn() != by) {
            Some(node) if node.pressed_at.is_none() => Arc::make_mut(node).pressed_at = Some(now),
            _ => {
                if self.unmatched_press.is_some() {
                    self.add_cost(model::PRESS_WITHOUT_MOVE - model::PRESS_BEFORE_SCAN);
                }
                self.add_cost(model::PRESS_BEFORE_SCAN);
                self.unmatched_press = Some((now, by));
                self.unseen_presses += 1;
            }
        }
    }

    /// Handles time passing without an edge. `settle`: quiet time that decides a move, in milliseconds. `search`: no other line
    /// explains what is seen.
    pub fn handle_quiet(&mut self, now: Millis, settle: Millis, search: bool, seen: &ObservedBoard, others: &mut Vec<Line>) {
        // There is time now, and none at the next edge.
        if let Some(next) = self.next_moves(0)
            && self.sensing != SensorKind::Identity
        {
            next.compute_priors(self.tip());
        }
        self.compare_with_illegal(seen);
        let quiet = now.saturating_sub(seen.last_edge());
        let settle = settle + SERIAL_LATENCY;
        let waited = self.unmatched_press.is_some_and(|(at, _)| now.saturating_sub(at) >= model::SCAN_TIME);
        if !self.at_tip && (quiet >= model::REST_CARRIED || waited) {
            self.split_traceless(now, seen, others);
        }
        if quiet < settle {
            if search && waited {
                self.suspect_stuck(now, quiet, waited, seen, others);
            }
            return;
        }
        if !search && self.unexplained(seen).any() {
            self.add_cost(model::STILL_UNEXPLAINED);
        }
        if search && !self.mismatch(seen).is_empty() {
            others.extend(self.captured_unseen(now, seen));
            if seen.sensing() == SensorKind::Identity {
                self.recover(now, quiet, seen);
            } else {
                let mut other = self.clone();
                other.recover(now, quiet, seen);
                if other.changes != self.changes {
                    others.push(other);
                }
            }
            self.suspect_stuck(now, quiet, waited, seen, others);
        }
        let tip = self.tip();
        let needed = match tip {
            LineNode { growth: Growth { castling: true, .. }, .. } => REST_CASTLING,
            LineNode { dragged: true, .. } => REST_DRAGGED,
            _ => settle,
        };
        let is_on_board = tip.mv.is_some_and(|mv| !self.mismatch(seen).contains(landing_square(mv)));
        let is_on_board = is_on_board && !self.may_be_in_hand(seen);
        if tip.confidence.is_none() && is_on_board && quiet >= needed && self.unexplained(seen).is_empty() {
            let pressed = tip.pressed_at.is_some();
            self.decide_tip(if pressed { confidence::ANSWERED } else { confidence::RESTED });
        }
    }

    /// Returns the colour of the piece that was lifted, if one was; where the sensor cannot tell, that of the piece that the line
    /// has there.
    fn lifted_color(&self, square: Square, before: SquareState, now: SquareState) -> Option<Color> {
        match (before, now) {
            (SquareState::Piece(Piece { color, .. }) | SquareState::Side(color), SquareState::Empty) => Some(color),
            (SquareState::Occupied, SquareState::Empty) => self.tip().position.board().color_at(square),
            _ => None,
        }
    }
}
