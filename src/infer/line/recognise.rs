//! Recognises single moves: which next moves, and which replacements of the last one, the board shows.

use super::comparison::Comparison;
use super::matches::Match;
use crate::boards::{Millis, SensorKind};
use crate::infer::LineNode;
use crate::infer::explain::landing_square;
use crate::infer::model::{MAX_OVERLAP, MAX_STOP};
use shakmaty::Move;
use std::sync::Arc;

/// The moves that the board shows, likeliest first.
#[derive(Debug)]
pub(super) struct Recognition {
    /// Next moves.
    pub(super) next: Vec<Match>,
    /// Whether there is a next move, and the last move's piece has stayed on its square meanwhile.
    pub(super) stayed: bool,
    /// Replacements of the last move.
    pub(super) other: Vec<Match>,
}

impl Comparison<'_> {
    /// Returns the moves that the board shows.
    pub(super) fn recognise(&self) -> Recognition {
        let next = self.matches(0);
        let stayed = next.first().is_some_and(|found| (found.lifted & self.passed_square()).is_empty());
        let settled = (stayed && self.seen().sensing() == SensorKind::Identity) || !self.may_be_replaced();
        let mut other = if settled { Vec::new() } else { self.matches(1) };
        // The square that the last move itself emptied needs no other explanation.
        let emptied = self.tip().mv.and_then(|mv| mv.from());
        other.retain(|found| {
            self.may_be_replaced_by(found.mv, found.lifted) && !emptied.is_some_and(|emptied| found.lifted.contains(emptied))
        });
        Recognition { next, stayed, other }
    }
}

/// A move that was seen as two moves, and the reply that was made between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContinuedMove {
    pub(super) mv: Move,
    pub(super) made_at: Millis,
    pub(super) reply: Move,
    pub(super) replied_at: Millis,
}

impl ContinuedMove {
    /// Returns the move if the last move and the one two plies before it were one move by one piece, and the reply began before
    /// the piece had come to rest; `None` if the last move did not continue with that piece soon after.
    pub(super) fn find(nodes: &[Arc<LineNode>]) -> Option<ContinuedMove> {
        let [.., before, first, answer, last] = nodes else { return None };
        let (old, reply, mv) = (first.mv?, answer.mv?, last.mv?);
        let soon = last.made_at.saturating_sub(first.made_at) <= MAX_STOP + MAX_OVERLAP;
        if mv.from() != Some(landing_square(old)) || !soon || old.is_castle() || mv.is_castle() || old.is_capture() {
            return None;
        }
        let legal = before.position.legal_moves();
        let merged = legal.iter().find(|merged| {
            merged.from() == old.from() && merged.to() == mv.to() && merged.promotion() == mv.promotion() && !merged.is_castle()
        })?;
        let after = before.position.play(*merged);
        let reply =
            after.legal_moves().iter().copied().find(|other| (other.from(), other.to()) == (reply.from(), reply.to()))?;
        Some(ContinuedMove { mv: *merged, made_at: first.made_at, reply, replied_at: answer.made_at })
    }
}
