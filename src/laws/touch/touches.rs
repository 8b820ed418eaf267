//! The touches and releases of a player.

use super::geometry::{capture_square, castled};
use crate::laws::{Move, Position};
use shakmaty::{Color, Piece, Role, Square};

/// A touch of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The time, in milliseconds.
    pub at: u64,
    /// The square of the piece before the move began.
    pub square: Square,
    /// The piece, of either player.
    pub piece: Piece,
}

/// A release: the player who has the move let go of one of their own pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The time, in milliseconds.
    pub at: u64,
    /// The square of the piece before the move began; after a promotion, that of the pawn.
    pub from: Square,
    /// The square on which it was released.
    pub on: Square,
    /// The released piece; after a promotion, the new piece.
    pub piece: Piece,
}

/// The touches and releases of the player who has the move, since the turn began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    touched: Vec<Touch>,
    released: Vec<Release>,
    /// Promotion pieces that have touched the last rank, released or not.
    promoted: Vec<Release>,
    unclear_ms: u64,
}

impl Touches {
    /// Creates an empty set of touches. Touches at the same time, or less than `unclear_ms` milliseconds apart, are one touch of
    /// several pieces. In such a group the player's own pieces count as touched first (4.3.3), and the king before the rook (2014,
    /// 4.4c: both at once). Among pieces for which no article gives an order, the player chooses.
    pub fn new(unclear_ms: u64) -> Touches {
        Touches { unclear_ms, ..Touches::default() }
    }

    /// Derives the touches from a move, for use when nothing else is known: the moved piece first, then the captured piece; in
    /// castling the king before the rook; then the releases. The move may be legal or not (7.5.1).
    pub fn of_move(position: &Position, mv: Move) -> Touches {
        let mut touches = Touches::default();
        let mover = position.mover(mv);
        let mut touch = |at, square: Option<Square>| {
            if let Some((square, piece)) = square.and_then(|square| Some((square, position.piece_at(square)?))) {
                touches.touch(at, square, piece);
            }
        };
        touch(0, mv.from());
        touch(1, if let Move::Castle { rook, .. } = mv { Some(rook) } else { capture_square(mv) });
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                touches.release(2, from, to, promotion.unwrap_or(role).of(mover));
            }
            Move::EnPassant { from, to } => touches.release(2, from, to, Role::Pawn.of(mover)),
            Move::Castle { king, rook } => {
                let [king_to, rook_to] = castled(king, rook);
                touches.release(2, king, king_to, Role::King.of(mover));
                touches.release(3, rook, rook_to, Role::Rook.of(mover));
            }
            Move::Put { .. } => {}
        }
        touches
    }

    /// Records a touch of a piece of either player, by its square before the move began. Further touches of the same piece are
    /// ignored.
    pub fn touch(&mut self, at: u64, square: Square, piece: Piece) {
        if !self.touched.iter().any(|touch| touch.square == square) {
            self.touched.push(Touch { at, square, piece });
        }
    }

    /// Records that the player released a piece on this square. Callers must also report pieces that the player then moved further:
    /// the first release that is a legal move, or a part of one, is binding (4.7).
    pub fn release(&mut self, at: u64, from: Square, on: Square, piece: Piece) {
        self.released.push(Release { at, from, on, piece });
        self.released.sort_by_key(|release| release.at);
    }

    /// Records that a piece that replaces the pawn from `from` touched this square of the last rank. This makes the choice final,
    /// whether or not the piece was released (4.4.4).
    pub fn promote(&mut self, at: u64, from: Square, on: Square, piece: Piece) {
        self.promoted.push(Release { at, from, on, piece });
    }

    /// Removes the touches of the piece that was on this square before the move: it was adjusted, or brushed by accident (4.2).
    pub fn remove(&mut self, square: Square) {
        self.touched.retain(|touch| touch.square != square);
        self.released.retain(|release| release.from != square);
        self.promoted.retain(|contact| contact.from != square);
    }

    /// Keeps the releases for which `keep` returns `true`.
    pub(super) fn retain_releases(&mut self, keep: impl FnMut(&Release) -> bool) {
        self.released.retain(keep);
    }

    /// Returns whether nothing else was touched after, or together with, the piece that was on this square before the move.
    pub(super) fn is_last(&self, square: Square) -> bool {
        let at = self.touched.iter().find(|touch| touch.square == square).map_or(0, |touch| touch.at);
        let earlier = |touch: &Touch| touch.at < at && at - touch.at >= self.unclear_ms;
        self.touched.iter().all(|touch| touch.square == square || earlier(touch))
    }

    /// Returns the touches in the order in which they count for the player who has the move.
    pub fn touched(&self, turn: Color) -> Vec<Touch> {
        self.groups(turn).concat()
    }

    /// Returns the touches in the same order, grouped: the pieces of one touch are together.
    pub(super) fn groups(&self, turn: Color) -> Vec<Vec<Touch>> {
        let mut touched = self.touched.clone();
        touched.sort_by_key(|touch| touch.at);
        let rank = |touch: &Touch| match (touch.piece.color == turn, touch.piece.role) {
            (true, Role::King) => 0,
            (true, _) => 1,
            (false, _) => 2,
        };
        let mut groups: Vec<Vec<Touch>> = Vec::new();
        for touch in touched {
            let together = |first: &Touch| touch.at == first.at || touch.at - first.at < self.unclear_ms;
            match groups.last_mut() {
                Some(group) if group.first().is_some_and(together) => group.push(touch),
                _ => groups.push(vec![touch]),
            }
        }
        groups.iter_mut().for_each(|group| group.sort_by_key(rank));
        groups
    }

    /// Returns the touches up to this time, with all releases.
    pub(super) fn until(&self, at: u64) -> Touches {
        let mut until = self.clone();
        until.touched.retain(|touch| touch.at <= at);
        until
    }

    /// Returns the promotion pieces that have touched the last rank, released or not.
    pub(super) fn promoted(&self) -> &[Release] {
        &self.promoted
    }

    /// Returns the releases, ordered by time.
    pub fn released(&self) -> &[Release] {
        &self.released
    }

    /// Returns whether nothing was touched.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty() && self.released.is_empty() && self.promoted.is_empty()
    }
}
