//! The virtual board's own memory: a ring in which it notes what it sees, whether anybody listens or not.
//!
//! The board has been used before: the ring is full of another game, of whose oldest entry the end is left. *Unknown*, and set
//! freely: within how long a second press is not noted.

use super::{Micros, half};
use std::collections::VecDeque;

/// Bytes of the ring, and of the message with it.
const SIZE: usize = 0x1f00;
/// A change so soon after the one before is marked.
const SOON: Micros = 250_000;
/// A press so soon after the one before is not noted.
const PRESSES: Micros = 300_000;
/// What an older game left: a pawn moved on and on, and the clock pressed.
const OLD: [u8; 7] = [0x40, 0x34, 0x41, 0x24, 0x70, 0x12, 0x34];
const POWER_UP: u8 = 0x6a;
const END: u8 = 0x6b;
const EMPTY: u8 = 0x6d;
const START: u8 = 0x6f;
const START_TURNED: u8 = 0x7a;
const GAME: u8 = 0x7b;
const NOTHING: u8 = 0x7f;
/// The start position in the maker's codes and order.
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

/// The ring, oldest byte first.
pub struct Memory {
    ring: VecDeque<u8>,
    changed_at: Micros,
    pressed_at: Micros,
    /// The field whose change is the newest entry.
    newest: Option<usize>,
    /// The position that was marked, until more than two of its pieces are gone.
    marked: Option<u8>,
    /// Bytes noted so far; how many of them were told on a bus; and how many there were when a game began.
    noted: usize,
    told: usize,
    game: Option<usize>,
}

impl Memory {
    /// A board that was just switched on and finds these pieces.
    pub fn new(fields: &[u8; 64]) -> Memory {
        let ring = OLD.iter().copied().cycle().take(SIZE).collect();
        let mut memory =
            Memory { ring, changed_at: 0, pressed_at: 0, newest: None, marked: None, noted: 0, told: 0, game: None };
        memory.note(&[NOTHING, NOTHING, NOTHING, POWER_UP]);
        // In no order that means anything.
        for field in (0..64).map(|number| number * 29 % 64).filter(|&field| fields[field] != 0) {
            memory.note(&[0x50 | fields[field], field as u8]);
        }
        memory.mark(fields);
        memory
    }

    /// One field shows something else; these are all of them now.
    pub fn change(&mut self, now: Micros, field: usize, fields: &[u8; 64]) {
        if self.newest == Some(field) {
            self.ring.truncate(SIZE - 2);
            self.ring.push_front(NOTHING);
            self.ring.push_front(NOTHING);
            self.noted -= 2;
        }
        let soon = if now < self.changed_at + SOON { 0x10 } else { 0 };
        self.changed_at = now;
        self.note(&[0x40 | soon | fields[field], field as u8]);
        self.newest = Some(field);
        self.mark(fields);
    }

    /// The clock was pressed: what the halted half shows, in microseconds.
    pub fn press(&mut self, now: Micros, is_left: bool, shows: i64) {
        if now >= self.pressed_at + PRESSES {
            let [hours, minutes, seconds] = half(shows, false);
            self.note(&[hours & 0x0f | if is_left { 0x70 } else { 0x60 }, minutes, seconds]);
        }
        self.pressed_at = now;
    }

    /// All of it, as a message tells it: the oldest byte gives way to the end mark.
    pub fn told(&self) -> Vec<u8> {
        self.ring.iter().copied().skip(1).chain([END]).collect()
    }

    /// What was noted since this was called last.
    pub fn read(&mut self) -> Vec<u8> {
        self.newest = None;
        let told = std::mem::replace(&mut self.told, self.noted);
        self.since(told)
    }

    /// Notes that a game begins, from what stands there.
    pub fn start(&mut self, fields: &[u8; 64]) {
        self.game = Some(self.noted);
        self.note(&[GAME]);
        for field in (0..64).filter(|&field| fields[field] != 0) {
            self.note(&[0x50 | fields[field], field as u8]);
        }
    }

    /// What was noted since a game began, or all if none did.
    pub fn since_start(&self) -> Vec<u8> {
        self.since(self.game.unwrap_or(0))
    }

    fn since(&self, noted: usize) -> Vec<u8> {
        let count = (self.noted - noted).min(SIZE);
        self.ring.range(SIZE - count..).copied().collect()
    }

    fn note(&mut self, entry: &[u8]) {
        self.noted += entry.len();
        self.ring.drain(..entry.len());
        self.ring.extend(entry);
        self.newest = None;
    }

    fn mark(&mut self, fields: &[u8; 64]) {
        let mut turned = START_POSITION;
        turned.reverse();
        for (mark, position) in [(START, START_POSITION), (START_TURNED, turned), (EMPTY, [0; 64])] {
            let out = fields.iter().zip(&position).filter(|(shown, meant)| shown != meant).count();
            if self.marked == Some(mark) && out > 2 {
                self.marked = None;
            }
            if out == 0 && self.marked != Some(mark) {
                self.note(&[mark]);
                self.marked = Some(mark);
            }
        }
    }
}
