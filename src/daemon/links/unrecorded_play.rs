//! The health problem of a board that shows play without a game.

use crate::boards::{Placement, SquareState};
use crate::daemon::hub::BoardId;
use shakmaty::{Board, Square};

/// Kind of health problem: a board shows play without a game.
pub(super) const UNRECORDED_PLAY: &str = "unrecorded";

/// Returns the message about play without a game on this board. `identified`: the board identifies the piece on each square, so
/// that a game can begin from what it shows; on any other board the arbiter must give the position.
pub(super) fn unrecorded_play(id: &BoardId, identified: bool) -> String {
    let advice = match identified {
        true => format!("`touchmovectl arbiter position shown --board {id}` begins one from the position on the board"),
        false => format!(
            "the board cannot identify its pieces: `touchmovectl arbiter position 'FEN' --board {id}` begins one from a \
             position"
        ),
    };
    format!("the pieces on board {id} look like play, but there is no game: nothing is recorded; {advice}")
}

/// Returns the pieces on the board, if all of them are identified.
pub(super) fn identified_pieces(placement: &Placement) -> Option<Board> {
    let mut board = Board::empty();
    for (square, sensed) in Square::ALL.into_iter().zip(placement) {
        match *sensed {
            SquareState::Empty => {}
            SquareState::Piece(piece) => board.set_piece_at(square, piece),
            SquareState::Side(_) | SquareState::Occupied => return None,
        }
    }
    Some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_about_play_without_a_game_fits_the_board() {
        let id = BoardId::new("hall_1");
        let advice = unrecorded_play(&id, true);
        assert!(advice.contains("`touchmovectl arbiter position shown --board hall_1`"), "{advice}");
        let advice = unrecorded_play(&id, false);
        assert!(advice.contains("`touchmovectl arbiter position 'FEN' --board hall_1`"), "{advice}");
        assert!(!advice.contains("shown"), "{advice}");
    }
}
