//! Boards without a serial port: a Chessnut over USB, and reed switches on an I²C expander, emulated by umockdev without root
//! or kernel modules.
//!
//! The fake devices are a separate process (`tests/data/umockdev`), so that they outlive the daemon.

use super::line::{Cable, TICK};
use crate::daemon::plugs::umockdev;
use crate::harness::{Daemon, PrivateBus, eventually};
use shakmaty::Square;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::boards::matrix::packet;
use touchmove::simulate::Simulation;

/// The interval between power failures of an expander.
const POWER_FAILURE_EVERY: Duration = Duration::from_millis(20);
/// Prints the path of the devices and keeps running, longer than any schedule lasts: the devices exist as long as this process
/// runs.
const KEEP_RUNNING: &str = "echo \"$UMOCKDEV_DIR\" > \"$0\"; exec sleep 900";

/// Fake devices, one of which is a board.
pub struct Mock {
    devices: Daemon,
    /// umockdev's directory for the devices.
    root: PathBuf,
    dir: TempDir,
    board: FakeBoard,
    plugged: bool,
}

enum FakeBoard {
    Chessnut {
        /// The device number on the bus, a new one each time.
        number: u32,
        /// The command that sets its squares.
        squares: Option<String>,
    },
    Matrix {
        power_failed: Instant,
    },
}

/// Why this model cannot be emulated here; `None`: it can, or the model needs no fake devices.
pub fn missing(model: &str) -> Option<&'static str> {
    match model {
        "matrix" if !cfg!(feature = "gpio") => Some("built without `--features gpio`"),
        "chessnut" | "matrix" if umockdev("plugs.py").is_none() => Some("umockdev is not installed"),
        _ => None,
    }
}

impl Mock {
    /// Starts fake devices with a board of this model plugged in. Returns when the devices exist.
    pub fn start(model: &str, simulation: &mut Simulation) -> Mock {
        let dir = tempfile::tempdir().expect("a directory");
        let root_file = dir.path().join("root");
        let script = if model == "matrix" { "matrix.py" } else { "plugs.py" };
        let mut command = umockdev(script).expect("umockdev");
        let board = if model == "matrix" {
            let wiring = "diodes = true\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n";
            std::fs::write(dir.path().join("matrix.toml"), wiring).expect("room for the wiring");
            FakeBoard::Matrix { power_failed: Instant::now() }
        } else {
            // The virtual board reports its squares as soon as it is told to; the daemon sends that command to the fake device.
            simulation.receive(0, &[0x21, 1, 0]);
            command.arg(dir.path().join("log")).arg(plug(4));
            FakeBoard::Chessnut { number: 4, squares: None }
        };
        command.args(["--", "sh", "-c", KEEP_RUNNING]).arg(&root_file).stdin(Stdio::piped());
        let devices = Daemon::run_quiet(command, &[]);
        let root = eventually("the fake devices", || {
            let line = std::fs::read_to_string(&root_file).ok()?;
            line.strip_suffix('\n').map(PathBuf::from)
        });
        let mut mock = Mock { devices, root, dir, board, plugged: true };
        if let FakeBoard::Matrix { .. } = mock.board {
            let is_occupied = |square: &Square| simulation.script().initial_pieces[*square as usize].is_some();
            mock.send(&packet(Square::ALL.into_iter().filter(is_occupied).collect(), true));
        }
        mock
    }

    /// Starts a touchmoved that sees these devices.
    pub fn daemon(&self, bus: &PrivateBus, state: &Path) -> Daemon {
        let mut command = Command::new("umockdev-wrapper");
        command.arg(env!("CARGO_BIN_EXE_touchmoved")).env("UMOCKDEV_DIR", &self.root);
        // No configuration file.
        command.env("XDG_CONFIG_HOME", self.dir.path()).env("HOME", self.dir.path());
        let (address, wiring) = (bus.address(), self.dir.path().join("matrix.toml"));
        let mut args = vec!["--bus", &address, "--state-dir", state.to_str().expect("UTF-8")];
        if let FakeBoard::Matrix { .. } = self.board {
            args.extend(["--board", "matrix", "--port", wiring.to_str().expect("UTF-8")]);
        }
        Daemon::run_quiet(command, &args)
    }

    /// Plugs a USB board in again after a daemon was killed: a fake one serves only one process. Returns when the device
    /// exists.
    pub fn renew(&mut self) {
        if !self.plugged || matches!(self.board, FakeBoard::Matrix { .. }) {
            return;
        }
        self.set_plugged(false);
        self.set_plugged(true);
        if let FakeBoard::Chessnut { number, .. } = self.board {
            let file = self.root.join("sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/devnum");
            let is_present = || std::fs::read_to_string(&file).is_ok_and(|text| text.trim() == number.to_string());
            eventually("the fake USB device", || is_present().then_some(()));
        }
    }

    /// The log of the devices' process.
    pub fn log(&self) -> String {
        self.devices.log()
    }

    fn set_plugged(&mut self, plugged: bool) -> bool {
        let changes = std::mem::replace(&mut self.plugged, plugged) != plugged;
        match &mut self.board {
            FakeBoard::Chessnut { number, squares } if changes && plugged => {
                *number += 1;
                self.devices.write_line(&plug(*number));
                if let Some(squares) = squares {
                    self.devices.write_line(squares);
                }
            }
            FakeBoard::Chessnut { .. } if changes => self.devices.write_line("cut 1-2"),
            // The last power failure is when the expander comes back: the daemon has to configure it again after that.
            FakeBoard::Matrix { power_failed } if changes || !plugged && power_failed.elapsed() >= POWER_FAILURE_EVERY => {
                *power_failed = Instant::now();
                self.devices.write_line("power");
            }
            _ => {}
        }
        changes
    }

    fn send(&mut self, bytes: &[u8]) {
        match (&mut self.board, bytes) {
            (FakeBoard::Chessnut { squares, .. }, [0x01, _, report @ ..]) if report.len() >= 32 => {
                let line = squares.insert(format!("squares 1-2 {}", hex(&report[..32])));
                if self.plugged {
                    self.devices.write_line(line);
                }
            }
            // The first byte says whether there are diodes; the others are the closed switches.
            (FakeBoard::Matrix { .. }, [_, closed @ ..]) => self.devices.write_line(&format!("closed {}", hex(closed))),
            _ => {}
        }
    }
}

impl Cable for Arc<Mutex<Mock>> {
    fn set_plugged(&mut self, plugged: bool) -> bool {
        self.lock().unwrap().set_plugged(plugged)
    }

    fn send(&mut self, bytes: &[u8]) {
        self.lock().unwrap().send(bytes);
    }

    fn exchange(&mut self) -> Vec<u8> {
        std::thread::sleep(TICK);
        Vec::new()
    }
}

fn plug(number: u32) -> String {
    format!("hid 1-2 {number} SN0001")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
