//! Virtual boards and hands: a game in, sensor bytes out.
//!
//! [`pgn`] reads a game, [`hands`] says how people handle pieces, [`handling`] carries out one move, [`script`] a whole game
//! with what it means ([`truth`]), with what comes between the plies (incidents), against the Laws ([`irregularity`]) and after
//! the game (aftermath). [`dgt`], [`chessnut`], [`certabo`], [`tabutronic`], [`reed`] and [`matrix`] are boards that all this is done
//! to, the last four of a kind ([`streaming`]), and [`dgt_bus`] many on one line; [`millennium`],
//! [`ichessone`] and [`centaur`] are more. A [`Stage`] puts script and board together.
//!
//! **Invariant:** no I/O and no clock; the same game, profile, board and seed give the same bytes on every machine.

mod aftermath;
mod breach;
mod cable;
pub mod centaur;
pub mod certabo;
pub mod chessnut;
pub mod dgt;
pub mod dgt_bus;
pub mod handling;
pub mod hands;
pub mod ichessone;
pub mod illegal;
mod incidents;
pub mod irregularity;
pub mod matrix;
pub mod millennium;
pub mod pgn;
mod promotion;
pub mod reed;
pub mod rng;
pub mod script;
mod stage;
pub mod streaming;
pub mod tabutronic;
pub mod truth;

pub use stage::{Chunk, FIRST_ADDRESS, Scene, Stage, VirtualBoard};
