//! Wire protocols of electronic chessboards: bytes in, [`Reading`]s out, bytes back. One file a family.
//!
//! **Invariant:** nothing here does I/O, reads a clock or knows a rule of chess. Squares are the board's own, as its maker
//! numbers them when it stands as intended; that a board may have been turned round is for [`crate::infer`] to find out.

pub mod centaur;
pub mod certabo;
pub mod chessnut;
pub mod dgt;
pub mod dgt_bus;
pub mod ichessone;
pub mod matrix;
pub mod millennium;
pub mod reed;
pub mod tabutronic;
mod vigil;

use shakmaty::{Color, Piece, Square};
use std::ops::RangeInclusive;

/// Milliseconds since the recording of this board began.
pub type Millis = u64;

/// One board on a link. Always [`Address::ONLY`] but on a chain of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u16);

impl Address {
    /// The board of a link that carries one board.
    pub const ONLY: Address = Address(0);
}

/// Whether the cable is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Bytes can be sent and may arrive.
    Up,
    /// Unplugged, or the port is gone.
    Down,
}

/// What one square shows. One type for every kind of sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sensed {
    /// Nothing stands here.
    Empty,
    /// This piece stands here (RFID and coil boards).
    Piece(Piece),
    /// A piece of this colour stands here (Hall sensors and polarised magnets).
    Side(Color),
    /// Something stands here (reed switches, light).
    Occupied,
}

impl Sensed {
    /// What a sensor of this kind would have shown.
    pub fn seen_by(self, sensing: Sensing) -> Sensed {
        match (self, sensing) {
            (Sensed::Piece(piece), Sensing::Colour) => Sensed::Side(piece.color),
            (Sensed::Piece(_) | Sensed::Side(_), Sensing::Occupancy) => Sensed::Occupied,
            _ => self,
        }
    }
}

/// All 64 squares, indexed by `Square as usize` (a1 = 0, h8 = 63).
pub type Placement = [Sensed; 64];

/// One half of a chess clock, as its maker names it: seen from the clock's front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockHalf {
    /// The half on the left.
    Left,
    /// The half on the right.
    Right,
}

impl ClockHalf {
    /// The other half.
    pub fn other(self) -> ClockHalf {
        match self {
            ClockHalf::Left => ClockHalf::Right,
            ClockHalf::Right => ClockHalf::Left,
        }
    }
}

/// What one half of the clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfTime {
    /// Time left in milliseconds.
    pub ms: u32,
    /// The flag is shown: this side ran out of time.
    pub flag: bool,
}

/// One message of the chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The left half.
    pub left: HalfTime,
    /// The right half.
    pub right: HalfTime,
    /// Whose time it is by the lever: this half counts down, or would if the clock ran.
    pub turn: ClockHalf,
    /// Whether it counts down now.
    pub running: bool,
    /// The clock's battery is low.
    pub battery_low: bool,
    /// The finest step the times have, in milliseconds (1000 on DGT clocks).
    pub resolution_ms: u32,
    /// How old the times can be at most when they arrive, in milliseconds (1000 on DGT clocks).
    pub age_ms: u32,
}

/// What a board says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Serial number as the maker prints it.
    SerialNumber(String),
    /// Version of the board's firmware, e.g. `3.10`.
    Version(String),
    /// Any other text about the maker and model.
    Text(String),
}

/// State of the board's own battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Battery {
    /// Charge, 0–100 %.
    pub percent: u8,
    /// Whether it is being charged, where the board says.
    pub charging: Option<bool>,
}

/// One thing that a board's own memory holds from when nobody listened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remembered {
    /// One square changed.
    Square {
        /// Which one.
        square: Square,
        /// What it showed then.
        sensed: Sensed,
        /// It came a moment after the change before: part of the same movement, or of one that followed at once.
        soon: bool,
    },
    /// The clock was pressed.
    Halted {
        /// The half that was halted.
        half: ClockHalf,
        /// What it showed, in milliseconds.
        ms: u32,
    },
    /// The board was switched on. What it then found on its squares follows, piece by piece.
    PowerUp,
    /// The start position stood on the board, one way round or the other.
    Start,
    /// Nothing stood on the board.
    Cleared,
}

/// Trouble on the line. The board file has already got over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// This many bytes made no sense and were skipped.
    Garbage(usize),
    /// A well-formed message that this protocol does not have.
    Unknown(u8),
    /// A message of a known kind whose content cannot be, e.g. piece code 0x1f.
    Impossible(String),
    /// These squares cannot be told from others now, by how the board is built; none: all can again.
    Ambiguous(Vec<Square>),
    /// Pieces on these squares are new to the board, and are assumed to be queens.
    Assumed(Vec<Square>),
    /// Nothing came for so long, not even in answer to a link test, that the board counts as silent. Milliseconds.
    Silent(u32),
    /// Bytes come again after [`Trouble::Silent`].
    Answering,
    /// The next changes, all those that come at this time, happened earlier: they have waited somewhere, or were not told when they
    /// happened, and the times between them are not known.
    Late,
    /// The board tells what stands on it, but not what that is: the start position has to stand on it once.
    Uncalibrated,
    /// It speaks as a board of another model does: why that is thought, and what to configure.
    OtherModel(String),
}

/// What a board told us, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// All squares at once. `Box` because it is much larger than the rest.
    Placement(Box<Placement>),
    /// One square changed.
    Square(Square, Sensed),
    /// The clock. `None`: the board says that no clock is connected.
    Clock(Option<ClockReading>),
    /// Who the board is.
    Identity(Identity),
    /// The board's battery.
    Battery(Battery),
    /// What the board remembers, oldest first: the answer to [`Cue::Memory`]. Empty: nothing, or it could not be read.
    Memory(Vec<Remembered>),
    /// What was learned of the pieces on this board, as lines of text: the caller keeps it for this board, in place of what it kept
    /// before, and gives it back with [`Protocol::restore`].
    Calibration(String),
    /// Trouble on the line.
    Trouble(Trouble),
}

/// What the core asks of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cue {
    /// Report all squares, as soon as the line is idle.
    Placement,
    /// Send what the clock shows now.
    Clock,
    /// Send what the board itself remembers: [`Reading::Memory`] comes, in any case, when it has come or could not be read.
    /// Where the board has no memory ([`Unsupported`]), the caller tells the table of an empty one.
    Memory,
    /// Light these squares (none: all off).
    Lights(Vec<Square>),
    /// Show this text on the clock (8 characters on a DGT 3000).
    ClockText(String),
    /// Make itself heard for a moment.
    Beep,
}

/// The board cannot do this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this board cannot do that")]
pub struct Unsupported;

/// Bytes to send, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Not before this time: boards have small input buffers and need pauses.
    pub at: Millis,
    /// What to send.
    pub bytes: Vec<u8>,
}

/// A board's wire protocol, or a chain of boards on one link. No I/O, no clock; any bytes, even garbage, are survivable.
///
/// The caller calls [`Protocol::timeout`] when [`Protocol::next_deadline`] has come, and after every call empties
/// `poll_reading` and `poll_write`.
pub trait Protocol: Send {
    /// The link came up (again) or went down: forget half-read frames, greet.
    fn link(&mut self, now: Millis, state: LinkState);
    /// Bytes as they arrived, cut anywhere (streams), or one packet (HID reports, matrix scans).
    fn receive(&mut self, now: Millis, chunk: &[u8]);
    /// Lights, clock texts, a request for all squares. [`Unsupported`] where the board cannot.
    fn act(&mut self, now: Millis, board: Address, cue: Cue) -> Result<(), Unsupported>;
    /// The deadline has passed: poll, repeat, give up.
    fn timeout(&mut self, now: Millis);
    /// The next thing a board said.
    fn poll_reading(&mut self) -> Option<(Address, Reading)>;
    /// What to send next, and not before when.
    fn poll_write(&mut self) -> Option<Write>;
    /// When `timeout` wants to be called.
    fn next_deadline(&self) -> Option<Millis>;
    /// The last [`Reading::Calibration`] of this board, before its link comes up for the first time. Boards that say what stands
    /// on them need none.
    fn restore(&mut self, _calibration: &str) {}
    /// Whether the link carries any number of boards, each with an [`Address`] of its own, which come into being when they are
    /// first heard.
    fn is_chain(&self) -> bool {
        false
    }
}

/// What the squares of a board can tell, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sensing {
    /// Which piece stands where.
    Identity,
    /// Which colour stands where.
    Colour,
    /// Whether something stands there.
    Occupancy,
}

impl Sensing {
    /// What no board can know whose squares tell only this, in words that go on after "cannot know".
    pub fn cannot(self) -> &'static [&'static str] {
        match self {
            Sensing::Identity => &[],
            Sensing::Colour => &[
                "which piece a pawn became: a queen is taken for it, until later play or the arbiter says otherwise",
                "whether two pieces of one colour have changed places",
                "whether the board is turned or its magnets are reversed, before the first move: turned is taken for it",
            ],
            Sensing::Occupancy => &[
                "what was taken, where that square was never seen empty: the likeliest capture is told, until later play decides",
                "which piece a pawn became: a queen is taken for it, until later play or the arbiter says otherwise",
                "whether two pieces have changed places",
                "which way round the start position stands, before the first move",
                "which result the kings tell, where one of them took the place of a piece unseen: the arbiter is asked",
            ],
        }
    }
}

/// Serial line settings, 8 data bits, no parity, one stop bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bits a second.
    pub baud: u32,
    /// What the modem control lines are set to where nothing else is configured.
    pub control: ControlLines,
}

/// What the modem control lines DTR and RTS are set to. Pseudo-terminals have none and ignore this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlLines {
    /// Both asserted, as most programs leave them and boards on USB expect them.
    #[default]
    Asserted,
    /// Both cleared, as a line of many boards wants them (see [`dgt_bus`]). Linux asserts DTR for a moment at opening even then.
    Cleared,
}

/// A USB device of the class HID that is spoken to directly, report by report, over its interrupt endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hid {
    /// The usage page of the interface that is the board, as its report descriptor says.
    pub usage_page: u16,
}

/// How a board is connected to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// A serial port: a stream of bytes.
    Serial(Line),
    /// USB reports: packets, each handed to [`Protocol::receive`] and taken from [`Write`] whole.
    Usb(Hid),
    /// Reed switches on the computer's own lines, as a file says: packets that [`matrix`] documents.
    Matrix,
}

impl Connection {
    /// What the modem control lines are set to where nothing else is configured; of no meaning where there are none.
    pub fn control_lines(&self) -> ControlLines {
        match self {
            Connection::Serial(line) => line.control,
            Connection::Usb(_) | Connection::Matrix => ControlLines::default(),
        }
    }
}

/// A USB vendor id with one or more product ids, and whether they name a board or just somebody's adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsbId {
    /// idVendor.
    pub vendor: u16,
    /// idProduct: all of these.
    pub products: RangeInclusive<u16>,
    /// The id belongs to a bridge chip that sits in many other devices too.
    pub generic: bool,
}

impl UsbId {
    /// The board's own id.
    pub const fn own(vendor: u16, product: u16) -> UsbId {
        UsbId::range(vendor, product, product)
    }

    /// The board's own ids: all products from `first` to `last`.
    pub const fn range(vendor: u16, first: u16, last: u16) -> UsbId {
        UsbId { vendor, products: RangeInclusive::new(first, last), generic: false }
    }

    /// The id of a bridge chip that the board has inside, and many other devices too.
    pub const fn adapter(vendor: u16, product: u16) -> UsbId {
        UsbId { vendor, products: RangeInclusive::new(product, product), generic: true }
    }

    /// Whether a device with these ids is meant.
    pub fn contains(&self, vendor: u16, product: u16) -> bool {
        self.vendor == vendor && self.products.contains(&product)
    }
}

/// `2d80:8000` or `2d80:8000–86ff`.
impl std::fmt::Display for UsbId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (first, last) = (self.products.start(), self.products.end());
        write!(f, "{:04x}:{first:04x}", self.vendor)?;
        if first == last { Ok(()) } else { write!(f, "–{last:04x}") }
    }
}

/// The lights of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lights {
    /// It has none that we can switch.
    None,
    /// One in every square, of one colour.
    Squares,
    /// One in every square, of any colour.
    Coloured,
    /// One at every corner of a square: a square is shown by four.
    Corners,
}

/// Whether a board tells of a chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// It never does.
    None,
    /// It does where one is connected to it.
    Connected,
}

/// What its protocol here was held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// Everything that a real board sent in whole games.
    Capture,
    /// Single frames that others wrote down of real boards.
    Frames,
    /// Descriptions of it, and nothing that a board is known to have sent.
    Specification,
}

/// A family of boards: what is known about it before a byte is read.
pub struct Model {
    /// The word for it in configuration, recordings and the command line.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its squares can tell.
    pub sensing: Sensing,
    /// How it is connected.
    pub connection: Connection,
    /// USB ids seen on it.
    pub usb: &'static [UsbId],
    /// Its lights.
    pub lights: Lights,
    /// Whether it tells of a chess clock.
    pub clock: Clocks,
    /// What its protocol was held against.
    pub tested: Tested,
    /// What this board cannot know besides what its kind of squares cannot tell, see [`Model::cannot_know`].
    pub cannot: &'static [&'static str],
    /// A fresh protocol for one link.
    pub protocol: fn() -> Box<dyn Protocol>,
}

impl Model {
    /// What this board cannot know, in words that go on after "cannot know": for `doctor` and the Board's capabilities.
    pub fn cannot_know(&self) -> impl Iterator<Item = &'static str> {
        self.sensing.cannot().iter().chain(self.cannot).copied()
    }
}

/// Two models are the same when they have the same name.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.name == other.name
    }
}

impl Eq for Model {}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every board there is. Adding one: a file here, and a word in this list.
pub static BOARDS: &[&Model] = &[
    &dgt::MODEL,
    &dgt_bus::MODEL,
    &certabo::MODEL,
    &tabutronic::CERNO,
    &tabutronic::MODEL,
    &chessnut::MODEL,
    &reed::MODEL,
    &matrix::MODEL,
    &millennium::MODEL,
    &ichessone::MODEL,
    &centaur::MODEL,
];

/// The model of this name.
pub fn model(name: &str) -> Option<&'static Model> {
    BOARDS.iter().copied().find(|model| model.name == name)
}
