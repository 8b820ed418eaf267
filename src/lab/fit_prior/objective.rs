//! What is minimised: the negative log-likelihood of the chosen moves, and a penalty for large weights.

use super::samples::Samples;
use super::series::{exp, ln};
use std::thread;

/// Number of plies that are summed up together. It does not depend on the number of processors, so neither do the sums.
const BLOCK: usize = 2_048;

/// Returns the negative log-likelihood of all samples in nats, plus `penalty / 2` for the square of each weight, and writes the
/// gradient.
pub(super) fn objective(samples: &Samples, penalty: f64, weights: &[f64], gradient: &mut [f64]) -> f64 {
    let blocks: Vec<usize> = (0..samples.len()).step_by(BLOCK).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(blocks.len().max(1));
    let mut sums: Vec<(usize, f64, Vec<f64>)> = thread::scope(|scope| {
        let work = |worker: usize| {
            let blocks = &blocks;
            move || {
                let of_block = |(index, &from): (usize, &usize)| {
                    let mut gradient = vec![0.0; weights.len()];
                    let loss = block_loss(samples, from..(from + BLOCK).min(samples.len()), weights, &mut gradient);
                    (index, loss, gradient)
                };
                blocks.iter().enumerate().skip(worker).step_by(threads).map(of_block).collect::<Vec<_>>()
            }
        };
        let workers: Vec<_> = (0..threads).map(|worker| scope.spawn(work(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    sums.sort_by_key(|(index, ..)| *index);
    let mut loss = 0.0;
    gradient.iter_mut().zip(weights).for_each(|(slope, weight)| *slope = penalty * weight);
    for (_, block, slopes) in sums {
        loss += block;
        gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
    }
    loss + penalty / 2.0 * weights.iter().map(|weight| weight * weight).sum::<f64>()
}

/// Returns the mean number of bits per ply.
pub(super) fn mean_bits(samples: &Samples, weights: &[f64]) -> f64 {
    let mut unused = vec![0.0; weights.len()];
    objective(samples, 0.0, weights, &mut unused) / samples.len().max(1) as f64 / std::f64::consts::LN_2
}

fn block_loss(samples: &Samples, plies: std::ops::Range<usize>, weights: &[f64], gradient: &mut [f64]) -> f64 {
    let mut loss = 0.0;
    let mut scores: Vec<f64> = Vec::new();
    let score = |features: &[u16]| features.iter().filter_map(|feature| weights.get(usize::from(*feature))).sum::<f64>();
    for ply in samples.plies(plies) {
        scores.clear();
        scores.extend(ply.moves().map(|(features, _)| score(features)));
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for score in &mut scores {
            let shifted = *score - best;
            *score = exp(shifted);
            sum += *score;
        }
        for ((features, chosen), weight) in ply.moves().zip(&scores) {
            let probability = weight / sum;
            let slope = probability - f64::from(u8::from(chosen));
            for feature in features {
                if let Some(sum) = gradient.get_mut(usize::from(*feature)) {
                    *sum += slope;
                }
            }
            if chosen {
                loss += ln(sum) - ln(*weight);
            }
        }
    }
    loss
}
