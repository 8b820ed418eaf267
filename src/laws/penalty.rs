//! What irregularities cost.

use super::Laws;
use super::edition::{NoMate, Topic};

/// What a counted irregularity costs (7.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// The opponent gets so many seconds.
    Add(u32),
    /// The player loses.
    Loses,
    /// He would lose, but the opponent cannot mate by any series of legal moves.
    Draw,
}

impl Penalty {
    /// Whether the game is over with it.
    pub fn ends_the_game(self) -> bool {
        !matches!(self, Penalty::Add(_))
    }
}

/// The penalty for a player's `nth` counted irregularity in this game, from 1. `opponent_can_mate`: by some series of legal moves
/// from the position. `None`: the edition has no penalties, or they are not at hand. The articles are those on [`Topic::Penalty`].
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
