//! The virtual board inside a Centaur, as seen by a host. Its scan rate is not documented: ours is a
//! choice.

use crate::boards::Millis;
use crate::simulate::act::Act;
use crate::simulate::rng::Dice;
use crate::simulate::scanned_squares::ScannedSquares;
use crate::simulate::serial_line::MessageLine;
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use shakmaty::Piece;

/// Time between two scans, in milliseconds.
const SCAN: Millis = 50;
/// Time from a command to its reply, in milliseconds.
const ANSWER: Millis = 2;
/// The address of the board.
const ADDRESS: [u8; 2] = [0x06, 0x50];

/// The virtual board.
pub struct VirtualCentaur {
    line: MessageLine,
    squares: ScannedSquares,
    /// Changes that the host has not requested yet, and the ply of the last.
    changes: (Vec<u8>, u32),
    /// The command that is being received.
    command: Vec<u8>,
    lights: Vec<u8>,
    /// Commands received that no host may ever send.
    forbidden: Vec<u8>,
}

impl VirtualCentaur {
    /// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with
    /// the same seed differ.
    pub fn new(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualCentaur {
        VirtualCentaur {
            line: MessageLine::new(1_000_000, 1, Dice::new(setup.seed, stream), setup.profile.rates),
            squares: ScannedSquares::new(setup, SCAN, squares),
            changes: (Vec::new(), 0),
            command: Vec::new(),
            lights: Vec::new(),
            forbidden: Vec::new(),
        }
    }

    /// Returns the data of the last command that set lights.
    pub fn lights(&self) -> &[u8] {
        &self.lights
    }

    /// Returns the received commands that no host may ever send: sleep, and the boot loader of other boards.
    pub fn forbidden(&self) -> &[u8] {
        &self.forbidden
    }

    fn run(&mut self, until: Millis) {
        while self.squares.next().is_some_and(|at| at <= until) {
            let Some((_, before, ply)) = self.squares.scan(until) else { continue };
            for (square, (old, new)) in before.iter().zip(*self.squares.seen()).enumerate() {
                if old.is_some() != new.is_some() {
                    self.changes.0.extend([0x40 | u8::from(new.is_some()), square as u8 ^ 56]);
                }
            }
            self.changes.1 = ply;
        }
    }

    fn queue_reply(&mut self, now: Millis, id: u8, data: &[u8], ply: u32) {
        let length = data.len() + 6;
        let mut frame = vec![id, (length >> 7) as u8, (length & 0x7f) as u8, ADDRESS[0], ADDRESS[1]];
        frame.extend_from_slice(data);
        frame.push((frame.iter().map(|byte| u32::from(*byte)).sum::<u32>() % 128) as u8);
        self.line.queue_message((now + ANSWER) * 1000, &frame, ply);
    }

    fn execute(&mut self, now: Millis, command: u8, address: &[u8], data: &[u8]) {
        if address != ADDRESS && (command, address) != (0x87, &[0, 0]) {
            return;
        }
        match command {
            0x82 => {
                let fields: Vec<u8> = (0..64).map(|field: usize| self.squares.seen()[field ^ 56].is_some().into()).collect();
                self.queue_reply(now, 0x83, &fields, 0);
            }
            0x83 => {
                let (changes, ply) = std::mem::take(&mut self.changes);
                self.queue_reply(now, 0x85, &changes, ply);
            }
            0x87 => self.queue_reply(now, 0x87, &[], 0),
            0x98 => self.queue_reply(now, 0xb5, &[0x20 | 18], 0),
            0xb0 => self.lights = data.to_vec(),
            _ => self.forbidden.push(command),
        }
    }
}

impl VirtualBoard for VirtualCentaur {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.run(at);
        self.squares.act(at, act, ply);
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.run(now);
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.command.clear();
            } else if self.command.is_empty() {
                if byte == 0x4e {
                    self.forbidden.push(byte);
                }
                continue;
            }
            self.command.push(byte);
            let frame = self.command.clone();
            let is_long = frame[0] >= 0xb0;
            let length = match frame[..] {
                [_, high, low, ..] if is_long => usize::from(high) << 7 | usize::from(low),
                _ if is_long => continue,
                _ => 4,
            };
            if frame.len() >= length.max(4) {
                self.command.clear();
                let (body, check) = frame.split_at(frame.len() - 1);
                if body.iter().map(|byte| u32::from(*byte)).sum::<u32>() % 128 == u32::from(check[0]) {
                    let at = if is_long { 3 } else { 1 };
                    self.execute(now, frame[0], &body[at..at + 2], &body[at + 2..]);
                }
            }
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        self.run(now);
        self.line.receive_until(now * 1000)
    }

    fn next_event(&self) -> Option<Millis> {
        [self.line.next_at().map(|at| at.div_ceil(1000)), self.squares.next()].into_iter().flatten().min()
    }
}
