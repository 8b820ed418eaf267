//! DGT e-Boards, single-board protocol: serial, USB and Bluetooth (classic, RFCOMM; also Revelation II).
//! 9600 baud, 8N1, no flow control.
//!
//! # Frames
//!
//! Computer to board: single bytes. The input buffer of the board holds 10 of them.
//!
//! | byte | name | effect or reply | sent |
//! |---|---|---|---|
//! | 40 | reset | enters idle mode; leaves bus mode, in which boards power up, for single-board mode; no reply | greeting |
//! | 41 | clock | one 8d | on request, to confirm a clock message: 4b reports each change once |
//! | 42 | board | one 86 | greeting, request, link test, after damage |
//! | 43, 44 | update | 8e on change, and 8d every second, or none | never: 4b is better |
//! | 45 | serial number | 91 | greeting; repeated up to twice until it is answered |
//! | 46 | bus address | 90 | never |
//! | 47 | trademark | 92 | never |
//! | 49 | memory | 8f, takes about 8 s | request |
//! | 4a | bus mode | | never |
//! | 4b | update nice | 8e on change, 8d when the clock shows something new | greeting, link test |
//! | 4c | battery | a0, Bluetooth boards only | greeting; repeated if it was answered |
//! | 4d | version | 93 | greeting |
//! | 4e | boot loader | | **never** |
//! | 50–54 | draughts | 51, 53 and 54 write the EEPROM | **never** |
//! | 55 | long serial number | a2, newer boards only | greeting |
//!
//! Board to computer: `id, length high 7 bits, length low 7 bits, payload`. The length includes these three bytes. Only the id has
//! bit 7 set, so a byte with bit 7 set always begins a message, whatever was being received.
//!
//! | id | name | length | payload | becomes |
//! |---|---|---|---|---|
//! | 86 | board dump | 67 | 64 piece codes, fields 0–63 | [`Reading::Placement`] |
//! | 8d | clock | 10 | times or acknowledgement, see `dgt/clock.rs` | [`Reading::Clock`] or nothing |
//! | 8e | field update | 5 | field, piece code | [`Reading::Square`] |
//! | 8f | memory | ≤ 7939 | the EEPROM's ring of changes and clock times, 7936 bytes, see `dgt/memory.rs` | [`Reading::Memory`] |
//! | 90 | bus address | 5 | 14 bits, high 7 first | [`Identity::Text`] |
//! | 91 | serial number | 8 or 12 | 5 digits; boards of 1998 add a space and a version | [`Identity::SerialNumber`] |
//! | 92 | trademark | any | text | [`Identity::Text`] |
//! | 93 | version | 5 | major, minor | [`Identity::Version`] |
//! | a0 | battery | 12 (one header file says 10) | percent, 7 bytes of times, status: bit 0 charging, bit 1 discharging | [`Reading::Battery`] |
//! | a2 | long serial number | 13 | 10 digits | [`Identity::Text`]: only some boards have one, all have the other |
//!
//! Field 0 is a8, 1 is b8, … 63 is h1 when the connector is on White's left; the board never numbers them otherwise. Piece codes:
//! 00 empty; 01–06 white pawn, rook, knight, bishop, king, queen; 07–0c the same in black; 0d–0f the special pieces for draw, white
//! win and black win. The special pieces are not chess pieces: a square with one reads as empty. Any other code is
//! [`ProtocolError::InvalidContent`], and its whole message is discarded.
//!
//! # Sources
//!
//! The maker's public header file (versions of 1998 and 2015), the behaviour of the free drivers dgtnix, picochess and dgtdriver,
//! and recorded streams of real boards with a clock. Where the header and the streams differ (which bit of the clock's status means
//! left), the streams are right.
//!
//! # Unknown
//!
//! * *unknown*: whether the command that takes a board out of bus mode is also executed; therefore the reset is sent before all
//!   other commands.
//! * *unknown*: the pause that old boards need between two commands. The first greeting uses short pauses, so that after a restart
//!   in mid-game the board is read soon; every later one uses the 100 ms that other drivers use.
//! * *unknown*: whether a board that is sending its memory reports changes at once, after the memory, or only in its next memory.
//!   All three are handled.
//! * *unknown*: whether a clock that is switched off and on reports this other than by its times.
//!
//! Clock texts ([`BoardCommand::ClockText`]) are not supported: what a clock understands depends on its model and mode, and its
//! acknowledgements often fail on serial boards. These boards have no lights.
//!
//! # Silence
//!
//! A board sends nothing while nothing moves and no clock runs. After [`LINK_TEST_AFTER`] without a byte the link is tested:
//! the update mode is set again and a dump is requested. The dump also repairs what was lost, and a board that lost power in
//! between reports updates again. A request that is not answered within [`REPLY_TIMEOUT`] is repeated, without limit.
//! [`SILENCE_TIMEOUT`] after the first unanswered request, [`ProtocolError::Silent`] is reported once, and
//! [`ProtocolError::Recovered`] when a byte arrives again. [`ProtocolError::ChangesDelayed`] precedes three or more messages
//! that were read at once, if at least two of them are updates, and a dump that shows a change that no update reported.
//!
//! While the memory is being sent, which takes 8 s, no dump is requested and no reply is overdue. If the memory stalls for
//! [`REPLY_TIMEOUT`], it is requested a second time; if that stalls, too, the part that arrived is used.
//!
//! Any damage to the stream may have destroyed an update, so a dump is requested after each: one at a time, and not within
//! [`MIN_REPAIR_INTERVAL`] of the last request. The protocol has no checksums, not even for a dump. Therefore a dump that
//! differs from the state known from the previous dump and the updates is passed on only when a second dump confirms it, or
//! when none arrives.

pub(super) mod clock;
pub(crate) mod codes;
mod commands;
pub(super) mod decoder;
mod known_squares;
pub(super) mod memory;
pub(super) mod message;
mod requests;

use super::*;
use commands::{COMMAND_PAUSE, Command, CommandQueue, FIRST_GREETING_PAUSE};
use decoder::{Decoder, Item};
use known_squares::KnownSquares;
use requests::{DumpRequest, MEMORY_ATTEMPTS, MemoryDownload, SERIAL_NUMBER_RETRY};
use std::collections::VecDeque;

/// DGT e-Board over serial, USB or Bluetooth.
pub static MODEL: Model = Model {
    name: "dgt",
    title: "DGT e-Board",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 9600, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Rfcomm),
    usb: &[UsbId::board(0x045b, 0x8111), UsbId::adapter(0x04d8, 0x000a), UsbId::adapter(0x0403, 0x6001)],
    lights: Lights::None,
    clock: ClockSupport::Connected,
    verification: Verification::Capture,
    commands: &[
        CommandPattern::exact(&[0x40]),
        CommandPattern::exact(&[0x41]),
        CommandPattern::exact(&[0x42]),
        CommandPattern::exact(&[0x45]),
        CommandPattern::exact(&[0x49]),
        CommandPattern::exact(&[0x4b]),
        CommandPattern::exact(&[0x4c]),
        CommandPattern::exact(&[0x4d]),
        CommandPattern::exact(&[0x55]),
    ],
    virtual_board: VirtualBoardKind::Dgt,
    limitations: &["whether a piece was touched without leaving its square", "which hand moved a piece"],
    protocol: || Box::new(Dgt::default()),
};

/// Time without a byte after which the link is tested, in milliseconds.
pub const LINK_TEST_AFTER: Millis = 10_000;
/// Time after which an unanswered request is repeated, in milliseconds.
pub const REPLY_TIMEOUT: Millis = 2_000;
/// Time without a byte after the first unanswered request until the board counts as silent, in milliseconds.
pub const SILENCE_TIMEOUT: Millis = 5_000;
/// Maximum pause between the bytes of a message, in milliseconds; after it the message counts as truncated.
pub const BYTE_TIMEOUT: Millis = 500;
/// Minimum interval between two dumps requested because of damage, in milliseconds.
pub const MIN_REPAIR_INTERVAL: Millis = 500;
/// Number of updates and clock messages in one chunk, with at least two updates, from which on they count as delayed. An update
/// takes 5 ms, and of two moves one piece may have been lifted earlier.
const DELAYED_MESSAGES: usize = 3;
/// Interval between requests for the state of the battery, on boards that have one, in milliseconds.
const BATTERY_INTERVAL: Millis = 600_000;

/// A single DGT board on a link.
#[derive(Default)]
struct Dgt {
    up: bool,
    decoder: Decoder,
    readings: VecDeque<Reading>,
    commands: CommandQueue,
    /// Time of the last byte, or of the link coming up.
    last_received_at: Millis,
    /// Whether a dump has arrived since the link came up; the greeting is repeated until then.
    has_dump: bool,
    /// Time of the first request since the last byte.
    unanswered_since: Option<Millis>,
    /// Whether [`ProtocolError::Silent`] has been reported.
    silent: bool,
    dump: DumpRequest,
    squares: KnownSquares,
    /// Time of the last request for a dump.
    dump_requested_at: Option<Millis>,
    /// Time of the next request for the battery; `None` if the board never answered one.
    battery_at: Option<Millis>,
    /// Time of the next request for the serial number, and the number of requests left; `None` if the number is known.
    serial_number_retry: Option<(Millis, u32)>,
    /// The download of the memory that is in progress.
    download: Option<MemoryDownload>,
}

impl Protocol for Dgt {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self = Dgt {
            up: state == LinkState::Up,
            readings,
            commands: CommandQueue::new(now),
            last_received_at: now,
            ..Dgt::default()
        };
        if self.up {
            self.serial_number_retry = Some((now + SERIAL_NUMBER_RETRY.0, SERIAL_NUMBER_RETRY.1));
            self.greet(now, FIRST_GREETING_PAUSE);
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        if chunk.is_empty() {
            return;
        }
        if std::mem::take(&mut self.silent) {
            // The board may have lost power, and play may have continued meanwhile.
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Recovered));
            self.test_link(now);
        }
        self.unanswered_since = None;
        self.last_received_at = now;
        if let Some((id, payload)) = self.decoder.decode_single(chunk) {
            self.handle_message(now, id, message::read(id, payload));
        } else {
            // A single message is never late.
            if self.is_late(chunk) {
                self.readings.push_back(Reading::ProtocolError(ProtocolError::ChangesDelayed));
            }
            for &byte in chunk {
                match self.decoder.feed(byte) {
                    None => {}
                    Some(Item::Skipped(count)) => {
                        self.schedule_dump(now);
                        self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(count)));
                    }
                    Some(Item::Message(id, payload)) => {
                        let reading = message::read(id, payload);
                        self.handle_message(now, id, reading);
                    }
                }
            }
        }
        if self.is_idle(now) {
            return; // Nearly always.
        }
        let bytes = self.decoder.memory();
        if let Some(download) = self.download.as_mut().filter(|download| download.bytes != bytes) {
            (download.bytes, download.progress_at) = (bytes, now);
        }
        if self.up && self.battery_at.is_some_and(|at| at <= now) {
            self.battery_at = Some(now + BATTERY_INTERVAL);
            self.send(now, Command::Battery);
        }
        self.retry_serial_number(now);
        if self.busy_until().is_none() {
            self.accept_early_dump(now);
        }
        self.request_scheduled_dump(now);
        // What waited for the end of this message, such as an overdue reply, is due at once.
        self.timeout(now);
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                // Without a link nothing can be requested; the greeting will do it.
                if self.up && matches!(self.dump, DumpRequest::Idle) {
                    self.dump = DumpRequest::Scheduled(now);
                    self.request_scheduled_dump(now);
                }
                Ok(())
            }
            // Nothing is requested while the memory is being sent.
            BoardCommand::Clock => {
                if self.up && self.download.is_none() {
                    self.send(now, Command::Clock);
                }
                Ok(())
            }
            BoardCommand::Memory => {
                if !self.up {
                    self.readings.push_back(Reading::Memory(Vec::new()));
                } else if self.download.is_none() {
                    self.request_memory(now, 1);
                }
                Ok(())
            }
            BoardCommand::Lights(_) | BoardCommand::ClockText(_) | BoardCommand::Beep => Err(Unsupported),
        }
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up || self.next_deadline().is_none_or(|at| now < at) {
            return;
        }
        if let Some(since) = self.unanswered_since
            && !self.silent
            && now >= since + SILENCE_TIMEOUT
        {
            self.silent = true;
            let silent_ms = u32::try_from(now.saturating_sub(self.last_received_at)).unwrap_or(u32::MAX);
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Silent(silent_ms)));
        }
        if self.busy_until().is_some_and(|until| now < until) {
            return;
        }
        let memory = self.decoder.take_memory();
        match self.download.take() {
            Some(MemoryDownload { tries, is_foreign, .. }) if tries < MEMORY_ATTEMPTS || is_foreign => {
                return self.request_memory(now, if is_foreign { tries } else { tries + 1 });
            }
            Some(_) => self.readings.push_back(Reading::Memory(memory::read(&memory))),
            None if !memory.is_empty() => self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(memory.len()))),
            None => {}
        }
        if self.decoder.is_inside() {
            if let Some(count) = self.decoder.take_skipped() {
                self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(count)));
            }
            self.schedule_dump(now);
        }
        self.accept_early_dump(now);
        match self.dump {
            DumpRequest::Requested(at) if now < at + REPLY_TIMEOUT => {}
            DumpRequest::Requested(_) if !self.has_dump => self.greet(now, COMMAND_PAUSE),
            DumpRequest::Requested(_) if self.squares.unconfirmed.is_some() => {
                if let Some(placement) = self.squares.unconfirmed.take() {
                    self.accept_dump(&placement);
                    self.readings.push_back(Reading::Placement(placement));
                }
                self.test_link(now);
            }
            DumpRequest::Requested(_) => self.test_link(now),
            DumpRequest::Scheduled(_) => self.request_scheduled_dump(now),
            DumpRequest::Idle if now >= self.last_received_at + LINK_TEST_AFTER => self.test_link(now),
            DumpRequest::Idle => {}
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.commands.pop()
    }

    fn next_deadline(&self) -> Option<Millis> {
        if !self.up {
            return None;
        }
        let next_request = match self.dump {
            DumpRequest::Requested(at) => at + REPLY_TIMEOUT,
            DumpRequest::Scheduled(at) => at,
            DumpRequest::Idle => self.last_received_at + LINK_TEST_AFTER,
        };
        let next_request = self.early_until().map_or(next_request, |early| next_request.min(early));
        let next_request = match self.busy_until() {
            Some(until) if matches!(self.dump, DumpRequest::Idle) => until,
            Some(until) => next_request.max(until),
            None => next_request,
        };
        let silent = self.unanswered_since.filter(|_| !self.silent).map(|since| since + SILENCE_TIMEOUT);
        Some(silent.map_or(next_request, |silent| next_request.min(silent)))
    }
}

impl Dgt {
    /// Handles the reading decoded from a message.
    fn handle_message(&mut self, now: Millis, id: u8, reading: Option<Reading>) {
        let Some(reading) = reading else { return };
        match &reading {
            Reading::Placement(placement) => {
                if !self.has_dump && self.dump_requested_at.is_some_and(|at| now < at) {
                    // This dump answers a request of the program that used the line before, and may be old.
                    self.squares.unconfirmed = Some(placement.clone());
                    return;
                }
                (self.has_dump, self.dump) = (true, DumpRequest::Idle);
                if !self.squares.is_credible(placement) {
                    let again = self.squares.unconfirmed.replace(placement.clone()).is_some();
                    self.dump = DumpRequest::Scheduled(if again { now + MIN_REPAIR_INTERVAL } else { now });
                    return;
                }
                self.accept_dump(placement);
                self.squares.unconfirmed = None;
            }
            Reading::Square(square, sensed) => self.squares.update(*square, *sensed),
            Reading::Battery(_) => self.battery_at = Some(now + BATTERY_INTERVAL),
            Reading::Identity(Identity::SerialNumber(_)) => self.serial_number_retry = None,
            Reading::Memory(_) => {
                if let Some(MemoryDownload { tries, is_foreign: true, .. }) = self.download.take() {
                    return self.request_memory(now, tries);
                }
            }
            // The damaged message may have been an update. A damaged clock message was not.
            Reading::ProtocolError(_) if id != clock::ID => self.schedule_dump(now),
            _ => {}
        }
        self.readings.push_back(reading);
    }

    /// Accepts a dump as the state of the squares. Reports [`ProtocolError::ChangesDelayed`] if it shows a change that no update
    /// reported: it happened some time ago.
    fn accept_dump(&mut self, placement: &Placement) {
        if self.squares.shown.as_deref().is_some_and(|shown| shown != placement) {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::ChangesDelayed));
        }
        self.squares.shown = Some(Box::new(*placement));
    }

    /// Whether a chunk contains enough updates and clock messages to show that they were buffered before they were read. Messages
    /// that arrive during a download of the memory are always delayed by it and do not count.
    fn is_late(&self, chunk: &[u8]) -> bool {
        let count = |id: u8| chunk.iter().filter(|byte| **byte == id).count();
        let (updates, clock) = (count(message::UPDATE), count(clock::ID));
        self.download.is_none() && updates >= 2 && updates + clock >= DELAYED_MESSAGES
    }
}
