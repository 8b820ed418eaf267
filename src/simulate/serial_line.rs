//! The serial line of a virtual board, and how it damages bytes.

use crate::simulate::hands::{Rate, Rates};
use crate::simulate::rng::Dice;
use crate::simulate::virtual_board::Chunk;
use std::collections::VecDeque;

/// Number of bytes that a serial port delivers together.
const FIFO: usize = 16;

/// A time or duration in microseconds.
pub(super) type Micros = u64;

/// A line with ten bits a byte, which sends one thing after the other.
pub(super) struct SerialLine {
    baud: u64,
    /// The parts on the line, with the time at which each has arrived and the ply that caused it.
    parts: VecDeque<(Micros, Vec<u8>, u32)>,
    free_at: Micros,
}

impl SerialLine {
    /// Creates an idle line with this speed in bits per second.
    pub(super) fn new(baud: u64) -> SerialLine {
        SerialLine { baud, parts: VecDeque::new(), free_at: 0 }
    }

    /// Queues these parts, each of which is delivered at once; they are sent after those before them.
    pub(super) fn queue<'a>(&mut self, now: Micros, parts: impl Iterator<Item = &'a [u8]>, ply: u32) {
        let starts = self.free_at.max(now);
        let mut sent = 0;
        for part in parts {
            sent += part.len() as u64;
            self.parts.push_back((starts + sent * 10_000_000 / self.baud, part.to_vec(), ply));
        }
        self.free_at = starts + sent * 10_000_000 / self.baud;
    }

    /// Removes and returns the parts that have arrived by now.
    pub(super) fn receive_until(&mut self, now: Micros) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        while let Some((at, bytes, ply)) = self.parts.pop_front_if(|part| part.0 <= now) {
            chunks.push(Chunk { at: at.div_ceil(1000), bytes, ply });
        }
        chunks
    }

    /// Returns when the next part has arrived.
    pub(super) fn next_at(&self) -> Option<Micros> {
        self.parts.front().map(|part| part.0)
    }
}

/// A serial line on which messages may be damaged.
pub(super) struct MessageLine {
    line: SerialLine,
    /// Number of bytes at the end of each message that are never garbled.
    tail: usize,
    dice: Dice,
    rates: Rates,
    /// Number of messages sent so far.
    messages: u64,
}

impl MessageLine {
    /// Creates an idle line with this speed in bits per second and these rates of damage.
    pub(super) fn new(baud: u64, tail: usize, dice: Dice, rates: Rates) -> MessageLine {
        MessageLine { line: SerialLine::new(baud), tail, dice, rates, messages: 0 }
    }

    /// Queues a message; it is sent after those before it.
    pub(super) fn queue_message(&mut self, now: Micros, message: &[u8], ply: u32) {
        self.messages += 1;
        let mut bytes = message.to_vec();
        damage(&mut bytes, message.len().saturating_sub(self.tail), self.dice, &self.rates, self.messages);
        self.line.queue(now, bytes.chunks(FIFO), ply);
    }

    /// Removes and returns the bytes that have arrived at the other end by now.
    pub(super) fn receive_until(&mut self, now: Micros) -> Vec<Chunk> {
        self.line.receive_until(now)
    }

    /// Returns when the next bytes arrive.
    pub(super) fn next_at(&self) -> Option<Micros> {
        self.line.next_at()
    }
}

/// Loses or garbles a byte of the `nth` message as often as the rates say. Only the first `reach` bytes are garbled.
pub(super) fn damage(bytes: &mut Vec<u8>, reach: usize, dice: Dice, rates: &Rates, nth: u64) {
    let mut lost = dice.stream(Rate::lost_byte, nth);
    if lost.chance(rates.lost_byte) {
        bytes.remove(lost.below(bytes.len() as u64) as usize);
    }
    let mut garbled = dice.stream(Rate::garbled_byte, nth);
    let reach = reach.min(bytes.len()) as u64;
    if garbled.chance(rates.garbled_byte)
        && let Some(byte) = bytes.get_mut(garbled.below(reach) as usize)
    {
        *byte ^= 1 << garbled.below(8);
    }
}
