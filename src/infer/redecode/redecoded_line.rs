//! A line of play that re-decoding has found.

use crate::boards::Millis;
use crate::infer::Charge;
use crate::infer::model::Cost;
use shakmaty::Move;

/// A line of play from a past position to what the board shows.
#[derive(Clone, Debug)]
pub struct RedecodedLine {
    /// Its moves.
    pub plies: Vec<Ply>,
    /// Cost of presses without a move and of other pieces touched.
    pub extra: Charge,
    /// Number of presses that belong to none of its moves.
    pub unmatched_presses: usize,
    /// Total cost.
    pub cost: Cost,
}

/// One move of a re-decoded line.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// When its piece was seen to leave its square, in milliseconds.
    pub left_at: Millis,
    /// When it was seen on its last square, or can have been there, in milliseconds.
    pub made_at: Millis,
    /// When the clock was pressed on it, in milliseconds.
    pub pressed_at: Option<Millis>,
    /// Cost of the way in which it was made.
    pub handling: Charge,
    /// Whether its piece was seen on its last square.
    pub was_seen: bool,
    /// Whether its last square showed no change: a capture that replaced one piece by the other.
    pub silent: bool,
}
