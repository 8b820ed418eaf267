//! A matrix of reed switches wired directly to this computer: eight rows and eight columns, without a board controller.
//!
//! # Frames
//!
//! No maker defines a protocol for it. `link::matrix` drives one row after the other, reads the columns, and passes on the result
//! in packets of 9 bytes: one at the start and one after every change.
//!
//! | byte | meaning |
//! |---|---|
//! | 0 | bit 0: every switch has a diode; the other bits are 0 |
//! | 1–8 | ranks 1–8; bit 0 is the a-file, bit 7 the h-file; 1: the contact is closed |
//!
//! To the matrix: one byte `?` requests the last packet again.
//!
//! # Without diodes
//!
//! Three closed contacts at the corners of a rectangle let current through to the fourth, which then reads as closed whether or not
//! a piece is on it. With pieces on two full ranks nearly every square is such a corner: a matrix without diodes cannot follow a
//! game, and none should be built. If there is one, nothing is invented: a square that becomes such a corner keeps its state, and
//! [`ProtocolError::AmbiguousSquares`] names it until it is clear again. Lifting a piece from such a square is not detected.
//!
//! Contacts bounce for some milliseconds. That is noise as on every board, and it is not filtered here.

use super::{
    Address, BoardCommand, ClockSupport, CommandPattern, Connection, Lights, LinkState, Millis, Model, Placement, Protocol,
    ProtocolError, Reading, SensorKind, SquareState, Unsupported, Verification, VirtualBoardKind, Write,
};
use shakmaty::{Bitboard, Square};
use std::collections::VecDeque;

/// A matrix of reed switches on GPIO lines of this computer.
pub static MODEL: Model = Model {
    name: "matrix",
    title: "Reed matrix on GPIO or I²C",
    sensing: SensorKind::Occupancy,
    connection: Connection::Matrix,
    bluetooth: None,
    usb: &[],
    lights: Lights::None,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[CommandPattern::exact(&[SCAN_REQUEST])],
    virtual_board: VirtualBoardKind::Matrix,
    limitations: &["which corners of a rectangle are occupied when three of them are, if the switches have no diodes"],
    protocol: || Box::new(Matrix::default()),
};

/// The byte that requests the last packet again.
pub const SCAN_REQUEST: u8 = b'?';
/// Length of a packet, in bytes.
pub const PACKET_LENGTH: usize = 9;

/// Encodes the result of a scan as a packet.
pub fn packet(closed: Bitboard, diodes: bool) -> [u8; PACKET_LENGTH] {
    let mut packet = [u8::from(diodes); PACKET_LENGTH];
    for (to, from) in packet.iter_mut().skip(1).zip(closed.0.to_le_bytes()) {
        *to = from;
    }
    packet
}

#[derive(Default)]
struct Matrix {
    /// The squares last reported as occupied; `None` if nothing was reported yet.
    reported: Option<Bitboard>,
    /// Whether all squares have been requested.
    placement_requested: bool,
    ambiguous: Bitboard,
    /// Squares that the first scan showed as closed but that may be open, until they were clear once.
    doubtful: Bitboard,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
}

/// Returns the squares that read as closed because of three others, or may do so.
fn ambiguous(closed: Bitboard) -> Bitboard {
    let in_rank = |square: Square| closed & Bitboard::from_rank(square.rank());
    let in_file = |square: Square| closed & Bitboard::from_file(square.file());
    let is_corner = |square: &Square| {
        let same_rank = in_rank(*square).without(*square);
        let same_file = in_file(*square).without(*square);
        let opposite = |one: Square, other: Square| closed.contains(Square::from_coords(one.file(), other.rank()));
        same_file.into_iter().any(|above| same_rank.into_iter().any(|beside| opposite(beside, above)))
    };
    closed.into_iter().filter(is_corner).collect()
}

impl Matrix {
    fn scanned(&mut self, closed: Bitboard, diodes: bool) {
        let unclear = if diodes { Bitboard::EMPTY } else { ambiguous(closed) };
        let previous = self.reported.unwrap_or(closed);
        self.doubtful = if self.reported.is_none() { unclear } else { self.doubtful & unclear };
        // A square that may be closed only because of others keeps its state.
        let changed = (closed ^ previous) & !(unclear & !previous);
        let current = previous ^ changed;
        let state_of = |square: Square| if current.contains(square) { SquareState::Occupied } else { SquareState::Empty };
        if self.reported.is_none() || std::mem::take(&mut self.placement_requested) {
            let mut placement: Placement = [SquareState::Empty; 64];
            for square in Square::ALL {
                placement[square as usize] = state_of(square);
            }
            self.readings.push_back(Reading::Placement(Box::new(placement)));
        } else {
            self.readings.extend(changed.into_iter().map(|square| Reading::Square(square, state_of(square))));
        }
        self.reported = Some(current);
        let ambiguous = unclear & (!current | self.doubtful);
        if ambiguous != self.ambiguous {
            self.ambiguous = ambiguous;
            self.readings.push_back(Reading::ProtocolError(ProtocolError::AmbiguousSquares(ambiguous.into_iter().collect())));
        }
    }
}

impl Protocol for Matrix {
    fn link(&mut self, _: Millis, _: LinkState) {
        *self = Matrix::default();
    }

    fn receive(&mut self, _: Millis, chunk: &[u8]) {
        match chunk {
            [flags @ (0 | 1), ranks @ ..] if chunk.len() == PACKET_LENGTH => {
                let closed = ranks.iter().rev().fold(0, |all, rank| all << 8 | u64::from(*rank));
                self.scanned(Bitboard(closed), *flags == 1);
            }
            _ => self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(chunk.len()))),
        }
    }

    fn execute(&mut self, now: Millis, _: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                self.placement_requested = true;
                self.writes.push_back(Write { at: now, bytes: vec![SCAN_REQUEST] });
                Ok(())
            }
            _ => Err(Unsupported),
        }
    }

    fn timeout(&mut self, _: Millis) {}

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        Some((Address::ONLY, self.readings.pop_front()?))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        None
    }
}
