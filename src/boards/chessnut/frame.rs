//! The messages of a Chessnut board: their headers, and the codes of the squares.

use crate::boards::{Placement, SquareState};
use shakmaty::{Color, Role, Square};

/// Length of the longest message that is understood.
const MAX_MESSAGE: usize = 2 + 0x3d;

/// 64 piece codes, two per byte.
pub(super) type Squares = [u8; 32];

/// Whether a message with this type and length exists.
fn is_header(kind: u8, length: u8) -> bool {
    match kind {
        0x01 => matches!(length, 0x24 | 0x3d),
        0x2a => length == 2,
        0x23 | 0x32 | 0x37 => length == 1,
        0x28 => (1..=MAX_MESSAGE as u8 - 2).contains(&length),
        0x41 => matches!(length, 3 | 5),
        _ => false,
    }
}

/// Returns the complete message at the start of these bytes, and the rest.
pub(super) fn split_message(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match *bytes {
        [kind, length, ..] if is_header(kind, length) => bytes.split_at_checked(2 + usize::from(length)),
        _ => None,
    }
}

/// Whether these bytes may begin a message that is still incomplete.
pub(super) fn is_incomplete_message(bytes: &[u8]) -> bool {
    match *bytes {
        [kind] => matches!(kind, 0x01 | 0x2a | 0x23 | 0x32 | 0x37 | 0x28 | 0x41),
        [kind, length, ..] => is_header(kind, length) && bytes.len() < 2 + usize::from(length),
        [] => false,
    }
}

/// Decodes the squares of a report; an error names a code that does not exist.
pub(super) fn placement(squares: &Squares) -> Result<Placement, String> {
    let mut placement = [SquareState::Empty; 64];
    let codes = squares.iter().flat_map(|byte| [byte & 0x0f, byte >> 4]);
    for (square, code) in Square::ALL.into_iter().rev().zip(codes) {
        placement[square as usize] = square_state(code).ok_or_else(|| format!("piece code {code:x} on {square}"))?;
    }
    Ok(placement)
}

/// Decodes the code of a square; `None` if there is no such code.
fn square_state(code: u8) -> Option<SquareState> {
    use Color::{Black, White};
    let (role, color) = match code {
        0 => return Some(SquareState::Empty),
        1 => (Role::Queen, Black),
        2 => (Role::King, Black),
        3 => (Role::Bishop, Black),
        4 => (Role::Pawn, Black),
        5 => (Role::Knight, Black),
        6 => (Role::Rook, White),
        7 => (Role::Pawn, White),
        8 => (Role::Rook, Black),
        9 => (Role::Bishop, White),
        10 => (Role::Knight, White),
        11 => (Role::Queen, White),
        12 => (Role::King, White),
        _ => return None,
    };
    Some(SquareState::Piece(role.of(color)))
}
