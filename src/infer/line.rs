//! One position of a line of play, with what is needed to recognise the next one.

use super::growth::{Growth, growth};
use super::keys;
use crate::boards::{Millis, Sensing};
use crate::game::Confidence;
use crate::laws::Position;
use shakmaty::Move;

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
    /// The decided move that it took the place of.
    pub instead_of: Option<Move>,
    /// When its piece was first seen to leave its square again.
    pub left_at: Option<Millis>,
    /// When it was seen on the board.
    pub made_at: Millis,
    /// When the clock was pressed on it.
    pub pressed_at: Option<Millis>,
    /// The key after each legal move; filled when first needed.
    successors: Option<Box<[(u64, Move)]>>,
}

impl Node {
    /// Where a game begins.
    pub fn start(position: Position, sensing: Sensing) -> Node {
        let key = keys::board(position.board(), sensing);
        Node {
            mv: None,
            position,
            key,
            growth: Growth::default(),
            decided: Some(Confidence::CERTAIN),
            rivals: Vec::new(),
            dragged: false,
            answered: false,
            left_at: None,
            instead_of: None,
            made_at: 0,
            pressed_at: None,
            successors: None,
        }
    }

    /// The node after a legal move.
    pub fn after(&self, mv: Move, made_at: Millis, sensing: Sensing) -> Node {
        Node {
            mv: Some(mv),
            key: keys::after(&self.position, self.key, mv, sensing),
            growth: growth(&self.position, &self.position.legal_moves(), mv),
            position: self.position.play(mv),
            decided: None,
            rivals: Vec::new(),
            dragged: false,
            answered: false,
            left_at: None,
            instead_of: None,
            made_at,
            pressed_at: None,
            successors: None,
        }
    }

    /// Gets ready to recognise the next move.
    pub fn prepare(&mut self, sensing: Sensing) {
        if self.successors.is_none() {
            let moves = self.position.legal_moves();
            self.successors = Some(moves.iter().map(|&mv| (keys::after(&self.position, self.key, mv, sensing), mv)).collect());
        }
    }

    /// Forgets that again: only the last few nodes are asked.
    pub fn rest(&mut self) {
        self.successors = None;
    }

    /// The legal moves that would show this. On identity boards at most one.
    pub fn moves_showing(&self, key: u64) -> impl Iterator<Item = Move> + '_ {
        self.successors.iter().flatten().filter(move |(successor, _)| *successor == key).map(|&(_, mv)| mv)
    }
}
