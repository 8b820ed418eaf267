//! Heuristic scores for the distance of a position from a mate. They affect whether the search ends in time, but not its result. Of
//! the few weights that were tried, these left the fewest test vectors undecided.

use super::mates::Mate;
use shakmaty::{Bitboard, Board, Color, Position as Rules, Role, Square, attacks};

/// An unknown score: there is no target mate.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Returns three scores: by the situation of the king to be mated, by its remaining pieces, and by the target mates. Lower is
/// nearer; at most 1000 unless unknown.
pub(super) fn scores(board: &Board, winner: Color, replies: Option<usize>, mates: &[Mate]) -> [u32; 3] {
    let (Some(hunted), Some(hunter)) = (board.king_of(!winner), board.king_of(winner)) else { return [0, 0, UNKNOWN] };
    let (ours, theirs) = (board.by_color(winner), board.by_color(!winner));
    let (material, check) = (material(board, winner), check(board, winner, hunted));
    let flights = flights(board, winner, hunted, Bitboard::EMPTY);
    let rim = |at: u32| at.min(7 - at);
    let edge = rim(u32::from(hunted.file())) + rim(u32::from(hunted.rank()));
    let kings = hunted.distance(hunter).max(2) - 2;
    let helpers = (ours & !board.pawns() & !board.kings()).into_iter();
    let nearest = helpers.map(|square| square.distance(hunted)).min().unwrap_or(8);
    let replies = replies.map_or(UNKNOWN, |count| 2 * count as u32);
    [
        replies.min(3 * flights + 2 * check + edge + kings) + material,
        3 * theirs.count() as u32 + material + flights + nearest,
        if mates.is_empty() { UNKNOWN } else { toward(board, winner, hunted, hunter, mates) + check + material },
    ]
}

/// Returns one score for [`super::climb`]: by the opponent's remaining pieces and the situation of the king. `None`: it is not below
/// `limit`; the parts that take longest are then left out.
pub(super) fn rank<P: Rules>(position: &P, winner: Color, limit: u32) -> Option<u32> {
    let board = position.board();
    let (Some(hunted), Some(hunter)) = (board.king_of(!winner), board.king_of(winner)) else { return (limit > 0).then_some(0) };
    let (ours, theirs) = (board.by_color(winner), board.by_color(!winner));
    let rim = |at: u32| at.min(7 - at);
    let edge = rim(u32::from(hunted.file())) + rim(u32::from(hunted.rank()));
    let kings = hunted.distance(hunter).max(2) - 2;
    let mut rank = 4 * theirs.count() as u32 + edge + kings;
    if rank >= limit {
        return None;
    }
    rank += material(board, winner);
    if rank >= limit {
        return None;
    }
    rank += 2 * flights(board, winner, hunted, Bitboard::EMPTY);
    if rank >= limit {
        return None;
    }
    let prey = theirs & !board.kings();
    let safe = prey.is_empty() || (ours & !board.pawns()).into_iter().any(|from| (board.attacks_from(from) & prey).any());
    rank += 2 * u32::from(!safe);
    (rank < limit).then_some(rank)
}

/// Returns the number of squares next to the king, without `except`, where it would not be in check.
fn flights(board: &Board, winner: Color, hunted: Square, except: Bitboard) -> u32 {
    let occupied = board.occupied().without(hunted);
    let open = attacks::king_attacks(hunted) & !board.by_color(!winner) & !except;
    open.into_iter().filter(|&to| !is_attacked(board, to, winner, occupied)).count() as u32
}

/// Returns whether any piece of this colour attacks the square. Attacks along lines are computed only if there are such pieces.
fn is_attacked(board: &Board, to: Square, by: Color, occupied: Bitboard) -> bool {
    let ours = board.by_color(by);
    let pawns = attacks::pawn_attacks(!by, to) & board.pawns();
    let leapers = attacks::knight_attacks(to) & board.knights() | attacks::king_attacks(to) & board.kings();
    let (lines, diagonals) = (ours & board.rooks_and_queens(), ours & board.bishops_and_queens());
    ((pawns | leapers) & ours).any()
        || lines.any() && (attacks::rook_attacks(to, occupied) & lines).any()
        || diagonals.any() && (attacks::bishop_attacks(to, occupied) & diagonals).any()
}

/// Returns 0 if the king is in check, 1 if a piece can give check, otherwise 3.
fn check(board: &Board, winner: Color, hunted: Square) -> u32 {
    let ours = board.by_color(winner);
    let diagonals = attacks::bishop_attacks(hunted, board.occupied());
    let lines = attacks::rook_attacks(hunted, board.occupied());
    let leaps = attacks::knight_attacks(hunted);
    let mut check = 3;
    for sq in ours & !board.pawns() & !board.kings() {
        let (role, checks) = match board.role_at(sq) {
            Some(Role::Queen) => (Role::Queen, diagonals | lines),
            Some(Role::Rook) => (Role::Rook, lines),
            Some(Role::Bishop) => (Role::Bishop, diagonals),
            _ => (Role::Knight, leaps),
        };
        if checks.contains(sq) {
            return 0;
        }
        if (attacks::attacks(sq, role.of(winner), board.occupied()) & checks & !ours).any() {
            check = 1;
        }
    }
    check
}

/// Returns the distance of the foremost pawn from promotion: three for each rank and four for the pieces ahead of it on its file.
fn promotion(board: &Board, color: Color) -> Option<u32> {
    let pawns = board.pawns() & board.by_color(color);
    pawns
        .into_iter()
        .map(|sq| {
            let rank = sq.rank() as u32;
            let distance = if color.is_white() { 7 - rank } else { rank };
            let file = Bitboard::from_file(sq.file());
            let ahead = if color.is_white() { u64::MAX << (8 * rank) << 4 << 4 } else { (1 << (8 * rank)) - 1 };
            3 * distance + 4 * (file & board.occupied() & Bitboard(ahead)).count() as u32
        })
        .min()
}

/// Returns the distance to material that can mate: 0 with a rook or a queen.
fn material(board: &Board, winner: Color) -> u32 {
    let ours = board.by_color(winner);
    let theirs = board.by_color(!winner);
    if (ours & board.rooks_and_queens()).any() {
        return 0;
    }
    let minors = (board.knights() | board.bishops()) & ours;
    if let Some(distance) = promotion(board, winner) {
        let bait = promotion(board, !winner).unwrap_or(0).min(30);
        return 4 + distance + bait / 6;
    }
    if minors.count() >= 2 || (theirs & (board.knights() | board.bishops())).any() {
        return 4;
    }
    12 + promotion(board, !winner).unwrap_or(0)
}

/// Returns the number of knight moves between two squares; in a corner the real number may be two more.
fn leaps(from: Square, to: Square) -> u32 {
    let (x, y) = (from.file().distance(to.file()), from.rank().distance(to.rank()));
    let (x, y) = (x.max(y), x.min(y));
    match (x, y) {
        (1, 0) => 3,
        (2, 2) => 4,
        _ => {
            let least = x.div_ceil(2).max((x + y).div_ceil(3));
            least + (least + x + y) % 2
        }
    }
}

/// Returns the number of moves until a piece of this colour is on the square.
fn blocking(board: &Board, color: Color, to: Square) -> u32 {
    let pieces = board.by_color(color) & !board.kings();
    let mut best = 6 + promotion(board, color).unwrap_or(20);
    for from in pieces {
        let moves = match board.role_at(from) {
            Some(Role::Knight) => leaps(from, to),
            Some(Role::Bishop) if from.is_light() != to.is_light() => continue,
            Some(Role::Pawn) if from.file() != to.file() => continue,
            Some(Role::Pawn) => {
                if color.is_white() == (to > from) {
                    from.rank().distance(to.rank())
                } else {
                    continue;
                }
            }
            Some(role) => {
                if attacks::attacks(from, role.of(color), board.occupied()).contains(to) {
                    1
                } else {
                    2
                }
            }
            None => continue,
        };
        best = best.min(if from == to { 0 } else { moves });
    }
    best
}

/// Returns the distance to the nearest of these mates.
fn toward(board: &Board, winner: Color, hunted: Square, hunter: Square, mates: &[Mate]) -> u32 {
    let mut costs = [UNKNOWN; 64];
    let (mut best, mut blocked) = (200, Bitboard::EMPTY);
    for mate in mates {
        let steps = |table: &[u8; 64], square: Square| table.get(usize::from(square)).map_or(64, |&steps| u32::from(steps));
        let mut cost = steps(&mate.hunted, hunted) + steps(&mate.hunter, hunter);
        for square in mate.blocked {
            if let Some(known) = costs.get_mut(usize::from(square)) {
                if *known == UNKNOWN {
                    *known = blocking(board, !winner, square);
                }
                cost += *known;
            }
        }
        if cost < best {
            (best, blocked) = (cost, mate.blocked);
        }
    }
    4 * best + flights(board, winner, hunted, blocked)
}
