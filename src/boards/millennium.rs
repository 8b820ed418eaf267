//! Millennium's ChessLink family (Exclusive, Performance, eONE, King), and what speaks its language. 38400 baud, seven bits, odd
//! parity, which is put into bit 7 here, on a line with eight bits and none.
//!
//! # Frames
//!
//! Computer to board: a capital, its data, and the exclusive-or of all that as two hexadecimal digits. What is wrong in parity or
//! check is ignored by the board.
//!
//! | text | name | answer | sent |
//! |---|---|---|---|
//! | S | squares | s | greeting, request, after damage; every 10 s where the board reports by itself, else five times a second |
//! | V | version | v | greeting |
//! | Raa | read setting aa | r | greeting |
//! | Waavv | write vv to setting aa, in an EEPROM | w | once, if what was read is not what is needed |
//! | L, slot, 81 × 2 digits | lights | l | on request |
//! | X | all lights off | x | greeting, request |
//! | T | reset | | never: the board is away for seconds |
//! | G | squares of boards that do not know their pieces | g | never: *unknown* beyond one other program |
//!
//! Board to computer: the same in small letters. Their lengths are fixed, and must be known: a letter in a reply may be that of a
//! piece.
//!
//! | letter | length | data | becomes |
//! |---|---|---|---|
//! | s | 67 | 64 letters as in FEN, or full stops | [`Reading::Placement`], if it is news |
//! | v | 7 | major and minor, hexadecimal | [`Identity::Version`], [`Identity::Text`] |
//! | r, w | 7 | setting and value | |
//! | l, x | 3 | | |
//!
//! The squares come as h1, g1 … a1, h2 … a8 when the board stands as usual (cable on the right). They are A8, B8 … in the makers'
//! words, in which the board is turned round; that is for [`crate::infer`] to find. The lights are on the corners, 9 × 9, file by
//! file, each with eight bits for eight moments: 1 is at the corner of the first square, 9 at that of the last square of its file.
//!
//! # Settings
//!
//! 02 must be 03: the board reports when something changed. As it comes from the maker it reports 24 times a second. It is read, and
//! written only if it is wrong, because an EEPROM wears out. Nothing else is written: where bit 0
//! of setting 00 is set, replies have no check and are not understood here, and so that cannot be read, either.
//!
//! # Where this comes from
//!
//! The makers' description of the protocol, its fixtures in a free adapter, and the free programs python-mchess, chesslinkdriver
//! and BearChess.
//!
//! # Unknown
//!
//! * An eONE sends wrong parity: it is not looked at. A Performance does not answer L, X and W: nothing waits for that.
//! * Imitations answer questions only. A board that says nothing by itself is asked every 0.5 s; once it answered something that
//!   it should have reported, it is asked every 0.2 s.
//! * *unknown*: USB ids; how fast lights may follow each other.

mod frame;

use super::vigil::Vigil;
use super::*;
use frame::{Frames, Item, hex};
use std::collections::VecDeque;

/// Millennium ChessLink boards.
pub static MODEL: Model = Model {
    name: "millennium",
    title: "Millennium ChessLink",
    sensing: Sensing::Identity,
    connection: Connection::Serial(Line { baud: 38_400, control: ControlLines::Asserted }),
    usb: &[],
    lights: Lights::Corners,
    clock: Clocks::None,
    tested: Tested::Frames,
    cannot: &[
        "whether a piece was touched without leaving its square",
        "which piece stands where, on an eONE: it concludes that from the moves itself",
    ],
    protocol: || Box::new(Millennium::default()),
};

/// A question not answered for so long is asked again, or given up. Milliseconds.
const ANSWER: Millis = 1_000;
/// How long an answer that some boards do not give holds up the next question. Milliseconds.
const MAYBE: Millis = 200;
/// A reply whose next byte does not come for so long was cut short. Milliseconds.
const STALL: Millis = 200;
/// How often the squares are asked for: if the board reports, if that is not known, if it does not. Milliseconds.
const POLL: [Millis; 3] = [10_000, 500, 200];
/// The setting that says when the board reports, and what it has to be: on change.
const REPORT: (u8, u8) = (0x02, 0x03);

/// What is ever sent.
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
enum Habit {
    Reports,
    #[default]
    Unknown,
    Answers,
}

/// One ChessLink board.
#[derive(Default)]
struct Millennium {
    up: bool,
    frames: Frames,
    readings: VecDeque<Reading>,
    writes: VecDeque<Write>,
    /// What is to be sent, and what was sent last and when, if it has not been answered.
    queue: VecDeque<Command>,
    asked: Option<(Command, Millis)>,
    vigil: Vigil,
    habit: Habit,
    /// When the squares are asked for next, and when the last byte came.
    poll_at: Millis,
    heard_at: Millis,
    /// The setting was written since the link came up.
    written: bool,
    shown: Option<Box<Placement>>,
    /// All squares are wanted, news or not.
    wanted: bool,
}

impl Protocol for Millennium {
    fn link(&mut self, now: Millis, state: LinkState) {
        let readings = std::mem::take(&mut self.readings);
        *self = Millennium { up: state == LinkState::Up, readings, poll_at: now, heard_at: now, ..Millennium::default() };
        self.vigil = Vigil::begin(now);
        if self.up {
            self.queue = [Command::Squares, Command::Version, Command::Read(REPORT.0), Command::Lights(Vec::new())].into();
            self.go_on(now);
        }
    }

    fn receive(&mut self, now: Millis, chunk: &[u8]) {
        for &byte in chunk {
            self.heard_at = now;
            self.frames.feed(byte);
            while let Some(item) = self.frames.next() {
                match item {
                    Item::Skipped(count) => self.damaged(now, count),
                    Item::Reply(letter, data) => self.reply(now, letter, &data),
                }
            }
        }
        self.go_on(now);
    }

    fn act(&mut self, now: Millis, _board: Address, cue: Cue) -> Result<(), Unsupported> {
        match cue {
            Cue::Placement => {
                self.wanted = true;
                self.poll_at = self.poll_at.min(now);
            }
            Cue::Lights(squares) => {
                self.queue.retain(|command| !matches!(command, Command::Lights(_)));
                self.queue.push_back(Command::Lights(squares));
            }
            Cue::Clock | Cue::Memory | Cue::ClockText(_) | Cue::Beep => return Err(Unsupported),
        }
        self.go_on(now);
        Ok(())
    }

    fn timeout(&mut self, now: Millis) {
        if !self.up {
            return;
        }
        self.readings.extend(self.vigil.check(now));
        if self.frames.is_inside() && now >= self.heard_at + STALL {
            let count = self.frames.give_up();
            self.damaged(now, count);
        }
        if self.asked.as_ref().is_some_and(|(command, at)| now >= at + command.patience()) {
            self.asked = None;
        }
        self.go_on(now);
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
        let question = self.asked.as_ref().map_or(self.poll_at, |(command, at)| at + command.patience());
        let stall = self.frames.is_inside().then_some(self.heard_at + STALL);
        [stall, self.vigil.deadline()].into_iter().flatten().chain([question]).min()
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
                for place in squares.iter().map(|square| place(*square)) {
                    // File by file, from the first square's corner on.
                    let first = place % 8 * 9 + place / 8;
                    for corner in [first, first + 1, first + 9, first + 10] {
                        corners[corner] = true;
                    }
                }
                let slots: String = corners.iter().map(|lit| if *lit { "FF" } else { "00" }).collect();
                format!("L20{slots}")
            }
        }
    }

    fn patience(&self) -> Millis {
        match self {
            Command::Squares | Command::Version | Command::Read(_) => ANSWER,
            Command::Write(..) | Command::Lights(_) => MAYBE,
        }
    }

    /// Whether a reply with this letter answers it.
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
    /// Sends what is next, if nothing is waited for.
    fn go_on(&mut self, now: Millis) {
        if !self.up || self.asked.is_some() {
            return;
        }
        let command = match self.queue.pop_front() {
            Some(command) => command,
            None if now >= self.poll_at => Command::Squares,
            None => return,
        };
        if command == Command::Squares {
            self.poll_at = now + POLL[self.habit as usize];
            self.vigil.asked(now);
        }
        self.writes.push_back(Write { at: now, bytes: frame::command(&command.text()) });
        self.asked = Some((command, now));
    }

    fn damaged(&mut self, now: Millis, count: usize) {
        self.readings.push_back(Reading::Trouble(Trouble::Garbage(count)));
        // It may have been a report.
        if !self.vigil.is_silent() {
            self.poll_at = self.poll_at.min(now + ANSWER / 2);
        }
    }

    fn reply(&mut self, now: Millis, letter: u8, data: &[u8]) {
        self.readings.extend(self.vigil.heard(now));
        let was_asked = self.asked.take_if(|(command, _)| command.is_answered_by(letter)).is_some();
        match letter {
            b's' => self.squares(data, was_asked),
            b'v' => self.version(data),
            b'r' => self.setting(data),
            _ => {}
        }
    }

    fn squares(&mut self, letters: &[u8], was_asked: bool) {
        let mut placement: Placement = [Sensed::Empty; 64];
        for (square, letter) in (0..64).map(square).zip(letters) {
            placement[square as usize] = Piece::from_char(char::from(*letter)).map_or(Sensed::Empty, Sensed::Piece);
        }
        let is_news = self.shown.as_deref() != Some(&placement);
        self.habit = match self.habit {
            _ if !was_asked => Habit::Reports,
            Habit::Unknown if is_news && self.shown.is_some() => Habit::Answers,
            // A report was lost, or what was taken for one was a late answer.
            Habit::Reports if is_news => Habit::Unknown,
            habit => habit,
        };
        if std::mem::take(&mut self.wanted) || is_news {
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

    /// What a setting is; what it has to be is written, once.
    fn setting(&mut self, digits: &[u8]) {
        let [Some(setting), Some(value)] = [digits.get(..2), digits.get(2..)].map(|digits| digits.and_then(hex)) else {
            return;
        };
        if setting == REPORT.0 && value != REPORT.1 && !std::mem::replace(&mut self.written, true) {
            self.queue.push_back(Command::Write(REPORT.0, REPORT.1));
        }
    }
}

/// The square that comes in this place, on a board that stands as usual; and back, for it is the same.
fn square(place: u32) -> Square {
    Square::new(place ^ 7)
}

fn place(square: Square) -> usize {
    square as usize ^ 7
}
