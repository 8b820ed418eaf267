//! The interface of every wire protocol: bytes and commands in, readings and bytes out.

use super::reading::Reading;
use shakmaty::Square;

/// A time since the recording of this board began, or a duration, in milliseconds.
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
///
/// # Examples
///
/// White's pawn goes from e2 to e4 on a DGT e-Board: two updates, cut where the serial port happened to cut them.
///
/// ```
/// use shakmaty::{Color, Role, Square};
/// use touchmove::boards::{self, LinkState, Reading, SquareState};
///
/// let model = boards::model("dgt").ok_or("no such model")?;
/// let mut board = (model.protocol)();
///
/// board.link(0, LinkState::Up);
/// let greeting = board.poll_write().ok_or("a greeting")?;
/// assert_eq!((greeting.at, greeting.bytes.as_slice()), (0, [0x40].as_slice())); // reset
/// assert!(model.may_send(&greeting.bytes));
///
/// board.receive(1_000, &[0x8e, 0x00, 0x05, 0x34, 0x00, 0x8e, 0x00]);
/// board.receive(1_500, &[0x05, 0x24, 0x01]);
/// let readings: Vec<Reading> = std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| reading).collect();
/// let pawn = SquareState::Piece(Role::Pawn.of(Color::White));
/// assert_eq!(readings, [Reading::Square(Square::E2, SquareState::Empty), Reading::Square(Square::E4, pawn)]);
/// # Ok::<(), &str>(())
/// ```
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
