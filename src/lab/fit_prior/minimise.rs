//! Minimises a smooth convex function: the method of Broyden, Fletcher, Goldfarb and Shanno with limited memory (L-BFGS), without
//! random numbers.

use std::collections::VecDeque;

/// Number of steps from which the curvature is estimated.
const MEMORY: usize = 12;
/// Maximum number of steps.
const MAX_STEPS: usize = 500;

/// A step of the search, for those who show progress.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Number of steps so far.
    pub steps: usize,
    /// The value of the function.
    pub value: f64,
}

/// Returns the point at which the function is least. `function` returns its value and writes the gradient. The search ends when the
/// gradient is shorter than `tolerance`.
pub(super) fn minimise(
    dimensions: usize,
    tolerance: f64,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
    progress: &mut dyn FnMut(Progress),
) -> Vec<f64> {
    let mut point = vec![0.0; dimensions];
    let mut gradient = vec![0.0; dimensions];
    let mut value = function(&point, &mut gradient);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for steps in 1..=MAX_STEPS {
        if dot(&gradient, &gradient).sqrt() < tolerance {
            break;
        }
        let mut direction = downhill(&gradient, &memory);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            memory.clear();
            direction = gradient.iter().map(|slope| -slope).collect();
            slope = dot(&direction, &gradient);
        }
        let mut length = if memory.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt() } else { 1.0 };
        let mut next_gradient = vec![0.0; dimensions];
        let mut accepted = None;
        for _ in 0..40 {
            let next: Vec<f64> = point.iter().zip(&direction).map(|(at, step)| at + length * step).collect();
            let next_value = function(&next, &mut next_gradient);
            if next_value <= value + 1e-4 * length * slope {
                accepted = Some((next, next_value));
                break;
            }
            length /= 2.0;
        }
        // Smaller steps than these change nothing.
        let Some((next, next_value)) = accepted else { break };
        let step: Vec<f64> = next.iter().zip(&point).map(|(next, at)| next - at).collect();
        let bend: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(next, at)| next - at).collect();
        if dot(&step, &bend) > 0.0 {
            memory.push_back((step, bend));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (point, gradient, value) = (next, next_gradient, next_value);
        progress(Progress { steps, value });
    }
    point
}

/// Returns the direction of the next step.
fn downhill(gradient: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut factors = Vec::with_capacity(memory.len());
    for (step, bend) in memory.iter().rev() {
        let factor = dot(step, &direction) / dot(step, bend);
        add(&mut direction, bend, -factor);
        factors.push(factor);
    }
    if let Some((step, bend)) = memory.back() {
        let scale = dot(step, bend) / dot(bend, bend);
        direction.iter_mut().for_each(|part| *part *= scale);
    }
    for ((step, bend), factor) in memory.iter().zip(factors.into_iter().rev()) {
        let correction = dot(bend, &direction) / dot(step, bend);
        add(&mut direction, step, factor - correction);
    }
    direction
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(to: &mut [f64], what: &[f64], factor: f64) {
    to.iter_mut().zip(what).for_each(|(sum, part)| *sum += factor * part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_value_of_a_bent_bowl_is_found() {
        let bowl = |at: &[f64], gradient: &mut [f64]| {
            let centre = [3.0, -2.0, 0.5];
            let mut value = 0.0;
            for (axis, centre) in centre.into_iter().enumerate() {
                let (away, bend) = (at[axis] - centre, f64::from(1 << (4 * axis)));
                value += bend * away * away + away.powi(4);
                gradient[axis] = 2.0 * bend * away + 4.0 * away.powi(3);
            }
            value
        };
        let mut steps = 0;
        let found = minimise(3, 1e-9, bowl, &mut |progress| steps = progress.steps);
        for (found, expected) in found.iter().zip([3.0, -2.0, 0.5]) {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
        assert!(steps < 60, "{steps} steps");
    }
}
