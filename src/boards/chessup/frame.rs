//! Decodes messages. They have neither a length nor a checksum: each begins with its code, which tells its length.

use crate::boards::{Placement, SquareState};
use shakmaty::{Color, File, Piece, Rank, Role, Square};

/// The code of an empty square.
const EMPTY: u8 = 0x40;

/// An item decoded from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The squares as the board derives them from the moves that it has accepted.
    State(Box<Placement>),
    /// The squares as they are sensed.
    Squares(Box<Placement>),
    /// A piece was moved between these squares.
    Move(Square, Square),
    /// The piece chosen for a promoted pawn.
    Promotion(Role),
    /// A hand touches a square; the piece that the board believes to be there.
    Touched(Square, Option<Piece>),
    /// No square is touched any more.
    Released,
    /// The board took a move back, or has loaded a position: the same move may be made again.
    Rewound,
    /// The board's text about itself.
    Text(String),
    /// A message that carries nothing of interest.
    Other,
    /// The number of bytes that belonged to no message.
    Skipped(usize),
}

/// The decoder, with the incomplete message.
#[derive(Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds received bytes.
    pub(super) fn feed(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
    }

    /// Whether a message is incomplete.
    pub(super) fn is_inside(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Discards an incomplete message and returns the number of its bytes.
    pub(super) fn discard(&mut self) -> usize {
        std::mem::take(&mut self.bytes).len()
    }

    /// Returns the next complete item.
    pub(super) fn next(&mut self) -> Option<Item> {
        let mut skipped = 0;
        loop {
            let rest = self.bytes.get(skipped..).unwrap_or_default();
            match item(rest) {
                // What was skipped is reported first; the message is decoded by the next call.
                Decoded::Complete(..) | Decoded::Incomplete if skipped > 0 => {
                    self.bytes.drain(..skipped);
                    return Some(Item::Skipped(skipped));
                }
                Decoded::Complete(item, length) => {
                    self.bytes.drain(..length);
                    return Some(item);
                }
                Decoded::Incomplete => return None,
                Decoded::Invalid => skipped += 1,
            }
        }
    }
}

/// What some bytes begin with.
enum Decoded {
    /// A message, and its length.
    Complete(Item, usize),
    /// Nothing, or the beginning of a message.
    Incomplete,
    /// No message.
    Invalid,
}

fn item(bytes: &[u8]) -> Decoded {
    let Some(&code) = bytes.first() else { return Decoded::Incomplete };
    let length = match code {
        0x22..=0x24 | 0xb1 | 0xbb | 0xbd => 1,
        0x33 | 0x97 | 0xb0 => 2,
        0xb8 => 3,
        0xa3 => 6,
        0xfd => 10,
        0xb2 => 17,
        0x67 => 73,
        _ => return Decoded::Invalid,
    };
    match bytes.get(..length) {
        Some(message) => message_item(message).map_or(Decoded::Invalid, |item| Decoded::Complete(item, length)),
        None if may_continue(bytes) => Decoded::Incomplete,
        None => Decoded::Invalid,
    }
}

/// Whether the beginning of a message has no value that the message cannot have.
fn may_continue(bytes: &[u8]) -> bool {
    match bytes {
        [0xa3, subtype, coordinates @ ..] => *subtype == 0x35 && coordinates.iter().all(|value| *value < 8),
        [0xb8, square, ..] => *square < 64,
        [0xfd, second, ..] => *second == 0xfd,
        [0x67, codes @ ..] => codes.iter().take(64).all(|code| state(*code).is_some()),
        [0xb2, text @ ..] => text.iter().all(|byte| is_text(*byte)),
        _ => true,
    }
}

/// Decodes a message of the right length; `None` if it has an impossible value.
fn message_item(message: &[u8]) -> Option<Item> {
    if !may_continue(message) {
        return None;
    }
    Some(match *message {
        [0x67, ref codes @ ..] => {
            let mut placement = [SquareState::Empty; 64];
            for (square, code) in placement.iter_mut().zip(codes) {
                *square = state(*code)?;
            }
            Item::State(Box::new(placement))
        }
        [0xfd, 0xfd, ref ranks @ ..] => {
            let mut placement = [SquareState::Empty; 64];
            for (rank, files) in (0..8u32).rev().zip(ranks) {
                for file in (0..8u32).filter(|file| files >> file & 1 == 1) {
                    placement[Square::from_coords(File::new(file), Rank::new(rank)) as usize] = SquareState::Occupied;
                }
            }
            Item::Squares(Box::new(placement))
        }
        [0xa3, _, from_file, from_rank, to_file, to_rank] => {
            Item::Move(square(from_rank * 8 + from_file)?, square(to_rank * 8 + to_file)?)
        }
        [0x97, role] => Item::Promotion(promoted(role)?),
        [0xb8, index, code] => match state(code)? {
            SquareState::Piece(piece) => Item::Touched(square(index)?, Some(piece)),
            _ => Item::Touched(square(index)?, None),
        },
        [0xbb] => Item::Released,
        [0xb1 | 0xbd] => Item::Rewound,
        [0xb2, ref text @ ..] => Item::Text(
            text.iter().map(|byte| char::from(*byte)).filter(|char| *char != '\0').collect::<String>().trim().to_owned(),
        ),
        _ => Item::Other,
    })
}

fn is_text(byte: u8) -> bool {
    byte == 0 || (b' '..=b'~').contains(&byte)
}

/// Decodes a square: a1 is 0, b1 is 1, h8 is 63.
fn square(index: u8) -> Option<Square> {
    Square::try_from(u32::from(index)).ok()
}

/// Decodes the code of a square.
fn state(code: u8) -> Option<SquareState> {
    const ROLES: [Role; 6] = [Role::Pawn, Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King];
    if code == EMPTY {
        return Some(SquareState::Empty);
    }
    let role = ROLES.get(usize::from(code & 7)).filter(|_| code < 16)?;
    Some(SquareState::Piece(role.of(Color::from_white(code < 8))))
}

fn promoted(code: u8) -> Option<Role> {
    match code {
        1 => Some(Role::Rook),
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Queen),
        _ => None,
    }
}
