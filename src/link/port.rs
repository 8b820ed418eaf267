//! A board's port, independent of the kind of connection.

use super::bluetooth::{self, Radio};
use super::matrix;
use super::serial::{self, LineError, OpenError};
use super::usb;
use crate::boards::{Connection, ControlLines, Model};
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a port is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A device node, or the file that describes a matrix.
    Device(PathBuf),
    /// The Bluetooth device with this address.
    Bluetooth(bluetooth::Address),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Device(path) => write!(f, "{}", path.display()),
            Endpoint::Bluetooth(address) => write!(f, "{address}"),
        }
    }
}

impl Endpoint {
    /// Opens the port of a board of this model. `control` is for serial ports.
    ///
    /// Must be called inside a tokio runtime with I/O and time. A device is opened in less than a second, a serial port at once; a
    /// connection over Bluetooth may take a minute.
    pub async fn open(&self, radio: &Radio, model: &'static Model, control: ControlLines) -> Result<Port, OpenError> {
        let Ok(opened) = self.open_unless(radio, model, control, std::future::pending::<Infallible>()).await;
        opened
    }

    /// Opens the port as [`Endpoint::open`] does, until `stop` is ready. What has been begun by then is ended.
    ///
    /// # Errors
    /// The output of `stop`.
    pub async fn open_unless<T>(
        &self,
        radio: &Radio,
        model: &'static Model,
        control: ControlLines,
        stop: impl Future<Output = T>,
    ) -> Result<Result<Port, OpenError>, T> {
        match self {
            Endpoint::Device(path) => tokio::select! {
                biased;
                stopped = stop => Err(stopped),
                opened = Port::open(path, model.connection, control) => Ok(opened),
            },
            Endpoint::Bluetooth(address) => {
                let opened = bluetooth::open_unless(radio, *address, model, stop).await?;
                Ok(opened.map(|port| Port::Bluetooth(Box::new(port))).map_err(OpenError::from))
            }
        }
    }
}

/// An open port, held exclusively until it is dropped.
#[derive(Debug)]
pub enum Port {
    /// A serial port.
    Serial(serial::Port),
    /// Reed switches on the computer's own GPIO or I²C lines.
    Matrix(matrix::Port),
    /// USB reports.
    Usb(usb::Port),
    /// A connection over Bluetooth.
    Bluetooth(Box<bluetooth::Port>),
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
                reason: "boards of this model have no cable; give the address, which `touchmovectl bluetooth scan` shows"
                    .to_owned(),
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
            Port::Bluetooth(port) => port.read(buf).await,
        }
    }

    /// Writes all bytes at once: pauses between writes are up to the caller. Not cancel safe.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        match self {
            Port::Serial(port) => port.write_all(bytes).await,
            Port::Matrix(port) => port.write(bytes),
            Port::Usb(port) => port.write_all(bytes).await,
            Port::Bluetooth(port) => port.write(bytes),
        }
    }

    /// Closes the port. Closing a device that accepts no data can take half a minute: on a thread of its own.
    pub async fn close(self) {
        match self {
            Port::Bluetooth(port) => port.close().await,
            // The port is dropped even if the runtime ends meanwhile.
            other => drop(tokio::task::spawn_blocking(move || drop(other)).await),
        }
    }
}
