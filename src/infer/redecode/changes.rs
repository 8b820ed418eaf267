//! The changes of squares since the position from which moves are re-decoded.

use crate::boards::{Millis, SensorKind, SquareState};
use crate::infer::observed_board::Change;
use crate::infer::{LineNode, ObservedBoard};
use shakmaty::{Bitboard, Piece, Square};

/// Maximum number of changes that are considered.
const MAX_CHANGES: usize = 48;

/// The changes of squares since a position, oldest first.
pub(super) struct RecentChanges {
    changes: Vec<Change>,
    now: Millis,
    sensing: SensorKind,
}

impl RecentChanges {
    /// Returns the changes later than `since`.
    pub(super) fn since(since: Millis, now: Millis, seen: &ObservedBoard) -> RecentChanges {
        let changes = seen.changes_since(since).take(MAX_CHANGES).collect();
        RecentChanges { changes, now, sensing: seen.sensing() }
    }

    /// Iterates over the changes.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Change> {
        self.changes.iter()
    }

    /// Returns the squares that have shown a piece.
    pub(super) fn landed_squares(&self) -> Bitboard {
        self.iter().filter(|change| change.now != SquareState::Empty).map(|change| change.square).collect()
    }

    /// Returns when a square was first seen empty, or with something else, after `since`.
    pub(super) fn first_left_at(&self, square: Square, since: Millis) -> Option<Millis> {
        let mut changes = self.iter().filter(|change| change.square == square && change.at >= since);
        changes.find(|change| change.now == SquareState::Empty || change.at > since).map(|change| change.at)
    }

    /// Returns when a square was last seen to be left between these times; it was left at the first of them.
    pub(super) fn last_left_at(&self, square: Square, first: Millis, until: Millis) -> Millis {
        let mut changes = self.iter().filter(|change| change.square == square && change.at >= first && change.at <= until);
        changes.rfind(|change| change.now == SquareState::Empty).map_or(first, |change| change.at)
    }

    /// Returns when this piece was first seen here after `since`.
    pub(super) fn first_seen_at(&self, square: Square, piece: Piece, since: Millis) -> Option<Millis> {
        let shows = SquareState::Piece(piece).reduce_to(self.sensing);
        let mut changes = self.iter().filter(|change| change.square == square && change.at >= since);
        changes.find(|change| change.now == shows).map(|change| change.at)
    }

    /// Returns how long a square showed what it changed to, in milliseconds.
    pub(super) fn shown_for(&self, change: &Change) -> Millis {
        let next = self.iter().find(|other| other.square == change.square && other.at > change.at);
        next.map_or(self.now, |next| next.at).saturating_sub(change.at)
    }
}

/// Fast test, where no square is hidden: whether the edges clearly allow no line from this node.
pub(super) fn allows_no_line(base: &LineNode, seen: &ObservedBoard) -> bool {
    let (board, turn) = (base.position.board(), base.position.turn());
    let left = left_squares(base.made_at, seen);
    if left.is_disjoint(board.by_color(turn)) {
        return true;
    }
    // If only the player to move has touched pieces, a line has one move. That empties one square, or two in castling.
    let missing = board.occupied() & !seen.occupied();
    let others = board.by_color(!turn);
    let is_one_move = left.is_disjoint(others) && missing.is_disjoint(others);
    is_one_move && (missing.count() > 2 || (missing.count() == 2 && missing.is_disjoint(board.kings())))
}

/// Returns the squares that were seen empty at `since` or later, or with something else after it.
pub(super) fn left_squares(since: Millis, seen: &ObservedBoard) -> Bitboard {
    let changes = seen.changes_since(since.saturating_sub(1));
    changes.filter(|change| change.now == SquareState::Empty || change.at > since).map(|change| change.square).collect()
}
