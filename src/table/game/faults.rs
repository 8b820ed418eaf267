//! Squares of the board that do not work.

use super::Game;
use crate::boards::Millis;
use crate::game::{Event, Fault};
use crate::table::Output;
use shakmaty::{Bitboard, Square};

impl Game {
    /// Squares of the board that do not work, or work again.
    pub(super) fn tell_faults(&mut self, now: Millis, output: &mut Output) {
        for (square, fault) in self.follower.take_faults() {
            let detail = match fault {
                Fault::Stuck => format!("{square} shows the same whatever is played there: it is not relied on any more"),
                Fault::Flickering => {
                    format!("{square} shows nothing now and then though a piece stands there: its gaps are passed over")
                }
                Fault::Mended => format!("{square} shows what is played there again: it is relied on"),
            };
            self.tell(now, Event::BoardFault { square, fault, detail }, output);
        }
    }

    /// The faults of the board that stand, found in this game or before.
    pub fn faults(&self) -> Vec<(Square, Fault)> {
        self.follower.faults().standing().collect()
    }

    /// The squares that are stuck or thought so, in the board's own numbering.
    pub fn stuck(&self) -> Bitboard {
        self.follower.line_blind().into_iter().map(|square| self.record.rotation.apply(square)).collect()
    }

    /// Faults that were found in the game before: they are told again.
    pub fn inherit_faults(&mut self, now: Millis, faults: &[(Square, Fault)], output: &mut Output) {
        faults.iter().for_each(|&(square, fault)| self.follower.find_fault(now, square, fault));
        self.tell_faults(now, output);
    }
}
