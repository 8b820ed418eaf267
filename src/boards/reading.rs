//! What a board reports, decoded.

use super::square::{Placement, SquareState};
use shakmaty::{Piece, Role, Square};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// The board reports that a piece was moved, and its own squares do not show that. The squares decide.
    ContradictedMove {
        /// The square that the piece left, as the board reports.
        from: Square,
        /// The square that it was put on, as the board reports.
        to: Square,
    },
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

/// What a board that senses hands reports. It is known that a hand touches a square, not which hand it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A hand touches the piece on this square.
    Begin {
        /// The square.
        square: Square,
        /// The piece that the board believes to be there, if it reports one.
        piece: Option<Piece>,
    },
    /// No square is touched any more.
    End,
}

/// What a board reported, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// All squares at once. Boxed because it is much larger than the other variants.
    Placement(Box<Placement>),
    /// One square changed.
    Square(Square, SquareState),
    /// A hand touched a piece, whether or not the piece leaves its square. Only boards with capacitive squares report it.
    Touch(Touch),
    /// The board reports that a piece was moved, and its squares agree. The squares decide what was played: the board's own opinion
    /// of the game may be wrong, and an illegal move stays one.
    Move {
        /// The square that the piece left.
        from: Square,
        /// The square that it was put on.
        to: Square,
    },
    /// The player has chosen this piece for the pawn that was just promoted, or is about to be, on the board's own buttons. Evidence
    /// where the squares do not show which piece it is.
    Promotion(Role),
    /// The clock. `None`: the board reports that no clock is connected.
    Clock(Option<ClockReading>),
    /// Information about the board itself.
    Identity(Identity),
    /// The state of the board's battery.
    Battery(Battery),
    /// The content of the board's memory, oldest entry first: the reply to [`super::BoardCommand::Memory`]. Empty if the memory
    /// is empty or could not be read.
    Memory(Vec<MemoryEntry>),
    /// The calibration of the pieces on this board, as lines of text. The caller stores it for this board, replacing the previous
    /// one, and passes it back with [`super::Protocol::restore`].
    Calibration(String),
    /// A protocol error on the link.
    ProtocolError(ProtocolError),
}
