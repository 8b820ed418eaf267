//! Reasons as English sentences.

use super::{Man, MovedBefore, Reason};
use shakmaty::{Color, Role};
use std::fmt::{Display, Formatter, Result};

impl Display for Man {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "the {} on {}", name(self.piece.role), self.square)
    }
}

/// In English.
pub(in crate::laws) fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn player(color: Color) -> &'static str {
    if color.is_white() { "White" } else { "Black" }
}

/// "the rook on e8, the pawn on a2 and the king on e1".
fn list(men: &[Man]) -> String {
    match men {
        [] => String::new(),
        [one] => one.to_string(),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(ToString::to_string).collect();
            format!("{} and {last}", rest.join(", "))
        }
    }
}

/// A sentence without a full stop.
impl Display for Reason {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match self {
            Reason::NotHisTurn { moved } => write!(f, "it was {}'s turn, and {moved} is not his", player(!moved.piece.color)),
            Reason::NothingThere { from } => write!(f, "nothing stood on {from}"),
            Reason::NoMove => write!(f, "no move was made"),
            Reason::OwnPiece { on, .. } => write!(f, "{on} is of the same colour"),
            Reason::KingTaken { .. } => write!(f, "a king is never taken"),
            Reason::NoSuchMove { moved, to } => {
                write!(f, "a {} does not move from {} to {to}", name(moved.piece.role), moved.square)
            }
            Reason::Blocked { moved, by } => write!(f, "the way of {moved} is blocked by {by}"),
            Reason::PawnTwoSteps { moved } => {
                write!(f, "a pawn steps two squares only from where it starts, and {moved} does not stand there")
            }
            Reason::PawnStraight { on, .. } => {
                write!(f, "a pawn does not move straight on to an occupied square, and {on} stands there")
            }
            Reason::PawnDiagonal { to, .. } => {
                write!(f, "a pawn moves diagonally only where it takes, and there is nothing to take on {to}")
            }
            Reason::EnPassantTooLate { pawn, .. } => {
                write!(f, "the pawn on {pawn} can be taken en passant only in answer to its step of two squares")
            }
            Reason::EnPassantNotRemoved { pawn } => write!(f, "the pawn on {pawn} was taken en passant and not removed"),
            Reason::EnPassantWrongPawn { removed, pawn } => {
                write!(f, "en passant takes the pawn on {pawn}, and {removed} was removed")
            }
            Reason::PawnLeft { pawn } => write!(f, "the pawn was left on {}", pawn.square),
            Reason::PromotedWrongly { on, role } => write!(f, "the pawn on {on} cannot become a {}", name(*role)),
            Reason::PromotedColour { on } => write!(f, "{on}, which a pawn became, is of the other colour"),
            Reason::Became { moved, role } => write!(f, "{moved} cannot become a {}", name(*role)),
            Reason::IntoCheck { king, by } => write!(f, "the king is attacked on {king} by {}", list(by)),
            Reason::KingsAdjacent { king, other } => write!(f, "the king on {king} stands beside the king on {other}"),
            Reason::Pinned { moved, king, by } => {
                write!(f, "{moved} is pinned: it leaves the king on {king} in check from {by}")
            }
            Reason::Exposed { king, by } => write!(f, "it leaves the king on {king} in check from {by}"),
            Reason::StillInCheck { king, by } => write!(f, "it leaves the king on {king} in check from {by}"),
            Reason::DoubleCheck { king, by } => {
                write!(f, "the king on {king} is in check from {}, and only he can move", list(by))
            }
            Reason::CastlingNoRook { rook } => write!(f, "there is no rook on {rook} to castle with"),
            Reason::CastlingAfterMove { moved, rook } => {
                let moved = match moved {
                    MovedBefore::King => "the king has moved before".to_owned(),
                    MovedBefore::Rook => format!("the rook on {rook} has moved before"),
                    MovedBefore::Either => format!("the king or the rook on {rook} has moved before"),
                };
                write!(f, "castling is not allowed: {moved}")
            }
            Reason::CastlingBlocked { by } => write!(f, "castling is not allowed: {by} stands in the way"),
            Reason::CastlingInCheck { by } => write!(f, "castling is not allowed: the king is in check from {by}"),
            Reason::CastlingThrough { square, by } => {
                write!(f, "castling is not allowed: the king crosses {square}, which {by} attacks")
            }
            Reason::CastlingInto { square, by } => {
                write!(f, "castling is not allowed: the king goes to {square}, which {by} attacks")
            }
            Reason::CastlingUnfinished { rook } => write!(f, "castling was not finished: the rook is still on {rook}"),
            Reason::CastlingSquares { moved } => write!(f, "{} were not moved as in castling", list(moved)),
            Reason::SeveralMoves { moved } => write!(f, "more than one piece was moved: {}", list(moved)),
            Reason::Vanished { men } => write!(f, "nothing took {}", list(men)),
            Reason::Appeared { men } => write!(f, "{} came from nowhere", list(men)),
            Reason::Exchanged { was, is } => write!(f, "a {} stands in place of {was}", name(is.role)),
        }
    }
}
