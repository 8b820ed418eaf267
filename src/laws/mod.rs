//! The Laws of Chess as far as a board can see them: positions, also those that play should never have reached; the editions, and
//! what they require of the arbiter.

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
pub use irregularity::{Counted, Irregularity, Tally};
pub use penalty::{Penalty, penalty};
pub use ruling::{Act, Facts, Occasion, Reply, Ruling, Rulings, Situation, Stage, articles, depends_on_mate, ruling};
pub use word::Worded;

pub use irregular::Irregular;
pub use position::{BadFen, Ending, NULL_UCI, Position, PositionKey};
pub use shakmaty::Move;
pub use winnable::{DeadSearch, LIMIT, MateSearch, Winnable, is_dead, winnable, winnable_within};

use shakmaty::{CastlingSide, Color, Piece, Role, Square};

/// Squares where a king stands after the game to tell the result: e4, d5, d4, e5.
pub const CENTRE: shakmaty::Bitboard = shakmaty::Bitboard(0x0000_0018_1800_0000);

/// What each square changed by a move holds afterwards; at most four squares (castling).
#[derive(Clone, Copy, Debug)]
pub struct Changes {
    squares: [(Square, Option<Piece>); 4],
    count: usize,
}

impl Changes {
    /// Of a move by `turn`. The move is taken at its word: nothing is checked.
    pub fn of(turn: Color, mv: Move) -> Changes {
        let mut changes = Changes { squares: [(Square::A1, None); 4], count: 0 };
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                // These are two, and nearly all moves are like that.
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

    /// The squares, each once, with what they hold afterwards.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Option<Piece>)> + '_ {
        self.squares.iter().take(self.count).copied()
    }

    /// In Chess960 castling a square can be left by one piece and taken by the other: the last word counts.
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
