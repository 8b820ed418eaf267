//! What the board shows, compared with the last position of a line.

use super::history::History;
use super::matches::{Match, find_matches};
use crate::infer::explain::{Explanation, explain, lifted_squares};
use crate::infer::{LineNode, ObservedBoard, placement_hash};
use shakmaty::Bitboard;

/// A line of play, and where the board differs from its last position. Squares that cannot be trusted are not compared.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    history: &'a History,
    seen: &'a ObservedBoard,
    /// The squares that are not compared.
    hidden: Bitboard,
    /// The squares that differ.
    wrong: Bitboard,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison. `hidden`: the squares that are not compared; `wrong`: those that differ.
    pub(super) fn new(history: &'a History, hidden: Bitboard, wrong: Bitboard, seen: &'a ObservedBoard) -> Comparison<'a> {
        Comparison { history, seen, hidden, wrong }
    }

    /// Returns the positions and moves of the line.
    pub(super) fn history(&self) -> &'a History {
        self.history
    }

    /// Returns what the squares show.
    pub(super) fn seen(&self) -> &'a ObservedBoard {
        self.seen
    }

    /// Returns the last node.
    pub(super) fn tip(&self) -> &'a LineNode {
        self.history.tip()
    }

    /// Returns the squares that are not compared.
    pub(super) fn hidden(&self) -> Bitboard {
        self.hidden
    }

    /// Returns the squares that differ from the line's last position.
    pub fn mismatch(&self) -> Bitboard {
        self.wrong
    }

    /// Returns the squares of [`mismatch`](Self::mismatch) from which the side to move has lifted a piece of its own.
    pub(super) fn own_lifted(&self) -> Bitboard {
        lifted_squares(&self.tip().position, self.seen, self.wrong)
    }

    /// Returns the squares of [`mismatch`](Self::mismatch) that pieces in the hands of the side to move (up to two of its own, and
    /// one captured) do not explain.
    pub fn unexplained(&self) -> Bitboard {
        let own_lifted = self.own_lifted();
        let removed = self.wrong & !own_lifted;
        let in_hands = self.wrong.is_disjoint(self.seen.occupied())
            && (removed.is_empty() || (!removed.more_than_one() && own_lifted.any()))
            && has_at_most_two(own_lifted);
        if in_hands { Bitboard::EMPTY } else { self.wrong }
    }

    /// Returns whether pieces are on other squares than after the last move although no edge showed them moving there.
    pub fn is_shown_unseen(&self) -> bool {
        (self.wrong & self.seen.doubted()).any()
    }

    /// Returns whether the board shows this node on all squares that can be trusted.
    pub(super) fn shows(&self, node: &LineNode) -> bool {
        shows(node, self.hidden, self.seen)
    }

    /// Returns all lines of `added` plies that lead from the position after ply `base` to what is seen, least doubtful first.
    pub(super) fn explain_after(&self, base: usize, added: u32) -> Vec<Explanation> {
        let Some(node) = self.history.nodes().get(base) else { return Vec::new() };
        explain(&node.position, self.seen, self.hidden, added, self.history.next_made_at(base))
    }

    /// Returns the moves from the node `back` plies before the tip (0: the tip) that show what is seen, except those that cannot be
    /// distinguished from a piece in the air.
    pub(super) fn matches(&self, back: usize) -> Vec<Match> {
        let (Some(next), Some(node)) = (self.history.next_moves(back), self.history.node_back(back)) else { return Vec::new() };
        find_matches(node, next, self.seen, self.hidden, back > 0, |mv| self.is_traceless(mv, node))
    }
}

/// Returns whether there are no more than two squares.
pub(super) fn has_at_most_two(squares: Bitboard) -> bool {
    !squares.more_than_one() || !squares.without_first().more_than_one()
}

/// Returns whether the board shows this node on all squares that are not hidden.
pub(super) fn shows(node: &LineNode, hidden: Bitboard, seen: &ObservedBoard) -> bool {
    match hidden.is_empty() {
        true => node.placement_hash == seen.placement_hash(),
        false => {
            node.placement_hash ^ placement_hash::partial_hash(node.position.board(), hidden, seen.sensing())
                == seen.hash_without(hidden)
        }
    }
}
