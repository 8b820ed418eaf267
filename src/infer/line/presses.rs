//! The clock presses of which a line has no move.

use crate::boards::Millis;
use crate::infer::HandCosts;
use crate::infer::model::{self, Cost};
use shakmaty::Color;

/// The clock presses of which a line has no move, and whether a clock is in use.
#[derive(Clone, Debug, Default)]
pub(super) struct UnmatchedPresses {
    /// Number of presses since the last move was found, each of a move that was not seen.
    count: u32,
    /// The last of these presses: when, and by whom.
    last: Option<(Millis, Color)>,
    /// Whether a clock is in use: presses were seen.
    has_clock: bool,
}

impl UnmatchedPresses {
    /// Returns the number of presses since the last move was found.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the last press: when, and by whom.
    pub(super) fn last(&self) -> Option<(Millis, Color)> {
        self.last
    }

    /// Returns whether a clock is in use.
    pub(super) fn has_clock(&self) -> bool {
        self.has_clock
    }

    /// Notes whether a press was seen: then a clock is in use.
    pub(super) fn note_clock(&mut self, pressed: bool) {
        self.has_clock |= pressed;
    }

    /// Returns whether the move of the last press should have been seen by now.
    pub(super) fn is_overdue(&self, now: Millis) -> bool {
        self.last.is_some_and(|(at, _)| now.saturating_sub(at) >= model::SCAN_TIME)
    }

    /// Notes a press without a move. Returns its cost.
    pub(super) fn note(&mut self, now: Millis, by: Color, hands: &HandCosts) -> Cost {
        let before = if self.last.is_some() { hands.press_without_move - hands.press_before_scan } else { 0 };
        self.last = Some((now, by));
        self.count += 1;
        before + hands.press_before_scan
    }

    /// Takes the last press, if it is of this player: its move was found. Returns when it was.
    pub(super) fn take_by(&mut self, color: Color) -> Option<Millis> {
        self.last.take_if(|(_, by)| *by == color).map(|(at, _)| at)
    }

    /// Takes the last press.
    pub(super) fn take_last(&mut self) -> Option<(Millis, Color)> {
        self.last.take()
    }

    /// Sets the number of presses without a move.
    pub(super) fn set_count(&mut self, count: usize) {
        self.count = u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// Forgets all presses.
    pub(super) fn clear(&mut self) {
        (self.count, self.last) = (0, None);
    }
}
