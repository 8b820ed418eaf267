//! The serial ports and USB devices that boards can be, as listed by udev, and which of them is which board.
//!
//! **Invariant:** Nothing is opened or sent here. A port is a board's because of its USB id or because of the configuration; a
//! device with a generic id, which other adapters also use, is never used without that.

mod device;
mod list;
mod location;
#[cfg_attr(target_feature = "crt-static", path = "watch/plug_poll.rs")]
mod plug_monitor;
pub mod sysfs;
mod unused;

pub use device::{Device, DeviceKind, UsbIds, Verdict, boards_to_serve};
pub use list::{PortlessBoard, list, natural_sort_key, portless_boards};
pub use location::{BoardLocation, assign};
pub use plug_monitor::{POLL_INTERVAL, PlugMonitor};
pub use unused::{UnusedDevice, find_unused};
