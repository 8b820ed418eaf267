//! A model of a board: everything that is known before the first byte arrives.

use super::bluetooth::Bluetooth;
use super::connection::{Connection, UsbId};
use super::protocol::Protocol;
use super::square::SensorKind;
use std::ops::RangeInclusive;

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

/// The form of a command: how it begins, and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    /// The first bytes.
    pub prefix: &'static [u8],
    /// The values that the byte after the prefix may have, if there is one.
    pub next: RangeInclusive<u8>,
    /// The length of the whole command, in bytes.
    pub lengths: RangeInclusive<usize>,
}

impl CommandPattern {
    /// Creates the pattern of a command that is always the same bytes.
    pub const fn exact(bytes: &'static [u8]) -> CommandPattern {
        CommandPattern::with_length(bytes, bytes.len())
    }

    /// Creates the pattern of a command that begins with `prefix` and has this length, in bytes.
    pub const fn with_length(prefix: &'static [u8], length: usize) -> CommandPattern {
        CommandPattern::with_lengths(prefix, length, length)
    }

    /// Creates the pattern of a command that begins with `prefix` and has between `shortest` and `longest` bytes.
    pub const fn with_lengths(prefix: &'static [u8], shortest: usize, longest: usize) -> CommandPattern {
        CommandPattern { prefix, next: RangeInclusive::new(0, u8::MAX), lengths: RangeInclusive::new(shortest, longest) }
    }

    /// Creates the pattern of a command that is one byte between `first` and `last`.
    pub const fn one_of(first: u8, last: u8) -> CommandPattern {
        CommandPattern { prefix: &[], next: RangeInclusive::new(first, last), lengths: RangeInclusive::new(1, 1) }
    }

    /// Returns whether these bytes are such a command.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(self.prefix)
            && self.lengths.contains(&bytes.len())
            && bytes.get(self.prefix.len()).is_none_or(|next| self.next.contains(next))
    }
}

/// The virtual boards of [`crate::simulate`]. Each model has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VirtualBoardKind {
    /// A single DGT e-Board.
    Dgt,
    /// DGT e-Boards on a bus.
    DgtBus,
    /// A Certabo board with plain lights.
    Certabo,
    /// A Tabutronic Cerno with coloured lights.
    Cerno,
    /// A Tabutronic Sentio with coloured lights.
    Sentio,
    /// A Chessnut board on USB.
    Chessnut,
    /// A self-built board that prints lines.
    Reed,
    /// A matrix of reed switches.
    Matrix,
    /// A Millennium ChessLink Exclusive.
    Millennium,
    /// An iChessOne.
    IChessOne,
    /// The internal board of a DGT Centaur.
    Centaur,
    /// A Chessnut Move.
    ChessnutMove,
    /// A DGT Pegasus.
    Pegasus,
    /// A ChessUp.
    ChessUp,
    /// A Square Off Pro.
    SquareOff,
    /// A House of Staunton board.
    Staunton,
    /// A self-built board with the Chess Peripheral Protocol.
    Cpp,
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
    /// How it may also be connected over Bluetooth, with the same protocol, see [`Model::bluetooth`].
    pub bluetooth: Option<Bluetooth>,
    /// Its known USB ids.
    pub usb: &'static [UsbId],
    /// Its lights.
    pub lights: Lights,
    /// Whether it reports a chess clock.
    pub clock: ClockSupport,
    /// What its protocol was verified with.
    pub verification: Verification,
    /// Every command that may be sent to it. Nothing else is ever sent, see [`Model::may_send`].
    pub commands: &'static [CommandPattern],
    /// The virtual board that plays it in simulations and tests.
    pub virtual_board: VirtualBoardKind,
    /// What this board cannot know beyond the limits of its kind of sensor, see [`Model::all_limitations`].
    pub limitations: &'static [&'static str],
    /// Creates a new protocol instance for one link.
    pub protocol: fn() -> Box<dyn Protocol>,
}

impl Model {
    /// Returns whether these bytes, which are one [`super::Write`], are one of the commands that may be sent to this board.
    pub fn may_send(&self, bytes: &[u8]) -> bool {
        self.commands.iter().any(|command| command.matches(bytes))
    }

    /// Returns how this board is connected over Bluetooth: alone, or besides its cable.
    pub fn bluetooth(&self) -> Option<Bluetooth> {
        match self.connection {
            Connection::Bluetooth(bluetooth) => Some(bluetooth),
            Connection::Serial(_) | Connection::Usb(_) | Connection::Matrix => self.bluetooth,
        }
    }

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
