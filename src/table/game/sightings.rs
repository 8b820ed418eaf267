//! What the squares were last seen to do: what would prove a move that is not legal.

use crate::boards::Millis;
use crate::game::{Played, Sighting};
use shakmaty::Bitboard;

/// So many are kept: of every square the last.
const KEPT: usize = 64;

/// The last changes, oldest first, and the last of every square, however old.
#[derive(Default)]
pub struct Sightings(Vec<Sighting>);

impl Sightings {
    /// A square changed.
    pub fn push(&mut self, seen: Sighting) {
        self.0.push(seen);
        let older = |index: &usize| !self.is_last_of_square(*index);
        if self.0.len() > KEPT
            && let Some(oldest) = (0..self.0.len()).find(older)
        {
            self.0.remove(oldest);
        }
    }

    /// All that are kept, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Sighting> {
        self.0.iter()
    }

    /// How these squares came to show what they do, however long ago, and the last of what was seen besides since that time:
    /// oldest first, at most [`Played::EVIDENCE`]. `unseen`: what is known of squares that were not seen to change.
    pub fn proof(&self, own: Bitboard, since: Millis, unseen: impl Fn(shakmaty::Square) -> Option<Sighting>) -> Vec<Sighting> {
        let proves = |index: usize| own.contains(self.0[index].square) && self.is_last_of_square(index);
        let known: Bitboard = self.0.iter().map(|seen| seen.square).collect();
        let mut proof: Vec<Sighting> = (own & !known).into_iter().filter_map(unseen).collect();
        proof.extend((0..self.0.len()).filter(|&index| proves(index)).map(|index| self.0[index]));
        let others = (0..self.0.len()).rev().filter(|&index| !proves(index) && self.0[index].at > since);
        proof.extend(others.take(Played::EVIDENCE.saturating_sub(proof.len())).map(|index| self.0[index]));
        proof.sort_by_key(|seen| seen.at);
        proof
    }

    /// This is the last that was seen of its square.
    fn is_last_of_square(&self, index: usize) -> bool {
        let mut later = self.0.iter().skip(index);
        let square = later.next().map(|seen| seen.square);
        later.all(|seen| Some(seen.square) != square)
    }
}
