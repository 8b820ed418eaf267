//! Illegal moves of the sorts that players make.

use crate::boards::{Placement, SensorKind, SquareState};
use crate::laws::reason::{IllegalReason, why_illegal};
use crate::laws::{CENTRE, Move, Position};
use crate::simulate::rng::Rng;
use shakmaty::{Bitboard, CastlingSide, File, Rank, Role, Square, attacks};

/// A sort of illegal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IllegalSort {
    /// A move to an empty square to which that piece does not move, or past a piece in its way.
    Step,
    /// The same with a capture.
    Capture,
    /// A move as the piece moves, but the mover's king is left or placed on an attacked square.
    King,
    /// Castling after king or rook has moved, out of check, through it or into it, or past a piece.
    Castling,
    /// An error that only pawn moves have: capturing straight ahead, moving diagonally without a capture, two squares from
    /// elsewhere than the start rank, en passant too late or without removing the captured pawn.
    Pawn,
}

impl IllegalSort {
    /// Every sort with its name and its share, in thousandths, among the sorts that the position allows. Guess: most of the illegal
    /// moves that arbiters report leave a king in check; few are castling, which most positions do not allow at all.
    pub const ALL: &[(IllegalSort, &str, u32)] = &[
        (IllegalSort::Step, "step", 250),
        (IllegalSort::Capture, "capture", 150),
        (IllegalSort::King, "king", 300),
        (IllegalSort::Castling, "castling", 150),
        (IllegalSort::Pawn, "pawn", 150),
    ];

    /// Returns its name in figures.
    pub fn name(self) -> &'static str {
        IllegalSort::ALL.iter().find(|sort| sort.0 == self).map_or("", |sort| sort.1)
    }

    /// Returns the sort of this move; `None` for moves that are not simulated.
    fn of(mv: Move, reason: &IllegalReason) -> Option<IllegalSort> {
        match reason {
            IllegalReason::NoSuchMove { .. } | IllegalReason::Blocked { .. } if mv.is_capture() => Some(IllegalSort::Capture),
            IllegalReason::NoSuchMove { .. } | IllegalReason::Blocked { .. } => Some(IllegalSort::Step),
            IllegalReason::IntoCheck { .. }
            | IllegalReason::KingsAdjacent { .. }
            | IllegalReason::Pinned { .. }
            | IllegalReason::Exposed { .. }
            | IllegalReason::StillInCheck { .. }
            | IllegalReason::DoubleCheck { .. } => Some(IllegalSort::King),
            IllegalReason::PawnStraight { .. }
            | IllegalReason::PawnDiagonal { .. }
            | IllegalReason::PawnTwoSteps { .. }
            | IllegalReason::EnPassantTooLate { .. }
            | IllegalReason::EnPassantNotRemoved { .. } => Some(IllegalSort::Pawn),
            reason if reason.is_castling() && mv.is_castle() => Some(IllegalSort::Castling),
            _ => None,
        }
    }
}

/// A move that is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The move in UCI; castling is king takes rook.
    pub uci: String,
    /// The sort of the move.
    pub sort: IllegalSort,
    /// The reason why it is illegal: [`IllegalReason::key`].
    pub reason: &'static str,
    /// The placement after it.
    pub after: Placement,
    /// The least sensing with which the board looks different from the placement after every legal move, and shows where a piece
    /// was captured. A board with less cannot detect the move.
    pub needs: SensorKind,
}

/// Returns the sorts of illegal moves that this position allows.
pub(super) fn sorts(position: &Position) -> Vec<IllegalSort> {
    let mut sorts: Vec<IllegalSort> = candidates(position).into_iter().map(|candidate| candidate.1).collect();
    sorts.sort_unstable();
    sorts.dedup();
    sorts
}

/// Draws one of these sorts, with the probabilities of their shares.
pub(super) fn draw(rng: &mut Rng, sorts: &[IllegalSort]) -> Option<IllegalSort> {
    let possible = IllegalSort::ALL.iter().filter(|sort| sorts.contains(&sort.0));
    let mut nth = rng.below(possible.clone().map(|sort| u64::from(sort.2)).sum());
    for &(sort, _, share) in possible {
        match nth.checked_sub(u64::from(share)) {
            Some(rest) => nth = rest,
            None => return Some(sort),
        }
    }
    None
}

/// Picks an illegal move of this sort, or of any; returns `None` if there is none.
pub(super) fn pick(rng: &mut Rng, position: &Position, sort: Option<IllegalSort>) -> Option<(Move, IllegalMove)> {
    let found = candidates(position);
    let possible: Vec<IllegalSort> = found.iter().map(|candidate| candidate.1).collect();
    let sort = sort.or_else(|| draw(rng, &possible));
    // Each reason is equally likely: some reasons are rare among the moves.
    let mut reasons: Vec<&'static str> =
        found.iter().filter(|candidate| Some(candidate.1) == sort).map(|candidate| candidate.2).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let reason = rng.pick(&reasons)?;
    let moves: Vec<(Move, IllegalSort)> = found
        .iter()
        .filter(|candidate| Some(candidate.1) == sort && candidate.2 == reason)
        .map(|candidate| (candidate.0, candidate.1))
        .collect();
    let (mv, sort) = rng.pick(&moves)?;
    Some((
        mv,
        IllegalMove {
            uci: position.uci(mv),
            sort,
            reason,
            after: placement_seen_by(&position.play(mv), SensorKind::Identity),
            needs: needs(position, mv),
        },
    ))
}

/// Returns every illegal move that may be made here.
fn candidates(position: &Position) -> Vec<(Move, IllegalSort, &'static str)> {
    let board = position.board();
    let us = position.turn();
    let last = us.relative_rank(Rank::Eighth);
    let mut moves = Vec::new();
    for from in board.by_color(us) {
        let Some(role) = board.role_at(from) else { continue };
        // A wrong piece on the last rank is another irregularity.
        let excluded = if role == Role::Pawn { Bitboard::from_rank(last) } else { Bitboard::EMPTY };
        let targets = !board.by_color(us) & !board.kings() & !excluded;
        moves.extend(targets.into_iter().map(|to| Move::Normal {
            role,
            from,
            capture: board.role_at(to),
            to,
            promotion: None,
        }));
        if role == Role::Pawn {
            let passed = |to: &Square| board.piece_at(Square::from_coords(to.file(), from.rank())) == Some(Role::Pawn.of(!us));
            let too_late = (attacks::pawn_attacks(us, from) & !board.occupied() & targets).into_iter().filter(passed);
            moves.extend(too_late.map(|to| Move::EnPassant { from, to }));
        }
    }
    moves.extend(castlings(position));
    let legal: Vec<Placement> =
        position.legal_moves().iter().map(|&mv| placement_seen_by(&position.play(mv), SensorKind::Identity)).collect();
    let fits = |(mv, ..): &(Move, IllegalSort, &str)| {
        let after = position.play(*mv);
        !is_signal(position, *mv)
            && after.ending().is_none()
            && !legal.contains(&placement_seen_by(&after, SensorKind::Identity))
    };
    let with_reason = |mv: Move| {
        let reason = why_illegal(position, mv)?;
        Some((mv, IllegalSort::of(mv, &reason)?, reason.key()))
    };
    moves.into_iter().filter_map(with_reason).filter(fits).collect()
}

/// Returns castling moves, legal or not, of a king and a rook that are on their start squares or may still castle, to empty
/// squares.
fn castlings(position: &Position) -> impl Iterator<Item = Move> {
    let (board, us) = (position.board(), position.turn());
    [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().filter_map(move |side| {
        let king = board.king_of(us)?;
        let corner = if side.is_king_side() { File::H } else { File::A };
        let is_on_start_square = !position.is_chess960() && king == Square::from_coords(File::E, us.relative_rank(Rank::First));
        let rook = match position.castling_rook(us, side) {
            Some(rook) => rook,
            None if is_on_start_square => Square::from_coords(corner, king.rank()),
            None => return None,
        };
        let targets = Bitboard::from_square(side.king_to(us)).with(side.rook_to(us)).without(king).without(rook);
        let is_possible = board.piece_at(rook) == Some(Role::Rook.of(us)) && targets.is_disjoint(board.occupied());
        is_possible.then_some(Move::Castle { king, rook })
    })
}

/// Returns whether the move would be a result signal: a king goes to the centre from a distance, or while the other king is there.
fn is_signal(position: &Position, mv: Move) -> bool {
    let is_distant = mv.from().is_some_and(|from| from.distance(mv.to()) > 1);
    let is_other_there = position.board().king_of(!position.turn()).is_some_and(|king| CENTRE.contains(king));
    mv.role() == Role::King && !mv.is_castle() && CENTRE.contains(mv.to()) && (is_distant || is_other_there)
}

/// See [`IllegalMove::needs`].
fn needs(position: &Position, mv: Move) -> SensorKind {
    let after = position.play(mv);
    let legal: Vec<Position> = position.legal_moves().iter().map(|&other| position.play(other)).collect();
    let differs = |sensing: SensorKind| {
        let goal = placement_seen_by(&after, sensing);
        goal != placement_seen_by(position, sensing) && legal.iter().all(|other| placement_seen_by(other, sensing) != goal)
    };
    match () {
        () if differs(SensorKind::Occupancy) && !mv.is_capture() => SensorKind::Occupancy,
        () if differs(SensorKind::Colour) => SensorKind::Colour,
        () => SensorKind::Identity,
    }
}

/// Returns the placement as squares with this sensing show it.
fn placement_seen_by(position: &Position, sensing: SensorKind) -> Placement {
    let show = |square| position.piece_at(square).map_or(SquareState::Empty, SquareState::Piece).reduce_to(sensing);
    std::array::from_fn(|index| show(Square::new(index as u32)))
}
