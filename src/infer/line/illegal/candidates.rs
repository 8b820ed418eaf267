//! The illegal moves that could have led to what the board shows.

use crate::boards::{Millis, SensorKind, SquareState};
use crate::infer::node::Slip;
use crate::infer::{LineNode, ObservedBoard};
use crate::laws::reason::{IllegalReason, why_illegal, why_illegal_placement};
use crate::laws::{CENTRE, Position};
use shakmaty::{Bitboard, Board, Color, Move, Piece, Rank, Role, Square, attacks};

/// Returns whether this is a king that walked to the centre, which is half of a result signal.
pub(super) fn is_king_signal(mv: Move) -> bool {
    let far = mv.from().is_some_and(|from| from.distance(mv.to()) > 1);
    mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to()) && far
}

/// Returns whether the player who makes this move is not the one to move.
pub(super) fn is_out_of_turn(position: &Position, mv: Move) -> bool {
    position.mover(mv) != position.turn()
}

/// Returns the illegal move that leaves the board as it is seen.
pub(super) fn find_illegal_move(position: &Position, wrong: Bitboard, seen: &ObservedBoard) -> Option<Move> {
    let shows = |mv: &Move| seen.mismatch(position.play(*mv).board()).is_empty();
    illegal_candidates(position, wrong).into_iter().find(shows)
}

/// Returns an illegal capture by the only piece of the player to move that has left its square, and how long the piece was in the
/// hand, in milliseconds. It captures on the only other square that has changed since the position of this node; or a pawn captures
/// the pawn that it could take en passant, as if that pawn were on its own target square. For boards that show nothing of it except
/// the square that it left.
pub(super) fn traced_capture(node: &LineNode, hidden: Bitboard, seen: &ObservedBoard) -> Option<(Move, Millis)> {
    if seen.sensing() != SensorKind::Occupancy {
        return None;
    }
    let (position, board) = (&node.position, node.position.board());
    let (us, changed) = (position.turn(), seen.changed_since(node.made_at) & !hidden);
    let from = (board.by_color(us) & !seen.occupied() & !hidden).single_square().filter(|&from| changed.contains(from))?;
    let role = board.role_at(from)?;
    let en_passant = position.en_passant().filter(|&to| role == Role::Pawn && attacks::pawn_attacks(us, from).contains(to));
    let passed_pawn = en_passant.map(|to| Square::from_coords(to.file(), from.rank()));
    let others = changed & !Bitboard::from_square(from);
    let to = if others.is_empty() { passed_pawn } else { others.single_square() }?;
    let enemy = board.by_color(!us) & seen.occupied() & !board.kings();
    let last = role == Role::Pawn && to.rank() == us.relative_rank(Rank::Eighth);
    let mv = Move::Normal { role, from, capture: board.role_at(to), to, promotion: None };
    if !enemy.contains(to) || last || (seen.mismatch(position.play(mv).board()) & !hidden).any() {
        return None;
    }
    // No player is accused of a move that their piece cannot make: a brushed square is more likely.
    let is_move = !matches!(why_illegal(position, mv)?, IllegalReason::NoSuchMove { .. }) || passed_pawn == Some(to);
    is_move.then_some((mv, seen.changed_at(to).saturating_sub(seen.changed_at(from))))
}

/// Returns what the player to move did that no move describes, with the nearest move: a pawn became a piece of the other colour, or
/// another pawn than the one captured en passant was removed.
pub(super) fn find_slip(position: &Position, wrong: Bitboard, hidden: Bitboard, seen: &ObservedBoard) -> Option<(Move, Slip)> {
    let (board, us) = (position.board(), position.turn());
    let seen_board = board_as_seen(position, wrong, seen)?;
    let reason = why_illegal_placement(position, &seen_board)?;
    let to = match &reason {
        IllegalReason::PromotedColour { on } => on.square,
        IllegalReason::EnPassantWrongPawn { .. } => position.en_passant()?,
        _ => return None,
    };
    let pawns = wrong & board.by_piece(Role::Pawn.of(us)) & !seen_board.occupied();
    let from = pawns.single_square().filter(|from| from.distance(to) == 1)?;
    let mv = Move::Normal { role: Role::Pawn, from, capture: board.role_at(to), to, promotion: None };
    // Nothing else was done.
    let squares = seen.mismatch(position.play(mv).board()) & !hidden;
    (squares.count() == 1).then_some((mv, Slip { squares, reason }))
}

/// Returns the position with what is on these squares now. Where the board does not identify the piece, it is the one that the
/// player to move has lifted, and one of the other colour on the last rank is a queen; `None` where it can be several.
fn board_as_seen(position: &Position, squares: Bitboard, seen: &ObservedBoard) -> Option<Board> {
    let us = position.turn();
    let mut seen_board = position.board().clone();
    let lifted = (squares & position.board().by_color(us) & !seen.occupied()).single_square();
    let mut lifted = lifted.and_then(|square| position.piece_at(square));
    for square in squares {
        let last = square.rank() == us.relative_rank(Rank::Eighth);
        let piece = match seen.at(square) {
            SquareState::Empty => None,
            SquareState::Piece(piece) => Some(piece),
            SquareState::Side(color) if color != us && last => Some(Piece { color, role: Role::Queen }),
            SquareState::Side(color) => Some(lifted.take_if(|lifted| lifted.color == color)?),
            SquareState::Occupied => Some(lifted.take()?),
        };
        match piece {
            Some(piece) => seen_board.set_piece_at(square, piece),
            None => seen_board.discard_piece_at(square),
        }
    }
    Some(seen_board)
}

/// Returns the moves between these squares that are illegal or out of turn: any piece to any square not occupied by its own colour,
/// a pawn on the last rank promoted or not, castling with any rook on the king's rank.
pub(super) fn illegal_candidates(position: &Position, wrong: Bitboard) -> Vec<Move> {
    let board = position.board();
    let mut found = Vec::new();
    for from in wrong & board.occupied() {
        let Some(piece) = board.piece_at(from) else { continue };
        for to in wrong & !board.by_color(piece.color) {
            let last = piece.role == Role::Pawn && to.rank() == piece.color.relative_rank(Rank::Eighth);
            let promotions = [None, Some(Role::Queen), Some(Role::Knight), Some(Role::Rook), Some(Role::Bishop)];
            for &promotion in if last { &promotions[..] } else { &promotions[..1] } {
                found.push(Move::Normal { role: piece.role, from, capture: board.role_at(to), to, promotion });
            }
            // En passant too late.
            let en_passant_square = Square::from_coords(to.file(), from.rank());
            let was_captured =
                wrong.contains(en_passant_square) && board.piece_at(en_passant_square) == Some(Role::Pawn.of(!piece.color));
            if piece.role == Role::Pawn && was_captured && attacks::pawn_attacks(piece.color, from).contains(to) {
                found.push(Move::EnPassant { from, to });
            }
        }
    }
    for color in Color::ALL {
        let Some(king) = board.king_of(color).filter(|&king| wrong.contains(king)) else { continue };
        let rooks = board.by_piece(Role::Rook.of(color)) & Bitboard::from_rank(king.rank());
        let home = |rook: &Square| king.rank() == color.relative_rank(Rank::First) && wrong.contains(*rook);
        found.extend(rooks.into_iter().filter(home).map(|rook| Move::Castle { king, rook }));
    }
    found.retain(|&mv| !position.is_legal(mv));
    found
}
