//! A search for a mate with both players helping, the most promising positions first.
//!
//! Every position is looked at once, however it is reached; when none is left there is no mate. Positions are told apart by keys
//! of 64 bits: among the 2¹⁸ of the longest search two have the same by chance once in half a thousand million searches.

use super::mates::{self, Mate};
use super::reach::{Reach, Rights};
use super::{enough_material, score};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingSide, Color, EnPassantMode, Move, Position as Rules, Role, Square};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// There is a mate.
    Mate,
    /// There is none: every position was looked at, or shown not to lead to any.
    NoMate,
    /// More positions than allowed.
    GaveUp,
}

/// In which order positions are looked at.
pub struct Plan {
    /// The queues take turns: of sixteen positions, which one gives each. The last one, 3, gives them in the order in which they
    /// were found: no short mate is missed, whatever the scores say.
    turns: [usize; 16],
    /// What a ply costs, in sixteenths of a score's unit.
    ply: u32,
}

/// By all scores in turn.
pub static MIXED: Plan = Plan { turns: [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3], ply: 4 };
/// By how the king stands alone, however long it takes: of the test vectors that the other plan leaves undecided it decides more
/// than half.
pub static DEEP: Plan = Plan { turns: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], ply: 0 };

/// A search that is run in slices: what it comes to does not depend on how it is sliced.
pub struct Search<P> {
    start: P,
    winner: Color,
    limit: u32,
    plan: &'static Plan,
    /// Which of the plan's turns is next.
    turn: usize,
    nodes: Vec<Node>,
    seen: Seen,
    /// Score and number of each node in one word, so that the queues stay small: 14 bits and 18.
    queues: [BinaryHeap<Reverse<u32>>; 3],
    /// The next node in the order in which they were found.
    next: usize,
    /// How many were looked at for whether anybody can ever come to mate, and in how many nobody can.
    tried: u32,
    barren: u32,
}

/// What [`Search::is_barren`] costs, in moves looked at.
const BARREN: u32 = 256;

impl<P: Rules + Clone> Search<P> {
    /// A search that looks at no more than `limit` positions, no more than 2¹⁸. Nothing is looked at yet.
    pub fn new(start: P, winner: Color, limit: u32, plan: &'static Plan) -> Search<P> {
        let mut seen = Seen::new();
        seen.insert(key(&start));
        let nodes = vec![Node::START];
        Search { start, winner, limit, plan, turn: 0, nodes, seen, queues: Default::default(), next: 0, tried: 0, barren: 0 }
    }

    /// Goes on until `budget`, counted in moves looked at, is spent. `None`: it is not finished. `mates`: those to make for, if
    /// they are known, the same in every slice.
    pub fn run(&mut self, mates: &[Mate], budget: &mut u32) -> Option<Found> {
        let winner = self.winner;
        if replies(&self.start, winner) == Some(0) {
            return Some(Found::Mate);
        }
        while *budget > 0 {
            *budget -= 1;
            let turn = self.plan.turns.get(self.turn).copied().unwrap_or_default();
            self.turn = (self.turn + 1) % self.plan.turns.len();
            let Some(index) = self.pop(turn) else {
                if self.is_done() {
                    return Some(Found::NoMate);
                }
                continue;
            };
            let Some(position) = self.expand(index) else { continue };
            let node = self.node(index);
            // Only what cannot be undone changes where men can ever come to stand.
            if !mates.is_empty() && node.irreversible && self.is_barren(&position, budget) {
                continue;
            }
            let legal = position.legal_moves();
            if legal.is_full() {
                return Some(Found::GaveUp); // There may be more than the list holds.
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
                    return Some(Found::Mate);
                }
                if self.seen.count > self.limit as usize {
                    return Some(Found::GaveUp);
                }
                if enough_material(next.board(), winner) {
                    let scores = score::scores(next.board(), winner, replies, mates);
                    self.push(Node::after(index, mv, node.depth), scores);
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

    /// Whether it is shown that nothing comes of a position. Where that is seldom so, it is seldom looked at: it takes as long
    /// as ten positions.
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

    fn push(&mut self, node: Node, scores: [u32; 3]) {
        let index = self.nodes.len() as u32;
        for (queue, score) in self.queues.iter_mut().zip(scores) {
            if score != score::UNKNOWN {
                let score = (16 * score + self.plan.ply * u32::from(node.depth)).min((1 << (32 - INDEX)) - 1);
                queue.push(Reverse(score << INDEX | index));
            }
        }
        self.nodes.push(node);
    }

    fn node(&self, index: u32) -> Node {
        self.nodes.get(index as usize).copied().unwrap_or(Node::START)
    }

    /// The position of a node that was not looked at before: the moves that lead to it are played again, which is cheaper than to
    /// keep a position for each.
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

/// Moves out of a check by the winner, if there is one.
fn replies<P: Rules>(position: &P, winner: Color) -> Option<usize> {
    (position.turn() != winner && position.is_check()).then(|| position.legal_moves().len())
}

fn key<P: Rules>(position: &P) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
    key
}

const INDEX: u32 = 18;

/// A position that was found, and how. Twelve bytes: there may be a quarter of a million.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    mv: Packed,
    /// Plies from the start.
    depth: u16,
    expanded: bool,
    irreversible: bool,
}

impl Node {
    const START: Node = Node { parent: 0, mv: Packed(0), depth: 0, expanded: false, irreversible: false };

    fn after(parent: u32, mv: Move, depth: u16) -> Node {
        Node { parent, mv: Packed::of(mv), depth: depth.saturating_add(1), expanded: false, irreversible: mv.is_zeroing() }
    }
}

/// A move in two bytes: from, to (of castling the rook's square), promotion.
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

/// The keys of positions found: open addressing, at most half full, never more than it needs.
struct Seen {
    slots: Vec<u64>,
    count: usize,
}

impl Seen {
    fn new() -> Seen {
        Seen { slots: vec![0; 1 << 9], count: 0 }
    }

    /// Whether it is new.
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
