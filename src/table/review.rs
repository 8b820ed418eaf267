//! The review of a finished game: its whole stream is decoded once more, with many more lines of play than while it was played. Where
//! that gives other moves, and clearly likelier ones, they are proposed to the operator; the review itself changes nothing.
//!
//! Only boards that do not identify pieces need it. It runs in slices between inputs, so that other boards do not wait for it.

use super::game_log::{GameLog, Replay};
use super::{Output, Table};
use crate::boards::Millis;
use crate::game::{Confidence, Sighting};
use crate::infer::Beam;
use crate::infer::model::Cost;
use shakmaty::Move;
use std::sync::Arc;

/// Time from the result to the review, in milliseconds: a result that was a mistake is withdrawn at once.
const DELAY: Millis = 5_000;
/// The time between two slices, in milliseconds.
const STEP: Millis = 20;
/// Number of updates of a line of play in one slice: some milliseconds of work on a small computer.
const SLICE: usize = 256;
/// How many lines of play are followed.
const BEAM: Beam = Beam::Offline(85);
/// Minimum confidence of the first move that differs from the record.
const MIN_CONFIDENCE: Confidence = Confidence(900);
/// Minimum cost of the line on record beyond that of the best line, at the end or when it was dropped. Of the 14
/// proposals that this prevents in the games on which it was chosen, 12 were wrong: see docs/accuracy.md.
const MIN_EXCESS: Cost = 150;

/// How far the review is.
#[derive(Clone, Default)]
pub(super) enum Review {
    /// A game has begun in this call.
    Begins,
    /// The game has no result.
    #[default]
    Playing,
    /// The game has a result since `result_at`, and the review begins at `due`.
    Scheduled { result_at: Millis, due: Millis },
    /// The stream is being decoded; the next slice is due at this time.
    Decoding(Arc<Replay>, Millis),
    /// The review is complete.
    Done,
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
    /// Returns when the next slice is due.
    pub(super) fn deadline(&self) -> Option<Millis> {
        match self {
            Review::Scheduled { due, .. } | Review::Decoding(_, due) => Some(*due),
            Review::Begins | Review::Playing | Review::Done => None,
        }
    }

    /// Notes whether the game has a result.
    fn note_result(&mut self, now: Millis, has_result: bool) {
        match (&self, has_result) {
            (Review::Playing, true) => *self = Review::Scheduled { result_at: now, due: now.saturating_add(DELAY) },
            (Review::Scheduled { .. } | Review::Decoding(..) | Review::Done, false) => *self = Review::Playing,
            _ => {}
        }
    }

    /// Decodes the next slice, in which the moves on record are traced. Returns the decoding when it is complete.
    fn run(&mut self, now: Millis, log: &GameLog, recorded: &[Move]) -> Option<Arc<Replay>> {
        if let Review::Scheduled { result_at, .. } = *self {
            let mut replay = log.replay(result_at, BEAM);
            replay.trace(recorded);
            *self = Review::Decoding(Arc::new(replay), now);
        }
        let Review::Decoding(replay, due) = self else { return None };
        *due = now.saturating_add(STEP);
        if !Arc::make_mut(replay).run(log, SLICE) {
            return None;
        }
        let replay = Arc::clone(replay);
        *self = Review::Done;
        Some(replay)
    }
}

/// Returns the moves to propose in place of these on record, in UCI.
fn proposal(replay: &Replay, recorded: &[String], log: &GameLog) -> Option<Proposal> {
    let game = replay.table().game.as_ref()?;
    let moves = game.likeliest();
    // A line that ends earlier has left out what the board showed when the game was over, and often more.
    if moves.len() < recorded.len() {
        return None;
    }
    // Where the line only goes on, nothing contradicts the record.
    let same = recorded.iter().zip(&moves).position(|(recorded, mv)| recorded != mv)?;
    let (confidence, time) = game.followed_move(same + 1, replay.until_at())?;
    // The lines that were dropped have no share in the confidence.
    let (trace, excess) = game.line_trace(replay.until_at())?;
    let excess = excess.or_else(|| trace.excess_when_dropped())?;
    if confidence < MIN_CONFIDENCE || excess < MIN_EXCESS {
        return None;
    }
    let evidence = log.sightings(&time);
    Some(Proposal { ply: same as u32 + 1, moves: moves.into_iter().skip(same).collect(), confidence, evidence })
}

impl Table {
    /// Notes for the review what this call has changed.
    pub(super) fn update_review(&mut self) {
        if matches!(self.review, Review::Begins) {
            self.review = Review::default();
            self.begin_log();
        }
        let has_result = self.game.as_ref().is_some_and(|game| game.record().result.is_some());
        if self.log.is_some() {
            self.review.note_result(self.now, has_result);
        }
    }

    /// Runs the next slice of the review. When it is complete, proposes what it has found.
    pub(super) fn run_review(&mut self, now: Millis, output: &mut Output) {
        let (Some(log), Some(game)) = (&self.log, &mut self.game) else {
            self.review = Review::default();
            return;
        };
        let Some(replay) = self.review.run(now, log, game.recorded_moves()) else { return };
        let recorded: Vec<String> = game.record().plies.iter().map(|ply| ply.played.uci.clone()).collect();
        if let Some(proposal) = proposal(&replay, &recorded, log) {
            game.propose(now, proposal, output);
        }
    }
}
