//! Finds the moves from a node that show what is seen.

use crate::infer::explain::landing_square;
use crate::infer::model::MAX_OVERLAP;
use crate::infer::{LineNode, NextMoves, ObservedBoard, placement_hash};
use shakmaty::{Bitboard, Move, Square};

/// A move that shows what is seen, except for pieces that the next player has already lifted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    pub(super) mv: Move,
    pub(super) lifted: Bitboard,
}

/// Returns the moves from a node that show what is seen, except for pieces that the next player has already lifted; likeliest first
/// as far as the board tells. A reply lifted before the mover's piece was on the board is no sign that the piece will stay there.
pub(super) fn find_matches(
    node: &LineNode,
    next: &NextMoves,
    seen: &ObservedBoard,
    hidden: Bitboard,
    may_capture: bool,
    is_excluded: impl Fn(Move) -> bool,
) -> Vec<Match> {
    let (board, sensing) = (node.position.board(), seen.sensing());
    let hash = seen.hash_without(hidden);
    let mut found = Vec::new();
    // Adds the moves that show what is seen, if these pieces are lifted.
    let add_matches = |found: &mut Vec<Match>, lifted: Bitboard| {
        let without = |hash: u64, square: Square| hash ^ placement_hash::piece_hash(square, board.piece_at(square), sensing);
        let hash = lifted.into_iter().fold(hash, without);
        let fits = |mv: Move| !lifted.contains(landing_square(mv)) && !is_excluded(mv) && keeps_squares(mv, lifted);
        let mut add = |mv: Move| {
            if fits(mv) {
                found.push(Match { mv, lifted });
            }
        };
        match hidden.is_empty() {
            true => next.moves_showing(hash).for_each(&mut add),
            false => next.moves_showing_except(node, hash, hidden, sensing).into_iter().for_each(&mut add),
        }
    };
    add_matches(&mut found, Bitboard::EMPTY);
    if !found.is_empty() {
        return found;
    }
    // Pieces of the player who moves next, lifted before the mover's piece was seen to land, and one that this player is about to
    // capture.
    let (mover, replier) = (node.position.turn(), !node.position.turn());
    let just_now = |square: Square| seen.last_edge().saturating_sub(seen.changed_at(square)) <= MAX_OVERLAP;
    let missing = board.occupied() & !seen.occupied() & !hidden;
    let lifted = missing & board.by_color(replier);
    if missing.count() > 4 || lifted.count() > 2 || !lifted.into_iter().all(just_now) {
        return found;
    }
    for single in lifted {
        add_matches(&mut found, single.into());
    }
    if lifted.count() > 1 {
        add_matches(&mut found, lifted);
    }
    if !found.is_empty() || !may_capture {
        return found;
    }
    for victim in missing & board.by_color(mover) & !board.kings() {
        if just_now(victim) && board.attacks_to(victim, replier, seen.occupied()).any() {
            add_matches(&mut found, victim.into());
            for single in lifted {
                add_matches(&mut found, Bitboard::from(single).with(victim));
            }
        }
    }
    found
}

/// Returns whether the move itself empties none of these squares.
fn keeps_squares(mv: Move, squares: Bitboard) -> bool {
    mv.from().is_none_or(|from| !squares.contains(from))
}
