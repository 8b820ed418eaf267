//! Plies that replace the last ones of a line.

use crate::game::Confidence;
use crate::infer::Explanation;
use shakmaty::Move;

/// Plies that replace those after ply `base` of a line.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    /// Number of plies that stay.
    pub(super) base: usize,
    /// The moves that follow.
    pub(super) moves: Vec<Move>,
    /// Other moves that explain as much.
    pub(super) rivals: Vec<Vec<Move>>,
    /// Confidence of the moves and their rivals together.
    pub(super) confidence: Confidence,
}

impl Replacement {
    /// Returns the moves of an explanation, which has no rivals.
    pub(super) fn of(base: usize, explanation: Explanation, confidence: Confidence) -> Replacement {
        Replacement { base, moves: explanation.moves, rivals: Vec::new(), confidence }
    }

    /// Returns the confidence of the move at this index, and the other moves at this point, likeliest first.
    pub(super) fn shares(&self, index: usize, mv: Move) -> (Confidence, Vec<(Move, Confidence)>) {
        let lines = self.rivals.len() + 1;
        let share = |count: usize| Confidence((usize::from(self.confidence.0) * count / lines) as u16);
        let mut others: Vec<(Move, usize)> = Vec::new();
        for &other in self.rivals.iter().filter_map(|line| line.get(index)).filter(|&&other| other != mv) {
            match others.iter_mut().find(|(known, _)| *known == other) {
                Some((_, count)) => *count += 1,
                None => others.push((other, 1)),
            }
        }
        others.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let elsewhere: usize = others.iter().map(|&(_, count)| count).sum();
        (share(lines - elsewhere), others.into_iter().map(|(other, count)| (other, share(count))).collect())
    }
}
