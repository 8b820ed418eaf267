//! Tests of boards: received and sent bytes, serial ports, wireless links, lights, the shared bus, and damaged connections.

use touchmove::boards::{Address, Protocol, Reading};

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
pub(crate) mod wireless;

/// Takes all readings of a board that is alone on its line.
fn readings(board: &mut dyn Protocol) -> Vec<Reading> {
    std::iter::from_fn(|| board.poll_reading())
        .map(|(address, reading)| {
            assert_eq!(address, Address::ONLY);
            reading
        })
        .collect()
}
