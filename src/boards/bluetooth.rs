//! What is known of wireless boards before they are connected: their services and characteristics, the names that they advertise,
//! and the handshakes that confirm which board it is.
//!
//! This is data for the link layer. A GATT link passes every notification on as one chunk, in the order of arrival, whichever
//! characteristic it came from, and sends each [`super::Write`] as one value. An RFCOMM link is a stream like a serial port.
//!
//! # Sources
//!
//! The documentation of Chessnut's own interface; the free programs BoardKit, BearChess, Universal-Chess, picochess and
//! ArduinoBleChess. The certainty of each name is a column of [`ADVERTISED_NAMES`]. No wireless board has been tried.

mod advertised_name;
mod handshake;

use super::protocol::Millis;

pub use advertised_name::{ADVERTISED_NAMES, AdvertisedName, Certainty, NamePattern, candidates};
pub use handshake::{HANDSHAKES, Handshake, handshake};

/// The GATT services and characteristics of a board. UUIDs are in lower case, as BlueZ writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GattProfile {
    /// The services that the characteristics belong to; the board has all of them.
    pub services: &'static [&'static str],
    /// The characteristics that notify. Notifications of all of them are to be enabled before the first write.
    pub notify: &'static [&'static str],
    /// The characteristic that commands are written to.
    pub write: &'static str,
    /// The smallest ATT MTU with which all messages arrive, in bytes. With a smaller one the board may truncate messages.
    pub min_mtu: u16,
    /// Minimum interval between two writes, in milliseconds. The protocols of boards without a cable keep to it
    /// ([`super::Write::at`]); the link keeps to it for all.
    pub write_interval: Millis,
}

impl GattProfile {
    /// Returns the services that only boards with this profile have: neither the Nordic UART service nor the short UUIDs, such as
    /// `ffe0`, which many devices have.
    pub fn own_services(&self) -> impl Iterator<Item = &'static str> {
        let is_shared = |service: &str| service == NORDIC_UART_SERVICE || service.ends_with(SHORT_UUID_END);
        self.services.iter().copied().filter(move |service| !is_shared(service))
    }
}

/// UUID of the Nordic UART service.
pub const NORDIC_UART_SERVICE: &str = "6e400001-b5a3-f393-e0a9-e50e24dcca9e";
/// UUID of the serial port profile of classic Bluetooth.
pub const SERIAL_PORT_SERVICE: &str = "00001101-0000-1000-8000-00805f9b34fb";
/// The end of every UUID that is written in short, with 16 or 32 bits.
const SHORT_UUID_END: &str = "-0000-1000-8000-00805f9b34fb";

/// The smallest MTU of Bluetooth Low Energy, in bytes: 20 bytes of data.
pub const DEFAULT_MTU: u16 = 23;

/// The Nordic UART service, which at least six makers use for different protocols: it does not say which board it is.
pub static NORDIC_UART: GattProfile = GattProfile {
    services: &[NORDIC_UART_SERVICE],
    notify: &["6e400003-b5a3-f393-e0a9-e50e24dcca9e"],
    write: "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    min_mtu: DEFAULT_MTU,
    write_interval: 50,
};

/// How a board is connected over Bluetooth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bluetooth {
    /// Low Energy: notifications and writes of these characteristics.
    Gatt(&'static GattProfile),
    /// Classic Bluetooth, serial port profile: the bytes of the serial line.
    Rfcomm,
}
