//! Lines of decimal numbers out of a stream of bytes.

use super::damaged;
use super::stream::{Heard, Leds};
use crate::boards::{Millis, Trouble};

/// A line that has all its numbers, but whose end does not come for so long, is whole. Milliseconds; a USB bridge hands on what it
/// has after 16 ms.
const ENDED: Millis = 60;
/// A line whose next byte does not come for so long was cut short. Milliseconds.
const STALL: Millis = 500;

/// One thing in the stream.
pub(in crate::boards) enum Item {
    /// A line of as many numbers as expected.
    Line(Vec<u8>),
    /// A long line of which some bytes were damaged: as many numbers, where they can be read. And how many bytes it had.
    Damaged(Vec<Option<u8>>, usize),
    /// This is to be passed on.
    Heard(Heard),
}

/// Lines of so many numbers are long: some bytes of them are damaged wherever any are.
const LONG: usize = 64;
/// So many lines in a row are those of another board.
const OTHERS: u8 = 2;
/// No board sends longer lines, in bytes.
const LONGEST: usize = 4_096;

/// Reads lines `:n n n … n`, each number 0–255. What else comes is passed over.
pub(in crate::boards) struct Numbers {
    /// So many numbers make a line.
    expect: usize,
    /// Of a board that sends other lines.
    other: &'static str,
    /// How many of its lines have come one after the other.
    others: u8,
    state: State,
    /// The line so far.
    line: Vec<u8>,
    /// So many words are in it.
    words: usize,
    /// Bytes of what is no line.
    count: usize,
    /// Whether a line has begun since the link came up: what comes before is the rest of one.
    synced: bool,
    byte_at: Millis,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No line has begun.
    Outside,
    /// In a line.
    Inside,
}

impl Numbers {
    /// Lines of so many numbers. `other` is what to do about a board whose lines have another length.
    pub fn new(expect: usize, other: &'static str) -> Numbers {
        Numbers {
            expect,
            other,
            others: 0,
            state: State::Outside,
            line: Vec::with_capacity(expect * 4),
            words: 0,
            count: 0,
            synced: false,
            byte_at: 0,
        }
    }

    /// The link came up: nothing of before belongs to what comes.
    pub fn forget(&mut self) {
        *self = Numbers::new(self.expect, self.other);
    }

    /// One byte; at most two things end with it.
    pub fn feed(&mut self, now: Millis, byte: u8) -> [Option<Item>; 2] {
        self.byte_at = now;
        // Some boards were seen to send bit 7 at random.
        let byte = byte & 0x7f;
        match byte {
            b':' => {
                let ended = self.end(true);
                (self.state, self.synced) = (State::Inside, true);
                [ended, None]
            }
            b'\r' => [self.end(false), None],
            // In a long line that is not whole it is damage.
            b'L' | b'D' if !self.is_long() || self.state != State::Inside || self.words >= self.expect => {
                let ended = self.end(true);
                let leds = if byte == b'L' { Leds::Plain } else { Leds::Colour };
                [ended, Some(Item::Heard(Heard::Lit(leds)))]
            }
            // Long lines are broken anywhere, also within a number. In a short one it is the end.
            b'\n' if !self.is_long() => [self.end(false), None],
            b'\n' | 0 => [None, None],
            _ if self.state == State::Inside && self.line.len() < LONGEST => {
                let is_space = |byte: u8| matches!(byte, b' ' | b'\t');
                self.words += usize::from(!is_space(byte) && self.line.last().is_none_or(|&last| is_space(last)));
                self.line.push(byte);
                [None, None]
            }
            _ => {
                self.count += 1;
                [None, None]
            }
        }
    }

    /// When [`Numbers::quiet`] wants to be called.
    pub fn deadline(&self) -> Option<Millis> {
        let wait = if self.is_whole() { ENDED } else { STALL };
        (self.state != State::Outside).then_some(self.byte_at + wait)
    }

    /// Nothing came until the deadline.
    pub fn quiet(&mut self) -> Option<Item> {
        self.end(false)
    }

    fn is_long(&self) -> bool {
        self.expect >= LONG
    }

    fn is_whole(&self) -> bool {
        self.state == State::Inside && self.words == self.expect
    }

    /// The line ends here, if one has begun. `cut`: perhaps before its time.
    fn end(&mut self, cut: bool) -> Option<Item> {
        let state = std::mem::replace(&mut self.state, State::Outside);
        let line = std::mem::take(&mut self.line);
        let count = std::mem::take(&mut self.count) + line.len();
        self.words = 0;
        if state == State::Outside {
            return (count > 0 && self.synced).then(|| garbage(count));
        }
        let numbers = numbers(&line);
        let is_other = numbers.as_ref().is_some_and(|numbers| numbers.len() != self.expect && matches!(numbers.len(), 8 | 320));
        self.others = if is_other { self.others.saturating_add(1) } else { 0 };
        match numbers.as_ref().map(Vec::len) {
            Some(len) if len == self.expect => numbers.map(Item::Line),
            // One of them may be another line cut short.
            Some(len) if self.others == OTHERS => {
                let why = format!("the board sends {len} numbers a line, and not {}: {}", self.expect, self.other);
                Some(Item::Heard(Heard::Trouble(Trouble::OtherModel(why))))
            }
            _ => {
                let read = Some(&line).filter(|_| self.is_long()).and_then(|line| damaged::read(line, self.expect, cut));
                Some(read.map_or_else(|| garbage(count + 1), |numbers| Item::Damaged(numbers, count + 1)))
            }
        }
    }
}

/// The numbers of a line in which nothing else is.
fn numbers(line: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(line).ok()?;
    text.split([' ', '\t']).filter(|word| !word.is_empty()).map(number).collect()
}

fn number(word: &str) -> Option<u8> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())?
}

fn garbage(count: usize) -> Item {
    Item::Heard(Heard::Trouble(Trouble::Garbage(count)))
}
