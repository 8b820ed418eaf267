//! One board of a link: its table, its handle at the hub, its recording and its clock.

mod requests;
mod wiring_test;

use super::clock::Clock;
use super::spec::{LinkSpec, serial_number};
use super::unrecorded_play::{UNRECORDED_PLAY, identified_pieces, unrecorded_play};
use crate::boards::{Address, BoardCommand, Identity, LinkState, ProtocolError, Reading};
use crate::daemon::calibration::CalibrationDir;
use crate::daemon::hub::{
    BoardHandle, BoardId, BoardView, ConnectionState, Hub, OrderError, Readings, ReplySender, StoredGameState, TableExchange,
    TrafficCounters,
};
use crate::daemon::recorder::Recorder;
use crate::game::{Answer, Event, StampedEvent};
use crate::link::recording::{Entry, InitialState, WriteOutcome};
use crate::table::{Input, Output, Settings, Table};
use crate::wire::event_to_value;
use shakmaty::Square;
use std::sync::Arc;
use std::time::Instant;
use tracing::{debug, warn};
use wiring_test::{RunningTest, TestContext};

/// How the reason begins that a board has while it reports moves that its squares do not show.
const CONTRADICTED: &str = "its squares do not show the move that it reports, from";

/// One board of a link.
pub(super) struct LinkBoard {
    id: BoardId,
    pub(super) handle: BoardHandle,
    pub(super) traffic: Arc<TrafficCounters>,
    /// Where clients can follow the board's readings.
    readings: Option<Arc<Readings>>,
    clock: Clock,
    table: Table,
    /// Number of games begun on it, as the hub counts them.
    games_begun: u64,
    recorder: Option<Recorder>,
    /// Durable events of the current game, if it is recorded.
    game: Vec<StampedEvent>,
    /// Calibration of the pieces, for boards that do not store it themselves, and where it is stored.
    calibration: (Option<String>, Option<CalibrationDir>),
    /// Results of the current step so far, which are published together.
    step: StepOutput,
    hub: Arc<Hub>,
    /// Whether play without a game has been reported.
    unrecorded: bool,
    /// The wiring test that is carried out. Meanwhile nothing that the squares show reaches the table or the recording.
    test: Option<RunningTest>,
    test_context: TestContext,
}

#[derive(Default)]
struct StepOutput {
    events: Vec<StampedEvent>,
    /// Whether the board has sent something.
    readings: bool,
    done: Option<(ReplySender, Result<Answer, OrderError>)>,
}

impl LinkBoard {
    /// Registers this board of a link and continues its last game.
    pub(super) fn register(spec: &LinkSpec, address: Address, hub: &Arc<Hub>) -> LinkBoard {
        let id = spec.board_id(address);
        let mut view = BoardView::new(id.clone(), spec.model, spec.settings.sensing);
        if address != Address::ONLY {
            view.serial_number = Some(serial_number(address));
        }
        let traffic = Arc::clone(&view.traffic);
        let readings = spec.shares_readings.then(|| Arc::new(Readings::new(spec.settings.clone())));
        view.readings.clone_from(&readings);
        let (handle, last) = hub.register_board(view);
        let (clock, table) = match &last {
            None => (Clock::new(), Table::new(spec.settings.clone())),
            Some(StoredGameState { epoch_wall_ms, events, .. }) => {
                // At debug level: the public learns the game's progress only after the delay.
                debug!(board = %id, "continuing the last game: {} events", events.len());
                let last = events.last().map_or(0, |event| event.at);
                (Clock::resumed(*epoch_wall_ms, last), Table::restore(spec.settings.clone(), events))
            }
        };
        let recorder = spec
            .recordings
            .clone()
            .map(|recordings| Recorder::new(Arc::clone(hub), recordings, id.clone(), spec.model.name, &spec.settings));
        let cut_game = last.as_ref().and_then(|last| Some((last.cut_from?, last.epoch_wall_ms, last.events.clone())));
        let game = last.filter(|_| recorder.is_some()).map_or_else(Vec::new, |last| last.events);
        let stored = spec.calibrations.as_ref().and_then(|calibrations| calibrations.load(&id));
        let calibration = (stored, spec.calibrations.clone());
        let mut board = LinkBoard {
            id,
            handle,
            traffic,
            readings,
            clock,
            table,
            games_begun: 0,
            recorder,
            game,
            calibration,
            step: StepOutput::default(),
            hub: Arc::clone(hub),
            unrecorded: false,
            test: None,
            test_context: TestContext::new(spec),
        };
        if let Some((game, epoch_wall_ms, events)) = cut_game {
            let by = "touchmoved".to_owned();
            let exchange = TableExchange { game: Some(game), from: board.id.clone(), to: board.id.clone(), by };
            board.games_begun += 1;
            board.handle.publish_continuation(epoch_wall_ms, events, exchange);
        }
        board.begin_recording(Instant::now());
        board
    }

    /// Returns the calibration of the pieces, for boards that do not store it themselves.
    pub(super) fn calibration(&self) -> Option<&str> {
        self.calibration.0.as_deref()
    }

    /// Returns the next deadline of the table or the wiring test.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let deadlines = [self.table.next_deadline(), self.test_deadline()];
        deadlines.into_iter().flatten().min().map(|at| self.clock.instant(at))
    }

    /// Sets the Laws of the games that begin from now on. A recording has one setting of them, so another one begins.
    pub(super) fn set_laws(&mut self, now: Instant, settings: &Settings) {
        self.table.set_laws(settings.laws);
        if let Some(recorder) = &mut self.recorder {
            recorder.set_laws(settings);
        }
        self.begin_recording(now);
    }

    /// Runs due deadlines; returns board commands.
    pub(super) fn advance(&mut self, now: Instant) -> Vec<BoardCommand> {
        let output = self.table.advance(self.clock.at(now));
        let mut commands = self.collect_output(output);
        commands.extend(self.advance_test(now));
        commands
    }

    /// Handles a change of the link; returns board commands.
    pub(super) fn handle_link_state(&mut self, now: Instant, state: LinkState) -> Vec<BoardCommand> {
        if state == LinkState::Down {
            TrafficCounters::add(&self.traffic.link_losses, 1);
            self.test_context.read_wiring();
        }
        self.abort_test();
        self.record(now, || Entry::Link(state));
        self.input(now, Input::Link(state))
    }

    /// Handles a reading; returns board commands.
    pub(super) fn handle_reading(&mut self, now: Instant, reading: Reading) -> Vec<BoardCommand> {
        self.step.readings = true;
        if !matches!(reading, Reading::ProtocolError(_)) {
            TrafficCounters::add(&self.traffic.frames, 1);
        }
        self.apply_board_reading(&reading);
        match self.test_reading(now, &reading) {
            Some(commands) => commands,
            None => self.input(now, Input::Reading(reading)),
        }
    }

    /// Reports to the table that the board has no memory; returns board commands.
    pub(super) fn report_no_memory(&mut self, now: Instant) -> Vec<BoardCommand> {
        self.input(now, Input::Reading(Reading::Memory(Vec::new())))
    }

    /// Publishes the results of this step.
    pub(super) fn publish(&mut self, now: Instant) {
        let StepOutput { events, readings, done } = std::mem::take(&mut self.step);
        if events.is_empty() && done.is_none() && !readings {
            return;
        }
        self.keep_events(now, &events);
        let (placement, rotation) = (self.table.placement(), self.table.rotation());
        let change = move |view: &mut BoardView| {
            view.placement = placement;
            view.rotation = rotation.or(view.rotation);
        };
        self.handle.publish(self.clock.epoch_wall_ms(), events, change, done);
    }

    /// Sets the connection state, and the port if `port` is given; returns whether anything changed.
    pub(super) fn set_connection_state(&self, state: ConnectionState, reason: &str, port: Option<&str>) -> bool {
        let differs = |view: &BoardView| {
            (view.connection, view.reason.as_str()) != (state, reason) || port.is_some_and(|port| view.port != port)
        };
        self.handle.update_if(differs, |view| {
            (view.connection, view.reason) = (state, reason.to_owned());
            if let Some(port) = port {
                port.clone_into(&mut view.port);
            }
        })
    }

    /// Records one line.
    pub(super) fn record(&mut self, now: Instant, entry: impl FnOnce() -> Entry) {
        let at = self.clock.at(now);
        let Some(recorder) = self.recorder.as_mut().filter(|_| self.test.is_none()) else { return };
        let entry = entry();
        if recorder.write(at, entry.clone()) == WriteOutcome::Full {
            self.begin_recording(now);
            if let Some(recorder) = &mut self.recorder
                && recorder.write(at, entry) == WriteOutcome::Full
            {
                recorder.stop_too_small();
            }
        }
    }

    fn input(&mut self, now: Instant, input: Input) -> Vec<BoardCommand> {
        let shared = self.readings.is_some().then(|| input.clone());
        let output = self.table.handle(self.clock.at(now), input);
        if let (Some(readings), Some(input)) = (&self.readings, shared) {
            readings.publish(now, &input, self.table.squares());
        }
        self.collect_output(output)
    }

    fn collect_output(&mut self, output: Output) -> Vec<BoardCommand> {
        let begins = |stamped: &&StampedEvent| matches!(stamped.event, Event::GameStarted { .. });
        self.games_begun += output.events.iter().filter(begins).count() as u64;
        self.step.events.extend(output.events);
        let unrecorded = self.table.plays_unrecorded();
        if std::mem::replace(&mut self.unrecorded, unrecorded) != unrecorded {
            let id = &self.id;
            let sentence = unrecorded.then(|| {
                let identified = self.table.placement().and_then(|placement| identified_pieces(&placement)).is_some();
                unrecorded_play(id, identified)
            });
            if let Some(sentence) = &sentence {
                self.hub.warn_about_play(Some(id), sentence);
            }
            self.hub.set_health_problem(UNRECORDED_PLAY, Some(id), sentence);
        }
        output.commands
    }

    /// Begins a new recording with the game so far and the placement, if known.
    fn begin_recording(&mut self, now: Instant) {
        let at = self.clock.at(now);
        let Some(recorder) = &mut self.recorder else { return };
        let placement = self.table.placement().and_then(|placement| identified_pieces(&placement));
        let state = InitialState {
            placement: placement.map(|board| board.to_string()),
            position: self.table.record().map(|record| record.fen().to_owned()),
            events: self.game.iter().map(|stamped| event_to_value(&StampedEvent { at: 0, ..stamped.clone() })).collect(),
            calibration: self.calibration.0.clone(),
            ..InitialState::default()
        };
        recorder.begin(at, (state != InitialState::default()).then_some(state));
    }

    /// Keeps the durable events of the current game. A game that follows another gets a recording of its own.
    fn keep_events(&mut self, now: Instant, events: &[StampedEvent]) {
        if self.recorder.is_none() {
            return;
        }
        let mut follows_another = false;
        for stamped in events.iter().filter(|stamped| stamped.number.is_some()) {
            if matches!(stamped.event, Event::GameStarted { .. }) {
                follows_another = !self.game.is_empty();
                self.game.clear();
            }
            self.game.push(stamped.clone());
        }
        if follows_another {
            self.begin_recording(now);
        }
    }

    /// Returns the state of a board that sends: ready once its placement is known.
    fn reporting_state(&self) -> (ConnectionState, String) {
        match self.table.squares() {
            Some(_) => (ConnectionState::Ready, String::new()),
            None => (ConnectionState::Connecting, "it has not reported its squares yet".to_owned()),
        }
    }

    fn store_calibration(&mut self, text: &str) {
        if let Some(calibrations) = &self.calibration.1 {
            calibrations.store(&self.id, text);
        }
        self.calibration.0 = Some(text.to_owned());
    }

    /// Applies what a reading says about the board rather than about the game.
    fn apply_board_reading(&mut self, reading: &Reading) {
        let (connection, reason) = match reading {
            Reading::ProtocolError(ProtocolError::Silent(ms)) => {
                let reason = format!("the board has sent nothing for {} s: check its power, then its cable", ms / 1000);
                warn!(board = %self.id, "{reason}");
                (ConnectionState::Silent, reason)
            }
            Reading::ProtocolError(ProtocolError::Recovered) => self.reporting_state(),
            Reading::ProtocolError(ProtocolError::AmbiguousSquares(squares)) => {
                let names: Vec<String> = squares.iter().map(Square::to_string).collect();
                let reason = match names.as_slice() {
                    [] => String::new(),
                    names => format!("it is unclear whether {} are occupied: the switches have no diodes", names.join(", ")),
                };
                self.handle.update_if(|view| view.reason != reason, |view| view.reason = reason.clone());
                return;
            }
            Reading::ProtocolError(ProtocolError::ContradictedMove { from, to }) => {
                TrafficCounters::add(&self.traffic.errors, 1);
                let reason = format!("{CONTRADICTED} {from} to {to}: check the squares, and the game that the board shows");
                warn!(board = %self.id, "{reason}");
                self.handle.update_if(|view| view.reason != reason, |view| view.reason = reason.clone());
                return;
            }
            Reading::Move { .. } => {
                self.handle.update_if(|view| view.reason.starts_with(CONTRADICTED), |view| view.reason.clear());
                self.reporting_state()
            }
            Reading::ProtocolError(ProtocolError::Uncalibrated) => {
                let reason =
                    "its pieces are not known: set up the start position and leave it untouched for five seconds".to_owned();
                warn!(board = %self.id, "{reason}");
                (ConnectionState::Connecting, reason)
            }
            Reading::ProtocolError(ProtocolError::OtherModel(reason)) => {
                warn!(board = %self.id, "{reason}");
                (ConnectionState::Connecting, reason.clone())
            }
            Reading::Calibration(text) => return self.store_calibration(text),
            Reading::ProtocolError(ProtocolError::ChangesDelayed) => {
                return debug!(board = %self.id, "the board is reporting changes late");
            }
            Reading::ProtocolError(error) => {
                TrafficCounters::add(&self.traffic.errors, 1);
                return debug!(board = %self.id, ?error, "protocol error");
            }
            Reading::Placement(_) => (ConnectionState::Ready, String::new()),
            _ => self.reporting_state(),
        };
        // A silent board that reports only its identity or battery, and no placement, stays silent.
        let is_incidental = matches!(reading, Reading::Identity(_) | Reading::Battery(_));
        let counts = |view: &BoardView| !is_incidental || view.connection != ConnectionState::Silent;
        let update = |view: &mut BoardView| {
            if counts(view) {
                (view.connection, view.reason) = (connection, reason.clone());
            }
            match reading {
                Reading::Identity(Identity::SerialNumber(number)) => view.serial_number = Some(number.clone()),
                Reading::Identity(Identity::Version(version)) => view.firmware = Some(version.clone()),
                _ => {}
            }
        };
        let is_change = |view: &BoardView| {
            counts(view) && (view.connection != connection || !reason.is_empty() && view.reason != reason)
                || match reading {
                    Reading::Identity(Identity::SerialNumber(number)) => view.serial_number.as_ref() != Some(number),
                    Reading::Identity(Identity::Version(version)) => view.firmware.as_ref() != Some(version),
                    _ => false,
                }
        };
        self.handle.update_if(is_change, update);
    }
}
