//! Moves that are made in a way that the Laws forbid.

use super::{Acts, Hands};
use crate::laws::{Changes, Move, Position};
use crate::simulate::hands::Span;
use crate::simulate::irregularity::IrregularityKind;
use shakmaty::{CastlingSide, Role, Square};

impl Hands<'_> {
    /// Carries out a move in a way that the Laws forbid.
    pub(super) fn handle_irregularly(&mut self, acts: &mut Acts, position: &Position, mv: Move) {
        let turn = position.turn();
        match (self.irregularity, mv) {
            (Some(IrregularityKind::RookFirst), Move::Castle { king, rook }) => {
                let side = CastlingSide::from_queen_side(rook < king);
                acts.lift(rook);
                acts.wait(self.travel(false));
                acts.put(Square::from_coords(side.rook_to_file(), rook.rank()), Role::Rook.of(turn));
                acts.wait(self.rng.ms(Span(1_500, 4_000)));
                acts.lift(king);
                acts.wait(self.travel(false));
                acts.put(Square::from_coords(side.king_to_file(), king.rank()), Role::King.of(turn));
            }
            (Some(IrregularityKind::PawnLeft), Move::Normal { from, to, promotion: Some(role), .. }) => {
                acts.lift(from);
                acts.wait(self.travel(false));
                acts.put(to, Role::Pawn.of(turn));
                acts.released_at = Some(acts.at);
                acts.wait(self.rng.ms(Span(2_500, 8_000)));
                acts.lift(to);
                acts.wait(self.travel(false));
                acts.put(to, role.of(turn));
            }
            // With both hands: every piece that the move changes is in the air at the same time.
            _ => {
                let changes = Changes::of(turn, mv);
                for (square, _) in changes.iter() {
                    if position.piece_at(square).is_some() {
                        acts.lift(square);
                        acts.wait(self.rng.ms(Span(0, 40)));
                    }
                }
                acts.wait(self.travel(false));
                for (square, piece) in changes.iter() {
                    if let Some(piece) = piece {
                        acts.put(square, piece);
                        acts.wait(self.rng.ms(Span(0, 40)));
                    }
                }
            }
        }
    }
}
