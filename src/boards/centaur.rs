//! The board inside a DGT Centaur, on the UART of a Raspberry Pi that replaces its computer. 1 000 000 baud, 8N1. The frames are
//! those of DGT's bus, see [`super::dgt_bus`], with a single board that has an address.
//!
//! # Frames
//!
//! | byte | name | reply | sent |
//! |---|---|---|---|
//! | 4d | wakes it up | *unknown* | greeting |
//! | 4e | said to wake it up, too | | **never**: on every other DGT board it starts the boot loader |
//! | 82 | squares | 83: 64 bytes, 0 empty, a8 first | greeting, request, every 10 s, after damage |
//! | 83 | changes since the last 83 | 85: 40 field lifted, 41 field put down, and more | 20 times a second |
//! | 87 | ping | 87, from which its address is known | greeting, to address 0 |
//! | 94 | keys | b1 | never |
//! | 98 | battery | b5: 0–20 in five bits; 1 in the three above: charging | greeting, every minute |
//! | b0 | lights: 05, speed, repeat, strength, fields; off: 00 | | on request |
//! | b1 | sound | | never |
//! | b2 | sleep | | **never**: it would have to be switched on by hand |
//! | f0 | field strengths | | never |
//!
//! A short command is `byte, address high, address low, checksum`, one with data `byte, length high, length low, address high,
//! address low, data, checksum`, like a reply.
//!
//! A request that is not answered within [`REPLY_TIMEOUT`] is aborted. After one for changes or squares, all squares are requested:
//! *unknown* whether this board can repeat changes. Bytes that belong to no reply are [`ProtocolError::Garbage`] once the board is found.
//!
//! # Sources
//!
//! DGTCentaurMods and Universal-Chess, free programs for that computer.
//!
//! # Unknown
//!
//! * *unknown*: whether the board wakes up without 4e. If it does not, switch it on with its key.
//! * *unknown*: the meaning of speed and repeat of the lights; they are sent as other programs do.

use super::dgt::memory;
use super::dgt_bus::frame::{self, Frames, Item};
use super::shared::silence_watchdog::SilenceWatchdog;
use super::*;
use shakmaty::Square;
use std::collections::VecDeque;

/// DGT Centaur.
pub static MODEL: Model = Model {
    name: "centaur",
    title: "DGT Centaur (internal board)",
    sensing: SensorKind::Occupancy,
    connection: Connection::Serial(SerialSettings { baud: 1_000_000, control: ControlLines::Asserted }),
    bluetooth: None,
    usb: &[],
    lights: Lights::Squares,
    clock: ClockSupport::None,
    verification: Verification::Specification,
    commands: &[
        CommandPattern::exact(&[0x4d]),
        CommandPattern::with_length(&[0x82], 4),
        CommandPattern::with_length(&[0x83], 4),
        CommandPattern::with_length(&[0x87], 4),
        CommandPattern::with_length(&[0x98], 4),
        // No light, or up to 64 of them.
        CommandPattern::with_lengths(&[0xb0], 7, 74),
    ],
    virtual_board: VirtualBoardKind::Centaur,
    limitations: &["whether a piece was touched without leaving its square"],
    protocol: || Box::new(Centaur::default()),
};

/// Time to wait for a reply, in milliseconds.
pub const REPLY_TIMEOUT: Millis = 100;
/// Pause before the line turns round, in milliseconds.
const TURNAROUND_PAUSE: Millis = 2;
/// Interval between pings while the board has not been found, in milliseconds.
const PING_INTERVAL: Millis = 500;
/// Intervals between requests for changes, squares and battery, in milliseconds.
const CHANGES_INTERVAL: Millis = 50;
const SQUARES_INTERVAL: Millis = 10_000;
const BATTERY_INTERVAL: Millis = 60_000;
/// The bytes before the fields to light: a steady light, as other programs send it.
const STEADY: [u8; 4] = [0x05, 0x03, 0x00, 0x05];

/// A request to the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    Ping,
    Squares,
    Changes,
    Battery,
}

/// The board of one Centaur.
#[derive(Default)]
struct Centaur {
    up: bool,
    frames: Frames,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    silence_watchdog: SilenceWatchdog,
    /// `None` if the board has not been found.
    address: Option<Address>,
    pending: Option<(RequestKind, Millis)>,
    free_at: Millis,
    /// Times of the next requests.
    changes_at: Millis,
    squares_at: Millis,
    battery_at: Millis,
    lights: Option<Vec<Square>>,
    shown: Option<Box<Placement>>,
    /// Whether all squares have been requested and must be reported even if unchanged.
    placement_requested: bool,
}

impl Protocol for Centaur {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        // Once the board has answered, switches off what an earlier program left alight.
        let lights = Some(Vec::new());
        *self = Centaur { up: state == LinkState::Up, readings, free_at: now, lights, ..Centaur::default() };
        self.silence_watchdog = SilenceWatchdog::start(now);
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            match self.frames.feed(byte) {
                None => {}
                Some(Item::Damaged(bytes)) => self.damaged(bytes),
                Some(Item::Reply { id, from, data }) => self.reply(now, id, from, &data),
            }
        }
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => (self.placement_requested, self.squares_at) = (true, self.squares_at.min(now)),
            BoardCommand::Lights(squares) => self.lights = Some(squares),
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
        if let Some(silent) = self.silence_watchdog.check(now) {
            self.readings.push_back(silent);
            (self.address, self.shown) = (None, None);
        }
        if let Some((request, _)) = self.pending.take_if(|(_, at)| now >= *at + REPLY_TIMEOUT) {
            let cut_short = self.frames.clear();
            self.damaged(cut_short);
            match request {
                RequestKind::Ping => self.free_at = now + PING_INTERVAL,
                RequestKind::Changes | RequestKind::Squares => self.squares_at = now,
                RequestKind::Battery => {}
            }
        }
        if self.pending.is_none() && now >= self.next_at() {
            self.send_next_request(now);
        }
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        let next_request = self.pending.map_or_else(|| self.next_at(), |(_, at)| at + REPLY_TIMEOUT);
        self.silence_watchdog.deadline().into_iter().chain([next_request]).min().filter(|_| self.up)
    }
}

impl Centaur {
    /// Returns the earliest time for the next request, if none is pending.
    fn next_at(&self) -> Millis {
        let lights = if self.lights.is_some() { 0 } else { Millis::MAX };
        let next = [self.changes_at, self.squares_at, self.battery_at, lights].into_iter().min().unwrap_or(0);
        if self.address.is_some() { next.max(self.free_at) } else { self.free_at }
    }

    /// Handles damaged bytes: they may have contained changes. Before the board is found they may belong to a reply to an earlier
    /// program.
    fn damaged(&mut self, bytes: usize) {
        if bytes > 0 && self.address.is_some() {
            self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(bytes)));
        }
    }

    fn send_next_request(&mut self, now: Millis) {
        let mut send = |bytes: Vec<u8>| self.writes.push_back(Write { at: now, bytes });
        let Some(address) = self.address else {
            send(vec![0x4d]);
            send(frame::command(0x87, Address(0)));
            self.pending = Some((RequestKind::Ping, now));
            return self.silence_watchdog.request_sent(now);
        };
        if let Some(squares) = self.lights.take() {
            let fields = squares.iter().map(|square| square.flip_vertical() as u8);
            let data: Vec<u8> = if squares.is_empty() { vec![0] } else { STEADY.into_iter().chain(fields).collect() };
            send(frame::command_with(0xb0, address, &data));
            self.free_at = now + TURNAROUND_PAUSE;
            return;
        }
        let (request, command) = match now {
            _ if self.squares_at <= now => (RequestKind::Squares, 0x82),
            _ if self.battery_at <= now => (RequestKind::Battery, 0x98),
            _ => (RequestKind::Changes, 0x83),
        };
        send(frame::command(command, address));
        self.pending = Some((request, now));
        if request == RequestKind::Battery {
            self.battery_at = now + BATTERY_INTERVAL;
        } else {
            self.silence_watchdog.request_sent(now);
        }
    }

    fn reply(&mut self, now: Millis, id: u8, from: Address, data: &[u8]) {
        if id == 0x87 && self.address.is_none() {
            self.address = Some(from);
            (self.squares_at, self.battery_at) = (now, now + CHANGES_INTERVAL);
        }
        let answered_request = match id {
            0x83 => RequestKind::Squares,
            0x85 => RequestKind::Changes,
            0x87 => RequestKind::Ping,
            0xb5 => RequestKind::Battery,
            _ => return,
        };
        self.readings.extend(self.silence_watchdog.reply_received(now));
        if self.pending.take_if(|(request, _)| *request == answered_request).is_some() {
            self.free_at = now + TURNAROUND_PAUSE;
        }
        match answered_request {
            RequestKind::Squares => {
                self.squares_at = now + SQUARES_INTERVAL;
                self.squares(data);
            }
            RequestKind::Changes => {
                self.changes_at = now + CHANGES_INTERVAL;
                self.changes(data);
            }
            RequestKind::Battery => {
                if let Some(state) = data.first().filter(|state| *state & 0x1f <= 20) {
                    let battery = Battery { percent: (state & 0x1f) * 5, charging: Some(state >> 5 == 1) };
                    self.readings.push_back(Reading::Battery(battery));
                }
            }
            RequestKind::Ping => {}
        }
    }

    fn squares(&mut self, fields: &[u8]) {
        let mut placement: Placement = [SquareState::Empty; 64];
        for (field, state) in (0..64).zip(fields) {
            if *state != 0 {
                // a8 comes first.
                placement[field ^ 56] = SquareState::Occupied;
            }
        }
        if std::mem::take(&mut self.placement_requested) || self.shown.as_deref() != Some(&placement) {
            self.shown = Some(Box::new(placement));
            self.readings.push_back(Reading::Placement(Box::new(placement)));
        }
    }

    fn changes(&mut self, data: &[u8]) {
        for entry in memory::read(data) {
            if let MemoryEntry::Square { square, sensed, .. } = entry {
                let sensed = sensed.reduce_to(SensorKind::Occupancy);
                if let Some(shown) = &mut self.shown {
                    shown[square as usize] = sensed;
                    self.readings.push_back(Reading::Square(square, sensed));
                }
            }
        }
    }
}
