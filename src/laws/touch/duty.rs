//! What touched pieces oblige to, and why.

use crate::laws::{Move, Position, Topic, Worded};
use shakmaty::{Bitboard, Role, Square};

/// What a player may still play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// Any legal move.
    Free(Freedom),
    /// One of these legal moves; there is at least one.
    Only {
        /// Which, in the order of [`Position::legal_moves`].
        moves: Vec<Move>,
        /// Why.
        by: Duty,
    },
}

/// Why a player is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Nothing was touched.
    NothingTouched,
    /// Nothing that was touched can be moved or taken (4.5).
    NoneCan,
    /// He was about to castle, which is not allowed, and his king cannot move (4.4.3).
    KingCannot,
    /// Our text of this edition says nothing of it.
    Unsaid,
}

/// Why a player is not free, with the squares where pieces stood before his move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// The first piece of his own that can move must move (4.3.1).
    OwnPiece {
        /// It.
        square: Square,
    },
    /// Several pieces of his own were touched at once: one of them must move (4.3.1).
    OwnTogether {
        /// Those that can move.
        squares: Bitboard,
    },
    /// The first piece of his opponent's that can be taken must be taken (4.3.2).
    EnemyPiece {
        /// It.
        square: Square,
    },
    /// Several pieces of his opponent's were touched at once: one of them must be taken (4.3.2).
    EnemyTogether {
        /// Those that can be taken.
        squares: Bitboard,
    },
    /// The first of his opponent's must be taken by the first of his own (4.3.3).
    Both {
        /// His own.
        own: Square,
        /// His opponent's.
        enemy: Square,
    },
    /// King, then rook: he must castle with it (4.4.1).
    Castle {
        /// The king.
        king: Square,
        /// The rook.
        rook: Square,
    },
    /// Rook, then king: he may not castle with it, and the rook must move (4.4.2, 4.3.1).
    RookBeforeKing {
        /// The rook.
        rook: Square,
        /// The king.
        king: Square,
    },
    /// Rook, then king: he may not castle with it, and the rook cannot move (4.4.2).
    KingAfterRook {
        /// The rook.
        rook: Square,
        /// The king.
        king: Square,
    },
    /// King, then rook, and castling with it is not allowed: the king must make another move (4.4.3).
    KingAfterCastling {
        /// The king.
        king: Square,
        /// The rook.
        rook: Square,
    },
    /// The new piece has touched the square of promotion: it is chosen (4.4.4).
    PromotionFinal {
        /// The square.
        square: Square,
        /// The piece.
        role: Role,
    },
    /// The piece was let go there, as a legal move or a part of one (4.7).
    Released {
        /// Where it stood.
        from: Square,
        /// Where it must stay.
        on: Square,
    },
    /// The king was let go where castling takes him: he must castle (4.7.2).
    CastlingBegun {
        /// The king.
        king: Square,
        /// The rook.
        rook: Square,
    },
    /// The pawn stood on the last rank when the clock was pressed: it becomes a queen (7.5.2).
    PawnBecomesQueen {
        /// The square of promotion.
        square: Square,
    },
}

impl Obligation {
    /// Whether this legal move is allowed.
    pub fn allows(&self, mv: Move) -> bool {
        match self {
            Obligation::Free(_) => true,
            Obligation::Only { moves, .. } => moves.contains(&mv),
        }
    }

    /// All that is allowed in the position it was asked for.
    pub fn moves(&self, position: &Position) -> Vec<Move> {
        match self {
            Obligation::Free(_) => position.legal_moves().into_iter().collect(),
            Obligation::Only { moves, .. } => moves.clone(),
        }
    }
}

impl Duty {
    /// Its name in message files: it stays the same.
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

    /// What its article is on.
    pub fn topic(self) -> Option<Topic> {
        Duty::topic_of(self.key())
    }

    /// What the article of the duty with this [key](Duty::key) is on.
    pub fn topic_of(key: &str) -> Option<Topic> {
        match key {
            "touch_own_together" => Some(Topic::TouchOwn),
            "touch_opponent_together" => Some(Topic::TouchOpponent),
            "rook_before_king" => Some(Topic::RookFirst),
            topic => Topic::from_word(topic),
        }
    }

    /// The squares it is about.
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
    /// The topic of its article in the files of editions, where it rests on one.
    pub fn topic(self) -> Option<&'static str> {
        match self {
            Freedom::NoneCan => Some("touch_free"),
            Freedom::KingCannot => Some("castling_illegal"),
            Freedom::NothingTouched | Freedom::Unsaid => None,
        }
    }

    /// Its name in message files: it stays the same.
    pub fn key(self) -> &'static str {
        match self {
            Freedom::NothingTouched => "nothing_touched",
            Freedom::NoneCan => "touch_free",
            Freedom::KingCannot => "castling_king_cannot",
            Freedom::Unsaid => "touch_unsaid",
        }
    }
}
