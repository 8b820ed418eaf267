//! A virtual Certabo or Cerno, as seen by a host: frames of 320 numbers, chips in the pieces, garbage on empty squares.
//!
//! Its set of pieces is new to the host. Pieces that were not on the board at first (a second queen) belong to that set, too, and
//! each has a chip of its own.
//!
//! *Unknown*, and chosen freely: the frame rate (the line allows three to five a second), the form of the garbage, and how many
//! boards break their lines.

use crate::simulate::hands::Span;
use crate::simulate::rng::Rng;
use crate::simulate::streamed::{FrameEncoder, FrameTiming, PhysicalPiece, StreamingBoard};
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::Piece;
use std::collections::VecDeque;

/// Time from one frame to the next, in milliseconds: a frame of 1100 bytes takes 286 ms on the line.
const FRAME_MS: Span = Span(290, 330);
/// Rate of empty squares that read garbage, in thousandths. Measured: 169 of 721.
const GARBAGE: u32 = 234;
/// Rate of zeros among the numbers of garbage, in thousandths. Measured roughly in the same frames.
const ZEROS: u32 = 150;
/// Position of line breaks, in characters.
const BREAK: usize = 64;
/// Number of bytes of a pattern of plain lights.
const LIGHTS: usize = 8;
/// First and last bytes of a pattern of coloured lights, and its length in bytes.
const COLOURS: ([u8; 2], [u8; 2], usize) = ([0xff, 0x55], [0x0d, 0x0a], 247);

/// The virtual board.
pub type VirtualCertabo = StreamingBoard<ChipEncoder>;

/// Creates a board of this kind with these pieces on the squares of play. `stream` selects the random stream of a game, so that
/// games with the same seed differ.
pub fn board(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64, lights: VirtualLights) -> VirtualCertabo {
    let rng = Rng::new(setup.seed ^ 0xce_47ab0, stream);
    let mut chips = ChipEncoder { rng, breaks: false, ids: Vec::new(), lights };
    chips.breaks = chips.rng.chance(500);
    StreamingBoard::new(setup, squares, stream, FrameTiming { frame_ms: FRAME_MS, baud: 38_400 }, chips)
}

/// The chips in the pieces, and their encoder.
pub struct ChipEncoder {
    rng: Rng,
    /// Lines are broken by line feeds, even within a number.
    breaks: bool,
    /// The chip in each physical piece.
    ids: Vec<[u8; 5]>,
    lights: VirtualLights,
}

impl ChipEncoder {
    /// Returns the chip of a piece. As in real sets, all chips of a set begin alike.
    fn id(&mut self, piece: PhysicalPiece) -> [u8; 5] {
        while self.ids.len() <= piece.number {
            let batch = 83 + self.rng.below(3) as u8;
            let id = [3, 0, batch, self.rng.below(256) as u8, self.rng.below(256) as u8];
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
        self.ids[piece.number]
    }

    fn empty(&mut self) -> [u8; 5] {
        let mut id = [0; 5];
        if self.rng.chance(GARBAGE) {
            for number in &mut id {
                *number = if self.rng.chance(ZEROS) { 0 } else { self.rng.below(256) as u8 };
            }
        }
        id
    }
}

impl FrameEncoder for ChipEncoder {
    fn frame(&mut self, seen: &[Option<PhysicalPiece>; 64]) -> Vec<u8> {
        let mut text = String::from(":");
        for piece in seen {
            let id = match *piece {
                Some(piece) => self.id(piece),
                None => self.empty(),
            };
            id.iter().for_each(|number| text += &format!("{number} "));
        }
        let mut bytes = Vec::new();
        for part in text.as_bytes().chunks(if self.breaks { BREAK } else { usize::MAX }) {
            if !bytes.is_empty() {
                bytes.push(b'\n');
            }
            bytes.extend_from_slice(part);
        }
        bytes.extend_from_slice(b"\r\n");
        bytes
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.lights.receive(bytes)
    }
}

/// The lights of a virtual board.
#[derive(Default)]
pub struct VirtualLights {
    coloured: bool,
    bytes: VecDeque<u8>,
    /// The last pattern, as received.
    shown: Vec<u8>,
}

impl VirtualLights {
    /// Creates lights with one light per square.
    pub fn plain() -> VirtualLights {
        VirtualLights::default()
    }

    /// Creates coloured lights.
    pub fn coloured() -> VirtualLights {
        VirtualLights { coloured: true, ..VirtualLights::default() }
    }

    /// Returns the last pattern as received; empty before the first.
    pub fn shown(&self) -> &[u8] {
        &self.shown
    }

    /// Receives bytes from the host and returns the reply.
    pub fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.bytes.extend(bytes);
        let mut reply = Vec::new();
        loop {
            let length = if self.coloured { COLOURS.2 } else { LIGHTS };
            // Skips bytes before the beginning of a pattern of coloured lights.
            while self.coloured
                && !self.bytes.is_empty()
                && self.bytes.iter().zip(&COLOURS.0).any(|(received, expected)| received != expected)
            {
                self.bytes.pop_front();
            }
            if self.bytes.len() < length {
                return reply;
            }
            let pattern: Vec<u8> = self.bytes.drain(..length).collect();
            if !self.coloured || pattern.ends_with(&COLOURS.1) {
                self.shown = pattern;
                reply.extend_from_slice(if self.coloured { b"D\r\n" } else { b"L\r\n" });
            }
        }
    }
}
