//! The penalties for irregularities.

use super::Laws;
use super::edition::{NoMate, Topic};

/// The penalty for a counted irregularity (7.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// The opponent gets this number of additional seconds.
    Add(u32),
    /// The player loses.
    Loses,
    /// The game is drawn instead of lost, because the opponent cannot checkmate by any series of legal moves.
    Draw,
}

impl Penalty {
    /// Returns whether the penalty ends the game.
    pub fn ends_the_game(self) -> bool {
        !matches!(self, Penalty::Add(_))
    }
}

/// Returns the penalty for a player's `nth` counted irregularity in this game, from 1. `opponent_can_mate` says whether the
/// opponent can checkmate by some series of legal moves from the position. `None` if the edition has no penalties, or if their text
/// is not available. The articles are those on [`Topic::Penalty`].
pub fn penalty(laws: &Laws, nth: u32, opponent_can_mate: bool) -> Option<Penalty> {
    let ladder = laws.rules().penalty.as_ref()?;
    laws.article(Topic::Penalty)?;
    let step = usize::try_from(nth.saturating_sub(1)).unwrap_or(usize::MAX);
    Some(match ladder.opponent_s.get(step) {
        Some(seconds) => Penalty::Add(*seconds),
        None if ladder.no_mate == NoMate::Draw && !opponent_can_mate => Penalty::Draw,
        None => Penalty::Loses,
    })
}
