//! The review of a finished game: its whole stream is decoded once more, with many more lines of play than while it was played. Where
//! that gives other moves, and clearly likelier ones, they are proposed to the operator; the review itself changes nothing.
//!
//! Only boards that do not identify pieces need it. It runs in slices between inputs, so that other boards do not wait for it.

use super::{Input, Output, Table};
use crate::boards::{ClockHalf, ClockReading, Millis, Reading, SensorKind, SquareState};
use crate::game::event::Rotation;
use crate::game::{Command, Confidence, PlayedMove, Sighting};
use crate::infer::Beam;
use crate::table::undo_log::UndoLog;
use shakmaty::Square;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Time from the result to the review, in milliseconds: a result that was a mistake is withdrawn at once.
const DELAY: Millis = 5_000;
/// The time between two slices, in milliseconds.
const STEP: Millis = 20;
/// Number of updates of a line of play in one slice: some milliseconds of work on a small computer.
const SLICE: usize = 256;
/// How many lines of play are followed.
const BEAM: Beam = Beam::Offline(85);
/// Maximum number of inputs kept. A longer game is not reviewed.
const MAX_INPUTS: usize = 20_000;
/// Minimum confidence of the first move that differs from the record.
const MIN_CONFIDENCE: Confidence = Confidence(900);

/// What is kept of the current game for its review, and how far the review is.
#[derive(Clone, Default)]
pub(super) struct Review {
    /// `None`: the game is not reviewed.
    log: Option<GameLog>,
    stage: Stage,
}

/// How far the review is.
#[derive(Clone, Default)]
enum Stage {
    /// A game has begun in this call.
    Begins,
    /// The game has no result.
    #[default]
    Playing,
    /// The game has a result since `result_at`, and the review begins at `due`.
    Scheduled { result_at: Millis, due: Millis },
    /// The stream is being decoded; the next slice is due at this time.
    Decoding(Arc<Decoding>, Millis),
    /// The review is complete.
    Done,
}

/// A table as it was when its game began, and what it has received since.
#[derive(Clone)]
struct GameLog {
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

/// The decoding of the inputs up to a result.
#[derive(Clone)]
struct Decoding {
    table: Table,
    next: usize,
    /// The number of inputs to decode.
    until: usize,
    result_at: Millis,
}

/// Moves that a review proposes in place of those on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The first ply that differs, from 1.
    pub(super) ply: u32,
    /// The moves from that ply on, in UCI.
    pub(super) moves: Vec<String>,
    /// The confidence of the first of them.
    pub(super) confidence: Confidence,
    /// What the squares showed of that ply.
    pub(super) evidence: Vec<Sighting>,
}

impl Review {
    /// Begins with another game.
    pub(super) fn begin(&mut self) {
        *self = Review { log: None, stage: Stage::Begins };
    }

    /// Ends without a review: an order has changed moves, so the record is no longer what the board has shown.
    fn end(&mut self) {
        *self = Review::default();
    }

    /// Returns when the next slice is due.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match &self.stage {
            Stage::Scheduled { due, .. } | Stage::Decoding(_, due) => Some(*due),
            Stage::Begins | Stage::Playing | Stage::Done => None,
        }
    }

    /// Notes whether the game has a result.
    fn note_result(&mut self, now: Millis, has_result: bool) {
        match (&self.stage, has_result) {
            (Stage::Playing, true) if self.log.is_some() => {
                self.stage = Stage::Scheduled { result_at: now, due: now.saturating_add(DELAY) };
            }
            (Stage::Scheduled { .. } | Stage::Decoding(..) | Stage::Done, false) => self.stage = Stage::Playing,
            _ => {}
        }
    }

    /// Decodes the next slice. Returns the decoding when it is complete.
    fn run(&mut self, now: Millis) -> Option<Arc<Decoding>> {
        let log = self.log.as_ref()?;
        if let Stage::Scheduled { result_at, .. } = self.stage {
            let until = log.inputs.partition_point(|(at, _)| *at <= result_at);
            let decoding = Decoding { table: Table::clone(&log.start), next: 0, until, result_at };
            self.stage = Stage::Decoding(Arc::new(decoding), now);
        }
        let Stage::Decoding(decoding, due) = &mut self.stage else { return None };
        *due = now.saturating_add(STEP);
        if !Arc::make_mut(decoding).run(&log.inputs) {
            return None;
        }
        let decoding = Arc::clone(decoding);
        self.stage = Stage::Done;
        Some(decoding)
    }
}

impl GameLog {
    fn push(&mut self, now: Millis, input: Input) {
        Arc::make_mut(&mut self.inputs).push((now, input));
    }

    /// Returns the changes of squares in this time, in the game's coordinates.
    fn sightings(&self, time: &RangeInclusive<Millis>) -> Vec<Sighting> {
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

impl Decoding {
    /// Decodes the next inputs. Returns whether all are decoded.
    fn run(&mut self, inputs: &[(Millis, Input)]) -> bool {
        let mut work = 0;
        while work < SLICE {
            let input = inputs.get(self.next).filter(|_| self.next < self.until);
            let until = input.map_or(self.result_at, |(at, _)| *at);
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

    /// Returns the moves to propose in place of these on record, in UCI.
    fn proposal(&self, recorded: &[String], log: &GameLog) -> Option<Proposal> {
        let game = self.table.game.as_ref()?;
        let moves = game.likeliest();
        // A line that ends earlier has left out what the board showed when the game was over, and often more.
        if moves.len() < recorded.len() {
            return None;
        }
        // Where the line only goes on, nothing contradicts the record.
        let same = recorded.iter().zip(&moves).position(|(recorded, mv)| recorded != mv)?;
        let (confidence, time) = game.followed_move(same + 1, self.result_at)?;
        if confidence < MIN_CONFIDENCE {
            return None;
        }
        let evidence = log.sightings(&time);
        Some(Proposal { ply: same as u32 + 1, moves: moves.into_iter().skip(same).collect(), confidence, evidence })
    }
}

impl Table {
    /// Keeps an input for the review, if it can matter.
    pub(super) fn log_for_review(&mut self, now: Millis, input: &Input) {
        let Some(log) = &mut self.review.log else { return };
        let shows = |square: Square, sensed: SquareState| {
            let now = self.sense.polarity().normalise(self.settings.sensing, sensed);
            self.sense.is_complete() && self.sense.placement()[square as usize] == now
        };
        let matters = match input {
            Input::Link(_) => true,
            Input::Order(order) => match &order.command {
                Command::Result { .. } | Command::Pause { .. } | Command::Adjust { .. } => true,
                command if command.spec().rewrites => return self.review.end(),
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
            self.review.end();
        }
    }

    /// Notes for the review what this call has changed.
    pub(super) fn update_review(&mut self) {
        if matches!(self.review.stage, Stage::Begins) {
            self.review = Review::default();
            let is_reviewed = self.settings.sensing != SensorKind::Identity && !self.beam.is_offline() && self.is_judged;
            if is_reviewed && let Some(game) = &self.game {
                let start = Table {
                    beam: BEAM,
                    is_judged: false,
                    game: Some(game.for_review(BEAM)),
                    undo_log: UndoLog::default(),
                    review: Review::default(),
                    ..self.clone()
                };
                self.review.log = Some(GameLog { start: Arc::new(start), inputs: Arc::default(), clock: ClockLog::default() });
            }
        }
        let has_result = self.game.as_ref().is_some_and(|game| game.record().result.is_some());
        self.review.note_result(self.now, has_result);
    }

    /// Runs the next slice of the review. When it is complete, proposes what it has found.
    pub(super) fn run_review(&mut self, now: Millis, output: &mut Output) {
        let Some(decoding) = self.review.run(now) else { return };
        let (Some(log), Some(game)) = (&self.review.log, &mut self.game) else { return };
        let recorded: Vec<String> = game.record().plies.iter().map(|ply| ply.played.uci.clone()).collect();
        if let Some(proposal) = decoding.proposal(&recorded, log) {
            game.propose(now, proposal, output);
        }
    }
}
