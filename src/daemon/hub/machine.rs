//! Front-ends' view of a machine of the hall.

use super::BoardId;
use std::collections::BTreeSet;

/// A machine of the hall, as the hub knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineView {
    /// Its version of touchmove; empty: it was not heard since touchmoved was started here.
    pub version: String,
    /// When it was last heard, on the steady clock (see [`crate::daemon::steady_clock`]), in milliseconds; `None`: never.
    pub heard_at: Option<i64>,
    /// Whether it has said that it leaves.
    pub has_left: bool,
    /// Whether it was removed from the hall. It is then not reported, and commands for it are refused; its boards and games remain.
    pub is_removed: bool,
    /// The number of events that are not on disk here yet.
    pub unsent: u64,
    /// Free disk space, in bytes.
    pub free_bytes: Option<u64>,
    /// The temperature of its processor, in tenths of a degree Celsius.
    pub temperature: Option<i64>,
    /// How far its clock is ahead of that of the hub, in milliseconds.
    pub clock_offset_ms: Option<i64>,
    /// Its health problems, as sentences.
    pub problems: Vec<String>,
    /// A sentence if something is wrong with its name or its games.
    pub alarm: Option<String>,
    /// When another machine of this name was last heard, on the steady clock, in milliseconds; `None`: never.
    pub copied_at: Option<i64>,
    /// Its boards, by their names at the hub.
    pub boards: BTreeSet<BoardId>,
}

impl MachineView {
    /// How long a machine may be silent before it counts as gone, in milliseconds.
    pub const MAX_SILENCE_MS: i64 = 15_000;
    /// Largest difference of its clock from the hub's that needs no attention, in milliseconds.
    pub const MAX_CLOCK_OFFSET_MS: u64 = 1_000;

    /// Returns whether it belongs to the hall and is there. `now`: on the steady clock.
    pub fn is_there(&self, now: i64) -> bool {
        !self.has_left
            && !self.is_removed
            && self.heard_at.is_some_and(|heard| now.saturating_sub(heard) < Self::MAX_SILENCE_MS)
    }

    /// Returns whether another machine of this name is there. `now`: on the steady clock.
    pub fn has_copy(&self, now: i64) -> bool {
        self.copied_at.is_some_and(|heard| now.saturating_sub(heard) < Self::MAX_SILENCE_MS)
    }
}
