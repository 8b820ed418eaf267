//! Wire protocols of electronic chessboards: received bytes become [`Reading`]s, and commands become bytes to send. One file or folder
//! per family; its `MODEL` is a row of [`BOARDS`].
//!
//! **Invariant:** nothing in this module does I/O, reads a clock or knows the rules of chess. Squares are in the board's own
//! coordinates, as its maker numbers them when the board is placed as intended. [`crate::infer`] detects a board that was turned
//! round.

pub mod bluetooth;
pub mod centaur;
pub mod certabo;
pub mod chessnut;
pub mod chessup;
mod connection;
pub mod cpp;
pub mod dgt;
pub mod dgt_bus;
pub mod ichessone;
pub mod matrix;
pub mod millennium;
mod model;
pub mod pegasus;
mod protocol;
mod reading;
pub mod reed;
mod shared;
mod square;
pub mod square_off;
pub mod staunton;
pub mod tabutronic;

pub use bluetooth::{Bluetooth, GattProfile};
pub use connection::{Connection, ControlLines, HidInterface, SerialSettings, UsbId};
pub use model::{ClockSupport, CommandPattern, Lights, Model, Verification, VirtualBoardKind};
pub use protocol::{Address, BoardCommand, LinkState, Millis, Protocol, Unsupported, Write};
pub use reading::{Battery, ClockHalf, ClockReading, HalfTime, Identity, MemoryEntry, ProtocolError, Reading, Touch};
pub use square::{Placement, SensorKind, SquareState};

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
    &chessnut::MOVE,
    &pegasus::MODEL,
    &chessup::MODEL,
    &square_off::MODEL,
    &staunton::MODEL,
    &cpp::MODEL,
];

/// Returns the models that can be connected over Bluetooth.
pub fn bluetooth_models() -> impl Iterator<Item = &'static Model> {
    BOARDS.iter().copied().filter(|model| model.bluetooth().is_some())
}

/// Returns the model with this name.
pub fn model(name: &str) -> Option<&'static Model> {
    BOARDS.iter().copied().find(|model| model.name == name)
}
