//! Edges × position → which line of play explains what the board shows, how surely, and what else could.
//!
//! [`Follower`] holds all lines of play that may be what happened. An ordinary edge is a look-up: every node keeps the key of
//! the placement after each of its legal moves, so the question "is this a move?" is one comparison of 64 bits a move. A node
//! stays open for revision until something decides it: nothing else could grow out of the same touch, the opponent touched a
//! piece, the board was quiet, or a reply stands on it. Where what is seen can be explained in several ways a [`Line`] parts,
//! and [`model`] says what each costs. What no single move explains is searched for by [`explain`], over the positions
//! reachable in up to three plies from the last few nodes.
//!
//! **Invariant:** no clock is read and no edge is thrown away here; times come in with the edges.

mod beam;
mod bridge;
mod explain;
mod faults;
mod follow;
mod growth;
mod keys;
mod line;
pub mod model;
mod node;
mod prior;
mod retell;
mod seen;
mod start;
mod why;

pub use beam::Beam;
pub use bridge::{Bridge, Bridged};
pub use explain::{Doubts, Explanation, explain, landing};
pub use faults::Faults;
pub use follow::Follower;
pub use growth::{Growth, growth};
pub use line::Line;
pub use model::{LINE, REST_TAKEBACK, UNSEEN};
pub use node::{Known, Next, Node};
pub use seen::Seen;
pub use start::{NearStart, StartFound, find_start, is_reached, near_start, start_but_one, turned};
pub use why::{Hypothesis, Split, Step};
