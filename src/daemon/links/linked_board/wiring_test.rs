//! The wiring test of a board. It reads what the squares show in place of the table, which afterwards reads the board as after a gap.

use super::LinkBoard;
use crate::boards::{BoardCommand, Connection, LinkState, Millis, Model, Reading};
use crate::config::wiring_change::{KeyChange, key_changes};
use crate::daemon::hub::{BoardView, OrderError, TestOrder, WiringTestView};
use crate::daemon::links::spec::LinkSpec;
use crate::game::Answer;
use crate::game::event::Rotation;
use crate::link::matrix::Wiring;
use crate::wiring_test::{Arrangement, BoardKind, EndReason, WiringTest};
use shakmaty::Square;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tracing::{info, warn};

/// Models whose owners have written the program of the board.
const SELF_BUILT: [&str; 2] = ["reed", "cpp"];

/// What the configuration says of a board that is tested.
pub(super) struct TestContext {
    model: &'static Model,
    rotation: Option<Rotation>,
    /// The file that describes the matrix.
    wiring_file: Option<PathBuf>,
    /// What it said when the link read it. It may have been corrected since, which takes effect when the link is opened again.
    wiring: Option<Wiring>,
    /// Whether the board has a `[[board]]` of its own.
    has_own_keys: bool,
    /// The number of tests so far.
    tests: u64,
}

impl TestContext {
    pub(super) fn new(spec: &LinkSpec) -> TestContext {
        let mut context = TestContext {
            model: spec.model,
            rotation: spec.settings.rotation,
            wiring_file: spec.wiring_file(),
            wiring: None,
            has_own_keys: !(spec.model.protocol)().is_chain(),
            tests: 0,
        };
        context.read_wiring();
        context
    }

    /// Reads the file that describes the matrix, as the link does when it is opened.
    pub(super) fn read_wiring(&mut self) {
        self.wiring = self.wiring_file.as_ref().and_then(|path| {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
            let wiring = text.and_then(|text| Wiring::parse(&text));
            wiring.inspect_err(|error| warn!("{} cannot be read: {error}", path.display())).ok()
        });
    }

    fn kind(&self) -> BoardKind {
        match self.model.connection {
            Connection::Matrix => BoardKind::Matrix,
            _ if SELF_BUILT.contains(&self.model.name) => BoardKind::SelfBuilt,
            _ => BoardKind::Bought,
        }
    }

    /// Returns the keys to change for an arrangement.
    fn changes(&self, arrangement: &Arrangement) -> Vec<KeyChange> {
        if !self.has_own_keys {
            return Vec::new();
        }
        let wiring = self.wiring_file.clone().zip(self.wiring.clone());
        key_changes(self.model, self.rotation, wiring, arrangement)
    }
}

/// A test that is carried out.
pub(super) struct RunningTest {
    id: u64,
    by: String,
    test: WiringTest,
    /// How long it goes on without its user, and until when.
    lease: Option<(Millis, Millis)>,
    lit: Vec<Square>,
}

impl LinkBoard {
    /// Handles an order about the test; returns board commands.
    pub(super) fn handle_test_order(
        &mut self,
        now: Instant,
        order: TestOrder,
    ) -> (Result<Answer, OrderError>, Vec<BoardCommand>) {
        let mut commands = self.advance(now);
        let at = self.clock.at(now);
        let is_played = self.is_played();
        match (order, &mut self.test) {
            (TestOrder::Begin { .. }, Some(_)) => return (Err(OrderError::Testing(self.id.clone())), commands),
            (TestOrder::Begin { .. }, None) if is_played => return (Err(OrderError::GameReplaced), commands),
            (TestOrder::Begin { by, lease }, None) => {
                let lease = lease.map(|lease| Millis::try_from(lease.as_millis()).unwrap_or(Millis::MAX));
                self.test_context.tests += 1;
                let test = WiringTest::new(at, self.test_context.model.sensing, self.test_context.rotation);
                let lease = lease.map(|lease| (lease, at.saturating_add(lease)));
                self.test = Some(RunningTest { id: self.test_context.tests, by, test, lease, lit: Vec::new() });
                // Lights may show something for the players.
                commands.push(BoardCommand::Lights(Vec::new()));
                commands.push(BoardCommand::Placement);
            }
            (TestOrder::End(id, _), test) if test.as_ref().is_none_or(|test| test.id != id) => {}
            (TestOrder::End(_, reason), Some(test)) => test.test.end(reason),
            (TestOrder::Step(step), Some(test)) => {
                test.renew(at);
                test.test.step(at, step);
            }
            (TestOrder::Renew, Some(test)) => test.renew(at),
            (_, None) => return (Err(OrderError::NotTesting(self.id.clone())), commands),
        }
        commands.extend(self.after_test_step(now));
        (Ok(Answer::Done), commands)
    }

    /// Whether a game is being played, also one that is not published yet.
    fn is_played(&self) -> bool {
        self.table.record().is_some_and(|record| record.result.is_none() && !record.plies.is_empty())
    }

    /// Returns the next deadline of the test.
    pub(super) fn test_deadline(&self) -> Option<Millis> {
        let test = self.test.as_ref()?;
        let next = test.test.next_deadline(self.clock.at(Instant::now()));
        next.into_iter().chain(test.lease.map(|(_, until)| until)).min()
    }

    /// Passes a reading to the test; returns board commands. `None`: there is no test, or the reading is not about squares.
    pub(super) fn test_reading(&mut self, now: Instant, reading: &Reading) -> Option<Vec<BoardCommand>> {
        let test = self.test.as_mut()?;
        match reading {
            Reading::Placement(_) | Reading::Square(..) => test.test.handle_reading(self.clock.at(now), reading),
            Reading::Touch(_) | Reading::Move { .. } | Reading::Promotion(_) | Reading::Memory(_) => {}
            Reading::Clock(_)
            | Reading::Identity(_)
            | Reading::Battery(_)
            | Reading::Calibration(_)
            | Reading::ProtocolError(_) => return None,
        }
        Some(self.after_test_step(now))
    }

    /// Runs what is due in the test; returns board commands.
    pub(super) fn advance_test(&mut self, now: Instant) -> Vec<BoardCommand> {
        let at = self.clock.at(now);
        let Some(test) = &mut self.test else { return Vec::new() };
        if test.lease.is_some_and(|(_, until)| until <= at) {
            test.test.end(EndReason::CallerGone);
        }
        test.test.advance(at);
        self.after_test_step(now)
    }

    /// Ends the test, if there is one; returns board commands.
    pub(super) fn end_test(&mut self, now: Instant, reason: EndReason) -> Vec<BoardCommand> {
        if let Some(test) = &mut self.test {
            test.test.end(reason);
        }
        self.after_test_step(now)
    }

    /// Ends the test, if there is one, because the link was lost.
    pub(super) fn abort_test(&mut self) {
        if let Some(test) = &mut self.test {
            test.test.end(EndReason::BoardGone);
            self.publish_test();
            self.finish_test();
        }
    }

    /// Publishes the state of the test, and ends it if it is over; returns board commands.
    fn after_test_step(&mut self, now: Instant) -> Vec<BoardCommand> {
        self.publish_test();
        let Some(test) = &mut self.test else { return Vec::new() };
        let lights = test.test.progress().lights;
        if !test.test.is_over() {
            let is_lit = std::mem::replace(&mut test.lit, lights.clone()) == lights;
            return if is_lit { Vec::new() } else { vec![BoardCommand::Lights(lights)] };
        }
        self.finish_test();
        // The table does not know what the board has shown meanwhile.
        let mut commands = vec![BoardCommand::Lights(Vec::new())];
        commands.extend(self.handle_link_state(now, LinkState::Up));
        commands.push(BoardCommand::Placement);
        commands
    }

    fn finish_test(&mut self) {
        if let Some(test) = self.test.take() {
            info!(board = %self.id, "the wiring test of {} is over", test.by);
        }
    }

    /// Shows front-ends the state of the test, if it has changed.
    fn publish_test(&self) {
        let Some(test) = &self.test else { return };
        let progress = test.test.progress();
        let is_known =
            |view: &BoardView| view.wiring_test.as_ref().is_some_and(|known| known.id == test.id && known.progress == progress);
        let changes =
            || progress.arrangement.as_ref().map_or_else(Vec::new, |arrangement| self.test_context.changes(arrangement));
        let view = || WiringTestView {
            id: test.id,
            by: test.by.clone(),
            progress: progress.clone(),
            kind: self.test_context.kind(),
            changes: changes(),
        };
        self.handle.update_if(|known| !is_known(known), |known| known.wiring_test = Some(Arc::new(view())));
    }
}

impl RunningTest {
    fn renew(&mut self, at: Millis) {
        if let Some((lease, until)) = &mut self.lease {
            *until = at.saturating_add(*lease);
        }
    }
}
