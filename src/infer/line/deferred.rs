//! Deferred lines: they explain what was seen less well than pieces in the players' hands do, and wait until play goes on from one.

use super::confidence;
use super::matches::find_matches;
use super::replacement::Replacement;
use crate::boards::{Millis, SensorKind};
use crate::infer::{LineNode, NextMoves, ObservedBoard, model};
use shakmaty::{Bitboard, Move};
use std::sync::Arc;

/// A deferred line, which branches off after `base` plies.
#[derive(Clone, Debug)]
pub(super) struct DeferredLine {
    base: usize,
    moves: Vec<Move>,
    /// Other lines that lead to the same placement, equally good.
    rivals: Vec<Vec<Move>>,
    tip: LineNode,
    next: NextMoves,
    /// Whether every move of it was seen; then the only doubt is that a hand may still be on its way.
    seen: bool,
}

impl DeferredLine {
    /// Returns its last node.
    pub(super) fn tip(&self) -> &LineNode {
        &self.tip
    }

    /// Returns whether every move of it was seen.
    pub(super) fn is_seen(&self) -> bool {
        self.seen
    }

    /// Returns the line with `more` appended, and its rivals likewise.
    pub(super) fn with_more(&self, more: &[Move]) -> Replacement {
        let longer = |line: &Vec<Move>| [line.as_slice(), more].concat();
        Replacement {
            base: self.base,
            moves: longer(&self.moves),
            rivals: self.rivals.iter().map(longer).collect(),
            confidence: confidence::RECONSTRUCTED,
        }
    }
}

/// The deferred lines of a line.
#[derive(Clone, Debug)]
pub(super) struct DeferredLines {
    lines: Vec<Arc<DeferredLine>>,
    /// The line keeps fewer deferred lines than this.
    limit: usize,
}

impl DeferredLines {
    /// Creates an empty list of fewer than `limit` lines.
    pub(super) fn new(limit: usize) -> DeferredLines {
        DeferredLines { lines: Vec::new(), limit }
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the number of deferred lines.
    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the deferred lines, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &DeferredLine> {
        self.lines.iter().map(Arc::as_ref)
    }

    /// Drops all deferred lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Defers a line, unless it is known or there is no room for it. `node`: the one where it branches off; `seen`: whether every
    /// move of it was seen.
    pub(super) fn add(&mut self, now: Millis, node: &LineNode, line: Replacement, seen: bool, sensing: SensorKind) {
        if sensing == SensorKind::Occupancy {
            return; // Too many lines would explain too little.
        }
        let Replacement { base, moves, rivals, .. } = line;
        let is_known = |deferred: &Arc<DeferredLine>| deferred.base == base && deferred.moves == moves;
        if self.lines.len() + 1 >= self.limit.min(model::MAX_DEFERRED) || self.lines.iter().any(is_known) {
            return;
        }
        let mut tip = LineNode::clone(node);
        for &mv in &moves {
            tip = tip.after_move(mv, now, sensing, None);
        }
        let next = NextMoves::of(&tip, sensing);
        self.lines.push(Arc::new(DeferredLine { base, moves, rivals, tip, next, seen }));
    }

    /// Returns the first deferred line that shows what is seen after one more move.
    pub(super) fn recognise(&self, seen: &ObservedBoard, hidden: Bitboard) -> Option<Replacement> {
        self.lines.iter().find_map(|deferred| {
            let found = find_matches(&deferred.tip, &deferred.next, seen, hidden, false, |_| false);
            Some(deferred.with_more(&[found.first()?.mv]))
        })
    }
}
