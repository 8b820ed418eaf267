//! The search for a stuck square on boards that detect only occupancy, when no line of play explains the board: for each square that
//! has not changed in this game, the game is decoded once more as if that square were stuck.
//!
//! The whole game is decoded, because moves that such a square hid may have been recorded as other moves long before. The search runs
//! in slices between inputs.

use super::game::TableGame;
use super::game_log::{GameLog, Replay};
use super::{Output, Table};
use crate::boards::{Millis, SensorKind};
use crate::infer::Beam;
use crate::infer::model::Cost;
use shakmaty::{Bitboard, Square};
use std::sync::Arc;

/// Quiet time after which the search begins, in milliseconds: an illegal move has been looked for by then.
const DELAY: Millis = 1_500;
/// Time without an explanation after which it begins where there is no such quiet, and minimum time between two searches, in
/// milliseconds.
const INTERVAL: Millis = 4_000;
/// Maximum number of inputs that are decoded for each square: a game of 300 moves, but not hours of a loose contact.
const MAX_INPUTS: usize = 4_000;
/// The time between two slices, in milliseconds: the arbiter should not be alerted before the search has ended.
const STEP: Millis = 5;
/// Number of updates of a line of play in one slice: a small part of that time on a small computer.
const SLICE: usize = 128;

/// How far the search is.
#[derive(Clone, Default)]
pub(super) struct StuckSearch {
    /// The number of inputs that the last search has decoded, and when the next one may begin.
    searched: (usize, Millis),
    stage: Stage,
}

#[derive(Clone, Default)]
enum Stage {
    /// The board is explained, or nothing was found.
    #[default]
    Idle,
    /// The search begins at this time.
    Scheduled(Millis),
    /// The next slice is due at this time.
    Running(Arc<Candidates>, Millis),
}

/// The squares that may be stuck, and what decoding the game with each of them gives.
#[derive(Clone)]
struct Candidates {
    /// Those that were not tried yet.
    squares: Bitboard,
    /// The square that is being tried; `None`: all were.
    current: Option<(Square, Replay)>,
    /// The likeliest so far.
    best: Option<(Square, Replay)>,
    /// The cost that the next one has to be below.
    limit: Cost,
    beam: Beam,
    inputs: usize,
    until_at: Millis,
}

impl StuckSearch {
    /// Returns when the next slice is due.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match self.stage {
            Stage::Scheduled(due) | Stage::Running(_, due) => Some(due),
            Stage::Idle => None,
        }
    }
}

impl Candidates {
    /// Decodes the next slice. Returns whether the search is complete.
    fn run(&mut self, now: Millis, log: &GameLog) -> bool {
        let Some((square, mut replay)) = self.current.take().or_else(|| self.next(log)) else {
            let Some((_, best)) = &mut self.best else { return true };
            // Meanwhile play may have gone on.
            best.extend(log, now);
            return best.run(log, SLICE);
        };
        if !replay.run(log, SLICE) {
            self.current = Some((square, replay));
        } else if let Some(cost) = replay.table().game.as_ref().and_then(|game| game.cost_if_explained(self.until_at))
            && cost < self.limit
        {
            (self.limit, self.best) = (cost, Some((square, replay)));
        }
        false
    }

    fn next(&mut self, log: &GameLog) -> Option<(Square, Replay)> {
        let square = self.squares.first()?;
        self.squares.discard(square);
        let mut replay = log.replay(self.until_at, self.beam);
        replay.assume_stuck(square);
        Some((square, replay))
    }
}

impl Table {
    /// Schedules the search when no line of play explains the board.
    pub(super) fn update_stuck_search(&mut self) {
        if matches!(self.stuck_search.stage, Stage::Running(..)) || self.settings.sensing != SensorKind::Occupancy {
            return;
        }
        let (searched, next) = self.stuck_search.searched;
        let is_new = self.log.as_ref().is_some_and(|log| (searched + 1..=MAX_INPUTS).contains(&log.len()));
        let since = self.game.as_ref().filter(|_| is_new).and_then(|game| game.behind_since());
        self.stuck_search.stage = since.map_or(Stage::Idle, |since| {
            let quiet = self.quiet.last_edge().saturating_add(DELAY);
            // What is due by now has run.
            let soonest = next.max(self.now.saturating_add(1));
            Stage::Scheduled(quiet.min(since.saturating_add(INTERVAL)).max(soonest))
        });
    }

    /// Runs the next slice of the search. When it is complete and has found a square, the game goes on as it was decoded with it.
    pub(super) fn run_stuck_search(&mut self, now: Millis, output: &mut Output) {
        let (Some(log), Some(game)) = (&mut self.log, &self.game) else {
            self.stuck_search = StuckSearch::default();
            return;
        };
        if let Stage::Scheduled(_) = self.stuck_search.stage {
            let (squares, limit) = (game.may_be_stuck(), game.cost(now).saturating_sub(self.settings.hands.stuck_square));
            let candidates =
                Candidates { squares, current: None, best: None, limit, beam: self.beam, inputs: log.len(), until_at: now };
            self.stuck_search.stage = Stage::Running(Arc::new(candidates), now);
        }
        let Stage::Running(candidates, due) = &mut self.stuck_search.stage else { return };
        *due = now.saturating_add(STEP);
        let candidates = Arc::make_mut(candidates);
        if !candidates.run(now, log) {
            return;
        }
        let found = candidates.best.take();
        // A long search is not repeated soon.
        let pause = INTERVAL.max(2 * now.saturating_sub(candidates.until_at));
        self.stuck_search = StuckSearch { searched: (candidates.inputs, now.saturating_add(pause)), stage: Stage::Idle };
        let Some((square, replay)) = found else { return };
        // Meanwhile the board may have been explained.
        let is_wanted = game.behind_since().is_some() && game.record().result.is_none();
        let is_same = |other: &TableGame| {
            let (record, other) = (game.record(), other.record());
            (&record.start_fen, record.started_at) == (&other.start_fen, other.started_at)
        };
        let explains = |other: &&TableGame| is_same(other) && other.cost_if_explained(now).is_some();
        let other = replay.table().game.as_ref().filter(|other| is_wanted && explains(other));
        let Some(other) = other else { return };
        log.assume_stuck(square);
        self.with_game(output, |game, context, output| game.go_on_as(now, other, context, output));
    }
}
