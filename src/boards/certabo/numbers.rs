//! Lines of decimal numbers out of a stream of bytes.

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
    /// This is to be passed on.
    Heard(Heard),
}

/// Reads lines `:n n n … n`, each number 0–255. What else comes is passed over.
pub(in crate::boards) struct Numbers {
    /// So many numbers make a line.
    expect: usize,
    /// Of a board that sends other lines.
    other: &'static str,
    told_other: bool,
    state: State,
    numbers: Vec<u8>,
    /// The number whose digits are coming.
    current: Option<u16>,
    /// Bytes of this line, or of what is no line.
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
    /// In a line that holds something that cannot be.
    Damaged,
}

impl Numbers {
    /// Lines of so many numbers. `other` is what to do about a board whose lines have another length.
    pub fn new(expect: usize, other: &'static str) -> Numbers {
        Numbers {
            expect,
            other,
            told_other: false,
            state: State::Outside,
            numbers: Vec::with_capacity(expect),
            current: None,
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
                let ended = self.end();
                (self.state, self.synced) = (State::Inside, true);
                [ended, None]
            }
            b'\r' => [self.end(), None],
            b'L' | b'D' => {
                let ended = self.end();
                let leds = if byte == b'L' { Leds::Plain } else { Leds::Colour };
                [ended, Some(Item::Heard(Heard::Lit(leds)))]
            }
            // Long lines are broken anywhere, also within a number. In a short one it is the end.
            b'\n' if self.expect < 64 => [self.end(), None],
            b'\n' | 0 => [None, None],
            _ if self.state == State::Outside => {
                self.count += 1;
                [None, None]
            }
            b' ' | b'\t' => {
                self.count += 1;
                self.number();
                [None, None]
            }
            b'0'..=b'9' => {
                self.count += 1;
                let digit = u16::from(byte - b'0');
                self.current = Some(self.current.map_or(digit, |number| (number * 10 + digit).min(1_000)));
                [None, None]
            }
            _ => {
                self.count += 1;
                self.state = State::Damaged;
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
        self.end()
    }

    fn is_whole(&self) -> bool {
        self.state == State::Inside && self.numbers.len() + usize::from(self.current.is_some()) == self.expect
    }

    fn number(&mut self) {
        match self.current.take().map(u8::try_from) {
            // More than any board sends: no line of numbers.
            Some(Ok(_)) if self.numbers.len() >= 1_024 => self.state = State::Damaged,
            Some(Ok(number)) => self.numbers.push(number),
            Some(Err(_)) => self.state = State::Damaged,
            None => {}
        }
    }

    /// The line ends here, if one has begun.
    fn end(&mut self) -> Option<Item> {
        self.number();
        let state = std::mem::replace(&mut self.state, State::Outside);
        let numbers = std::mem::take(&mut self.numbers);
        let count = std::mem::take(&mut self.count);
        match state {
            State::Outside if count > 0 && self.synced => Some(garbage(count)),
            State::Outside => None,
            State::Inside if numbers.len() == self.expect => Some(Item::Line(numbers)),
            State::Inside if matches!(numbers.len(), 8 | 320) && !self.told_other => {
                self.told_other = true;
                let why = format!("the board sends {} numbers a line, and not {}: {}", numbers.len(), self.expect, self.other);
                Some(Item::Heard(Heard::Trouble(Trouble::OtherModel(why))))
            }
            State::Inside | State::Damaged => Some(garbage(count + 1)),
        }
    }
}

fn garbage(count: usize) -> Item {
    Item::Heard(Heard::Trouble(Trouble::Garbage(count)))
}
