//! Virtual boards and hands: a game in, sensor bytes out.
//!
//! [`pgn`] reads a game, [`hands`] says how people handle pieces, [`handling`] carries out one move, [`script`] a whole game
//! with what it means ([`truth`]), with what comes between the plies (incidents), against the Laws ([`irregularity`]) and after
//! the game (aftermath). [`dgt`] and [`chessnut`] are boards that all this is done to. A [`Stage`] puts script and board together.
//!
//! **Invariant:** no I/O and no clock; the same game, profile, board and seed give the same bytes on every machine.

mod aftermath;
mod breach;
pub mod chessnut;
pub mod dgt;
pub mod handling;
pub mod hands;
pub mod illegal;
mod incidents;
pub mod irregularity;
pub mod pgn;
mod promotion;
pub mod rng;
pub mod script;
mod stage;
pub mod truth;

pub use stage::{Chunk, Scene, Stage, VirtualBoard};
