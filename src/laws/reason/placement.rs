//! Determines why a placement is not the result of a legal move, and what was done instead.

use super::{IllegalReason, PlacedPiece, why_illegal};
use crate::laws::{Changes, Move, Position};
use shakmaty::{Board, Piece, Rank, Role, Square};

/// Returns why the placement `after` is not the result of a legal move by the player to move; `None` if it is.
///
/// If a move of one piece, castling or an en passant capture leads to the placement, the reason is that of [`why_illegal`].
pub fn why_illegal_placement(position: &Position, after: &Board) -> Option<IllegalReason> {
    let before = position.board();
    if before == after {
        return Some(IllegalReason::NoMove);
    }
    let differ = |square: &Square| before.piece_at(*square) != after.piece_at(*square);
    let wrong: Vec<Square> = Square::ALL.into_iter().filter(differ).collect();
    match moves(position, after, &wrong) {
        found if found.iter().any(|&mv| position.is_legal(mv)) => None,
        found => found
            .first()
            .and_then(|&mv| why_illegal(position, mv))
            .or_else(|| Some(PlacementChanges::of(position, after, &wrong).reason(position))),
    }
}

/// Returns the moves that lead to this placement, legal or not.
fn moves(position: &Position, after: &Board, wrong: &[Square]) -> Vec<Move> {
    let before = position.board();
    let mut found = Vec::new();
    for &from in wrong {
        let Some(piece) = before.piece_at(from).filter(|_| after.piece_at(from).is_none()) else { continue };
        for &to in wrong {
            let Some(became) = after.piece_at(to).filter(|became| became.color == piece.color) else { continue };
            let promotion = (became.role != piece.role).then_some(became.role);
            found.push(Move::Normal { role: piece.role, from, capture: before.role_at(to), to, promotion });
            let beside = before.piece_at(Square::from_coords(to.file(), from.rank()));
            if piece.role == Role::Pawn && beside == Some(Role::Pawn.of(!piece.color)) {
                found.push(Move::EnPassant { from, to });
            }
        }
    }
    for &king in wrong.iter().filter(|king| before.role_at(**king) == Some(Role::King)) {
        let color = before.color_at(king);
        let rook = |rook: &&Square| before.role_at(**rook) == Some(Role::Rook) && before.color_at(**rook) == color;
        // In Chess960 one of the two may already be on its target square.
        found.extend(
            before.by_role(Role::Rook).into_iter().filter(|square| rook(&square)).map(|rook| Move::Castle { king, rook }),
        );
    }
    found.retain(|&mv| {
        let changes = Changes::of(position.mover(mv), mv);
        let as_changed = |square: Square| {
            changes.iter().find(|(changed, _)| *changed == square).map_or(before.piece_at(square), |(_, piece)| piece)
        };
        Square::ALL.into_iter().all(|square| as_changed(square) == after.piece_at(square))
    });
    found
}

/// The actions that the changed squares show.
#[derive(Default)]
struct PlacementChanges {
    /// Moved pieces with their new squares.
    moved: Vec<(PlacedPiece, Square)>,
    /// Pieces that are no longer on the board and whose squares are empty.
    removed: Vec<PlacedPiece>,
    /// Pieces that are on squares which were empty and that did not come from another square.
    added: Vec<PlacedPiece>,
    /// Pieces that were replaced by another piece on their squares.
    exchanged: Vec<(PlacedPiece, Piece)>,
}

impl PlacementChanges {
    fn of(position: &Position, after: &Board, wrong: &[Square]) -> PlacementChanges {
        let before = position.board();
        let piece_on = |board: &Board, square: Square| board.piece_at(square).map(|piece| PlacedPiece { piece, square });
        let mut changes = PlacementChanges::default();
        let mut unmatched_before: Vec<PlacedPiece> = wrong.iter().filter_map(|&square| piece_on(before, square)).collect();
        let mut unmatched_after: Vec<PlacedPiece> = wrong.iter().filter_map(|&square| piece_on(after, square)).collect();
        // Matches equal pieces to their new squares: by a legal move if possible, otherwise by the shortest distance.
        let mut pairs: Vec<(bool, u32, PlacedPiece, PlacedPiece)> = Vec::new();
        for old in &unmatched_before {
            for new in unmatched_after.iter().filter(|new| new.piece == old.piece) {
                let illegal = why_illegal(position, step(position, *old, new.square)).is_some();
                pairs.push((illegal, old.square.distance(new.square), *old, *new));
            }
        }
        pairs.sort_by_key(|&(illegal, distance, ..)| (illegal, distance));
        for (.., old, new) in pairs {
            if unmatched_before.contains(&old) && unmatched_after.contains(&new) {
                unmatched_before.retain(|other| *other != old);
                unmatched_after.retain(|other| *other != new);
                changes.moved.push((old, new.square));
            }
        }
        changes.moved.sort_by_key(|(old, _)| old.square);
        for old in unmatched_before {
            match unmatched_after.iter().position(|new| new.square == old.square) {
                Some(index) => changes.exchanged.push((old, unmatched_after.remove(index).piece)),
                // A piece whose square is now occupied by another piece was captured.
                None if after.piece_at(old.square).is_some() => {}
                None => changes.removed.push(old),
            }
        }
        changes.added = unmatched_after;
        changes
    }

    fn reason(self, position: &Position) -> IllegalReason {
        let us = position.turn();
        let last = us.relative_rank(Rank::Eighth);
        // A pawn was removed, and a piece of the other colour is on its square of promotion.
        let promoted = |pawn: &PlacedPiece, on: &PlacedPiece| {
            pawn.piece == Role::Pawn.of(us)
                && on.piece.color != us
                && on.square.rank() == last
                && pawn.square.rank() == us.relative_rank(Rank::Seventh)
                && pawn.square.distance(on.square) == 1
        };
        let exchanged = self.exchanged.iter().map(|(was, is)| PlacedPiece { piece: *is, square: was.square });
        let arrived: Vec<PlacedPiece> = self.added.iter().copied().chain(exchanged).collect();
        if let Some(on) = arrived.iter().find(|on| self.removed.iter().any(|pawn| promoted(pawn, on))) {
            return IllegalReason::PromotedColour { on: *on };
        }
        if let Some(king) = self.removed.iter().find(|captured| captured.piece.role == Role::King) {
            return IllegalReason::KingCaptured { king: *king };
        }
        if let ([(pawn, to)], [removed]) = (self.moved.as_slice(), self.removed.as_slice())
            && pawn.piece == Role::Pawn.of(us)
            && position.en_passant() == Some(*to)
            && pawn.square.file() != to.file()
        {
            let pawn = Square::from_coords(to.file(), pawn.square.rank());
            return IllegalReason::EnPassantWrongPawn { removed: *removed, pawn };
        }
        let moved: Vec<PlacedPiece> = self.moved.iter().map(|(piece, _)| *piece).collect();
        if let [one, other] = moved.as_slice() {
            let are_king_and_rook =
                |king: &PlacedPiece, rook: &PlacedPiece| king.piece == Role::King.of(us) && rook.piece == Role::Rook.of(us);
            if are_king_and_rook(one, other) || are_king_and_rook(other, one) {
                return IllegalReason::CastlingSquares { moved };
            }
        }
        if moved.len() > 1 {
            return IllegalReason::SeveralMoves { moved };
        }
        // The move itself takes precedence over other differences.
        let move_reason = self.moved.first().and_then(|&(piece, to)| why_illegal(position, step(position, piece, to)));
        match (move_reason, self.exchanged.first()) {
            (Some(reason), _) => reason,
            _ if !self.removed.is_empty() => IllegalReason::Vanished { pieces: self.removed },
            (_, Some(&(was, is))) => IllegalReason::Exchanged { was, is },
            _ if !self.added.is_empty() => IllegalReason::Appeared { pieces: self.added },
            _ => IllegalReason::NoMove,
        }
    }
}

/// Returns the move of a piece from its square to another square.
fn step(position: &Position, piece: PlacedPiece, to: Square) -> Move {
    let capture = position.board().role_at(to);
    Move::Normal { role: piece.piece.role, from: piece.square, capture, to, promotion: None }
}
