//! Start positions, in either rotation of the board, standard or Chess960.

use super::ObservedBoard;
use crate::boards::{Placement, SensorKind, SquareState};
use crate::game::event::{Difference, Rotation};
use crate::laws::Position;
use shakmaty::{Bitboard, Board, Color, Move, Rank, Role, Square};

/// A start position that is on the board.
#[derive(Clone, Debug)]
pub struct DetectedStart {
    /// The rotation of the board.
    pub rotation: Rotation,
    /// The position.
    pub position: Position,
    /// Its Chess960 number, if it has one.
    pub chess960: Option<u16>,
}

impl DetectedStart {
    /// Creates the start of a game from this position, with its number if it is a start position.
    pub fn new(rotation: Rotation, position: Position) -> DetectedStart {
        let numbered = chess960_number(position.board()).and_then(|number| Some((number, start_position(number)?)));
        match numbered.filter(|(_, start)| start.fen() == position.fen()) {
            Some((number, start)) => DetectedStart { rotation, position: start, chess960: Some(number) },
            None => DetectedStart { rotation, position, chess960: None },
        }
    }
}

/// Returns the start position with this number; for 518 that of standard chess.
fn start_position(number: u16) -> Option<Position> {
    if number == 518 { Some(Position::start()) } else { Position::chess960(number) }
}

/// Returns a placement as the players see it, for a board with this rotation.
pub fn rotated(placement: &Placement, rotation: Rotation) -> Placement {
    let mut turned = [SquareState::Empty; 64];
    for square in Square::ALL {
        turned[rotation.apply(square) as usize] = placement[square as usize];
    }
    turned
}

/// Returns the start position that is on the board, if one is. `rotation`: the rotation of the board, if known. `given`: the only
/// position that counts.
///
/// Where a sensor cannot distinguish the rotations (occupancy), upright is assumed until play shows otherwise.
pub fn find_start(
    placement: &Placement,
    sensing: SensorKind,
    rotation: Option<Rotation>,
    chess960: bool,
    given: Option<&Position>,
) -> Option<DetectedStart> {
    let rotations = match rotation {
        Some(known) => vec![known],
        None => vec![Rotation::Upright, Rotation::Turned],
    };
    for rotation in rotations {
        let seen = ObservedBoard::from_placement(&rotated(placement, rotation), sensing);
        let matches = |position: &Position| seen.mismatch(position.board()).is_empty();
        if let Some(position) = given {
            if matches(position) {
                return Some(DetectedStart::new(rotation, position.clone()));
            }
            continue;
        }
        if matches(&Position::start()) {
            return Some(DetectedStart { rotation, position: Position::start(), chess960: Some(518) });
        }
        if chess960
            && let Some(board) = seen.to_board()
            && let Some(number) = chess960_number(&board)
            && let Some(position) = Position::chess960(number)
        {
            return Some(DetectedStart { rotation, position, chess960: Some(number) });
        }
    }
    None
}

/// Returns the number of the Chess960 start position with this placement.
fn chess960_number(board: &Board) -> Option<u16> {
    (0..960).find(|&number| Board::chess960(u32::from(number)) == *board)
}

/// Returns the start position that is on the board except for one of these squares, in the board's own numbering, and that square.
pub fn find_start_except_one(
    placement: &Placement,
    sensing: SensorKind,
    rotation: Option<Rotation>,
    squares: Bitboard,
) -> Option<(DetectedStart, Square)> {
    let position = Position::start();
    [Rotation::Upright, Rotation::Turned].into_iter().filter(|&one| rotation.is_none_or(|known| known == one)).find_map(
        |rotation| {
            let seen = ObservedBoard::from_placement(&rotated(placement, rotation), sensing);
            let square = seen.mismatch(position.board()).single_square()?;
            squares
                .contains(rotation.apply(square))
                .then(|| (DetectedStart { rotation, position: position.clone(), chess960: Some(518) }, square))
        },
    )
}

/// The start position that is nearest to what is on the board.
#[derive(Clone, Debug)]
pub struct NearStart {
    /// The start position.
    pub start: DetectedStart,
    /// The squares that differ; at least one.
    pub differences: Vec<Difference>,
    /// The position with what is on the board; `None` if that is unknown, or a king is missing.
    pub position: Option<Position>,
    /// Whether the pieces are placed as in a set-up, however many of them on wrong squares: 32 on the first two ranks of both
    /// sides, or one side as at the start and the remaining pieces of the other on its own two ranks.
    pub is_set_up: bool,
}

/// Returns the start position that is nearest to a placement that is none. `chess960`: accept Chess960 start positions. `given`:
/// the only position that counts.
///
/// Where a board does not identify the piece, the one that should be there is assumed; where it cannot distinguish the rotations,
/// upright is assumed.
pub fn find_nearest_start(
    placement: &Placement,
    sensing: SensorKind,
    rotation: Option<Rotation>,
    chess960: bool,
    given: Option<&Position>,
) -> Option<NearStart> {
    let numbers = match given {
        Some(_) => 0..0,
        None if chess960 && sensing == SensorKind::Identity => 0..960,
        None => 518..519,
    };
    let numbered: Vec<(Option<u16>, Board)> =
        numbers.map(|number: u16| (Some(number), Board::chess960(u32::from(number)))).collect();
    let starts: Vec<(Option<u16>, Board)> =
        numbered.into_iter().chain(given.map(|position| (None, position.board().clone()))).collect();
    let rotations = [Rotation::Upright, Rotation::Turned].into_iter().filter(|&one| rotation.is_none_or(|known| known == one));
    let (rotation, seen, (number, board)) = rotations
        .flat_map(|rotation| {
            let seen = ObservedBoard::from_placement(&rotated(placement, rotation), sensing);
            starts.iter().map(move |start| (rotation, seen.clone(), start))
        })
        .min_by_key(|(rotation, seen, (number, board))| {
            let wrong = seen.mismatch(board);
            // Of two that are equally near, the standard one; then the one that White's pieces agree with.
            let whites = (wrong & board.by_color(Color::White)).count();
            (wrong.count(), *rotation == Rotation::Turned, *number != Some(518), whites)
        })?;
    let wrong = seen.mismatch(board);
    let seen_board = board_as_seen(&seen, board);
    let is_set_up = seen_board.as_ref().is_some_and(|seen_board| is_set_up(seen_board, board));
    let position = match number {
        Some(number) => start_position(*number)?,
        None => given?.clone(),
    };
    let difference = |square| Difference { square, expected: board.piece_at(square), seen: seen.at(square) };
    let has_kings = |seen_board: &Board| Color::ALL.into_iter().all(|color| seen_board.king_of(color).is_some());
    wrong.any().then(|| NearStart {
        differences: wrong.into_iter().map(difference).collect(),
        position: seen_board.filter(has_kings).map(|seen_board| position.with_board(seen_board)),
        start: DetectedStart { rotation, position, chess960: *number },
        is_set_up,
    })
}

/// Returns what is on the squares, if it is known; where a board does not identify the piece, that of the start position.
fn board_as_seen(seen: &ObservedBoard, start: &Board) -> Option<Board> {
    let mut board = Board::empty();
    for square in seen.occupied() {
        let piece = match seen.at(square) {
            SquareState::Piece(piece) => piece,
            SquareState::Side(color) => start.role_at(square)?.of(color),
            SquareState::Occupied | SquareState::Empty => start.piece_at(square)?,
        };
        board.set_piece_at(square, piece);
    }
    Some(board)
}

/// Returns whether the pieces are placed as in a set-up: see [`NearStart::is_set_up`].
fn is_set_up(seen_board: &Board, start: &Board) -> bool {
    let home = |color: Color| {
        let [first, second] = [Rank::First, Rank::Second].map(|rank| Bitboard::from_rank(color.relative_rank(rank)));
        first | second
    };
    let homes = home(Color::White) | home(Color::Black);
    if start.occupied() != homes || !homes.is_superset(seen_board.occupied()) {
        return false;
    }
    let home_pieces = |color: Color| seen_board.by_color(color) & home(color);
    let is_complete = |color: Color| {
        let at = |board: &Board| Role::ALL.map(|role| board.by_piece(role.of(color)));
        at(seen_board) == at(start)
    };
    let all = seen_board.occupied() == homes && Color::ALL.into_iter().all(|color| home_pieces(color).count() > 8);
    all || Color::ALL.into_iter().any(|color| is_complete(color) && home_pieces(!color) == seen_board.by_color(!color))
}

/// Returns whether at most `moves` moves lead from a position to what is seen, by either player: the other player's moves may have
/// cancelled out. On boards that show only occupancy, captures are not considered.
pub fn is_reachable(position: &Position, seen: &ObservedBoard, moves: usize) -> bool {
    let wrong = seen.mismatch(position.board());
    // A move corrects two squares, and castling four.
    if wrong.is_empty() || moves == 0 || wrong.count() > 2 * moves.max(2) {
        return wrong.is_empty();
    }
    let is_visible = |mv: &Move| seen.sensing() != SensorKind::Occupancy || !mv.is_capture();
    [position, &position.with_turn_passed()].into_iter().any(|position| {
        position.legal_moves().into_iter().filter(is_visible).any(|mv| is_reachable(&position.play(mv), seen, moves - 1))
    })
}
