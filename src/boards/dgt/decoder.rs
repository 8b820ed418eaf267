//! Splits the byte stream into messages and recovers from any damage to it.

use super::memory;

/// Id of the message that carries the memory.
const MEMORY: u8 = 0x8f;
/// Length of the longest message: the whole memory.
const MEMORY_SIZE: usize = 3 + memory::SIZE;
/// Filler for lost bytes of the memory: the entry "nothing".
const NOTHING: u8 = 0x7f;
/// Maximum length of all other messages; the trademark text is about 150 bytes.
const LONGEST: usize = 1024;

/// The result of decoding a byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    /// A complete message: its id and its payload.
    Message(u8, &'a [u8]),
    /// The number of skipped bytes before this one that belonged to no message.
    Skipped(usize),
}

/// The state of the decoder between two bytes. The same bytes give the same items however the stream is cut into chunks.
#[derive(Default)]
pub(crate) struct Decoder {
    /// The message so far, including its id; empty between messages.
    message: Vec<u8>,
    /// Whether the message is complete and is kept only because it was lent to the caller.
    lent: bool,
    /// Number of bytes since the last message that belong to no message.
    skipped: usize,
    /// The memory so far, including its id, while another message is being decoded: the memory takes 8 s, and other messages may
    /// interrupt it.
    interrupted_memory: Vec<u8>,
}

impl Decoder {
    /// Decodes the next byte.
    pub(crate) fn feed(&mut self, byte: u8) -> Option<Item<'_>> {
        if std::mem::take(&mut self.lent) {
            self.message.clear();
        }
        if byte & 0x80 != 0 {
            let mut lost = std::mem::take(&mut self.skipped);
            if byte != MEMORY && self.message.first() == Some(&MEMORY) && self.message.len() > 3 {
                self.interrupted_memory = std::mem::take(&mut self.message);
            } else if byte == MEMORY {
                lost += std::mem::take(&mut self.interrupted_memory).len();
            }
            lost += self.message.len();
            self.message.clear();
            self.message.push(byte);
            return (lost > 0).then_some(Item::Skipped(lost));
        }
        if self.message.is_empty() {
            std::mem::swap(&mut self.message, &mut self.interrupted_memory);
        }
        self.message.push(byte);
        let mut expected = self.expected()?;
        if expected.is_none() {
            self.skipped += self.message.len();
            let lost = std::mem::replace(&mut self.message, std::mem::take(&mut self.interrupted_memory)).len();
            if self.message.is_empty() {
                return None;
            }
            // The memory continues after bytes that were not a message.
            self.message.resize(self.message.len() + lost, NOTHING);
            expected = self.expected()?;
        }
        if expected.is_some_and(|expected| self.message.len() >= expected) {
            self.lent = true;
            return Some(Item::Message(self.message[0], &self.message[3..]));
        }
        None
    }

    /// Returns the id and the payload of a chunk that is exactly one message, if nothing is unfinished, as [`Decoder::feed`] would
    /// return them. Nearly all messages arrive this way. Returns `None`, and consumes nothing, for any other chunk.
    pub(crate) fn decode_single<'a>(&self, chunk: &'a [u8]) -> Option<(u8, &'a [u8])> {
        let [id, rest @ ..] = chunk else { return None };
        let [high, low, payload @ ..] = rest else { return None };
        let is_one = !self.is_inside()
            && *id & 0x80 != 0
            && *id != MEMORY
            && length(*id, *high, *low) == Some(chunk.len())
            && rest.iter().all(|byte| byte & 0x80 == 0);
        is_one.then_some((*id, payload))
    }

    /// Returns the expected length of the message. The outer `None`: its header is incomplete; the inner `None`: no such message
    /// exists.
    fn expected(&self) -> Option<Option<usize>> {
        match *self.message {
            [id] if id & 0x80 == 0 => Some(None),
            // Only these messages may interrupt the memory; anything else is damage.
            [id, _, _, ..] if !self.interrupted_memory.is_empty() && !matches!(id, 0x86 | 0x8d | 0x8e) => Some(None),
            [id, high, low, ..] => Some(length(id, high, low)),
            _ => None,
        }
    }

    /// Whether the decoder has unfinished bytes.
    pub(crate) fn is_inside(&self) -> bool {
        self.skipped > 0 || !(self.lent || self.message.is_empty()) || !self.interrupted_memory.is_empty()
    }

    /// Returns the number of bytes of an unfinished memory.
    pub(crate) fn memory(&self) -> usize {
        let is_message = !self.lent && self.message.first() == Some(&MEMORY);
        if is_message { self.message.len() } else { self.interrupted_memory.len() }
    }

    /// Returns the part of an unfinished memory that has arrived, without its header, because the rest will not arrive; empty if
    /// there is none.
    pub(crate) fn take_memory(&mut self) -> Vec<u8> {
        let is_message = !self.lent && self.message.first() == Some(&MEMORY);
        let message = std::mem::take(if is_message { &mut self.message } else { &mut self.interrupted_memory });
        message.get(3..).unwrap_or_default().to_vec()
    }

    /// Discards everything unfinished, because the rest will not arrive, and returns the number of its bytes.
    pub(crate) fn discard(&mut self) -> usize {
        let message = if self.lent { 0 } else { self.message.len() };
        let count = self.skipped + message + self.interrupted_memory.len();
        *self = Decoder::default();
        count
    }

    /// Returns the number of skipped bytes, because no more bytes follow. Keeps an incomplete message, as its end may still arrive.
    pub(crate) fn take_skipped(&mut self) -> Option<usize> {
        let skipped = std::mem::take(&mut self.skipped);
        (skipped > 0).then_some(skipped)
    }
}

/// Returns the length given by a header, if a message of this type can have it. Message types whose meaning depends on the length
/// are restricted to it; other and unknown types may have any reasonable length.
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
