//! What a hand does.

use crate::laws::{Move, Position};
use shakmaty::{Bitboard, Color, Piece, Square};

/// One action of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Lifts the piece on this square of play.
    Lift(Square),
    /// Puts this piece on this square of play, which may hold another piece.
    Put(Square, Piece),
    /// Lays a finger on this square of play, and leaves it there.
    Touch(Square),
    /// Takes all fingers off the squares.
    LetGo,
    /// This player presses the clock.
    Press(Color),
    /// Starts the clock: the time of the player whose lever is up runs, at first White's.
    Start,
    /// Stops the clock.
    Stop,
    /// Pulls the cable out.
    Unplug,
    /// Plugs the cable in again.
    Plug,
}

/// Returns the piece on each square.
pub(super) fn pieces(position: &Position) -> [Option<Piece>; 64] {
    std::array::from_fn(|index| position.piece_at(Square::new(index as u32)))
}

/// Returns the squares between the ends of a piece's move; for castling, those that the king crosses.
pub(super) fn path(mv: Move) -> Bitboard {
    match mv {
        Move::Normal { from, to, .. } => shakmaty::attacks::between(from, to),
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_queen_side(rook < king);
            let to = Square::from_coords(side.king_to_file(), king.rank());
            shakmaty::attacks::between(king, to).without(rook)
        }
        _ => Bitboard::EMPTY,
    }
}
