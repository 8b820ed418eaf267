//! Counts the consistent lines, and weighs them by how likely their moves are.

use super::{Bound, BoundNode, Layer};
use crate::infer::prior::RecentMoves;
use crate::lab::move_prior::{FittedPrior, Prior, SimplePrior};
use crate::laws::{Move, Position};
use std::collections::HashSet;

/// The best line to a position by one prior.
#[derive(Clone, Copy)]
struct BestLine {
    /// The logarithm of its prior.
    prior: f64,
    /// Number of lines with this prior.
    equal: f64,
    /// Its last moves.
    recent: RecentMoves,
}

impl BestLine {
    const START: BestLine = BestLine { prior: 0.0, equal: 1.0, recent: RecentMoves::NONE };

    /// Returns the line after a move with this prior.
    fn after(self, mv: Move, prior: f64) -> BestLine {
        BestLine { prior: self.prior + prior, recent: self.recent.after(mv), ..self }
    }

    /// Adds another line to the same position.
    fn add(&mut self, other: BestLine) {
        if other.prior > self.prior + PRIOR_EPSILON {
            *self = other;
        } else if other.prior > self.prior - PRIOR_EPSILON {
            self.equal += other.equal;
        }
    }
}

/// The sum of all consistent lines to a position.
#[derive(Clone)]
struct PositionWeight {
    position: Position,
    /// Number of lines.
    lines: f64,
    simple: BestLine,
    fitted: BestLine,
}

/// Counts and weighs the lines.
pub(super) fn weigh(start: &Position, line: &[Move], layers: &[Layer], alive: &[Vec<bool>], capped: bool) -> Bound {
    let start = PositionWeight { position: start.clone(), lines: 1.0, simple: BestLine::START, fitted: BestLine::START };
    let mut before: Vec<Option<PositionWeight>> = vec![Some(start)];
    // The true line.
    let (mut simple_truth, mut fitted_truth) = (BestLine::START, BestLine::START);
    let mut truth_before = 0;
    for ((layer, alive), &played) in layers.iter().zip(alive).skip(1).zip(line) {
        let from: HashSet<usize> = alive_nodes(layer, alive).flat_map(|node| node.ways.iter().map(|way| way.0)).collect();
        // A move on which all lines agree decides nothing.
        let forced = from.len() == 1 && alive_nodes(layer, alive).map(|node| node.ways.len()).sum::<usize>() == 1;
        let (mut simple, mut fitted) = (SimplePrior::default(), FittedPrior::default());
        let step = |prior: &mut dyn Prior, line: BestLine, index: usize, position: &Position, mv: Move| {
            line.after(mv, if forced { 0.0 } else { prior.of(index, position, &line.recent, mv) })
        };
        if let Some(PositionWeight { position, .. }) = before.get(truth_before).and_then(Option::as_ref) {
            simple_truth = step(&mut simple, simple_truth, truth_before, position, played);
            fitted_truth = step(&mut fitted, fitted_truth, truth_before, position, played);
        }
        truth_before = layer.truth;
        let weighed = layer.nodes.iter().zip(alive).map(|(node, alive)| {
            let mut sum: Option<PositionWeight> = None;
            for &(from, mv) in node.ways.iter().filter(|_| *alive) {
                let Some(from_weight) = before.get(from).and_then(Option::as_ref) else { continue };
                let simple = step(&mut simple, from_weight.simple, from, &from_weight.position, mv);
                let fitted = step(&mut fitted, from_weight.fitted, from, &from_weight.position, mv);
                match &mut sum {
                    None => {
                        let position = from_weight.position.play(mv);
                        sum = Some(PositionWeight { position, lines: from_weight.lines, simple, fitted });
                    }
                    Some(sum) => {
                        sum.lines += from_weight.lines;
                        sum.simple.add(simple);
                        sum.fitted.add(fitted);
                    }
                }
            }
            sum
        });
        before = weighed.collect();
    }
    let ends = || before.iter().flatten();
    let lines: f64 = ends().map(|end| end.lines).sum();
    let share = |truth: BestLine, of: fn(&PositionWeight) -> BestLine| {
        let best = ends().map(|end| of(end).prior).fold(f64::NEG_INFINITY, f64::max);
        let equal: f64 = ends().map(of).filter(|end| end.prior > best - PRIOR_EPSILON).map(|end| end.equal).sum();
        if truth.prior > best - PRIOR_EPSILON { 1.0 / equal.max(1.0) } else { 0.0 }
    };
    let (simple, fitted) = (share(simple_truth, |end| end.simple), share(fitted_truth, |end| end.fitted));
    Bound { lines, uniform: 1.0 / lines.max(1.0), prior: simple, fitted, capped }
}

/// Priors that differ by less are equal.
const PRIOR_EPSILON: f64 = 1e-6;

fn alive_nodes<'a>(layer: &'a Layer, alive: &'a [bool]) -> impl Iterator<Item = &'a BoundNode> {
    layer.nodes.iter().zip(alive).filter(|(_, alive)| **alive).map(|(node, _)| node)
}
