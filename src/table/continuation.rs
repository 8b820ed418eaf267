//! Continuing a game on another board.

use super::Table;
use crate::boards::SquareState;
use crate::game::event::{Event, Rotation};
use crate::game::{Record, StampedEvent};
use crate::infer::rotated;
use crate::laws::Position;
use shakmaty::{Board, Square};

impl Table {
    /// Returns a table like this one that continues a game played on another board until now, and the game's events adapted to this
    /// board. The position on record must already be on this board; the orientation in which it fits becomes the board's
    /// orientation.
    ///
    /// # Errors
    /// The squares that show something else. Empty if the board has not reported its placement yet.
    pub fn continue_game(&self, mut events: Vec<StampedEvent>) -> Result<(Table, Vec<StampedEvent>), Vec<Square>> {
        let chess960 = self.settings.chess960;
        let mut record = events.first().and_then(Record::begin).ok_or_else(Vec::new)?;
        events.iter().skip(1).for_each(|stamped| record.apply(stamped));
        let position = Position::from_fen(record.fen(), chess960).map_err(|_| Vec::new())?;
        if !self.sense.is_complete() {
            return Err(Vec::new());
        }
        let known = self.rotation.unwrap_or(record.rotation);
        let other = if known == Rotation::Upright { Rotation::Turned } else { Rotation::Upright };
        // If both orientations fit equally well, the known one is used.
        let candidates = [known, other].map(|rotation| (self.differing_squares(position.board(), rotation), rotation));
        let [(first, _), (second, _)] = &candidates;
        let (differing, rotation) = &candidates[usize::from(second.len() < first.len())];
        if !differing.is_empty() {
            return Err(differing.clone());
        }
        if let Some(Event::GameStarted { rotation: recorded, .. }) = events.first_mut().map(|stamped| &mut stamped.event) {
            *recorded = *rotation;
        }
        Ok((Table::restore(self.settings.clone(), &events), events))
    }

    /// Returns the squares that show something else if the board has this orientation.
    fn differing_squares(&self, board: &Board, rotation: Rotation) -> Vec<Square> {
        let seen = rotated(self.sense.placement(), rotation);
        let differs = |(square, sensed): (Square, &SquareState)| {
            let piece = board.piece_at(square);
            let fits = match *sensed {
                SquareState::Empty => piece.is_none(),
                SquareState::Piece(found) => piece == Some(found),
                SquareState::Side(color) => piece.is_some_and(|piece| piece.color == color),
                SquareState::Occupied => piece.is_some(),
            };
            (!fits).then_some(square)
        };
        Square::ALL.into_iter().zip(&seen).filter_map(differs).collect()
    }
}
