//! What virtual boards share that report whole frames: squares that are looked at together, and a line that loses bytes.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::hands::{Rate, Rates};
use crate::simulate::rng::Dice;
use crate::simulate::script::Act;
use crate::simulate::stage::{Chunk, Scene};
use shakmaty::{Piece, Square};
use std::collections::VecDeque;

/// Bytes that a serial port hands over together.
const FIFO: usize = 16;

/// Microseconds.
type Micros = u64;

/// A serial line, ten bits a byte, messages one after the other.
pub struct Cable {
    baud: u64,
    dice: Dice,
    rates: Rates,
    /// Messages said so far.
    messages: u64,
    line: VecDeque<(Micros, Vec<u8>, u32)>,
    free: Micros,
}

impl Cable {
    /// A line of so many bits a second; `stream` keeps games of one seed apart.
    pub fn new(baud: u32, scene: &Scene, stream: u64) -> Cable {
        let (dice, rates) = (Dice::new(scene.seed, stream), scene.profile.rates);
        Cable { baud: baud.into(), dice, rates, messages: 0, line: VecDeque::new(), free: 0 }
    }

    /// Puts a message on the line; it leaves as soon as those before it are out.
    pub fn say(&mut self, now: Millis, message: &[u8], ply: u32) {
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

    /// What arrived at the other end by now.
    pub fn take(&mut self, now: Millis) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        while let Some((at, bytes, ply)) = self.line.pop_front_if(|part| part.0 <= now * 1000) {
            chunks.push(Chunk { at: at.div_ceil(1000), bytes, ply });
        }
        chunks
    }

    /// When something arrives next.
    pub fn next(&self) -> Option<Millis> {
        self.line.front().map(|part| part.0.div_ceil(1000))
    }
}

/// Squares that are looked at together, so and so often.
pub struct Squares {
    rotation: Rotation,
    period: Millis,
    /// What stands on the board's own squares, a1 first, and what the last look showed.
    stands: [Option<Piece>; 64],
    seen: [Option<Piece>; 64],
    /// The ply that changed something last.
    ply: u32,
    look_at: Option<Millis>,
}

impl Squares {
    /// These pieces on the squares of play.
    pub fn new(scene: &Scene, period: Millis, squares: &[Option<Piece>; 64]) -> Squares {
        let mut stands = [None; 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            stands[scene.rotation.apply(square) as usize] = *piece;
        }
        Squares { rotation: scene.rotation, period, stands, seen: stands, ply: 0, look_at: None }
    }

    /// Something is done to the pieces; what is done to the clock these boards do not see.
    pub fn act(&mut self, at: Millis, act: Act, ply: u32) {
        let (square, piece) = match act {
            Act::Lift(square) => (square, None),
            Act::Put(square, piece) => (square, Some(piece)),
            Act::Press(_) | Act::Start | Act::Stop | Act::Unplug | Act::Plug => return,
        };
        self.stands[self.rotation.apply(square) as usize] = piece;
        self.ply = ply;
        self.look_at.get_or_insert((at / self.period + 1) * self.period);
    }

    /// The squares of play before and after the next look that shows something else, and when that is.
    pub fn look(&mut self, now: Millis) -> Option<(Millis, [Option<Piece>; 64], u32)> {
        let at = self.look_at.take_if(|at| *at <= now)?;
        let before = std::mem::replace(&mut self.seen, self.stands);
        (before != self.seen).then_some((at, before, self.ply))
    }

    /// When something that was done is seen.
    pub fn next(&self) -> Option<Millis> {
        self.look_at
    }

    /// What the last look showed.
    pub fn seen(&self) -> &[Option<Piece>; 64] {
        &self.seen
    }
}
