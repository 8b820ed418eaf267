//! Chessnut Air, Air+, Pro and Go over USB: HID reports of an interface of its own, usage page ff00. The same boards and the
//! Chessnut Move over Bluetooth Low Energy: one notification is one message, and one write one command ([`GATT`]).
//!
//! # Frames
//!
//! Both ways: `type, length of the payload, payload`. A report is one message; padding zeros have no meaning.
//!
//! Computer to board, at least 200 ms apart:
//!
//! | bytes | effect or reply | sent |
//! |---|---|---|
//! | 21 01 00 | real-time mode: a board report about every 200 ms, changed or not | greeting, when none come |
//! | 21 01 01 | upload mode | never |
//! | 0a 08 r8 … r1 | lights, a byte a rank, bit 7 is a, bit 0 is h | request |
//! | 0b 04 Hz Hz ms ms | beep | request |
//! | 27 01 01 | version of the board's controller | greeting |
//! | 27 01 00 | version of its radio | never |
//! | 29 01 00 | battery | greeting, every 10 min |
//! | 31 01 00, 33 01 00, 34 01 01 | how many games it keeps, get one | never |
//! | 39 01 00 | delete a game | **never** |
//!
//! Other commands of the Chessnut Move, which moves its pieces by itself:
//!
//! | bytes | effect or reply | sent |
//! |---|---|---|
//! | 43 20, 32 bytes | lights, in the order of the squares: 0 off, 1 red, 2 green, 3 blue | request |
//! | 41 01 0c | battery: 41 | greeting, every 10 min |
//! | 42 21, 32 bytes, 0 or 1 | moves the pieces to these squares, and stops reporting meanwhile | **never** |
//! | 41 01 0b, 41 01 15 | state of the pieces, kind of board | never |
//!
//! Board to computer:
//!
//! | type | length | payload | becomes |
//! |---|---|---|---|
//! | 01 | 3d, over radio 24 | 32 bytes of squares, then something *unknown* | [`Reading::Placement`] if it has changed or was requested |
//! | 2a | 2 | charge in % (bit 7: charging), 01 charging | [`Reading::Battery`]; a charge of 0 is none |
//! | 28 | any | a text | [`Identity::Version`] |
//! | 23 | 1 | 00: understood; 01: not ready | nothing |
//! | 32, 37 | 1 | games kept; begin and end of one | nothing |
//! | 41 | 3 or 5 | 0c, 01 charging, charge: self-moving boards | [`Reading::Battery`] |
//!
//! Squares come as h8, g8 … a8, h7 … a1, two per byte, the low half first. 0 is empty, then 1–c: black queen, king, bishop, pawn,
//! knight; white rook, pawn; black rook; white bishop, knight, queen, king. A report with any other code is discarded.
//!
//! # Sources
//!
//! The behaviour of the maker's library for computers and of the free programs that read these boards over radio, and single frames
//! from their tests; for Bluetooth and the Chessnut Move, the maker's documentation of its interface. No capture of a whole game was
//! available, over USB or over Bluetooth.
//!
//! # Unknown
//!
//! * *unknown*: the content after the squares of a board report: a time or a counter, perhaps.
//! * *unknown*: the type of the reply to 27. It is assumed to be 28, the next number, as 2a is the reply to 29; without it nothing
//!   is missing.
//! * *unknown*: whether all squares of a report were scanned at the same time.
//! * *unknown*: whether a Move must be put into real-time mode, as the others must; it is sent the same command. Whether it has
//!   the commands for beep and version: they are not sent.
//! * *unknown*: which of the ids 2d80:8000 to 86ff belong to which model. All are assumed to use this protocol.
//!
//! # Damage and silence
//!
//! USB ensures that reports arrive complete or not at all. Any other input is tolerated all the same: a truncated message is
//! dropped when a complete one begins, and bytes that begin no message are skipped. A board report contains all squares, so nothing
//! has to be requested again.
//!
//! After [`REPORT_TIMEOUT`] without a board report the board is put into real-time mode again, without limit. After
//! [`SILENCE_TIMEOUT`], [`ProtocolError::Silent`] is reported once, and [`ProtocolError::Recovered`] when a report arrives
//! again.

mod frame;
mod variant;

use super::*;
use frame::{Squares, is_incomplete_message, placement, split_message};
use std::collections::VecDeque;
use variant::{CHARGE, MOVE_CHARGE, VERSION, Variant};

/// The services of all Chessnut boards. A board report has 38 bytes.
pub static GATT: GattProfile = GattProfile {
    services: &["1b7e8261-2877-41c3-b46e-cf057c562023", "1b7e8271-2877-41c3-b46e-cf057c562023"],
    notify: &["1b7e8262-2877-41c3-b46e-cf057c562023", "1b7e8273-2877-41c3-b46e-cf057c562023"],
    write: "1b7e8272-2877-41c3-b46e-cf057c562023",
    min_mtu: 41,
    write_interval: WRITE_INTERVAL,
};

/// Chessnut boards with one USB cable.
pub static MODEL: Model = Model {
    name: "chessnut",
    title: "Chessnut Air, Air+, Pro, Go",
    sensing: SensorKind::Identity,
    connection: Connection::Usb(HidInterface { usage_page: 0xff00 }),
    bluetooth: Some(Bluetooth::Gatt(&GATT)),
    usb: &[UsbId::boards(0x2d80, 0x8000, 0x86ff)],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[
        CommandPattern::exact(REAL_TIME),
        CommandPattern::exact(VERSION),
        CommandPattern::exact(CHARGE),
        CommandPattern::exact(BEEP),
        CommandPattern::with_length(&[0x0a, 8], 10),
    ],
    virtual_board: VirtualBoardKind::Chessnut,
    limitations: LIMITATIONS,
    protocol: || Box::new(Chessnut::new(Variant::Plain)),
};

/// Chessnut Move. It is never told to move a piece.
pub static MOVE: Model = Model {
    name: "chessnut-move",
    title: "Chessnut Move",
    sensing: SensorKind::Identity,
    connection: Connection::Bluetooth(Bluetooth::Gatt(&GATT)),
    bluetooth: None,
    usb: &[],
    lights: Lights::Coloured,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[
        CommandPattern::exact(REAL_TIME),
        CommandPattern::exact(MOVE_CHARGE),
        CommandPattern::with_length(&[0x43, 0x20], 34),
    ],
    virtual_board: VirtualBoardKind::ChessnutMove,
    limitations: LIMITATIONS,
    protocol: || Box::new(Chessnut::new(Variant::Move)),
};

const LIMITATIONS: &[&str] = &[
    "whether a piece was touched without leaving its square",
    "which hand moved a piece",
    "changes that were undone within 0.2 s: the board reports its squares only every 0.2 s",
    "when a clock was pressed: no clock can be connected to the board",
];

/// Time without a board report after which they are requested again, in milliseconds; ten reports.
pub const REPORT_TIMEOUT: Millis = 2_000;
/// Time without a board report after which the board counts as silent, in milliseconds.
pub const SILENCE_TIMEOUT: Millis = 5_000;
/// Minimum interval between two writes, as in the maker's library, in milliseconds.
pub const WRITE_INTERVAL: Millis = 200;
/// Interval between requests for the state of the battery, in milliseconds.
const BATTERY_INTERVAL: Millis = 600_000;

const REAL_TIME: &[u8] = &[0x21, 1, 0];
/// 1000 Hz for 200 ms.
const BEEP: &[u8] = &[0x0b, 4, 0x03, 0xe8, 0x00, 0xc8];

/// A single Chessnut board on a link.
struct Chessnut {
    variant: Variant,
    up: bool,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    /// Earliest time for the next write.
    free_at: Millis,
    /// The bytes of an incomplete message.
    pending: Vec<u8>,
    /// Time of the last board report, or of the link coming up.
    reported_at: Millis,
    /// Time of the last request for board reports.
    reports_requested_at: Millis,
    /// Whether [`ProtocolError::Silent`] has been reported.
    silent: bool,
    /// The squares of the last report; `None`: the next report is passed on in any case.
    shown: Option<Squares>,
    /// Time of the next request for the battery.
    battery_at: Millis,
    /// Lights to be switched as soon as sending is allowed.
    lights: Option<Vec<u8>>,
}

impl Protocol for Chessnut {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self =
            Chessnut { up: state == LinkState::Up, readings, free_at: now, reported_at: now, ..Chessnut::new(self.variant) };
        if self.up {
            self.request_reports(now);
            if let Some(version) = self.variant.version() {
                self.send(now, version.to_vec());
            }
            self.request_battery(now);
            // Switches off what an earlier program left alight.
            self.send(now, self.variant.lights(&[]));
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        if !self.pending.is_empty() && split_message(chunk).is_some() {
            self.skipped(self.pending.len());
            self.pending.clear();
        }
        let mut stream = std::mem::take(&mut self.pending);
        stream.extend_from_slice(chunk);
        let (mut rest, mut skipped) = (stream.as_slice(), 0);
        while let [first, after @ ..] = rest {
            if let Some((message, after)) = split_message(rest) {
                self.skipped(std::mem::take(&mut skipped));
                self.message(now, message);
                rest = after;
            } else if is_incomplete_message(rest) {
                break;
            } else {
                // Zeros are padding.
                skipped += usize::from(*first != 0);
                rest = after;
            }
        }
        self.skipped(skipped);
        self.pending = rest.to_vec();
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            // The next report arrives without a request.
            BoardCommand::Placement => self.shown = None,
            BoardCommand::Lights(squares) => {
                self.lights = self.up.then(|| self.variant.lights(&squares));
                self.light(now);
            }
            BoardCommand::Beep if self.variant == Variant::Move => return Err(Unsupported),
            BoardCommand::Beep if self.up => self.send(now, BEEP.to_vec()),
            BoardCommand::Beep => {}
            BoardCommand::Clock | BoardCommand::Memory | BoardCommand::ClockText(_) => return Err(Unsupported),
        }
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        if !self.silent && now >= self.reported_at + SILENCE_TIMEOUT {
            self.silent = true;
            let silent_ms = u32::try_from(now - self.reported_at).unwrap_or(u32::MAX);
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Silent(silent_ms)));
        }
        if now >= self.reported_at.max(self.reports_requested_at) + REPORT_TIMEOUT {
            self.request_reports(now);
        }
        if now >= self.battery_at {
            self.request_battery(now);
        }
        self.light(now);
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        let silent = (!self.silent).then_some(self.reported_at + SILENCE_TIMEOUT);
        let next_request = self.reported_at.max(self.reports_requested_at) + REPORT_TIMEOUT;
        let light = self.lights.as_ref().map(|_| self.free_at);
        self.up.then(|| [silent, light].into_iter().flatten().fold(next_request.min(self.battery_at), Millis::min))
    }
}

impl Chessnut {
    fn new(variant: Variant) -> Chessnut {
        Chessnut {
            variant,
            up: false,
            readings: VecDeque::new(),
            writes: VecDeque::new(),
            free_at: 0,
            pending: Vec::new(),
            reported_at: 0,
            reports_requested_at: 0,
            silent: false,
            shown: None,
            battery_at: 0,
            lights: None,
        }
    }

    fn message(&mut self, now: Millis, message: &[u8]) {
        match *message {
            [0x01, _, ref squares @ ..] => self.report(now, squares),
            [0x2a, _, charge, flags] => self.battery(charge & 0x7f, charge & 0x80 != 0 || flags == 1),
            [0x41, 3, 0x0c, charging, charge] => self.battery(charge, charging == 1),
            [0x28, _, ref text @ ..] => {
                let text: String = text.iter().map(|&byte| char::from(byte)).filter(char::is_ascii_graphic).collect();
                if !text.is_empty() {
                    self.readings.push_back(Reading::Identity(Identity::Version(text)));
                }
            }
            _ => {}
        }
    }

    fn report(&mut self, now: Millis, payload: &[u8]) {
        let Some(squares) = payload.first_chunk::<32>() else { return };
        self.reported_at = now;
        if std::mem::take(&mut self.silent) {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Recovered));
        }
        if self.shown.as_ref() == Some(squares) {
            return;
        }
        match placement(squares) {
            Ok(placement) => {
                self.shown = Some(*squares);
                self.readings.push_back(Reading::Placement(Box::new(placement)));
            }
            Err(error) => self.readings.push_back(Reading::ProtocolError(ProtocolError::InvalidContent(error))),
        }
    }

    fn battery(&mut self, percent: u8, charging: bool) {
        if percent > 0 {
            let battery = Battery { percent: percent.min(100), charging: Some(charging) };
            self.readings.push_back(Reading::Battery(battery));
        }
    }

    fn skipped(&mut self, count: usize) {
        if count > 0 {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(count)));
        }
    }

    fn request_reports(&mut self, now: Millis) {
        self.reports_requested_at = now;
        self.send(now, REAL_TIME.to_vec());
    }

    fn request_battery(&mut self, now: Millis) {
        self.battery_at = now + BATTERY_INTERVAL;
        self.send(now, self.variant.charge().to_vec());
    }

    /// Switches the lights, or waits until sending is allowed; only the latest pattern counts.
    fn light(&mut self, now: Millis) {
        if now >= self.free_at
            && let Some(command) = self.lights.take()
        {
            self.send(now, command);
        }
    }

    fn send(&mut self, now: Millis, bytes: Vec<u8>) {
        let at = self.free_at.max(now);
        self.free_at = at + WRITE_INTERVAL;
        self.writes.push_back(Write { at, bytes });
    }
}
