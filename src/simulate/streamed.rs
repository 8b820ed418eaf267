//! Common part of virtual boards that send all their squares continuously.
//!
//! A frame takes the time until the next one: the squares are scanned one after the other, from a8 to h1 in the maker's numbering,
//! so that a piece that moves in between may be in a frame twice or not at all. After the scan the frame is sent at the speed of
//! the line, in chunks as a USB bridge delivers them.
//!
//! The simulated faults are stuck squares, flickering squares, changes noticed late, and lost or garbled bytes. Other faults belong
//! to other sensors.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::hands::{Rate, Rates, Span};
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::serial_line::{Micros, SerialLine, damage};
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use shakmaty::{Piece, Square};

const NEVER: Micros = Micros::MAX;
/// Maximum number of bytes that a USB bridge delivers together.
const PACKET: usize = 64;
/// Time between the blind phases of a flickering square, and the length of such a phase, in milliseconds.
const FLICKER: (Span, Span) = (Span(4_000, 40_000), Span(150, 700));
/// Delay until a missed edge is noticed, in milliseconds. Guess.
const MISSED: Span = Span(500, 6_000);
/// Maximum time, in milliseconds, between putting a piece down that was not lifted and lifting an equal piece for both to be the
/// same physical piece. Later, the piece is one from beside the board.
const SAME_PIECE_MS: Millis = 400;

/// A physical piece, and its number in the set, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicalPiece {
    /// The kind of piece.
    pub piece: Piece,
    /// Its number in the set.
    pub number: usize,
}

/// The encoder of a board's frames.
pub trait FrameEncoder: Send {
    /// Frames arrive complete, as packets, and without transmission errors.
    const PACKETS: bool = false;
    /// Encodes one frame of what was read, from a8 to h1. An empty frame is not sent.
    fn frame(&mut self, seen: &[Option<PhysicalPiece>; 64]) -> Vec<u8>;
    /// Returns the reply to bytes from the host.
    fn receive(&mut self, bytes: &[u8]) -> Vec<u8>;
    /// Notes that a hand touches a square, by its index in a frame, or no square any more. Most boards do not sense it.
    fn touch(&mut self, _index: Option<usize>) {}
}

/// The speed of a board.
pub struct FrameTiming {
    /// Time from one frame to the next, in milliseconds; drawn for each board.
    pub frame_ms: Span,
    /// Speed of the line in bits per second, ten bits a byte.
    pub baud: u64,
}

/// A board without a clock that sends all its squares continuously.
pub struct StreamingBoard<P> {
    printer: P,
    rotation: Rotation,
    rng: Rng,
    dice: Dice,
    rates: Rates,
    period: Micros,
    /// Start of the frame that is being scanned.
    began: Micros,
    /// Number of frames sent so far.
    frames: u64,
    fields: [Field; 64],
    /// The squares as the last frame sent them.
    last_frame: [Option<PhysicalPiece>; 64],
    flickers: Vec<Flicker>,
    /// Pieces beside the board, in the order in which they were removed.
    off_board: Vec<PhysicalPiece>,
    /// Pieces put down before they were lifted anywhere: the field, the piece, and until when it may be lifted.
    placed_early: Vec<(usize, Piece, Micros)>,
    /// Number of physical pieces so far.
    piece_count: usize,
    line: SerialLine,
    now: Micros,
}

#[derive(Clone, Copy, Default)]
struct Field {
    piece: Option<PhysicalPiece>,
    /// The ply that last changed it.
    ply: u32,
    /// The piece that it showed when it was scanned in this frame, if it has changed since.
    scanned: Option<Option<PhysicalPiece>>,
    /// The old piece that it still shows although it has changed, and until when.
    held: Option<(Option<PhysicalPiece>, Micros)>,
    stuck: bool,
    changes: u64,
}

struct Flicker {
    field: usize,
    blind: bool,
    turns_at: Micros,
}

impl<P: FrameEncoder> StreamingBoard<P> {
    /// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with
    /// the same seed differ.
    pub fn new(
        setup: &SimulationSetup,
        squares: &[Option<Piece>; 64],
        stream: u64,
        timing: FrameTiming,
        printer: P,
    ) -> StreamingBoard<P> {
        let mut rng = Rng::new(setup.seed ^ 0x57_4ea3, stream);
        let (dice, rates) = (Dice::new(setup.seed, stream), setup.profile.rates);
        let mut fields = [Field::default(); 64];
        let mut piece_count = 0;
        for square in Square::ALL {
            if let Some(piece) = squares[square as usize] {
                fields[field_of(setup.rotation, square)].piece = Some(PhysicalPiece { piece, number: piece_count });
                piece_count += 1;
            }
        }
        let [stuck, flickering] = [Rate::stuck, Rate::flicker].map(|rate| dice.count(&rates, rate, 0) as usize);
        let mut bad: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut bad);
        bad.iter().take(stuck).for_each(|&field| fields[field].stuck = true);
        let flickers = bad.into_iter().skip(stuck).take(flickering);
        let flickers = flickers.map(|field| Flicker { field, blind: false, turns_at: rng.ms(FLICKER.0) * 1000 }).collect();
        StreamingBoard {
            printer,
            rotation: setup.rotation,
            dice,
            rates,
            period: rng.ms(timing.frame_ms) * 1000,
            began: 0,
            frames: 0,
            last_frame: fields.map(|field| field.piece),
            fields,
            flickers,
            off_board: Vec::new(),
            placed_early: Vec::new(),
            piece_count,
            line: SerialLine::new(timing.baud),
            now: 0,
            rng,
        }
    }

    fn run(&mut self, until: Micros) {
        while self.began + self.period <= until {
            self.began += self.period;
            self.now = self.began;
            self.settle(self.now);
            self.flicker(self.now);
            self.frame();
        }
        self.now = until;
    }

    /// Completes the frame that ends now.
    fn frame(&mut self) {
        self.frames += 1;
        let mut ply = 0;
        let mut seen = [None; 64];
        for (index, field) in self.fields.iter_mut().enumerate() {
            let scanned = field.scanned.take();
            let held = field.held.filter(|held| held.1 > self.now).map(|held| held.0);
            let blind = self.flickers.iter().any(|flicker| flicker.field == index && flicker.blind);
            seen[index] = match (field.stuck, blind) {
                (true, _) => self.last_frame[index],
                (false, true) => None,
                (false, false) => scanned.or(held).unwrap_or(field.piece),
            };
            if seen[index] != self.last_frame[index] && !blind {
                ply = ply.max(field.ply);
            }
        }
        self.last_frame = seen;
        let mut bytes = self.printer.frame(&seen);
        if P::PACKETS || bytes.is_empty() {
            return self.queue_bytes(&bytes, ply);
        }
        let reach = bytes.len();
        damage(&mut bytes, reach, self.dice, &self.rates, self.frames);
        self.queue_bytes(&bytes, ply);
    }

    /// Queues bytes on the line; they are sent after those before them.
    fn queue_bytes(&mut self, bytes: &[u8], ply: u32) {
        let first = if P::PACKETS { bytes.len() } else { 1 + self.rng.below(PACKET as u64) as usize };
        let (first, rest) = bytes.split_at(first.min(bytes.len()));
        let parts = std::iter::once(first).chain(rest.chunks(PACKET)).filter(|part| !part.is_empty());
        self.line.queue(self.now, parts, ply);
    }

    fn flicker(&mut self, now: Micros) {
        for flicker in self.flickers.iter_mut().filter(|flicker| flicker.turns_at <= now) {
            flicker.blind = !flicker.blind;
            flicker.turns_at = now + self.rng.ms(if flicker.blind { FLICKER.1 } else { FLICKER.0 }) * 1000;
        }
    }

    fn change(&mut self, index: usize, piece: Option<PhysicalPiece>, ply: u32) {
        let now = self.now;
        let scanned_at = self.began + index as u64 * self.period / 64;
        let nth = (index as u64) << 32 | self.fields[index].changes;
        let mut missed = self.dice.stream(Rate::missed_edge, nth);
        let missed = missed.chance(self.rates.missed_edge).then(|| missed.ms(MISSED) * 1000);
        let field = &mut self.fields[index];
        let reading = field.held.filter(|held| held.1 > now).map_or(field.piece, |held| held.0);
        if scanned_at <= now {
            field.scanned.get_or_insert(reading);
        }
        field.held = missed.map(|delay| (reading, now + delay));
        (field.piece, field.ply, field.changes) = (piece, ply, field.changes + 1);
    }

    fn lift(&mut self, index: usize, ply: u32) {
        let Some(lifted) = self.fields[index].piece else { return };
        self.change(index, None, ply);
        // This is the piece that another square has already shown.
        match self.placed_early.iter().position(|(_, piece, _)| *piece == lifted.piece) {
            Some(at) => {
                let (destination, ..) = self.placed_early.remove(at);
                self.put(destination, lifted, ply);
            }
            None => self.off_board.push(lifted),
        }
    }

    fn put(&mut self, index: usize, piece: PhysicalPiece, ply: u32) {
        let replaced = self.fields[index].piece;
        self.change(index, Some(piece), ply);
        self.off_board.extend(replaced);
    }

    /// Treats pieces that were put down and not lifted anywhere as new pieces from beside the board.
    fn settle(&mut self, now: Micros) {
        while let Some(at) = self.placed_early.iter().position(|placed| placed.2 <= now) {
            let (index, piece, _) = self.placed_early.remove(at);
            let new = PhysicalPiece { piece, number: self.piece_count };
            self.piece_count += 1;
            let ply = self.fields[index].ply;
            self.put(index, new, ply);
        }
    }
}

impl<P: FrameEncoder> VirtualBoard for StreamingBoard<P> {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.run(at * 1000);
        self.settle(self.now);
        match act {
            Act::Lift(square) => {
                let index = field_of(self.rotation, square);
                self.placed_early.retain(|placed| placed.0 != index);
                self.lift(index, ply);
            }
            Act::Put(square, piece) => {
                let index = field_of(self.rotation, square);
                match self.off_board.iter().rposition(|other| other.piece == piece) {
                    Some(at) => {
                        let returned = self.off_board.remove(at);
                        self.put(index, returned, ply);
                    }
                    None => self.placed_early.push((index, piece, self.now + SAME_PIECE_MS * 1000)),
                }
            }
            Act::Touch(square) => self.printer.touch(Some(field_of(self.rotation, square))),
            Act::LetGo => self.printer.touch(None),
            // The board has its own power supply, and no clock.
            Act::Unplug | Act::Plug | Act::Press(_) | Act::Start | Act::Stop => {}
        }
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.run(now * 1000);
        let answer = self.printer.receive(bytes);
        if !answer.is_empty() {
            self.queue_bytes(&answer, 0);
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        self.run(now * 1000);
        self.line.receive_until(now * 1000)
    }

    fn next_event(&self) -> Option<Millis> {
        let line = self.line.next_at().unwrap_or(NEVER);
        Some((self.began + self.period).min(line).div_ceil(1000))
    }
}

/// Returns the index of a square of play in a frame: 0 is a8, 63 is h1, with White at the maker's rank 1.
fn field_of(rotation: Rotation, square: Square) -> usize {
    rotation.apply(square).flip_vertical() as usize
}
