//! Whether the pieces on the board are being put away or set up anew, and which squares differ from the line that is followed.

use crate::boards::SensorKind;
use crate::game::event::Difference;
use crate::infer::Follower;
use crate::laws::Position;
use shakmaty::{Bitboard, Color, Role, Square};

/// If more squares than this differ and the kings have left their squares, the pieces are being put away.
const MAX_DISORDERED_SQUARES: usize = 10;
/// The same if more pieces than this are missing.
const MAX_MISSING_PIECES: usize = 5;

/// Whether the pieces are being put away or set up anew. `wrong`: the squares that differ from the record.
pub(super) fn is_put_away(follower: &Follower, wrong: Bitboard) -> bool {
    is_set_up_anew(follower, wrong) || is_cleared(follower, wrong)
}

/// Whether the pieces are being returned to their start squares.
pub(super) fn is_set_up_anew(follower: &Follower, wrong: Bitboard) -> bool {
    let seen = follower.seen();
    let occupied = wrong & seen.occupied();
    let start = Position::start();
    let home = occupied.into_iter().filter(|&square| seen.is_compatible(square, start.piece_at(square))).count();
    let has_more = seen.occupied().count() > follower.tip().position.board().occupied().count() + 1;
    (is_disorder(follower, wrong) || has_more) && home * 2 >= occupied.count()
}

/// Whether the pieces are being taken off the board. Many missed moves can capture as many pieces.
pub(super) fn is_cleared(follower: &Follower, wrong: Bitboard) -> bool {
    let (known, seen) = (follower.tip().position.board().occupied(), follower.seen().occupied());
    is_disorder(follower, wrong) && known.count().saturating_sub(seen.count()) > MAX_MISSING_PIECES
}

/// Whether more squares differ than in any exchange of moves.
fn is_disorder(follower: &Follower, wrong: Bitboard) -> bool {
    let board = follower.tip().position.board();
    let king_is_home = |color: Color| !board.by_piece(Role::King.of(color)).intersects(wrong);
    let missing = wrong & !follower.seen().occupied() & board.occupied();
    missing.count() > MAX_MISSING_PIECES
        || (wrong.count() > MAX_DISORDERED_SQUARES && !Color::ALL.into_iter().all(king_is_home))
}

/// Whether the pieces were put into their box: a king is missing or, where pieces are not identified, half of the pieces are.
/// Missed moves never capture a king.
pub(super) fn are_pieces_removed(follower: &Follower) -> bool {
    let seen = follower.seen();
    let known = follower.tip().position.board().occupied().count();
    match seen.sensing() {
        SensorKind::Identity => Color::ALL.into_iter().any(|color| seen.squares_with(Role::King.of(color)).is_empty()),
        SensorKind::Colour | SensorKind::Occupancy => seen.occupied().count() * 2 < known,
    }
}

/// Returns the expected and the actual content of a square.
fn difference(follower: &Follower, square: Square) -> Difference {
    let expected = follower.tip().position.piece_at(square);
    Difference { square, expected, seen: follower.seen().actual(square) }
}

/// Returns the expected and the actual content of these squares.
pub(super) fn differences(follower: &Follower, wrong: Bitboard) -> Vec<Difference> {
    wrong.into_iter().map(|square| difference(follower, square)).collect()
}
