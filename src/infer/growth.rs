//! The other moves that a move may still become while the touch that made it goes on.

use super::model::{self, Cost};
use crate::laws::Position;
use shakmaty::{Bitboard, CastlingSide, Move, Role, Square, attacks};
use std::sync::OnceLock;

/// The other moves of which a move, as it is on the board, could be only the first part.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    /// Those moves: a slide could go on, a brushed square be left again, a rook or king move become castling, the promoted piece be
    /// exchanged.
    pub moves: Vec<Move>,
    /// Enemy pieces that those moves would capture: touching one of them is no sign of a reply.
    pub victims: Bitboard,
    /// Whether one of them is castling, whose second half can come much later.
    pub castling: bool,
    /// How likely they are, once that was needed.
    odds: OnceLock<GrowthOdds>,
}

/// How likely it is, compared with the move that is on the board, that the touch that made it goes on to another move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrowthOdds {
    /// The cost of its piece stopping where it is on the way to another square.
    pub stop: Cost,
    /// The cost of it being the first half of castling; `None` if it cannot be.
    pub castling: Option<Cost>,
}

impl Growth {
    /// Returns how likely it is that `mv` goes on to one of these moves. `stop`: the cost of its piece stopping on its way. `costs`: all
    /// legal moves with their prior costs.
    pub fn odds(&self, mv: Move, stop: Cost, costs: impl FnOnce() -> Vec<(Move, Cost)>) -> GrowthOdds {
        *self.odds.get_or_init(|| {
            let costs = costs();
            let own = costs.iter().find(|(other, _)| *other == mv).map_or(model::AVERAGE_MOVE, |(_, cost)| *cost);
            let cost_of = |is_castling: bool| {
                let grown = costs.iter().filter(|(other, _)| other.is_castle() == is_castling && self.moves.contains(other));
                model::cost_of_share(grown.map(|(_, cost)| model::likelihood(*cost)).sum(), 1 << 32) - own
            };
            let castling = self.castling.then(|| cost_of(true) + model::ROOK_FIRST);
            GrowthOdds { stop: cost_of(false) + stop, castling }
        })
    }

    /// Returns whether nothing can grow, so that the move is final as soon as it is made.
    pub fn is_final(&self) -> bool {
        self.moves.is_empty()
    }
}

/// Returns the moves that `mv`, just made in `before`, could still become.
pub fn find_growth(before: &Position, legal: impl Iterator<Item = Move>, mv: Move) -> Growth {
    let mut growth = Growth::default();
    let Move::Normal { role, from, to, capture, promotion } = mv else { return growth };
    let may_castle = matches!(role, Role::King | Role::Rook);
    if promotion.is_none() && !may_castle && (capture.is_some() || role == Role::Knight) {
        return growth; // The loop would find nothing.
    }
    for other in legal.filter(|&other| may_become(before, role, from, to, capture, promotion, other) && other != mv) {
        growth.moves.push(other);
        growth.castling |= other.is_castle();
        if other.is_capture() {
            growth.victims |= Bitboard::from_square(other.to());
        }
    }
    growth
}

fn may_become(
    before: &Position,
    role: Role,
    from: Square,
    to: Square,
    capture: Option<Role>,
    promotion: Option<Role>,
    other: Move,
) -> bool {
    match other {
        // Nearly always.
        Move::Normal { from: other_from, .. } if other_from != from => false,
        // Another piece on the promotion square.
        Move::Normal { from: other_from, to: other_to, promotion: Some(_), .. } if promotion.is_some() => {
            other_from == from && other_to == to
        }
        // On the way or beside it: a slide that goes on, or a square that the carried piece only brushed. A square with a capture
        // is neither, and a knight comes from above.
        Move::Normal { from: other_from, to: other_to, .. } | Move::EnPassant { from: other_from, to: other_to } => {
            let overshot = || attacks::between(from, to).contains(other_to);
            other_from == from && other_to != to && capture.is_none() && role != Role::Knight && !overshot() && {
                let way = attacks::between(from, other_to) | Bitboard::from_square(other_to);
                ((attacks::king_attacks(to) | Bitboard::from_square(to)) & way).any()
            }
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            let turn = before.turn();
            let way = |from: Square, to: Square| attacks::between(from, to) | Bitboard::from_square(to);
            (from == king && way(king, side.king_to(turn)).contains(to))
                || (from == rook && way(rook, side.rook_to(turn)).contains(to))
        }
        Move::Put { .. } => false,
    }
}
