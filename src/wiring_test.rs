//! The wiring test of a board: somebody puts a piece on one square after the other, and the test finds what is wrong with the squares.
//!
//! [`WiringTest`] consumes what the board reports, as it reports it: without rotation and polarity. It says what to do next, and what it
//! has found. The caller passes the time, and calls [`WiringTest::advance`] when [`WiringTest::next_deadline`] is reached.
//!
//! The test begins with the empty board, which shows the polarity of the sensors and squares that are stuck. A short test of ten squares
//! finds how ranks and files are connected; then all other squares can be tested. A square that shows as another one than expected counts
//! only if the user says that the piece is in the right place.

mod arrangement;
mod finding;
mod message;
mod plan;
mod progress;
mod results;
mod sensors;

pub use arrangement::{Arrangement, Symmetry};
pub use finding::Finding;
pub use message::{BoardKind, advice};
pub use progress::{EndReason, Phase, Progress, Step};

use crate::boards::{Millis, Placement, Reading, SensorKind, SquareState};
use crate::game::event::Rotation;
use results::{Outcome, Results};
use sensors::Sensors;
use shakmaty::{Bitboard, Square};

/// How long a square must show the same before it counts, in milliseconds.
pub const SETTLE_TIME: Millis = 400;
/// How long the empty board must be quiet before the test goes on, in milliseconds.
pub const EMPTY_TIME: Millis = 1_500;
/// Time after which the user is told that nothing was reported, in milliseconds.
pub const HINT_TIME: Millis = 8_000;
/// Time after which a test ends in which nobody does anything, in milliseconds.
pub const IDLE_TIME: Millis = 15 * 60 * 1_000;
/// A square flickers if it changes this number of times…
const FLICKER_CHANGES: usize = 6;
/// … within this time, in milliseconds.
const FLICKER_WINDOW: Millis = 5_000;

/// The square that is being tested.
#[derive(Clone, Default)]
struct CurrentStep {
    began: Millis,
    /// Squares that have shown a piece since before.
    held: Bitboard,
    /// Squares that flickered before.
    flickered: Bitboard,
    /// Squares that show the piece and were not expected to.
    unexpected: Bitboard,
    is_overdue: bool,
}

/// A wiring test of one board.
#[derive(Clone)]
pub struct WiringTest {
    sensing: SensorKind,
    /// The orientation that is configured; `None`: it is found from the position.
    rotation: Option<Rotation>,
    sensors: Sensors,
    phase: Phase,
    end: Option<EndReason>,
    /// What the empty board showed.
    baseline: Option<Placement>,
    plan: Vec<Square>,
    at: usize,
    is_probed: bool,
    is_full: bool,
    outcomes: [Option<Outcome>; 64],
    /// Squares that still showed a piece on the board that was emptied at the end.
    remaining: Bitboard,
    step: CurrentStep,
    /// When the user last did something.
    active_at: Millis,
}

impl WiringTest {
    /// Begins a test. `rotation`: the orientation that is configured.
    pub fn new(now: Millis, sensing: SensorKind, rotation: Option<Rotation>) -> WiringTest {
        WiringTest {
            sensing,
            rotation,
            sensors: Sensors::new(),
            phase: Phase::Reading,
            end: None,
            baseline: None,
            plan: plan::SHORT.to_vec(),
            at: 0,
            is_probed: false,
            is_full: false,
            outcomes: [None; 64],
            remaining: Bitboard::EMPTY,
            step: CurrentStep { began: now, ..CurrentStep::default() },
            active_at: now,
        }
    }

    /// Processes what the board reported. All but squares is ignored.
    pub fn handle_reading(&mut self, now: Millis, reading: &Reading) {
        self.advance(now);
        match reading {
            Reading::Placement(placement) => self.sensors.update_all(now, placement),
            Reading::Square(square, state) => self.sensors.update(now, *square, *state),
            _ => return,
        }
        self.evaluate(now);
    }

    /// Does what is due.
    pub fn advance(&mut self, now: Millis) {
        if self.phase == Phase::Done {
            return;
        }
        if now.saturating_sub(self.active_at) >= IDLE_TIME {
            return self.end(EndReason::Idle);
        }
        self.evaluate(now);
        if matches!(self.phase, Phase::Square) && now.saturating_sub(self.step.began) >= HINT_TIME {
            self.step.is_overdue = true;
        }
    }

    /// Returns when [`WiringTest::advance`] must be called.
    pub fn next_deadline(&self, now: Millis) -> Option<Millis> {
        let quiet = match self.phase {
            Phase::Done => return None,
            Phase::Empty | Phase::Clear => {
                let began = Some(self.step.began + EMPTY_TIME).filter(|at| *at > now);
                self.sensors.next_quiet(now, EMPTY_TIME).into_iter().chain(began).min()
            }
            Phase::Square => self.sensors.next_quiet(now, SETTLE_TIME),
            Phase::Reading | Phase::Short => None,
        };
        let hint = Some(self.step.began + HINT_TIME).filter(|_| self.phase == Phase::Square && !self.step.is_overdue);
        [quiet, hint, Some(self.active_at + IDLE_TIME)].into_iter().flatten().min()
    }

    /// Carries out what the user decided. Without effect once the test is over.
    pub fn step(&mut self, now: Millis, step: Step) {
        self.advance(now);
        if self.phase == Phase::Done {
            return;
        }
        self.active_at = now;
        match (step, self.phase) {
            (Step::Stop, _) => self.end(EndReason::Stopped),
            (Step::Back, _) => self.go_back(now),
            (Step::Next, Phase::Empty) => self.begin_squares(now),
            (Step::Next, Phase::Square) => {
                let fresh = self.fresh() | (self.sensors.flickering() & !self.step.flickered);
                if fresh.any() { self.accept(now, fresh) } else { self.set_outcome(now, Some(Outcome::Silent)) }
            }
            (Step::Skip, Phase::Square) => self.set_outcome(now, None),
            (Step::Next, Phase::Short) => self.test_others(now),
            (Step::Skip, Phase::Short) => self.end(EndReason::Stopped),
            (Step::Next | Step::Skip, Phase::Clear) => self.finish(),
            (Step::Next | Step::Skip, Phase::Reading) | (Step::Skip, Phase::Empty) | (_, Phase::Done) => {}
        }
    }

    /// Ends the test.
    pub fn end(&mut self, reason: EndReason) {
        if self.phase != Phase::Done {
            (self.phase, self.end) = (Phase::Done, Some(reason));
        }
    }

    /// Whether the test is over.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Done
    }

    fn results(&self) -> Results<'_> {
        let stuck = self.baseline.map_or(Bitboard::EMPTY, |baseline| unlike_most(&baseline));
        let flickering = self.sensors.flickering();
        Results {
            outcomes: &self.outcomes,
            baseline: self.baseline.as_ref(),
            stuck: stuck & !flickering,
            flickering,
            remaining: self.remaining,
        }
    }

    fn target(&self) -> Option<Square> {
        self.plan.get(self.at).copied().filter(|_| self.phase == Phase::Square)
    }

    /// Returns the squares that show something else than the empty board did.
    fn covered(&self) -> Bitboard {
        let (Some(baseline), Some(placement)) = (&self.baseline, self.sensors.placement()) else { return Bitboard::EMPTY };
        let states = Square::ALL.into_iter().zip(baseline.iter().zip(placement));
        states.filter(|(_, (before, now))| before != now).map(|(square, _)| square).collect()
    }

    /// Returns the squares that have begun to show a piece since the step began.
    fn fresh(&self) -> Bitboard {
        self.covered() & !self.step.held & !self.step.flickered
    }

    fn unlike_most(&self) -> Bitboard {
        self.sensors.placement().map_or(Bitboard::EMPTY, unlike_most)
    }

    fn begin_step(&mut self, now: Millis) {
        self.sensors.count_from(now);
        self.step =
            CurrentStep { began: now, held: self.covered(), flickered: self.sensors.flickering(), ..CurrentStep::default() };
    }

    fn evaluate(&mut self, now: Millis) {
        match self.phase {
            Phase::Reading if self.sensors.placement().is_some() => {
                self.phase = Phase::Empty;
                self.begin_step(now);
            }
            Phase::Empty => {
                let is_long = now.saturating_sub(self.step.began) >= EMPTY_TIME;
                let is_quiet = self.sensors.quiet_for(now, EMPTY_TIME) == Bitboard::FULL;
                if is_long && is_quiet && self.unlike_most().is_empty() {
                    self.begin_squares(now);
                }
            }
            Phase::Square => self.evaluate_square(now),
            Phase::Clear => {
                let working = !self.sensors.flickering();
                let is_long = now.saturating_sub(self.step.began) >= EMPTY_TIME;
                let quiet = self.sensors.quiet_for(now, EMPTY_TIME);
                if is_long && working.is_subset(quiet) && (self.covered() & working).is_empty() {
                    self.finish();
                }
            }
            Phase::Reading | Phase::Short | Phase::Done => {}
        }
    }

    /// Accepts what the squares show if it is as expected; otherwise the user has to confirm it.
    fn evaluate_square(&mut self, now: Millis) {
        self.step.held &= self.covered();
        let flickering = self.sensors.flickering() & !self.step.flickered;
        let fresh = self.fresh() & !flickering;
        let shown = fresh | flickering;
        self.step.unexpected &= shown;
        if shown.is_empty() || !fresh.is_subset(self.sensors.settled(now)) {
            return;
        }
        let results = self.results();
        let is_expected = shown.single_square().is_some_and(|square| match self.expected() {
            Some(expected) => square == expected,
            None => !results.reported().contains(square),
        });
        if is_expected { self.accept(now, shown) } else { self.step.unexpected = shown }
    }

    /// Returns the square that is expected to be reported for the target, once it is known how the lines are connected.
    fn expected(&self) -> Option<Square> {
        let pairs = self.results().pairs();
        let arrangement = Arrangement::fit(&pairs);
        let is_known = self.is_full && !pairs.is_empty() && finding::is_ordered(&arrangement, &pairs);
        Some(arrangement.image(self.target()?)).filter(|_| is_known)
    }

    fn accept(&mut self, now: Millis, shown: Bitboard) {
        let flickers = shown.intersects(self.sensors.flickering());
        let state = shown.first().and_then(|square| self.sensors.placement().map(|placement| placement[square as usize]));
        self.set_outcome(now, Some(Outcome::Shown { reported: shown, flickers, state }));
    }

    /// Records what the target has shown, and goes on to the next square.
    fn set_outcome(&mut self, now: Millis, outcome: Option<Outcome>) {
        if let Some(slot) = self.target().and_then(|target| self.outcomes.get_mut(target as usize)) {
            *slot = outcome;
        }
        (self.at, self.active_at) = (self.at.saturating_add(1), now);
        if self.at >= self.plan.len() {
            self.finish_plan();
        }
        self.begin_step(now);
    }

    fn begin_squares(&mut self, now: Millis) {
        self.baseline = self.sensors.placement().copied();
        (self.phase, self.active_at) = (Phase::Square, now);
        self.begin_step(now);
    }

    fn finish_plan(&mut self) {
        if !self.is_full && !self.is_probed {
            self.is_probed = true;
            let pairs = self.results().pairs();
            let arrangement = Arrangement::fit(&pairs);
            self.plan.extend(plan::probes(&arrangement, self.planned()));
            if self.at < self.plan.len() {
                return;
            }
        }
        self.phase = if self.is_full { Phase::Clear } else { Phase::Short };
    }

    fn planned(&self) -> Bitboard {
        self.plan.iter().copied().collect()
    }

    fn test_others(&mut self, now: Millis) {
        self.plan.extend(plan::others(self.planned()));
        (self.is_full, self.phase) = (true, Phase::Square);
        self.begin_step(now);
    }

    fn go_back(&mut self, now: Millis) {
        match (self.phase, self.at.checked_sub(1)) {
            (Phase::Square | Phase::Short | Phase::Clear, Some(previous)) => {
                (self.at, self.phase) = (previous, Phase::Square);
                if let Some(slot) = self.target().and_then(|target| self.outcomes.get_mut(target as usize)) {
                    *slot = None;
                }
                self.begin_step(now);
            }
            (Phase::Square, None) => {
                (self.phase, self.baseline) = (Phase::Empty, None);
                self.begin_step(now);
            }
            _ => {}
        }
    }

    /// Ends the complete test. What still shows a piece is stuck.
    fn finish(&mut self) {
        self.remaining = self.covered() & !self.sensors.flickering();
        self.end(EndReason::Finished);
    }
}

/// Returns the squares that are occupied where most are empty, or empty where most are occupied.
fn unlike_most(placement: &Placement) -> Bitboard {
    let occupied: Bitboard = Square::ALL
        .into_iter()
        .zip(placement)
        .filter(|(_, state)| **state != SquareState::Empty)
        .map(|(square, _)| square)
        .collect();
    if occupied.count() > 32 { !occupied } else { occupied }
}
