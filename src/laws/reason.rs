//! Why a move is not legal (Art. 3), in terms that a program can put into words.

mod find;
mod stands;

pub use find::why_illegal;
pub use stands::why_illegal_to_stand;

use crate::laws::{Irregularity, Move, Topic};
use shakmaty::{Color, Piece, Role, Square};

/// A piece where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// Which.
    pub piece: Piece,
    /// Where.
    pub square: Square,
}

/// What has moved before, so that castling is not allowed any more (3.8.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedBefore {
    /// The king.
    King,
    /// This rook.
    Rook,
    /// One of them, or both: the position does not tell.
    Either,
}

/// Why a move is not legal. Where several reasons hold it is the one that is seen first: whose move it is, how the piece moves,
/// and what the king suffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is the other player's turn (1.3).
    NotHisTurn {
        /// What was moved.
        moved: Man,
    },
    /// Nothing stands on the square that the move begins on.
    NothingThere {
        /// It.
        from: Square,
    },
    /// The pieces stand as before (7.5.3).
    NoMove,
    /// A piece of the player's own stands there (3.1).
    OwnPiece {
        /// What was moved.
        moved: Man,
        /// What stands there.
        on: Man,
    },
    /// A king is never taken (1.4.1).
    KingTaken {
        /// The king.
        king: Man,
    },
    /// Such a piece does not move so (3.2–3.8).
    NoSuchMove {
        /// What was moved.
        moved: Man,
        /// Where.
        to: Square,
    },
    /// Something stands in the way (3.5, 3.7.2).
    Blocked {
        /// What was moved.
        moved: Man,
        /// What stands nearest in its way.
        by: Man,
    },
    /// A pawn steps two squares from where it starts only (3.7.2).
    PawnTwoSteps {
        /// The pawn.
        moved: Man,
    },
    /// A pawn does not take straight ahead (3.7.1).
    PawnStraight {
        /// The pawn.
        moved: Man,
        /// What stands before it.
        on: Man,
    },
    /// A pawn moves diagonally only where it takes (3.7.3).
    PawnDiagonal {
        /// The pawn.
        moved: Man,
        /// Where.
        to: Square,
    },
    /// En passant a pawn is taken only in answer to its step of two squares (3.7.3.2).
    EnPassantTooLate {
        /// The pawn that was moved.
        moved: Man,
        /// The pawn that cannot be taken any more.
        pawn: Square,
    },
    /// The pawn that was taken en passant is still there (3.7.3.1).
    EnPassantNotRemoved {
        /// It.
        pawn: Square,
    },
    /// Something else than the pawn that can be taken en passant was removed.
    EnPassantWrongPawn {
        /// What was removed.
        removed: Man,
        /// The pawn that should have been.
        pawn: Square,
    },
    /// A pawn was left on the last rank (3.7.3.3, 7.5.2).
    PawnLeft {
        /// Where.
        pawn: Man,
    },
    /// A pawn becomes a queen, rook, bishop or knight, and nothing else (3.7.3.3).
    PromotedWrongly {
        /// Where.
        on: Square,
        /// What it became.
        role: Role,
    },
    /// A pawn became a piece of the other colour (3.7.3.3).
    PromotedColour {
        /// What it became.
        on: Man,
    },
    /// Only a pawn that reaches the last rank becomes another piece.
    Became {
        /// What was moved.
        moved: Man,
        /// What it became.
        role: Role,
    },
    /// The king went where he is attacked (3.9.2, 1.4.1).
    IntoCheck {
        /// Where.
        king: Square,
        /// By what.
        by: Vec<Man>,
    },
    /// The kings stand side by side (3.8.1, 3.9.2).
    KingsAdjacent {
        /// The king that was moved.
        king: Square,
        /// The other.
        other: Square,
    },
    /// The piece is pinned (3.9.2).
    Pinned {
        /// What was moved.
        moved: Man,
        /// The king behind it.
        king: Square,
        /// What attacks him now.
        by: Man,
    },
    /// The king is attacked along a line that the move opened elsewhere: en passant took two pawns off it (3.9.2).
    Exposed {
        /// The king.
        king: Square,
        /// What attacks him now.
        by: Man,
    },
    /// The king is still in check (3.9.2).
    StillInCheck {
        /// The king.
        king: Square,
        /// What gave check, and still does.
        by: Man,
    },
    /// The king is in check from two pieces: he has to move himself (3.9.2).
    DoubleCheck {
        /// The king.
        king: Square,
        /// What gave check.
        by: Vec<Man>,
    },
    /// There is no rook to castle with (3.8.2).
    CastlingNoRook {
        /// Where it should stand.
        rook: Square,
    },
    /// King or rook has moved before (3.8.2.1).
    CastlingAfterMove {
        /// Which.
        moved: MovedBefore,
        /// The rook.
        rook: Square,
    },
    /// Something stands between king and rook, or where they go (3.8.2.2.2).
    CastlingBlocked {
        /// What.
        by: Man,
    },
    /// The king is in check (3.8.2.2.1).
    CastlingInCheck {
        /// By what.
        by: Man,
    },
    /// A square that the king crosses is attacked (3.8.2.2.1).
    CastlingThrough {
        /// The square.
        square: Square,
        /// By what.
        by: Man,
    },
    /// The square that the king goes to is attacked (3.8.2.2.1).
    CastlingInto {
        /// The square.
        square: Square,
        /// By what.
        by: Man,
    },
    /// The king stands as after castling, the rook as before (4.7.2).
    CastlingUnfinished {
        /// The rook.
        rook: Square,
    },
    /// King and rook were moved, but not to where castling takes them (3.8.2).
    CastlingSquares {
        /// Where they stood.
        moved: Vec<Man>,
    },
    /// More than one piece was moved.
    SeveralMoves {
        /// Where they stood.
        moved: Vec<Man>,
    },
    /// Pieces are gone that nothing took.
    Vanished {
        /// Where they stood.
        men: Vec<Man>,
    },
    /// Pieces stand where none was moved to.
    Appeared {
        /// Where they stand.
        men: Vec<Man>,
    },
    /// Another piece stands in place of one that was not moved.
    Exchanged {
        /// What stood there.
        was: Man,
        /// What stands there.
        is: Piece,
    },
}

/// A word of a sentence that depends on the case, for those who put it into other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A square.
    Square(Square),
    /// A kind of piece.
    Role(Role),
    /// A player.
    Player(Color),
    /// A piece where it stands, or stood.
    Man(Man),
    /// Several, at least one.
    Men(Vec<Man>),
    /// What has moved before.
    Moved(MovedBefore),
}

impl Reason {
    /// The same, knowing the moves that led to the position, each with its player: where king and rook both stand as at the start,
    /// they tell which of the two has moved. The king, if both have.
    #[must_use]
    pub fn given(self, by: Color, played: impl IntoIterator<Item = (Color, Move)>) -> Reason {
        let Reason::CastlingAfterMove { moved: MovedBefore::Either, rook } = self else { return self };
        let mut moved = MovedBefore::Either;
        for (_, mv) in played.into_iter().filter(|(player, mv)| *player == by && !crate::laws::Position::is_null_move(*mv)) {
            let rooks = mv.role() == Role::Rook && (mv.from() == Some(rook) || mv.to() == rook);
            if mv.role() == Role::King {
                moved = MovedBefore::King;
            } else if rooks && moved == MovedBefore::Either {
                moved = MovedBefore::Rook;
            }
        }
        Reason::CastlingAfterMove { moved, rook }
    }

    /// Its name in message files: it stays the same.
    pub fn key(&self) -> &'static str {
        self.parts().0
    }

    /// What the sentence is about, by names that stay the same.
    pub fn args(&self) -> Vec<(&'static str, Word)> {
        self.parts().1
    }

    /// What its article is on.
    pub fn topic(&self) -> Topic {
        match self {
            Reason::KingTaken { .. } => Topic::KingCapture,
            Reason::EnPassantTooLate { .. } | Reason::EnPassantNotRemoved { .. } | Reason::EnPassantWrongPawn { .. } => {
                Topic::EnPassant
            }
            Reason::PawnLeft { .. }
            | Reason::PromotedWrongly { .. }
            | Reason::PromotedColour { .. }
            | Reason::Became { .. } => Topic::Promotion,
            Reason::IntoCheck { .. }
            | Reason::KingsAdjacent { .. }
            | Reason::Pinned { .. }
            | Reason::Exposed { .. }
            | Reason::StillInCheck { .. }
            | Reason::DoubleCheck { .. } => Topic::KingSafety,
            Reason::CastlingAfterMove { .. } => Topic::CastlingLost,
            Reason::CastlingUnfinished { .. } => Topic::CastlingMade,
            castling if castling.is_castling() => Topic::Castling,
            _ => Topic::Legality,
        }
    }

    /// Whether it is about castling.
    pub fn is_castling(&self) -> bool {
        self.key().starts_with("castling_")
    }

    /// What is against the Laws with such a move.
    pub fn irregularity(&self) -> Irregularity {
        match self {
            Reason::PawnLeft { .. } => Irregularity::PawnLeft,
            // That castling is legal: it has to be finished (4.7.2).
            Reason::CastlingUnfinished { .. } => Irregularity::IllegalMove,
            castling if castling.is_castling() => Irregularity::IllegalCastling,
            _ => Irregularity::IllegalMove,
        }
    }

    fn parts(&self) -> (&'static str, Vec<(&'static str, Word)>) {
        let man = |name, man: &Man| (name, Word::Man(*man));
        let men = |name, men: &[Man]| (name, Word::Men(men.to_vec()));
        let square = |name, square: &Square| (name, Word::Square(*square));
        match self {
            Reason::NotHisTurn { moved } => {
                ("not_his_turn", vec![man("moved", moved), ("player", Word::Player(!moved.piece.color))])
            }
            Reason::NothingThere { from } => ("nothing_there", vec![square("from", from)]),
            Reason::NoMove => ("no_move", vec![]),
            Reason::OwnPiece { moved, on } => ("own_piece", vec![man("moved", moved), man("on", on)]),
            Reason::KingTaken { king } => ("king_taken", vec![man("king", king)]),
            Reason::NoSuchMove { moved, to } => ("no_such_move", vec![man("moved", moved), square("to", to)]),
            Reason::Blocked { moved, by } => ("blocked", vec![man("moved", moved), man("by", by)]),
            Reason::PawnTwoSteps { moved } => ("pawn_two_steps", vec![man("moved", moved)]),
            Reason::PawnStraight { moved, on } => ("pawn_straight", vec![man("moved", moved), man("on", on)]),
            Reason::PawnDiagonal { moved, to } => ("pawn_diagonal", vec![man("moved", moved), square("to", to)]),
            Reason::EnPassantTooLate { moved, pawn } => {
                ("en_passant_too_late", vec![man("moved", moved), square("pawn", pawn)])
            }
            Reason::EnPassantNotRemoved { pawn } => ("en_passant_not_removed", vec![square("pawn", pawn)]),
            Reason::EnPassantWrongPawn { removed, pawn } => {
                ("en_passant_wrong_pawn", vec![man("removed", removed), square("pawn", pawn)])
            }
            Reason::PawnLeft { pawn } => ("pawn_left", vec![man("pawn", pawn)]),
            Reason::PromotedWrongly { on, role } => ("promoted_wrongly", vec![square("on", on), ("role", Word::Role(*role))]),
            Reason::PromotedColour { on } => ("promoted_colour", vec![man("on", on)]),
            Reason::Became { moved, role } => ("became", vec![man("moved", moved), ("role", Word::Role(*role))]),
            Reason::IntoCheck { king, by } => ("into_check", vec![square("king", king), men("by", by)]),
            Reason::KingsAdjacent { king, other } => ("kings_adjacent", vec![square("king", king), square("other", other)]),
            Reason::Pinned { moved, king, by } => ("pinned", vec![man("moved", moved), square("king", king), man("by", by)]),
            Reason::Exposed { king, by } => ("exposed", vec![square("king", king), man("by", by)]),
            Reason::StillInCheck { king, by } => ("still_in_check", vec![square("king", king), man("by", by)]),
            Reason::DoubleCheck { king, by } => ("double_check", vec![square("king", king), men("by", by)]),
            Reason::CastlingNoRook { rook } => ("castling_no_rook", vec![square("rook", rook)]),
            Reason::CastlingAfterMove { moved, rook } => {
                ("castling_after_move", vec![("moved", Word::Moved(*moved)), square("rook", rook)])
            }
            Reason::CastlingBlocked { by } => ("castling_blocked", vec![man("by", by)]),
            Reason::CastlingInCheck { by } => ("castling_in_check", vec![man("by", by)]),
            Reason::CastlingThrough { square: crossed, by } => {
                ("castling_through", vec![square("square", crossed), man("by", by)])
            }
            Reason::CastlingInto { square: goal, by } => ("castling_into", vec![square("square", goal), man("by", by)]),
            Reason::CastlingUnfinished { rook } => ("castling_unfinished", vec![square("rook", rook)]),
            Reason::CastlingSquares { moved } => ("castling_squares", vec![men("moved", moved)]),
            Reason::SeveralMoves { moved } => ("several_moves", vec![men("moved", moved)]),
            Reason::Vanished { men: gone } => ("vanished", vec![men("men", gone)]),
            Reason::Appeared { men: here } => ("appeared", vec![men("men", here)]),
            Reason::Exchanged { was, is } => {
                ("exchanged", vec![man("was", was), man("is", &Man { piece: *is, square: was.square })])
            }
        }
    }
}
