//! Virtual boards and hands: a game in, sensor bytes out.
//!
//! [`pgn`] reads a game, and [`random_game`] makes one up. [`hands`] holds the statistics of how people handle pieces, [`handling`]
//! carries out one move, and [`script`] a whole game together with its ground truth ([`truth`]), including events between plies
//! (`incidents`), irregularities ([`irregularity`], injected by `injection`) and what follows the game (`after_game`). Each [`VirtualBoard`] has a file:
//! [`dgt`], [`chessnut`], [`certabo`], [`tabutronic`], [`reed`] and [`matrix`] (the last four share [`streamed`]), several DGT
//! boards on one bus ([`dgt_bus`]), [`millennium`], [`ichessone`] and [`centaur`], and boards that are only [`wireless`], such as [`chessup`]. A [`Simulation`] runs a script on a
//! board.
//!
//! **Invariant:** no I/O and no clock; the same game, profile, board and seed give the same bytes on every machine.

pub mod act;
mod after_game;
mod arbiter_call;
pub mod centaur;
pub mod certabo;
pub mod chessnut;
pub mod chessup;
pub mod dgt;
pub mod dgt_bus;
pub mod handling;
pub mod hands;
pub mod ichessone;
pub mod illegal;
mod incidents;
mod injection;
pub mod irregularity;
pub mod matrix;
pub mod millennium;
mod pending_injection;
pub mod pgn;
mod promotion;
pub mod random_game;
pub mod reed;
pub mod rng;
mod scanned_squares;
pub mod script;
mod serial_line;
mod simulation;
pub mod streamed;
pub mod tabutronic;
pub mod truth;
mod virtual_board;
pub mod wireless;

pub use simulation::{FIRST_ADDRESS, Simulation, virtual_board};
pub use virtual_board::{Chunk, SimulationSetup, VirtualBoard};
