//! What the squares were last seen to do: what would prove a move that is not legal.

use crate::boards::Millis;
use crate::game::{Played, Sighting};
use shakmaty::Bitboard;
use std::collections::VecDeque;

/// So many of the last are kept, and of every square the last one before them.
const KEPT: usize = 64;

/// The last changes, and the last of every square, however old.
pub struct Sightings {
    /// Oldest first.
    recent: VecDeque<Sighting>,
    /// By square.
    older: [Option<Sighting>; 64],
}

impl Default for Sightings {
    fn default() -> Self {
        Sightings { recent: VecDeque::with_capacity(KEPT), older: [None; 64] }
    }
}

impl Sightings {
    /// A square changed.
    pub fn push(&mut self, seen: Sighting) {
        if self.recent.len() == KEPT
            && let Some(oldest) = self.recent.pop_front()
        {
            self.older[oldest.square as usize] = Some(oldest);
        }
        self.recent.push_back(seen);
    }

    /// Those that are kept from later than the one time and not later than the other, oldest first.
    pub fn between(&self, after: Millis, until: Millis) -> Vec<Sighting> {
        let within = |seen: &&Sighting| seen.at > after && seen.at <= until;
        let mut found: Vec<Sighting> = self.older.iter().flatten().filter(within).copied().collect();
        found.sort_by_key(|seen| seen.at);
        let recent = self.recent.partition_point(|seen| seen.at <= after);
        found.extend(self.recent.range(recent..).take_while(|seen| seen.at <= until));
        found
    }

    /// How these squares came to show what they do, however long ago, and the last of what was seen besides since that time:
    /// oldest first, at most [`Played::EVIDENCE`]. `unseen`: what is known of squares that were not seen to change.
    pub fn proof(&self, own: Bitboard, since: Millis, unseen: impl Fn(shakmaty::Square) -> Option<Sighting>) -> Vec<Sighting> {
        let mut all: Vec<Sighting> = self.older.iter().flatten().copied().collect();
        all.sort_by_key(|seen| seen.at);
        all.extend(&self.recent);
        let mut later = Bitboard::EMPTY;
        let (mut last, mut others) = (Vec::new(), Vec::new());
        for seen in all.into_iter().rev() {
            if own.contains(seen.square) && !later.contains(seen.square) {
                last.push(seen);
            } else if seen.at > since {
                others.push(seen);
            }
            later.add(seen.square);
        }
        let mut proof: Vec<Sighting> = (own & !later).into_iter().filter_map(unseen).collect();
        proof.extend(last.into_iter().rev());
        others.truncate(Played::EVIDENCE.saturating_sub(proof.len()));
        proof.extend(others);
        proof.sort_by_key(|seen| seen.at);
        proof
    }
}
