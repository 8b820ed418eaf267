//! What is still open on the board at the end of a re-decoded line.

use super::Ply;
use crate::infer::ObservedBoard;
use crate::infer::explain::{landing_square, lifted_squares};
use crate::laws::Position;
use shakmaty::Bitboard;

/// The squares that differ from the position at the end of a line, all of them empty.
pub(super) struct OpenSquares {
    /// All of them.
    pub(super) wrong: Bitboard,
    /// Those of pieces in the hands of the player to move.
    pub(super) own_lifted: Bitboard,
    /// The last square of the last move, if its piece is still on its way.
    pub(super) passing: Bitboard,
    /// That of a piece that the player to move has lifted to capture it.
    pub(super) victim: Bitboard,
}

impl OpenSquares {
    /// Compares the position at the end of a line with what the board shows; `None` if pieces in the hands do not explain the
    /// difference. `last`: the last move of the line.
    pub(super) fn of(position: &Position, last: &Ply, seen: &ObservedBoard, hidden: Bitboard) -> Option<OpenSquares> {
        let wrong = seen.mismatch(position.board()) & !hidden;
        let own_lifted = lifted_squares(position, seen, wrong);
        let others = wrong & !own_lifted;
        let passing = others & Bitboard::from_square(landing_square(last.mv)) & !seen.occupied();
        let victim = others & !passing;
        let is_explained = wrong.is_disjoint(seen.occupied())
            && own_lifted.count() <= 2
            && victim.count() <= own_lifted.count().min(1)
            && last.was_seen;
        is_explained.then_some(OpenSquares { wrong, own_lifted, passing, victim })
    }
}
