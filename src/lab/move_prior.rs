//! How probable a move is, without any evidence from the board.

use crate::infer::model::Cost;
use crate::infer::prior::{RecentMoves, prior_costs};
use crate::laws::{Move, Position};
use shakmaty::{Role, Square};
use std::collections::HashMap;

/// A prior over the moves of the positions of one layer.
pub(super) trait Prior {
    /// Returns the logarithm of the probability of a move in a position, which is given with its index in the layer.
    fn of(&mut self, index: usize, position: &Position, recent: &RecentMoves, mv: Move) -> f64;
}

/// The prior of touchmove's own model.
#[derive(Default)]
pub(super) struct FittedPrior {
    /// For each position, by its index and last moves: its legal moves, with their costs.
    costs: HashMap<(usize, RecentMoves), Vec<(Move, Cost)>>,
}

impl Prior for FittedPrior {
    fn of(&mut self, index: usize, position: &Position, recent: &RecentMoves, mv: Move) -> f64 {
        let costs = self.costs.entry((index, *recent)).or_insert_with(|| {
            let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
            let costs = prior_costs(position, recent, &legal);
            legal.into_iter().zip(costs).collect()
        });
        let cost = costs.iter().find(|(other, _)| *other == mv).map_or(0, |(_, cost)| *cost);
        -f64::from(cost) / 16.0 * std::f64::consts::LN_2
    }
}

/// A simple prior over moves: the probability that a player chooses this move among all legal ones.
///
/// The weight of a move is `e^(gain · PAWN)`. The gain, in pawns, is the value of the captured piece, less the moved piece if the
/// opponent can capture it: its full value on an undefended square, else the value by which it exceeds the cheapest capturing
/// piece. Recapturing on the square to which the opponent has just moved weighs more, and underpromotion less. The figures are
/// round guesses, not fitted to any game.
#[derive(Default)]
pub(super) struct SimplePrior {
    /// For each position, by its index in the layer and the destination of the last move: the logarithm of the sum of all weights.
    sums: HashMap<(usize, Option<Square>), f64>,
}

/// Factor by which a gain of one pawn makes a move likelier, as a logarithm.
const PAWN: f64 = 0.5;
/// Added weight of a capture on the square to which the opponent has just moved, as a logarithm.
const RETAKES: f64 = 1.5;
/// Added weight of a promotion to a piece other than a queen, as a logarithm.
const UNDERPROMOTES: f64 = -5.0;

impl Prior for SimplePrior {
    fn of(&mut self, index: usize, position: &Position, recent: &RecentMoves, mv: Move) -> f64 {
        let last = recent.last().map(|last| last.to());
        let sum = *self.sums.entry((index, last)).or_insert_with(|| {
            let all = position.legal_moves();
            all.iter().map(|&mv| weight(position, last, mv).exp()).sum::<f64>().ln()
        });
        weight(position, last, mv) - sum
    }
}

fn weight(position: &Position, last: Option<Square>, mv: Move) -> f64 {
    let (turn, board, to) = (position.turn(), position.board(), mv.to());
    let Move::Normal { role, from, capture, promotion, .. } = mv else {
        return if mv.is_capture() && last.is_some() { PAWN } else { 0.0 };
    };
    let captured = capture.map_or(0.0, piece_value);
    let moved = promotion.unwrap_or(role);
    let occupied = board.occupied().without(from).with(to);
    let attackers = board.attacks_to(to, !turn, occupied).without(to);
    let defenders = board.attacks_to(to, turn, occupied).without(from);
    let cheapest =
        attackers.into_iter().filter_map(|square| board.role_at(square)).map(piece_value).fold(f64::INFINITY, f64::min);
    let lost = match (role, attackers.is_empty(), defenders.is_empty()) {
        (Role::King, ..) | (_, true, _) => 0.0,
        (_, false, true) => piece_value(moved),
        (_, false, false) => (piece_value(moved) - cheapest).max(0.0),
    };
    let gained = promotion.map_or(0.0, |new| piece_value(new) - 1.0);
    let extra = if capture.is_some() && last == Some(to) { RETAKES } else { 0.0 };
    let under = if promotion.is_some_and(|new| new != Role::Queen) { UNDERPROMOTES } else { 0.0 };
    // A king has no value here and is never lost.
    (captured + gained - lost).clamp(-10.0, 10.0) * PAWN + extra + under
}

/// Returns the value of a piece, in pawns.
fn piece_value(role: Role) -> f64 {
    match role {
        Role::Pawn => 1.0,
        Role::Knight | Role::Bishop => 3.0,
        Role::Rook => 5.0,
        Role::Queen => 9.0,
        Role::King => 0.0,
    }
}
