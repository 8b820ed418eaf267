//! How well a prior foretells moves of games to which it was not fitted.

use super::GameFile;
use super::series::{exp, ln};
use crate::infer::model::Cost;
use crate::infer::prior::{RecentMoves, Weights, weighed_costs};
use crate::lab::exchange_prior::exchange_costs;
use crate::lab::halves::Half;
use crate::laws::Move;
use std::f64::consts::LN_2;

/// Mean costs of the moves that were played, in bits per ply, in the games of one file that are in [`Half::Evaluation`].
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// Name of the file.
    pub file: String,
    /// Number of games.
    pub games: usize,
    /// Number of plies.
    pub plies: usize,
    /// Bits with the weights, as touchmove computes them.
    pub bits: f64,
    /// Bits with a prior that knows only exchanges.
    pub exchange_bits: f64,
    /// Bits if all legal moves are equally likely.
    pub uniform_bits: f64,
}

impl HeldOut {
    /// Measures these weights.
    pub fn of(file: &GameFile, weights: &Weights) -> HeldOut {
        let (mut games, mut plies, mut fitted, mut exchange, mut uniform) = (0, 0usize, 0.0, 0.0, 0.0);
        for game in file.half(Half::Evaluation) {
            games += 1;
            let (mut position, mut recent) = (game.start.clone(), RecentMoves::default());
            for ply in &game.plies {
                let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
                if let Some(chosen) = legal.iter().position(|mv| *mv == ply.mv) {
                    fitted += nats(&weighed_costs(weights, &position, &recent, &legal), chosen);
                    exchange += nats(&exchange_costs(&position, &legal), chosen);
                    uniform += ln(legal.len() as f64);
                    plies += 1;
                }
                position = position.play(ply.mv);
                recent = recent.after(ply.mv);
            }
        }
        let bits = |nats: f64| nats / plies.max(1) as f64 / LN_2;
        HeldOut {
            file: file.name.clone(),
            games,
            plies,
            bits: bits(fitted),
            exchange_bits: bits(exchange),
            uniform_bits: bits(uniform),
        }
    }
}

/// Returns the negative logarithm of the likelihood of the chosen move. Costs are rounded, so their likelihoods do not quite add up
/// to one; here they do.
fn nats(costs: &[Cost], chosen: usize) -> f64 {
    let exponent = |cost: Cost| f64::from(cost) / 16.0 * LN_2;
    let sum: f64 = costs.iter().map(|cost| exp(-exponent(*cost))).sum();
    exponent(costs.get(chosen).copied().unwrap_or(0)) + ln(sum)
}
