//! The state of the squares during a test, as the board reports it: since when each is as it is, and which of them flicker.

use super::{FLICKER_CHANGES, FLICKER_WINDOW, SETTLE_TIME};
use crate::boards::{Millis, Placement, SquareState};
use shakmaty::{Bitboard, Square};
use std::collections::VecDeque;

/// All squares, in the board's own coordinates.
#[derive(Clone)]
pub(super) struct Sensors {
    placement: Option<Placement>,
    /// The last changes of each square.
    changes: Vec<VecDeque<Millis>>,
    flickering: Bitboard,
    /// Since when changes are counted.
    counted_since: Millis,
}

impl Sensors {
    pub(super) fn new() -> Sensors {
        Sensors { placement: None, changes: vec![VecDeque::new(); 64], flickering: Bitboard::EMPTY, counted_since: 0 }
    }

    /// Counts the changes anew: a square may respond to the pieces on several others.
    pub(super) fn count_from(&mut self, now: Millis) {
        self.counted_since = now;
    }

    /// Processes all squares at once.
    pub(super) fn update_all(&mut self, now: Millis, placement: &Placement) {
        if self.placement.is_none() {
            self.placement = Some(*placement);
        }
        for (square, state) in Square::ALL.into_iter().zip(placement) {
            self.update(now, square, *state);
        }
    }

    /// Processes one square. What it was before is not known until all squares were read once.
    pub(super) fn update(&mut self, now: Millis, square: Square, state: SquareState) {
        let Some(placement) = &mut self.placement else { return };
        if std::mem::replace(&mut placement[square as usize], state) == state {
            return;
        }
        let Some(changes) = self.changes.get_mut(square as usize) else { return };
        changes.push_back(now);
        while changes.len() > FLICKER_CHANGES {
            changes.pop_front();
        }
        let first = changes.front().copied().unwrap_or(now);
        let is_counted = changes.len() == FLICKER_CHANGES && first >= self.counted_since;
        if is_counted && now.saturating_sub(first) <= FLICKER_WINDOW {
            self.flickering.add(square);
        }
    }

    /// Returns what all squares show; `None` before they were read.
    pub(super) fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// Returns the squares that have changed too often for a piece that somebody moves.
    pub(super) fn flickering(&self) -> Bitboard {
        self.flickering
    }

    /// Returns the squares that have not changed for the settle time.
    pub(super) fn settled(&self, now: Millis) -> Bitboard {
        self.quiet_for(now, SETTLE_TIME)
    }

    /// Returns the squares that have not changed for this time.
    pub(super) fn quiet_for(&self, now: Millis, time: Millis) -> Bitboard {
        let is_quiet = |square: &Square| self.last_change(*square).is_none_or(|at| now.saturating_sub(at) >= time);
        Square::ALL.into_iter().filter(is_quiet).collect()
    }

    /// Returns when the next square has not changed for this time, if one has changed since.
    pub(super) fn next_quiet(&self, now: Millis, time: Millis) -> Option<Millis> {
        let ends = Square::ALL.into_iter().filter_map(|square| Some(self.last_change(square)? + time));
        ends.filter(|at| *at > now).min()
    }

    fn last_change(&self, square: Square) -> Option<Millis> {
        self.changes.get(square as usize)?.back().copied()
    }
}
