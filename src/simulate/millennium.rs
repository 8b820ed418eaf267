//! A virtual ChessLink board, as seen by a host. It scans its squares 24 times a second.
//!
//! The kinds differ in which commands they answer, and in what they send without a request.

use crate::boards::Millis;
use crate::simulate::act::Act;
use crate::simulate::rng::Dice;
use crate::simulate::scanned_squares::ScannedSquares;
use crate::simulate::serial_line::MessageLine;
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use shakmaty::Piece;

/// Time between two scans, in milliseconds.
const SCAN: Millis = 41;
/// Time from a command to its reply, in milliseconds.
const ANSWER: Millis = 3;

/// The kind of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MillenniumKind {
    /// Implements everything that the makers describe.
    Exclusive,
    /// Does not reply to commands that set lights or settings.
    Performance,
    /// Sends every byte with wrong parity.
    EOne,
    /// Replies to requests for squares and version, and sends nothing without a request.
    Imitation,
}

/// The virtual board.
pub struct VirtualMillennium {
    kind: MillenniumKind,
    line: MessageLine,
    squares: ScannedSquares,
    /// The settings 00–04.
    settings: [u8; 5],
    /// The settings that were written: number and value.
    written: Vec<(u8, u8)>,
    /// The command that is being received, and the lights as last set.
    command: Vec<u8>,
    lights: String,
    report_at: Millis,
}

impl VirtualMillennium {
    /// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with
    /// the same seed differ.
    pub fn new(kind: MillenniumKind, setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualMillennium {
        VirtualMillennium {
            kind,
            line: MessageLine::new(38_400, 1, Dice::new(setup.seed, stream), setup.profile.rates),
            squares: ScannedSquares::new(setup, SCAN, squares),
            settings: [0, 20, 0, 0, 14],
            written: Vec::new(),
            command: Vec::new(),
            lights: String::new(),
            report_at: 0,
        }
    }

    /// Returns the settings written so far: number and value.
    pub fn written(&self) -> &[(u8, u8)] {
        &self.written
    }

    /// Returns the 81 lights as last set, two digits each.
    pub fn lights(&self) -> &str {
        &self.lights
    }

    fn status(&self) -> String {
        let letters = (0..64).map(|index: usize| self.squares.seen()[index ^ 7].map_or('.', Piece::char));
        std::iter::once('s').chain(letters).collect()
    }

    fn queue_message(&mut self, now: Millis, text: &str, ply: u32) {
        let check = text.bytes().fold(0, |sum, byte| sum ^ byte);
        let odd = |byte: u8| if byte.count_ones().is_multiple_of(2) { byte | 0x80 } else { byte };
        let parity_error = if self.kind == MillenniumKind::EOne { 0x80 } else { 0 };
        let bytes: Vec<u8> = format!("{text}{check:02X}").bytes().map(|byte| odd(byte) ^ parity_error).collect();
        self.line.queue_message(now * 1000, &bytes, ply);
    }

    fn reports(&self) -> Option<Millis> {
        (self.kind != MillenniumKind::Imitation && self.settings[2] == 0).then_some(self.report_at)
    }

    fn run(&mut self, until: Millis) {
        loop {
            let report = self.reports().filter(|at| *at <= until);
            if self.squares.next().is_some_and(|at| at <= until && report.is_none_or(|report| at <= report)) {
                if let Some((at, _, ply)) = self.squares.scan(until)
                    && self.kind != MillenniumKind::Imitation
                    && self.settings[2] == 3
                {
                    self.queue_message(at, &self.status(), ply);
                }
            } else if let Some(at) = report {
                self.report_at = at + SCAN;
                self.queue_message(at, &self.status(), 0);
            } else {
                return;
            }
        }
    }

    fn execute(&mut self, now: Millis, text: &str) {
        let number = |from: usize| text.get(from..from + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (first, second) = (number(1).unwrap_or(0), number(3).unwrap_or(0));
        let (has_settings, acknowledges) =
            (self.kind != MillenniumKind::Imitation, matches!(self.kind, MillenniumKind::Exclusive | MillenniumKind::EOne));
        let answer = match text.chars().next() {
            Some('S') => Some(self.status()),
            Some('V') => Some(format!("v{:02X}03", self.kind as u8 % 3)),
            Some('R') if has_settings => self.settings.get(usize::from(first)).map(|value| format!("r{first:02X}{value:02X}")),
            Some('W') if has_settings => {
                self.written.push((first, second));
                if let Some(value) = self.settings.get_mut(usize::from(first)) {
                    *value = second;
                }
                acknowledges.then(|| format!("w{first:02X}{second:02X}"))
            }
            Some('L') => {
                self.lights = text.get(3..).unwrap_or_default().to_owned();
                acknowledges.then(|| "l".to_owned())
            }
            Some('X') => {
                self.lights.clear();
                acknowledges.then(|| "x".to_owned())
            }
            _ => None,
        };
        if let Some(answer) = answer {
            self.queue_message(now + ANSWER, &answer, 0);
        }
    }
}

impl VirtualBoard for VirtualMillennium {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.run(at);
        self.squares.act(at, act, ply);
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.run(now);
        for byte in bytes {
            // Bytes with wrong parity and commands with a wrong checksum are ignored.
            if byte.count_ones().is_multiple_of(2) {
                self.command.clear();
                continue;
            }
            self.command.push(byte & 0x7f);
            let length = match self.command.first() {
                Some(b'S' | b'V' | b'X' | b'T') => 3,
                Some(b'R') => 5,
                Some(b'W') => 7,
                Some(b'L') => 167,
                _ => {
                    self.command.clear();
                    continue;
                }
            };
            if self.command.len() == length {
                let text = String::from_utf8(std::mem::take(&mut self.command)).unwrap_or_default();
                if let Some((text, check)) = text.split_at_checked(length - 2)
                    && u8::from_str_radix(check, 16) == Ok(text.bytes().fold(0, |sum, byte| sum ^ byte))
                {
                    self.execute(now, text);
                }
            }
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        self.run(now);
        self.line.receive_until(now * 1000)
    }

    fn next_event(&self) -> Option<Millis> {
        [self.line.next_at().map(|at| at.div_ceil(1000)), self.squares.next(), self.reports()].into_iter().flatten().min()
    }
}
