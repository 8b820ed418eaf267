//! Cables: which ports there are, and bytes in and out of one. Each file owns the crate it needs.
//!
//! **Invariant:** nothing here knows what the bytes mean, and nothing is sent that the caller did not hand over.

pub mod matrix;
mod port;
pub mod recording;
pub mod rules;
pub mod serial;
pub mod usb;
pub mod watch;

pub use port::Port;
pub use serial::{LineError, OpenError};
pub use watch::{Device, Ids, Place};
