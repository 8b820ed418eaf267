//! An MCP23017 with the register layout after power-up (`IOCON.BANK` = 0), as in its data sheet.

use super::Lines;
use super::wiring::{Bank, Mcp23017};
use embedded_hal::i2c::I2c;
use linux_embedded_hal::I2cdev;
use std::io;
use std::time::Duration;

/// Registers of port A; those of port B follow each of them.
mod register {
    /// Direction: 1 is input.
    pub(super) const IODIR: u8 = 0x00;
    /// Pull-up resistors.
    pub(super) const GPPU: u8 = 0x0c;
    /// Levels of the pins.
    pub(super) const GPIO: u8 = 0x12;
    /// Output latches.
    pub(super) const OLAT: u8 = 0x14;
}

/// An expander whose pins have been set up.
pub(super) struct Expander {
    bus: I2cdev,
    wired: Mcp23017,
}

impl Expander {
    /// Opens the bus and sets up the pins.
    pub(super) fn open(wired: &Mcp23017) -> Result<Expander, String> {
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
