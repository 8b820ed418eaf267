//! The file that describes the wiring of a matrix.

use std::path::PathBuf;

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
