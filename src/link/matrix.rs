//! A matrix of reed switches on the computer's own lines: a file describes the wiring, and a thread scans it.
//!
//! **Invariant:** No lines are driven except those that the file names as rows, and those only against the pull of the columns: a
//! row is driven to one level or released, never to the other level.

#[cfg(feature = "gpio")]
mod chip;
#[cfg(feature = "gpio")]
mod expander;
mod wiring;

use super::serial::{LineError, OpenError};
use crate::boards::matrix::{PACKET_LENGTH, SCAN_REQUEST, packet};
use shakmaty::Bitboard;
use std::io;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc as packets;

pub use wiring::{Bank, Gpio, Level, Mcp23017, Wiring};

/// Capacity of the packet queue to the link task: a second of a piece being moved quickly over the board.
const PACKET_QUEUE: usize = 64;

/// The lines of a matrix.
pub trait Lines: Send {
    /// Drives a row (0–7), waits, reads the columns and releases the row. Bit 0 is the first column; 1 means that its contact is
    /// closed.
    fn read(&mut self, row: usize, settle: Duration) -> io::Result<u8>;
}

/// Scans all squares once.
pub fn scan(lines: &mut dyn Lines, settle: Duration) -> io::Result<Bitboard> {
    let mut closed = 0;
    for row in 0..8 {
        closed |= u64::from(lines.read(row, settle)?) << (8 * row);
    }
    Ok(Bitboard(closed))
}

/// A matrix that is being scanned.
#[derive(Debug)]
pub struct Port {
    packets: packets::Receiver<io::Result<[u8; PACKET_LENGTH]>>,
    scan_requests: mpsc::Sender<()>,
}

impl Port {
    /// Reads the wiring file at this path and begins to scan.
    ///
    /// # Errors
    /// The file does not exist or is invalid, or its lines are not available.
    pub fn open(path: &Path) -> Result<Port, OpenError> {
        let failed = |reason: String| OpenError::Other { port: path.to_path_buf(), reason };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(OpenError::NoSuchDevice { port: path.to_path_buf() });
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        let wiring = Wiring::parse(&text).map_err(failed)?;
        let lines = lines(&wiring).map_err(failed)?;
        Port::start(&wiring, lines).map_err(|error| failed(error.to_string()))
    }

    /// Begins to scan these lines.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(wiring: &Wiring, mut lines: Box<dyn Lines>) -> io::Result<Port> {
        let (sender, packets) = packets::channel(PACKET_QUEUE);
        let (scan_requests, requested) = mpsc::channel();
        let (period, settle) = (Duration::from_secs(1) / wiring.scan_hz, Duration::from_micros(wiring.settle_us));
        let diodes = wiring.diodes;
        std::thread::Builder::new().name("matrix".to_owned()).spawn(move || {
            let mut last = None;
            let mut is_requested = false;
            loop {
                let began = Instant::now();
                let scanned = scan(&mut *lines, settle);
                let is_closed = match scanned {
                    Ok(closed) if is_requested || last != Some(closed) => {
                        last = Some(closed);
                        sender.blocking_send(Ok(packet(closed, diodes))).is_err()
                    }
                    Ok(_) => sender.is_closed(),
                    Err(error) => {
                        // The receiver may be gone; the port ends in either case.
                        let _ = sender.blocking_send(Err(error));
                        true
                    }
                };
                if is_closed {
                    return;
                }
                is_requested = match requested.recv_timeout(period.saturating_sub(began.elapsed())) {
                    Ok(()) => true,
                    Err(mpsc::RecvTimeoutError::Timeout) => false,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                };
            }
        })?;
        Ok(Port { packets, scan_requests })
    }

    /// Reads a packet and returns its length in bytes. Cancel safe.
    ///
    /// # Errors
    /// The lines failed.
    pub async fn read(&mut self, buf: &mut [u8]) -> Result<usize, LineError> {
        match self.packets.recv().await {
            Some(Ok(packet)) => {
                buf.iter_mut().zip(packet).for_each(|(to, from)| *to = from);
                Ok(PACKET_LENGTH.min(buf.len()))
            }
            Some(Err(error)) => Err(error.into()),
            None => Err(LineError::Gone),
        }
    }

    /// Accepts the bytes that [`crate::boards::matrix`] sends.
    ///
    /// # Errors
    /// The lines failed.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        match bytes.contains(&SCAN_REQUEST) && self.scan_requests.send(()).is_err() {
            true => Err(LineError::Gone),
            false => Ok(()),
        }
    }
}

#[cfg(not(feature = "gpio"))]
fn lines(_: &Wiring) -> Result<Box<dyn Lines>, String> {
    Err("this touchmoved was built without support for GPIO and I²C: install the package, or build it with \
         `cargo build --release --features gpio`"
        .to_owned())
}

#[cfg(feature = "gpio")]
fn lines(wiring: &Wiring) -> Result<Box<dyn Lines>, String> {
    match (&wiring.gpio, &wiring.mcp23017) {
        (Some(gpio), _) => chip::Chip::open(gpio, wiring.closed).map(|chip| Box::new(chip) as Box<dyn Lines>),
        (_, Some(expander)) => expander::Expander::open(expander).map(|expander| Box::new(expander) as Box<dyn Lines>),
        (None, None) => Err("the file has neither [gpio] nor [mcp23017]".to_owned()),
    }
}
