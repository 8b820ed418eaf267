//! Square Off Pro: whether a square is occupied, over Bluetooth Low Energy, Nordic UART service.
//!
//! # Frames
//!
//! Both ways: ASCII, `code#content*`. Computer to board:
//!
//! | text | effect or reply | sent |
//! |---|---|---|
//! | `30#R*` | 30 | greeting, request, link test; every second until the board has reported a change |
//! | `25#e2e4*` | lights these squares; `25#*` none | greeting, request |
//! | `4#*` | 22, the battery | only as a handshake, see [`super::bluetooth`] |
//! | `14#1*` | begins a game; 14 | **never**: it would end the one that the board is following |
//! | `0#e2e4*`, `24#e2,e4*` | a move: boards with a motor may carry it out | **never** |
//! | `27#…*` | shows how a game ended | never |
//!
//! Board to computer:
//!
//! | text | meaning | becomes |
//! |---|---|---|
//! | `0#e2u*`, `0#e4d*` | a piece was lifted, put down | [`Reading::Square`] |
//! | `30#` 64 of 0 and 1 `*` | all squares, file by file: a1, a2 … a8, b1 … h8; 1: occupied | [`Reading::Placement`], if it has changed or was requested |
//! | `14#GO*`, `22#…*` | a game begins, the battery | nothing |
//!
//! # Sources
//!
//! BoardKit, whose authors read real boards and published what these sent, BearChess, squareoffdriver.
//!
//! # Unknown
//!
//! * *unknown*: whether the board reports changes before a game has begun. Therefore its squares are requested every second until
//!   it has reported one.
//! * *unknown*: the form of the battery's state.
//! * Nothing of this was tried on a real board.

use super::bluetooth::NORDIC_UART;
use super::shared::wireless::{Dialect, Session, WirelessBoard};
use super::*;
use shakmaty::Square;

/// Square Off Pro.
pub static MODEL: Model = Model {
    name: "square-off",
    title: "Square Off Pro",
    sensing: SensorKind::Occupancy,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&NORDIC_UART)),
    bluetooth: None,
    usb: &[],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[CommandPattern::exact(SQUARES), CommandPattern::with_lengths(b"25#", 4, 4 + 2 * 64)],
    virtual_board: VirtualBoardKind::SquareOff,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || Box::new(WirelessBoard::new(SquareOff::default())),
};

/// Interval between two requests for the squares until the board has reported a change by itself, in milliseconds.
pub const POLL_INTERVAL: Millis = 1_000;
/// Maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 128;
const SQUARES: &[u8] = b"30#R*";

#[derive(Default)]
struct SquareOff {
    /// The bytes of an incomplete message.
    pending: Vec<u8>,
    /// Whether the board has reported a change on this link.
    reports_changes: bool,
}

impl Dialect for SquareOff {
    const WRITE_INTERVAL: Millis = 150;

    fn reset(&mut self) {
        *self = SquareOff::default();
    }

    fn greet(&mut self, _: &mut Session, _: Millis) {}

    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool {
        session.send(now, SQUARES);
        true
    }

    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            if byte == b'*' {
                let message = std::mem::take(&mut self.pending);
                self.message(session, now, &message);
            } else if self.pending.len() < MAX_MESSAGE {
                self.pending.push(byte);
            } else {
                let count = self.discard() + 1;
                session.damaged(now, count);
            }
        }
    }

    fn is_inside(&self) -> bool {
        !self.pending.is_empty()
    }

    fn discard(&mut self) -> usize {
        std::mem::take(&mut self.pending).len()
    }

    fn lights(&self, squares: &[Square]) -> Option<Vec<Vec<u8>>> {
        let names: String = squares.iter().map(Square::to_string).collect();
        Some(vec![format!("25#{names}*").into_bytes()])
    }
}

impl SquareOff {
    fn message(&mut self, session: &mut Session, now: Millis, message: &[u8]) {
        let text = std::str::from_utf8(message).ok().map(str::trim_ascii_start);
        match text.and_then(|text| text.split_once('#')) {
            Some(("0", change)) => match read_change(change) {
                Some((square, state)) => {
                    self.reports_changes = true;
                    session.square(now, square, state);
                }
                None => session.damaged(now, message.len() + 1),
            },
            Some(("30", digits)) => match read_squares(digits) {
                Some(placement) => {
                    session.placement(now, &placement);
                    if !self.reports_changes {
                        session.request_soon(now + POLL_INTERVAL);
                    }
                }
                None => session.damaged(now, message.len() + 1),
            },
            Some((code, _)) if !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit()) => session.heard(now),
            _ => session.damaged(now, message.len() + 1),
        }
    }
}

fn read_change(text: &str) -> Option<(Square, SquareState)> {
    let (square, state) = match text.split_at_checked(2)? {
        (square, "u") => (square, SquareState::Empty),
        (square, "d") => (square, SquareState::Occupied),
        _ => return None,
    };
    Some((square.parse().ok()?, state))
}

fn read_squares(digits: &str) -> Option<Placement> {
    let mut placement: Placement = [SquareState::Empty; 64];
    if digits.len() != 64 {
        return None;
    }
    for (index, digit) in digits.bytes().enumerate() {
        // File by file.
        placement[index % 8 * 8 + index / 8] = match digit {
            b'0' => SquareState::Empty,
            b'1' => SquareState::Occupied,
            _ => return None,
        };
    }
    Some(placement)
}
