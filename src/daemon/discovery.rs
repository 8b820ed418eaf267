//! Boards that nobody has configured, found by what they say they are. Each is found once, however often it is plugged in.
//!
//! A board is known by the serial number of its USB device, wherever that is plugged in. Where two that are plugged in have the same, the
//! socket is the board: what is of that model in that socket is that board from then on, and never the one with that number.

use super::hub::BoardId;
use crate::boards::Model;
use crate::link::Place;
use crate::link::watch::{self, Device, Verdict};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;

/// Sockets that are boards: the name of a model, and where on USB.
pub type Sockets = BTreeSet<(&'static str, String)>;

/// What has been found since the start.
#[derive(Default)]
pub struct Discovery {
    /// Boards, and the socket that each was in when it was seen last.
    served: HashMap<BoardId, Option<String>>,
    sockets: tokio::sync::watch::Sender<Sockets>,
}

impl Discovery {
    /// The sockets that are boards, now and later.
    pub fn sockets(&self) -> tokio::sync::watch::Receiver<Sockets> {
        self.sockets.subscribe()
    }

    /// The boards among these devices that were never seen before, and where each is to be looked for.
    pub fn look(&mut self, devices: &[Device]) -> Vec<(&'static Model, Place)> {
        let is_free = |device: &&Device| is_free(device, &self.sockets.borrow());
        let free: Vec<Device> = devices.iter().filter(is_free).cloned().collect();
        let mut new = Vec::new();
        for (device, model) in watch::found(&free) {
            let place = device.place(&free);
            let by_number = device.serial.clone().map(|serial| BoardId::at(model, &Place::Serial(serial)));
            // It was alone when it was found.
            if by_number.is_some_and(|id| self.served.get(&id).is_some_and(|socket| *socket == device.usb_path)) {
                continue;
            }
            if let Place::UsbPath(socket) = &place {
                self.sockets.send_modify(|sockets| _ = sockets.insert((model.name, socket.clone())));
            }
            if self.served.insert(BoardId::at(model, &place), device.usb_path.clone()).is_none() {
                new.push((model, place));
            }
        }
        new
    }
}

/// Whether a device may be the board of its model that has its serial number: it is in no socket that is a board.
fn is_free(device: &Device, sockets: &Sockets) -> bool {
    match (device.verdict(), &device.usb_path) {
        (Verdict::Board(model), Some(socket)) => !sockets.contains(&(model.name, socket.clone())),
        _ => true,
    }
}

/// The device file of a board that was found, where it is plugged in.
pub fn device(model: &Model, place: &Place, sockets: &Sockets) -> io::Result<Option<PathBuf>> {
    let devices = watch::list()?;
    let is_it = |device: &&Device| {
        let of_model = device.is_at(place) && matches!(device.verdict(), Verdict::Board(is) if is == model);
        of_model && (!matches!(place, Place::Serial(_)) || is_free(device, sockets))
    };
    Ok(devices.iter().find(is_it).map(|device| device.node.clone()))
}
