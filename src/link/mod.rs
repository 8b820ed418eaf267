//! Ports: which ones exist, and reading and writing their bytes. Each file owns the crate that it needs.
//!
//! **Invariant:** Nothing here interprets the bytes, and nothing is sent except what the caller passes.

pub mod bluetooth;
pub mod matrix;
mod port;
pub mod recording;
pub mod rules;
pub mod serial;
pub mod usb;
pub mod watch;

pub use port::{Endpoint, Port};
pub use serial::{LineError, OpenError};
pub use watch::{BoardLocation, Device, UsbIds};
