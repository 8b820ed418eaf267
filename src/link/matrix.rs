//! A matrix of reed switches on the computer's own lines: a file describes the wiring, and a thread scans it.
//!
//! **Invariant:** No lines are driven except those that the file names as rows, and those only against the pull of the columns: a
//! row is driven to one level or released, never to the other level.

use super::serial::{LineError, OpenError};
use crate::boards::matrix::{ASK, PACKET, packet};
use shakmaty::Bitboard;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc as packets;

/// Capacity of the packet queue to the link task: a second of a piece being moved quickly over the board.
const PACKET_QUEUE: usize = 64;

/// Wiring of a matrix: a TOML file, documented in `docs/matrix.md`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiring {
    /// Scans per second, 10–200.
    #[serde(default = "scans")]
    pub scan_hz: u32,
    /// Settle time between driving a row and reading its columns, in microseconds, 0–5000.
    #[serde(default = "settle")]
    pub settle_us: u64,
    /// Whether every switch has a diode.
    pub diodes: bool,
    /// Level of a column whose contact is closed.
    #[serde(default)]
    pub closed: Level,
    /// Lines of a GPIO chip.
    pub gpio: Option<Gpio>,
    /// An MCP23017 expander.
    pub mcp23017: Option<Mcp23017>,
}

fn scans() -> u32 {
    50
}

fn settle() -> u64 {
    150
}

/// The level to which a closed contact brings its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Rows are driven low; the chip pulls columns high.
    #[default]
    Low,
    /// Rows are driven high, columns pulled low; GPIO only.
    High,
}

/// Eight rows and eight columns on a GPIO chip, as line numbers.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpio {
    /// Character device of the chip, e.g. `/dev/gpiochip0`.
    pub chip: PathBuf,
    /// Ranks 1 to 8.
    pub rows: [u32; 8],
    /// Files a to h.
    pub columns: [u32; 8],
}

/// An MCP23017 on an I²C bus: one of its ports drives the rows, the other reads the columns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mcp23017 {
    /// Bus, e.g. `/dev/i2c-1`.
    pub bus: PathBuf,
    /// Address, 0x20–0x27.
    pub address: u8,
    /// Port of the rows; the columns are on the other one.
    pub rows: Bank,
    /// Pins of ranks 1 to 8, 0–7.
    #[serde(default = "in_order")]
    pub row_pins: [u8; 8],
    /// Pins of files a to h, 0–7.
    #[serde(default = "in_order")]
    pub column_pins: [u8; 8],
}

fn in_order() -> [u8; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7]
}

/// One of the two ports of an MCP23017.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub enum Bank {
    /// GPA0–GPA7.
    A,
    /// GPB0–GPB7.
    B,
}

impl Wiring {
    /// Parses and validates a wiring file.
    ///
    /// # Errors
    /// A description of everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Wiring, String> {
        let wiring: Wiring = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        let mut wrong: Vec<String> = Vec::new();
        if !(10..=200).contains(&wiring.scan_hz) {
            wrong.push(format!("scan_hz is {}, but must be 10 to 200", wiring.scan_hz));
        }
        if wiring.settle_us > 5_000 {
            wrong.push(format!("settle_us is {}, but must be at most 5000", wiring.settle_us));
        }
        if wiring.settle_us.saturating_mul(8 * u64::from(wiring.scan_hz)) > 900_000 {
            wrong
                .push("settle_us is too long for this scan_hz: a scan waits for it once for each of the eight rows".to_owned());
        }
        match (&wiring.gpio, &wiring.mcp23017) {
            (Some(gpio), None) => {
                let mut lines: Vec<u32> = gpio.rows.iter().chain(&gpio.columns).copied().collect();
                lines.sort_unstable();
                let twice =
                    lines.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("line {} is used twice", pair[0]));
                wrong.extend(twice);
            }
            (None, Some(expander)) => {
                if !(0x20..=0x27).contains(&expander.address) {
                    wrong.push(format!("address is {:#04x}, but an MCP23017 has 0x20 to 0x27", expander.address));
                }
                for (name, pins) in [("row_pins", expander.row_pins), ("column_pins", expander.column_pins)] {
                    let mut sorted = pins;
                    sorted.sort_unstable();
                    if sorted != in_order() {
                        wrong.push(format!("{name} must be each of 0 to 7 once"));
                    }
                }
                if wiring.closed == Level::High {
                    wrong.push("an MCP23017 can only pull columns high: closed must be \"low\"".to_owned());
                }
            }
            _ => wrong.push("the file must have exactly one of [gpio] and [mcp23017]".to_owned()),
        }
        if wrong.is_empty() { Ok(wiring) } else { Err(wrong.join("; ")) }
    }
}

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
    packets: packets::Receiver<io::Result<[u8; PACKET]>>,
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
                Ok(PACKET.min(buf.len()))
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
        match bytes.contains(&ASK) && self.scan_requests.send(()).is_err() {
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

/// Lines of the kernel's GPIO character device.
#[cfg(feature = "gpio")]
mod chip {
    use super::{Gpio, Level, Lines};
    use gpiocdev::Request;
    use gpiocdev::line::{Bias, Drive, Value};
    use std::io;
    use std::time::Duration;

    pub struct Chip {
        rows: Request,
        columns: Request,
        wired: Gpio,
    }

    impl Chip {
        pub fn open(wired: &Gpio, closed: Level) -> Result<Chip, String> {
            let (drive, bias) = match closed {
                Level::Low => (Drive::OpenDrain, Bias::PullUp),
                Level::High => (Drive::OpenSource, Bias::PullDown),
            };
            let mut rows = Request::builder();
            rows.on_chip(&wired.chip).with_consumer("touchmove rows").with_lines(&wired.rows);
            rows.as_output(Value::Inactive).with_drive(drive);
            let mut columns = Request::builder();
            columns.on_chip(&wired.chip).with_consumer("touchmove columns").with_lines(&wired.columns);
            columns.as_input().with_bias(bias);
            if closed == Level::Low {
                rows.as_active_low();
                columns.as_active_low();
            }
            let with_path = |error: gpiocdev::Error| format!("{}: {error}", wired.chip.display());
            Ok(Chip {
                rows: rows.request().map_err(with_path)?,
                columns: columns.request().map_err(with_path)?,
                wired: wired.clone(),
            })
        }
    }

    impl Lines for Chip {
        fn read(&mut self, row: usize, settle: Duration) -> io::Result<u8> {
            let Some(&line) = self.wired.rows.get(row) else { return Ok(0) };
            self.rows.set_value(line, Value::Active).map_err(io::Error::other)?;
            std::thread::sleep(settle);
            let mut values = gpiocdev::line::Values::default();
            let read = self.columns.values(&mut values);
            self.rows.set_value(line, Value::Inactive).map_err(io::Error::other)?;
            read.map_err(io::Error::other)?;
            let closed = |column: &u32| u8::from(values.get(*column) == Some(Value::Active));
            Ok(self.wired.columns.iter().rev().fold(0, |all, column| all << 1 | closed(column)))
        }
    }
}

/// An MCP23017 with the register layout after power-up (`IOCON.BANK` = 0), as in its data sheet.
#[cfg(feature = "gpio")]
mod expander {
    use super::{Bank, Lines, Mcp23017};
    use embedded_hal::i2c::I2c;
    use linux_embedded_hal::I2cdev;
    use std::io;
    use std::time::Duration;

    /// Registers of port A; those of port B follow each of them.
    mod register {
        /// Direction: 1 is input.
        pub const IODIR: u8 = 0x00;
        /// Pull-up resistors.
        pub const GPPU: u8 = 0x0c;
        /// Levels of the pins.
        pub const GPIO: u8 = 0x12;
        /// Output latches.
        pub const OLAT: u8 = 0x14;
    }

    pub struct Expander {
        bus: I2cdev,
        wired: Mcp23017,
    }

    impl Expander {
        pub fn open(wired: &Mcp23017) -> Result<Expander, String> {
            let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", wired.bus.display());
            let bus = I2cdev::new(&wired.bus).map_err(|error| with_path(&error))?;
            let mut expander = Expander { bus, wired: wired.clone() };
            let (rows, columns) = expander.banks();
            // A released row is an input; a driven row is a low output.
            for (register, value) in [
                (register::IODIR + rows, 0xff),
                (register::OLAT + rows, 0x00),
                (register::IODIR + columns, 0xff),
                (register::GPPU + columns, 0xff),
            ] {
                let set = expander.set(register, value);
                set.map_err(|error| format!("{}, address {:#04x}: {error}", wired.bus.display(), wired.address))?;
            }
            Ok(expander)
        }

        /// Returns the offsets from port A's registers to those of the rows and of the columns.
        fn banks(&self) -> (u8, u8) {
            let rows = u8::from(self.wired.rows == Bank::B);
            (rows, 1 - rows)
        }

        fn get(&mut self, register: u8) -> io::Result<u8> {
            let mut value = [0];
            self.bus.write_read(self.wired.address, &[register], &mut value).map_err(io::Error::other)?;
            Ok(value[0])
        }

        fn set(&mut self, register: u8, value: u8) -> io::Result<()> {
            self.bus.write(self.wired.address, &[register, value]).map_err(io::Error::other)
        }
    }

    impl Lines for Expander {
        fn read(&mut self, row: usize, settle: Duration) -> io::Result<u8> {
            let Some(&pin) = self.wired.row_pins.get(row) else { return Ok(0) };
            let (rows, columns) = self.banks();
            self.set(register::IODIR + rows, !(1 << pin))?;
            std::thread::sleep(settle);
            let levels = self.get(register::GPIO + columns);
            self.set(register::IODIR + rows, 0xff)?;
            let levels = levels?;
            // Without pull-ups, which a power loss resets, columns float: such a scan is discarded.
            if row == 7 && self.get(register::GPPU + columns)? != 0xff {
                return Err(io::Error::other("the expander has lost its settings: check its power"));
            }
            let closed = |pin: &u8| u8::from(levels & (1 << pin) == 0);
            Ok(self.wired.column_pins.iter().rev().fold(0, |all, pin| all << 1 | closed(pin)))
        }
    }
}
