//! Where a test is, and what it has found so far.

use super::WiringTest;
use super::arrangement::Arrangement;
use super::finding::{self, Finding};
use super::results::Outcome;
use crate::boards::{SensorKind, SquareState};
use crate::game::event::Rotation;
use crate::game::words::words;
use shakmaty::{Bitboard, Square};

/// What a user decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Done: the board is empty, or the piece is on the square, whatever the board shows; after the short test: go on.
    Next,
    /// Do not test this square.
    Skip,
    /// Test the previous square again.
    Back,
    /// End the test with what is known.
    Stop,
}

/// Where the test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The board has not reported all its squares yet.
    Reading,
    /// The board is to be emptied.
    Empty,
    /// A piece is to be put on a square.
    Square,
    /// The short test is done: all other squares can be tested, or the test ends.
    Short,
    /// The board is to be emptied again.
    Clear,
    /// The test is over.
    Done,
}

/// Why a test is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// All squares were tested.
    Finished,
    /// The user stopped it.
    Stopped,
    /// The connection to the board was lost.
    BoardGone,
    /// The program or the page from which it was carried out is gone.
    CallerGone,
    /// Nobody did anything.
    Idle,
    /// A game was ordered to begin or to continue on the board.
    Order,
}

words! {
    Step { Next = "next", Skip = "skip", Back = "back", Stop = "stop" }
    Phase { Reading = "reading", Empty = "empty", Square = "square", Short = "short", Clear = "clear", Done = "done" }
    EndReason {
        Finished = "finished", Stopped = "stopped", BoardGone = "board_gone", CallerGone = "caller_gone", Idle = "idle",
        Order = "order"
    }
}

/// Where a test is, and what it has found so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Where the test is.
    pub phase: Phase,
    /// Why it is over.
    pub end: Option<EndReason>,
    /// The square on which a piece is to be put.
    pub target: Option<Square>,
    /// Whether it is the first square.
    pub is_first: bool,
    /// Squares that show a piece, in the board's own coordinates: those that show one on the board that should be empty, or those that
    /// show the piece that should be on `target` and were not expected to.
    pub shown: Vec<Square>,
    /// Whether nothing was reported for some time.
    pub is_overdue: bool,
    /// The last square that was tested, with what it showed, in the board's own coordinates; nothing if it showed nothing.
    pub last: Option<(Square, Vec<Square>, Option<SquareState>)>,
    /// The number of squares that were tested or skipped, and of all that are to be tested.
    pub count: (usize, usize),
    /// Whether all squares are tested, and not only the ten of the short test.
    pub is_full: bool,
    /// What the squares detect.
    pub sensing: SensorKind,
    /// How the lines are connected, once the test is over or the short test is.
    pub arrangement: Option<Arrangement>,
    /// What was found, once the test is over or the short test is.
    pub findings: Vec<Finding>,
    /// Squares to light, in the board's own coordinates.
    pub lights: Vec<Square>,
}

impl WiringTest {
    /// Returns where the test is.
    pub fn progress(&self) -> Progress {
        let target = self.target();
        let results = self.results();
        let is_known =
            matches!(self.phase, Phase::Short | Phase::Clear | Phase::Done) && self.baseline.is_some() && self.at > 0;
        let shown = match self.phase {
            Phase::Empty => self.unlike_most(),
            Phase::Square => self.step.unexpected,
            Phase::Clear => self.covered() & !self.sensors.flickering(),
            _ => Bitboard::EMPTY,
        };
        let tested = self.at.checked_sub(1).and_then(|last| self.plan.get(last).copied());
        let last = tested.and_then(|square| match self.outcomes.get(square as usize)? {
            Some(Outcome::Shown { reported, state, .. }) => Some((square, reported.into_iter().collect(), *state)),
            Some(Outcome::Silent) => Some((square, Vec::new(), None)),
            None => None,
        });
        Progress {
            phase: self.phase,
            end: self.end,
            target,
            is_first: self.at == 0,
            shown: shown.into_iter().collect(),
            is_overdue: self.step.is_overdue,
            last,
            count: (self.at, self.plan.len()),
            is_full: self.is_full,
            sensing: self.sensing,
            arrangement: is_known.then(|| Arrangement::fit(&results.pairs())),
            findings: if is_known { finding::findings(&results, self.sensing, self.rotation) } else { Vec::new() },
            lights: self.lights(target).into_iter().collect(),
        }
    }

    /// Returns the square to light: none before it is known where the board's own a1 is.
    fn lights(&self, target: Option<Square>) -> Option<Square> {
        let first = match self.outcomes.first() {
            Some(Some(Outcome::Shown { reported, .. })) => reported.single_square(),
            _ => None,
        };
        let found = match first {
            Some(Square::A1) => Some(Rotation::Upright),
            Some(Square::H8) => Some(Rotation::Turned),
            _ => None,
        };
        Some(self.rotation.or(found)?.apply(target?))
    }
}
