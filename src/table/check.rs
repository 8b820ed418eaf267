//! Confirmation of the first whole placement after the link came up, which may be an outdated reply of the board. During a game the
//! squares are read again. A start position in that reading begins a new game only once it is confirmed and the arbiter is alerted,
//! or nothing has changed for long.

use super::game::TableGame;
use super::{Output, Table};
use crate::boards::{BoardCommand, Millis, Placement};
use crate::infer::DetectedStart;

/// Delay after which the squares are read again during play, in milliseconds.
const RECHECK_DELAY: Millis = 5_000;

/// Whether the first whole reading since the link came up was confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CheckState {
    /// It was confirmed, or nothing depends on it.
    #[default]
    Done,
    /// The squares must be read again at this time.
    At(Millis),
    /// The squares were requested again at this time, and the reply has not arrived.
    Requested(Millis),
}

/// A start position that one reading showed during a game.
#[derive(Clone)]
struct UnconfirmedStart {
    found: DetectedStart,
    /// What the board showed, in its own coordinates.
    placement: Placement,
}

/// The confirmation of the first whole reading since the link came up.
#[derive(Clone, Default)]
pub(super) struct PlacementCheck {
    state: CheckState,
    /// A start position shown by that reading, until it is confirmed or refuted.
    unconfirmed_start: Option<UnconfirmedStart>,
}

impl PlacementCheck {
    /// Whether the reading was confirmed, or nothing depends on it.
    pub(super) fn is_done(&self) -> bool {
        self.state == CheckState::Done
    }

    /// Returns when the squares must be requested.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match self.state {
            CheckState::Done => None,
            CheckState::At(at) => Some(at),
            CheckState::Requested(at) => Some(at + RECHECK_DELAY),
        }
    }

    /// Keeps a start position, which this placement shows, until it is confirmed or refuted.
    pub(super) fn keep_start(&mut self, found: DetectedStart, placement: Placement) {
        self.unconfirmed_start = Some(UnconfirmedStart { found, placement });
    }
}

impl Table {
    /// Starts the check when the first whole reading has arrived.
    pub(super) fn begin_check(&mut self, now: Millis) {
        let in_play = self.game.as_ref().is_some_and(|game| !game.is_over());
        self.check.state = if in_play { CheckState::At(now + RECHECK_DELAY) } else { CheckState::Done };
    }

    /// Requests the squares again.
    pub(super) fn run_check(&mut self, now: Millis, output: &mut Output) {
        self.check.state = CheckState::Requested(now);
        output.commands.push(BoardCommand::Placement);
    }

    /// Processes a later whole reading. `is_same`: it shows the known placement.
    pub(super) fn handle_check_reply(&mut self, now: Millis, is_same: bool, output: &mut Output) {
        if !matches!(self.check.state, CheckState::Requested(_)) {
            return;
        }
        // The board's memory has not arrived yet.
        let is_unknown = self.game.as_ref().is_some_and(TableGame::is_board_unknown);
        if !is_unknown && !self.game.as_ref().is_some_and(TableGame::is_shown_unseen) {
            self.check.state = CheckState::Done;
            self.quiet.run_again();
            self.start_unconfirmed(now, false, output);
            return;
        }
        self.check.state = CheckState::At(now + RECHECK_DELAY);
        let is_alerted = self.game.as_ref().is_some_and(|game| game.has_position_alert() || game.record().plies.is_empty());
        if !is_unknown && is_same && is_alerted {
            self.start_if_confirmed(now, self.quiet.elapsed(now), output);
            self.start_unconfirmed(now, true, output);
        }
    }

    /// Begins the game of a start position that was in doubt, if the current placement was played from it and the last game does
    /// not explain it. `is_confirmed`: the board was read again and shows the same.
    pub(super) fn start_unconfirmed(&mut self, now: Millis, is_confirmed: bool, output: &mut Output) {
        let Some(game) = self.game.as_ref().filter(|game| self.sense.is_complete() && !game.is_board_unknown()) else { return };
        if !game.needs_quiet_evaluation() {
            self.check.unconfirmed_start = None; // The last game goes on.
        } else if let Some(UnconfirmedStart { found, placement }) = self.check.unconfirmed_start.clone()
            && (is_confirmed || !game.is_shown_unseen())
            && self.is_played_from(&found, None)
        {
            self.begin_from_earlier(now, found, None, &placement, output);
        }
    }
}
