//! The squares that were published as different from the record.

use shakmaty::Bitboard;

/// The squares that were published as different from the record.
#[derive(Clone, Default)]
pub(super) struct DisplacedSquares {
    /// The squares last published.
    published: Bitboard,
    /// All squares published since the board last agreed with the record.
    since_agreement: Bitboard,
}

impl DisplacedSquares {
    /// Records that these squares are published as different.
    pub(super) fn publish(&mut self, wrong: Bitboard) {
        self.published = wrong;
        self.since_agreement |= wrong;
    }

    /// Returns the squares last published.
    pub(super) fn published(&self) -> Bitboard {
        self.published
    }

    /// Whether this square was published as different since the board last agreed with the record.
    pub(super) fn has_differed(&self, square: shakmaty::Square) -> bool {
        self.since_agreement.contains(square)
    }

    /// Records that nothing differs now. Returns whether squares were last published as different.
    pub(super) fn withdraw(&mut self) -> bool {
        std::mem::take(&mut self.published).any()
    }

    /// Records that the board agrees with the record and all moves are published.
    pub(super) fn note_agreement(&mut self) {
        self.since_agreement = Bitboard::EMPTY;
    }
}
