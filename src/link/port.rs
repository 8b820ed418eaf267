//! A board's port, independent of the kind of connection.

use super::matrix;
use super::serial::{self, LineError, OpenError};
use super::usb;
use crate::boards::{Connection, ControlLines};
use std::path::Path;

/// An open port, held exclusively until it is dropped.
#[derive(Debug)]
pub enum Port {
    /// A serial port.
    Serial(serial::Port),
    /// Reed switches on the computer's own GPIO or I²C lines.
    Matrix(matrix::Port),
    /// USB reports.
    Usb(usb::Port),
}

impl Port {
    /// Opens the port at this device node. `control` is for serial ports.
    ///
    /// Must be called inside a tokio runtime with I/O. Never blocks; a serial port is opened at once.
    pub async fn open(path: &Path, connection: Connection, control: ControlLines) -> Result<Port, OpenError> {
        match connection {
            Connection::Serial(line) => serial::Port::open(path, line, control).map(Port::Serial),
            Connection::Bluetooth(_) => Err(OpenError::Other {
                port: path.to_owned(),
                reason: "boards of this model are connected over Bluetooth only".to_owned(),
            }),
            Connection::Matrix => matrix::Port::open(path).map(Port::Matrix),
            Connection::Usb(hid) => usb::Port::open(path, hid).await.map(Port::Usb),
        }
    }

    /// Reads bytes into `buf` (from USB one report) and returns their number, at least one. Cancel safe.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        match self {
            Port::Serial(port) => port.read(buf).await,
            Port::Matrix(port) => port.read(buf).await,
            Port::Usb(port) => port.read(buf).await,
        }
    }

    /// Writes all bytes at once: pauses between writes are up to the caller. Not cancel safe.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        match self {
            Port::Serial(port) => port.write_all(bytes).await,
            Port::Matrix(port) => port.write(bytes),
            Port::Usb(port) => port.write_all(bytes).await,
        }
    }
}
