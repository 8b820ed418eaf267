//! How a board stands that shows the start position alike from both sides.

use super::{Output, Table};
use crate::boards::{Millis, Sensed, Sensing};
use crate::game::event::Rotation;
use crate::infer::{Seen, StartFound, turned};
use crate::laws::Position;
use shakmaty::Move;

impl Table {
    /// An occupancy board cannot tell at the start which side is White's, and upright is taken. If the first thing that is played
    /// is a move of White's only when the board is turned round, it is.
    pub(super) fn turn_if_shown(&mut self, now: Millis, output: &mut Output) {
        let open = self.settings.sensing == Sensing::Occupancy && self.settings.rotation.is_none() && self.sense.is_whole();
        let Some(known) = self.rotation.filter(|_| open) else { return };
        let start = Position::start();
        if !self.game.as_ref().is_some_and(|game| game.begins_like(&start) && !game.is_over()) {
            return;
        }
        let other = if known == Rotation::Upright { Rotation::Turned } else { Rotation::Upright };
        let placement = *self.sense.placement();
        let shows = |rotation: Rotation| {
            let seen = Seen::of(&turned(&placement, rotation), Sensing::Occupancy);
            start.legal_moves().iter().any(|&mv: &Move| seen.mismatch(start.play(mv).board()).is_empty())
        };
        if shows(known) || !shows(other) {
            return;
        }
        let mut whole = [Sensed::Empty; 64];
        for square in start.board().occupied() {
            whole[square as usize] = Sensed::Occupied;
        }
        self.begin_from(now, StartFound { rotation: other, position: start, chess960: Some(518) }, &whole, output);
        self.with_game(output, |game, around, output| game.see(now, &placement, around, output));
    }
}
