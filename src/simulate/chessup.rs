//! A virtual ChessUp: it senses whether squares are occupied and which one a hand touches, and reports moves until they are
//! acknowledged, and once which piece was chosen for a promotion. It believes every move.

use crate::simulate::streamed::{FrameEncoder, PhysicalPiece};
use crate::simulate::wireless::Seen;
use shakmaty::{Color, Piece, Rank, Role, Square};

/// Number of scans after which an unacknowledged move is repeated.
const REPEAT_AFTER: u32 = 6;

/// The encoder of a ChessUp.
#[derive(Default)]
pub struct ChessUp {
    seen: Option<Seen>,
    streams: bool,
    /// Whether a game was started, without which it reports no moves.
    has_game: bool,
    /// Whether the squares were requested before the first scan.
    is_asked: bool,
    /// The fields that a hand began to touch since the last scan; `None`: it was taken off all of them.
    touches: Vec<Option<usize>>,
    /// Pieces in the hand, and where they were lifted.
    lifted: Vec<(PhysicalPiece, Square)>,
    /// The move that was not acknowledged, and the number of scans since it was sent.
    unacknowledged: Option<([u8; 6], u32)>,
    /// Received commands that no host may ever send.
    forbidden: Vec<Vec<u8>>,
}

impl ChessUp {
    /// Returns the received commands that no host may ever send.
    pub fn forbidden(&self) -> &[Vec<u8>] {
        &self.forbidden
    }

    fn state(&mut self) -> Vec<u8> {
        let Some(seen) = self.seen else {
            self.is_asked = true;
            return Vec::new();
        };
        let codes = (0..64).map(|index: usize| seen[index ^ 56].map_or(0x40, code));
        [0x67].into_iter().chain(codes).chain([0, 1, 1, 1, 1, 0, 0, 1]).collect()
    }

    /// Returns the index of the lifted pawn that becomes this piece, which is new on its square.
    fn promoted_pawn(&self, piece: Piece, to: Square) -> Option<usize> {
        let pawn = piece.color.pawn();
        let (seventh, last) =
            (piece.color.fold_wb(Rank::Seventh, Rank::Second), piece.color.fold_wb(Rank::Eighth, Rank::First));
        let may_become = |from: Square| from == to || from.rank() == seventh && from.file().distance(to.file()) <= 1;
        let promotes = to.rank() == last && !matches!(piece.role, Role::Pawn | Role::King);
        self.lifted.iter().rposition(|(lifted, from)| promotes && lifted.piece == pawn && may_become(*from))
    }

    fn occupancy(seen: &Seen) -> Vec<u8> {
        let ranks =
            seen.chunks(8).map(|rank| (0..8).zip(rank).fold(0, |bits, (file, piece)| bits | u8::from(piece.is_some()) << file));
        [0xfd, 0xfd].into_iter().chain(ranks).collect()
    }
}

impl FrameEncoder for ChessUp {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &Seen) -> Vec<u8> {
        let before = self.seen.replace(*seen).unwrap_or(*seen);
        let mut bytes = if std::mem::take(&mut self.is_asked) { self.state() } else { Vec::new() };
        let is_change = before != *seen || !bytes.is_empty();
        for touched in std::mem::take(&mut self.touches) {
            let field = touched.and_then(|index| Some((index, seen.get(index)?)));
            match field {
                Some((index, piece)) => {
                    bytes.extend([0xb8, Square::new(index as u32).flip_vertical() as u8, piece.map_or(0x40, code)]);
                }
                None => bytes.push(0xbb),
            }
        }
        for (index, (before, now)) in (0u32..).zip(before.iter().zip(seen)) {
            let square = Square::new(index).flip_vertical();
            if let Some(piece) = before.filter(|piece| *now != Some(*piece)) {
                bytes.extend([0xb8, square as u8, code(piece)]);
                self.lifted.push((piece, square));
            }
        }
        if is_change && self.streams {
            bytes.extend(ChessUp::occupancy(seen));
        }
        for (index, (before, now)) in (0u32..).zip(before.iter().zip(seen)) {
            let to = Square::new(index).flip_vertical();
            let Some(piece) = now.filter(|piece| *before != Some(*piece)) else { continue };
            let same = self.lifted.iter().position(|(lifted, _)| *lifted == piece);
            let Some(at) = same.or_else(|| self.promoted_pawn(piece.piece, to)) else { continue };
            let (_, from) = self.lifted.remove(at);
            bytes.push(0xbb);
            if from != to && self.has_game {
                let message = [0xa3, 0x35, from.file() as u8, from.rank() as u8, to.file() as u8, to.rank() as u8];
                bytes.extend(message);
                self.unacknowledged = Some((message, 0));
            }
            if same.is_none() && self.has_game {
                bytes.extend([0x97, code(piece) & 7]);
            }
        }
        if let Some((message, scans)) = &mut self.unacknowledged {
            *scans += 1;
            if *scans % REPEAT_AFTER == 0 {
                bytes.extend(*message);
            }
        }
        bytes
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        match bytes {
            [0xb9, 5, ..] => self.has_game = true,
            [0x21] => self.unacknowledged = None,
            [0x23] => {}
            [0x67] => return self.state(),
            [0x50] => {
                self.streams = true;
                return self.seen.as_ref().map(ChessUp::occupancy).unwrap_or_default();
            }
            _ => self.forbidden.push(bytes.to_vec()),
        }
        Vec::new()
    }

    fn touch(&mut self, index: Option<usize>) {
        self.touches.push(index);
    }
}

/// Returns the maker's code of a piece.
fn code(piece: PhysicalPiece) -> u8 {
    let white = match piece.piece.role {
        Role::Pawn => 0,
        Role::Rook => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Queen => 4,
        Role::King => 5,
    };
    if piece.piece.color == Color::White { white } else { white + 8 }
}
