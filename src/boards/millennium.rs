//! Millennium's ChessLink family (Exclusive, Performance, eONE, King) and compatible boards. 38400 baud, seven bits, odd parity;
//! here the line has eight bits without parity, and the parity is put into bit 7.
//!
//! # Frames
//!
//! Computer to board: a capital letter, its data, and the exclusive-or of both as two hexadecimal digits. The board ignores
//! commands with a wrong parity or check.
//!
//! | text | name | reply | sent |
//! |---|---|---|---|
//! | S | squares | s | greeting, request, after damage; every 10 s if the board reports by itself, else five times a second |
//! | V | version | v | greeting |
//! | Raa | read setting aa | r | greeting |
//! | Waavv | write vv to setting aa, in an EEPROM | w | once, if the value read is wrong |
//! | L, slot, 81 × 2 digits | lights | l | on request |
//! | X | all lights off | x | greeting, request |
//! | T | reset | | never: the board is away for seconds |
//! | G | squares of boards that do not know their pieces | g | never: *unknown* beyond one other program |
//!
//! Board to computer: the same in lower-case letters. Replies have fixed lengths, which must be known: a letter inside a reply may
//! be that of a piece.
//!
//! | letter | length | data | becomes |
//! |---|---|---|---|
//! | s | 67 | 64 letters as in FEN, or full stops | [`Reading::Placement`], if it has changed |
//! | v | 7 | major and minor, hexadecimal | [`Identity::Version`], [`Identity::Text`] |
//! | r, w | 7 | setting and value | |
//! | l, x | 3 | | |
//!
//! The squares come as h1, g1 … a1, h2 … a8 when the board is placed as usual (cable on the right). The maker calls them A8, B8 …,
//! with the board turned round; [`crate::infer`] detects the orientation. The lights are at the corners, 9 × 9, file by file, each
//! with eight bits for eight moments: 1 is at the corner of the first square, 9 at that of the last square of its file.
//!
//! # Settings
//!
//! Setting 02 must be 03: the board reports on change. The factory setting is 24 reports a second. The setting is read, and written
//! only if it is wrong, because an EEPROM wears out. No other setting is written. If bit 0 of setting 00 is set, replies have no
//! check and cannot be decoded here, so this setting cannot be read, either.
//!
//! # Sources
//!
//! The maker's description of the protocol, its fixtures in a free adapter, and the free programs python-mchess, chesslinkdriver
//! and BearChess.
//!
//! # Unknown
//!
//! * An eONE sends wrong parity, so parity is not checked. A Performance does not answer L, X and W, so nothing waits for these
//!   replies.
//! * Imitations only answer requests. A board that does not report by itself is polled every 0.5 s, and every 0.2 s once a reply
//!   contained a change that it should have reported.
//! * *unknown*: USB ids; the minimum interval between light patterns.

mod frame;

use super::shared::silence_watchdog::SilenceWatchdog;
use super::*;
use frame::{Frames, Item, hex};
use shakmaty::{Piece, Square};
use std::collections::VecDeque;

/// Millennium ChessLink boards.
pub static MODEL: Model = Model {
    name: "millennium",
    title: "Millennium ChessLink",
    sensing: SensorKind::Identity,
    connection: Connection::Serial(SerialSettings { baud: 38_400, control: ControlLines::Asserted }),
    bluetooth: Some(Bluetooth::Rfcomm),
    usb: &[],
    lights: Lights::Corners,
    clock: ClockSupport::None,
    verification: Verification::Frames,
    commands: &[
        // S, V, R02, W0203, L20 and X, with odd parity and a block check of two digits.
        CommandPattern::with_length(&[0xd3], 3),
        CommandPattern::with_length(&[0xd6], 3),
        CommandPattern::with_length(&[0x52, 0xb0, 0x32], 5),
        CommandPattern::with_length(&[0x57, 0xb0, 0x32, 0xb0, 0xb3], 7),
        CommandPattern::with_length(&[0x4c, 0x32, 0xb0], 167),
        CommandPattern::with_length(&[0x58], 3),
    ],
    virtual_board: VirtualBoardKind::Millennium,
    limitations: &[
        "whether a piece was touched without leaving its square",
        "which piece is on which square, on an eONE: that board derives it from the moves",
    ],
    protocol: || Box::new(Millennium::default()),
};

/// Time after which an unanswered request is repeated or aborted, in milliseconds.
const REPLY_TIMEOUT: Millis = 1_000;
/// Time for which a reply that some boards do not send delays the next request, in milliseconds.
const OPTIONAL_REPLY_TIMEOUT: Millis = 200;
/// Time without a byte after which an incomplete reply counts as truncated, in milliseconds.
const BYTE_TIMEOUT: Millis = 200;
/// Interval between requests for the squares, in milliseconds: if the board reports by itself, if that is unknown, and if it does
/// not.
const POLL_INTERVALS: [Millis; 3] = [10_000, 500, 200];
/// The setting that controls when the board reports, and its required value: on change.
const REPORT_SETTING: (u8, u8) = (0x02, 0x03);

/// The commands that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Squares,
    Version,
    Read(u8),
    Write(u8, u8),
    Lights(Vec<Square>),
}

/// Whether a board reports by itself.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ReportingMode {
    Reports,
    #[default]
    Unknown,
    Answers,
}

/// A single ChessLink board on a link.
#[derive(Default)]
struct Millennium {
    up: bool,
    frames: Frames,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    /// The commands to be sent, and the pending one with its time.
    queue: VecDeque<Command>,
    pending: Option<(Command, Millis)>,
    silence_watchdog: SilenceWatchdog,
    reporting_mode: ReportingMode,
    /// Time of the next request for the squares, and of the last byte.
    poll_at: Millis,
    last_received_at: Millis,
    /// Whether the setting has been written since the link came up.
    setting_written: bool,
    shown: Option<Box<Placement>>,
    /// Whether all squares have been requested and must be reported even if unchanged.
    placement_requested: bool,
}

impl Protocol for Millennium {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self =
            Millennium { up: state == LinkState::Up, readings, poll_at: now, last_received_at: now, ..Millennium::default() };
        self.silence_watchdog = SilenceWatchdog::start(now);
        if self.up {
            self.queue =
                [Command::Squares, Command::Version, Command::Read(REPORT_SETTING.0), Command::Lights(Vec::new())].into();
            self.send_next(now);
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.last_received_at = now;
            self.frames.feed(byte);
            while let Some(item) = self.frames.next() {
                match item {
                    Item::Skipped(count) => self.damaged(now, count),
                    Item::Reply(letter, data) => self.reply(now, letter, &data),
                }
            }
        }
        self.send_next(now);
    }

    fn execute(&mut self, now: Millis, _board: Address, command: BoardCommand) -> Result<(), Unsupported> {
        match command {
            BoardCommand::Placement => {
                self.placement_requested = true;
                self.poll_at = self.poll_at.min(now);
            }
            BoardCommand::Lights(squares) => {
                self.queue.retain(|command| !matches!(command, Command::Lights(_)));
                self.queue.push_back(Command::Lights(squares));
            }
            BoardCommand::Clock | BoardCommand::Memory | BoardCommand::ClockText(_) | BoardCommand::Beep => {
                return Err(Unsupported);
            }
        }
        self.send_next(now);
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        self.readings.extend(self.silence_watchdog.check(now));
        if self.frames.is_inside() && now >= self.last_received_at + BYTE_TIMEOUT {
            let count = self.frames.discard();
            self.damaged(now, count);
        }
        if self.pending.as_ref().is_some_and(|(command, at)| now >= at + command.reply_timeout()) {
            self.pending = None;
        }
        self.send_next(now);
    }

    fn poll_reading(&mut self) -> Option<(Address, Reading)> {
        self.readings.pop_front().map(|reading| (Address::ONLY, reading))
    }

    fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    fn next_deadline(&self) -> Option<Millis> {
        if !self.up {
            return None;
        }
        let next_request = self.pending.as_ref().map_or(self.poll_at, |(command, at)| at + command.reply_timeout());
        let stall = self.frames.is_inside().then_some(self.last_received_at + BYTE_TIMEOUT);
        [stall, self.silence_watchdog.deadline()].into_iter().flatten().chain([next_request]).min()
    }
}

impl Command {
    fn text(&self) -> String {
        match self {
            Command::Squares => "S".to_owned(),
            Command::Version => "V".to_owned(),
            Command::Read(setting) => format!("R{setting:02X}"),
            Command::Write(setting, value) => format!("W{setting:02X}{value:02X}"),
            Command::Lights(squares) if squares.is_empty() => "X".to_owned(),
            Command::Lights(squares) => {
                let mut corners = [false; 81];
                for index in squares.iter().map(|square| index_of(*square)) {
                    // File by file, from the corner of the first square.
                    let first = index % 8 * 9 + index / 8;
                    for corner in [first, first + 1, first + 9, first + 10] {
                        corners[corner] = true;
                    }
                }
                let slots: String = corners.iter().map(|lit| if *lit { "FF" } else { "00" }).collect();
                format!("L20{slots}")
            }
        }
    }

    fn reply_timeout(&self) -> Millis {
        match self {
            Command::Squares | Command::Version | Command::Read(_) => REPLY_TIMEOUT,
            Command::Write(..) | Command::Lights(_) => OPTIONAL_REPLY_TIMEOUT,
        }
    }

    /// Whether a reply with this letter answers the command.
    fn is_answered_by(&self, letter: u8) -> bool {
        match self {
            Command::Squares => letter == b's',
            Command::Version => letter == b'v',
            Command::Read(_) => letter == b'r',
            Command::Write(..) => letter == b'w',
            Command::Lights(_) => letter == b'l' || letter == b'x',
        }
    }
}

impl Millennium {
    /// Sends the next command if no reply is pending.
    fn send_next(&mut self, now: Millis) {
        if !self.up || self.pending.is_some() {
            return;
        }
        let command = match self.queue.pop_front() {
            Some(command) => command,
            None if now >= self.poll_at => Command::Squares,
            None => return,
        };
        if command == Command::Squares {
            self.poll_at = now + POLL_INTERVALS[self.reporting_mode as usize];
            self.silence_watchdog.request_sent(now);
        }
        self.writes.push_back(Write { at: now, bytes: frame::command(&command.text()) });
        self.pending = Some((command, now));
    }

    fn damaged(&mut self, now: Millis, count: usize) {
        self.readings.push_back(Reading::ProtocolError(ProtocolError::Garbage(count)));
        // The damaged bytes may have been a report.
        if !self.silence_watchdog.is_silent() {
            self.poll_at = self.poll_at.min(now + REPLY_TIMEOUT / 2);
        }
    }

    fn reply(&mut self, now: Millis, letter: u8, data: &[u8]) {
        self.readings.extend(self.silence_watchdog.reply_received(now));
        let was_requested = self.pending.take_if(|(command, _)| command.is_answered_by(letter)).is_some();
        match letter {
            b's' => self.squares(data, was_requested),
            b'v' => self.version(data),
            b'r' => self.setting(data),
            _ => {}
        }
    }

    fn squares(&mut self, letters: &[u8], was_requested: bool) {
        let mut placement: Placement = [SquareState::Empty; 64];
        for (square, letter) in (0..64).map(square).zip(letters) {
            placement[square as usize] = Piece::from_char(char::from(*letter)).map_or(SquareState::Empty, SquareState::Piece);
        }
        let has_changed = self.shown.as_deref() != Some(&placement);
        self.reporting_mode = match self.reporting_mode {
            _ if !was_requested => ReportingMode::Reports,
            ReportingMode::Unknown if has_changed && self.shown.is_some() => ReportingMode::Answers,
            // A report was lost, or a late reply was mistaken for one.
            ReportingMode::Reports if has_changed => ReportingMode::Unknown,
            mode => mode,
        };
        if std::mem::take(&mut self.placement_requested) || has_changed {
            self.shown = Some(Box::new(placement));
            self.readings.push_back(Reading::Placement(Box::new(placement)));
        }
    }

    fn version(&mut self, digits: &[u8]) {
        let [Some(major), Some(minor)] = [digits.get(..2), digits.get(2..)].map(|digits| digits.and_then(hex)) else { return };
        self.readings.push_back(Reading::Identity(Identity::Version(format!("{major}.{minor:02}"))));
        let model = match major {
            0 => "Exclusive",
            1 => "Performance",
            2 => "eONE",
            _ => return,
        };
        self.readings.push_back(Reading::Identity(Identity::Text(model.to_owned())));
    }

    /// Handles the value of a setting and queues the required value for writing, once.
    fn setting(&mut self, digits: &[u8]) {
        let [Some(setting), Some(value)] = [digits.get(..2), digits.get(2..)].map(|digits| digits.and_then(hex)) else {
            return;
        };
        if setting == REPORT_SETTING.0 && value != REPORT_SETTING.1 && !std::mem::replace(&mut self.setting_written, true) {
            self.queue.push_back(Command::Write(REPORT_SETTING.0, REPORT_SETTING.1));
        }
    }
}

/// Returns the square at this position of a reply, for a board placed as usual. The mapping is its own inverse.
fn square(index: u32) -> Square {
    Square::new(index ^ 7)
}

fn index_of(square: Square) -> usize {
    square as usize ^ 7
}
