//! The search for boards on the line, in rounds: known boards are muted, then all others are pinged.

use crate::boards::{Address, Millis};
use std::collections::VecDeque;

/// Pause after the first search, whose replies may have been damaged, and maximum pause, in milliseconds. The pause doubles after
/// each search.
const SEARCH_PAUSE: (Millis, Millis) = (5_000, 60_000);
/// Time for polling the known boards between two rounds of a search: a fixed part and a part per board, in milliseconds.
const POLLING_TIME: (Millis, Millis) = (400, 40);
/// Maximum number of rounds in a search.
const MAX_ROUNDS: u8 = 8;

/// The state of the search for new boards.
pub(super) struct Search {
    phase: SearchPhase,
    /// Number of further rounds without a new board that are required.
    quiet_rounds_needed: u8,
    /// Number of rounds of this search so far.
    rounds: u8,
    /// Whether this round has found a new board.
    found_new_board: bool,
    /// Pause between the end of this search and the next.
    pause: Millis,
}

enum SearchPhase {
    /// The time of the next round.
    At(Millis),
    /// These boards have not received the command to ignore the next ping yet.
    Muting(VecDeque<Address>),
}

/// What the search sends next.
pub(super) enum SearchStep {
    /// This board receives the command to ignore the next ping.
    Mute(Address),
    /// All other boards are pinged.
    Ping,
}

/// Number of rounds without a new board that are required after a round that found one.
const QUIET_ROUNDS: u8 = 2;

impl Default for Search {
    fn default() -> Search {
        Search::new(0)
    }
}

impl Search {
    /// Creates a search whose first round is at this time.
    pub(super) fn new(at: Millis) -> Search {
        Search {
            phase: SearchPhase::At(at),
            quiet_rounds_needed: QUIET_ROUNDS,
            rounds: 0,
            found_new_board: false,
            pause: SEARCH_PAUSE.0,
        }
    }

    /// Records that this round has found a new board.
    pub(super) fn found_board(&mut self) {
        self.found_new_board = true;
    }

    /// Returns the time of the next round; `None` while boards are being muted.
    pub(super) fn next_at(&self) -> Option<Millis> {
        match self.phase {
            SearchPhase::At(at) => Some(at),
            SearchPhase::Muting(_) => None,
        }
    }

    /// Whether the next round is due.
    pub(super) fn is_due(&self, now: Millis) -> bool {
        self.next_at().is_some_and(|at| at <= now)
    }

    /// Begins a round. These known boards are muted first.
    pub(super) fn begin_round(&mut self, known: VecDeque<Address>) {
        self.phase = SearchPhase::Muting(known);
    }

    /// Returns what a round sends next; `None` if no round has begun. After the ping, [`Search::end_round`] schedules the next
    /// round.
    pub(super) fn next_step(&mut self) -> Option<SearchStep> {
        let SearchPhase::Muting(known) = &mut self.phase else { return None };
        Some(match known.pop_front() {
            Some(board) => SearchStep::Mute(board),
            None => {
                self.phase = SearchPhase::At(Millis::MAX);
                SearchStep::Ping
            }
        })
    }

    /// Ends a round, when no more replies to its ping are expected, and schedules the next one. `boards` is the number of boards
    /// that are known now.
    pub(super) fn end_round(&mut self, now: Millis, boards: usize) {
        let needed = if self.found_new_board { QUIET_ROUNDS } else { self.quiet_rounds_needed.saturating_sub(1) };
        let is_over = needed == 0 || self.rounds + 1 >= MAX_ROUNDS;
        let ends = is_over && boards > 0;
        let polling_time = POLLING_TIME.0 + POLLING_TIME.1 * boards as Millis;
        self.phase = SearchPhase::At(now + if ends { self.pause } else { polling_time });
        self.quiet_rounds_needed = if is_over { 1 } else { needed };
        self.rounds = if is_over { 0 } else { self.rounds + 1 };
        self.found_new_board = false;
        if ends {
            self.pause = (self.pause * 2).min(SEARCH_PAUSE.1);
        }
    }
}
