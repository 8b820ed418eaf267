//! iChessOne over USB serial. 115200 baud, 8N1. (Its radio, which uses the same protocol, is not supported.)
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
const QUIET: Millis = 10_000;
/// Time after which an unanswered request is repeated, in milliseconds.
const ANSWER: Millis = 1_000;
/// Time without a byte after which an incomplete message counts as truncated, in milliseconds.
const STALL: Millis = 100;
/// Minimum interval between two commands, in milliseconds.
const PACE: Millis = 50;
/// Interval between requests for the state of the battery, in milliseconds.
const BATTERY: Millis = 600_000;
/// Maximum number of changed squares in a placement that needs no confirmation: castling changes the most squares of all moves.
const PLAUSIBLE: usize = 4;

/// A single iChessOne board on a link.
#[derive(Default)]
struct IChessOne {
    up: bool,
    frames: Frames,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    free_at: Millis,
    heard_at: Millis,
    vigil: SilenceWatchdog,
    /// Time of the next request for the squares.
    ask_at: Millis,
    battery_at: Millis,
    shown: Option<Box<Placement>>,
    /// A placement with too many changes, until another one confirms it or this time has passed.
    doubted: Option<(Box<Placement>, Millis)>,
    /// Whether all squares have been requested and must be reported even if unchanged.
    wanted: bool,
}

impl Protocol for IChessOne {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self = IChessOne { up: state == LinkState::Up, readings, free_at: now, heard_at: now, ..IChessOne::default() };
        self.vigil = SilenceWatchdog::begin(now);
        if self.up {
            self.request_squares(now);
            self.send(now, b"RH");
            self.send(now, b"RB");
            self.battery_at = now + BATTERY;
            // Switches off what an earlier program left alight.
            self.light(now, &[]);
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.heard_at = now;
            self.frames.feed(byte);
            self.take(now);
        }
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                self.wanted = true;
                self.ask_at = self.ask_at.min(now);
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
        self.readings.extend(self.vigil.check(now));
        if self.frames.is_inside() && now >= self.heard_at + STALL {
            self.frames.end();
            self.take(now);
        }
        if let Some((placement, _)) = self.doubted.take_if(|(_, until)| *until <= now) {
            self.pass_on(placement);
        }
        if now >= self.ask_at {
            self.request_squares(now);
        }
        if now >= self.battery_at {
            self.battery_at = now + BATTERY;
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
        let stall = self.frames.is_inside().then_some(self.heard_at + STALL);
        let doubt = self.doubted.as_ref().map(|(_, until)| *until);
        let deadlines = [stall, doubt, self.vigil.deadline()].into_iter().flatten();
        deadlines.chain([self.ask_at, self.battery_at]).min().filter(|_| self.up)
    }
}

impl IChessOne {
    fn send(&mut self, now: Millis, bytes: &[u8]) {
        let at = self.free_at.max(now);
        self.free_at = at + PACE;
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
        self.ask_at = self.free_at + ANSWER;
        self.vigil.asked(now);
    }

    /// Processes all complete items.
    fn take(&mut self, now: Millis) {
        while let Some(item) = self.frames.next() {
            match item {
                Item::Skipped(count) => {
                    self.readings.push_back(Reading::Trouble(ProtocolError::Garbage(count)));
                    if !self.vigil.is_silent() {
                        self.ask_at = self.ask_at.min(now + ANSWER / 2);
                    }
                    continue;
                }
                Item::Squares(placement) => self.squares(now, placement),
                Item::Battery(battery) => self.readings.push_back(Reading::Battery(battery)),
                Item::Text(text) => self.readings.push_back(Reading::Identity(Identity::Text(text))),
            }
            self.readings.extend(self.vigil.heard(now));
        }
    }

    fn squares(&mut self, now: Millis, placement: Box<Placement>) {
        self.ask_at = now + QUIET;
        let changed = self.shown.as_ref().map(|shown| shown.iter().zip(&*placement).filter(|(old, new)| old != new).count());
        let is_second = self.doubted.take().is_some_and(|(doubted, _)| doubted == placement);
        match changed {
            Some(PLAUSIBLE..) if changed != Some(PLAUSIBLE) && !is_second => {
                self.send(now, b"RP");
                self.doubted = Some((placement, now + ANSWER));
            }
            Some(0) if !self.wanted => {}
            _ => self.pass_on(placement),
        }
    }

    fn pass_on(&mut self, placement: Box<Placement>) {
        self.wanted = false;
        self.shown = Some(placement.clone());
        self.readings.push_back(Reading::Placement(placement));
    }
}
