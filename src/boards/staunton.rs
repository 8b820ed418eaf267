//! House of Staunton (Zmartfun): which piece is on a square, over Bluetooth Low Energy. (Its USB cable is not supported.)
//!
//! # Frames
//!
//! Computer to board: single bytes, at least 2.5 s apart.
//!
//! | byte | effect | sent |
//! |---|---|---|
//! | 100 + square, from a1 = 0 to h8 = 63 (decimal) | lights a square | request |
//! | 186 (decimal) | lights off | greeting, request |
//! | 174 and six numbers, 175, 179, 180, 181 (decimal) | set, stop, reset and start the clock | **never** |
//!
//! Board to computer, unrequested:
//!
//! | bytes | meaning | becomes |
//! |---|---|---|
//! | 32, a 00 may precede them | squares: a1, b1 … h8, two in each byte, the first in the low half | [`Reading::Placement`] at first, [`Reading::Square`] for changes |
//! | `ff ca` and six numbers, a 00 may precede them | the clock | nothing |
//!
//! Codes: 0 empty, 1–6 white king, queen, rook, knight, bishop, pawn; 7–c the same in black. A report with any other code is discarded.
//!
//! # Sources
//!
//! BearChess alone.
//!
//! # Unknown
//!
//! * *unknown*: when the board reports. It cannot be asked for anything, so that it never counts as silent; the link shows whether it
//!   is there.
//! * *unknown*: whether a lit square stays lit when another one is lit. At most [`MAX_LIT`] squares are lit, one after the other.
//! * *unknown*: whether a report is cut if the packets are smaller than it. Both parts are joined. Packets of 32 bytes can cut off the
//!   last byte of a report after a 00: what begins with 00 waits for it for [`LAST_BYTE_TIMEOUT`], until another report has shown
//!   whether a 00 precedes them.
//! * The clock is not read: the meaning of its last byte was not confirmed.
//! * Nothing of this was tried on a real board.

use super::shared::wireless::{Dialect, Session, WirelessBoard};
use super::*;
use shakmaty::{Color, Role, Square};

/// The services of the board.
pub static GATT: GattProfile = GattProfile {
    services: &["0000ffe0-0000-1000-8000-00805f9b34fb"],
    notify: &["0000ffe1-0000-1000-8000-00805f9b34fb"],
    write: "0000ffe1-0000-1000-8000-00805f9b34fb",
    min_mtu: bluetooth::DEFAULT_MTU,
    write_interval: 2_500,
};

/// House of Staunton.
pub static MODEL: Model = Model {
    name: "staunton",
    title: "House of Staunton",
    sensing: SensorKind::Identity,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&GATT)),
    bluetooth: None,
    usb: &[],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[CommandPattern::exact(DARK), CommandPattern::one_of(FIRST_LIGHT, FIRST_LIGHT + 63)],
    virtual_board: VirtualBoardKind::Staunton,
    limitations: &[
        "whether a piece was touched without leaving its square",
        "which hand moved a piece",
        "whether the board has stopped reporting: it cannot be asked for its squares",
    ],
    protocol: || Box::new(WirelessBoard::new(Staunton::default())),
};

/// Maximum number of squares that are lit, as each takes 2.5 s.
pub const MAX_LIT: usize = 4;
/// Time for which a packet that may lack its last byte waits for it, in milliseconds.
pub const LAST_BYTE_TIMEOUT: Millis = 100;
const DARK: &[u8] = &[186];
/// The command that lights a1.
const FIRST_LIGHT: u8 = 100;
/// Length of a report, in bytes.
const REPORT: usize = 32;
/// The beginning of a message of the clock.
const CLOCK: [u8; 2] = [0xff, 0xca];

#[derive(Default)]
struct Staunton {
    /// The first part of a report.
    pending: Vec<u8>,
    /// Whether a 00 precedes the reports on this link, once that is known.
    has_prefix: Option<bool>,
    /// Until when `pending` waits for a last byte, if it is a report unless that byte arrives.
    undecided_until: Option<Millis>,
    /// The last report, if it was read because its last byte did not arrive in time: a byte that comes alone next is that byte.
    timed_out: Vec<u8>,
}

impl Staunton {
    /// Handles a report that is complete, and learns from it whether a 00 precedes the reports.
    fn finish(&mut self, session: &mut Session, now: Millis) {
        if let Some(has_prefix) = self.read(session, now) {
            self.has_prefix = Some(has_prefix);
        }
    }

    /// Reads the pending report; returns whether a 00 precedes it, or `None` if it is damaged.
    fn read(&mut self, session: &mut Session, now: Millis) -> Option<bool> {
        self.undecided_until = None;
        let report = std::mem::take(&mut self.pending);
        let (squares, has_prefix) = match report.as_slice() {
            [0, squares @ ..] if squares.len() == REPORT => (squares, true),
            squares => (squares, false),
        };
        match Some(squares).filter(|squares| squares.len() == REPORT).and_then(placement) {
            Some(placement) => {
                session.placement(now, &placement);
                Some(has_prefix)
            }
            None => {
                session.damaged(now, report.len());
                None
            }
        }
    }
}

impl Dialect for Staunton {
    const WRITE_INTERVAL: Millis = GATT.write_interval;

    fn reset(&mut self) {
        *self = Staunton::default();
    }

    fn greet(&mut self, _: &mut Session, _: Millis) {}

    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool {
        // Nothing can be requested: what was reported last is still on the board.
        session.confirmed(now);
        false
    }

    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]) {
        if self.undecided_until.is_some() && chunk.len() != 1 {
            self.finish(session, now);
        }
        let timed_out = std::mem::take(&mut self.timed_out);
        if let ([_], [_, ..]) = (chunk, timed_out.as_slice()) {
            self.pending = timed_out;
        }
        if self.pending.is_empty()
            && (chunk.starts_with(&CLOCK) || chunk.strip_prefix(&[0]).is_some_and(|rest| rest.starts_with(&CLOCK)))
        {
            return session.heard(now);
        }
        self.pending.extend_from_slice(chunk);
        if self.pending.len() < REPORT {
            return;
        }
        // A packet with a 00 and all squares but the last two, or with all squares, of which the first two are empty.
        if chunk.len() == REPORT && self.pending.len() == REPORT && chunk.starts_with(&[0]) && self.has_prefix != Some(false) {
            self.undecided_until = self.has_prefix.is_none().then_some(now + LAST_BYTE_TIMEOUT);
            return;
        }
        self.finish(session, now);
    }

    fn is_inside(&self) -> bool {
        !self.pending.is_empty() && self.undecided_until.is_none()
    }

    fn discard(&mut self) -> usize {
        std::mem::take(&mut self.pending).len()
    }

    fn timeout(&mut self, session: &mut Session, now: Millis) {
        if self.undecided_until.is_some_and(|until| until <= now) {
            // The last byte may be late: nothing is learned from it.
            let report = self.pending.clone();
            if self.read(session, now).is_some() {
                self.timed_out = report;
            }
        }
    }

    fn deadline(&self) -> Option<Millis> {
        self.undecided_until
    }

    fn lights(&self, squares: &[Square]) -> Option<Vec<Vec<u8>>> {
        let lit = squares.iter().take(MAX_LIT).map(|square| vec![FIRST_LIGHT + *square as u8]);
        Some(std::iter::once(DARK.to_vec()).chain(lit).collect())
    }
}

/// Decodes the squares of a report; `None` if a code is invalid.
fn placement(report: &[u8]) -> Option<Placement> {
    let mut placement: Placement = [SquareState::Empty; 64];
    let codes = report.iter().flat_map(|byte| [byte & 0x0f, byte >> 4]);
    for (state, code) in placement.iter_mut().zip(codes) {
        *state = square_state(code)?;
    }
    Some(placement)
}

fn square_state(code: u8) -> Option<SquareState> {
    const ROLES: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Knight, Role::Bishop, Role::Pawn];
    let Some(index) = code.checked_sub(1) else { return Some(SquareState::Empty) };
    let role = ROLES.get(usize::from(index % 6)).filter(|_| code <= 12)?;
    Some(SquareState::Piece(role.of(Color::from_white(code <= 6))))
}
