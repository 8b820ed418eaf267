//! A prior over moves that knows only exchanges: what a move captures, and what it leaves to be captured. Nothing decides by it; the
//! fitted prior is compared with it.

use crate::infer::model::{self, Cost};
use crate::laws::{Changes, Position};
use shakmaty::{Bitboard, Board, Color, Move, Role, Square};

/// Value of a piece to the player who would capture it, in centipawns.
const PIECE_VALUES: [i32; 6] = [100, 300, 320, 500, 900, 2_000];
/// Centipawns that double the odds of a move. Guess for tournament players.
const DOUBLING_GAIN: i32 = 44;
/// Maximum amount by which a move counts as better or worse, in centipawns: people overlook things.
const MAX_GAIN: i32 = 250;
/// Cost of a promotion to another piece than a queen: knights 2 %, rooks and bishops less than 1 % (databases of master games).
const UNDERPROMOTION: [(Role, Cost); 3] = [(Role::Knight, 90), (Role::Rook, 115), (Role::Bishop, 140)];

/// Returns the cost of each of these legal moves; their likelihoods add up to one.
pub fn exchange_costs(position: &Position, legal: &[Move]) -> Box<[Cost]> {
    model::normalised(legal.iter().map(|&mv| relative_cost(position, mv)).collect())
}

/// Returns the cost of a move, up to a constant for all moves of a position.
fn relative_cost(position: &Position, mv: Move) -> Cost {
    let turn = position.turn();
    let mut board = position.board().clone();
    for (square, piece) in Changes::of(turn, mv).iter() {
        match piece {
            Some(piece) => board.set_piece_at(square, piece),
            None => board.discard_piece_at(square),
        }
    }
    let captured = mv.capture().map_or(0, piece_value);
    let promoted = mv.promotion().map_or(0, |role| piece_value(role) - piece_value(Role::Pawn));
    let gain = (captured + promoted - best_capture(&board, !turn)).clamp(-MAX_GAIN, MAX_GAIN);
    let underpromotion = UNDERPROMOTION.iter().find(|(role, _)| mv.promotion() == Some(*role)).map_or(0, |(_, cost)| *cost);
    underpromotion - gain * 16 / DOUBLING_GAIN
}

/// Returns the value of a role, in centipawns.
fn piece_value(role: Role) -> i32 {
    PIECE_VALUES[role as usize - 1]
}

/// Returns the most that this side can win by one exchange, in centipawns; 0 if every capture loses.
fn best_capture(board: &Board, by: Color) -> i32 {
    let attacked = board.by_color(by).into_iter().fold(Bitboard::EMPTY, |all, square| all | board.attacks_from(square));
    let targets = board.by_color(!by) & !board.kings() & attacked;
    targets.into_iter().fold(0, |most, square| {
        // No exchange wins more than the piece on the square.
        let may_win = board.role_at(square).is_some_and(|role| piece_value(role) > most);
        if may_win { most.max(exchange_gain(board, square, by)) } else { most }
    })
}

/// Returns what `by` wins by capturing on this square first, if both sides always capture with the least valuable piece and stop
/// when that is better. Ignores pins.
fn exchange_gain(board: &Board, square: Square, by: Color) -> i32 {
    let mut occupied = board.occupied();
    let mut side = by;
    let Some(mut target) = board.role_at(square) else { return 0 };
    let mut gains = [0i32; 32];
    let mut depth = 0;
    loop {
        let attackers = board.attacks_to(square, side, occupied) & occupied;
        let Some((role, from)) = least_valuable(board, attackers) else { break };
        let before = if depth == 0 { 0 } else { gains[depth - 1] };
        // A king does not capture a defended piece.
        if role == Role::King && (board.attacks_to(square, !side, occupied.without(from)) & occupied.without(from)).any() {
            break;
        }
        gains[depth] = piece_value(target) - before;
        depth += 1;
        if depth == gains.len() {
            break;
        }
        target = role;
        occupied.discard(from);
        side = !side;
    }
    if depth == 0 {
        return 0;
    }
    while depth > 1 {
        depth -= 1;
        gains[depth - 1] = -(gains[depth].max(-gains[depth - 1]));
    }
    gains[0]
}

fn least_valuable(board: &Board, attackers: Bitboard) -> Option<(Role, Square)> {
    Role::ALL.into_iter().find_map(|role| (attackers & board.by_role(role)).first().map(|square| (role, square)))
}
