//! Decodes messages and recovers from any damage to the bytes.

use crate::boards::{Battery, Placement, SquareState};
use shakmaty::{Color, Role};

/// Maximum length of the board's text about itself.
const TEXT: usize = 64;
/// Length of the message with the squares: two letters and 32 bytes.
const SQUARES: usize = 34;

/// An item decoded from the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// All squares.
    Squares(Box<Placement>),
    /// The battery.
    Battery(Battery),
    /// The board's text about itself.
    Text(String),
    /// The number of bytes that belonged to no message.
    Skipped(usize),
}

/// The decoder, with the incomplete message from its `=` on.
#[derive(Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    skipped: usize,
    /// Whether no more bytes follow.
    ended: bool,
}

impl Frames {
    /// Adds the next byte.
    pub(super) fn feed(&mut self, byte: u8) {
        self.ended = false;
        self.bytes.push(byte);
    }

    /// Marks the end of the bytes: an incomplete message is over, or belongs to nothing.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the decoder has unfinished bytes.
    pub(super) fn is_inside(&self) -> bool {
        !self.bytes.is_empty() || self.skipped > 0
    }

    /// Returns the next complete item.
    pub(super) fn next(&mut self) -> Option<Item> {
        loop {
            let (item, length) = match self.bytes.as_slice() {
                [] => (None, 0),
                [b'=', b'p', data @ ..] => match placement(data) {
                    None => (None, 1),
                    Some(_) if data.len() + 2 < SQUARES => (None, 0),
                    Some(placement) => (Some(Item::Squares(Box::new(placement))), SQUARES),
                },
                [b'=', b'b', charging @ 0..=1, percent @ 0..=100, ..] => {
                    (Some(Item::Battery(Battery { percent: *percent, charging: Some(*charging == 1) })), 4)
                }
                [b'=', b'b'] | [b'=', b'b', 0..=1] | [b'='] => (None, 0),
                [b'=', b'h', text @ ..] => {
                    let length = text.iter().take_while(|&&byte| (b' '..=b'~').contains(&byte) && byte != b'=').count();
                    match text.len() > length || length >= TEXT || self.ended {
                        true if length > 0 => {
                            let decoded = String::from_utf8_lossy(text.get(..length).unwrap_or_default()).trim().to_owned();
                            // The end of the line belongs to the text.
                            let end = text.iter().skip(length).take_while(|byte| matches!(byte, b'\r' | b'\n' | 0)).count();
                            (Some(Item::Text(decoded)), 2 + length + end)
                        }
                        true => (None, 1),
                        false => (None, 0),
                    }
                }
                // A line end may follow a message.
                [b'\r' | b'\n', ..] if self.skipped == 0 => {
                    self.bytes.remove(0);
                    continue;
                }
                _ => (None, 1),
            };
            let length = if length == 0 && self.ended && !self.bytes.is_empty() { 1 } else { length };
            match item {
                None if length == 0 && self.ended && self.skipped > 0 => {
                    return Some(Item::Skipped(std::mem::take(&mut self.skipped)));
                }
                None if length == 0 => return None,
                None => {
                    self.bytes.drain(..length);
                    self.skipped += length;
                }
                Some(_) if self.skipped > 0 => return Some(Item::Skipped(std::mem::take(&mut self.skipped))),
                Some(item) => {
                    self.bytes.drain(..length);
                    return Some(item);
                }
            }
        }
    }
}

/// Decodes the squares that have arrived; `None` if a code is invalid.
fn placement(data: &[u8]) -> Option<Placement> {
    let mut placement: Placement = [SquareState::Empty; 64];
    let halves = data.iter().take(SQUARES - 2).flat_map(|byte| [byte >> 4, byte & 0x0f]);
    for (index, code) in (0..64).zip(halves) {
        // a8 comes first.
        placement[index ^ 56] = piece(code)?;
    }
    Some(placement)
}

fn piece(code: u8) -> Option<SquareState> {
    const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
    let Some(index) = code.checked_sub(1) else { return Some(SquareState::Empty) };
    let role = ROLES.get(usize::from(index % 6))?;
    (code <= 12).then(|| SquareState::Piece(role.of(Color::from_white(code <= 6))))
}
