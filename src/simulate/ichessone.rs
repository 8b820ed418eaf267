//! A virtual iChessOne, as seen by a host. *Unknown*, and chosen freely: the rate at which it scans its squares.

use crate::boards::Millis;
use crate::simulate::act::Act;
use crate::simulate::rng::Dice;
use crate::simulate::scanned_squares::ScannedSquares;
use crate::simulate::serial_line::MessageLine;
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use shakmaty::{Color, Piece, Role};

/// Time between two scans, in milliseconds.
const SCAN: Millis = 50;
/// Time from a command to its reply, in milliseconds.
const ANSWER: Millis = 3;

/// The commands: how each begins, and its length.
const COMMANDS: [(&[u8], usize); 5] = [(b"CPIRQ", 5), (b"RP", 2), (b"RB", 2), (b"RH", 2), (b"EL", 16)];

/// The virtual board.
pub struct VirtualIChessOne {
    line: MessageLine,
    squares: ScannedSquares,
    /// The board reports changes without a request.
    reports: bool,
    lights: Vec<u8>,
    /// The beginning of a command.
    partial: Vec<u8>,
    /// Received bytes that are no command.
    unknown: Vec<u8>,
}

impl VirtualIChessOne {
    /// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with
    /// the same seed differ.
    pub fn new(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualIChessOne {
        VirtualIChessOne {
            line: MessageLine::new(115_200, 1, Dice::new(setup.seed, stream), setup.profile.rates),
            squares: ScannedSquares::new(setup, SCAN, squares),
            reports: false,
            lights: Vec::new(),
            partial: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Returns the last command that set lights.
    pub fn lights(&self) -> &[u8] {
        &self.lights
    }

    /// Returns the received bytes that are no command.
    pub fn unknown(&self) -> &[u8] {
        &self.unknown
    }

    fn queue_squares(&mut self, now: Millis, ply: u32) {
        let codes: Vec<u8> = (0..64).map(|index: usize| code(self.squares.seen()[index ^ 56])).collect();
        let bytes = codes.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
        let message: Vec<u8> = b"=p".iter().copied().chain(bytes).collect();
        self.line.queue_message(now * 1000, &message, ply);
    }

    fn run(&mut self, until: Millis) {
        while self.squares.next().is_some_and(|at| at <= until) {
            if let Some((at, _, ply)) = self.squares.scan(until)
                && self.reports
            {
                self.queue_squares(at, ply);
            }
        }
    }
}

impl VirtualBoard for VirtualIChessOne {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.run(at);
        self.squares.act(at, act, ply);
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.run(now);
        self.partial.extend_from_slice(bytes);
        while let Some(&first) = self.partial.first() {
            let command = COMMANDS.iter().find(|(word, _)| {
                let known = word.len().min(self.partial.len());
                word[..known] == self.partial[..known]
            });
            let Some(&(word, length)) = command else {
                self.unknown.push(first);
                self.partial.remove(0);
                continue;
            };
            if self.partial.len() < length {
                return;
            }
            let command: Vec<u8> = self.partial.drain(..length).collect();
            match word {
                b"CPIRQ" => self.reports = true,
                b"RP" => self.queue_squares(now + ANSWER, 0),
                b"RB" => self.line.queue_message((now + ANSWER) * 1000, b"=b\x00\x58", 0),
                b"RH" => self.line.queue_message((now + ANSWER) * 1000, b"=htouchmove virtual board\r\n", 0),
                _ => self.lights = command,
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

/// Returns the maker's code of a piece.
fn code(piece: Option<Piece>) -> u8 {
    let Some(piece) = piece else { return 0 };
    let white = match piece.role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    };
    if piece.color == Color::White { white } else { white + 6 }
}
