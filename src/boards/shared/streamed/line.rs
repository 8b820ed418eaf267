//! Decodes lines of decimal numbers from a stream of bytes.

use super::board::StreamItem;
use super::damaged_line;
use super::lights::Leds;
use crate::boards::{Millis, ProtocolError};

/// Time without a byte after which a line that has all its numbers is complete even without an end, in milliseconds. A USB bridge
/// forwards its data after at most 16 ms.
const LINE_END_TIMEOUT: Millis = 60;
/// Time without a byte after which an incomplete line counts as truncated, in milliseconds.
const BYTE_TIMEOUT: Millis = 500;

/// An item decoded from the stream.
pub(in crate::boards) enum Item {
    /// A line with the expected number of numbers.
    Line(Vec<u8>),
    /// A long line with damaged bytes: the expected number of numbers, `None` where one cannot be read, and the length of the line
    /// in bytes.
    Damaged(Vec<Option<u8>>, usize),
    /// An item to be passed on.
    Other(StreamItem),
}

/// Number of numbers from which a line counts as long: if any bytes are damaged, some of them are in every long line.
const LONG_LINE: usize = 64;
/// Number of consecutive lines that identify another board.
const OTHER_MODEL_LINES: u8 = 2;
/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 4_096;

/// The decoder for lines `:n n n … n`, each number 0–255. It skips everything else.
pub(in crate::boards) struct LineDecoder {
    /// Expected number of numbers in a line.
    expected_count: usize,
    /// What to configure for a board that sends other lines.
    other_model_hint: &'static str,
    /// Number of consecutive lines of another board.
    other_model_lines: u8,
    state: State,
    /// The line so far.
    line: Vec<u8>,
    /// Number of words in it.
    words: usize,
    /// Number of bytes outside lines.
    outside_bytes: usize,
    /// Whether a line has begun since the link came up: earlier bytes are the rest of another.
    synced: bool,
    byte_at: Millis,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Outside a line.
    Outside,
    /// Inside a line.
    Inside,
}

impl LineDecoder {
    /// Creates a decoder for lines with this number of numbers. `other_model_hint` says what to do about a board whose lines
    /// have another length.
    pub(crate) fn new(expected_count: usize, other_model_hint: &'static str) -> LineDecoder {
        LineDecoder {
            expected_count,
            other_model_hint,
            other_model_lines: 0,
            state: State::Outside,
            line: Vec::with_capacity(expected_count * 4),
            words: 0,
            outside_bytes: 0,
            synced: false,
            byte_at: 0,
        }
    }

    /// Discards all unfinished input because the link came up or went down.
    pub(crate) fn forget(&mut self) {
        *self = LineDecoder::new(self.expected_count, self.other_model_hint);
    }

    /// Decodes one byte, which completes at most two items.
    pub(crate) fn feed(&mut self, now: Millis, byte: u8) -> [Option<Item>; 2] {
        self.byte_at = now;
        // Some boards have been seen to set bit 7 at random.
        let byte = byte & 0x7f;
        match byte {
            b':' => {
                let ended = self.end(true);
                (self.state, self.synced) = (State::Inside, true);
                [ended, None]
            }
            b'\r' => [self.end(false), None],
            // In a long line that is incomplete, this byte is damage.
            b'L' | b'D' if !self.is_long() || self.state != State::Inside || self.words >= self.expected_count => {
                let ended = self.end(true);
                let leds = if byte == b'L' { Leds::Plain } else { Leds::Colour };
                [ended, Some(Item::Other(StreamItem::LightsAcknowledged(leds)))]
            }
            // Line feeds can break a long line anywhere, also within a number. They end a short line.
            b'\n' if !self.is_long() => [self.end(false), None],
            b'\n' | 0 => [None, None],
            _ if self.state == State::Inside && self.line.len() < MAX_LINE => {
                let is_space = |byte: u8| matches!(byte, b' ' | b'\t');
                self.words += usize::from(!is_space(byte) && self.line.last().is_none_or(|&last| is_space(last)));
                self.line.push(byte);
                [None, None]
            }
            _ => {
                self.outside_bytes += 1;
                [None, None]
            }
        }
    }

    /// Returns the time at which [`LineDecoder::handle_timeout`] must be called.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        let wait = if self.is_whole() { LINE_END_TIMEOUT } else { BYTE_TIMEOUT };
        (self.state != State::Outside).then_some(self.byte_at + wait)
    }

    /// Handles the deadline: no byte arrived before it.
    pub(crate) fn handle_timeout(&mut self) -> Option<Item> {
        self.end(false)
    }

    fn is_long(&self) -> bool {
        self.expected_count >= LONG_LINE
    }

    fn is_whole(&self) -> bool {
        self.state == State::Inside && self.words == self.expected_count
    }

    /// Ends the current line, if there is one. `is_truncated`: the line may be truncated.
    fn end(&mut self, is_truncated: bool) -> Option<Item> {
        let state = std::mem::replace(&mut self.state, State::Outside);
        let line = std::mem::take(&mut self.line);
        let count = std::mem::take(&mut self.outside_bytes) + line.len();
        self.words = 0;
        if state == State::Outside {
            return (count > 0 && self.synced).then(|| garbage(count));
        }
        let numbers = numbers(&line);
        let is_other =
            numbers.as_ref().is_some_and(|numbers| numbers.len() != self.expected_count && matches!(numbers.len(), 8 | 320));
        self.other_model_lines = if is_other { self.other_model_lines.saturating_add(1) } else { 0 };
        match numbers.as_ref().map(Vec::len) {
            Some(len) if len == self.expected_count => numbers.map(Item::Line),
            // A single such line may be another one that was truncated.
            Some(len) if self.other_model_lines == OTHER_MODEL_LINES => {
                let error = format!(
                    "the board sends {len} numbers per line instead of {}: {}",
                    self.expected_count, self.other_model_hint
                );
                Some(Item::Other(StreamItem::ProtocolError(ProtocolError::OtherModel(error))))
            }
            _ => {
                let read = Some(&line)
                    .filter(|_| self.is_long())
                    .and_then(|line| damaged_line::read(line, self.expected_count, is_truncated));
                Some(read.map_or_else(|| garbage(count + 1), |numbers| Item::Damaged(numbers, count + 1)))
            }
        }
    }
}

/// Returns the numbers of a line that contains nothing else.
fn numbers(line: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(line).ok()?;
    text.split([' ', '\t']).filter(|word| !word.is_empty()).map(number).collect()
}

fn number(word: &str) -> Option<u8> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

fn garbage(count: usize) -> Item {
    Item::Other(StreamItem::ProtocolError(ProtocolError::Garbage(count)))
}
