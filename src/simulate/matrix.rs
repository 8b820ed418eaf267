//! Virtual reed switches on the computer's own lines, each with a diode: fifty scans a second, sent when they differ.

use crate::boards::matrix::{ASK, packet};
use crate::simulate::hands::Span;
use crate::simulate::stage::Scene;
use crate::simulate::streaming::{Man, Pace, Printer, Streaming};
use shakmaty::{Bitboard, File, Piece, Rank, Square};

/// Time from one scan to the next, in milliseconds.
const SCAN_MS: Span = Span(20, 20);
/// Speed in bits per second: there is no serial line, so scans arrive immediately.
const AT_ONCE: u64 = 1_000_000_000;

/// The virtual matrix.
pub type VirtualMatrix = Streaming<Scans>;

/// Creates a matrix with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with the
/// same seed differ.
pub fn board(scene: &Scene, squares: &[Option<Piece>; 64], stream: u64) -> VirtualMatrix {
    Streaming::new(scene, squares, stream, Pace { frame_ms: SCAN_MS, baud: AT_ONCE }, Scans::default())
}

/// The encoder of packets of closed switches.
#[derive(Default)]
pub struct Scans {
    /// The closed switches in the last packet.
    told: Option<Bitboard>,
}

impl Printer for Scans {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &[Option<Man>; 64]) -> Vec<u8> {
        let square = |index: usize| Square::from_coords(File::new(index as u32 % 8), Rank::new(7 - index as u32 / 8));
        let closed = (0..64).filter(|&index| seen[index].is_some()).map(square).collect();
        match self.told.replace(closed) {
            Some(told) if told == closed => Vec::new(),
            _ => packet(closed, true).to_vec(),
        }
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let asked = self.told.filter(|_| bytes.contains(&ASK));
        asked.map_or_else(Vec::new, |told| packet(told, true).to_vec())
    }
}
