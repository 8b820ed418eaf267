//! Boards over Bluetooth: a stand-in for BlueZ, on a bus of its own, with the schedule's board in the air.
//!
//! When the cable of another board would be out, the board is out of range, the adapter is off, or bluetoothd has died, in turn.

use super::line::{Cable, TICK};
use crate::harness::bluez::{Bluez, RadioBoard};
use crate::harness::{Daemon, PrivateBus};
use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use touchmove::boards::{Millis, model};
use touchmove::simulate::act::Act;
use touchmove::simulate::{Chunk, VirtualBoard};

const ADDRESS: &str = "AA:BB:CC:DD:EE:01";

/// A board in the air. The fields are in the order in which they must be dropped.
pub struct Radio {
    board: Arc<RadioBoard>,
    bluez: Bluez,
    wire: Wire,
    is_reachable: bool,
    /// How often it could not be reached so far.
    losses: usize,
    dir: TempDir,
    bus: PrivateBus,
}

/// The packets between the radio and the virtual board of the schedule.
#[derive(Clone, Default)]
struct Wire(Arc<Mutex<Packets>>);

#[derive(Default)]
struct Packets {
    from_board: Vec<Vec<u8>>,
    to_board: VecDeque<Vec<u8>>,
}

impl VirtualBoard for Wire {
    fn act(&mut self, _: Millis, _: Act, _: u32) {}

    fn receive(&mut self, _: Millis, bytes: &[u8]) {
        self.0.lock().unwrap().to_board.push_back(bytes.to_vec());
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        let packets = std::mem::take(&mut self.0.lock().unwrap().from_board);
        packets.into_iter().map(|bytes| Chunk { at: now, bytes, ply: 0 }).collect()
    }

    fn next_event(&self) -> Option<Millis> {
        None
    }
}

impl Radio {
    /// Puts a board of this model into the air.
    pub fn start(model_name: &str) -> Option<Radio> {
        let bus = PrivateBus::start()?;
        let bluez = Bluez::start(&bus);
        let wire = Wire::default();
        let board = bluez.add(RadioBoard::with(model(model_name)?, ADDRESS, Box::new(wire.clone())));
        let dir = tempfile::tempdir().ok()?;
        let config = format!("[[board]]\nname = \"radio\"\nmodel = {model_name:?}\nbluetooth = {ADDRESS:?}\n");
        std::fs::write(dir.path().join("touchmoved.toml"), config).ok()?;
        Some(Radio { board, bluez, wire, is_reachable: true, losses: 0, dir, bus })
    }

    /// Starts a touchmoved that reads the board.
    pub fn daemon(&self, bus: &PrivateBus, state: &Path) -> Daemon {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        command.env("DBUS_SYSTEM_BUS_ADDRESS", self.bus.address());
        let config = self.dir.path().join("touchmoved.toml");
        let (address, config, state) = (bus.address(), config.to_str().unwrap(), state.to_str().unwrap());
        Daemon::run_quiet(command, &["--bus", &address, "--config", config, "--state-dir", state])
    }

    fn set_reachable(&mut self, is_reachable: bool) -> bool {
        if std::mem::replace(&mut self.is_reachable, is_reachable) == is_reachable {
            return false;
        }
        match (self.losses % 3, is_reachable) {
            (0, _) => self.bluez.set_in_range(&self.board, is_reachable),
            (1, _) => self.bluez.set_power(is_reachable, false),
            (_, true) => self.bluez.run_daemon(),
            (_, false) => self.bluez.kill_daemon(),
        }
        self.losses += usize::from(is_reachable);
        true
    }
}

impl Cable for Arc<Mutex<Radio>> {
    fn set_plugged(&mut self, plugged: bool) -> bool {
        self.lock().unwrap().set_reachable(plugged)
    }

    fn send(&mut self, bytes: &[u8]) {
        self.lock().unwrap().wire.0.lock().unwrap().from_board.push(bytes.to_vec());
    }

    fn exchange(&mut self) -> Vec<u8> {
        // One packet at a time: each is a command.
        let packet = self.lock().unwrap().wire.0.lock().unwrap().to_board.pop_front();
        packet.unwrap_or_else(|| {
            std::thread::sleep(TICK);
            Vec::new()
        })
    }
}
