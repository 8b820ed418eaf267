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
    let hash = seen.hash_without(hidden);
    let showing = |hash: u64| match hidden.is_empty() {
        true => next.moves_showing(hash).collect(),
        false => next.moves_showing_except(node, hash, hidden, seen.sensing()),
    };
    let found: Vec<Match> =
        showing(hash).into_iter().filter(|&mv| !is_excluded(mv)).map(|mv| Match { mv, lifted: Bitboard::EMPTY }).collect();
    if !found.is_empty() {
        return found;
    }
    // Pieces of the player who moves next, lifted before the mover's piece was seen to land, and one that this player is about to
    // capture.
    let board = node.position.board();
    let (mover, replier) = (node.position.turn(), !node.position.turn());
    let just_now = |square: &Square| seen.last_edge().saturating_sub(seen.changed_at(*square)) <= MAX_OVERLAP;
    let missing = board.occupied() & !seen.occupied() & !hidden;
    let lifted = missing & board.by_color(replier);
    if missing.count() > 4 || lifted.count() > 2 || !lifted.into_iter().all(|square| just_now(&square)) {
        return Vec::new();
    }
    let single_replies: Vec<Bitboard> = lifted.into_iter().map(Bitboard::from_square).collect();
    let pair = (lifted.count() > 1).then_some(lifted);
    let replies: Vec<Bitboard> = single_replies.iter().copied().chain(pair).collect();
    let victims = (missing & board.by_color(mover) & !board.kings()).into_iter().filter(just_now);
    let capturable = victims.filter(|&victim| may_capture && board.attacks_to(victim, replier, seen.occupied()).any());
    let with_victims: Vec<Bitboard> = capturable
        .flat_map(|victim| {
            let victim = Bitboard::from_square(victim);
            std::iter::once(victim).chain(single_replies.iter().map(move |single| *single | victim))
        })
        .collect();
    let matches_without = |squares: Bitboard| {
        let hash = squares
            .into_iter()
            .fold(hash, |hash, square| hash ^ placement_hash::piece_hash(square, board.piece_at(square), seen.sensing()));
        showing(hash).into_iter().map(move |mv| Match { mv, lifted: squares })
    };
    let fits = |found: &Match| {
        !found.lifted.contains(landing_square(found.mv)) && !is_excluded(found.mv) && keeps_squares(found.mv, found.lifted)
    };
    let found: Vec<Match> = replies.into_iter().flat_map(matches_without).filter(fits).collect();
    if !found.is_empty() { found } else { with_victims.into_iter().flat_map(matches_without).filter(fits).collect() }
}

/// Returns whether the move itself empties none of these squares.
fn keeps_squares(mv: Move, squares: Bitboard) -> bool {
    mv.from().is_none_or(|from| !squares.contains(from))
}
