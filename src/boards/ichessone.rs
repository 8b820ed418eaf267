//! iChessOne over USB serial. 115200 baud, 8N1; or over Bluetooth Low Energy, Nordic UART service, with the same bytes.
//!
//! # Frames
//!
//! Computer to board: ASCII without a terminator.
//!
//! | text | effect or reply | sent |
//! |---|---|---|
//! | CPIRQ | =p whenever something changes | greeting, link test |
//! | CPMn | =p every n milliseconds | never: CPIRQ reports changes sooner |
//! | RP | =p | greeting, request, link test, after damage |
//! | RH | =h | greeting |
//! | RB | =b | greeting, every 10 minutes |
//! | `EL`, 80, 0f, row, eight rows from 8 to 1, row, 01, ff | lights: bit 0 of each row is the a-file; the outer rows are those of the edge | on request |
//!
//! Board to computer: `=`, a letter, data. There is no checksum.
//!
//! | letters | data | becomes |
//! |---|---|---|
//! | `=p` | 32 bytes, two squares each, the first in the high half: a8, b8 … h1 | [`Reading::Placement`], if it has changed |
//! | `=b` | 1: charging, 0: not; per cent | [`Reading::Battery`] |
//! | `=h` | text | [`Identity::Text`] |
//!
//! Squares: 0 empty, 1–6 white pawn, knight, bishop, rook, queen, king; 7–c the same in black. A message with any other code is
//! skipped. A placement that changes more than four squares may be the result of a truncated message: it is requested again, and
//! passed on when a second one confirms it, or when none arrives.
//!
//! # Sources
//!
//! The parser of picochess with its test frames, and BearChess for the serial line.
//!
//! # Unknown
//!
//! * *unknown*: USB ids; the end of the text of =h. It is read as long as printable characters follow.
//! * *unknown*: the meaning of the lights command beyond the one frame that is known: colour, mode and edge are sent as in that
//!   frame.

mod frame;

use super::shared::silence_watchdog::SilenceWatchdog;
use super::*;
use frame::{Frames, Item};
use shakmaty::Square;
use std::collections::VecDeque;

/// iChessOne.
pub static MODEL: Model = Model {
    name: "ichessone",
    title: "iChessOne",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 115_200, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Gatt(&bluetooth::NORDIC_UART)),
    usb: &[],
    lights: Lights::Coloured,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[
        CommandPattern::exact(b"CPIRQ"),
        CommandPattern::exact(b"RP"),
        CommandPattern::exact(b"RH"),
        CommandPattern::exact(b"RB"),
        CommandPattern::with_length(b"EL\x80\x0f\0", 16),
    ],
    virtual_board: VirtualBoardKind::IChessOne,
    limitations: &["whether a piece was touched without leaving its square"],
    protocol: || Box::new(IChessOne::default()),
};

/// Time without a byte after which the link is tested, in milliseconds.
const LINK_TEST_AFTER: Millis = 10_000;
/// Time after which an unanswered request is repeated, in milliseconds.
const REPLY_TIMEOUT: Millis = 1_000;
/// Time without a byte after which an incomplete message counts as truncated, in milliseconds.
const BYTE_TIMEOUT: Millis = 100;
/// Minimum interval between two commands, in milliseconds.
const COMMAND_INTERVAL: Millis = 50;
/// Interval between requests for the state of the battery, in milliseconds.
const BATTERY_INTERVAL: Millis = 600_000;
/// Maximum number of changed squares in a placement that needs no confirmation: castling changes the most squares of all moves.
const MAX_PLAUSIBLE_CHANGES: usize = 4;

/// A single iChessOne board on a link.
#[derive(Default)]
struct IChessOne {
    up: bool,
    frames: Frames,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    free_at: Millis,
    last_received_at: Millis,
    silence_watchdog: SilenceWatchdog,
    /// Time of the next request for the squares.
    request_at: Millis,
    battery_at: Millis,
    shown: Option<Box<Placement>>,
    /// A placement with too many changes, until another one confirms it or this time has passed.
    unconfirmed: Option<(Box<Placement>, Millis)>,
    /// Whether all squares have been requested and must be reported even if unchanged.
    placement_requested: bool,
}

impl Protocol for IChessOne {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self = IChessOne { up: state == LinkState::Up, readings, free_at: now, last_received_at: now, ..IChessOne::default() };
        self.silence_watchdog = SilenceWatchdog::start(now);
        if self.up {
            self.request_squares(now);
            self.send(now, b"RH");
            self.send(now, b"RB");
            self.battery_at = now + BATTERY_INTERVAL;
            // Switches off what an earlier program left alight.
            self.light(now, &[]);
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.last_received_at = now;
            self.frames.feed(byte);
            self.process_items(now);
        }
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                self.placement_requested = true;
                self.request_at = self.request_at.min(now);
            }
            BoardCommand::Lights(squares) if self.up => self.light(now, &squares),
            BoardCommand::Lights(_) => {}
            BoardCommand::Clock | BoardCommand::Memory | BoardCommand::ClockText(_) | BoardCommand::Beep => {
                return Err(Unsupported);
            }
        }
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        self.readings.extend(self.silence_watchdog.check(now));
        if self.frames.is_inside() && now >= self.last_received_at + BYTE_TIMEOUT {
            self.frames.end();
            self.process_items(now);
        }
        if let Some((placement, _)) = self.unconfirmed.take_if(|(_, until)| *until <= now) {
            self.pass_on(placement);
        }
        if now >= self.request_at {
            self.request_squares(now);
        }
        if now >= self.battery_at {
            self.battery_at = now + BATTERY_INTERVAL;
            self.send(now, b"RB");
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        let stall = self.frames.is_inside().then_some(self.last_received_at + BYTE_TIMEOUT);
        let doubt = self.unconfirmed.as_ref().map(|(_, until)| *until);
        let deadlines = [stall, doubt, self.silence_watchdog.deadline()].into_iter().flatten();
        deadlines.chain([self.request_at, self.battery_at]).min().filter(|_| self.up)
    }
}

impl IChessOne {
    fn send(&mut self, now: Millis, bytes: &[u8]) {
        let at = self.free_at.max(now);
        self.free_at = at + COMMAND_INTERVAL;
        self.writes.push_back(Write { at, bytes: bytes.to_vec() });
    }

    fn light(&mut self, now: Millis, squares: &[Square]) {
        let mut rows = [0u8; 8];
        for square in squares {
            if let Some(row) = rows.get_mut(7 - square.rank() as usize) {
                *row |= 1 << square.file() as u32;
            }
        }
        self.send(now, &[&b"EL\x80\x0f\0"[..], &rows, &[0, 1, 0xff]].concat());
    }

    /// Requests reports of changes and the current placement.
    fn request_squares(&mut self, now: Millis) {
        self.send(now, b"CPIRQ");
        self.send(now, b"RP");
        self.request_at = self.free_at + REPLY_TIMEOUT;
        self.silence_watchdog.request_sent(now);
    }

    /// Processes all complete items.
    fn process_items(&mut self, now: Millis) {
        while let Some(item) = self.frames.next() {
            match item {
                Item::Skipped(count) => {
                    self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(count)));
                    if !self.silence_watchdog.is_silent() {
                        self.request_at = self.request_at.min(now + REPLY_TIMEOUT / 2);
                    }
                    continue;
                }
                Item::Squares(placement) => self.squares(now, placement),
                Item::Battery(battery) => self.readings.push_back(Reading::Battery(battery)),
                Item::Text(text) => self.readings.push_back(Reading::Identity(Identity::Text(text))),
            }
            self.readings.extend(self.silence_watchdog.reply_received(now));
        }
    }

    fn squares(&mut self, now: Millis, placement: Box<Placement>) {
        self.request_at = now + LINK_TEST_AFTER;
        let changed = self.shown.as_ref().map(|shown| shown.iter().zip(&*placement).filter(|(old, new)| old != new).count());
        let is_second = self.unconfirmed.take().is_some_and(|(doubted, _)| doubted == placement);
        match changed {
            Some(MAX_PLAUSIBLE_CHANGES..) if changed != Some(MAX_PLAUSIBLE_CHANGES) && !is_second => {
                self.send(now, b"RP");
                self.unconfirmed = Some((placement, now + REPLY_TIMEOUT));
            }
            Some(0) if !self.placement_requested => {}
            _ => self.pass_on(placement),
        }
    }

    fn pass_on(&mut self, placement: Box<Placement>) {
        self.placement_requested = false;
        self.shown = Some(placement.clone());
        self.readings.push_back(Reading::Placement(placement));
    }
}
