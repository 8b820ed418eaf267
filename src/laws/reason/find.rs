//! Determines why a move is illegal from the rules themselves, without a list of legal moves.

use super::{IllegalReason, MovedBefore, PlacedPiece};
use crate::laws::{Changes, Move, Position};
use shakmaty::{Bitboard, Board, CastlingSide, Color, File, Rank, Role, Square, attacks};

/// Returns why this move is illegal; `None` if it is legal. Accepts any move in any position, also by the player who is not to
/// move. The moved and captured pieces are read from the board, not from `mv`. A king move to the target square of castling counts
/// as castling without the rook.
pub fn why_illegal(position: &Position, mv: Move) -> Option<IllegalReason> {
    let context = LegalityContext { position, board: position.board(), us: position.turn() };
    match mv {
        Move::Normal { from, to, promotion, .. } => context.normal(from, to, promotion),
        Move::EnPassant { from, to } => context.en_passant(from, to),
        Move::Castle { king, rook } => context.castle(king, rook),
        Move::Put { role, to } => {
            Some(IllegalReason::Appeared { pieces: vec![PlacedPiece { piece: role.of(context.us), square: to }] })
        }
    }
}

struct LegalityContext<'a> {
    position: &'a Position,
    board: &'a Board,
    us: Color,
}

impl LegalityContext<'_> {
    fn placed_piece(&self, square: Square) -> Option<PlacedPiece> {
        self.board.piece_at(square).map(|piece| PlacedPiece { piece, square })
    }

    fn placed_pieces(&self, squares: Bitboard) -> Vec<PlacedPiece> {
        squares.into_iter().filter_map(|square| self.placed_piece(square)).collect()
    }

    /// Returns the moved piece if it belongs to the player to move.
    fn own_piece(&self, from: Square) -> Result<PlacedPiece, IllegalReason> {
        let moved = self.placed_piece(from).ok_or(IllegalReason::EmptySquare { from })?;
        if moved.piece.color == self.us { Ok(moved) } else { Err(IllegalReason::OutOfTurn { moved }) }
    }

    fn normal(&self, from: Square, to: Square, promotion: Option<Role>) -> Option<IllegalReason> {
        let moved = match self.own_piece(from) {
            Ok(moved) => moved,
            Err(reason) => return Some(reason),
        };
        let on = self.placed_piece(to);
        match on {
            _ if from == to => return Some(IllegalReason::NoMove),
            Some(on) if on.piece.color == self.us => return Some(IllegalReason::OwnPiece { moved, on }),
            Some(king) if king.piece.role == Role::King => return Some(IllegalReason::KingCaptured { king }),
            _ => {}
        }
        let mv = Move::Normal { role: moved.piece.role, from, capture: on.map(|on| on.piece.role), to, promotion };
        let reason = match moved.piece.role {
            Role::Pawn => self.pawn(moved, to).or_else(|| self.promotion(moved, to, promotion)),
            _ => {
                let became = promotion.map(|role| IllegalReason::PromotedTooEarly { moved, role });
                self.piece(moved, to).or(became)
            }
        };
        reason.or_else(|| self.king_left_in_check(moved, mv))
    }

    /// Checks that the piece moves in this way and that its path is free.
    fn piece(&self, moved: PlacedPiece, to: Square) -> Option<IllegalReason> {
        let PlacedPiece { piece, square: from } = moved;
        if attacks::attacks(from, piece, self.board.occupied()).contains(to) {
            return None;
        }
        if attacks::attacks(from, piece, Bitboard::EMPTY).contains(to) {
            return self.nearest(from, to).map(|by| IllegalReason::Blocked { moved, by });
        }
        Some(self.half_castling(moved, to).unwrap_or(IllegalReason::NoSuchMove { moved, to }))
    }

    /// Returns the piece between two squares that is nearest to `from`.
    fn nearest(&self, from: Square, to: Square) -> Option<PlacedPiece> {
        let between = attacks::between(from, to) & self.board.occupied();
        let nearest = if to > from { between.first() } else { between.last() };
        nearest.and_then(|square| self.placed_piece(square))
    }

    /// Handles a king that moves to the target square of castling while the rook is not moved.
    fn half_castling(&self, moved: PlacedPiece, to: Square) -> Option<IllegalReason> {
        let PlacedPiece { piece, square: king } = moved;
        let side = CastlingSide::from_queen_side(to < king);
        let chess960 = self.position.is_chess960();
        let corner = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        let rook = match self.position.castling_rook(self.us, side) {
            Some(rook) => rook,
            None if chess960 => return None,
            None => Square::from_coords(corner, king.rank()),
        };
        let is_at_home = king.rank() == self.us.relative_rank(Rank::First) && (chess960 || king.file() == File::E);
        if piece.role != Role::King
            || !is_at_home
            || side.king_to(self.us) != to
            || self.board.piece_at(rook) != Some(Role::Rook.of(self.us))
        {
            return None;
        }
        Some(self.castle(king, rook).unwrap_or(IllegalReason::CastlingUnfinished { rook }))
    }

    fn pawn(&self, moved: PlacedPiece, to: Square) -> Option<IllegalReason> {
        let from = moved.square;
        let forward = if self.us.is_white() { 8 } else { -8 };
        let (one, two) = (from.offset(forward), from.offset(2 * forward));
        if attacks::pawn_attacks(self.us, from).contains(to) {
            return match self.placed_piece(to) {
                Some(_) => None,
                None => Some(self.diagonal_without_capture(moved, to)),
            };
        }
        if one == Some(to) {
            return self.placed_piece(to).map(|on| IllegalReason::PawnStraight { moved, on });
        }
        if two == Some(to) {
            if from.rank() != self.us.relative_rank(Rank::Second) {
                return Some(IllegalReason::PawnTwoSteps { moved });
            }
            let by = one.and_then(|square| self.placed_piece(square)).map(|by| IllegalReason::Blocked { moved, by });
            return by.or_else(|| self.placed_piece(to).map(|on| IllegalReason::PawnStraight { moved, on }));
        }
        Some(IllegalReason::NoSuchMove { moved, to })
    }

    /// Returns the reason for a diagonal pawn move to an empty square when no other piece was removed.
    fn diagonal_without_capture(&self, moved: PlacedPiece, to: Square) -> IllegalReason {
        let pawn = Square::from_coords(to.file(), moved.square.rank());
        if self.position.en_passant() == Some(to) {
            return self.en_passant(moved.square, to).unwrap_or(IllegalReason::EnPassantNotRemoved { pawn });
        }
        let fifth = moved.square.rank() == self.us.relative_rank(Rank::Fifth);
        if fifth && self.board.piece_at(pawn) == Some(Role::Pawn.of(!self.us)) {
            return IllegalReason::EnPassantTooLate { moved, pawn };
        }
        IllegalReason::PawnDiagonal { moved, to }
    }

    fn en_passant(&self, from: Square, to: Square) -> Option<IllegalReason> {
        let moved = match self.own_piece(from) {
            Ok(moved) => moved,
            Err(reason) => return Some(reason),
        };
        if moved.piece.role != Role::Pawn || !attacks::pawn_attacks(self.us, from).contains(to) {
            return Some(IllegalReason::NoSuchMove { moved, to });
        }
        if self.position.en_passant() == Some(to) {
            return self.king_left_in_check(moved, Move::EnPassant { from, to });
        }
        let beside = Square::from_coords(to.file(), from.rank());
        Some(match (self.placed_piece(to), self.placed_piece(beside)) {
            (None, Some(removed)) if removed.piece == Role::Pawn.of(!self.us) => {
                IllegalReason::EnPassantTooLate { moved, pawn: beside }
            }
            (Some(on), _) if on.piece.color == self.us => IllegalReason::OwnPiece { moved, on },
            (_, Some(removed)) => IllegalReason::Vanished { pieces: vec![removed] },
            (_, None) => IllegalReason::PawnDiagonal { moved, to },
        })
    }

    /// Checks the promotion of a pawn.
    fn promotion(&self, moved: PlacedPiece, to: Square, promotion: Option<Role>) -> Option<IllegalReason> {
        let is_last_rank = to.rank() == self.us.relative_rank(Rank::Eighth);
        match promotion {
            None if is_last_rank => Some(IllegalReason::PawnLeft { pawn: PlacedPiece { square: to, ..moved } }),
            None => None,
            Some(role) if !is_last_rank => Some(IllegalReason::PromotedTooEarly { moved, role }),
            Some(role @ (Role::King | Role::Pawn)) => Some(IllegalReason::PromotedWrongly { on: to, role }),
            Some(_) => None,
        }
    }

    /// Returns the reason if the move leaves the mover's king attacked. If the mover has no king or several, no king needs
    /// protection.
    fn king_left_in_check(&self, moved: PlacedPiece, mv: Move) -> Option<IllegalReason> {
        let mut after = self.board.clone();
        for (square, piece) in Changes::of(self.us, mv).iter() {
            match piece {
                Some(piece) => after.set_piece_at(square, piece),
                None => after.discard_piece_at(square),
            }
        }
        let king = after.king_of(self.us)?;
        let attackers = after.attacks_to(king, !self.us, after.occupied());
        let by = self.placed_pieces(attackers).first().copied()?;
        if moved.piece.role == Role::King {
            return Some(match self.board.king_of(!self.us).filter(|other| attackers.contains(*other)) {
                Some(other) => IllegalReason::KingsAdjacent { king, other },
                None => IllegalReason::IntoCheck { king, by: self.placed_pieces(attackers) },
            });
        }
        let before = self.board.attacks_to(king, !self.us, self.board.occupied());
        if before.count() > 1 {
            return Some(IllegalReason::DoubleCheck { king, by: self.placed_pieces(before) });
        }
        if let Some(by) = self.placed_pieces(before & attackers).first().copied() {
            return Some(IllegalReason::StillInCheck { king, by });
        }
        let line = attacks::between(king, by.square);
        let opened_by_victim = match mv {
            Move::EnPassant { from, to } => line.contains(Square::from_coords(to.file(), from.rank())),
            _ => false,
        };
        Some(if opened_by_victim { IllegalReason::Exposed { king, by } } else { IllegalReason::Pinned { moved, king, by } })
    }

    fn castle(&self, king: Square, rook: Square) -> Option<IllegalReason> {
        let moved = match self.own_piece(king) {
            Ok(moved) => moved,
            Err(reason) => return Some(reason),
        };
        let side = CastlingSide::from_queen_side(rook < king);
        let king_to = side.king_to(self.us);
        if moved.piece.role != Role::King {
            return Some(IllegalReason::NoSuchMove { moved, to: king_to });
        }
        if self.board.piece_at(rook) != Some(Role::Rook.of(self.us)) {
            return Some(IllegalReason::CastlingNoRook { rook });
        }
        if self.position.castling_rook(self.us, side) != Some(rook) {
            return Some(IllegalReason::CastlingAfterMove { moved: self.moved_before(king, rook, side), rook });
        }
        let path = self.position.castling_path(self.us, side) & self.board.occupied();
        if let Some(by) = self.placed_pieces(path).first().copied() {
            return Some(IllegalReason::CastlingBlocked { by });
        }
        let attackers = |square: Square, occupied: Bitboard| {
            self.placed_pieces(self.board.attacks_to(square, !self.us, occupied)).first().copied()
        };
        let occupied = self.board.occupied();
        if let Some(by) = attackers(king, occupied) {
            return Some(IllegalReason::CastlingInCheck { by });
        }
        for square in attacks::between(king, king_to) {
            if let Some(by) = attackers(square, occupied.without(king)) {
                return Some(IllegalReason::CastlingThrough { square, by });
            }
        }
        let after = occupied.without(king).without(rook).with(side.rook_to(self.us));
        attackers(king_to, after).map(|by| IllegalReason::CastlingInto { square: king_to, by })
    }

    /// Returns which of king and rook lost the right to castle by moving.
    fn moved_before(&self, king: Square, rook: Square, side: CastlingSide) -> MovedBefore {
        let home = self.us.relative_rank(Rank::First);
        let chess960 = self.position.is_chess960();
        let other = self.position.castling_rook(self.us, !side);
        let corner = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        match () {
            () if king.rank() != home || (!chess960 && king.file() != File::E) => MovedBefore::King,
            // The rook is not on its original square, or the king can still castle with the other rook.
            () if rook.rank() != home || (!chess960 && rook.file() != corner) || other.is_some() => MovedBefore::Rook,
            () => MovedBefore::Either,
        }
    }
}
