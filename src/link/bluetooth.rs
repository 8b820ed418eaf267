//! Boards over Bluetooth, through BlueZ's D-Bus interface: GATT characteristics of Bluetooth Low Energy, and the serial ports of
//! classic Bluetooth (RFCOMM).
//!
//! **Invariants:** A device is connected and written to only if its address was given, by the configuration or by a user. Scanning goes
//! on only while a board with a given address is unknown to BlueZ, or while a user asked for it. Adapters are never switched on or off,
//! and nothing is paired.

mod address;
mod bluez;
mod channels;
mod guess;
mod handshake;
mod loss;
mod nearby;
mod objects;
mod open;
mod port;
mod radio;
mod rfcomm;
mod rfkill;
mod signal_strength;
mod socket;
mod unavailable;

pub use address::Address;
pub use guess::{Confidence, Confirmation, Evidence, Guess, guess};
pub use handshake::{HandshakeError, confirm_model};
pub use nearby::nearby;
pub use objects::{Adapter, Device, Lookup, Objects};
pub use open::{open, open_unless};
pub use port::Port;
pub use radio::{Radio, Scan};
pub use signal_strength::SignalStrength;
pub use unavailable::Unavailable;
