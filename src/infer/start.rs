//! Start positions, in either rotation of the board, standard or Chess960.

use super::Seen;
use crate::boards::{Placement, Sensed, Sensing};
use crate::game::event::{Difference, Rotation};
use crate::laws::Position;
use shakmaty::{Bitboard, Board, Color, Square};

/// A start position that stands on the board.
#[derive(Clone, Debug)]
pub struct StartFound {
    /// How the board stands.
    pub rotation: Rotation,
    /// The position.
    pub position: Position,
    /// Its number in Chess960, where it is one of those.
    pub chess960: Option<u16>,
}

/// A placement as the players see it, when the board stands like this.
pub fn turned(placement: &Placement, rotation: Rotation) -> Placement {
    let mut turned = [Sensed::Empty; 64];
    for square in Square::ALL {
        turned[rotation.apply(square) as usize] = placement[square as usize];
    }
    turned
}

/// The start position that stands on the board, if one does. `rotation`: the board is known to stand like this. `given`: the
/// only position looked for.
///
/// Where a sensor cannot tell the rotations apart (occupancy), upright is taken until play says otherwise.
pub fn find_start(
    placement: &Placement,
    sensing: Sensing,
    rotation: Option<Rotation>,
    chess960: bool,
    given: Option<&Position>,
) -> Option<StartFound> {
    let rotations = match rotation {
        Some(known) => vec![known],
        None => vec![Rotation::Upright, Rotation::Turned],
    };
    for rotation in rotations {
        let seen = Seen::of(&turned(placement, rotation), sensing);
        let matches = |position: &Position| seen.mismatch(position.board()).is_empty();
        if let Some(position) = given {
            if matches(position) {
                return Some(StartFound { rotation, chess960: None, position: position.clone() });
            }
            continue;
        }
        if matches(&Position::start()) {
            return Some(StartFound { rotation, position: Position::start(), chess960: Some(518) });
        }
        if chess960
            && let Some(board) = seen.board()
            && let Some(number) = chess960_number(&board)
            && let Some(position) = Position::chess960(number)
        {
            return Some(StartFound { rotation, position, chess960: Some(number) });
        }
    }
    None
}

/// The number of the Chess960 start position with this placement.
fn chess960_number(board: &Board) -> Option<u16> {
    let back = |board: &Board| (0..8).map(|file| board.role_at(Square::new(file))).collect::<Vec<_>>();
    let wanted = back(board);
    (0..960u16).find(|&number| {
        let candidate = Board::chess960(u32::from(number));
        back(&candidate) == wanted && candidate == *board
    })
}

/// The start position that stands on the board but for one of these squares, in the board's own numbering.
pub fn start_but_one(
    placement: &Placement,
    sensing: Sensing,
    rotation: Option<Rotation>,
    squares: Bitboard,
) -> Option<(StartFound, Square)> {
    let position = Position::start();
    [Rotation::Upright, Rotation::Turned].into_iter().filter(|&one| rotation.is_none_or(|known| known == one)).find_map(
        |rotation| {
            let seen = Seen::of(&turned(placement, rotation), sensing);
            let square = seen.mismatch(position.board()).single_square()?;
            squares
                .contains(rotation.apply(square))
                .then(|| (StartFound { rotation, position: position.clone(), chess960: Some(518) }, square))
        },
    )
}

/// A placement that is the start position but for a few squares, with what is wrong: swapped or missing pieces.
pub fn near_start(
    placement: &Placement,
    sensing: Sensing,
    rotation: Option<Rotation>,
) -> Option<(Rotation, Board, Vec<Difference>)> {
    /// More than this and it is some other position: two pairs of pieces swapped, or so many missing.
    const MOST: usize = 4;
    let start = Board::new();
    [Rotation::Upright, Rotation::Turned]
        .into_iter()
        .filter(|&candidate| rotation.is_none_or(|known| known == candidate))
        .filter_map(|candidate| {
            let seen = Seen::of(&turned(placement, candidate), sensing);
            let wrong = seen.mismatch(&start);
            // Where pieces cannot be told apart, what is missing can be named, and nothing else.
            let missing_only = || (wrong & seen.occupied()).is_empty().then(|| without(&start, wrong));
            let board = seen.board().or_else(missing_only)?;
            let kings = Color::ALL.into_iter().all(|color| board.king_of(color).is_some());
            (kings && wrong.any() && wrong.count() <= MOST).then(|| {
                let differences = wrong
                    .into_iter()
                    .map(|square| Difference { square, expected: start.piece_at(square), seen: seen.at(square) })
                    .collect();
                (candidate, board, differences)
            })
        })
        .min_by_key(|(_, _, differences): &(_, _, Vec<Difference>)| differences.len())
}

fn without(board: &Board, missing: Bitboard) -> Board {
    let mut board = board.clone();
    missing.into_iter().for_each(|square| board.discard_piece_at(square));
    board
}
