//! Virtual reed switches on the computer's own lines, each with a diode: fifty scans a second, sent when they differ.

use crate::boards::matrix::{SCAN_REQUEST, packet};
use crate::simulate::hands::Span;
use crate::simulate::streamed::{FrameEncoder, FrameTiming, PhysicalPiece, StreamingBoard};
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::{Bitboard, File, Piece, Rank, Square};

/// Time from one scan to the next, in milliseconds.
const SCAN_MS: Span = Span(20, 20);
/// Speed in bits per second: there is no serial line, so scans arrive immediately.
const IMMEDIATE_BAUD: u64 = 1_000_000_000;

/// The virtual matrix.
pub type VirtualMatrix = StreamingBoard<ScanEncoder>;

/// Creates a matrix with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with the
/// same seed differ.
pub fn board(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualMatrix {
    StreamingBoard::new(setup, squares, stream, FrameTiming { frame_ms: SCAN_MS, baud: IMMEDIATE_BAUD }, ScanEncoder::default())
}

/// The encoder of packets of closed switches.
#[derive(Default)]
pub struct ScanEncoder {
    /// The closed switches in the last packet.
    last_sent: Option<Bitboard>,
}

impl FrameEncoder for ScanEncoder {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &[Option<PhysicalPiece>; 64]) -> Vec<u8> {
        let square = |index: usize| Square::from_coords(File::new(index as u32 % 8), Rank::new(7 - index as u32 / 8));
        let closed = (0..64).filter(|&index| seen[index].is_some()).map(square).collect();
        match self.last_sent.replace(closed) {
            Some(previous) if previous == closed => Vec::new(),
            _ => packet(closed, true).to_vec(),
        }
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let requested = self.last_sent.filter(|_| bytes.contains(&SCAN_REQUEST));
        requested.map_or_else(Vec::new, |closed| packet(closed, true).to_vec())
    }
}
