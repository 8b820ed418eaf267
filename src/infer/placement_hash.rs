//! Placement hash: what a board can tell of a placement as one number; equal readings have equal hashes.

use crate::boards::{SensorKind, SquareState};
use crate::laws::Position;
use shakmaty::{Bitboard, Board, Color, Move, Piece, Square};

/// Random numbers, one for each square and each class that a sensor can report.
static TABLE: [[u64; 15]; 64] = table();

/// Generates the table by Splitmix64 from a fixed seed: the same on every machine.
const fn table() -> [[u64; 15]; 64] {
    let mut table = [[0; 15]; 64];
    let mut state: u64 = 0x746f_7563_686d_6f76;
    let mut square = 0;
    while square < 64 {
        let mut class = 0;
        while class < 15 {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            table[square][class] = z ^ (z >> 31);
            class += 1;
        }
        square += 1;
    }
    table
}

/// Returns the part of the hash that one square contributes.
pub(super) fn square_hash(square: Square, sensed: SquareState) -> u64 {
    let class = match sensed {
        SquareState::Empty => return 0,
        SquareState::Piece(Piece { color: Color::White, role }) => role as usize - 1,
        SquareState::Piece(Piece { color: Color::Black, role }) => role as usize + 5,
        SquareState::Side(Color::White) => 12,
        SquareState::Side(Color::Black) => 13,
        SquareState::Occupied => 14,
    };
    TABLE[square as usize][class]
}

/// Returns the part of the hash that a square with this piece contributes.
pub(super) fn piece_hash(square: Square, piece: Option<Piece>, sensing: SensorKind) -> u64 {
    piece.map_or(0, |piece| square_hash(square, SquareState::Piece(piece).reduce_to(sensing)))
}

/// Returns the hash of a placement.
pub(super) fn board_hash(board: &Board, sensing: SensorKind) -> u64 {
    board.iter().fold(0, |hash, (square, found)| hash ^ piece_hash(square, Some(found), sensing))
}

/// Returns what these squares contribute to the hash of a placement.
pub(super) fn partial_hash(board: &Board, squares: Bitboard, sensing: SensorKind) -> u64 {
    squares.into_iter().fold(0, |hash, square| hash ^ piece_hash(square, board.piece_at(square), sensing))
}

/// Returns the hash after a move, given the hash before it.
pub(super) fn hash_after(position: &Position, hash: u64, mv: Move, sensing: SensorKind) -> u64 {
    position.changes(mv).iter().fold(hash, |hash, (square, new)| {
        hash ^ piece_hash(square, position.piece_at(square), sensing) ^ piece_hash(square, new, sensing)
    })
}
