//! Squares of the board that do not work.

use super::TableGame;
use crate::boards::Millis;
use crate::game::{Event, Fault};
use crate::table::Output;
use shakmaty::{Bitboard, Square};

impl TableGame {
    /// Publishes squares that have stopped working, or that work again.
    pub(super) fn publish_faults(&mut self, now: Millis, output: &mut Output) {
        for (square, fault) in self.follower.take_faults() {
            let detail = match fault {
                Fault::Stuck => format!("{square} shows the same whatever is played there: it is ignored from now on"),
                Fault::Flickering => {
                    format!("{square} is sometimes read as empty although a piece is on it: short gaps are ignored")
                }
                Fault::Mended => format!("{square} shows what is played there again: it is no longer ignored"),
            };
            self.record_event(now, Event::BoardFault { square, fault, detail }, output);
        }
    }

    /// Returns the current faults of the board, found in this game or before.
    pub(crate) fn faults(&self) -> Vec<(Square, Fault)> {
        self.follower.faults().in_force().collect()
    }

    /// Returns the squares that are stuck or suspected to be, in the board's own coordinates.
    pub(crate) fn stuck_squares(&self) -> Bitboard {
        self.follower.stuck_squares().into_iter().map(|square| self.record().rotation.apply(square)).collect()
    }

    /// Takes over faults that were found in the previous game and publishes them again.
    pub(crate) fn inherit_faults(&mut self, now: Millis, faults: &[(Square, Fault)], output: &mut Output) {
        faults.iter().for_each(|&(square, fault)| self.follower.report_fault(now, square, fault));
        self.publish_faults(now, output);
    }
}
