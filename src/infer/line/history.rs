//! The positions of a line of play, and the changes of its past.

use crate::boards::{Millis, SensorKind};
use crate::game::{Confidence, CorrectionReason};
use crate::infer::model::{self, MAX_OVERLAP, MAX_STOP, MIN_HAND_INTERVAL, REDECODE_WINDOW};
use crate::infer::{Growth, LineNode, NextMoves};
use crate::laws::Position;
use shakmaty::{Color, Move, Role};
use std::sync::{Arc, OnceLock};

/// Number of last positions of a line whose moves are kept ready for recognition.
const READY_NODES: usize = 3;

/// The positions of a line of play, from the start, with the moves that led to them.
#[derive(Clone, Debug)]
pub struct History {
    /// Never empty.
    nodes: Vec<Arc<LineNode>>,
    /// Prepared moves of the last nodes, oldest first; computed on first use.
    ready: Vec<Arc<OnceLock<NextMoves>>>,
    /// Counts the changes of the positions, and of what is decided.
    changes: u64,
    /// Number of nodes that were left when the players last took moves back.
    taken_back_to: Option<u32>,
    /// Why the past last changed.
    reason: CorrectionReason,
    sensing: SensorKind,
}

impl History {
    /// Creates a history that begins at `start`.
    pub(super) fn new(start: LineNode, sensing: SensorKind) -> History {
        let mut history = History {
            nodes: vec![Arc::new(start)],
            ready: Vec::new(),
            changes: 0,
            taken_back_to: None,
            reason: CorrectionReason::Evidence,
            sensing,
        };
        history.update_ready();
        history
    }

    /// Returns the positions, from the start, which has no move.
    pub fn nodes(&self) -> &[Arc<LineNode>] {
        &self.nodes
    }

    /// Returns the number of positions, at least one.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
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

    /// Returns what kind of sensors the board has.
    pub(super) fn sensing(&self) -> SensorKind {
        self.sensing
    }

    /// Returns a counter of changes of the positions or of what is decided.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns why the past last changed.
    pub fn reason(&self) -> CorrectionReason {
        self.reason
    }

    /// Notes why the past changes.
    pub(super) fn set_reason(&mut self, reason: CorrectionReason) {
        self.reason = reason;
    }

    /// Notes a change that [`History::push`], [`History::truncate`] and [`History::decide_tip`] do not count.
    pub(super) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// Notes that the players have taken moves back to the last position.
    pub(super) fn note_takeback(&mut self) {
        self.taken_back_to = u32::try_from(self.nodes.len()).ok();
    }

    /// Returns whether the two are equal up to where moves were taken back in this one.
    pub fn takes_back(&self, other: &History) -> bool {
        let same = self.nodes.iter().zip(&other.nodes).take_while(|(one, other)| one.mv == other.mv).count();
        self.taken_back_to.is_some_and(|left| left as usize == same) && same < other.nodes.len()
    }

    /// Appends a node.
    pub(super) fn push(&mut self, node: LineNode) {
        self.nodes.push(Arc::new(node));
        self.ready.push(Arc::default());
        self.update_ready();
        self.changes += 1;
    }

    /// Keeps the first `keep` nodes, at least one.
    pub(super) fn truncate(&mut self, keep: usize) {
        while self.nodes.len() > keep.max(1) {
            self.nodes.pop();
            self.ready.pop();
            self.changes += 1;
        }
        self.update_ready();
    }

    /// Decides the last move, if it is not decided yet.
    pub(super) fn decide_tip(&mut self, confidence: Confidence) {
        if self.tip().confidence.is_some() {
            return;
        }
        self.changes += 1;
        if let Some(tip) = self.tip_mut() {
            tip.confidence = Some(confidence);
        }
    }

    /// Returns the last node, to change what is known of its move.
    pub(super) fn tip_mut(&mut self) -> Option<&mut LineNode> {
        self.nodes.last_mut().map(Arc::make_mut)
    }

    /// Returns the node at this index, to change what is known of its move.
    pub(super) fn node_mut(&mut self, index: usize) -> Option<&mut LineNode> {
        self.nodes.get_mut(index).map(Arc::make_mut)
    }

    /// Returns the node `back` plies before the tip; 0 is the tip.
    pub(super) fn node_back(&self, back: usize) -> Option<&LineNode> {
        self.nodes.iter().rev().nth(back).map(Arc::as_ref)
    }

    /// Returns the moves after ply `base`.
    pub(super) fn moves_after(&self, base: usize) -> impl Iterator<Item = Move> + '_ {
        self.nodes.iter().skip(base + 1).filter_map(|node| node.mv)
    }

    /// Returns when the move after ply `base` was made, or the last move if there is none after it.
    pub(super) fn next_made_at(&self, base: usize) -> Millis {
        self.nodes.get(base + 1).map_or(self.tip().made_at, |first| first.made_at)
    }

    /// Returns when the clock was pressed on the move after ply `base`.
    pub(super) fn pressed_after(&self, base: usize) -> Option<Millis> {
        self.nodes.get(base + 1).and_then(|first| first.pressed_at)
    }

    /// Returns the prepared moves of the node `back` plies before the tip; `None` if it has none.
    pub(super) fn next_moves(&self, back: usize) -> Option<&NextMoves> {
        let slot = self.ready.iter().rev().nth(back)?;
        let node = self.node_back(back)?;
        Some(slot.get_or_init(|| NextMoves::of(node, self.sensing)))
    }

    /// Adjusts the slots so that exactly the last [`READY_NODES`] nodes are kept ready.
    fn update_ready(&mut self) {
        let wanted = self.nodes.len().min(READY_NODES);
        while self.ready.len() > wanted {
            self.ready.remove(0);
        }
        while self.ready.len() < wanted {
            self.ready.insert(0, Arc::default());
        }
    }

    /// Assigns a clock press to the last move of player `by`, if that has none. Returns whether it did.
    pub(super) fn assign_press(&mut self, now: Millis, by: Color) -> bool {
        match self.nodes.iter_mut().rev().find(|node| node.mv.is_some() && node.position.turn() != by) {
            Some(node) if node.pressed_at.is_none() => {
                Arc::make_mut(node).pressed_at = Some(now);
                true
            }
            _ => false,
        }
    }

    /// Transfers presses to the moves after ply `base`, which replaced others or were not seen before. `first`: the press of the
    /// first of them; `unmatched`: a press without a move, and by whom.
    pub(super) fn transfer_presses(&mut self, base: usize, first: Option<Millis>, unmatched: Option<(Millis, Color)>) {
        for node in self.nodes.iter_mut().skip(base + 1) {
            let mover = !node.position.turn();
            let pressed = unmatched.filter(|(_, by)| *by == mover).map(|(at, _)| at);
            if let Some(at) = node.pressed_at.or(pressed) {
                Arc::make_mut(node).pressed_at = Some(at);
            }
        }
        if let (Some(at), Some(node)) = (first, self.node_mut(base + 1)) {
            node.pressed_at = Some(at);
        }
    }

    /// Changes the promotion piece of this ply; the moves after it stay, with the times at which they were made.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub(super) fn set_promotion(&mut self, ply: usize, role: Role) -> Result<(), usize> {
        self.replace_promotion(ply, role)?;
        if let Some(node) = self.node_mut(ply) {
            (node.growth, node.confidence) = (Growth::default(), Some(Confidence::CERTAIN));
            node.rivals.clear();
        }
        Ok(())
    }

    /// Changes the promotion piece of this ply as [`History::set_promotion`] does, without making the move more certain than it was.
    ///
    /// # Errors
    /// The first ply that becomes illegal; nothing is changed then.
    pub(super) fn replace_promotion(&mut self, ply: usize, role: Role) -> Result<(), usize> {
        let mut nodes = self.nodes.get(..ply).unwrap_or_default().to_vec();
        for (index, old) in self.nodes.iter().enumerate().skip(ply) {
            let (Some(before), Some(old_before)) = (nodes.last(), self.nodes.get(index - 1)) else { return Err(index) };
            if old.mv.is_some_and(Position::is_null_move) {
                nodes.push(Arc::clone(old)); // The position found after missing moves does not depend on what was played before.
                continue;
            }
            let mv = match old.mv {
                Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(_) }) if index == ply => {
                    Some(Move::Normal { role: pawn, from, capture, to, promotion: Some(role) })
                }
                mv => mv.and_then(|mv| before.position.parse_uci(&old_before.position.uci(mv))),
            };
            let legal = mv.filter(|mv| before.position.legal_moves().contains(mv));
            let mut node = before.after_move(legal.ok_or(index)?, old.made_at, self.sensing, None);
            (node.confidence, node.rivals) = (old.confidence, old.rivals.clone());
            node.rivals.retain(|(rival, _)| Some(*rival) != node.mv);
            (node.dragged, node.answered, node.silent) = (old.dragged, old.answered, old.silent);
            (node.left_at, node.pressed_at, node.handling_cost) = (old.left_at, old.pressed_at, old.handling_cost);
            node.chosen_piece = old.chosen_piece;
            nodes.push(Arc::new(node));
        }
        self.nodes = nodes;
        self.ready.iter_mut().for_each(|slot| *slot = Arc::default());
        self.changes += 1;
        Ok(())
    }

    /// Returns a fingerprint that is equal for lines that have reached the same position, and rarely for others.
    pub fn fingerprint(&self) -> u64 {
        let board = self.tip().position.board();
        let colors = board.by_color(Color::White).0.rotate_left(31);
        Role::ALL
            .into_iter()
            .fold(colors, |sum, role| (sum ^ board.by_role(role).0).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }

    /// Returns whether both lines have reached the same position, in equally many moves or long ago: whatever follows fits both
    /// alike.
    pub fn is_same_as(&self, other: &History) -> bool {
        let (one, two) = (self.tip(), other.tip());
        let moves = |history: &History| -> Vec<Option<Move>> {
            history.nodes.iter().rev().take(model::MERGE_PLIES).map(|node| node.mv).collect()
        };
        one.placement_hash == two.placement_hash
            && one.position.board() == two.position.board()
            && one.position.key() == two.position.key()
            && (self.nodes.len() == other.nodes.len() || moves(self) == moves(other))
    }

    /// Returns whether this is the other history without its last move, or its last two.
    pub fn is_start_of(&self, other: &History) -> bool {
        let longer = other.nodes.len().saturating_sub(self.nodes.len());
        let same = self.nodes.iter().zip(&other.nodes).rev().take(model::COMPARED_PLIES).all(|(one, two)| one.mv == two.mv);
        (1..=2).contains(&longer) && same
    }

    /// Returns whether the last move is new: nothing has happened since.
    pub fn is_new(&self, now: Millis) -> bool {
        self.tip().mv.is_some() && self.tip().made_at == now
    }

    /// Returns the last settled ply, at most six plies back: the ones after it are re-decoded. A clock press alone does not settle
    /// a ply, because it may belong to the player's move before.
    pub fn settled_ply(&self, now: Millis) -> usize {
        let oldest = self.nodes.len().saturating_sub(1 + 6);
        let old = |node: &LineNode| now.saturating_sub(node.made_at) > REDECODE_WINDOW;
        let settled = |&index: &usize| {
            self.nodes.get(index..).is_some_and(|rest| match rest {
                [node, next, ..] => old(node) || (node.is_closed(now) && next.is_closed(now)),
                rest => rest.iter().all(|node| old(node)),
            })
        };
        (oldest..self.nodes.len()).rev().find(settled).unwrap_or(oldest)
    }

    /// Returns whether the last moves were so close together that they can be decoded in more than one way. `unexplained`: the
    /// board shows something that the last position does not explain.
    pub(super) fn needs_redecode(&self, unexplained: impl FnOnce() -> bool) -> bool {
        let [.., before, _, last] = self.nodes.as_slice() else { return false };
        let apart = last.made_at.saturating_sub(before.made_at);
        // No hand is as fast as a program that moves pieces, whose timing is unknown.
        let soon = apart <= MAX_STOP + MAX_OVERLAP && before.pressed_at.is_none();
        apart >= MIN_HAND_INTERVAL && (soon || unexplained())
    }
}
