//! A virtual reed board of the project's own protocol: ten lines a second, each with a checksum.

use crate::boards::reed::crc;
use crate::simulate::hands::Span;
use crate::simulate::streamed::{FrameEncoder, FrameTiming, PhysicalPiece, StreamingBoard};
use crate::simulate::tabutronic::ranks;
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::Piece;

/// Time from one line to the next, in milliseconds: easy for a small microcontroller.
const FRAME_MS: Span = Span(90, 110);

/// The virtual board.
pub type VirtualReed = StreamingBoard<LineEncoder>;

/// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with the
/// same seed differ.
pub fn board(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualReed {
    StreamingBoard::new(setup, squares, stream, FrameTiming { frame_ms: FRAME_MS, baud: 115_200 }, LineEncoder::default())
}

/// The encoder of lines with sequence numbers and checksums.
#[derive(Default)]
pub struct LineEncoder {
    sequence: u8,
    ranks: [u8; 8],
}

impl LineEncoder {
    fn line(&mut self) -> Vec<u8> {
        let line = format!("R1 {} {:016x}", self.sequence, u64::from_be_bytes(self.ranks));
        self.sequence = self.sequence.wrapping_add(1);
        format!("{line}*{:02x}\n", crc(line.as_bytes())).into_bytes()
    }
}

impl FrameEncoder for LineEncoder {
    fn frame(&mut self, seen: &[Option<PhysicalPiece>; 64]) -> Vec<u8> {
        self.ranks = ranks(seen);
        self.line()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        if bytes.contains(&b'?') { self.line() } else { Vec::new() }
    }
}
