//! Squares that are assumed to be stuck since the beginning of the game.

use super::disorder::are_pieces_removed;
use super::{GameContext, TableGame};
use crate::boards::Millis;
use crate::infer::model::{Cost, UNEXPLAINED_SQUARE};
use crate::table::Output;
use shakmaty::{Bitboard, Square};

impl TableGame {
    /// Returns since when no line of play has explained the board; `None` if one does, if the kings seem to show a result, or
    /// while the game is paused.
    pub(crate) fn behind_since(&self) -> Option<Millis> {
        let is_signal = || self.follower.king_strays() || self.follower.kings_are_lifted();
        self.lag.since().filter(|_| !self.hold.is_active() && !is_signal() && !are_pieces_removed(&self.follower))
    }

    /// Returns the squares that have not changed in this game, and are not known to be stuck.
    pub(crate) fn may_be_stuck(&self) -> Bitboard {
        self.follower.seen().never_changed() & !self.follower.ignored_squares()
    }

    /// Assumes that a square is stuck. Nothing was played yet.
    pub(crate) fn assume_stuck(&mut self, square: Square) {
        self.follower.assume_stuck(square);
    }

    /// Returns the cost of all moves of the line that is followed, and of what the board shows now.
    pub(crate) fn cost(&self, now: Millis) -> Cost {
        /// Cost of each square that is not explained, in addition to the usual: any of 64 would be as likely, while the moves of a
        /// line that explains it are paid for one by one.
        const ANY_SQUARE: Cost = 96 - UNEXPLAINED_SQUARE;
        self.follower.total_cost(now) + ANY_SQUARE * self.follower.unexplained().count() as Cost
    }

    /// Returns the same; `None` if the line does not explain the board.
    pub(crate) fn cost_if_explained(&self, now: Millis) -> Option<Cost> {
        let is_explained = self.follower.unexplained().is_empty() && self.follower.displaced_squares().is_empty();
        is_explained.then(|| self.cost(now))
    }

    /// Follows the lines of play of another decoding of the same game from now on, and corrects the record by them.
    pub(crate) fn go_on_as(&mut self, now: Millis, other: &TableGame, context: &GameContext<'_>, output: &mut Output) {
        self.follower.replace_lines(now, other.follower.clone());
        self.publish_all(now, context, output);
        self.check_record_lag(now, context, output);
    }
}
