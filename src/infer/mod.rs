//! Infers the line of play that explains the edges from a known position, with its confidence and the alternatives.
//!
//! [`Follower`] holds every line of play that is still possible. An ordinary edge is a look-up: every node keeps the hash of the
//! placement after each of its legal moves, so that testing whether the board shows a move takes one 64-bit comparison per move. A
//! node stays open for revision until something decides it: nothing else could grow out of the same touch, the opponent touched a
//! piece, the board was quiet, or a reply is on the board. Where an observation has several explanations, a [`Line`] splits, and
//! [`model`] gives the cost of each. [`explain`] searches for what no single move explains, over the positions reachable in up to
//! three plies from the last few nodes.
//!
//! **Invariant:** this module reads no clock and drops no edge; times come in with the edges.

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
