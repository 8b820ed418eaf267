//! A virtual Chessnut board, as seen by a host over USB or Bluetooth. It also understands the commands of a Chessnut Move.
//!
//! In real-time mode it reports all of its squares every 200 ms; faster actions are not seen at all. This simulation reads all
//! squares at that moment; whether real boards do is *unknown*. It has no clock.

use crate::boards::Millis;
use crate::game::event::Rotation;
use crate::simulate::act::Act;
use crate::simulate::hands::{Rate, Rates, Span};
use crate::simulate::rng::{Dice, Rng};
use crate::simulate::virtual_board::{Chunk, SimulationSetup, VirtualBoard};
use shakmaty::{Color, Piece, Role, Square};

const NEVER: Millis = Millis::MAX;
/// Time between two reports, in milliseconds.
const REPORTS: Millis = 200;
/// Time from a command to its reply, in milliseconds. Guess.
const ANSWER: Millis = 5;
/// Time between the blind phases of a flickering square, and the length of such a phase, in milliseconds. Guesses, as are the next
/// two.
const FLICKER: (Span, Span) = (Span(4_000, 40_000), Span(150, 700));
/// Delay until a missed edge is noticed, in milliseconds.
const NOTICE_DELAY: Span = Span(500, 6_000);
/// How long a piece is read as another piece, in milliseconds.
const MISREAD_TIME: Span = Span(300, 5_000);

/// One square of the board.
#[derive(Clone, Copy, Default)]
struct BoardSquare {
    /// The code of the piece on the square, and the ply that last changed it.
    stands: (u8, u32),
    /// The code in the last report.
    seen: u8,
    /// Number of changes.
    changes: u64,
    /// The last change has not been reported.
    unreported: bool,
    /// The wrong code that the square shows, and until when.
    wrong: Option<(u8, Millis)>,
    /// The square always shows what it showed at first.
    stuck: bool,
}

/// The virtual board.
pub struct VirtualChessnut {
    rotation: Rotation,
    rng: Rng,
    dice: Dice,
    rates: Rates,
    /// Indexed by the board's own squares, a1 first.
    spots: [BoardSquare; 64],
    /// Flickering squares, whether they are blind, and until when.
    flickers: Vec<(usize, bool, Millis)>,
    /// When the next report is due.
    report_at: Millis,
    /// Number of reports so far; the board counts them.
    reports: u32,
    /// Length of what follows the header of a report: 61 bytes over USB, 36 over Bluetooth.
    report_length: u8,
    outbox: Vec<Chunk>,
    forbidden: Vec<Vec<u8>>,
    lit: [u8; 8],
}

impl VirtualChessnut {
    /// Creates a board, just switched on, with these pieces on the squares of play. `stream` selects the random stream of a game,
    /// so that games with the same seed differ.
    pub fn new(setup: &SimulationSetup, squares: &[Option<Piece>; 64], stream: u64) -> VirtualChessnut {
        let mut rng = Rng::new(setup.seed ^ 0xc4e5_5a17, stream);
        let (dice, rates) = (Dice::new(setup.seed, stream), setup.profile.rates);
        let mut spots = [BoardSquare::default(); 64];
        for (square, piece) in Square::ALL.into_iter().zip(squares) {
            let code = code(*piece);
            spots[setup.rotation.apply(square) as usize] =
                BoardSquare { stands: (code, 0), seen: code, ..BoardSquare::default() };
        }
        let [stuck, flickering] = [Rate::stuck, Rate::flicker].map(|rate| dice.count(&rates, rate, 0) as usize);
        let mut bad: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut bad);
        for &spot in bad.iter().take(stuck) {
            spots[spot].stuck = true;
        }
        let flickering = bad.into_iter().skip(stuck).take(flickering);
        let flickers = flickering.map(|spot| (spot, false, rng.ms(FLICKER.0))).collect();
        VirtualChessnut {
            rotation: setup.rotation,
            dice,
            rates,
            spots,
            flickers,
            report_at: NEVER,
            reports: 0,
            report_length: 0x3d,
            outbox: Vec::new(),
            forbidden: Vec::new(),
            lit: [0; 8],
            rng,
        }
    }

    /// Connects the board over Bluetooth instead of USB.
    pub fn over_radio(self) -> VirtualChessnut {
        VirtualChessnut { report_length: 0x24, ..self }
    }

    /// Returns the received commands that no host may ever send.
    pub fn forbidden(&self) -> &[Vec<u8>] {
        &self.forbidden
    }

    /// Returns the lights that are on: one byte per rank, the eighth first; bit 7 is the a-file.
    pub fn lit(&self) -> [u8; 8] {
        self.lit
    }

    fn report(&mut self, now: Millis) {
        for index in 0..self.flickers.len() {
            let (spot, blind, until) = self.flickers[index];
            if until <= now {
                let duration = self.rng.ms(if blind { FLICKER.0 } else { FLICKER.1 });
                self.flickers[index] = (spot, !blind, now + duration);
            }
        }
        let mut ply = 0;
        for spot in 0..64 {
            self.draw_misreading(spot, now);
            let blind = self.flickers.iter().any(|&(other, blind, _)| other == spot && blind);
            let spot = &mut self.spots[spot];
            spot.wrong = spot.wrong.filter(|&(_, until)| until > now);
            let reading = match (spot.stuck, blind, spot.wrong) {
                (true, ..) => spot.seen,
                (_, true, _) => 0,
                (.., Some((wrong, _))) => wrong,
                _ => spot.stands.0,
            };
            if reading != spot.seen && reading == spot.stands.0 {
                ply = ply.max(spot.stands.1);
            }
            spot.seen = reading;
        }
        let mut report = vec![0x01, self.report_length];
        for spot in (0..32).rev() {
            report.push(self.spots[spot * 2 + 1].seen | self.spots[spot * 2].seen << 4);
        }
        self.reports += 1;
        report.extend(self.reports.to_le_bytes());
        report.resize(2 + usize::from(self.report_length), 0);
        self.outbox.push(Chunk { at: now, bytes: report, ply });
    }

    /// Decides whether the board misreads the last change of a square, and how.
    fn draw_misreading(&mut self, index: usize, now: Millis) {
        let spot = self.spots[index];
        if !std::mem::take(&mut self.spots[index].unreported) {
            return;
        }
        let nth = (index as u64) << 32 | spot.changes;
        let occurs = |rate: Rate| {
            let mut rng = self.dice.stream(rate, nth);
            rng.chance(self.rates.get(rate)).then_some(rng)
        };
        let actual = spot.stands.0;
        if let Some(mut rng) = occurs(Rate::missed_edge) {
            self.spots[index].wrong = Some((spot.seen, now + rng.ms(NOTICE_DELAY)));
        } else if let Some(mut rng) = occurs(Rate::misread).filter(|_| actual > 0) {
            let other = 1 + (actual + rng.below(11) as u8) % 12;
            self.spots[index].wrong = Some((other, now + rng.ms(MISREAD_TIME)));
        }
    }

    fn queue_reply(&mut self, now: Millis, bytes: &[u8]) {
        self.outbox.push(Chunk { at: now + ANSWER, bytes: bytes.to_vec(), ply: 0 });
    }
}

impl VirtualBoard for VirtualChessnut {
    fn act(&mut self, _at: Millis, act: Act, ply: u32) {
        let (square, piece) = match act {
            Act::Lift(square) => (square, None),
            Act::Put(square, piece) => (square, Some(piece)),
            // The board has no clock, and its own power supply.
            Act::Touch(_) | Act::LetGo | Act::Press(_) | Act::Start | Act::Stop | Act::Unplug | Act::Plug => return,
        };
        let spot = &mut self.spots[self.rotation.apply(square) as usize];
        *spot = BoardSquare { stands: (code(piece), ply), changes: spot.changes + 1, unreported: true, wrong: None, ..*spot };
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        match *bytes {
            [0x21, 1, 0] => {
                if self.report_at == NEVER {
                    self.report_at = now + REPORTS;
                }
                self.queue_reply(now, &[0x23, 1, 0]);
            }
            [0x21, 1, 1] => self.report_at = NEVER,
            [0x0a, 8, ref ranks @ ..] => self.lit = ranks.try_into().unwrap_or(self.lit),
            [0x27, 1, 1] => self.queue_reply(now, b"\x28\x0dtouchmove 1.0"),
            [0x29, 1, 0] => self.queue_reply(now, &[0x2a, 2, 88, 0]),
            [0x41, 1, 0x0c] => self.queue_reply(now, &[0x41, 3, 0x0c, 0, 88]),
            [0x39 | 0x42, ..] => self.forbidden.push(bytes.to_vec()),
            _ => {}
        }
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        while self.report_at <= now {
            self.report(self.report_at);
            self.report_at += REPORTS;
        }
        let mut due: Vec<Chunk> = self.outbox.extract_if(.., |chunk| chunk.at <= now).collect();
        due.sort_by_key(|chunk| chunk.at);
        due
    }

    fn next_event(&self) -> Option<Millis> {
        let next_reply = self.outbox.iter().map(|chunk| chunk.at).min().unwrap_or(NEVER);
        Some(next_reply.min(self.report_at)).filter(|&next| next != NEVER)
    }
}

/// The maker's code of a piece.
fn code(piece: Option<Piece>) -> u8 {
    let Some(piece) = piece else { return 0 };
    match (piece.role, piece.color) {
        (Role::Queen, Color::Black) => 1,
        (Role::King, Color::Black) => 2,
        (Role::Bishop, Color::Black) => 3,
        (Role::Pawn, Color::Black) => 4,
        (Role::Knight, Color::Black) => 5,
        (Role::Rook, Color::White) => 6,
        (Role::Pawn, Color::White) => 7,
        (Role::Rook, Color::Black) => 8,
        (Role::Bishop, Color::White) => 9,
        (Role::Knight, Color::White) => 10,
        (Role::Queen, Color::White) => 11,
        (Role::King, Color::White) => 12,
    }
}
