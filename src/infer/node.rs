//! One position of a line of play, with what is needed to recognise the next one.

use super::growth::{Growth, find_growth};
use super::model::Cost;
use super::prior::{RecentMoves, prior_costs};
use super::{model, placement_hash};
use crate::boards::{Millis, SensorKind};
use crate::game::Confidence;
use crate::laws::reason::IllegalReason;
use crate::laws::{Changes, Position};
use shakmaty::{Bitboard, Move, Role};
use std::sync::OnceLock;

/// An action of a player that the move on record for it does not describe.
#[derive(Clone, Debug)]
pub struct Slip {
    /// The squares that differ from the position after that move.
    pub squares: Bitboard,
    /// Why it is illegal.
    pub reason: IllegalReason,
}

/// An illegal move that explains what was seen as well as the one on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalAlternative {
    /// The illegal move.
    pub mv: Move,
    /// How long its piece was in the hand, in milliseconds.
    pub held: Millis,
}

/// A known ply, from any source.
#[derive(Clone, Debug)]
pub struct KnownPly {
    /// The move; the [null move](Position::null_move) where moves are missing.
    pub mv: Move,
    /// When the clock was pressed on it, in milliseconds.
    pub pressed_at: Option<Millis>,
    /// The position that was found where moves are missing.
    pub found: Option<Position>,
}

impl KnownPly {
    /// Returns whether this is the ply that led to the node.
    pub fn matches(&self, node: &LineNode) -> bool {
        let same = |found: &Position| found.key() == node.position.key();
        node.mv == Some(self.mv) && self.found.as_ref().is_none_or(same)
    }
}

/// A position of a line of play.
#[derive(Clone, Debug)]
pub struct LineNode {
    /// The move that led here; `None` at the start.
    pub mv: Option<Move>,
    /// The last moves, this one included.
    pub recent_moves: RecentMoves,
    /// The position after it.
    pub position: Position,
    /// Placement hash: what a board shows in this position.
    pub placement_hash: u64,
    /// Moves that this one could still become.
    pub growth: Growth,
    /// Confidence of the move once it is decided; a decided move is published.
    pub confidence: Option<Confidence>,
    /// Other moves at this point, of lines that explain the same readings equally well; each once, likeliest first.
    pub rivals: Vec<(Move, Confidence)>,
    /// Whether the piece was seen on the neighbouring square just before: a hand drags it, and may drag it on.
    pub dragged: bool,
    /// Whether the opponent touched a piece of their own while the move was on the board.
    pub answered: bool,
    /// Whether the last square of the move showed no change: only what came after proves the move.
    pub silent: bool,
    /// Whether the move was illegal in the position before it.
    pub irregular: bool,
    /// The action that the move does not describe, if it was illegal.
    pub slip: Option<Box<Slip>>,
    /// The illegal move that explains all changes, if this move is a capture that left no trace on its capture square.
    pub illegal_alternative: Option<IllegalAlternative>,
    /// The decided move that it replaced.
    pub replaced: Option<Move>,
    /// When its piece was first seen to leave its square again.
    pub left_at: Option<Millis>,
    /// When it was seen on the board.
    pub made_at: Millis,
    /// When the clock was pressed on it.
    pub pressed_at: Option<Millis>,
    /// Cost of the way in which it was made: other squares touched, haste.
    pub handling_cost: Cost,
    /// The piece that the players have chosen for this promotion on the board's own buttons, if they have.
    pub chosen_piece: Option<Role>,
}

impl LineNode {
    /// Creates the node of the start position.
    pub fn at_start(position: Position, sensing: SensorKind) -> LineNode {
        let hash = placement_hash::board_hash(position.board(), sensing);
        LineNode::new(None, position, hash, Growth::default(), Some(Confidence::CERTAIN), 0)
    }

    /// Returns the node after a legal move. `next`: the prepared moves of this node, if they are ready.
    pub fn after_move(&self, mv: Move, made_at: Millis, sensing: SensorKind, next: Option<&NextMoves>) -> LineNode {
        let growth = match next {
            Some(next) => find_growth(&self.position, next.all(), mv),
            None => find_growth(&self.position, self.position.legal_moves().iter().copied(), mv),
        };
        let hash = placement_hash::hash_after(&self.position, self.placement_hash, mv, sensing);
        let node = LineNode::new(Some(mv), self.position.play_legal(mv), hash, growth, None, made_at);
        LineNode { recent_moves: self.recent_moves.after(mv), ..node }
    }

    /// Returns whether the move was found by search, not seen being made.
    pub fn is_reconstructed(&self) -> bool {
        self.confidence == Some(model::RECONSTRUCTED_CONFIDENCE)
    }

    /// Returns whether the clock was pressed on the move so long ago that everything that belongs to the move has been seen. A
    /// piece that left its square before the press, or just then, may still have been on its way.
    pub fn is_closed(&self, now: Millis) -> bool {
        self.pressed_at.is_some_and(|pressed| {
            let went_on = self.left_at.is_some_and(|left_at| left_at <= pressed);
            !went_on && now.saturating_sub(pressed) > model::PRESS_OVERTAKE_WINDOW
        })
    }

    /// Returns whether the clock was pressed on the move so long ago that no earlier press is still on its way.
    pub fn was_pressed_long_ago(&self, now: Millis) -> bool {
        self.pressed_at.is_some_and(|pressed| now.saturating_sub(pressed) > model::MAX_OVERLAP)
    }

    /// Returns the node after an illegal move. Nothing grows out of it: it is appended only once it is on the board.
    pub fn after_illegal(&self, mv: Move, made_at: Millis, sensing: SensorKind) -> LineNode {
        let hash = placement_hash::hash_after(&self.position, self.placement_hash, mv, sensing);
        let node = LineNode::new(Some(mv), self.position.play(mv), hash, Growth::default(), None, made_at);
        LineNode { irregular: true, recent_moves: self.recent_moves.after(mv), ..node }
    }

    /// Returns the node after missing moves: play goes on from the position `found`. It is never revised.
    pub fn after_missing(&self, null: Move, found: Position, made_at: Millis, sensing: SensorKind) -> LineNode {
        let hash = placement_hash::board_hash(found.board(), sensing);
        let node = LineNode::new(Some(null), found, hash, Growth::default(), Some(Confidence::CERTAIN), made_at);
        LineNode { irregular: true, pressed_at: Some(made_at), ..node }
    }

    fn new(
        mv: Option<Move>,
        position: Position,
        hash: u64,
        growth: Growth,
        decided: Option<Confidence>,
        made_at: Millis,
    ) -> LineNode {
        LineNode {
            mv,
            recent_moves: RecentMoves::default(),
            position,
            placement_hash: hash,
            growth,
            confidence: decided,
            rivals: Vec::new(),
            dragged: false,
            answered: false,
            silent: false,
            irregular: false,
            slip: None,
            illegal_alternative: None,
            replaced: None,
            left_at: None,
            made_at,
            pressed_at: None,
            handling_cost: 0,
            chosen_piece: None,
        }
    }
}

/// The placement hash after each legal move of a node, kept ready so that an ordinary edge is a look-up.
#[derive(Clone, Debug)]
pub struct NextMoves {
    /// The placement hash after each legal move.
    moves: Box<[(u64, Move)]>,
    /// One bit for each of these hashes, which already rules out most others.
    hints: [u64; 16],
    /// Prior cost of each of these moves.
    costs: OnceLock<Box<[model::Cost]>>,
}

impl NextMoves {
    /// Computes the moves from this node.
    pub fn of(node: &LineNode, sensing: SensorKind) -> NextMoves {
        let moves = node.position.legal_moves();
        let moves: Box<[(u64, Move)]> = moves
            .iter()
            .map(|&mv| (placement_hash::hash_after(&node.position, node.placement_hash, mv, sensing), mv))
            .collect();
        let mut hints = [0; 16];
        for (hash, _) in &moves {
            let (word, bit) = NextMoves::hint(*hash);
            hints[word] |= bit;
        }
        NextMoves { moves, hints, costs: OnceLock::new() }
    }

    /// Returns where the bit of a hash is: the index of the word, and the bit in it.
    fn hint(hash: u64) -> (usize, u64) {
        ((hash >> 6 & 15) as usize, 1 << (hash & 63))
    }

    /// Returns the legal moves that would show this placement. On identity boards at most one.
    pub fn moves_showing(&self, hash: u64) -> impl Iterator<Item = Move> + '_ {
        let (word, bit) = NextMoves::hint(hash);
        let moves = if self.hints[word] & bit == 0 { &[] } else { &*self.moves };
        moves.iter().filter(move |(after, _)| *after == hash).map(|&(_, mv)| mv)
    }

    /// Returns the legal moves from the node that would show this on all squares except the hidden ones, whose parts `hash` leaves
    /// out.
    pub fn moves_showing_except(&self, node: &LineNode, hash: u64, hidden: Bitboard, sensing: SensorKind) -> Vec<Move> {
        let board = node.position.board();
        let part = placement_hash::partial_hash(board, hidden, sensing);
        let after = |after: u64, mv: Move| {
            let changes = Changes::of(node.position.turn(), mv);
            let changed = changes.iter().filter(|(square, _)| hidden.contains(*square));
            changed.fold(after ^ part, |hash, (square, new)| {
                hash ^ placement_hash::piece_hash(square, board.piece_at(square), sensing)
                    ^ placement_hash::piece_hash(square, new, sensing)
            })
        };
        self.moves.iter().filter(|&&(shown, mv)| after(shown, mv) == hash).map(|&(_, mv)| mv).collect()
    }

    /// Returns every legal move.
    pub fn all(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().map(|(_, mv)| *mv)
    }

    /// Returns every legal move with its prior cost.
    pub fn prior_costs(&self, node: &LineNode) -> impl Iterator<Item = (Move, model::Cost)> + '_ {
        self.moves.iter().map(|(_, mv)| *mv).zip(self.priors(node).iter().copied())
    }

    /// Computes these costs in advance.
    pub fn compute_priors(&self, node: &LineNode) {
        self.priors(node);
    }

    fn priors(&self, node: &LineNode) -> &[model::Cost] {
        self.costs.get_or_init(|| {
            let moves: Vec<Move> = self.moves.iter().map(|(_, mv)| *mv).collect();
            prior_costs(&node.position, &node.recent_moves, &moves)
        })
    }
}
