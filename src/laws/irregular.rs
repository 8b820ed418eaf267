//! A position that cannot occur in regular play: both kings in check, a pawn on the last rank, a king missing.
//!
//! The game can continue from it (Art. 7.5.1 applies only if the arbiter restores the position; under A.5.2 an illegal move can
//! remain in force). Only the safety of the mover's king is checked: the mover may not leave their own king in check, even if the
//! other king is in check too. A king is never captured. A pawn on the last rank has no move; one on its own first rank advances
//! one square.

use shakmaty::{
    Bitboard, Board, Castles, CastlingMode, CastlingSide, Color, EnPassantMode, Move, MoveList, Outcome, Piece,
    Position as Rules, Rank, Role, Setup, Square, attacks,
};
use std::num::NonZeroU32;

/// The contents of a FEN, without any guarantee that the position is regular.
#[derive(Clone, Debug)]
pub struct Irregular {
    board: Board,
    turn: Color,
    castles: Castles,
    ep_square: Option<Square>,
    halfmoves: u32,
    fullmoves: NonZeroU32,
}

impl Irregular {
    /// Creates a position from a setup. Drops castling rights without king and rook on their squares, and an en passant square
    /// without a pawn behind it.
    pub fn new(setup: &Setup, mode: CastlingMode) -> Irregular {
        let castles = Castles::from_setup(setup, mode).unwrap_or_else(|valid| valid);
        let board = setup.board.clone();
        let ep_square = setup.ep_square.filter(|&ep| {
            let (behind, ahead) = match setup.turn {
                Color::White => (ep.offset(-8), ep.offset(8)),
                Color::Black => (ep.offset(8), ep.offset(-8)),
            };
            let rank = setup.turn.relative_rank(Rank::Sixth);
            ep.rank() == rank
                && board.piece_at(ep).is_none()
                && ahead.is_some_and(|square| board.piece_at(square).is_none())
                && behind.and_then(|square| board.piece_at(square)) == Some(Role::Pawn.of(!setup.turn))
        });
        Irregular { board, turn: setup.turn, castles, ep_square, halfmoves: setup.halfmoves, fullmoves: setup.fullmoves }
    }

    /// Returns the position as a setup, e.g. to check whether it has become regular.
    pub fn to_setup(&self) -> Setup {
        Rules::to_setup(self, EnPassantMode::Always)
    }

    /// Returns the mover's king if there is exactly one. With none or several, no king needs protection.
    fn king(&self) -> Option<Square> {
        self.board.king_of(self.turn)
    }

    fn leaves_king_safe(&self, mv: Move) -> bool {
        let mut after = self.clone();
        after.play_unchecked(mv);
        match after.board.king_of(self.turn) {
            Some(king) => after.board.attacks_to(king, !self.turn, after.board.occupied()).is_empty(),
            None => true,
        }
    }

    fn add_pawn_moves(&self, from: Square, list: &mut Vec<Move>) {
        let us = self.turn;
        let mut add = |to: Square, capture: Option<Role>| {
            let promotions: &[Option<Role>] = if to.rank() == us.relative_rank(Rank::Eighth) {
                &[Some(Role::Queen), Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight)]
            } else {
                &[None]
            };
            list.extend(promotions.iter().map(|&promotion| Move::Normal { role: Role::Pawn, from, capture, to, promotion }));
        };
        for to in attacks::pawn_attacks(us, from) & self.board.by_color(!us) & !self.board.kings() {
            add(to, self.board.role_at(to));
        }
        let forward = if us.is_white() { 8 } else { -8 };
        if let Some(to) = from.offset(forward).filter(|&to| self.board.piece_at(to).is_none()) {
            add(to, None);
            if from.rank() == us.relative_rank(Rank::Second)
                && let Some(to) = to.offset(forward).filter(|&to| self.board.piece_at(to).is_none())
            {
                add(to, None);
            }
        }
        if let Some(to) = self.ep_square.filter(|&to| attacks::pawn_attacks(us, from).contains(to)) {
            list.push(Move::EnPassant { from, to });
        }
    }

    fn castling_move(&self, side: CastlingSide) -> Option<Move> {
        let us = self.turn;
        let king = self.king()?;
        let rook = self.castles.rook(us, side)?;
        if (self.castles.path(us, side) & self.board.occupied()).any() {
            return None;
        }
        let king_to = side.king_to(us);
        let walk = attacks::between(king, king_to) | Bitboard::from_square(king) | Bitboard::from_square(king_to);
        let occupied = self.board.occupied() ^ Bitboard::from_square(king);
        let attacked = walk.into_iter().any(|square| self.board.attacks_to(square, !us, occupied).any());
        (!attacked).then_some(Move::Castle { king, rook })
    }
}

impl Rules for Irregular {
    fn board(&self) -> &Board {
        &self.board
    }
    fn promoted(&self) -> Bitboard {
        Bitboard::EMPTY
    }
    fn pockets(&self) -> Option<&shakmaty::ByColor<shakmaty::ByRole<u8>>> {
        None
    }
    fn turn(&self) -> Color {
        self.turn
    }
    fn castles(&self) -> &Castles {
        &self.castles
    }
    fn maybe_ep_square(&self) -> Option<Square> {
        self.ep_square
    }
    fn remaining_checks(&self) -> Option<&shakmaty::ByColor<shakmaty::RemainingChecks>> {
        None
    }
    fn halfmoves(&self) -> u32 {
        self.halfmoves
    }
    fn fullmoves(&self) -> NonZeroU32 {
        self.fullmoves
    }

    /// Returns no attackers for a side with no king or several: such a side is never in check.
    fn king_attackers(&self, square: Square, attacker: Color, occupied: Bitboard) -> Bitboard {
        match self.board.king_of(!attacker) {
            Some(_) => self.board.attacks_to(square, attacker, occupied),
            None => Bitboard::EMPTY,
        }
    }

    fn legal_moves(&self) -> MoveList {
        let us = self.turn;
        let open = !self.board.by_color(us) & !self.board.kings();
        let mut list = Vec::with_capacity(64);
        for from in self.board.by_color(us) {
            match self.board.role_at(from) {
                Some(Role::Pawn) => self.add_pawn_moves(from, &mut list),
                Some(role) => {
                    for to in attacks::attacks(from, Piece { color: us, role }, self.board.occupied()) & open {
                        list.push(Move::Normal { role, from, capture: self.board.role_at(to), to, promotion: None });
                    }
                }
                None => {}
            }
        }
        list.extend([CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().filter_map(|side| self.castling_move(side)));
        // A full `MoveList` panics on another entry: nearly thirty queens can have more moves than it holds.
        let mut legal = MoveList::new();
        legal.extend(list.into_iter().filter(|&mv| self.leaves_king_safe(mv)).take(legal.capacity()));
        legal
    }

    fn is_variant_end(&self) -> bool {
        false
    }
    fn has_insufficient_material(&self, _color: Color) -> bool {
        false
    }
    fn variant_outcome(&self) -> Outcome {
        Outcome::Unknown
    }

    fn play_unchecked(&mut self, mv: Move) {
        let us = self.turn;
        self.ep_square = None;
        self.halfmoves = if mv.is_zeroing() { 0 } else { self.halfmoves.saturating_add(1) };
        match mv {
            Move::Normal { role, from, capture, to, promotion } => {
                if role == Role::Pawn
                    && from.rank() == us.relative_rank(Rank::Second)
                    && to.rank() == us.relative_rank(Rank::Fourth)
                {
                    self.ep_square = if us.is_white() { from.offset(8) } else { from.offset(-8) };
                }
                if role == Role::King {
                    self.castles.discard_color(us);
                } else if role == Role::Rook {
                    self.castles.discard_rook(from);
                }
                if capture == Some(Role::Rook) {
                    self.castles.discard_rook(to);
                }
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, promotion.unwrap_or(role).of(us));
            }
            Move::EnPassant { from, to } => {
                self.board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, Role::Pawn.of(us));
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                self.board.discard_piece_at(king);
                self.board.discard_piece_at(rook);
                self.board.set_piece_at(side.rook_to(us), Role::Rook.of(us));
                self.board.set_piece_at(side.king_to(us), Role::King.of(us));
                self.castles.discard_color(us);
            }
            Move::Put { role, to } => self.board.set_piece_at(to, role.of(us)),
        }
        if us.is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.turn = !us;
    }
}
