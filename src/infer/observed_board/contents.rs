//! Comparisons of what the squares show with placements.

use super::ObservedBoard;
use crate::boards::SquareState;
use crate::infer::placement_hash;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

impl ObservedBoard {
    /// Returns the placement hash of all squares except the hidden ones.
    pub fn hash_without(&self, hidden: Bitboard) -> u64 {
        hidden.into_iter().fold(self.placement_hash, |key, square| key ^ placement_hash::square_hash(square, self.at(square)))
    }

    /// Returns the squares that show this piece, on a board that identifies pieces.
    pub fn squares_with(&self, piece: Piece) -> Bitboard {
        *self.sides.get(piece.color) & *self.roles.get(piece.role)
    }

    /// Returns the squares that show a piece of this player.
    pub fn pieces_of(&self, color: Color) -> Bitboard {
        *self.sides.get(color)
    }

    /// Returns whether what a square shows is compatible with this piece, or with none.
    pub fn is_compatible(&self, square: Square, piece: Option<Piece>) -> bool {
        match (self.at(square), piece) {
            (SquareState::Empty, None) => true,
            (SquareState::Empty, Some(_)) | (_, None) => false,
            (SquareState::Piece(seen), Some(piece)) => seen == piece,
            (SquareState::Side(color), Some(piece)) => color == piece.color,
            (SquareState::Occupied, Some(_)) => true,
        }
    }

    /// Returns the squares that are incompatible with this placement.
    #[inline]
    pub fn mismatch(&self, board: &Board) -> Bitboard {
        // Written out, because this is compared most often.
        let (sides, roles) = (&self.sides, &self.roles);
        (board.occupied() ^ self.occupied)
            | (sides.white & !board.white())
            | (sides.black & !board.black())
            | (roles.pawn & !board.pawns())
            | (roles.knight & !board.knights())
            | (roles.bishop & !board.bishops())
            | (roles.rook & !board.rooks())
            | (roles.queen & !board.queens())
            | (roles.king & !board.kings())
    }

    /// Returns whether more pieces of one kind are seen than there are, so that one reading must be wrong.
    pub fn has_extra_pieces(&self, board: &Board) -> bool {
        let exceeds = |seen: Bitboard, expected: Bitboard| seen.count() > expected.count();
        let sides = || Color::ALL.into_iter().any(|color| exceeds(*self.sides.get(color), board.by_color(color)));
        let kind = |color, role| exceeds(*self.roles.get(role) & *self.sides.get(color), board.by_piece(Piece { color, role }));
        sides() || Color::ALL.into_iter().any(|color| Role::ALL.into_iter().any(|role| kind(color, role)))
    }

    /// Returns the square of this colour's king, if exactly one is seen outside hidden squares; identity boards only.
    pub fn king_square(&self, color: Color, hidden: Bitboard) -> Option<Square> {
        (self.roles.king & *self.sides.get(color) & !hidden).single_square()
    }

    /// Returns whether the kings of both colours are seen on these squares; identity boards only.
    pub fn shows_kings_in(&self, squares: Bitboard) -> bool {
        let kings = self.roles.king & squares;
        Color::ALL.into_iter().all(|color| !kings.is_disjoint(*self.sides.get(color)))
    }

    /// Returns the pieces as a board, if every piece is identified.
    pub fn to_board(&self) -> Option<Board> {
        let mut board = Board::empty();
        for square in self.occupied {
            let SquareState::Piece(piece) = self.at(square) else { return None };
            board.set_piece_at(square, piece);
        }
        Some(board)
    }
}
