//! Bytes into messages, whatever happened to the bytes.

/// The longest message there is: the whole memory.
const MEMORY: usize = 3 + 0x1f00;
/// The longest other message; the trademark text is about 150 bytes.
const LONGEST: usize = 1024;

/// What a byte completed.
#[derive(Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A message: its id and its payload.
    Message(u8, &'a [u8]),
    /// So many bytes before this one belonged to nothing.
    Skipped(usize),
}

/// The state between two bytes. The same bytes give the same items however they were cut.
#[derive(Default)]
pub struct Decoder {
    /// The message so far, from its id on; empty between messages.
    message: Vec<u8>,
    /// The message is complete, and only still here because it was lent to the caller.
    lent: bool,
    /// Bytes since the last message that belong to nothing.
    skipped: usize,
}

impl Decoder {
    /// Takes the next byte.
    pub fn feed(&mut self, byte: u8) -> Option<Item<'_>> {
        if std::mem::take(&mut self.lent) {
            self.message.clear();
        }
        if byte & 0x80 != 0 {
            let lost = std::mem::take(&mut self.skipped) + self.message.len();
            self.message.clear();
            self.message.push(byte);
            return (lost > 0).then_some(Item::Skipped(lost));
        }
        self.message.push(byte);
        let expected = match *self.message {
            [id] if id & 0x80 == 0 => None,
            [id, high, low, ..] => length(id, high, low),
            _ => return None,
        };
        match expected {
            Some(expected) if self.message.len() == expected => {
                self.lent = true;
                Some(Item::Message(self.message[0], &self.message[3..]))
            }
            Some(_) => None,
            None => {
                self.skipped += self.message.len();
                self.message.clear();
                None
            }
        }
    }

    /// Whether the last byte left something unfinished.
    pub fn is_inside(&self) -> bool {
        self.skipped > 0 || !(self.lent || self.message.is_empty())
    }

    /// Nothing follows: how many bytes belonged to nothing. A message cut short is kept, its end may still come.
    pub fn give_up(&mut self) -> Option<usize> {
        let skipped = std::mem::take(&mut self.skipped);
        (skipped > 0).then_some(skipped)
    }
}

/// The length that a header says, if a message of this kind can be that long. Of other kinds than those whose meaning hangs
/// on it, and of unknown ones, any reasonable length is taken.
fn length(id: u8, high: u8, low: u8) -> Option<usize> {
    let length = usize::from(high) << 7 | usize::from(low);
    let allowed = match id {
        0x86 => 67..=67,
        0x8d => 10..=10,
        0x8e => 5..=5,
        0x8f => 3..=MEMORY,
        _ => 3..=LONGEST,
    };
    allowed.contains(&length).then_some(length)
}
