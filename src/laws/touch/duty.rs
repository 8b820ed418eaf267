//! The obligations that touched pieces create, and the reasons for them.

use crate::laws::{LawsWord, Move, Position, Topic};
use shakmaty::{Bitboard, Role, Square};

/// The moves that a player may still play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// Any legal move.
    Free(Freedom),
    /// One of these legal moves; there is at least one.
    Only {
        /// The allowed moves, in the order of [`Position::legal_moves`].
        moves: Vec<Move>,
        /// The reason.
        by: Duty,
    },
}

/// The reason why a player may play any legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Nothing was touched.
    NothingTouched,
    /// None of the touched pieces can be moved or captured (4.5).
    NoLegalMove,
    /// The player intended to castle, which is not allowed, and the king cannot move (4.4.3).
    KingCannot,
    /// The available text of this edition does not say.
    Unspecified,
}

/// The reason why a player's choice is restricted. Squares are those of the pieces before the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// The player must move the first touched piece of their own that can move (4.3.1).
    OwnPiece {
        /// The square of that piece.
        square: Square,
    },
    /// The player touched several of their own pieces at once and must move one of them (4.3.1).
    OwnTogether {
        /// The touched pieces that can move.
        squares: Bitboard,
    },
    /// The player must capture the first touched piece of the opponent that can be captured (4.3.2).
    EnemyPiece {
        /// The square of that piece.
        square: Square,
    },
    /// The player touched several of the opponent's pieces at once and must capture one of them (4.3.2).
    EnemyTogether {
        /// The touched pieces that can be captured.
        squares: Bitboard,
    },
    /// The player must capture the opponent's touched piece with their own touched piece (4.3.3).
    Both {
        /// The square of the player's own piece.
        own: Square,
        /// The square of the opponent's piece.
        enemy: Square,
    },
    /// The player touched the king, then a rook, and must castle with it (4.4.1).
    Castle {
        /// The square of the king.
        king: Square,
        /// The square of the rook.
        rook: Square,
    },
    /// The player touched a rook, then the king: castling with that rook is not allowed, and the rook must move (4.4.2, 4.3.1).
    RookBeforeKing {
        /// The square of the rook.
        rook: Square,
        /// The square of the king.
        king: Square,
    },
    /// The player touched a rook, then the king: castling with that rook is not allowed, and the king must make another move
    /// (4.4.2).
    KingAfterRook {
        /// The square of the rook.
        rook: Square,
        /// The square of the king.
        king: Square,
    },
    /// The player touched the king, then a rook with which castling is illegal: the king must make another move (4.4.3).
    KingAfterCastling {
        /// The square of the king.
        king: Square,
        /// The square of the rook.
        rook: Square,
    },
    /// The new piece has touched the square of promotion: the choice is final (4.4.4).
    PromotionFinal {
        /// The square of promotion.
        square: Square,
        /// The new piece.
        role: Role,
    },
    /// The piece was released on a square, as a legal move or a part of one (4.7).
    Released {
        /// The square of the piece before the move.
        from: Square,
        /// The square on which it must stay.
        on: Square,
    },
    /// Castling was begun with a release on a castling square: the player must castle (4.7.2).
    CastlingBegun {
        /// The square of the king.
        king: Square,
        /// The square of the rook.
        rook: Square,
    },
    /// The pawn was on the last rank when the clock was pressed: it becomes a queen (7.5.2).
    PawnBecomesQueen {
        /// The square of promotion.
        square: Square,
    },
}

impl Obligation {
    /// Returns whether this legal move is allowed.
    pub fn allows(&self, mv: Move) -> bool {
        match self {
            Obligation::Free(_) => true,
            Obligation::Only { moves, .. } => moves.contains(&mv),
        }
    }

    /// Returns all allowed moves. `position` must be the one for which the obligation was computed.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        match self {
            Obligation::Free(_) => position.legal_moves().into_iter().collect(),
            Obligation::Only { moves, .. } => moves.clone(),
        }
    }
}

impl Duty {
    /// Returns its stable key in message files.
    pub fn key(self) -> &'static str {
        match self {
            Duty::OwnPiece { .. } => "touch_own",
            Duty::OwnTogether { .. } => "touch_own_together",
            Duty::EnemyPiece { .. } => "touch_opponent",
            Duty::EnemyTogether { .. } => "touch_opponent_together",
            Duty::Both { .. } => "touch_both",
            Duty::Castle { .. } => "castling_touched",
            Duty::RookBeforeKing { .. } => "rook_before_king",
            Duty::KingAfterRook { .. } => "rook_first",
            Duty::KingAfterCastling { .. } => "castling_illegal",
            Duty::PromotionFinal { .. } => "promotion_final",
            Duty::Released { .. } => "released",
            Duty::CastlingBegun { .. } => "castling_made",
            Duty::PawnBecomesQueen { .. } => "pawn_left",
        }
    }

    /// Returns the topic of its article.
    pub fn topic(self) -> Option<Topic> {
        Duty::topic_of(self.key())
    }

    /// Returns the topic of the article for the duty with this [key](Duty::key).
    pub fn topic_of(key: &str) -> Option<Topic> {
        match key {
            "touch_own_together" => Some(Topic::TouchOwn),
            "touch_opponent_together" => Some(Topic::TouchOpponent),
            "rook_before_king" => Some(Topic::RookFirst),
            topic => Topic::from_word(topic),
        }
    }

    /// Returns the squares that the duty refers to.
    pub fn squares(self) -> Vec<Square> {
        match self {
            Duty::OwnPiece { square }
            | Duty::EnemyPiece { square }
            | Duty::PromotionFinal { square, .. }
            | Duty::PawnBecomesQueen { square } => vec![square],
            Duty::OwnTogether { squares } | Duty::EnemyTogether { squares } => squares.into_iter().collect(),
            Duty::Both { own, enemy } => vec![own, enemy],
            Duty::Castle { king, rook } | Duty::KingAfterCastling { king, rook } | Duty::CastlingBegun { king, rook } => {
                vec![king, rook]
            }
            Duty::RookBeforeKing { rook, king } | Duty::KingAfterRook { rook, king } => vec![rook, king],
            Duty::Released { from, on } => vec![from, on],
        }
    }
}

impl Freedom {
    /// Returns the topic of its article in the edition files, if it is based on one.
    pub fn topic(self) -> Option<&'static str> {
        match self {
            Freedom::NoLegalMove => Some("touch_free"),
            Freedom::KingCannot => Some("castling_illegal"),
            Freedom::NothingTouched | Freedom::Unspecified => None,
        }
    }

    /// Returns its stable key in message files.
    pub fn key(self) -> &'static str {
        match self {
            Freedom::NothingTouched => "nothing_touched",
            Freedom::NoLegalMove => "touch_free",
            Freedom::KingCannot => "castling_king_cannot",
            Freedom::Unspecified => "touch_unsaid",
        }
    }
}
