//! The first whole reading since the link came up may be an old answer of the board's. In a game that is on, the squares are read
//! again, and a start position that this reading shows begins no other game before it is confirmed and the arbiter is alerted, or nothing
//! has changed for long.

use super::game::Game;
use super::{Output, Table};
use crate::boards::{Cue, Millis, Placement};
use crate::infer::StartFound;

/// In play the squares are read again after this long, in milliseconds.
const CHECK_SOON: Millis = 5_000;

/// Whether the first whole reading since the link came up was confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// It was, or nothing depends on it.
    #[default]
    Done,
    /// The squares are to be read again at this time.
    At(Millis),
    /// The squares were requested again at this time, and the answer is not here.
    Requested(Millis),
}

impl Check {
    /// When the squares are to be requested.
    pub fn deadline(self) -> Option<Millis> {
        match self {
            Check::Done => None,
            Check::At(at) => Some(at),
            Check::Requested(at) => Some(at + CHECK_SOON),
        }
    }
}

/// A start position that one reading showed in the middle of a game.
#[derive(Clone)]
pub struct DoubtedStart {
    pub found: StartFound,
    /// What the board showed, in its own coordinates.
    pub placement: Placement,
}

impl Table {
    /// The first whole reading is here.
    pub(super) fn begin_check(&mut self, now: Millis) {
        let in_play = self.game.as_ref().is_some_and(|game| !game.is_over());
        self.check = if in_play { Check::At(now + CHECK_SOON) } else { Check::Done };
    }

    /// The squares are to be read again.
    pub(super) fn run_check(&mut self, now: Millis, output: &mut Output) {
        self.check = Check::Requested(now);
        output.cues.push(Cue::Placement);
    }

    /// A later whole reading is here. `is_same`: it shows what was known.
    pub(super) fn check(&mut self, now: Millis, is_same: bool, output: &mut Output) {
        if !matches!(self.check, Check::Requested(_)) {
            return;
        }
        // The board's memory is not here yet.
        let is_blind = self.game.as_ref().is_some_and(Game::is_blind);
        if !is_blind && !self.game.as_ref().is_some_and(Game::is_shown_unseen) {
            self.check = Check::Done;
            self.stage = 0;
            self.start_after_doubt(now, false, output);
            return;
        }
        self.check = Check::At(now + CHECK_SOON);
        let is_told = self.game.as_ref().is_some_and(|game| game.is_told_of_position() || game.record().plies.is_empty());
        if !is_blind && is_same && is_told {
            self.start_if_confirmed(now, now.saturating_sub(self.last_edge), output);
            self.start_after_doubt(now, true, output);
        }
    }

    /// What the last game does not explain was played from a start position that was doubted: that game begins. `is_confirmed`: the
    /// board was read again, and stands so.
    pub(super) fn start_after_doubt(&mut self, now: Millis, is_confirmed: bool, output: &mut Output) {
        let Some(game) = self.game.as_ref().filter(|game| self.sense.is_whole() && !game.is_blind()) else { return };
        if !game.is_at_a_loss() {
            self.doubted = None; // The last game goes on.
        } else if let Some(DoubtedStart { found, placement }) = self.doubted.clone()
            && (is_confirmed || !game.is_shown_unseen())
            && self.is_played_from(&found, None)
        {
            self.begin_before(now, found, None, &placement, output);
        }
    }
}
