//! The Laws of Chess, as far as a board can observe them: regular and irregular positions, the editions of the Laws, and what the
//! editions require of the arbiter.

pub mod draws;
pub mod edition;
mod in_force;
mod irregular;
mod irregularity;
mod penalty;
mod position;
pub mod reason;
mod ruling;
pub mod touch;
mod winnable;
mod word;

pub use edition::{EDITIONS, Edition, Supervision, TimeClass, Topic};
pub use in_force::{BadLaws, Laws};
pub use irregularity::{CountedAttempt, Irregularity, IrregularityCounts};
pub use penalty::{Penalty, penalty};
pub use ruling::{
    Occasion, Reply, Ruling, RulingAction, RulingFacts, Rulings, Situation, Stage, articles, depends_on_mate, ruling,
};
pub use word::LawsWord;

pub use irregular::Irregular;
pub use position::{BadFen, Ending, NULL_UCI, Position, PositionKey};
pub use shakmaty::Move;
pub use winnable::{DeadSearch, LIMIT, MateSearch, Winnable, is_dead, winnable, winnable_within};

use shakmaty::{CastlingSide, Color, Piece, Role, Square};

/// The centre squares d4, e4, d5 and e5, on which players put the kings after the game to signal the result.
pub const CENTRE: shakmaty::Bitboard = shakmaty::Bitboard(0x0000_0018_1800_0000);

/// The squares that a move changes, each with its contents after the move; at most four squares (castling).
#[derive(Clone, Copy, Debug)]
pub struct Changes {
    squares: [(Square, Option<Piece>); 4],
    count: usize,
}

impl Changes {
    /// Returns the changes made by `mv`, played by `turn`. Does not check whether the move is legal.
    #[inline]
    pub fn of(turn: Color, mv: Move) -> Changes {
        let mut changes = Changes { squares: [(Square::A1, None); 4], count: 0 };
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                // Fast path: nearly all moves are normal moves, which change these two squares.
                changes.squares[0] = (from, None);
                changes.squares[1] = (to, Some(promotion.unwrap_or(role).of(turn)));
                changes.count = 2;
            }
            Move::EnPassant { from, to } => {
                changes.set(from, None);
                changes.set(Square::from_coords(to.file(), from.rank()), None);
                changes.set(to, Some(Role::Pawn.of(turn)));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                changes.set(king, None);
                changes.set(rook, None);
                changes.set(Square::from_coords(side.king_to_file(), king.rank()), Some(Role::King.of(turn)));
                changes.set(Square::from_coords(side.rook_to_file(), rook.rank()), Some(Role::Rook.of(turn)));
            }
            Move::Put { role, to } => changes.set(to, Some(role.of(turn))),
        }
        changes
    }

    /// Iterates over the changed squares, each once, with their contents after the move.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Square, Option<Piece>)> + '_ {
        self.squares.iter().take(self.count).copied()
    }

    /// Sets the contents of a square. In Chess960 castling one piece can leave a square that the other then occupies: the last call
    /// for a square wins.
    fn set(&mut self, square: Square, piece: Option<Piece>) {
        match self.squares.iter_mut().take(self.count).find(|(known, _)| *known == square) {
            Some(entry) => entry.1 = piece,
            None => {
                if let Some(entry) = self.squares.get_mut(self.count) {
                    *entry = (square, piece);
                    self.count += 1;
                }
            }
        }
    }
}
