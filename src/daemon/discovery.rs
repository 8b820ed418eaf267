//! Discovers boards that are not configured by their USB ids. Each is discovered once, however often it is plugged in.
//!
//! A board is identified by the serial number of its USB device, in any socket. If two boards that are plugged in have the same
//! serial number, the socket identifies the board: from then on a board of that model in that socket is that board, and never the
//! one with that serial number.

use super::hub::BoardId;
use crate::boards::Model;
use crate::link::BoardLocation;
use crate::link::watch::{self, Device, Verdict};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;

/// Sockets that identify boards: model name and USB path.
pub type BoardSockets = BTreeSet<(&'static str, String)>;

/// The boards discovered since the start.
#[derive(Default)]
pub struct Discovery {
    /// Boards, and the socket in which each was seen last.
    last_sockets: HashMap<BoardId, Option<String>>,
    sockets: tokio::sync::watch::Sender<BoardSockets>,
}

impl Discovery {
    /// Returns a receiver of the sockets that identify boards.
    pub fn sockets(&self) -> tokio::sync::watch::Receiver<BoardSockets> {
        self.sockets.subscribe()
    }

    /// Returns the boards among these devices that were never seen before, each with the place where it is looked for.
    pub fn find_new(&mut self, devices: &[Device]) -> Vec<(&'static Model, BoardLocation)> {
        let is_free = |device: &&Device| is_free(device, &self.sockets.borrow());
        let free: Vec<Device> = devices.iter().filter(is_free).cloned().collect();
        let mut new = Vec::new();
        for (device, model) in watch::boards_to_serve(&free) {
            let place = device.stable_location(&free);
            let id_by_serial = device.serial.clone().map(|serial| BoardId::for_place(model, &BoardLocation::Serial(serial)));
            // It was the only one with this serial number when it was discovered.
            if id_by_serial.is_some_and(|id| self.last_sockets.get(&id).is_some_and(|socket| *socket == device.usb_path)) {
                continue;
            }
            if let BoardLocation::UsbPath(socket) = &place {
                self.sockets.send_modify(|sockets| _ = sockets.insert((model.name, socket.clone())));
            }
            if self.last_sockets.insert(BoardId::for_place(model, &place), device.usb_path.clone()).is_none() {
                new.push((model, place));
            }
        }
        new
    }
}

/// Returns whether a device may be the board of its model with its serial number: its socket does not identify a board.
fn is_free(device: &Device, sockets: &BoardSockets) -> bool {
    match (device.verdict(), &device.usb_path) {
        (Verdict::Board(model), Some(socket)) => !sockets.contains(&(model.name, socket.clone())),
        _ => true,
    }
}

/// Returns the device node of a discovered board, if it is plugged in.
pub fn find_device_node(model: &Model, place: &BoardLocation, sockets: &BoardSockets) -> io::Result<Option<PathBuf>> {
    let devices = watch::list()?;
    let matches_place = |device: &&Device| {
        let of_model = device.is_at(place) && matches!(device.verdict(), Verdict::Board(found) if found == model);
        of_model && (!matches!(place, BoardLocation::Serial(_)) || is_free(device, sockets))
    };
    Ok(devices.iter().find(matches_place).map(|device| device.node.clone()))
}
