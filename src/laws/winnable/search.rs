//! A best-first helpmate search.
//!
//! Every position is examined once, however it is reached; if none is left, there is no mate. Positions are identified by 64-bit
//! keys: among the 2¹⁸ positions of the longest search, a collision occurs once in 500 million searches.

use super::mates::{self, Mate};
use super::reach::{Reach, Rights};
use super::{enough_material, score};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingSide, Color, EnPassantMode, Move, Position as Rules, Role, Square};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    /// A mate exists.
    Mate,
    /// No mate exists: every position was examined, or shown not to lead to a mate.
    NoMate,
    /// The search reached the limit of positions.
    LimitReached,
}

/// The order in which positions are examined.
#[derive(Clone)]
pub(super) struct Plan {
    /// The queue from which each of sixteen positions is taken. The last queue, 3, returns them in the order in which they were
    /// found, so no short mate is missed, whatever the scores are.
    turns: [usize; 16],
    /// The cost of a ply, in sixteenths of a score unit.
    ply: u32,
}

/// Uses all scores in turn.
pub(super) static MIXED: Plan = Plan { turns: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3], ply: 4 };
/// Uses only the score of the king's position and no cost per ply. Decides more than half of the test vectors that the other plan
/// leaves undecided.
pub(super) static DEEP: Plan = Plan { turns: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], ply: 0 };

/// A search that runs in slices. The result does not depend on the slices.
#[derive(Clone)]
pub(super) struct Search<P> {
    start: P,
    winner: Color,
    limit: u32,
    plan: &'static Plan,
    /// The index of the next turn of the plan.
    turn: usize,
    nodes: Vec<SearchNode>,
    seen: Seen,
    /// Score and number of each node in one word, so that the queues stay small: 14 bits and 18.
    queues: [BinaryHeap<Reverse<u32>>; 3],
    /// The next node, in the order in which the nodes were found.
    next: usize,
    /// The number of positions checked by [`Search::is_barren`], and the number of those without any possible mate.
    tried: u32,
    barren: u32,
}

/// The cost of [`Search::is_barren`], in examined moves.
const BARREN: u32 = 256;

impl<P: Rules + Clone> Search<P> {
    /// Creates a search of at most `limit` positions, and at most 2¹⁸. Does not start it.
    pub(super) fn new(start: P, winner: Color, limit: u32, plan: &'static Plan) -> Search<P> {
        let mut seen = Seen::new();
        seen.insert(key(&start));
        let nodes = vec![SearchNode::START];
        Search { start, winner, limit, plan, turn: 0, nodes, seen, queues: Default::default(), next: 0, tried: 0, barren: 0 }
    }

    /// Continues until `budget`, in examined moves, is used up. Returns `None` if the search is not finished. `mates` are the
    /// target mates if they are known; they must be the same in every slice.
    pub(super) fn run(&mut self, mates: &[Mate], budget: &mut u32) -> Option<SearchOutcome> {
        let winner = self.winner;
        if replies(&self.start, winner) == Some(0) {
            return Some(SearchOutcome::Mate);
        }
        while *budget > 0 {
            *budget -= 1;
            let turn = self.plan.turns.get(self.turn).copied().unwrap_or_default();
            self.turn = (self.turn + 1) % self.plan.turns.len();
            let Some(index) = self.pop(turn) else {
                if self.is_done() {
                    return Some(SearchOutcome::NoMate);
                }
                continue;
            };
            let Some(position) = self.expand(index) else { continue };
            let node = self.node(index);
            // Only irreversible moves change the squares that pieces can ever reach.
            if !mates.is_empty() && node.irreversible && self.is_barren(&position, budget) {
                continue;
            }
            let legal = position.legal_moves();
            if legal.is_full() {
                return Some(SearchOutcome::LimitReached); // There may be more than the list holds.
            }
            *budget = budget.saturating_sub(legal.len() as u32);
            for mv in legal {
                let mut next = position.clone();
                next.play_unchecked(mv);
                if !self.seen.insert(key(&next)) {
                    continue;
                }
                let replies = replies(&next, winner);
                if replies == Some(0) {
                    return Some(SearchOutcome::Mate);
                }
                if self.seen.count > self.limit as usize {
                    return Some(SearchOutcome::LimitReached);
                }
                if enough_material(next.board(), winner) {
                    let scores = score::scores(next.board(), winner, replies, mates);
                    self.push(SearchNode::after(index, mv, node.depth), scores);
                }
            }
        }
        None
    }

    fn pop(&mut self, turn: usize) -> Option<u32> {
        match self.queues.get_mut(turn) {
            Some(queue) => queue.pop().map(|Reverse(word)| word & ((1 << INDEX) - 1)),
            None => {
                let next = self.next;
                self.next += usize::from(next < self.nodes.len());
                (next < self.nodes.len()).then_some(next as u32)
            }
        }
    }

    /// The last queue holds every node.
    fn is_done(&self) -> bool {
        self.next == self.nodes.len()
    }

    /// Returns whether a position is proved not to lead to a mate. If such proofs rarely succeed, they are rarely attempted: one
    /// takes as long as ten positions.
    fn is_barren(&mut self, position: &P, budget: &mut u32) -> bool {
        self.tried += 1;
        if self.tried > 64 && self.barren * 16 < self.tried && !self.tried.is_multiple_of(16) {
            return false;
        }
        *budget = budget.saturating_sub(BARREN);
        let barren = !mates::any(&Reach::of(position.board(), &Rights::of(position)), self.winner);
        self.barren += u32::from(barren);
        barren
    }

    fn push(&mut self, node: SearchNode, scores: [u32; 3]) {
        let index = self.nodes.len() as u32;
        for (queue, score) in self.queues.iter_mut().zip(scores) {
            if score != score::UNKNOWN {
                let score = (16 * score + self.plan.ply * u32::from(node.depth)).min((1 << (32 - INDEX)) - 1);
                queue.push(Reverse(score << INDEX | index));
            }
        }
        self.nodes.push(node);
    }

    fn node(&self, index: u32) -> SearchNode {
        self.nodes.get(index as usize).copied().unwrap_or(SearchNode::START)
    }

    /// Returns the position of a node that was not examined before. Replays the moves that lead to it, which is cheaper than
    /// storing a position for each node.
    fn expand(&mut self, index: u32) -> Option<P> {
        let node = self.nodes.get_mut(index as usize)?;
        if std::mem::replace(&mut node.expanded, true) {
            return None;
        }
        let (mut line, mut at) = (Vec::with_capacity(usize::from(node.depth)), index);
        while at != 0 {
            let node = self.node(at);
            line.push(node.mv);
            at = node.parent;
        }
        let mut position = self.start.clone();
        for mv in line.into_iter().rev() {
            position.play_unchecked(mv.unpack(&position));
        }
        Some(position)
    }
}

/// Returns the number of replies to a check by the winner, if there is a check.
fn replies<P: Rules>(position: &P, winner: Color) -> Option<usize> {
    (position.turn() != winner && position.is_check()).then(|| position.legal_moves().len())
}

fn key<P: Rules>(position: &P) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
    key
}

const INDEX: u32 = 18;

/// A position that was found, and the move that led to it. Twelve bytes, because there may be a quarter of a million.
#[derive(Clone, Copy)]
struct SearchNode {
    parent: u32,
    mv: Packed,
    /// Plies from the start.
    depth: u16,
    expanded: bool,
    irreversible: bool,
}

impl SearchNode {
    const START: SearchNode = SearchNode { parent: 0, mv: Packed(0), depth: 0, expanded: false, irreversible: false };

    fn after(parent: u32, mv: Move, depth: u16) -> SearchNode {
        SearchNode {
            parent,
            mv: Packed::of(mv),
            depth: depth.saturating_add(1),
            expanded: false,
            irreversible: mv.is_zeroing(),
        }
    }
}

/// A move in two bytes: from, to (for castling the square of the rook), promotion.
#[derive(Clone, Copy)]
struct Packed(u16);

impl Packed {
    fn of(mv: Move) -> Packed {
        let (from, to) = match mv {
            Move::Castle { king, rook } => (king, rook),
            mv => (mv.from().unwrap_or(mv.to()), mv.to()),
        };
        Packed(u16::from(u8::from(from)) | u16::from(u8::from(to)) << 6 | mv.promotion().map_or(0, |role| role as u16) << 12)
    }

    fn unpack<P: Rules>(self, position: &P) -> Move {
        let square = |shift: u16| Square::new(u32::from(self.0 >> shift & 63));
        let (from, to) = (square(0), square(6));
        let board = position.board();
        let role = board.role_at(from).unwrap_or(Role::Pawn);
        let capture = board.role_at(to);
        if role == Role::King
            && CastlingSide::ALL.into_iter().any(|side| position.castles().rook(position.turn(), side) == Some(to))
        {
            return Move::Castle { king: from, rook: to };
        }
        if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
            return Move::EnPassant { from, to };
        }
        Move::Normal { role, from, capture, to, promotion: Role::try_from(u32::from(self.0 >> 12)).ok() }
    }
}

/// A hash set of the keys of found positions: open addressing, at most half full, grown on demand.
#[derive(Clone)]
struct Seen {
    slots: Vec<u64>,
    count: usize,
}

impl Seen {
    fn new() -> Seen {
        Seen { slots: vec![0; 1 << 9], count: 0 }
    }

    /// Inserts a key and returns whether it is new.
    fn insert(&mut self, key: u64) -> bool {
        if self.count * 2 >= self.slots.len() {
            let larger = vec![0; self.slots.len() * 2];
            let keys = std::mem::replace(&mut self.slots, larger);
            self.count = 0;
            keys.into_iter().filter(|&key| key != 0).for_each(|key| {
                self.put(key);
            });
        }
        self.put(key.max(1))
    }

    fn put(&mut self, key: u64) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            match self.slots.get_mut(at) {
                Some(slot) if *slot == 0 => {
                    *slot = key;
                    self.count += 1;
                    return true;
                }
                Some(slot) if *slot == key => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }
}
