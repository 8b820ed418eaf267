//! What truly happened at a virtual board: what a record of it must say in the end, and what it must not.

use crate::boards::Millis;
use crate::game::GameResult;
use crate::simulate::irregularity::Irregularity;

/// What truly happened in one ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthPly {
    /// The move.
    pub uci: String,
    /// When its first piece was touched.
    pub touched_at: Millis,
    /// When the last piece was let go.
    pub done_at: Millis,
    /// When the clock was pressed; `None` without a clock, where the move ended the game, or where the opponent's time ran
    /// already (after a takeback).
    pub pressed_at: Option<Millis>,
    /// How long the pieces rested, on the way, just as another legal move would have left them. Milliseconds, 0: never.
    pub stop_ms: u32,
    /// The time of the player who had less, when the move was made, in milliseconds; `None` without a clock.
    pub lowest_clock_ms: Option<u32>,
}

/// What truly happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// What stands in the end, ply for ply; an illegal move that nobody noticed is one of them.
    pub plies: Vec<TruthPly>,
    /// The result that the board or the rules told: mate, stalemate, or the kings in the centre.
    pub result: Option<GameResult>,
    /// When the kings stood in the centre.
    pub signalled_at: Option<Millis>,
    /// When the game itself was over: what comes later is the signal, analysis, sweeping and setting up.
    pub over_at: Millis,
    /// Moves that were made and taken back by agreement, in order.
    pub takebacks: Vec<Takeback>,
    /// What was done against the Laws, in order of its beginning.
    pub irregularities: Vec<Irregularity>,
    /// When there was no play, or nothing could be seen of it, in order.
    pub interruptions: Vec<Interruption>,
}

/// Moves made and taken back by agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeback {
    /// The number of the first ply taken back, from 1.
    pub from_ply: u32,
    /// What was taken back.
    pub plies: Vec<TruthPly>,
    /// When the first piece went back.
    pub at: Millis,
    /// When the last piece stood again, and the clock was pressed if it was.
    pub done_at: Millis,
}

/// A time without play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interruption {
    /// Why.
    pub why: Why,
    /// From when.
    pub from: Millis,
    /// Until when.
    pub until: Millis,
}

/// Why there was no play to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The players look at the finished game: nothing may be published.
    Analysis,
    /// The arbiter has stopped the game: nothing may be published.
    Pause,
    /// The cable is out: play goes on, nobody sees it.
    CableOut,
}

impl Truth {
    /// The move that truly stood at this ply, from 1, at this time, or stood there before; the one that stands in the end
    /// where several did and `uci` is none of them.
    pub fn ply(&self, number: u32, uci: &str, now: Millis) -> Option<&TruthPly> {
        let last = self.plies.get((number as usize).checked_sub(1)?);
        let made = |ply: &&TruthPly| ply.uci == uci && ply.touched_at <= now;
        last.filter(made).or_else(|| self.withdrawn(number).map(|found| found.0).find(made)).or(last)
    }

    /// Whether this move was truly made as this ply and taken back by agreement, by now.
    pub fn is_withdrawn(&self, number: u32, uci: &str, now: Millis) -> bool {
        self.withdrawn(number).any(|(ply, at)| ply.uci == uci && at <= now)
    }

    /// The moves made as this ply and taken back, each with the time when taking back began.
    fn withdrawn(&self, number: u32) -> impl Iterator<Item = (&TruthPly, Millis)> {
        self.takebacks.iter().filter_map(move |takeback| {
            let ply = takeback.plies.get(number.checked_sub(takeback.from_ply)? as usize)?;
            Some((ply, takeback.at))
        })
    }

    /// The interruption at this time, if there was one.
    pub fn interruption(&self, now: Millis) -> Option<Why> {
        self.interruptions.iter().find(|pause| (pause.from..pause.until).contains(&now)).map(|pause| pause.why)
    }
}
