//! Virtual boards that are only wireless: a DGT Pegasus, a Square Off Pro, a House of Staunton, and a self-built board with CPP. Their
//! link damages no bytes. How often they scan their squares is not documented: ours is a choice.

use crate::simulate::hands::Span;
use crate::simulate::streamed::{FrameEncoder, FrameTiming, PhysicalPiece, StreamingBoard};
use crate::simulate::virtual_board::SimulationSetup;
use shakmaty::{Color, Piece, Role};

/// Time from one scan to the next, in milliseconds.
const SCAN_MS: Span = Span(50, 50);
/// Speed in bits per second, of the order of that of Bluetooth Low Energy.
const RADIO_BAUD: u64 = 100_000;

/// Number of scans after which a House of Staunton board reports again what has not changed.
const REPORT_EVERY: u32 = 20;

/// The squares as a scan shows them, from a8 to h1.
pub(super) type Seen = [Option<PhysicalPiece>; 64];

/// Creates a wireless board with these pieces on the squares of play. `stream` selects the random stream of a game, so that games
/// with the same seed differ.
pub fn board<E: FrameEncoder>(
    setup: &SimulationSetup,
    squares: &[Option<Piece>; 64],
    stream: u64,
    encoder: E,
) -> StreamingBoard<E> {
    StreamingBoard::new(setup, squares, stream, FrameTiming { frame_ms: SCAN_MS, baud: RADIO_BAUD }, encoder)
}

/// The encoder of a DGT Pegasus.
#[derive(Default)]
pub struct Pegasus {
    seen: Option<Seen>,
    /// Whether it has received the key.
    unlocked: bool,
    reports: bool,
    lights: Vec<u8>,
}

impl Pegasus {
    /// Returns the last command that set lights.
    pub fn lights(&self) -> &[u8] {
        &self.lights
    }
}

impl FrameEncoder for Pegasus {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &Seen) -> Vec<u8> {
        let before = self.seen.replace(*seen).unwrap_or(*seen);
        if !self.reports {
            return Vec::new();
        }
        let changes = (0u8..).zip(before.iter().zip(seen)).filter(|(_, (before, now))| before.is_some() != now.is_some());
        changes.flat_map(|(field, (_, now))| [0x8e, 0, 5, field, u8::from(now.is_some())]).collect()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        match bytes {
            [0x40] => self.reports = false,
            [0x44] => self.reports = true,
            [0x63, 0x07, 0xbe, 0xf5, 0xae, 0xdd, 0xa9, 0x5f, 0x00] => self.unlocked = true,
            [0x60, ..] => self.lights = bytes.to_vec(),
            [0x42] => {
                let unlocked = self.unlocked;
                let fields =
                    self.seen.unwrap_or([None; 64]).map(|piece| if unlocked { u8::from(piece.is_some()) } else { 0x7f });
                return [&[0x86, 0, 67], &fields[..]].concat();
            }
            _ => {}
        }
        Vec::new()
    }
}

/// The encoder of a Square Off Pro.
#[derive(Default)]
pub struct SquareOff {
    seen: Option<Seen>,
    /// Whether the squares were requested before the first scan.
    is_asked: bool,
}

impl SquareOff {
    fn squares(&mut self) -> String {
        let Some(seen) = &self.seen else {
            self.is_asked = true;
            return String::new();
        };
        // File by file, from a1; a scan begins at a8.
        let digits = (0..64).map(|index: usize| if seen[(7 - index % 8) * 8 + index / 8].is_some() { '1' } else { '0' });
        format!("30#{}*", digits.collect::<String>())
    }
}

impl FrameEncoder for SquareOff {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &Seen) -> Vec<u8> {
        let before = self.seen.replace(*seen).unwrap_or(*seen);
        let mut text = if std::mem::take(&mut self.is_asked) { self.squares() } else { String::new() };
        for (field, (before, now)) in (0u32..).zip(before.iter().zip(seen)) {
            if before.is_some() != now.is_some() {
                let square = shakmaty::Square::new(field).flip_vertical();
                text += &format!("0#{square}{}*", if now.is_some() { 'd' } else { 'u' });
            }
        }
        text.into_bytes()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        match bytes {
            b"30#R*" => self.squares().into_bytes(),
            b"4#*" => b"22#88*".to_vec(),
            _ => Vec::new(),
        }
    }
}

/// The encoder of a House of Staunton board.
#[derive(Default)]
pub struct Staunton {
    last_sent: Option<Vec<u8>>,
    /// Number of scans.
    scans: u32,
}

impl FrameEncoder for Staunton {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &Seen) -> Vec<u8> {
        let codes: Vec<u8> = (0..64).map(|index: usize| staunton_code(seen[index ^ 56].map(|seen| seen.piece))).collect();
        let report: Vec<u8> = codes.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
        self.scans += 1;
        match self.last_sent.replace(report.clone()) {
            Some(before) if before == report && !self.scans.is_multiple_of(REPORT_EVERY) => Vec::new(),
            _ => report,
        }
    }

    fn receive(&mut self, _: &[u8]) -> Vec<u8> {
        Vec::new()
    }
}

/// Returns the maker's code of a piece.
fn staunton_code(piece: Option<Piece>) -> u8 {
    let Some(piece) = piece else { return 0 };
    let white = match piece.role {
        Role::King => 1,
        Role::Queen => 2,
        Role::Rook => 3,
        Role::Knight => 4,
        Role::Bishop => 5,
        Role::Pawn => 6,
    };
    if piece.color == Color::White { white } else { white + 6 }
}

/// The encoder of a self-built board that reports its state as a FEN.
#[derive(Default)]
pub struct Cpp {
    seen: Option<Seen>,
    last_sent: String,
}

impl Cpp {
    fn state(&self) -> String {
        let seen = self.seen.unwrap_or([None; 64]);
        let ranks = seen.chunks(8).map(|rank| {
            let mut text = String::new();
            let mut empty = 0;
            for square in rank {
                match square {
                    None => empty += 1,
                    Some(_) => {
                        if empty > 0 {
                            text += &empty.to_string();
                        }
                        empty = 0;
                        text.push('?');
                    }
                }
            }
            if empty > 0 { text + &empty.to_string() } else { text }
        });
        format!("state {}", ranks.collect::<Vec<_>>().join("/"))
    }
}

impl FrameEncoder for Cpp {
    const PACKETS: bool = true;

    fn frame(&mut self, seen: &Seen) -> Vec<u8> {
        self.seen = Some(*seen);
        let state = self.state();
        if self.last_sent.is_empty() || self.last_sent == state {
            self.last_sent = state;
            return Vec::new();
        }
        self.last_sent = state;
        self.last_sent.clone().into_bytes()
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        match bytes {
            b"feature state_stream" | b"feature get_state" => b"ok\n".to_vec(),
            b"get_state" => self.state().into_bytes(),
            _ if bytes.starts_with(b"feature ") => b"nok\n".to_vec(),
            _ => Vec::new(),
        }
    }
}
