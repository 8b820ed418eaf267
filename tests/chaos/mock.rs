//! Boards on no serial line: a Chessnut over USB, and switches on an I²C expander, as umockdev fakes them without root or kernel
//! modules.
//!
//! The fake devices are a process of their own (`tests/data/umockdev`), so that they outlive the daemon.

use super::line::{Cable, TICK};
use crate::harness::{Daemon, PrivateBus, eventually};
use crate::plugs::umockdev;
use shakmaty::Square;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::boards::matrix::packet;
use touchmove::simulate::Simulation;

/// How often the power of an expander fails.
const POWER_FAILS: Duration = Duration::from_millis(20);
/// Says where the devices are and stays, longer than any schedule lasts: they are there as long as this runs.
const STAY: &str = "echo \"$UMOCKDEV_DIR\" > \"$0\"; exec sleep 900";

/// Fake devices with a board among them.
pub struct Mock {
    devices: Daemon,
    /// Where umockdev keeps them.
    root: PathBuf,
    dir: TempDir,
    board: FakeBoard,
    plugged: bool,
}

enum FakeBoard {
    Chessnut {
        /// The number that it has on the bus, another one each time.
        number: u32,
        /// What stands on it.
        squares: Option<String>,
    },
    Matrix {
        power_failed: Instant,
    },
}

/// Why there can be no fake board of this model; `None`: there can, or the model needs none.
pub fn missing(model: &str) -> Option<&'static str> {
    match model {
        "matrix" if !cfg!(feature = "gpio") => Some("built without `--features gpio`"),
        "chessnut" | "matrix" if umockdev("plugs.py").is_none() => Some("umockdev is not installed"),
        _ => None,
    }
}

impl Mock {
    /// Starts fake devices with a board of this model plugged in. Returns when they are there.
    pub fn start(model: &str, stage: &mut Simulation) -> Mock {
        let dir = tempfile::tempdir().expect("a directory");
        let place = dir.path().join("root");
        let script = if model == "matrix" { "matrix.py" } else { "plugs.py" };
        let mut command = umockdev(script).expect("umockdev");
        let board = if model == "matrix" {
            let wiring = "diodes = true\n[mcp23017]\nbus = \"/dev/i2c-1\"\naddress = 0x20\nrows = \"A\"\n";
            std::fs::write(dir.path().join("matrix.toml"), wiring).expect("room for the wiring");
            FakeBoard::Matrix { power_failed: Instant::now() }
        } else {
            // It reports what stands on it as soon as it is told to, and the daemon tells the fake one.
            stage.receive(0, &[0x21, 1, 0]);
            command.arg(dir.path().join("log")).arg(plug(4));
            FakeBoard::Chessnut { number: 4, squares: None }
        };
        command.args(["--", "sh", "-c", STAY]).arg(&place).stdin(Stdio::piped());
        let devices = Daemon::quietly(command, &[]);
        let root = eventually("the fake devices", || {
            let line = std::fs::read_to_string(&place).ok()?;
            line.strip_suffix('\n').map(PathBuf::from)
        });
        let mut mock = Mock { devices, root, dir, board, plugged: true };
        if let FakeBoard::Matrix { .. } = mock.board {
            let stands = |square: &Square| stage.script().initial_pieces[*square as usize].is_some();
            mock.send(&packet(Square::ALL.into_iter().filter(stands).collect(), true));
        }
        mock
    }

    /// A touchmoved that sees these devices.
    pub fn daemon(&self, bus: &PrivateBus, state: &Path) -> Daemon {
        let mut command = Command::new("umockdev-wrapper");
        command.arg(env!("CARGO_BIN_EXE_touchmoved")).env("UMOCKDEV_DIR", &self.root);
        // There is no configuration.
        command.env("XDG_CONFIG_HOME", self.dir.path()).env("HOME", self.dir.path());
        let (address, wiring) = (bus.address(), self.dir.path().join("matrix.toml"));
        let mut args = vec!["--bus", &address, "--state-dir", state.to_str().expect("UTF-8")];
        if let FakeBoard::Matrix { .. } = self.board {
            args.extend(["--board", "matrix", "--port", wiring.to_str().expect("UTF-8")]);
        }
        Daemon::quietly(command, &args)
    }

    /// Plugs a USB board in anew after a daemon was killed: a fake one serves one process only. Returns when it is there.
    pub fn renew(&mut self) {
        if !self.plugged || matches!(self.board, FakeBoard::Matrix { .. }) {
            return;
        }
        self.set_plugged(false);
        self.set_plugged(true);
        if let FakeBoard::Chessnut { number, .. } = self.board {
            let file = self.root.join("sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/devnum");
            let is_there = || std::fs::read_to_string(&file).is_ok_and(|text| text.trim() == number.to_string());
            eventually("the fake USB device", || is_there().then_some(()));
        }
    }

    /// What the process of the devices complained of.
    pub fn log(&self) -> String {
        self.devices.log()
    }

    fn set_plugged(&mut self, plugged: bool) -> bool {
        let changes = std::mem::replace(&mut self.plugged, plugged) != plugged;
        match &mut self.board {
            FakeBoard::Chessnut { number, squares } if changes && plugged => {
                *number += 1;
                self.devices.tell(&plug(*number));
                if let Some(squares) = squares {
                    self.devices.tell(squares);
                }
            }
            FakeBoard::Chessnut { .. } if changes => self.devices.tell("cut 1-2"),
            // For the last time when it comes back: the daemon has to set the expander up again after that.
            FakeBoard::Matrix { power_failed } if changes || !plugged && power_failed.elapsed() >= POWER_FAILS => {
                *power_failed = Instant::now();
                self.devices.tell("power");
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
                    self.devices.tell(line);
                }
            }
            // After a byte that says whether there are diodes: what is closed.
            (FakeBoard::Matrix { .. }, [_, closed @ ..]) => self.devices.tell(&format!("closed {}", hex(closed))),
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
