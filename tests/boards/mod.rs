//! Tests of boards: received and sent bytes, serial ports, lights, the shared bus, and damaged connections.

pub(crate) mod chain;
pub(crate) mod chessnut;
pub(crate) mod damage;
pub(crate) mod dgt;
pub(crate) mod lights;
pub(crate) mod link;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod polarity;
pub(crate) mod streams;
pub(crate) mod wired;
