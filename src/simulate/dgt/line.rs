//! The serial line of a virtual DGT board, which sends one message after the other and may damage them.

use super::Micros;
use crate::simulate::hands::{Rate, Rates};
use crate::simulate::rng::Dice;
use crate::simulate::virtual_board::Chunk;
use std::collections::VecDeque;

/// Number of bytes that a serial port delivers together.
const FIFO: usize = 16;

/// A line of 9600 Bd, ten bits a byte.
pub(super) struct BoardLine {
    dice: Dice,
    rates: Rates,
    /// Number of messages sent so far.
    messages: u64,
    /// The parts on the line, with the time at which each has arrived and the ply that caused it.
    parts: VecDeque<(Micros, Vec<u8>, u32)>,
    free_at: Micros,
}

impl BoardLine {
    /// Creates an idle line with these rates of damage.
    pub(super) fn new(dice: Dice, rates: Rates) -> BoardLine {
        BoardLine { dice, rates, messages: 0, parts: VecDeque::new(), free_at: 0 }
    }

    /// Queues a message on the line; it is sent after those before it.
    pub(super) fn queue_message(&mut self, now: Micros, message: &[u8], ply: u32) {
        self.messages += 1;
        let mut bytes = message.to_vec();
        let mut lost = self.dice.stream(Rate::lost_byte, self.messages);
        if lost.chance(self.rates.lost_byte) {
            bytes.remove(lost.below(bytes.len() as u64) as usize);
        }
        let mut garbled = self.dice.stream(Rate::garbled_byte, self.messages);
        if garbled.chance(self.rates.garbled_byte) {
            let at = garbled.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << garbled.below(8);
        }
        let starts = self.free_at.max(now);
        let mut sent = 0;
        for part in bytes.chunks(FIFO) {
            sent += part.len() as u64;
            self.parts.push_back((starts + sent * 10_000_000 / 9_600, part.to_vec(), ply));
        }
        self.free_at = starts + sent * 10_000_000 / 9_600;
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
