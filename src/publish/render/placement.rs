//! The squares of a board as text.

use crate::boards::{SensorKind, SquareState};
use crate::daemon::hub::BoardView;
use shakmaty::{File, Rank, Square};

/// Returns the state of the squares, as the first field of a FEN; `None` if the sensors do not identify pieces, or nothing was read
/// yet.
pub(crate) fn sensed_placement(board: &BoardView) -> Option<String> {
    let squares = board.placement.as_ref().filter(|_| board.sensing == SensorKind::Identity)?;
    Some(Rank::ALL.iter().rev().map(|rank| row(squares, *rank)).collect::<Vec<_>>().join("/"))
}

fn row(squares: &[SquareState; 64], rank: Rank) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    let flush = |text: &mut String, empty: &mut u8| {
        if *empty > 0 {
            text.push(char::from(b'0' + *empty));
        }
        *empty = 0;
    };
    for file in File::ALL {
        match squares.get(usize::from(Square::from_coords(file, rank))) {
            Some(SquareState::Piece(piece)) => {
                flush(&mut text, &mut empty);
                text.push(piece.char());
            }
            _ => empty += 1,
        }
    }
    flush(&mut text, &mut empty);
    text
}
