//! What irregularities cost, and what that does to the clocks.

use super::Laws;
use super::edition::{Halving, Increment, NoMate, Topic};

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

/// What both clocks have left, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The player who is penalised.
    pub offender_ms: u32,
    /// The other one.
    pub opponent_ms: u32,
}

impl Times {
    /// After a penalty. `increment_ms` is what the press of the illegal move gained; it is taken back where the edition's texts
    /// say so.
    pub fn penalised(self, laws: &Laws, penalty: Penalty, increment_ms: u32) -> Times {
        let gained = if laws.rules().increment == Some(Increment::TakenBack) { increment_ms } else { 0 };
        let added = if let Penalty::Add(seconds) = penalty { seconds.saturating_mul(1000) } else { 0 };
        Times { offender_ms: self.offender_ms.saturating_sub(gained), opponent_ms: self.opponent_ms.saturating_add(added) }
    }

    /// After an incorrect claim of a draw by the offender (9.5.3). `None`: what that costs is not at hand.
    pub fn after_wrong_claim(self, laws: &Laws) -> Option<Times> {
        let claim = laws.rules().wrong_claim?;
        Some(Times {
            offender_ms: claim.halving.map_or(self.offender_ms, |halving| halved(self.offender_ms, halving)),
            opponent_ms: self.opponent_ms.saturating_add(claim.opponent_s.saturating_mul(1000)),
        })
    }
}

/// Half is taken but no more than the most, and the least is left if there was as much.
fn halved(had_ms: u32, halving: Halving) -> u32 {
    let (max, floor) = (halving.max_s.saturating_mul(1000), halving.floor_s.saturating_mul(1000));
    let left = had_ms - (had_ms / 2).min(max);
    left.max(floor.min(had_ms))
}
