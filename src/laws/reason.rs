//! The reasons why a move is illegal (Art. 3), in a form that front-ends can put into words.

mod find;
mod placement;

pub use find::why_illegal;
pub use placement::why_illegal_placement;

use crate::laws::{Irregularity, Move, Topic};
use shakmaty::{Color, Piece, Role, Square};

/// A piece on a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The piece.
    pub piece: Piece,
    /// The square.
    pub square: Square,
}

/// The piece whose earlier move removed the right to castle (3.8.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovedBefore {
    /// The king.
    King,
    /// The rook.
    Rook,
    /// One of them or both: the position does not show which.
    Either,
}

/// The reason why a move is illegal. If there are several reasons, the first in this order: the turn, the way the piece moves, the
/// safety of the king.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IllegalReason {
    /// It is the other player's turn (1.3).
    OutOfTurn {
        /// The moved piece.
        moved: PlacedPiece,
    },
    /// The start square of the move is empty.
    EmptySquare {
        /// The start square.
        from: Square,
    },
    /// The placement has not changed (7.5.3).
    NoMove,
    /// The target square is occupied by a piece of the player's own (3.1).
    OwnPiece {
        /// The moved piece.
        moved: PlacedPiece,
        /// The piece on the target square.
        on: PlacedPiece,
    },
    /// A king cannot be captured (1.4.1).
    KingCaptured {
        /// The king.
        king: PlacedPiece,
    },
    /// The piece does not move in this way (3.2–3.8).
    NoSuchMove {
        /// The moved piece.
        moved: PlacedPiece,
        /// The target square.
        to: Square,
    },
    /// Another piece is in the way (3.5, 3.7.2).
    Blocked {
        /// The moved piece.
        moved: PlacedPiece,
        /// The nearest piece in its way.
        by: PlacedPiece,
    },
    /// A pawn advances two squares only from its original square (3.7.2).
    PawnTwoSteps {
        /// The pawn.
        moved: PlacedPiece,
    },
    /// A pawn does not capture straight ahead (3.7.1).
    PawnStraight {
        /// The pawn.
        moved: PlacedPiece,
        /// The piece on the target square.
        on: PlacedPiece,
    },
    /// A pawn moves diagonally only when it captures (3.7.3).
    PawnDiagonal {
        /// The pawn.
        moved: PlacedPiece,
        /// The target square.
        to: Square,
    },
    /// A pawn can be captured en passant only on the move after its advance of two squares (3.7.3.2).
    EnPassantTooLate {
        /// The pawn that was moved.
        moved: PlacedPiece,
        /// The pawn that can no longer be captured.
        pawn: Square,
    },
    /// The pawn captured en passant is still on the board (3.7.3.1).
    EnPassantNotRemoved {
        /// The captured pawn.
        pawn: Square,
    },
    /// Another piece than the pawn that can be captured en passant was removed.
    EnPassantWrongPawn {
        /// The removed piece.
        removed: PlacedPiece,
        /// The pawn that should have been removed.
        pawn: Square,
    },
    /// A pawn was left on the last rank (3.7.3.3, 7.5.2).
    PawnLeft {
        /// The pawn.
        pawn: PlacedPiece,
    },
    /// A pawn can be promoted only to a queen, rook, bishop or knight (3.7.3.3).
    PromotedWrongly {
        /// The square of promotion.
        on: Square,
        /// The type of the new piece.
        role: Role,
    },
    /// A pawn was replaced by a piece of the other colour (3.7.3.3).
    PromotedColour {
        /// The new piece.
        on: PlacedPiece,
    },
    /// Only a pawn that reaches the last rank becomes another piece.
    PromotedTooEarly {
        /// The moved piece.
        moved: PlacedPiece,
        /// The type of the new piece.
        role: Role,
    },
    /// The king moved to an attacked square (3.9.2, 1.4.1).
    IntoCheck {
        /// The target square of the king.
        king: Square,
        /// The attackers.
        by: Vec<PlacedPiece>,
    },
    /// The kings are on adjacent squares (3.8.1, 3.9.2).
    KingsAdjacent {
        /// The king that was moved.
        king: Square,
        /// The other king.
        other: Square,
    },
    /// The piece is pinned (3.9.2).
    Pinned {
        /// The moved piece.
        moved: PlacedPiece,
        /// The king behind it.
        king: Square,
        /// The piece that attacks the king after the move.
        by: PlacedPiece,
    },
    /// The king is attacked along a line that an en passant capture opened by removing the captured pawn (3.9.2).
    Exposed {
        /// The king.
        king: Square,
        /// The piece that attacks the king after the move.
        by: PlacedPiece,
    },
    /// The king is still in check (3.9.2).
    StillInCheck {
        /// The king.
        king: Square,
        /// The piece that gave check and still does.
        by: PlacedPiece,
    },
    /// The king is in check from two pieces, so the king must move (3.9.2).
    DoubleCheck {
        /// The king.
        king: Square,
        /// The pieces that give check.
        by: Vec<PlacedPiece>,
    },
    /// There is no rook for castling (3.8.2).
    CastlingNoRook {
        /// The square where it should be.
        rook: Square,
    },
    /// The king or the rook has moved before (3.8.2.1).
    CastlingAfterMove {
        /// The piece that has moved.
        moved: MovedBefore,
        /// The rook.
        rook: Square,
    },
    /// A piece is between king and rook, or on a square that they cross or move to (3.8.2.2.2).
    CastlingBlocked {
        /// The piece in the way.
        by: PlacedPiece,
    },
    /// The king is in check (3.8.2.2.1).
    CastlingInCheck {
        /// The attacker.
        by: PlacedPiece,
    },
    /// A square that the king crosses is attacked (3.8.2.2.1).
    CastlingThrough {
        /// The square.
        square: Square,
        /// The attacker.
        by: PlacedPiece,
    },
    /// The target square of the king is attacked (3.8.2.2.1).
    CastlingInto {
        /// The square.
        square: Square,
        /// The attacker.
        by: PlacedPiece,
    },
    /// The king was moved as in castling, but the rook was not moved (4.7.2).
    CastlingUnfinished {
        /// The rook.
        rook: Square,
    },
    /// King and rook were moved, but not to the squares of castling (3.8.2).
    CastlingSquares {
        /// The pieces, on their squares before the move.
        moved: Vec<PlacedPiece>,
    },
    /// More than one piece was moved.
    SeveralMoves {
        /// The pieces, on their squares before the move.
        moved: Vec<PlacedPiece>,
    },
    /// Pieces were removed that were not captured.
    Vanished {
        /// The pieces, on their squares before the move.
        pieces: Vec<PlacedPiece>,
    },
    /// Pieces appeared on squares to which none was moved.
    Appeared {
        /// The pieces, on their new squares.
        pieces: Vec<PlacedPiece>,
    },
    /// A piece that was not moved was replaced by another one.
    Exchanged {
        /// The piece before the move.
        was: PlacedPiece,
        /// The piece that replaced it.
        is: Piece,
    },
}

/// A variable part of the sentence for a reason, for use in translations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasonArg {
    /// A square.
    Square(Square),
    /// A type of piece.
    Role(Role),
    /// A player.
    Player(Color),
    /// A piece on its square, now or before the move.
    Piece(PlacedPiece),
    /// Several pieces, at least one.
    Pieces(Vec<PlacedPiece>),
    /// The piece that has moved before.
    Moved(MovedBefore),
}

impl IllegalReason {
    /// Refines the reason with the moves that led to the position, each with its player. If king and rook are both on their
    /// original squares, the moves show which of them has moved; the king if both have.
    #[must_use]
    pub fn refine_with_moves(self, by: Color, played: impl IntoIterator<Item = (Color, Move)>) -> IllegalReason {
        let IllegalReason::CastlingAfterMove { moved: MovedBefore::Either, rook } = self else { return self };
        let mut moved = MovedBefore::Either;
        for (_, mv) in played.into_iter().filter(|(player, mv)| *player == by && !crate::laws::Position::is_null_move(*mv)) {
            let is_this_rook = mv.role() == Role::Rook && (mv.from() == Some(rook) || mv.to() == rook);
            if mv.role() == Role::King {
                moved = MovedBefore::King;
            } else if is_this_rook && moved == MovedBefore::Either {
                moved = MovedBefore::Rook;
            }
        }
        IllegalReason::CastlingAfterMove { moved, rook }
    }

    /// Returns its stable key in message files.
    pub fn key(&self) -> &'static str {
        self.parts().0
    }

    /// Returns the variable parts of the sentence, under stable names.
    pub fn args(&self) -> Vec<(&'static str, ReasonArg)> {
        self.parts().1
    }

    /// Returns the topic of its article.
    pub fn topic(&self) -> Topic {
        match self {
            IllegalReason::KingCaptured { .. } => Topic::KingCapture,
            IllegalReason::EnPassantTooLate { .. }
            | IllegalReason::EnPassantNotRemoved { .. }
            | IllegalReason::EnPassantWrongPawn { .. } => Topic::EnPassant,
            IllegalReason::PawnLeft { .. }
            | IllegalReason::PromotedWrongly { .. }
            | IllegalReason::PromotedColour { .. }
            | IllegalReason::PromotedTooEarly { .. } => Topic::Promotion,
            IllegalReason::IntoCheck { .. }
            | IllegalReason::KingsAdjacent { .. }
            | IllegalReason::Pinned { .. }
            | IllegalReason::Exposed { .. }
            | IllegalReason::StillInCheck { .. }
            | IllegalReason::DoubleCheck { .. } => Topic::KingSafety,
            IllegalReason::CastlingAfterMove { .. } => Topic::CastlingLost,
            IllegalReason::CastlingUnfinished { .. } => Topic::CastlingMade,
            castling if castling.is_castling() => Topic::Castling,
            _ => Topic::Legality,
        }
    }

    /// Returns whether the reason is about castling.
    pub fn is_castling(&self) -> bool {
        self.key().starts_with("castling_")
    }

    /// Returns the irregularity that such a move is.
    pub fn irregularity(&self) -> Irregularity {
        match self {
            IllegalReason::PawnLeft { .. } => Irregularity::PawnLeft,
            // This castling is legal, but it must be completed (4.7.2).
            IllegalReason::CastlingUnfinished { .. } => Irregularity::IllegalMove,
            castling if castling.is_castling() => Irregularity::IllegalCastling,
            _ => Irregularity::IllegalMove,
        }
    }

    fn parts(&self) -> (&'static str, Vec<(&'static str, ReasonArg)>) {
        let piece = |name, piece: &PlacedPiece| (name, ReasonArg::Piece(*piece));
        let pieces = |name, pieces: &[PlacedPiece]| (name, ReasonArg::Pieces(pieces.to_vec()));
        let square = |name, square: &Square| (name, ReasonArg::Square(*square));
        match self {
            IllegalReason::OutOfTurn { moved } => {
                ("not_his_turn", vec![piece("moved", moved), ("player", ReasonArg::Player(!moved.piece.color))])
            }
            IllegalReason::EmptySquare { from } => ("nothing_there", vec![square("from", from)]),
            IllegalReason::NoMove => ("no_move", vec![]),
            IllegalReason::OwnPiece { moved, on } => ("own_piece", vec![piece("moved", moved), piece("on", on)]),
            IllegalReason::KingCaptured { king } => ("king_taken", vec![piece("king", king)]),
            IllegalReason::NoSuchMove { moved, to } => ("no_such_move", vec![piece("moved", moved), square("to", to)]),
            IllegalReason::Blocked { moved, by } => ("blocked", vec![piece("moved", moved), piece("by", by)]),
            IllegalReason::PawnTwoSteps { moved } => ("pawn_two_steps", vec![piece("moved", moved)]),
            IllegalReason::PawnStraight { moved, on } => ("pawn_straight", vec![piece("moved", moved), piece("on", on)]),
            IllegalReason::PawnDiagonal { moved, to } => ("pawn_diagonal", vec![piece("moved", moved), square("to", to)]),
            IllegalReason::EnPassantTooLate { moved, pawn } => {
                ("en_passant_too_late", vec![piece("moved", moved), square("pawn", pawn)])
            }
            IllegalReason::EnPassantNotRemoved { pawn } => ("en_passant_not_removed", vec![square("pawn", pawn)]),
            IllegalReason::EnPassantWrongPawn { removed, pawn } => {
                ("en_passant_wrong_pawn", vec![piece("removed", removed), square("pawn", pawn)])
            }
            IllegalReason::PawnLeft { pawn } => ("pawn_left", vec![piece("pawn", pawn)]),
            IllegalReason::PromotedWrongly { on, role } => {
                ("promoted_wrongly", vec![square("on", on), ("role", ReasonArg::Role(*role))])
            }
            IllegalReason::PromotedColour { on } => ("promoted_colour", vec![piece("on", on)]),
            IllegalReason::PromotedTooEarly { moved, role } => {
                ("became", vec![piece("moved", moved), ("role", ReasonArg::Role(*role))])
            }
            IllegalReason::IntoCheck { king, by } => ("into_check", vec![square("king", king), pieces("by", by)]),
            IllegalReason::KingsAdjacent { king, other } => {
                ("kings_adjacent", vec![square("king", king), square("other", other)])
            }
            IllegalReason::Pinned { moved, king, by } => {
                ("pinned", vec![piece("moved", moved), square("king", king), piece("by", by)])
            }
            IllegalReason::Exposed { king, by } => ("exposed", vec![square("king", king), piece("by", by)]),
            IllegalReason::StillInCheck { king, by } => ("still_in_check", vec![square("king", king), piece("by", by)]),
            IllegalReason::DoubleCheck { king, by } => ("double_check", vec![square("king", king), pieces("by", by)]),
            IllegalReason::CastlingNoRook { rook } => ("castling_no_rook", vec![square("rook", rook)]),
            IllegalReason::CastlingAfterMove { moved, rook } => {
                ("castling_after_move", vec![("moved", ReasonArg::Moved(*moved)), square("rook", rook)])
            }
            IllegalReason::CastlingBlocked { by } => ("castling_blocked", vec![piece("by", by)]),
            IllegalReason::CastlingInCheck { by } => ("castling_in_check", vec![piece("by", by)]),
            IllegalReason::CastlingThrough { square: crossed, by } => {
                ("castling_through", vec![square("square", crossed), piece("by", by)])
            }
            IllegalReason::CastlingInto { square: goal, by } => {
                ("castling_into", vec![square("square", goal), piece("by", by)])
            }
            IllegalReason::CastlingUnfinished { rook } => ("castling_unfinished", vec![square("rook", rook)]),
            IllegalReason::CastlingSquares { moved } => ("castling_squares", vec![pieces("moved", moved)]),
            IllegalReason::SeveralMoves { moved } => ("several_moves", vec![pieces("moved", moved)]),
            IllegalReason::Vanished { pieces: removed } => ("vanished", vec![pieces("men", removed)]),
            IllegalReason::Appeared { pieces: added } => ("appeared", vec![pieces("men", added)]),
            IllegalReason::Exchanged { was, is } => {
                ("exchanged", vec![piece("was", was), piece("is", &PlacedPiece { piece: *is, square: was.square })])
            }
        }
    }
}
