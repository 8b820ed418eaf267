//! Lines of the kernel's GPIO character device.

use super::Lines;
use super::wiring::{Gpio, Level};
use gpiocdev::Request;
use gpiocdev::line::{Bias, Drive, Value};
use std::io;
use std::time::Duration;

/// Eight rows and eight columns of one chip.
pub(super) struct Chip {
    rows: Request,
    columns: Request,
    wired: Gpio,
}

impl Chip {
    /// Requests the lines from the kernel.
    pub(super) fn open(wired: &Gpio, closed: Level) -> Result<Chip, String> {
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
