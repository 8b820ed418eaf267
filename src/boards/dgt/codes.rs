//! The codes of pieces and fields in the board's messages.

use crate::boards::SquareState;
use shakmaty::{Color, Role, Square};

/// Decodes a piece code; the special pieces that signal a result count as empty. Returns `None` for an invalid code.
pub(crate) fn piece(code: u8) -> Option<SquareState> {
    const ROLES: [Role; 6] = [Role::Pawn, Role::Rook, Role::Knight, Role::Bishop, Role::King, Role::Queen];
    Some(match code {
        0x00 | 0x0d..=0x0f => SquareState::Empty,
        0x01..=0x06 => SquareState::Piece(ROLES[usize::from(code - 1)].of(Color::White)),
        0x07..=0x0c => SquareState::Piece(ROLES[usize::from(code - 7)].of(Color::Black)),
        _ => return None,
    })
}

/// Decodes a field number: 0 is a8, 63 is h1. Returns `None` for an invalid one.
pub(crate) fn square(field: u8) -> Option<Square> {
    (field < 64).then(|| Square::new(u32::from(field)).flip_vertical())
}
