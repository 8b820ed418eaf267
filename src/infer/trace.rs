//! Traces one line of play through the search: when it was followed, and why it was dropped.

use super::Line;
use super::model::Cost;
use crate::boards::Millis;
use shakmaty::Move;

/// Why a line was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// Its cost exceeded that of the best line by more than the margin.
    Margin,
    /// There were as many lines as the beam allows.
    LineCount,
    /// The lines together held as many positions, or bytes, as the beam allows.
    Memory,
    /// Another line had reached the same position.
    Duplicate,
    /// The published line was taken as right: the other lines were dropped whatever their cost.
    Decided,
}

/// What happened to the first plies of the traced line, up to one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlyTrace {
    /// When a line that begins with these plies was first and last followed, in milliseconds.
    pub followed: Option<(Millis, Millis)>,
    /// Why the last such line was dropped, and its cost beyond that of the best line; `None` while one is followed, and if the last
    /// one replaced its own moves.
    pub dropped: Option<(DropReason, Cost)>,
}

/// Traces the line of play with these moves.
#[derive(Clone, Debug)]
pub struct LineTrace {
    moves: Vec<Move>,
    plies: Vec<PlyTrace>,
    /// Number of plies before the first in which the published line differs.
    published_plies: usize,
}

impl LineTrace {
    /// Creates the trace of the line with these moves from the start of the game.
    pub fn new(moves: Vec<Move>) -> LineTrace {
        LineTrace { plies: vec![PlyTrace::default(); moves.len()], moves, published_plies: 0 }
    }

    /// Returns what happened to the first plies of the line, up to each ply.
    pub fn plies(&self) -> &[PlyTrace] {
        &self.plies
    }

    /// Returns the number of plies before the first in which the published line differs from the traced line.
    pub fn published_plies(&self) -> usize {
        self.published_plies
    }

    /// Returns whether the moves of `line` are exactly those of the traced line.
    pub fn is_complete(&self, line: &Line) -> bool {
        line.nodes().len() == self.moves.len() + 1 && self.common_plies(line) == self.moves.len()
    }

    /// Returns the cost of the line, as far as it got, beyond that of the best line when it was dropped. `None` if it is still followed,
    /// never was, replaced its own moves, or was dropped whatever its cost.
    pub fn excess_when_dropped(&self) -> Option<Cost> {
        let last = self.plies.iter().rev().find(|ply| ply.followed.is_some() || ply.dropped.is_some())?;
        last.dropped.filter(|(reason, _)| *reason != DropReason::Decided).map(|(_, excess)| excess)
    }

    /// Notes that these lines are followed.
    pub(super) fn note_followed(&mut self, now: Millis, lines: &[Line]) {
        self.published_plies = lines.first().map_or(0, |line| self.common_plies(line));
        let plies = lines.iter().map(|line| self.common_plies(line)).max().unwrap_or(0);
        for ply in self.plies.iter_mut().take(plies) {
            let first = ply.followed.map_or(now, |(first, _)| first);
            *ply = PlyTrace { followed: Some((first, now)), dropped: None };
        }
    }

    /// Notes that this line is dropped. `excess`: its cost beyond that of the best line.
    pub(super) fn note_dropped(&mut self, line: &Line, reason: DropReason, excess: Cost) {
        let plies = self.common_plies(line);
        self.plies.iter_mut().take(plies).for_each(|ply| ply.dropped = Some((reason, excess)));
    }

    /// Returns the number of plies before the first in which `line` differs from the traced line.
    fn common_plies(&self, line: &Line) -> usize {
        line.nodes().iter().skip(1).zip(&self.moves).take_while(|(node, mv)| node.mv == Some(**mv)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_drop_counts() {
        let with = |plies: &[PlyTrace]| LineTrace { moves: Vec::new(), plies: plies.to_vec(), published_plies: 0 };
        let followed = |dropped| PlyTrace { followed: Some((0, 9)), dropped };
        let by_cost = followed(Some((DropReason::Margin, 500)));
        // A copy of the line came one ply further, and was dropped before it was followed.
        let copy = PlyTrace { followed: None, dropped: Some((DropReason::Duplicate, 60)) };
        assert_eq!(with(&[by_cost, PlyTrace::default()]).excess_when_dropped(), Some(500));
        assert_eq!(with(&[by_cost, copy, PlyTrace::default()]).excess_when_dropped(), Some(60));
        assert_eq!(with(&[by_cost, followed(None)]).excess_when_dropped(), None, "still followed");
        assert_eq!(with(&[followed(Some((DropReason::Decided, 0)))]).excess_when_dropped(), None, "whatever its cost");
        assert_eq!(with(&[PlyTrace::default()]).excess_when_dropped(), None, "never followed");
    }
}
