//! The virtual board's own memory: a ring buffer in which it records what it sees, whether or not a host is connected.
//!
//! The board has been used before: the ring is full of another game, and its oldest entry is truncated. *Unknown*, and chosen
//! freely: the time within which a second press is not recorded.

use super::Micros;
use super::clock::half;
use std::collections::VecDeque;

/// Size of the ring, and of the message with it, in bytes.
const SIZE: usize = 0x1f00;
/// Maximum time after the previous change, in microseconds, for a change to be marked.
const QUICK_CHANGE: Micros = 250_000;
/// Minimum time after the previous press, in microseconds, for a press to be recorded.
const PRESS_DEBOUNCE: Micros = 300_000;
/// Entries of an older game: a pawn moved again and again, and presses of the clock.
const OLD: [u8; 7] = [0x40, 0x34, 0x41, 0x24, 0x70, 0x12, 0x34];
const POWER_UP: u8 = 0x6a;
const END: u8 = 0x6b;
const EMPTY: u8 = 0x6d;
const START: u8 = 0x6f;
const START_TURNED: u8 = 0x7a;
const GAME: u8 = 0x7b;
const NOTHING: u8 = 0x7f;
/// The start position, in the maker's codes and order.
const START_POSITION: [u8; 64] = {
    let mut fields = [0; 64];
    let pieces = [2, 3, 4, 6, 5, 4, 3, 2];
    let mut file = 0;
    while file < 8 {
        (fields[file], fields[8 + file]) = (pieces[file] + 6, 7);
        (fields[48 + file], fields[56 + file]) = (1, pieces[file]);
        file += 1;
    }
    fields
};

/// The ring buffer, oldest byte first.
pub(super) struct BoardMemory {
    ring: VecDeque<u8>,
    changed_at: Micros,
    pressed_at: Micros,
    /// The field of the newest entry, if that is a change.
    newest: Option<usize>,
    /// The mark of the last marked position, until more than two fields differ from it.
    marked: Option<u8>,
    /// Number of bytes recorded so far; how many of them were sent on a bus; and how many there were when a game began.
    recorded: usize,
    sent: usize,
    game: Option<usize>,
}

impl BoardMemory {
    /// Creates the memory of a board that was just switched on with these pieces.
    pub(super) fn new(fields: &[u8; 64]) -> BoardMemory {
        let ring = OLD.iter().copied().cycle().take(SIZE).collect();
        let mut memory =
            BoardMemory { ring, changed_at: 0, pressed_at: 0, newest: None, marked: None, recorded: 0, sent: 0, game: None };
        memory.record(&[NOTHING, NOTHING, NOTHING, POWER_UP]);
        // The order has no meaning.
        for field in (0..64).map(|number| number * 29 % 64).filter(|&field| fields[field] != 0) {
            memory.record(&[0x50 | fields[field], field as u8]);
        }
        memory.mark(fields);
        memory
    }

    /// Records that one field changed; `fields` are all fields after the change.
    pub(super) fn record_change(&mut self, now: Micros, field: usize, fields: &[u8; 64]) {
        if self.newest == Some(field) {
            self.ring.truncate(SIZE - 2);
            self.ring.push_front(NOTHING);
            self.ring.push_front(NOTHING);
            self.recorded -= 2;
        }
        let quick_bit = if now < self.changed_at + QUICK_CHANGE { 0x10 } else { 0 };
        self.changed_at = now;
        self.record(&[0x40 | quick_bit | fields[field], field as u8]);
        self.newest = Some(field);
        self.mark(fields);
    }

    /// Records a press of the clock, with the time that the halted half shows, in microseconds.
    pub(super) fn record_press(&mut self, now: Micros, is_left: bool, displayed: i64) {
        if now >= self.pressed_at + PRESS_DEBOUNCE {
            let [hours, minutes, seconds] = half(displayed, false);
            self.record(&[hours & 0x0f | if is_left { 0x70 } else { 0x60 }, minutes, seconds]);
        }
        self.pressed_at = now;
    }

    /// Returns the whole memory as a message has it: the end mark replaces the oldest byte.
    pub(super) fn dump(&self) -> Vec<u8> {
        self.ring.iter().copied().skip(1).chain([END]).collect()
    }

    /// Returns what was recorded since the last call.
    pub(super) fn take_new(&mut self) -> Vec<u8> {
        self.newest = None;
        let already_sent = std::mem::replace(&mut self.sent, self.recorded);
        self.since(already_sent)
    }

    /// Records the start of a game with the pieces on the board.
    pub(super) fn record_start(&mut self, fields: &[u8; 64]) {
        self.game = Some(self.recorded);
        self.record(&[GAME]);
        for field in (0..64).filter(|&field| fields[field] != 0) {
            self.record(&[0x50 | fields[field], field as u8]);
        }
    }

    /// Returns what was recorded since a game began, or everything if none did.
    pub(super) fn since_start(&self) -> Vec<u8> {
        self.since(self.game.unwrap_or(0))
    }

    fn since(&self, from: usize) -> Vec<u8> {
        let count = (self.recorded - from).min(SIZE);
        self.ring.range(SIZE - count..).copied().collect()
    }

    fn record(&mut self, entry: &[u8]) {
        self.recorded += entry.len();
        self.ring.drain(..entry.len());
        self.ring.extend(entry);
        self.newest = None;
    }

    fn mark(&mut self, fields: &[u8; 64]) {
        let mut turned = START_POSITION;
        turned.reverse();
        for (mark, position) in [(START, START_POSITION), (START_TURNED, turned), (EMPTY, [0; 64])] {
            let differing = fields.iter().zip(&position).filter(|(actual, expected)| actual != expected).count();
            if self.marked == Some(mark) && differing > 2 {
                self.marked = None;
            }
            if differing == 0 && self.marked != Some(mark) {
                self.record(&[mark]);
                self.marked = Some(mark);
            }
        }
    }
}
