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

mod analysis;
mod beam;
mod charge;
mod explain;
mod faults;
mod follow;
mod gap_search;
mod growth;
mod hand_costs;
mod hand_counts;
mod line;
mod line_prior;
pub mod model;
mod node;
mod observed_board;
mod patience;
mod placement_hash;
pub mod prior;
mod redecode;
mod start;
mod trace;

pub use analysis::{CostParts, Hypothesis, HypothesisMove};
pub use beam::Beam;
use charge::Charge;
pub use explain::{Doubts, Explanation, explain, landing_square};
pub use faults::Faults;
pub use follow::Follower;
pub use gap_search::{GapResult, GapSearch};
pub use growth::{Growth, find_growth};
pub use hand_costs::{HandCosts, HandEvent};
pub use hand_counts::{HandCounts, HandLog};
pub use line::Line;
pub use model::{REST_TAKEBACK, REST_UNSEEN, SERIAL_LATENCY};
pub use node::{KnownPly, LineNode, NextMoves};
pub use observed_board::ObservedBoard;
pub use patience::Patience;
pub use start::{DetectedStart, NearStart, find_nearest_start, find_start, find_start_except_one, is_reachable, rotated};
pub use trace::{DropReason, LineTrace, PlyTrace};
