//! Virtual DGT boards on one line, in bus mode: each is a [`VirtualDgt`] that sends only on request.
//!
//! Commands and replies take their time at 9600 Bd. Replies that overlap collide: on a line with pull-up, a byte of two boards is
//! the AND of both. Replies can be lost or damaged, and commands can be lost.

use crate::boards::Millis;
use crate::simulate::act::Act;
use crate::simulate::dgt::VirtualDgt;
use crate::simulate::rng::Rng;
use crate::simulate::serial_line::Micros;
use crate::simulate::virtual_board::{Chunk, VirtualBoard};
use std::collections::VecDeque;

/// Duration of one byte at 9600 Bd.
const BYTE: Micros = 1_042;
/// Duration of a command on the line.
const COMMAND: Micros = 4 * BYTE;
/// Time from a command to the first byte of its reply.
const ANSWER: Micros = 3_000;
/// Additional time for recording a start.
const START_DELAY: Micros = 70_000;
/// Maximum time in which each board replies to a ping to all.
const PING: Micros = 1_100_000;
/// Number of bytes that a serial port delivers together.
const FIFO: usize = 16;

/// Rates of transmission faults, in thousandths of the replies.
#[derive(Clone, Copy, Debug, Default)]
pub struct BusFaults {
    /// The reply does not arrive.
    pub lost: u32,
    /// One bit of the reply is wrong.
    pub corrupted: u32,
    /// The command does not arrive, so there is no reply.
    pub command_lost: u32,
}

/// All boards on the line.
pub struct VirtualBus {
    nodes: Vec<BusBoard>,
    faults: BusFaults,
    rng: Rng,
    /// The bytes of the command that is being received.
    command: Vec<u8>,
    line: VecDeque<(Micros, Vec<u8>)>,
    /// Commands with a wrong checksum, and those that no host may send.
    refused: Vec<u8>,
}

struct BusBoard {
    address: u16,
    board: VirtualDgt,
    /// The last changes that were sent.
    last_changes: Vec<u8>,
    /// The board ignores the next ping to all.
    ignores: bool,
    /// The board is connected to the line.
    connected: bool,
}

impl VirtualBus {
    /// Creates a bus of these boards with these addresses, 1–16383.
    pub fn new(boards: impl IntoIterator<Item = (u16, VirtualDgt)>, faults: BusFaults, seed: u64) -> VirtualBus {
        let node = |(address, board)| BusBoard { address, board, last_changes: Vec::new(), ignores: false, connected: true };
        VirtualBus {
            nodes: boards.into_iter().map(node).collect(),
            faults,
            rng: Rng::new(seed ^ 0xb05, 0),
            command: Vec::new(),
            line: VecDeque::new(),
            refused: Vec::new(),
        }
    }

    /// Returns the received commands that no host may ever send, or that had a wrong checksum.
    pub fn refused(&self) -> Vec<u8> {
        self.nodes.iter().flat_map(|node| node.board.forbidden()).chain(&self.refused).copied().collect()
    }

    fn execute(&mut self, received: Millis, command: u8, address: u16) {
        let now = received * 1000 + COMMAND;
        if (command, address) == (0x87, 0) {
            return self.ping(now);
        }
        let Some(node) = self.nodes.iter_mut().find(|node| node.address == address && node.connected) else { return };
        if self.rng.chance(self.faults.command_lost) {
            return;
        }
        let answer = match command {
            0x84 => Some((0x85, node.last_changes.clone())),
            _ => node.board.execute_bus_command(received, command),
        };
        let Some((id, data)) = answer else { return };
        match id {
            0x85 => node.last_changes.clone_from(&data),
            0x87 => node.ignores = command == 0x8a,
            _ => {}
        }
        let at = now + ANSWER + if id == 0x88 { START_DELAY } else { 0 };
        let frame = reply(id, address, &data);
        self.send(at, frame);
    }

    fn ping(&mut self, now: Micros) {
        let mut answers = Vec::new();
        for node in &mut self.nodes {
            if node.connected && !std::mem::take(&mut node.ignores) {
                answers.push((now + ANSWER + self.rng.below(PING), reply(0x87, node.address, &[])));
            }
        }
        answers.sort();
        let mut transmissions: Vec<(Micros, Vec<u8>)> = Vec::new();
        for (at, frame) in answers {
            match transmissions.last_mut() {
                Some((from, transmission)) if at < *from + transmission.len() as Micros * BYTE => {
                    let slot = ((at - *from) / BYTE) as usize;
                    transmission.resize(transmission.len().max(slot + frame.len()), 0xff);
                    transmission.iter_mut().skip(slot).zip(frame).for_each(|(byte, other)| *byte &= other);
                }
                _ => transmissions.push((at, frame)),
            }
        }
        for (at, transmission) in transmissions {
            self.send(at, transmission);
        }
    }

    fn send(&mut self, at: Micros, mut frame: Vec<u8>) {
        if self.rng.chance(self.faults.lost) {
            return;
        }
        if self.rng.chance(self.faults.corrupted)
            && let Some(byte) = frame.get_mut(self.rng.below(1 << 32) as usize % 6)
        {
            *byte ^= 1 << self.rng.below(8);
        }
        let mut sent = 0;
        for part in frame.chunks(FIFO) {
            sent += part.len() as Micros;
            self.line.push_back((at + sent * BYTE, part.to_vec()));
        }
    }
}

impl VirtualBoard for VirtualBus {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.act_on(0, at, act, ply);
    }

    fn act_on(&mut self, board: usize, at: Millis, act: Act, ply: u32) {
        if let Some(node) = self.nodes.get_mut(board) {
            node.board.act(at, act, ply);
        }
    }

    fn connect(&mut self, board: usize, connected: bool) {
        if let Some(node) = self.nodes.get_mut(board) {
            node.connected = connected;
        }
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.command.clear();
            }
            self.command.push(byte);
            if let [command, high, low, check] = *self.command {
                self.command.clear();
                if command.wrapping_add(high).wrapping_add(low) & 0x7f == check && matches!(command, 0x81..=0x8d) {
                    self.execute(now, command, u16::from(high) << 7 | u16::from(low));
                } else {
                    self.refused.push(command);
                }
            }
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        for node in &mut self.nodes {
            node.board.advance(now);
        }
        let mut chunks = Vec::new();
        while let Some((at, bytes)) = self.line.pop_front_if(|part| part.0 <= now * 1000) {
            chunks.push(Chunk { at: at.div_ceil(1000), bytes, ply: 0 });
        }
        chunks
    }

    fn next_event(&self) -> Option<Millis> {
        let line = self.line.front().map(|part| part.0.div_ceil(1000));
        self.nodes.iter().filter_map(|node| node.board.next_event()).chain(line).min()
    }
}

/// Builds a reply with its header and checksum; the length counts both.
fn reply(id: u8, address: u16, data: &[u8]) -> Vec<u8> {
    let length = data.len() + 6;
    let mut frame = vec![id, (length >> 7) as u8, (length & 0x7f) as u8, (address >> 7) as u8, (address & 0x7f) as u8];
    frame.extend_from_slice(data);
    frame.push(frame.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f);
    frame
}
