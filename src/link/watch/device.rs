//! A device that may be a board, and the conclusion from its USB ids.

use crate::boards::{BOARDS, Connection, Model};
use std::fmt;
use std::path::PathBuf;

/// USB vendor and product id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsbIds {
    /// idVendor.
    pub vendor: u16,
    /// idProduct.
    pub product: u16,
}

impl fmt::Display for UsbIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:04x}", self.vendor, self.product)
    }
}

impl std::str::FromStr for UsbIds {
    type Err = ();
    /// Parses four hexadecimal digits, a colon and four more, e.g. `0403:6001`.
    fn from_str(text: &str) -> Result<UsbIds, ()> {
        let (vendor, product) = text.split_once(':').filter(|(v, p)| v.len() == 4 && p.len() == 4).ok_or(())?;
        let hex = |digits: &str| match digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            true => u16::from_str_radix(digits, 16).map_err(drop),
            false => Err(()),
        };
        Ok(UsbIds { vendor: hex(vendor)?, product: hex(product)? })
    }
}

/// How a device is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// As a serial port.
    Serial,
    /// As a USB device, without a kernel driver.
    Usb,
}

impl DeviceKind {
    /// Returns the kind for this connection; `None` if it does not use a device of its own.
    pub fn of(connection: Connection) -> Option<DeviceKind> {
        match connection {
            Connection::Serial(_) => Some(DeviceKind::Serial),
            Connection::Usb(_) => Some(DeviceKind::Usb),
            Connection::Matrix | Connection::Bluetooth(_) => None,
        }
    }
}

/// A serial port of this machine, or a USB device whose ids name a board that is not a serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// How the device is accessed.
    pub kind: DeviceKind,
    /// Device node, e.g. `/dev/ttyUSB0` or `/dev/bus/usb/001/004`.
    pub node: PathBuf,
    /// Symbolic links to it, e.g. `/dev/serial/by-id/…`, sorted.
    pub links: Vec<PathBuf>,
    /// Ids of the USB device that it is or belongs to; `None` for a port on the mainboard.
    pub ids: Option<UsbIds>,
    /// Model assigned by a udev rule, see [`crate::link::rules::ASSIGNED_PROPERTY`].
    pub assigned_model: Option<&'static Model>,
    /// Serial number of the USB device.
    pub serial: Option<String>,
    /// Manufacturer and product strings of the USB device.
    pub title: Option<String>,
    /// Kernel driver, e.g. `ftdi_sio`.
    pub driver: Option<String>,
    /// USB path, e.g. `1-2` (bus 1, socket 2); it belongs to the socket, whatever is plugged in there.
    pub usb_path: Option<String>,
    /// Whether ModemManager is configured to ignore it.
    pub modem_manager_ignores: bool,
}

/// Conclusion from a device's USB ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A board: by its own id, or assigned to touchmove as this board by a udev rule.
    Board(&'static Model),
    /// An adapter that these boards contain (at least one), and many other devices too.
    MaybeBoard(Vec<&'static Model>),
    /// Not a known board.
    Unknown,
}

pub(super) fn verdict(kind: DeviceKind, ids: UsbIds) -> Verdict {
    let of_kind = BOARDS.iter().copied().filter(|model| DeviceKind::of(model.connection) == Some(kind));
    let known: Vec<(&'static Model, bool)> = of_kind
        .flat_map(|model| model.usb.iter().map(move |usb| (model, usb)))
        .filter(|(_, usb)| usb.contains(ids.vendor, ids.product))
        .map(|(model, usb)| (model, usb.generic))
        .collect();
    match known.iter().find(|(_, generic)| !generic) {
        Some((model, _)) => Verdict::Board(model),
        None if known.is_empty() => Verdict::Unknown,
        None => Verdict::MaybeBoard(known.into_iter().map(|(model, _)| model).collect()),
    }
}

impl Device {
    /// Returns the conclusion from udev rules and USB ids, by the table of boards.
    pub fn verdict(&self) -> Verdict {
        match (self.assigned_model, self.ids) {
            (Some(model), _) => Verdict::Board(model),
            (None, Some(ids)) => verdict(self.kind, ids),
            (None, None) => Verdict::Unknown,
        }
    }
}

/// Returns the devices to serve if no board is configured: those whose own USB id names a board, or that a udev rule assigns to
/// touchmove. A device with a generic id must be assigned or configured, even if it is the only one: probing it could disturb
/// whatever it is.
pub fn boards_to_serve(ports: &[Device]) -> impl Iterator<Item = (&Device, &'static Model)> {
    ports.iter().filter_map(|port| match port.verdict() {
        Verdict::Board(model) => Some((port, model)),
        _ => None,
    })
}
