//! Common parts of virtual boards that report whole frames: squares that are scanned together, and a line that loses bytes.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::hands::{Rate, Rates};
use crate::simulate::rng::Dice;
use crate::simulate::virtual_board::{Chunk, SimulationSetup};
use shakmaty::{Piece, Square};
use std::collections::VecDeque;

/// Number of bytes that a serial port delivers together.
const FIFO: usize = 16;

/// A time or duration in microseconds.
type Micros = u64;

/// A serial line with ten bits a byte that sends messages one after the other.
pub(super) struct VirtualLine {
    baud: u64,
    dice: Dice,
    rates: Rates,
    /// Number of messages sent so far.
    messages: u64,
    line: VecDeque<(Micros, Vec<u8>, u32)>,
    free: Micros,
}

impl VirtualLine {
    /// Creates a line with this speed in bits per second. `stream` selects the random stream of a game, so that games with the same
    /// seed differ.
    pub(super) fn new(baud: u32, setup: &SimulationSetup, stream: u64) -> VirtualLine {
        let (dice, rates) = (Dice::new(setup.seed, stream), setup.profile.rates);
        VirtualLine { baud: baud.into(), dice, rates, messages: 0, line: VecDeque::new(), free: 0 }
    }

    /// Queues a message; it is sent after those before it.
    pub(super) fn queue_message(&mut self, now: Millis, message: &[u8], ply: u32) {
        self.messages += 1;
        let mut bytes = message.to_vec();
        let mut lost = self.dice.stream(Rate::lost_byte, self.messages);
        if lost.chance(self.rates.lost_byte) {
            bytes.remove(lost.below(bytes.len() as u64) as usize);
        }
        let mut garbled = self.dice.stream(Rate::garbled_byte, self.messages);
        if garbled.chance(self.rates.garbled_byte)
            && let Some(byte) = bytes.get_mut(garbled.below(message.len() as u64 - 1) as usize)
        {
            *byte ^= 1 << garbled.below(8);
        }
        let starts = self.free.max(now * 1000);
        let mut sent = 0;
        for part in bytes.chunks(FIFO) {
            sent += part.len() as u64;
            self.line.push_back((starts + sent * 10_000_000 / self.baud, part.to_vec(), ply));
        }
        self.free = starts + sent * 10_000_000 / self.baud;
    }

    /// Removes and returns the bytes that have arrived at the other end by now.
    pub(super) fn receive_until(&mut self, now: Millis) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        while let Some((at, bytes, ply)) = self.line.pop_front_if(|part| part.0 <= now * 1000) {
            chunks.push(Chunk { at: at.div_ceil(1000), bytes, ply });
        }
        chunks
    }

    /// Returns when the next bytes arrive.
    pub(super) fn next(&self) -> Option<Millis> {
        self.line.front().map(|part| part.0.div_ceil(1000))
    }
}

/// Squares that are all scanned at the same moment, at a fixed interval.
pub(super) struct ScannedSquares {
    rotation: Rotation,
    period: Millis,
    /// The pieces on the board's own squares, a1 first, and as the last scan read them.
    pieces: [Option<Piece>; 64],
    seen: [Option<Piece>; 64],
    /// The ply of the last change.
    ply: u32,
    look_at: Option<Millis>,
}

impl ScannedSquares {
    /// Creates a board with these pieces on the squares of play.
    pub(super) fn new(setup: &SimulationSetup, period: Millis, squares: &[Option<Piece>; 64]) -> ScannedSquares {
        let mut pieces = [None; 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            pieces[setup.rotation.apply(square) as usize] = *piece;
        }
        ScannedSquares { rotation: setup.rotation, period, pieces, seen: pieces, ply: 0, look_at: None }
    }

    /// Applies an act to the pieces. Acts on the clock are ignored: these boards do not see it.
    pub(super) fn act(&mut self, at: Millis, act: Act, ply: u32) {
        let (square, piece) = match act {
            Act::Lift(square) => (square, None),
            Act::Put(square, piece) => (square, Some(piece)),
            Act::Press(_) | Act::Start | Act::Stop | Act::Unplug | Act::Plug => return,
        };
        self.pieces[self.rotation.apply(square) as usize] = piece;
        self.ply = ply;
        self.look_at.get_or_insert((at / self.period + 1) * self.period);
    }

    /// Scans the squares if a scan is due. If they changed, returns the time of the scan, the squares before it, and the ply of the
    /// last change.
    pub(super) fn scan(&mut self, now: Millis) -> Option<(Millis, [Option<Piece>; 64], u32)> {
        let at = self.look_at.take_if(|at| *at <= now)?;
        let before = std::mem::replace(&mut self.seen, self.pieces);
        (before != self.seen).then_some((at, before, self.ply))
    }

    /// Returns when the next scan is due; `None` if nothing has changed since the last one.
    pub(super) fn next(&self) -> Option<Millis> {
        self.look_at
    }

    /// Returns the pieces as the last scan read them.
    pub(super) fn seen(&self) -> &[Option<Piece>; 64] {
        &self.seen
    }
}
