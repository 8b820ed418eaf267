//! Lights of the squares: patterns are sent slowly, and repeated until the board acknowledges them.

use crate::boards::{CommandPattern, Millis, Write};
use shakmaty::Square;
use std::collections::VecDeque;

/// Minimum interval between two patterns, in milliseconds: boards that get them faster lose some. Other drivers use 600 to 750.
pub const PATTERN_INTERVAL: Millis = 600;
/// Number of times that a pattern is sent if it is not acknowledged.
pub const PATTERN_ATTEMPTS: u32 = 3;
/// Red, green and blue of a lit corner: white and dim, because one USB cable powers 81 LEDs. Guess.
const COLOUR: [u8; 3] = [0x20, 0x20, 0x20];

/// The command for plain lights: eight bytes, of any value.
pub(in crate::boards) const PLAIN_LIGHTS: CommandPattern = CommandPattern::with_length(&[], 8);
/// The command for coloured lights.
pub(in crate::boards) const COLOURED_LIGHTS: CommandPattern = CommandPattern::with_length(&[0xff, 0x55], 247);

/// The kind of lights that a board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::boards) enum Leds {
    /// One per square, on or off.
    Plain,
    /// 81 at the corners of the squares, in colours.
    Colour,
}

/// The lights of one board.
pub(in crate::boards) struct LightController {
    /// The kind of lights; `None` if it is not known yet. Then both forms are sent in turn.
    leds: Option<Leds>,
    lit: Vec<Square>,
    /// How often the pattern is still to be sent, and how often it was.
    left: u32,
    sent: u32,
    /// Earliest time for the next pattern.
    next_at: Millis,
    writes: VecDeque<Write>,
}

impl LightController {
    /// Creates lights of this kind; `None`: the kind is detected from the board's acknowledgement.
    pub(crate) fn new(leds: Option<Leds>) -> LightController {
        LightController { leds, lit: Vec::new(), left: 0, sent: 0, next_at: 0, writes: VecDeque::new() }
    }

    /// Switches off what an earlier program left alight, because the link came up.
    pub(crate) fn greet(&mut self, now: Millis) {
        *self = LightController { next_at: now, ..LightController::new(self.leds) };
        self.light(now, Vec::new());
    }

    /// Discards all pending patterns because the link is down.
    pub(crate) fn forget(&mut self) {
        (self.left, self.sent) = (0, 0);
        self.writes.clear();
    }

    /// Lights these squares and no others.
    pub(crate) fn light(&mut self, now: Millis, squares: Vec<Square>) {
        let forms = if self.leds.is_none() { 2 } else { 1 };
        (self.lit, self.left, self.sent) = (squares, PATTERN_ATTEMPTS * forms, 0);
        self.timeout(now);
    }

    /// Handles an acknowledgement, which also tells which kind of lights the board has.
    pub(crate) fn acknowledged(&mut self, leds: Leds) {
        self.leds.get_or_insert(leds);
        if self.sent > 0 {
            self.left = 0;
        }
    }

    /// Returns the time at which [`LightController::timeout`] must be called.
    pub(crate) fn deadline(&self) -> Option<Millis> {
        (self.left > 0).then_some(self.next_at)
    }

    /// Sends the pattern if it is due.
    pub(crate) fn timeout(&mut self, now: Millis) {
        if self.deadline().is_none_or(|at| now < at) {
            return;
        }
        let guess = if self.sent.is_multiple_of(2) { Leds::Plain } else { Leds::Colour };
        let bytes = match self.leds.unwrap_or(guess) {
            Leds::Plain => plain(&self.lit).to_vec(),
            Leds::Colour => colour(&self.lit),
        };
        self.writes.push_back(Write { at: now, bytes });
        (self.left, self.sent, self.next_at) = (self.left - 1, self.sent + 1, now + PATTERN_INTERVAL);
    }

    /// Returns the next bytes to send.
    pub(crate) fn poll(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }
}

/// Encodes plain lights in eight bytes: rank 8 first, bit 0 is the a-file.
fn plain(squares: &[Square]) -> [u8; 8] {
    let mut ranks = [0; 8];
    for &square in squares {
        ranks[7 - square.rank() as usize] |= 1 << square.file() as u8;
    }
    ranks
}

/// Encodes coloured lights: `ff 55`, 81 LEDs of three bytes, `0d 0a`. The LEDs are at the corners of the squares, nine rows of
/// nine, from the corner of h1 towards a1, row after row towards rank 8.
fn colour(squares: &[Square]) -> Vec<u8> {
    let mut leds = [[0; 3]; 81];
    for &square in squares {
        let first = square.rank() as usize * 9 + 7 - square.file() as usize;
        for led in [first, first + 1, first + 9, first + 10] {
            leds[led] = COLOUR;
        }
    }
    [&[0xff, 0x55], leds.as_flattened(), &[0x0d, 0x0a]].concat()
}
