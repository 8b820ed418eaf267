//! Alignment of a board's memory with what is known of the squares.

use crate::boards::{MemoryEntry, Placement, SquareState};
use shakmaty::{Bitboard, ByColor, Piece, Square};

/// Maximum number of squares that may differ, at the point of alignment and at the end together: bytes of the memory may be
/// damaged.
const MAX_WRONG_SQUARES: usize = 2;
/// Where the log matches what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alignment {
    /// The index of the `from` placement.
    pub(super) from: usize,
    /// The index of the `to` placement.
    pub(super) to: usize,
    /// The number of log entries that were already known.
    pub(super) known: usize,
    /// The number of squares that differ.
    pub(super) wrong: usize,
}

/// Finds the last point of the log at which the squares were as in one of `from`, and from which the log leads to one of `to`.
/// Earlier elements of these are tried first. Returns `None` if there is no such point.
pub(super) fn align(log: &[MemoryEntry], from: &[Placement], to: &[Placement]) -> Option<Alignment> {
    let mentioned = mentioned_squares(log);
    let (mut best, mut tolerance) = (None, MAX_WRONG_SQUARES);
    for (index, from) in from.iter().enumerate() {
        let before = differences(log, from);
        for (end, to) in to.iter().enumerate() {
            let Some((wrong, known)) = last_point(log, &mentioned, &before, from, to, tolerance) else { continue };
            best = Some(Alignment { from: index, to: end, known, wrong });
            // Only a better alignment replaces it.
            let Some(lower) = wrong.checked_sub(1) else { return best };
            tolerance = lower;
        }
    }
    best
}

/// Returns what an entry says about the squares: about one, or about all of them.
fn squares(entry: &MemoryEntry) -> (&[Square], SquareState) {
    match entry {
        MemoryEntry::Square { square, sensed, .. } => (std::slice::from_ref(square), *sensed),
        MemoryEntry::PowerUp | MemoryEntry::Cleared => (&Square::ALL, SquareState::Empty),
        MemoryEntry::ClockPressed { .. } | MemoryEntry::StartPosition => (&[], SquareState::Empty),
    }
}

/// Returns, for each entry and for the end of the log, in how many squares the log up to there differs from this placement.
fn differences(log: &[MemoryEntry], from: &Placement) -> Vec<usize> {
    let mut logged: [Option<SquareState>; 64] = [None; 64];
    let mut wrong = 0;
    let mut counts = Vec::with_capacity(log.len() + 1);
    let differs = |logged: Option<SquareState>, square: Square| logged.is_some_and(|logged| logged != from[square as usize]);
    for entry in log {
        // A change of the same square just before may have been in effect at the time of this entry.
        let unsure = match entry {
            MemoryEntry::Square { square, .. } => usize::from(differs(logged[*square as usize], *square)),
            _ => 0,
        };
        counts.push(wrong - unsure);
        let (changed, sensed) = squares(entry);
        for &square in changed {
            let before = logged[square as usize].replace(sensed);
            wrong = wrong + usize::from(differs(Some(sensed), square)) - usize::from(differs(before, square));
        }
    }
    counts.push(wrong);
    counts
}

/// Returns, for each entry and for the end of the log, the squares that the log mentions before it.
fn mentioned_squares(log: &[MemoryEntry]) -> Vec<Bitboard> {
    let mut mentioned = Bitboard::EMPTY;
    let mut all = vec![mentioned];
    all.extend(log.iter().map(|entry| {
        // The start position is known, except for its orientation.
        mentioned |=
            if *entry == MemoryEntry::StartPosition { Bitboard::FULL } else { squares(entry).0.iter().copied().collect() };
        mentioned
    }));
    all
}

/// Returns the first of these moves that the log does not show after the start position was last on the board. A move is given as
/// the piece that came to a square. `None`: the log shows all moves, or does not go back to the start. A player may move before the
/// opponent's last piece has arrived; of two successive changes of one square the log has only the second, so that a piece captured
/// at once may only be seen to leave; and squares known to be `bad` show nothing.
pub(super) fn first_unlogged_move(log: &[MemoryEntry], landings: &[(Square, Piece)], faulty: Bitboard) -> Option<usize> {
    let start = log.iter().rposition(|entry| *entry == MemoryEntry::StartPosition)?;
    let shown = log.get(start..)?;
    let mut next = ByColor::new_with(|_| 0);
    landings.iter().enumerate().position(|(index, &(at, piece))| {
        let is_captured = landings.get(index + 1).is_some_and(|(next, _)| *next == at);
        let lands = |entry: &MemoryEntry| match entry {
            MemoryEntry::Square { square, sensed, .. } if *square == at => {
                *sensed == SquareState::Piece(piece) || (is_captured && *sensed == SquareState::Empty)
            }
            _ => false,
        };
        let next = next.get_mut(piece.color);
        let found = shown.iter().skip(*next).position(lands);
        *next += found.map_or(0, |found| found + 1);
        found.is_none() && !faulty.contains(at)
    })
}

/// Returns the number of wrong squares and the point: the last of the points with the fewest wrong squares, if these are at most
/// `tolerance`. Wrong squares are the differences `before`, the squares for which the rest of the log leads to something else than
/// `to`, and those that the rest changes and the log did not mention before.
///
/// A log of thousands of entries is compared with hundreds of placements, so no entry causes a loop over all squares.
fn last_point(
    log: &[MemoryEntry],
    mentioned: &[Bitboard],
    before: &[usize],
    from: &Placement,
    to: &Placement,
    tolerance: usize,
) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut changes = Bitboard::EMPTY;
    let mut elsewhere = Square::ALL.into_iter().filter(|&square| from[square as usize] != to[square as usize]).count();
    for point in (0..=log.len()).rev() {
        // Once all squares have changed, earlier changes have no effect.
        if let Some(entry) = log.get(point).filter(|_| changes != Bitboard::FULL) {
            let (changed, sensed) = squares(entry);
            for &square in changed {
                if !changes.contains(square) {
                    changes.add(square);
                    let index = square as usize;
                    elsewhere = elsewhere + usize::from(sensed != to[index]) - usize::from(from[index] != to[index]);
                }
            }
        }
        let wrong = before.get(point)? + elsewhere + (changes & !*mentioned.get(point)?).count();
        if wrong <= tolerance && best.is_none_or(|(least, _)| wrong < least) {
            best = Some((wrong, point));
            if wrong == 0 {
                break;
            }
        }
    }
    best
}
