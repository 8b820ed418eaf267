//! The moves of games as samples: which moves were legal, what features they had, and which one was chosen.

use crate::infer::prior::{self, RecentMoves, Weights};
use crate::laws::Move;
use crate::simulate::pgn::SourceGame;

/// The plies of many games.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The features of all moves of all plies, one after the other.
    features: Vec<u16>,
    /// For each move, where its features end.
    ends: Vec<u32>,
    /// For each ply, where its moves end, and the index of the move that was chosen.
    plies: Vec<(u32, u32)>,
}

impl Samples {
    /// Reads the plies of these games. A ply with only one legal move counts like any other.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a SourceGame>) -> Samples {
        let mut samples = Samples::default();
        for game in games {
            let (mut position, mut recent) = (game.start.clone(), RecentMoves::default());
            for ply in &game.plies {
                let legal: Vec<Move> = position.legal_moves().iter().copied().collect();
                if let Some(chosen) = legal.iter().position(|mv| *mv == ply.mv) {
                    samples.add(&prior::features(&position, &recent, &legal), chosen);
                }
                position = position.play(ply.mv);
                recent = recent.after(ply.mv);
            }
        }
        samples
    }

    /// Adds one ply: the features of each legal move, and the index of the one that was chosen.
    pub fn add(&mut self, moves: &[Vec<usize>], chosen: usize) {
        let first = self.ends.len();
        for features in moves {
            self.features.extend(features.iter().filter_map(|feature| u16::try_from(*feature).ok()));
            self.ends.push(self.features.len() as u32);
        }
        self.plies.push((self.ends.len() as u32, (first + chosen) as u32));
    }

    /// Number of plies.
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    /// Returns whether there is no ply.
    pub fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Iterates over some of the plies.
    pub(super) fn plies(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = Ply<'_>> {
        let plies = self.plies.get(range.clone()).unwrap_or_default();
        let mut first = range.start.checked_sub(1).and_then(|before| self.plies.get(before)).map_or(0, |ply| ply.0);
        plies.iter().map(move |&(end, chosen)| {
            let ply = Ply { samples: self, first, end, chosen };
            first = end;
            ply
        })
    }

    /// Returns the mean number of bits that these weights need for a ply.
    pub fn bits(&self, weights: &Weights) -> f64 {
        let weights = (0..prior::FEATURES).map(|feature| f64::from(weights.get(feature)) / 16.0 * std::f64::consts::LN_2);
        super::objective::mean_bits(self, &weights.collect::<Vec<f64>>())
    }
}

/// One ply.
#[derive(Clone, Copy)]
pub(super) struct Ply<'a> {
    samples: &'a Samples,
    first: u32,
    end: u32,
    chosen: u32,
}

impl<'a> Ply<'a> {
    /// Iterates over the legal moves: the features of each, and whether it was chosen.
    pub(super) fn moves(self) -> impl Iterator<Item = (&'a [u16], bool)> {
        let Samples { features, ends, .. } = self.samples;
        (self.first..self.end).map(move |index| {
            let end_of = |index: u32| ends.get(index as usize).copied().unwrap_or(0) as usize;
            let from = index.checked_sub(1).map_or(0, end_of);
            (features.get(from..end_of(index)).unwrap_or_default(), index == self.chosen)
        })
    }
}
