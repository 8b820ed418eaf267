//! How a board is connected to this machine, and the USB ids by which it is recognised.

use super::bluetooth::Bluetooth;
use std::ops::RangeInclusive;

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
    /// Both cleared, as required on a line shared by many boards (see [`super::dgt_bus`]). Even then Linux asserts DTR for a moment when
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
    /// USB reports: packets. Each call of [`super::Protocol::receive`] and each [`super::Write`] carries one whole packet.
    Usb(HidInterface),
    /// Reed switches on GPIO lines of this machine, described by a file: packets in the format documented in [`super::matrix`].
    Matrix,
    /// Bluetooth, without a cable: with GATT a stream of bytes that arrive in notifications, and one value for each
    /// [`super::Write`]; with RFCOMM a stream of bytes.
    Bluetooth(Bluetooth),
}

impl Connection {
    /// Returns the default state of the modem control lines. It has no meaning for connections that have none.
    pub fn control_lines(&self) -> ControlLines {
        match self {
            Connection::Serial(line) => line.control,
            Connection::Usb(_) | Connection::Matrix | Connection::Bluetooth(_) => ControlLines::default(),
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
    pub const fn board(vendor: u16, product: u16) -> UsbId {
        UsbId::boards(vendor, product, product)
    }

    /// Creates the board's own ids: all products from `first` to `last`.
    pub const fn boards(vendor: u16, first: u16, last: u16) -> UsbId {
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
