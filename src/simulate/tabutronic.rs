//! A virtual Sentio, as seen by a host: lines of eight numbers, bit 7 is the a-file. Cerno is in [`super::certabo`].
//!
//! *Unknown*, and chosen freely: the line rate.

use crate::simulate::certabo::VirtualLights;
use crate::simulate::hands::Span;
use crate::simulate::streamed::{FrameEncoder, FrameTiming, PhysicalPiece, StreamingBoard};
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::Piece;

/// Time from one line to the next, in milliseconds. Guess.
const FRAME_MS: Span = Span(80, 120);

/// The virtual board.
pub type VirtualSentio = StreamingBoard<RankEncoder>;

/// Creates a board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games with the
/// same seed differ.
pub fn board(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64, lights: VirtualLights) -> VirtualSentio {
    StreamingBoard::new(setup, squares, stream, FrameTiming { frame_ms: FRAME_MS, baud: 38_400 }, RankEncoder { lights })
}

/// The encoder of eight numbers, with the lights.
pub struct RankEncoder {
    lights: VirtualLights,
}

impl FrameEncoder for RankEncoder {
    fn frame(&mut self, seen: &[Option<PhysicalPiece>; 64]) -> Vec<u8> {
        let numbers = ranks(seen).map(|rank| format!("{rank} "));
        format!(":{}\r\n", numbers.concat()).into_bytes()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.lights.receive(bytes)
    }
}

/// Returns a bit for each occupied square: rank 8 first, bit 7 is the a-file.
pub(super) fn ranks(seen: &[Option<PhysicalPiece>; 64]) -> [u8; 8] {
    let mut ranks = [0; 8];
    for (index, _) in seen.iter().enumerate().filter(|(_, piece)| piece.is_some()) {
        ranks[index / 8] |= 0x80 >> (index % 8);
    }
    ranks
}
