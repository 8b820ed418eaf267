//! Bytes into messages, whatever happened to the bytes.

use super::memory;

/// The id of the memory's message.
const MEMORY: u8 = 0x8f;
/// The longest message there is: the whole memory.
const MEMORY_SIZE: usize = 3 + memory::SIZE;
/// What stands in the memory for bytes that were lost of it: "nothing".
const NOTHING: u8 = 0x7f;
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
    /// The memory so far, from its id on, while another message is read: it takes 8 s, and news may come in the midst of it.
    aside: Vec<u8>,
}

impl Decoder {
    /// Takes the next byte.
    pub fn feed(&mut self, byte: u8) -> Option<Item<'_>> {
        if std::mem::take(&mut self.lent) {
            self.message.clear();
        }
        if byte & 0x80 != 0 {
            let mut lost = std::mem::take(&mut self.skipped);
            if byte != MEMORY && self.message.first() == Some(&MEMORY) && self.message.len() > 3 {
                self.aside = std::mem::take(&mut self.message);
            } else if byte == MEMORY {
                lost += std::mem::take(&mut self.aside).len();
            }
            lost += self.message.len();
            self.message.clear();
            self.message.push(byte);
            return (lost > 0).then_some(Item::Skipped(lost));
        }
        if self.message.is_empty() {
            std::mem::swap(&mut self.message, &mut self.aside);
        }
        self.message.push(byte);
        let mut expected = self.expected()?;
        if expected.is_none() {
            self.skipped += self.message.len();
            let lost = std::mem::replace(&mut self.message, std::mem::take(&mut self.aside)).len();
            if self.message.is_empty() {
                return None;
            }
            // It goes on after what was no message.
            self.message.resize(self.message.len() + lost, NOTHING);
            expected = self.expected()?;
        }
        if expected.is_some_and(|expected| self.message.len() >= expected) {
            self.lent = true;
            return Some(Item::Message(self.message[0], &self.message[3..]));
        }
        None
    }

    /// A chunk that is one message, where nothing is unfinished: its id and its payload, as the bytes one by one would give
    /// them. So come nearly all; `None`: it is something else, and nothing was taken.
    pub fn whole<'a>(&self, chunk: &'a [u8]) -> Option<(u8, &'a [u8])> {
        let [id, rest @ ..] = chunk else { return None };
        let [high, low, payload @ ..] = rest else { return None };
        let is_one = !self.is_inside()
            && *id & 0x80 != 0
            && *id != MEMORY
            && length(*id, *high, *low) == Some(chunk.len())
            && rest.iter().all(|byte| byte & 0x80 == 0);
        is_one.then_some((*id, payload))
    }

    /// How long the message will be; the outer `None`: its header is not complete, the inner: there is no such message.
    fn expected(&self) -> Option<Option<usize>> {
        match *self.message {
            [id] if id & 0x80 == 0 => Some(None),
            // What interrupts the memory is news, or else damage.
            [id, _, _, ..] if !self.aside.is_empty() && !matches!(id, 0x86 | 0x8d | 0x8e) => Some(None),
            [id, high, low, ..] => Some(length(id, high, low)),
            _ => None,
        }
    }

    /// Whether the last byte left something unfinished.
    pub fn is_inside(&self) -> bool {
        self.skipped > 0 || !(self.lent || self.message.is_empty()) || !self.aside.is_empty()
    }

    /// How many bytes of an unfinished memory there are.
    pub fn memory(&self) -> usize {
        let is_message = !self.lent && self.message.first() == Some(&MEMORY);
        if is_message { self.message.len() } else { self.aside.len() }
    }

    /// The rest of the memory will not come: what there is of it, without its header; empty if there is nothing.
    pub fn take_memory(&mut self) -> Vec<u8> {
        let is_message = !self.lent && self.message.first() == Some(&MEMORY);
        let message = std::mem::take(if is_message { &mut self.message } else { &mut self.aside });
        message.get(3..).unwrap_or_default().to_vec()
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
        MEMORY => 3..=MEMORY_SIZE,
        _ => 3..=LONGEST,
    };
    allowed.contains(&length).then_some(length)
}
