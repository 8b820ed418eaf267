//! What is known of the board since the link was lost or the program was started.

use crate::boards::Millis;

/// Whether the board has been read, and whether it has agreed with the record since.
#[derive(Clone)]
pub(super) struct BoardKnowledge {
    /// The link is down, or nothing was read yet: what the board shows is unknown.
    is_unknown: bool,
    /// The whole board has been read since this program was started.
    has_been_read: bool,
    /// Whether the board has shown the position on record since a report was last lost.
    has_agreed: bool,
    /// Moves were missed after this number of plies and until this time, and not all moves that lead to the placement seen then are
    /// published.
    gap_seen: Option<(usize, Millis)>,
}

impl BoardKnowledge {
    /// Creates what is known when a game begins. `is_restored`: after a restart.
    pub(super) fn new(is_restored: bool) -> BoardKnowledge {
        let is_read = !is_restored;
        BoardKnowledge { is_unknown: is_restored, has_been_read: is_read, has_agreed: is_read, gap_seen: None }
    }

    /// Whether what the board shows is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Whether the whole board has been read since this program was started.
    pub(super) fn has_been_read(&self) -> bool {
        self.has_been_read
    }

    /// Whether the board has shown the position on record since a report was last lost.
    pub(super) fn has_agreed(&self) -> bool {
        self.has_agreed
    }

    /// Returns the number of plies after which moves were missed, and when the board was seen again.
    pub(super) fn gap_seen(&self) -> Option<(usize, Millis)> {
        self.gap_seen
    }

    /// Records that the link was lost, or that the board is silent.
    pub(super) fn begin_gap(&mut self) {
        (self.is_unknown, self.has_agreed) = (true, false);
    }

    /// Records that the whole board must be read first.
    pub(super) fn forget_board(&mut self) {
        self.has_been_read = false;
    }

    /// Records that what the board shows is unknown.
    pub(super) fn mark_unknown(&mut self) {
        self.is_unknown = true;
    }

    /// Records that the board is read again, with this many plies published. Returns whether it was unknown.
    pub(super) fn end_gap(&mut self, now: Millis, plies: usize) -> bool {
        self.gap_seen = Some((plies, now));
        std::mem::take(&mut self.is_unknown)
    }

    /// Records that the whole board has been read.
    pub(super) fn note_read(&mut self) {
        self.has_been_read = true;
    }

    /// Records that a report of the board was lost.
    pub(super) fn note_loss(&mut self) {
        self.has_agreed = false;
    }

    /// Records whether the board agrees with the record.
    pub(super) fn note_agreement(&mut self, agrees: bool) {
        self.has_agreed |= agrees;
    }

    /// Records that all moves that were missed are published.
    pub(super) fn forget_gap(&mut self) {
        self.gap_seen = None;
    }
}
