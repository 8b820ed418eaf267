//! The squares of captures and castling.

use crate::laws::Move;
use shakmaty::{CastlingSide, File, Square};
use std::cmp::Ordering;

/// Returns the square of the piece that a move captures.
pub(crate) fn capture_square(mv: Move) -> Option<Square> {
    match mv {
        Move::Normal { capture: Some(_), to, .. } => Some(to),
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => None,
    }
}

/// Returns whether castling moves the king to the file of this square, and whether it moves the rook there.
pub(super) fn castling_squares(square: Square) -> [bool; 2] {
    [matches!(square.file(), File::C | File::G), matches!(square.file(), File::D | File::F)]
}

/// Returns the squares of king and rook after castling.
pub(super) fn castled(king: Square, rook: Square) -> [Square; 2] {
    let side = CastlingSide::from_queen_side(rook.cmp(&king) == Ordering::Less);
    [side.king_to_file(), side.rook_to_file()].map(|file| Square::from_coords(file, king.rank()))
}
