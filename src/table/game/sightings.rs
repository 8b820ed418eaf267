//! The last changes of the squares: the evidence for an illegal move.

use crate::boards::Millis;
use crate::game::{PlayedMove, Sighting};
use shakmaty::Bitboard;
use std::collections::VecDeque;

/// Number of recent changes that are kept, in addition to the last older change of every square.
const MAX_RECENT: usize = 64;

/// The most recent changes, and the last older change of every square.
#[derive(Clone)]
pub(super) struct Sightings {
    /// Oldest first.
    recent: VecDeque<Sighting>,
    /// By square.
    older: [Option<Sighting>; 64],
}

impl Default for Sightings {
    fn default() -> Self {
        Sightings { recent: VecDeque::with_capacity(MAX_RECENT), older: [None; 64] }
    }
}

impl Sightings {
    /// Records a change of a square.
    pub(super) fn push(&mut self, seen: Sighting) {
        if self.recent.len() == MAX_RECENT
            && let Some(oldest) = self.recent.pop_front()
        {
            self.older[oldest.square as usize] = Some(oldest);
        }
        self.recent.push_back(seen);
    }

    /// Returns the stored changes after `after` and up to `until`, oldest first.
    pub(super) fn between(&self, after: Millis, until: Millis) -> Vec<Sighting> {
        let within = |seen: &&Sighting| seen.at > after && seen.at <= until;
        let mut found: Vec<Sighting> = self.older.iter().flatten().filter(within).copied().collect();
        found.sort_by_key(|seen| seen.at);
        let recent = self.recent.partition_point(|seen| seen.at <= after);
        found.extend(self.recent.range(recent..).take_while(|seen| seen.at <= until));
        found
    }

    /// Returns how `squares` came to show their current state, however long ago, and the last other changes after `since`: oldest
    /// first, at most [`PlayedMove::EVIDENCE`]. `unseen`: what is known of squares that were not seen to change.
    pub(super) fn evidence_for(
        &self,
        squares: Bitboard,
        since: Millis,
        unseen: impl Fn(shakmaty::Square) -> Option<Sighting>,
    ) -> Vec<Sighting> {
        let mut all: Vec<Sighting> = self.older.iter().flatten().copied().collect();
        all.sort_by_key(|seen| seen.at);
        all.extend(&self.recent);
        let mut later = Bitboard::EMPTY;
        let (mut last, mut others) = (Vec::new(), Vec::new());
        for seen in all.into_iter().rev() {
            if squares.contains(seen.square) && !later.contains(seen.square) {
                last.push(seen);
            } else if seen.at > since {
                others.push(seen);
            }
            later.add(seen.square);
        }
        let mut evidence: Vec<Sighting> = (squares & !later).into_iter().filter_map(unseen).collect();
        evidence.extend(last.into_iter().rev());
        others.truncate(PlayedMove::EVIDENCE.saturating_sub(evidence.len()));
        evidence.extend(others);
        evidence.sort_by_key(|seen| seen.at);
        evidence
    }
}
