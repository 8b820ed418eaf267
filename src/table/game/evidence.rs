//! What the squares showed before a move: the evidence of an illegal move.

use super::TableGame;
use crate::boards::{Millis, SquareState};
use crate::game::Sighting;
use crate::infer::{LineNode, ObservedBoard};
use crate::laws::NULL_UCI;
use shakmaty::{Bitboard, Piece, Square};
use std::sync::Arc;

impl TableGame {
    /// Returns what the board showed since the position before the move of this index: the evidence of an illegal move.
    pub(super) fn evidence(&self, index: usize, uci: &str) -> Vec<Sighting> {
        let recorded = self.record().plies.get(index).filter(|ply| ply.played.irregular && ply.played.uci == uci);
        if let Some(ply) = recorded {
            return ply.played.evidence.clone();
        }
        let Some(before) = self.follower.nodes().get(index).filter(|_| uci != NULL_UCI) else { return Vec::new() };
        self.evidence_between(before, changed_by(self.follower.nodes(), index).into_iter().collect())
    }

    /// Returns how these squares came to show their current state since the position of `since`, and what else was seen.
    pub(super) fn evidence_between(&self, since: &LineNode, squares: Bitboard) -> Vec<Sighting> {
        let seen = self.follower.seen();
        self.touches.sightings().evidence_for(squares, since.made_at, |square| {
            // The square already had this state when the game began, or when moves were taken back.
            let expected = since.position.piece_at(square);
            let at = seen.changed_at(square).max(self.record().started_at);
            let differs = !seen.is_compatible(square, expected);
            differs.then(|| Sighting { at, square, before: expected_reading(expected, seen), now: seen.actual(square) })
        })
    }

    /// Stores what a square showed before and what it shows now.
    pub(super) fn store_sighting(&mut self, at: Millis, square: Square, now: SquareState) {
        let seen = self.follower.seen();
        let now = now.reduce_to(seen.sensing());
        // After a restart nothing was seen yet: the record says which piece was there.
        let before = match self.board.has_been_read() {
            true => seen.actual(square),
            false => expected_reading(self.follower.tip().position.piece_at(square), seen),
        };
        if before != now {
            self.touches.push(Sighting { at, square, before, now });
            self.note_rest(at);
            self.note_handled(at, square, now);
        }
    }
}

/// Returns what a square with this piece, or without one, would show.
pub(super) fn expected_reading(piece: Option<Piece>, seen: &ObservedBoard) -> SquareState {
    piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(seen.sensing())
}

/// Returns the squares that the move of this index changed, including those of its slip if it was illegal.
pub(super) fn changed_by(line: &[Arc<LineNode>], index: usize) -> Vec<Square> {
    let (Some(before), Some(node)) = (line.get(index), line.get(index + 1)) else { return Vec::new() };
    let changes = node.mv.map(|mv| before.position.changes(mv));
    let mut squares: Vec<Square> = changes.iter().flat_map(|changes| changes.iter()).map(|(square, _)| square).collect();
    let slip = node.slip.as_ref().map_or(Bitboard::EMPTY, |slip| slip.squares);
    squares.extend(
        slip.into_iter().filter(|square| !changes.is_some_and(|changes| changes.iter().any(|(changed, _)| changed == *square))),
    );
    squares
}
