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
        if let Some(played_on) = self.play_on(&events) {
            events = played_on;
        }
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

    /// Returns the events of a game that an order ended by setting a position on this board, with what would have been played in it
    /// since, if the board shows the position after that.
    fn play_on(&self, events: &[StampedEvent]) -> Option<Vec<StampedEvent>> {
        let (mut table, inputs) = self.undo_log.before_position()?;
        let is_game = table.record()?.started_at == events.first()?.at && Some(table.numbers.last()) == events.last()?.number;
        let mut events = Some(events.to_vec()).filter(|_| is_game)?;
        let known = events.len();
        let is_durable = |stamped: &StampedEvent| stamped.number.is_some();
        for (at, input) in inputs {
            events.extend(table.handle(*at, input.clone()).events.into_iter().filter(is_durable));
        }
        events.extend(table.advance(self.now).events.into_iter().filter(is_durable));
        let begins = |stamped: &StampedEvent| matches!(stamped.event, Event::GameStarted { .. });
        let is_same_game = !events.iter().skip(known).any(begins);
        let position = Position::from_fen(table.record()?.fen(), self.settings.chess960).ok()?;
        let is_shown = table.rotation.is_some_and(|rotation| self.differing_squares(position.board(), rotation).is_empty());
        (is_same_game && is_shown).then_some(events)
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
