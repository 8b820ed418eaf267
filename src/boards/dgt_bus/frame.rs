//! Decodes replies and recovers from any damage to the bytes; encodes commands.

use crate::boards::Address;

/// The result of decoding a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A complete reply with a correct checksum.
    Reply {
        /// Type of the reply.
        id: u8,
        /// Address of the board that sent it.
        from: Address,
        /// Its data.
        data: Vec<u8>,
    },
    /// The number of bytes that belong to no complete reply.
    Damaged(usize),
}

/// The decoder, with the incomplete reply.
#[derive(Default)]
pub(crate) struct Frames(Vec<u8>);

impl Frames {
    /// Decodes the next byte.
    pub(crate) fn feed(&mut self, byte: u8) -> Option<Item> {
        if byte & 0x80 != 0 {
            let cut_short = std::mem::replace(&mut self.0, vec![byte]).len();
            return (cut_short > 0).then_some(Item::Damaged(cut_short));
        }
        self.0.push(byte);
        let length = match *self.0 {
            [id, high, low, ..] => match length(id, high, low) {
                Some(length) => length,
                None => return self.damaged(),
            },
            [id, ..] if id & 0x80 == 0 => return self.damaged(),
            _ => return None,
        };
        if self.0.len() < length {
            return None;
        }
        match std::mem::take(&mut self.0).as_slice() {
            [before @ .., check] if *check == checksum(before) => match before {
                [id, _, _, high, low, data @ ..] => {
                    Some(Item::Reply { id: *id, from: address(*high, *low), data: data.to_vec() })
                }
                _ => Some(Item::Damaged(length)),
            },
            _ => Some(Item::Damaged(length)),
        }
    }

    /// Whether a reply is incomplete.
    pub(crate) fn is_inside(&self) -> bool {
        !self.0.is_empty()
    }

    /// Discards an incomplete reply because no more bytes follow. Returns the number of bytes discarded.
    pub(crate) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.0).len()
    }

    fn damaged(&mut self) -> Option<Item> {
        Some(Item::Damaged(self.clear()))
    }
}

/// Encodes a command; [`Address`] 0 is all boards.
pub(crate) fn command(code: u8, to: Address) -> Vec<u8> {
    let mut bytes = vec![code, (to.0 >> 7 & 0x7f) as u8, (to.0 & 0x7f) as u8];
    bytes.push(checksum(&bytes));
    bytes
}

/// Encodes a command with data, which begins as a reply does.
pub(crate) fn command_with(code: u8, to: Address, data: &[u8]) -> Vec<u8> {
    let length = data.len() + 6;
    let mut bytes =
        vec![code, (length >> 7 & 0x7f) as u8, (length & 0x7f) as u8, (to.0 >> 7 & 0x7f) as u8, (to.0 & 0x7f) as u8];
    bytes.extend_from_slice(data);
    bytes.push(checksum(&bytes));
    bytes
}

/// Returns the low seven bits of the sum of all bytes.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f
}

fn address(high: u8, low: u8) -> Address {
    Address(u16::from(high) << 7 | u16::from(low))
}

/// Returns the length given by a header, from the id to the checksum, if such a reply exists.
fn length(id: u8, high: u8, low: u8) -> Option<usize> {
    let length = usize::from(high) << 7 | usize::from(low);
    let fits = match id {
        0x83 => length == 70,
        0x84 => length == 13,
        // b1 and b5: keys and battery of a Centaur.
        0x85 | 0x86 | 0xb1 | 0xb5 => length >= 6,
        0x87 | 0x88 => length == 6,
        0x89 => length == 6 || length == 8,
        _ => false,
    };
    fits.then_some(length)
}
