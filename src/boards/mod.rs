//! Wire protocols of electronic chessboards: received bytes become [`Reading`]s, and commands become bytes to send. One file per
//! family.
//!
//! **Invariant:** nothing in this module does I/O, reads a clock or knows the rules of chess. Squares are in the board's own
//! coordinates, as its maker numbers them when the board is placed as intended. [`crate::infer`] detects a board that was turned
//! round.

pub mod centaur;
pub mod certabo;
pub mod chessnut;
pub mod dgt;
pub mod dgt_bus;
pub mod ichessone;
pub mod matrix;
pub mod millennium;
pub mod reed;
mod shared;
pub mod tabutronic;

use shakmaty::{Color, Piece, Square};
use std::ops::RangeInclusive;

/// Milliseconds since the recording of this board began.
pub type Millis = u64;

/// The address of one board on a link: always [`Address::ONLY`], except on a chain of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u16);

impl Address {
    /// The address of the board on a link that carries only one board.
    pub const ONLY: Address = Address(0);
}

/// The state of the cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Bytes can be sent and received.
    Up,
    /// The cable is unplugged, or the port no longer exists.
    Down,
}

/// What the sensor of one square reports. One type for every kind of sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquareState {
    /// The square is empty.
    Empty,
    /// This piece is on the square (RFID and coil boards).
    Piece(Piece),
    /// A piece of this colour is on the square (Hall sensors and polarised magnets).
    Side(Color),
    /// A piece is on the square (reed switches, light).
    Occupied,
}

impl SquareState {
    /// Returns what a sensor of this kind would have reported.
    pub fn reduce_to(self, sensing: SensorKind) -> SquareState {
        match (self, sensing) {
            (SquareState::Piece(piece), SensorKind::Colour) => SquareState::Side(piece.color),
            (SquareState::Piece(_) | SquareState::Side(_), SensorKind::Occupancy) => SquareState::Occupied,
            _ => self,
        }
    }
}

/// All 64 squares, indexed by `Square as usize` (a1 = 0, h8 = 63).
pub type Placement = [SquareState; 64];

/// One half of a chess clock, named as its maker does: as seen from the front of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockHalf {
    /// The left half.
    Left,
    /// The right half.
    Right,
}

impl ClockHalf {
    /// Returns the other half.
    pub fn other(self) -> ClockHalf {
        match self {
            ClockHalf::Left => ClockHalf::Right,
            ClockHalf::Right => ClockHalf::Left,
        }
    }
}

/// The display of one half of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfTime {
    /// Remaining time, in milliseconds.
    pub ms: u32,
    /// Whether the flag is displayed: this player has run out of time.
    pub flag: bool,
}

/// One message of the chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The left half.
    pub left: HalfTime,
    /// The right half.
    pub right: HalfTime,
    /// The half whose turn it is according to the lever: it counts down, or would if the clock ran.
    pub turn: ClockHalf,
    /// Whether the clock is counting down now.
    pub running: bool,
    /// Whether the clock's battery is low.
    pub battery_low: bool,
    /// Resolution of the times, in milliseconds (1000 on DGT clocks).
    pub resolution_ms: u32,
    /// Maximum age of the times on arrival, in milliseconds (1000 on DGT clocks).
    pub age_ms: u32,
}

/// Information that a board sends about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Serial number, as the maker prints it.
    SerialNumber(String),
    /// Version of the board's firmware, e.g. `3.10`.
    Version(String),
    /// Any other text about the maker and the model.
    Text(String),
}

/// State of the board's own battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Battery {
    /// Charge, 0–100 %.
    pub percent: u8,
    /// Whether the battery is being charged, if the board reports it.
    pub charging: Option<bool>,
}

/// One entry of a board's own memory, recorded while no computer was listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEntry {
    /// One square changed.
    Square {
        /// The square.
        square: Square,
        /// What the square showed after the change.
        sensed: SquareState,
        /// Whether the change came a moment after the previous one: as part of the same movement, or of one that followed at once.
        follows_at_once: bool,
    },
    /// The clock was pressed.
    ClockPressed {
        /// The half that was stopped.
        half: ClockHalf,
        /// The time that this half showed, in milliseconds.
        ms: u32,
    },
    /// The board was switched on. The pieces that it then found follow as changed squares, one by one.
    PowerUp,
    /// The start position was on the board, in either orientation.
    StartPosition,
    /// The board was empty.
    Cleared,
}

/// A protocol error on the link. The protocol has already recovered from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// This number of bytes could not be decoded and was skipped.
    Garbage(usize),
    /// A well-formed message of a type that this protocol does not define.
    Unknown(u8),
    /// A message of a known type with invalid content, e.g. piece code 0x1f.
    InvalidContent(String),
    /// The construction of the board makes these squares indistinguishable from others at present. An empty list: all squares can
    /// be distinguished again.
    AmbiguousSquares(Vec<Square>),
    /// The board does not know the pieces on these squares. They are assumed to be queens.
    AssumedQueens(Vec<Square>),
    /// The board counts as silent: no byte arrived for this time, in milliseconds, not even in reply to a link test.
    Silent(u32),
    /// Bytes arrive again after [`ProtocolError::Silent`].
    Recovered,
    /// The changes that follow with the same timestamp happened earlier: they were buffered somewhere, or were not reported when
    /// they happened. The times between them are unknown.
    ChangesDelayed,
    /// The board reports which chip is on each square, but not which piece that is: the start position must be set up on it once.
    Uncalibrated,
    /// The board behaves like a board of another model. The text says why, and what to configure.
    OtherModel(String),
}

/// What a board reported, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// All squares at once. Boxed because it is much larger than the other variants.
    Placement(Box<Placement>),
    /// One square changed.
    Square(Square, SquareState),
    /// The clock. `None`: the board reports that no clock is connected.
    Clock(Option<ClockReading>),
    /// Information about the board itself.
    Identity(Identity),
    /// The state of the board's battery.
    Battery(Battery),
    /// The content of the board's memory, oldest entry first: the reply to [`BoardCommand::Memory`]. Empty if the memory is empty or could
    /// not be read.
    Memory(Vec<MemoryEntry>),
    /// The calibration of the pieces on this board, as lines of text. The caller stores it for this board, replacing the previous
    /// one, and passes it back with [`Protocol::restore`].
    Calibration(String),
    /// A protocol error on the link.
    Trouble(ProtocolError),
}

/// A command from the core to a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardCommand {
    /// Report all squares as soon as the line is idle.
    Placement,
    /// Report what the clock shows now.
    Clock,
    /// Report the content of the board's own memory. [`Reading::Memory`] always follows, whether the memory arrived or could not be
    /// read. If the board has no memory ([`Unsupported`]), the caller passes an empty one to the table session.
    Memory,
    /// Light these squares. An empty list switches all lights off.
    Lights(Vec<Square>),
    /// Show this text on the clock (8 characters on a DGT 3000).
    ClockText(String),
    /// Sound a short beep.
    Beep,
}

/// The board does not support the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the board does not support this command")]
pub struct Unsupported;

/// Bytes to send, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Earliest time to send: boards have small input buffers and need pauses.
    pub at: Millis,
    /// The bytes to send.
    pub bytes: Vec<u8>,
}

/// The wire protocol of a board, or of a chain of boards on one link. It does no I/O, reads no clock and tolerates any bytes,
/// garbage included.
///
/// The caller calls [`Protocol::timeout`] when [`Protocol::next_deadline`] is reached, and drains `poll_reading` and `poll_write`
/// after every call.
pub trait Protocol: Send {
    /// Handles a link that came up (again) or went down: discards incomplete frames and, on an established link, sends the
    /// greeting.
    fn link(&mut self, now: Millis, state: LinkState);
    /// Handles received bytes: a chunk of a stream, cut anywhere, or exactly one packet (HID reports, matrix scans).
    fn receive(&mut self, now: Millis, chunk: &[u8]);
    /// Executes a command, e.g. lights, clock text or a request for all squares.
    ///
    /// # Errors
    ///
    /// Returns [`Unsupported`] if the board cannot execute the command.
    fn execute(&mut self, now: Millis, board: Address, command: BoardCommand) -> Result<(), Unsupported>;
    /// Handles a deadline that has passed: polls, retries or aborts.
    fn timeout(&mut self, now: Millis);
    /// Returns the next reading.
    fn poll_reading(&mut self) -> Option<(Address, Reading)>;
    /// Returns the next bytes to send, with the earliest time to send them.
    fn poll_write(&mut self) -> Option<Write>;
    /// Returns the time at which `timeout` must be called.
    fn next_deadline(&self) -> Option<Millis>;
    /// Restores the last [`Reading::Calibration`] of this board, before its link comes up for the first time. Boards that identify
    /// their pieces themselves need none.
    fn restore(&mut self, _calibration: &str) {}
    /// Whether the link carries any number of boards, each with its own [`Address`]. A board is created when it is first heard.
    fn is_chain(&self) -> bool {
        false
    }
}

/// What the squares of a board can detect, the most informative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SensorKind {
    /// Which piece is on a square.
    Identity,
    /// Which colour the piece on a square has.
    Colour,
    /// Whether a piece is on a square.
    Occupancy,
}

impl SensorKind {
    /// Returns what no board with such sensors can know, as phrases that continue "cannot know".
    pub fn limitations(self) -> &'static [&'static str] {
        match self {
            SensorKind::Identity => &[],
            SensorKind::Colour => &[
                "which piece a pawn was promoted to: a queen is assumed until later play or the arbiter corrects it",
                "whether two pieces of one colour have changed places",
                "whether the board is turned round or its magnets are reversed, until the first move: a turned board is assumed",
            ],
            SensorKind::Occupancy => &[
                "which piece was captured if its square was never seen empty: the likeliest capture is published until later play decides",
                "which piece a pawn was promoted to: a queen is assumed until later play or the arbiter corrects it",
                "whether two pieces have changed places",
                "which way round the start position was set up, until the first move",
                "which result the kings signal if one of them replaced another piece unnoticed: the arbiter decides",
            ],
        }
    }
}

/// Settings of a serial line: 8 data bits, no parity, one stop bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialSettings {
    /// Baud rate, in bits per second.
    pub baud: u32,
    /// Default state of the modem control lines, used unless the configuration sets them.
    pub control: ControlLines,
}

/// State of the modem control lines DTR and RTS. Pseudo-terminals have none and ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlLines {
    /// Both asserted, as most programs leave them and boards on USB expect them.
    #[default]
    Asserted,
    /// Both cleared, as required on a line shared by many boards (see [`dgt_bus`]). Even then Linux asserts DTR for a moment when
    /// the port is opened.
    Cleared,
}

/// A USB device of class HID, accessed directly, report by report, over its interrupt endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HidInterface {
    /// Usage page of the interface that is the board, from its report descriptor.
    pub usage_page: u16,
}

/// How a board is connected to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// A serial port: a stream of bytes.
    Serial(SerialSettings),
    /// USB reports: packets. Each call of [`Protocol::receive`] and each [`Write`] carries one whole packet.
    Usb(HidInterface),
    /// Reed switches on GPIO lines of this machine, described by a file: packets in the format documented in [`matrix`].
    Matrix,
}

impl Connection {
    /// Returns the default state of the modem control lines. It has no meaning for connections that have none.
    pub fn control_lines(&self) -> ControlLines {
        match self {
            Connection::Serial(line) => line.control,
            Connection::Usb(_) | Connection::Matrix => ControlLines::default(),
        }
    }
}

/// A USB vendor id with one or more product ids, and whether they identify a board or only a common adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsbId {
    /// idVendor.
    pub vendor: u16,
    /// Range of idProduct.
    pub products: RangeInclusive<u16>,
    /// Whether the ids belong to a bridge chip that many other devices contain, too.
    pub generic: bool,
}

impl UsbId {
    /// Creates the board's own id.
    pub const fn own(vendor: u16, product: u16) -> UsbId {
        UsbId::range(vendor, product, product)
    }

    /// Creates the board's own ids: all products from `first` to `last`.
    pub const fn range(vendor: u16, first: u16, last: u16) -> UsbId {
        UsbId { vendor, products: RangeInclusive::new(first, last), generic: false }
    }

    /// Creates the id of a bridge chip inside the board, which many other devices contain, too.
    pub const fn adapter(vendor: u16, product: u16) -> UsbId {
        UsbId { vendor, products: RangeInclusive::new(product, product), generic: true }
    }

    /// Whether a device with these ids matches.
    pub fn contains(&self, vendor: u16, product: u16) -> bool {
        self.vendor == vendor && self.products.contains(&product)
    }
}

/// Formats the id as `2d80:8000` or `2d80:8000–86ff`.
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
    /// No lights, or none that can be controlled.
    None,
    /// One light per square, in one colour.
    Squares,
    /// One light per square, in any colour.
    Coloured,
    /// One light at each corner of a square: four lights together mark a square.
    Corners,
}

/// Whether a board reports the readings of a chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSupport {
    /// Never.
    None,
    /// Whenever a clock is connected to the board.
    Connected,
}

/// What the implementation of a protocol was verified with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Captures of everything that real boards sent during whole games.
    Capture,
    /// Single frames of real boards, recorded by others.
    Frames,
    /// Specifications only: no data known to come from a real board.
    Specification,
}

/// A family of boards: everything that is known before the first byte arrives.
pub struct Model {
    /// Name in the configuration, in recordings and on the command line.
    pub name: &'static str,
    /// Name shown to users.
    pub title: &'static str,
    /// What its squares can detect.
    pub sensing: SensorKind,
    /// How it is connected.
    pub connection: Connection,
    /// Its known USB ids.
    pub usb: &'static [UsbId],
    /// Its lights.
    pub lights: Lights,
    /// Whether it reports a chess clock.
    pub clock: ClockSupport,
    /// What its protocol was verified with.
    pub verification: Verification,
    /// What this board cannot know beyond the limits of its kind of sensor, see [`Model::all_limitations`].
    pub limitations: &'static [&'static str],
    /// Creates a new protocol instance for one link.
    pub protocol: fn() -> Box<dyn Protocol>,
}

impl Model {
    /// Returns what this board cannot know, as phrases that continue "cannot know". Used by `doctor` and for the capabilities of a
    /// Board object.
    pub fn all_limitations(&self) -> impl Iterator<Item = &'static str> {
        self.sensing.limitations().iter().chain(self.limitations).copied()
    }
}

/// Models are equal if their names are equal.
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

/// All supported boards. To add one, add a file to this module and an entry to this list.
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

/// Returns the model with this name.
pub fn model(name: &str) -> Option<&'static Model> {
    BOARDS.iter().copied().find(|model| model.name == name)
}
