//! The clock of a virtual DGT board.

use super::{Micros, NEVER};
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::Color;

/// A chess clock with two halves and a lever.
pub(super) struct VirtualClock {
    /// Black's and White's time (in the order of `Color`), in microseconds, at `since`.
    pub left: [i64; 2],
    since: Micros,
    added: i64,
    pub turn: Color,
    running: bool,
    /// White's time is on the left half of the display.
    pub white_left: bool,
    pub ticks_at: Micros,
    pub lever_report_at: Micros,
    pub last_sent: Option<[u8; 7]>,
}

impl VirtualClock {
    /// Creates a stopped clock whose messages are due at `ticks_at` and every second after that.
    pub(super) fn new(setup: &SimulationSetup, ticks_at: Micros) -> VirtualClock {
        VirtualClock {
            left: [i64::from(setup.profile.clock_ms.0) * 1000; 2],
            since: 0,
            added: i64::from(setup.profile.clock_ms.1) * 1000,
            turn: Color::White,
            running: false,
            white_left: (setup.rotation == Rotation::Upright) != setup.clock_turned,
            ticks_at,
            lever_report_at: NEVER,
            last_sent: None,
        }
    }

    /// Applies an act on the clock; others are ignored.
    pub(super) fn act(&mut self, now: Micros, act: Act) {
        self.settle(now);
        match act {
            Act::Start => self.running = true,
            Act::Stop => self.running = false,
            Act::Press(color) if color == self.turn => {
                self.left[color as usize] += self.added;
                self.turn = !color;
            }
            _ => {}
        }
    }

    fn settle(&mut self, now: Micros) {
        if self.running {
            let left = &mut self.left[self.turn as usize];
            *left = (*left - (now - self.since) as i64).max(0);
        }
        self.since = now;
    }

    /// Returns the seven bytes of the clock's message.
    pub(super) fn display(&mut self, now: Micros) -> [u8; 7] {
        self.settle(now);
        let [black, white] = self.left.map(|left| half(left, self.added > 0));
        let (left, right) = if self.white_left { (white, black) } else { (black, white) };
        let left_runs = (self.turn == Color::White) == self.white_left;
        // The lever is up on the side whose time runs.
        let status = if left_runs { 0x08 } else { 0x12 } | u8::from(self.running);
        [right[0], right[1], right[2], left[0], left[1], left[2], status]
    }
}

/// Encodes hours with flags, minutes and seconds in BCD. A clock shows 0:00 when no time is left, not before.
pub(super) fn half(left: i64, increment: bool) -> [u8; 3] {
    let seconds = (left.max(0) as u64).div_ceil(1_000_000);
    let bcd = |value: u64| (((value / 10) << 4) | (value % 10)) as u8;
    let flags = if increment { 0x20 } else { 0 } | if seconds == 0 { 0x10 } else { 0 };
    [(seconds / 3600).min(9) as u8 | flags, bcd(seconds / 60 % 60), bcd(seconds % 60)]
}
