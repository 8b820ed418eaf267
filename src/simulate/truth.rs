//! The ground truth of a virtual board: what a record of the game must finally contain, and what it must not.

use crate::boards::Millis;
use crate::game::GameResult;
use crate::simulate::irregularity::Irregularity;

/// The ground truth of one ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthPly {
    /// The move, in UCI.
    pub uci: String,
    /// When the first piece was touched.
    pub touched_at: Millis,
    /// When the last piece was let go.
    pub done_at: Millis,
    /// When the clock was pressed; `None` without a clock, if the move ended the game, or if the opponent's time already ran (after
    /// a takeback).
    pub pressed_at: Option<Millis>,
    /// Longest time for which the pieces rested on the way in the position of another legal move, in milliseconds; 0: never.
    pub stop_ms: u32,
    /// Time of the player with less time when the move was made, in milliseconds; `None` without a clock.
    pub lowest_clock_ms: Option<u32>,
}

/// The ground truth of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroundTruth {
    /// The final plies, including an illegal move that nobody noticed.
    pub plies: Vec<TruthPly>,
    /// The result from the rules or the board: mate, stalemate, or the kings in the centre.
    pub result: Option<GameResult>,
    /// When the kings were in the centre.
    pub signalled_at: Option<Millis>,
    /// When the game itself was over; the signal, analysis, sweeping and setting up come later.
    pub over_at: Millis,
    /// Moves that were made and taken back by agreement, in order.
    pub takebacks: Vec<Takeback>,
    /// Irregularities, in order of their beginning.
    pub irregularities: Vec<Irregularity>,
    /// Periods without play, or without a connection, in order.
    pub interruptions: Vec<Interruption>,
}

/// Moves that were made and taken back by agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeback {
    /// The number of the first ply taken back, from 1.
    pub from_ply: u32,
    /// The plies taken back.
    pub plies: Vec<TruthPly>,
    /// When the first piece was moved back.
    pub at: Millis,
    /// When the last piece was on its square again, and the clock was pressed, if it was.
    pub done_at: Millis,
}

/// A period without play, or without a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interruption {
    /// The reason.
    pub reason: InterruptionReason,
    /// When it began.
    pub from: Millis,
    /// When it ended.
    pub until: Millis,
}

/// The reason for an interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptionReason {
    /// The players analyse the finished game: nothing may be published.
    Analysis,
    /// The arbiter has stopped the game: nothing may be published.
    Pause,
    /// The cable is out: play goes on unseen.
    CableOut,
}

impl GroundTruth {
    /// Returns the move that was on the board as ply `number`, from 1, with this `uci`, by this time. Falls back to the final move
    /// of that ply if none of its moves is `uci`.
    pub fn ply(&self, number: u32, uci: &str, now: Millis) -> Option<&TruthPly> {
        let last = self.plies.get((number as usize).checked_sub(1)?);
        let made = |ply: &&TruthPly| ply.uci == uci && ply.touched_at <= now;
        last.filter(made).or_else(|| self.withdrawn(number).map(|found| found.0).find(made)).or(last)
    }

    /// Returns whether this move was made as this ply and taken back by agreement by this time.
    pub fn is_taken_back(&self, number: u32, uci: &str, now: Millis) -> bool {
        self.withdrawn(number).any(|(ply, at)| ply.uci == uci && at <= now)
    }

    /// Returns the moves that were made as this ply and taken back, each with the time at which taking back began.
    fn withdrawn(&self, number: u32) -> impl Iterator<Item = (&TruthPly, Millis)> {
        self.takebacks.iter().filter_map(move |takeback| {
            let ply = takeback.plies.get(number.checked_sub(takeback.from_ply)? as usize)?;
            Some((ply, takeback.at))
        })
    }

    /// Returns the interruption at this time, if there is one.
    pub fn interruption(&self, now: Millis) -> Option<InterruptionReason> {
        self.interruptions.iter().find(|pause| (pause.from..pause.until).contains(&now)).map(|pause| pause.reason)
    }
}
