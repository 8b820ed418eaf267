//! One position of a line of play, with what is needed to recognise the next one.

use super::growth::{Growth, growth};
use super::model::Cost;
use super::{keys, model, prior};
use crate::boards::{Millis, Sensing};
use crate::game::Confidence;
use crate::laws::reason::Reason;
use crate::laws::{Changes, Position};
use shakmaty::{Bitboard, Move};
use std::sync::OnceLock;

/// What a player did that no move tells, besides the move that is on record for it.
#[derive(Clone, Debug)]
pub struct Slip {
    /// The squares that show something else than the position after that move.
    pub squares: Bitboard,
    /// Why it is not legal.
    pub reason: Reason,
}

/// A move that is not legal, and explains what was seen as well as the one on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instead {
    /// It.
    pub mv: Move,
    /// How long its piece was in the hand, in milliseconds.
    pub held: Millis,
}

/// A ply that is known, whoever says so.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its move; where moves are missing the [null move](Position::null_move).
    pub mv: Move,
    /// When the clock was pressed on it, in milliseconds.
    pub pressed_at: Option<Millis>,
    /// The position that was found where moves are missing.
    pub found: Option<Position>,
}

impl Known {
    /// Whether this is the ply that led to the node.
    pub fn is(&self, node: &Node) -> bool {
        let same = |found: &Position| found.key() == node.position.key();
        node.mv == Some(self.mv) && self.found.as_ref().is_none_or(same)
    }
}

/// A position that play came to.
#[derive(Clone, Debug)]
pub struct Node {
    /// The move that led here; `None` at the start.
    pub mv: Option<Move>,
    /// The position after it.
    pub position: Position,
    /// What a board shows in this position.
    pub key: u64,
    /// What the move could still become.
    pub growth: Growth,
    /// How sure it is, once it is decided; a decided move is published.
    pub decided: Option<Confidence>,
    /// Other moves at this point of lines that explain the same readings equally well, each once, likeliest first.
    pub rivals: Vec<(Move, Confidence)>,
    /// The piece was seen on the neighbouring square just before: a hand drags it, and may drag it on.
    pub dragged: bool,
    /// The opponent touched a piece of his own while it stood on the board.
    pub answered: bool,
    /// Its last square showed no change: that it was made is known only from what came after.
    pub silent: bool,
    /// The move was not legal in the position before it.
    pub irregular: bool,
    /// What was done that the move does not tell, where it was not legal.
    pub slip: Option<Box<Slip>>,
    /// It is a capture that left no trace where it took, and this move, which is not legal, explains all that has changed.
    pub instead: Option<Instead>,
    /// The decided move that it took the place of.
    pub instead_of: Option<Move>,
    /// When its piece was first seen to leave its square again.
    pub left_at: Option<Millis>,
    /// When it was seen on the board.
    pub made_at: Millis,
    /// When the clock was pressed on it.
    pub pressed_at: Option<Millis>,
    /// What the way costs in which it was made: squares touched besides, haste.
    pub manner: Cost,
}

impl Node {
    /// Where a game begins.
    pub fn start(position: Position, sensing: Sensing) -> Node {
        let key = keys::board(position.board(), sensing);
        Node::new(None, position, key, Growth::default(), Some(Confidence::CERTAIN), 0)
    }

    /// The node after a legal move. `next`: what is kept ready of this node, where it is.
    pub fn after(&self, mv: Move, made_at: Millis, sensing: Sensing, next: Option<&Next>) -> Node {
        let growth = match next {
            Some(next) => growth(&self.position, next.all(), mv),
            None => growth(&self.position, self.position.legal_moves().iter().copied(), mv),
        };
        let key = keys::after(&self.position, self.key, mv, sensing);
        Node::new(Some(mv), self.position.play_legal(mv), key, growth, None, made_at)
    }

    /// It was not seen being made, but found by search.
    pub fn is_reconstructed(&self) -> bool {
        self.decided == Some(model::RECONSTRUCTED)
    }

    /// The clock was pressed on the move so long ago that all that belongs to the move has been seen. A piece that left its
    /// square before that, or just then, may still have been on its way.
    pub fn is_closed(&self, now: Millis) -> bool {
        self.pressed_at.is_some_and(|pressed| {
            let went_on = self.left_at.is_some_and(|left| left <= pressed);
            !went_on && now.saturating_sub(pressed) > model::PRESS_OVERTAKES
        })
    }

    /// The clock was pressed on the move so long ago that no earlier press is still on its way.
    pub fn is_pressed_before(&self, now: Millis) -> bool {
        self.pressed_at.is_some_and(|pressed| now.saturating_sub(pressed) > model::OVERLAP)
    }

    /// The node after a move that is not legal here. Nothing grows out of it: it was told only when it stood.
    pub fn after_illegal(&self, mv: Move, made_at: Millis, sensing: Sensing) -> Node {
        let key = keys::after(&self.position, self.key, mv, sensing);
        let node = Node::new(Some(mv), self.position.play(mv), key, Growth::default(), None, made_at);
        Node { irregular: true, ..node }
    }

    /// The node after moves that are missing: play goes on from this position. It is never told in another way.
    pub fn after_missing(&self, null: Move, found: Position, made_at: Millis, sensing: Sensing) -> Node {
        let key = keys::board(found.board(), sensing);
        let node = Node::new(Some(null), found, key, Growth::default(), Some(Confidence::CERTAIN), made_at);
        Node { irregular: true, pressed_at: Some(made_at), ..node }
    }

    fn new(
        mv: Option<Move>,
        position: Position,
        key: u64,
        growth: Growth,
        decided: Option<Confidence>,
        made_at: Millis,
    ) -> Node {
        Node {
            mv,
            position,
            key,
            growth,
            decided,
            rivals: Vec::new(),
            dragged: false,
            answered: false,
            silent: false,
            irregular: false,
            slip: None,
            instead: None,
            instead_of: None,
            left_at: None,
            made_at,
            pressed_at: None,
            manner: 0,
        }
    }
}

/// What each legal move from a node would show, kept ready so that an ordinary edge is a look-up.
#[derive(Clone, Debug)]
pub struct Next {
    /// The key after each legal move.
    moves: Box<[(u64, Move)]>,
    /// A bit for each of these keys: most others are told from them by that alone.
    hints: [u64; 16],
    /// What each of them costs, before anything of it is seen.
    costs: OnceLock<Box<[model::Cost]>>,
}

impl Next {
    /// Of the moves from this node.
    pub fn of(node: &Node, sensing: Sensing) -> Next {
        let moves = node.position.legal_moves();
        let moves: Box<[(u64, Move)]> =
            moves.iter().map(|&mv| (keys::after(&node.position, node.key, mv, sensing), mv)).collect();
        let mut hints = [0; 16];
        for (key, _) in &moves {
            let (word, bit) = Next::hint(*key);
            hints[word] |= bit;
        }
        Next { moves, hints, costs: OnceLock::new() }
    }

    /// Where the bit of a key is: which word, and the bit in it.
    fn hint(key: u64) -> (usize, u64) {
        ((key >> 6 & 15) as usize, 1 << (key & 63))
    }

    /// The legal moves that would show this. On identity boards at most one.
    pub fn showing(&self, key: u64) -> impl Iterator<Item = Move> + '_ {
        let (word, bit) = Next::hint(key);
        let moves = if self.hints[word] & bit == 0 { &[] } else { &*self.moves };
        moves.iter().filter(move |(after, _)| *after == key).map(|&(_, mv)| mv)
    }

    /// The legal moves from the node that would show this on all squares but the hidden ones, whose parts `key` leaves out.
    pub fn showing_but(&self, node: &Node, key: u64, hidden: Bitboard, sensing: Sensing) -> Vec<Move> {
        let board = node.position.board();
        let part = keys::part(board, hidden, sensing);
        let after = |after: u64, mv: Move| {
            let changes = Changes::of(node.position.turn(), mv);
            let changed = changes.iter().filter(|(square, _)| hidden.contains(*square));
            changed.fold(after ^ part, |key, (square, new)| {
                key ^ keys::piece(square, board.piece_at(square), sensing) ^ keys::piece(square, new, sensing)
            })
        };
        self.moves.iter().filter(|&&(shown, mv)| after(shown, mv) == key).map(|&(_, mv)| mv).collect()
    }

    /// Every legal move.
    pub fn all(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().map(|(_, mv)| *mv)
    }

    /// Every legal move with its cost before anything of it is seen.
    pub fn costs(&self, node: &Node) -> impl Iterator<Item = (Move, model::Cost)> + '_ {
        self.moves.iter().map(|(_, mv)| *mv).zip(self.weighed(node).iter().copied())
    }

    /// Works these costs out, to have them ready.
    pub fn weigh(&self, node: &Node) {
        self.weighed(node);
    }

    fn weighed(&self, node: &Node) -> &[model::Cost] {
        self.costs.get_or_init(|| {
            let moves: Vec<Move> = self.moves.iter().map(|(_, mv)| *mv).collect();
            prior::prior(&node.position, &moves)
        })
    }
}
