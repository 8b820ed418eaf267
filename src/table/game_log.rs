//! What a table has received since its game began, and decoding it once more.

use super::review::Review;
use super::stuck_search::StuckSearch;
use super::undo_log::UndoLog;
use super::{Input, Table};
use crate::boards::{ClockHalf, ClockReading, Millis, Reading, SensorKind, SquareState};
use crate::game::event::Rotation;
use crate::game::{Command, PlayedMove, Sighting};
use crate::infer::{Beam, LineTrace};
use shakmaty::{Move, Square};
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

/// Maximum number of inputs kept. A longer game is not decoded again.
const MAX_INPUTS: usize = 20_000;

/// A table as it was when its game began, and what it has received since. It is kept for boards that do not identify pieces.
#[derive(Clone)]
pub(super) struct GameLog {
    start: Arc<Table>,
    /// Shared with the copies that previews make.
    inputs: Arc<Vec<(Millis, Input)>>,
    clock: ClockLog,
}

/// Decides which clock readings matter: those with a change of the lever, and the next ones, which confirm it.
#[derive(Clone, Copy, Default)]
struct ClockLog {
    lever: Option<(ClockHalf, bool)>,
    /// Number of readings since it changed.
    repeated: u8,
}

/// The decoding of a game's inputs from its beginning, in slices between inputs, so that other boards do not wait for it.
#[derive(Clone)]
pub(super) struct Replay {
    table: Table,
    next: usize,
    /// The number of inputs to decode.
    until: usize,
    until_at: Millis,
}

impl GameLog {
    fn push(&mut self, now: Millis, input: Input) {
        Arc::make_mut(&mut self.inputs).push((now, input));
    }

    /// Returns the number of inputs.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns a replay of what was received up to this time, with at most as many lines of play as `beam` allows.
    pub(super) fn replay(&self, until_at: Millis, beam: Beam) -> Replay {
        let mut table = Table { beam, ..Table::clone(&self.start) };
        table.game.iter_mut().for_each(|game| game.set_beam(beam));
        let until = self.inputs.partition_point(|(at, _)| *at <= until_at);
        Replay { table, next: 0, until, until_at }
    }

    /// Assumes that a square is stuck since the beginning of the game.
    pub(super) fn assume_stuck(&mut self, square: Square) {
        if let Some(game) = &mut Arc::make_mut(&mut self.start).game {
            game.assume_stuck(square);
        }
    }

    /// Returns the changes of squares in this time, in the game's coordinates.
    pub(super) fn sightings(&self, time: &RangeInclusive<Millis>) -> Vec<Sighting> {
        let Table { sense, settings, rotation, .. } = &*self.start;
        let rotation = rotation.unwrap_or(Rotation::Upright);
        let mut shown = *sense.placement();
        let mut sightings = Vec::new();
        let mut note = |at: Millis, square: Square, sensed: SquareState| {
            let now = sense.polarity().normalise(settings.sensing, sensed);
            let before = std::mem::replace(&mut shown[square as usize], now);
            if before != now && time.contains(&at) {
                sightings.push(Sighting { at, square: rotation.apply(square), before, now });
            }
        };
        for (at, input) in self.inputs.iter().take_while(|(at, _)| at <= time.end()) {
            match input {
                Input::Reading(Reading::Placement(placement)) => {
                    Square::ALL.into_iter().for_each(|square| note(*at, square, placement[square as usize]));
                }
                Input::Reading(Reading::Square(square, sensed)) => note(*at, *square, *sensed),
                _ => {}
            }
        }
        sightings.truncate(PlayedMove::EVIDENCE);
        sightings
    }
}

impl ClockLog {
    /// Returns whether this reading matters.
    fn note(&mut self, reading: Option<&ClockReading>) -> bool {
        /// Number of readings after a change that are kept.
        const CONFIRMING: u8 = 2;
        let lever = reading.map(|reading| (reading.turn, reading.running));
        self.repeated = if lever == self.lever { self.repeated.saturating_add(1) } else { 0 };
        self.lever = lever;
        self.repeated <= CONFIRMING
    }
}

impl Replay {
    /// Returns the table as it is after what was decoded so far.
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Traces the line of play with these moves. Called before anything is decoded.
    pub(super) fn trace(&mut self, moves: &[Move]) {
        self.table.game.iter_mut().for_each(|game| game.trace(LineTrace::new(moves.to_vec())));
    }

    /// Changes the game before anything is decoded.
    pub(super) fn assume_stuck(&mut self, square: Square) {
        self.table.game.iter_mut().for_each(|game| game.assume_stuck(square));
        self.table.deadline.take();
    }

    /// Returns until when it decodes.
    pub(super) fn until_at(&self) -> Millis {
        self.until_at
    }

    /// Decodes what was received up to this time as well.
    pub(super) fn extend(&mut self, log: &GameLog, until_at: Millis) {
        self.until = log.inputs.partition_point(|(at, _)| *at <= until_at);
        self.until_at = until_at;
    }

    /// Decodes the next inputs, with this number of updates of a line of play. Returns whether all are decoded.
    pub(super) fn run(&mut self, log: &GameLog, slice: usize) -> bool {
        let mut work = 0;
        while work < slice {
            let input = log.inputs.get(self.next).filter(|_| self.next < self.until);
            let until = input.map_or(self.until_at, |(at, _)| *at);
            match (self.table.next_deadline().filter(|due| *due < until), input) {
                (Some(due), _) => _ = self.table.advance(due),
                (None, Some((at, input))) => {
                    self.table.handle(*at, input.clone());
                    self.next += 1;
                }
                (None, None) => return true,
            }
            work += self.table.game.as_ref().map_or(1, |game| game.line_count());
        }
        false
    }
}

impl Table {
    /// Returns a copy without the log of its inputs, its searches, and the commands that can be undone.
    pub(super) fn without_past(&self) -> Table {
        Table {
            undo_log: UndoLog::default(),
            log: None,
            review: Review::default(),
            stuck_search: StuckSearch::default(),
            deadline: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Begins the log of a game that has just begun, if it may have to be decoded again.
    #[inline(never)] // rarely called, and its stack frame holds copies of the table
    pub(super) fn begin_log(&mut self) {
        (self.log, self.stuck_search) = (None, StuckSearch::default());
        let is_logged = self.settings.sensing != SensorKind::Identity && !self.beam.is_offline() && self.is_judged;
        if let Some(game) = self.game.as_ref().filter(|_| is_logged) {
            let start = Table { is_judged: false, game: Some(game.without_judging()), ..self.without_past() };
            self.log = Some(GameLog { start: Arc::new(start), inputs: Arc::default(), clock: ClockLog::default() });
        }
    }

    /// Ends the log: an order has changed moves, so the record is no longer what the board has shown.
    fn end_log(&mut self) {
        (self.log, self.review, self.stuck_search) = (None, Review::default(), StuckSearch::default());
    }

    /// Keeps an input, if it can matter.
    pub(super) fn log_input(&mut self, now: Millis, input: &Input) {
        let Some(log) = &mut self.log else { return };
        let shows = |square: Square, sensed: SquareState| {
            let now = self.sense.polarity().normalise(self.settings.sensing, sensed);
            self.sense.is_complete() && self.sense.placement()[square as usize] == now
        };
        let matters = match input {
            Input::Link(_) => true,
            Input::Order(order) => match &order.command {
                Command::Result { .. } | Command::Pause { .. } | Command::Adjust { .. } => true,
                // It fixes moves, on the arbiter's authority.
                Command::LetStand { .. } => return self.end_log(),
                command if command.spec().rewrites => return self.end_log(),
                _ => false,
            },
            Input::Reading(reading) => match reading {
                Reading::Square(square, sensed) => !shows(*square, *sensed),
                // A placement that is the same may confirm another one.
                Reading::Placement(placement) => {
                    !self.check.is_done() || !Square::ALL.into_iter().all(|square| shows(square, placement[square as usize]))
                }
                Reading::Clock(reading) => log.clock.note(reading.as_ref()),
                Reading::Battery(_) | Reading::Identity(_) | Reading::Calibration(_) | Reading::Move { .. } => false,
                Reading::Memory(_) | Reading::ProtocolError(_) | Reading::Touch(_) | Reading::Promotion(_) => true,
            },
        };
        if matters && log.inputs.len() < MAX_INPUTS {
            log.push(now, input.clone());
        } else if matters {
            self.end_log();
        }
    }
}
