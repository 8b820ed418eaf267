//! Continuing a game on another board.

use super::Table;
use crate::boards::Sensed;
use crate::game::event::{Event, Rotation};
use crate::game::{Record, Stamped};
use crate::infer::turned;
use crate::laws::Position;
use shakmaty::{Board, Square};

impl Table {
    /// Returns a table like this one that continues a game played on another board until now, and the game's events adapted to this
    /// board. The position on record must already be on this board; the orientation in which it fits becomes the board's
    /// orientation.
    ///
    /// # Errors
    /// The squares that show something else. Empty if the board has not reported its placement yet.
    pub fn carry_on(&self, mut events: Vec<Stamped>) -> Result<(Table, Vec<Stamped>), Vec<Square>> {
        let chess960 = self.settings.chess960;
        let mut record = events.first().and_then(Record::begin).ok_or_else(Vec::new)?;
        events.iter().skip(1).for_each(|stamped| record.apply(stamped));
        let position = Position::from_fen(record.fen(), chess960).map_err(|_| Vec::new())?;
        if !self.sense.is_whole() {
            return Err(Vec::new());
        }
        let known = self.rotation.unwrap_or(record.rotation);
        let other = if known == Rotation::Upright { Rotation::Turned } else { Rotation::Upright };
        // If both orientations fit equally well, the known one is used.
        let stands = [known, other].map(|rotation| (self.unlike(position.board(), rotation), rotation));
        let [(first, _), (second, _)] = &stands;
        let (unlike, rotation) = &stands[usize::from(second.len() < first.len())];
        if !unlike.is_empty() {
            return Err(unlike.clone());
        }
        if let Some(Event::GameStarted { rotation: told, .. }) = events.first_mut().map(|stamped| &mut stamped.event) {
            *told = *rotation;
        }
        Ok((Table::restore(self.settings.clone(), &events), events))
    }

    /// Returns the squares that show something else if the board has this orientation.
    fn unlike(&self, board: &Board, rotation: Rotation) -> Vec<Square> {
        let seen = turned(self.sense.placement(), rotation);
        let differs = |(square, sensed): (Square, &Sensed)| {
            let piece = board.piece_at(square);
            let fits = match *sensed {
                Sensed::Empty => piece.is_none(),
                Sensed::Piece(found) => piece == Some(found),
                Sensed::Side(color) => piece.is_some_and(|piece| piece.color == color),
                Sensed::Occupied => piece.is_some(),
            };
            (!fits).then_some(square)
        };
        Square::ALL.into_iter().zip(&seen).filter_map(differs).collect()
    }
}
