//! Where a board is looked for, and which device is there.

use super::device::{Device, UsbIds, Verdict};
use crate::boards::Model;
use crate::link::bluetooth;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a board is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardLocation {
    /// This device node, whether udev lists it or not: also a pseudo-terminal or a symbolic link.
    Port(PathBuf),
    /// Any USB device with these ids.
    Ids(UsbIds),
    /// The USB device with this serial number, in any socket.
    Serial(String),
    /// Any device in this USB socket.
    UsbPath(String),
    /// The Bluetooth device with this address.
    Bluetooth(bluetooth::Address),
    /// The first port, by name, with a USB id of this model itself that no other board uses.
    AnyOfModel(&'static Model),
}

impl fmt::Display for BoardLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardLocation::Port(path) => write!(f, "{}", path.display()),
            BoardLocation::Ids(ids) => write!(f, "USB device {ids}"),
            BoardLocation::Serial(serial) => write!(f, "USB device with serial number {serial}"),
            BoardLocation::UsbPath(socket) => write!(f, "USB socket {socket}"),
            BoardLocation::Bluetooth(address) => write!(f, "Bluetooth device {address}"),
            BoardLocation::AnyOfModel(model) => write!(f, "any {} recognised by its USB id", model.title),
        }
    }
}

impl Device {
    /// Returns where to look for this board from now on if it is not configured: by the USB device's serial number, in any socket.
    /// Without one, or if another device in `all` has the same ids and number, by the USB socket. If not on USB, by the port.
    pub fn stable_location(&self, all: &[Device]) -> BoardLocation {
        let has_same_serial = |other: &&Device| (other.ids, &other.serial) == (self.ids, &self.serial);
        let serial = self.serial.clone().filter(|_| all.iter().filter(has_same_serial).count() < 2);
        let place = serial.map(BoardLocation::Serial).or_else(|| self.usb_path.clone().map(BoardLocation::UsbPath));
        place.unwrap_or_else(|| BoardLocation::Port(self.node.clone()))
    }

    /// Returns whether this device is at `place`.
    pub fn is_at(&self, place: &BoardLocation) -> bool {
        match place {
            BoardLocation::Port(path) => {
                self.node == *path || self.links.contains(path) || path.canonicalize().is_ok_and(|real| real == self.node)
            }
            BoardLocation::Ids(ids) => self.ids == Some(*ids),
            BoardLocation::Serial(serial) => self.serial.as_ref() == Some(serial),
            BoardLocation::UsbPath(socket) => self.usb_path.as_ref() == Some(socket),
            // No device of this machine, and in none of its lists.
            BoardLocation::Bluetooth(_) => false,
            BoardLocation::AnyOfModel(model) => matches!(self.verdict(), Verdict::Board(found) if found == *model),
        }
    }
}

/// Returns the device node of each place, in order; `None` if nothing is plugged in there, and for boards over Bluetooth. No port is assigned twice, and
/// [`BoardLocation::AnyOfModel`] gets only ports that no other place names.
pub fn assign(places: &[BoardLocation], ports: &[Device]) -> Vec<Option<PathBuf>> {
    let mut nodes: Vec<Option<PathBuf>> = vec![None; places.len()];
    let priority = |place: &BoardLocation| match place {
        BoardLocation::Port(_) | BoardLocation::Bluetooth(_) => 0,
        BoardLocation::Serial(_) | BoardLocation::UsbPath(_) => 1,
        BoardLocation::Ids(_) => 2,
        BoardLocation::AnyOfModel(_) => 3,
    };
    let mut by_priority: Vec<usize> = (0..places.len()).collect();
    by_priority.sort_by_key(|index| (priority(&places[*index]), *index));
    for index in by_priority {
        let place = &places[index];
        let is_free = |node: &Path, nodes: &[Option<PathBuf>]| !nodes.iter().flatten().any(|used| used == node);
        let listed = ports.iter().find(|port| port.is_at(place) && is_free(&port.node, &nodes)).map(|port| port.node.clone());
        nodes[index] = match place {
            // A pseudo-terminal is in no list: it is identified by its path alone.
            BoardLocation::Port(path) => {
                listed.or_else(|| Some(path.clone()).filter(|path| path.exists() && is_free(path, &nodes)))
            }
            _ => listed,
        };
    }
    nodes
}
