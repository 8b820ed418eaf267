//! DGT Pegasus: whether a square is occupied, over Bluetooth Low Energy, Nordic UART service.
//!
//! # Frames
//!
//! Computer to board:
//!
//! | bytes | effect or reply | sent |
//! |---|---|---|
//! | 40 | reset; no reply | greeting |
//! | 63 07 be f5 ae dd a9 5f 00 | the key, without which all fields read as 7f and no light works | greeting; again if fields read as 7f |
//! | 44 | 8e on change | greeting, link test |
//! | 42 | one 86 | greeting, request, link test |
//! | 60 n 05 speed repeat brightness fields 00 | lights; n counts the bytes after it | request |
//! | 60 02 00 00 | lights off | greeting, request |
//! | 43, 4b | updates with those of a clock | never: the board has no clock |
//! | 4c, 32 | the battery: sources disagree which of the two | never |
//! | 4e, 50–54 | boot loader, draughts: see [`super::dgt`] | **never** |
//!
//! Board to computer: the messages of a DGT board ([`super::dgt`]): `id, length high 7 bits, length low 7 bits, payload`.
//!
//! | id | length | payload | becomes |
//! |---|---|---|---|
//! | 86 | 67 | 64 fields | [`Reading::Placement`], if it has changed or was requested |
//! | 8e | 5 | field, 0 or 1 | [`Reading::Square`] |
//! | 91, 92, 93, a2 | | serial number, texts, version | [`Reading::Identity`] |
//! | a0 | 12 | charge and times | [`Reading::Battery`] |
//! | 96, a3, a4, a5 | | version of the hardware, states of lock and key | nothing |
//!
//! Field 0 is a8, 63 is h1. 0 is empty, any other code but 7f is a piece. The lights of at most [`MAX_LIT`] squares fit into one
//! packet of the smallest size.
//!
//! # Sources
//!
//! BoardKit, Universal-Chess, BearChess and dgtdriver, which agree. The key is that of a public app, which all free programs send.
//!
//! # Unknown
//!
//! * *unknown*: the direction of the scales of speed and brightness of the lights.
//! * *unknown*: whether the board keeps the key when the link is lost; it is sent on every link.
//! * Nothing of this was tried on a real board.

use super::bluetooth::NORDIC_UART;
use super::dgt::codes::square;
use super::dgt::decoder::{Decoder, Item};
use super::dgt::message;
use super::shared::wireless::{Dialect, Session, WirelessBoard};
use super::*;
use shakmaty::Square;

/// DGT Pegasus.
pub static MODEL: Model = Model {
    name: "pegasus",
    title: "DGT Pegasus",
    sensing: SensorKind::Occupancy,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&NORDIC_UART)),
    bluetooth: None,
    usb: &[],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[
        CommandPattern::exact(RESET),
        CommandPattern::exact(KEY),
        CommandPattern::exact(UPDATES),
        CommandPattern::exact(FIELDS),
        CommandPattern::exact(DARK),
        CommandPattern::with_lengths(&[0x60], 8, 7 + MAX_LIT),
    ],
    virtual_board: VirtualBoardKind::Pegasus,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || Box::new(WirelessBoard::new(Pegasus::default())),
};

/// Maximum number of squares that are lit together.
pub const MAX_LIT: usize = 13;

const RESET: &[u8] = &[0x40];
const KEY: &[u8] = &[0x63, 0x07, 0xbe, 0xf5, 0xae, 0xdd, 0xa9, 0x5f, 0x00];
const UPDATES: &[u8] = &[0x44];
const FIELDS: &[u8] = &[0x42];
const DARK: &[u8] = &[0x60, 2, 0, 0];
/// Speed, repeat (0: for ever) and brightness of the lights.
const LIGHT_STYLE: [u8; 3] = [3, 0, 2];
/// What a field reads as before the board has received the key.
const LOCKED: u8 = 0x7f;

#[derive(Default)]
struct Pegasus {
    decoder: Decoder,
    /// Whether the board has shown that it does not have the key.
    locked: bool,
}

impl Dialect for Pegasus {
    const WRITE_INTERVAL: Millis = 100;

    fn reset(&mut self) {
        *self = Pegasus::default();
    }

    fn greet(&mut self, session: &mut Session, now: Millis) {
        session.send(now, RESET);
        session.send(now, KEY);
    }

    fn request_squares(&mut self, session: &mut Session, now: Millis) -> bool {
        if std::mem::take(&mut self.locked) {
            session.send(now, KEY);
        }
        session.send(now, UPDATES);
        session.send(now, FIELDS);
        true
    }

    fn receive(&mut self, session: &mut Session, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            match self.decoder.feed(byte) {
                None => {}
                Some(Item::Skipped(count)) => session.damaged(now, count),
                Some(Item::Message(0x86, fields)) => match placement(fields) {
                    Ok(placement) => session.placement(now, &placement),
                    Err(error) => {
                        self.locked = true;
                        session.heard(now);
                        session.invalid(error);
                    }
                },
                Some(Item::Message(message::UPDATE, &[field, code])) => match square(field).zip(state(code)) {
                    Some((square, state)) => session.square(now, square, state),
                    None => session.invalid(format!("field {field:02x} reads as {code:02x}")),
                },
                Some(Item::Message(id @ (0x91..=0x93 | 0xa0 | 0xa2), payload)) => {
                    session.heard(now);
                    message::read(id, payload).into_iter().for_each(|reading| session.push(reading));
                }
                Some(Item::Message(0x96 | 0xa3..=0xa5, _)) => session.heard(now),
                Some(Item::Message(id, _)) => session.push(Reading::ProtocolError(ProtocolError::Unknown(id))),
            }
        }
    }

    fn is_inside(&self) -> bool {
        self.decoder.is_inside()
    }

    fn discard(&mut self) -> usize {
        self.decoder.discard()
    }

    fn lights(&self, squares: &[Square]) -> Option<Vec<Vec<u8>>> {
        let fields: Vec<u8> = squares.iter().take(MAX_LIT).map(|square| square.flip_vertical() as u8).collect();
        if fields.is_empty() {
            return Some(vec![DARK.to_vec()]);
        }
        let length = u8::try_from(fields.len() + 5).unwrap_or(u8::MAX);
        Some(vec![[&[0x60, length, 5], &LIGHT_STYLE[..], &fields, &[0]].concat()])
    }
}

fn state(code: u8) -> Option<SquareState> {
    match code {
        0 => Some(SquareState::Empty),
        LOCKED => None,
        _ => Some(SquareState::Occupied),
    }
}

fn placement(fields: &[u8]) -> Result<Placement, String> {
    let mut placement: Placement = [SquareState::Empty; 64];
    for (field, &code) in (0..64).zip(fields) {
        let square = square(field).ok_or_else(|| format!("field {field:02x} is outside 00 to 3f"))?;
        placement[square as usize] =
            state(code).ok_or_else(|| format!("{square} reads as {LOCKED:02x}: the board has not accepted the key"))?;
    }
    Ok(placement)
}
