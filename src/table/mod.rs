//! The session of one board and the game on it: connects sense, infer, laws and game in one place. The daemon, replay, score and
//! the fuzz targets call nothing else.

mod carry;
mod check;
mod clock;
pub mod clock_filter;
mod game;
mod lights;
mod memory;
mod start;
mod stretch;
mod unrecorded;

use crate::boards::{BoardCommand, ClockReading, LinkState, Millis, Placement, ProtocolError, Reading, SensorKind};
use crate::game::command::{Command, Refusal};
use crate::game::event::{Difference, Event, Rotation};
use crate::game::{Answer, CorrectionReason, Order, Record, StampedEvent};
use crate::infer::model::REST_CARRIED;
use crate::infer::{Beam, DetectedStart, ObservedBoard, REST_TAKEBACK, SERIAL_LATENCY, rotated};
pub use crate::infer::{CostParts, Hypothesis, HypothesisMove};
use crate::laws::{BadFen, Laws, Position};
use crate::sense::{Edge, SquareTracker};
use check::{PlacementCheck, UnconfirmedStart};
use clock::Clock;
use game::{DISORDER_TIMEOUT, GameContext, MAX_KING_DELAY, TableGame, UNEXPLAINED, UNEXPLAINED_LONG};
use lights::Lights;
pub use lights::LightsMode;
use memory::{Gap, QueuedReading};
use shakmaty::{Bitboard, Board};
use start::RestedPlacement;
use stretch::DetachedPlay;
pub use stretch::is_turned;
use unrecorded::{POSITION_REST_TIME, UnrecordedPlay};

/// When to publish a move that is still uncertain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Publish {
    /// At once: publishes the best guess and corrects it later if necessary.
    #[default]
    Prompt,
    /// When one line of play is clearly ahead of all others, or the move was completed.
    Sure,
}

/// The settings that decide how readings become a game. Every recording contains them, so that a replay decides as the daemon did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the squares can detect. May be less than the board can detect: the extra information is then discarded.
    pub sensing: SensorKind,
    /// How long the board must be quiet before a move that could still become another is published, in milliseconds, 20–5000.
    pub settle_ms: u32,
    /// The same while either clock is under `low_time_ms`.
    pub settle_low_ms: u32,
    /// Remaining time below which a player is short of time, in milliseconds.
    pub low_time_ms: u32,
    /// Without a clock, a move counts as completed when the board has not changed for this time, in milliseconds.
    pub dwell_ms: u32,
    /// How the board is oriented; `None`: found from the position.
    pub rotation: Option<Rotation>,
    /// How the clock is oriented. Upright: its left half is White's when the board is upright. `None`: found from the first
    /// presses.
    pub clock_side: Option<Rotation>,
    /// Accept Chess960 start positions.
    pub chess960: bool,
    /// The position that the game starts from, where it cannot be found on the board.
    pub start_fen: Option<String>,
    /// Kings in the centre give the result at once; otherwise the result waits for the arbiter.
    pub accept_kings_signal: bool,
    /// The Laws in force: edition, time class, supervision.
    pub laws: Laws,
    /// Maximum number of lines of play that are followed, 8–4096.
    pub hypotheses: u16,
    /// Whether moves are published at once or when they are sure.
    pub publish: Publish,
    /// What the board shows the players with its lights, if it has any.
    pub lights: LightsMode,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            sensing: SensorKind::Identity,
            settle_ms: 250,
            settle_low_ms: 120,
            low_time_ms: 120_000,
            dwell_ms: 5_000,
            rotation: None,
            clock_side: None,
            chess960: false,
            start_fen: None,
            accept_kings_signal: true,
            laws: Laws::default(),
            hypotheses: 64,
            publish: Publish::Prompt,
            lights: LightsMode::Off,
        }
    }
}

impl Settings {
    /// Returns the position given by `start_fen`.
    ///
    /// # Errors
    /// If `start_fen` is not a valid FEN; a table then looks for the usual start positions.
    pub fn start(&self) -> Result<Option<Position>, BadFen> {
        self.start_fen.as_ref().map(|fen| Position::from_fen(fen, self.chess960)).transpose()
    }

    /// Returns the beam width for these settings.
    fn beam(&self) -> Beam {
        Beam::Live(usize::from(self.hypotheses))
    }
}

/// Number of plies after which play that follows missing moves joins the game, counted from the position that was on the board. A
/// board that was only knocked over shows no such plies.
const DETACHED_PLAY_PLIES: usize = 2;

/// Silence of a board after which the arbiter is alerted, in milliseconds. Boards are polled about once a second, and most cables
/// that were bumped are working again by then.
const SILENCE_TIMEOUT: Millis = 90_000;

/// Time without a whole placement, while the link is up, after which the arbiter is alerted, in milliseconds. Every board is first
/// requested to send its placement, and the slowest reply takes less than two seconds.
const PLACEMENT_TIMEOUT: Millis = 10_000;

/// Maximum number of readings with changes at one time; more than this were delayed somewhere. Two moves in one scan of a board
/// make no more.
const MAX_READINGS_AT_ONCE: u32 = 4;

/// An input of the table.
#[derive(Clone, Debug)]
pub enum Input {
    /// A reading of the board.
    Reading(Reading),
    /// A change of the link state.
    Link(LinkState),
    /// An order of an arbiter or a player.
    Order(Order),
}

/// The output of one call.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The events, in order. A `GameStarted` begins a new game, whose numbers start from 1 again.
    pub events: Vec<StampedEvent>,
    /// The commands for the board.
    pub cues: Vec<BoardCommand>,
    /// Why an order was not carried out.
    pub refusal: Option<Refusal>,
    /// The answer to an order that was carried out.
    pub answer: Answer,
    /// The earliest publication timestamp: moves from a board's memory are published when the memory is read.
    earliest_timestamp: Millis,
}

impl Output {
    /// Adds an event. It is numbered when all events are complete.
    fn emit(&mut self, at: Millis, event: Event) {
        let at = self.timestamp(at);
        self.push_event(StampedEvent { at, number: None, event });
    }

    fn push_event(&mut self, event: StampedEvent) {
        if self.events.is_empty() {
            // Most edges produce one or two events.
            self.events.reserve_exact(2);
        }
        self.events.push(event);
    }

    /// Returns the publication timestamp of an event that happened at `at`.
    fn timestamp(&self, at: Millis) -> Millis {
        at.max(self.earliest_timestamp)
    }
}

/// The state of the clock before a reading.
#[derive(Clone, Copy)]
struct ClockState {
    connected: bool,
    running: bool,
    stopped: bool,
}

impl ClockState {
    fn of(clock: &Clock) -> ClockState {
        ClockState { connected: clock.is_connected(), running: clock.is_running(), stopped: clock.is_stopped() }
    }
}

/// A position that was set by an order and that the board did not show at that time.
struct PendingPosition {
    board: Board,
    /// The number of plies that led to the position.
    plies: usize,
    /// The squares last published as different.
    told: Bitboard,
}

/// One board and the game on it. Pure: the same inputs at the same times give the same outputs on every machine.
pub struct Table {
    settings: Settings,
    beam: Beam,
    is_judged: bool,
    sense: SquareTracker,
    rotation: Option<Rotation>,
    clock: Clock,
    game: Option<TableGame>,
    /// The last placement at rest: the game began from it if no start position was seen.
    rested: Option<RestedPlacement>,
    /// Play on the board while there is no game.
    unrecorded: UnrecordedPlay,
    /// Play that continues without a game, or after missing moves.
    detached_play: Option<DetachedPlay>,
    /// The position that was set by an order, until the board agrees or play continues.
    pending_position: Option<PendingPosition>,
    /// When a square last changed.
    last_edge: Millis,
    /// The number of readings with changes at that time.
    readings_at_once: u32,
    /// The board's squares that have changed since its first whole reading, or since the last game began.
    touched: Bitboard,
    /// The number of quiet stages that have run since the last change.
    quiet_stage: usize,
    /// The durations of quiet after which the board is re-evaluated, in milliseconds, ascending. The second row applies while a
    /// player is short of time.
    quiet_stages: [[Millis; 10]; 2],
    last_number: u64,
    /// The time from the loss of the link until the game is followed again.
    gap: Gap,
    /// When the board became silent; cleared when the arbiter is alerted.
    silent_since: Option<Millis>,
    /// Since when the board has sent data but no whole placement; cleared when the arbiter is alerted.
    placement_missing_since: Option<Millis>,
    /// Whether the first whole reading since the link came up was confirmed.
    check: PlacementCheck,
    /// A start position shown by that reading, until it is confirmed or refuted.
    unconfirmed_start: Option<UnconfirmedStart>,
    lights: Lights,
    /// The time of the last event.
    last_event_at: Millis,
    /// The time of the last call.
    now: Millis,
}

impl Table {
    /// Creates a table without a game.
    pub fn new(settings: Settings) -> Table {
        let clock = Clock::new(settings.clock_side);
        Table {
            rotation: settings.rotation,
            beam: settings.beam(),
            is_judged: true,
            clock,
            quiet_stages: [settings.settle_ms, settings.settle_low_ms].map(|settle| quiet_stages(&settings, settle.into())),
            settings,
            sense: SquareTracker::default(),
            game: None,
            rested: None,
            unrecorded: UnrecordedPlay::default(),
            detached_play: None,
            pending_position: None,
            last_edge: 0,
            readings_at_once: 0,
            touched: Bitboard::EMPTY,
            quiet_stage: usize::MAX,
            last_number: 0,
            gap: Gap::default(),
            silent_since: None,
            placement_missing_since: None,
            check: PlacementCheck::Done,
            unconfirmed_start: None,
            lights: Lights::default(),
            last_event_at: 0,
            now: 0,
        }
    }

    /// Creates a table for offline decoding. It follows so many lines of play that one game takes seconds, and always ranks the
    /// likeliest line first, however often that changes. [`Table::likeliest`] returns that line when the stream has ended.
    pub fn offline(settings: Settings) -> Table {
        Table { beam: Beam::Offline, ..Table::new(settings) }
    }

    /// Creates a table that follows the moves but raises no alerts and searches for no mates.
    pub fn without_judging(settings: Settings) -> Table {
        Table { is_judged: false, ..Table::new(settings) }
    }

    /// Restores a table from the stored durable events of its game (number 1, 2, …). What the board shows is unknown until its
    /// first whole reading.
    pub fn restore(settings: Settings, events: &[StampedEvent]) -> Table {
        let mut table = Table::new(settings);
        let set_by_order = is_position_set_by_order(events);
        if let Some(game) = TableGame::restore(events, &table.settings, set_by_order) {
            table.rotation = Some(game.record().rotation);
            table.last_number = game.record().last_number;
            table.last_edge = events.last().map_or(0, |last| last.at);
            table.gap.begin(table.last_edge, None, game.record().plies.len());
            if let Some(clocks) = game.last_clocks() {
                table.clock.resume_game(clocks);
            }
            if set_by_order && let Ok(start) = Position::from_fen(&game.record().start_fen, table.settings.chess960) {
                table.pending_position =
                    Some(PendingPosition { board: start.board().clone(), plies: 0, told: Bitboard::EMPTY });
            }
            table.pending_position = position_to_restore(&game, Bitboard::EMPTY).or(table.pending_position);
            table.game = Some(game);
        }
        table
    }

    /// Processes one input. Deadlines due by `now` run first, at their own times. `now` never decreases.
    pub fn handle(&mut self, now: Millis, input: Input) -> Output {
        let mut output = Output::default();
        self.run_due(now, &mut output);
        match input {
            Input::Reading(reading) => self.handle_reading(now, reading, &mut output),
            Input::Link(state) => {
                self.begin_gap(now);
                self.gap.restart_alert_delay();
                self.silent_since = None;
                self.placement_missing_since = (state == LinkState::Up).then_some(now);
                output.emit(now, Event::Link(state));
                if state == LinkState::Down {
                    self.with_game(&mut output, |game, _, output| game.link_lost(now, output));
                }
            }
            Input::Order(order) => match self.execute_order(now, order, &mut output) {
                Ok(answer) => output.answer = answer,
                Err(refused) => output.refusal = Some(refused),
            },
        }
        self.finish(&mut output);
        output
    }

    /// Runs the deadlines due by `now`.
    pub fn advance(&mut self, now: Millis) -> Output {
        let mut output = Output::default();
        self.run_due(now, &mut output);
        self.finish(&mut output);
        output
    }

    fn run_due(&mut self, now: Millis, output: &mut Output) {
        while let Some(due) = self.next_deadline().filter(|&due| due <= now) {
            if self.gap.deadline().is_some_and(|at| at <= due) {
                // Overdue deadlines then run no earlier than what `run_gap` publishes.
                self.now = self.now.max(due);
                self.run_gap(due, output);
            } else if self.silence_deadline().is_some_and(|at| at <= due) {
                let ms = due - self.silent_since.take().unwrap_or(due);
                self.with_game(output, |game, _, output| game.alert_silent(due, ms, output));
            } else if self.placement_deadline().is_some_and(|at| at <= due) {
                self.placement_missing_since = None;
                self.with_game(output, |game, _, output| game.alert_placement_missing(due, output));
            } else if self.clock.deadline().is_some_and(|at| at <= due) {
                // A flag that fell earlier must not cause a deadline before this time.
                self.now = self.now.max(due);
                self.accept_clock_reading(due, output);
            } else if self.check.deadline().is_some_and(|at| at <= due) {
                self.run_check(due, output);
            } else if self.clock.request_deadline().is_some_and(|at| at <= due) {
                self.clock.note_request(due);
                output.cues.push(BoardCommand::Clock);
            } else if self.kings_deadline().is_some_and(|at| at <= due) {
                self.with_game(output, |game, context, output| game.handle_kings_signal(due, context, output));
            } else if self.background_deadline().is_some_and(|at| at <= due) {
                self.with_game(output, |game, context, output| game.run_background(due, context, output));
            } else if self.reevaluation_deadline().is_some_and(|at| at <= due) {
                // This runs before all moves are taken back to the placement on the board.
                self.start_if_set_up(due, due.saturating_sub(self.last_edge), output);
                self.with_game(output, |game, context, output| game.reevaluate(due, context, output));
            } else {
                self.quiet_stage += 1;
                self.handle_quiet(due, output);
            }
        }
        self.now = self.now.max(now);
    }

    /// Returns when `advance` must be called; `None`: not before the next input.
    pub fn next_deadline(&self) -> Option<Millis> {
        let stages = &self.quiet_stages[usize::from(self.is_short_of_time())];
        let stage = stages.get(self.quiet_stage).map(|quiet| self.last_edge.saturating_add(*quiet));
        // The settle time changes when a clock falls below the limit, so its end may already have passed.
        let background = self.background_deadline();
        let board = [self.gap.deadline(), self.silence_deadline(), self.placement_deadline(), self.check.deadline()];
        let clock = [self.clock.deadline(), self.clock.request_deadline()];
        let others = [self.kings_deadline(), self.reevaluation_deadline(), background].into_iter().chain(board).chain(clock);
        let due = others.flatten().fold(stage.unwrap_or(Millis::MAX), Millis::min);
        (due < Millis::MAX).then(|| due.max(self.now))
    }

    /// Returns the record of the current or the last game.
    pub fn record(&self) -> Option<&Record> {
        self.game.as_ref().map(TableGame::record)
    }

    /// Returns every line of play that may still be what happened, likeliest first, with its moves from ply `from_ply` on (counted
    /// from 1). Empty without a game. Computed on each call.
    pub fn hypotheses(&self, from_ply: u32) -> Vec<Hypothesis> {
        self.game.as_ref().map(|game| game.hypotheses(self.now, from_ply as usize)).unwrap_or_default()
    }

    /// Returns all moves of the line that is now ranked first, in UCI, including unpublished ones: for a table for [offline
    /// decoding](Table::offline), the likeliest line. Empty without a game.
    pub fn likeliest(&self) -> Vec<String> {
        self.game.as_ref().map(TableGame::likeliest).unwrap_or_default()
    }

    /// Whether the board shows play that is not recorded: there is no game, or the last one is over and the play is not part of it.
    pub fn plays_unrecorded(&self) -> bool {
        match &self.game {
            None => self.unrecorded.is_play(),
            Some(game) => game.is_over() && self.unrecorded.is_next_game(),
        }
    }

    /// Returns what the squares show, from the players' point of view; `None` before the first whole reading.
    pub fn placement(&self) -> Option<Placement> {
        self.sense.is_complete().then(|| rotated(self.sense.placement(), self.rotation.unwrap_or(Rotation::Upright)))
    }

    /// Returns what the squares show, in the board's own coordinates and with the polarity of its sensors applied; `None` before
    /// the first whole reading.
    pub fn squares(&self) -> Option<&Placement> {
        self.sense.is_complete().then(|| self.sense.placement())
    }

    /// Returns how the board is oriented, once found or set.
    pub fn rotation(&self) -> Option<Rotation> {
        self.rotation
    }

    fn handle_reading(&mut self, now: Millis, reading: Reading, output: &mut Output) {
        let sensing = self.settings.sensing;
        match reading {
            Reading::Placement(mut placement) => {
                let first = !self.sense.is_complete();
                self.placement_missing_since = None;
                if first {
                    self.invert_if_known(&placement);
                }
                let polarity = self.sense.polarity();
                placement.iter_mut().for_each(|sensed| *sensed = polarity.normalise(sensing, *sensed));
                let edges = self.sense.update_placement(now, &placement);
                self.handle_changes(now, &edges, true, output);
                if first {
                    self.touched = Bitboard::EMPTY;
                    (self.last_edge, self.quiet_stage) = (now, 0);
                    self.begin_check(now);
                    if !self.request_memory(now, &placement, output) {
                        self.handle_first_placement(now, &placement, output);
                    }
                } else {
                    self.handle_check_reply(now, edges.is_empty(), output);
                }
                self.start_if_set_up(now, 0, output);
            }
            Reading::Square(square, sensed) => {
                let edge = self.sense.update_square(now, square, self.sense.polarity().normalise(sensing, sensed));
                if self.sense.is_complete()
                    && let Some(edge) = edge
                {
                    self.handle_changes(now, &[edge], false, output);
                }
            }
            Reading::Clock(reading) => self.handle_clock_reading(now, reading, output),
            Reading::Battery(battery) => {
                output.emit(now, Event::Battery(battery));
                self.with_game(output, |game, _, output| game.battery(now, battery, output));
            }
            Reading::Memory(log) => self.handle_memory(now, &log, output),
            // A silent board may have seen more than it reported: the cable can be pulled at the board's end.
            Reading::Trouble(ProtocolError::Silent(ms)) => {
                self.begin_gap(now.saturating_sub(ms.into()));
                (self.silent_since, self.placement_missing_since) = (Some(now.saturating_sub(ms.into())), None);
            }
            Reading::Trouble(ProtocolError::Garbage(_) | ProtocolError::Unknown(_) | ProtocolError::InvalidContent(_)) => {
                self.with_game(output, |game, _, _| game.note_damaged_message(now));
            }
            Reading::Trouble(ProtocolError::AssumedQueens(squares)) => self.with_game(output, |game, context, _| {
                game.note_assumed_pieces(squares.into_iter().map(|square| context.rotation.apply(square)).collect());
            }),
            Reading::Trouble(ProtocolError::ChangesDelayed) => {
                self.with_game(output, |game, _, _| game.note_delayed_readings(now))
            }
            Reading::Trouble(ProtocolError::Recovered) => {
                self.silent_since = None;
                self.placement_missing_since = (!self.sense.is_complete()).then_some(now);
            }
            Reading::Trouble(
                ProtocolError::AmbiguousSquares(_) | ProtocolError::Uncalibrated | ProtocolError::OtherModel(_),
            ) => {}
            Reading::Identity(_) | Reading::Calibration(_) => {}
        }
    }

    fn handle_changes(&mut self, now: Millis, edges: &[Edge], from_placement: bool, output: &mut Output) {
        if edges.is_empty() {
            return;
        }
        self.readings_at_once = if self.last_edge == now { self.readings_at_once + 1 } else { 1 };
        if self.readings_at_once > MAX_READINGS_AT_ONCE {
            self.with_game(output, |game, _, _| game.note_delayed_readings(now));
        }
        self.last_edge = now;
        self.quiet_stage = 0;
        edges.iter().for_each(|edge| self.touched.add(edge.square));
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if !from_placement {
            for edge in edges {
                let square = rotation.apply(edge.square);
                output.emit(now, Event::Touched { square, before: edge.before, now: edge.now });
            }
        }
        self.gap.queue_reading(now, || QueuedReading::Changed { edges: edges.to_vec(), whole: from_placement });
        if let Some(play) = &mut self.detached_play {
            play.handle_changes(now, edges, from_placement);
        }
        // A game that begins here has already read the whole board.
        if !self.correct_orientation(now, output) {
            self.with_game(output, |game, context, output| game.handle_changes(now, edges, from_placement, context, output));
        }
    }

    /// Continues the game from this placement, the first one since the link came up.
    fn handle_first_placement(&mut self, now: Millis, placement: &Placement, output: &mut Output) {
        self.with_game(output, |game, context, output| game.handle_first_placement(now, placement, context, output));
        if self.check != PlacementCheck::Done {
            let is_start = self.find_set_up(REST_TAKEBACK).is_some();
            self.with_game(output, |game, _, _| game.doubt_placement(is_start));
        }
    }

    /// Records that the link was lost or renewed: what the board shows has been unknown since `at`.
    fn begin_gap(&mut self, at: Millis) {
        if self.gap.lost.is_some_and(|lost| self.has_missing_moves_after(lost.plies)) {
            self.gap = Gap::default(); // What is missing since then is on record.
        }
        if let Some(game) = &self.game {
            self.gap.begin(at, self.sense.is_complete().then(|| *self.sense.placement()), game.record().plies.len());
        }
        self.sense.invalidate();
        self.clock.begin_gap();
        (self.check, self.unconfirmed_start) = (PlacementCheck::Done, None);
        self.detached_play = None;
        if let Some(game) = &mut self.game {
            game.begin_gap(at);
        }
        self.quiet_stage = usize::MAX;
    }

    fn handle_clock_reading(&mut self, now: Millis, reading: Option<ClockReading>, output: &mut Output) {
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let (before, times_held) = (ClockState::of(&self.clock), self.clock.holds_times());
        let in_play = self.game.as_ref().is_some_and(|game| !game.is_over() && game.record().result.is_none());
        let press = self.clock.read(now, reading, in_play, rotation);
        if let Some(old_times) = self.clock.set_from(now, rotation) {
            let new_times = self.clock.times(now, rotation);
            self.with_game(output, |game, _, output| game.clock_set(now, old_times, new_times, output));
        }
        let resumed = self.handle_clock_change(now, before, output);
        // If play was resumed, the lever may have been moved during the pause.
        if let Some(press) = press.filter(|_| !resumed) {
            if self.game.as_ref().is_none_or(TableGame::is_over) {
                self.unrecorded.handle_press();
            }
            self.gap.queue_reading(now, || QueuedReading::Pressed(press));
            self.with_game(output, |game, context, output| game.handle_press(now, press, context, output));
        } else {
            let times = self.clock.times(now, rotation);
            self.with_game(output, |game, _, output| game.handle_clock_times(now, times, times_held, output));
        }
    }

    /// Processes a change of the clock from the state `before`. Returns whether starting the clock resumed play.
    fn handle_clock_change(&mut self, now: Millis, before: ClockState, output: &mut Output) -> bool {
        let after = ClockState::of(&self.clock);
        let started = after.running && !before.running;
        let mut resumed = false;
        self.with_game(output, |game, _, output| resumed = started && game.clock_started(now, output));
        if resumed {
            self.quiet_stage = 0;
        }
        if after.stopped != before.stopped && self.game.as_mut().is_some_and(|game| game.clock_stops(now, after.stopped)) {
            // The board is re-evaluated.
            self.quiet_stage = 0;
        }
        if started {
            self.start_without_start_position(now, output);
        }
        let event = self.clock.event(now, self.rotation.unwrap_or(Rotation::Upright));
        // Without an event, a clock that was connected has been unplugged.
        if let Some(event) = event.or_else(|| before.connected.then(|| self.clock.unplugged_event())) {
            self.publish_clock(now, event, after.connected, output);
        }
        resumed
    }

    /// Publishes a change of what the clock shows.
    fn publish_clock(&mut self, now: Millis, event: Event, connected: bool, output: &mut Output) {
        if let Event::Clock { flags, battery_low, .. } = event
            && self.clock.has_run()
        {
            // The flag fell when it was first seen; that reading was not trusted then.
            let last_event_at = output.events.last().map_or(self.last_event_at, |last| last.at);
            let fell_at = self.clock.flag_at().max(last_event_at).min(now);
            self.with_game(output, |game, _, output| {
                if connected {
                    game.flags(fell_at, flags, output);
                }
                game.update_clock_alerts(now, connected, battery_low, output);
            });
        }
        output.emit(now, event);
    }

    /// Accepts a reading that showed a flag, or that there is no clock: no later reading has contradicted it.
    fn accept_clock_reading(&mut self, now: Millis, output: &mut Output) {
        let before = ClockState::of(&self.clock);
        self.clock.advance(now);
        self.handle_clock_change(now, before, output);
    }

    /// Runs the next stage of quiet.
    fn handle_quiet(&mut self, now: Millis, output: &mut Output) {
        let quiet = now.saturating_sub(self.last_edge);
        self.start_if_set_up(now, quiet, output);
        self.start_unconfirmed(now, false, output);
        if self.game.as_ref().is_none_or(TableGame::is_over) {
            self.start_with_a_move(now, output);
        }
        if self.game.as_ref().is_none_or(TableGame::is_over) {
            self.note_rested_placement(quiet);
        }
        if self.game.as_ref().is_none_or(TableGame::is_over) && self.sense.is_complete() {
            self.unrecorded.handle_rest(self.sense.placement(), quiet);
        }
        self.correct_orientation(now, output);
        self.with_game(output, |game, context, output| game.handle_quiet(now, quiet, context, output));
        self.follow_detached_play(now, quiet, output);
        if self.sense.is_complete() {
            self.publish_differences(now, output);
        }
    }

    /// Follows play that continues without a game, or after missing moves, from the placement on the board. Once moves were played
    /// from there, the game takes them up.
    fn follow_detached_play(&mut self, now: Millis, quiet: Millis, output: &mut Output) {
        let game = self.game.as_ref().filter(|game| !game.is_over());
        let is_possible = self.settings.sensing == SensorKind::Identity && self.sense.is_complete();
        if !is_possible || game.is_some_and(|game| !game.misses_moves()) {
            self.detached_play = None;
            return;
        }
        let settle = self.settle_time();
        if !self.detached_play.as_mut().is_some_and(|play| play.handle_quiet(now, quiet, settle)) {
            let before = game.and_then(TableGame::position);
            // Before that a hand may still hold a piece.
            let is_at_rest = quiet >= REST_TAKEBACK;
            let begin = || DetachedPlay::begin(now, self.sense.placement(), self.rotation, before.as_ref());
            self.detached_play = is_at_rest.then(begin).flatten();
        } else if game.is_some()
            && let Some(play) = self.detached_play.take_if(|play| play.played(DETACHED_PLAY_PLIES).is_some())
            && let Some((from, moves)) = play.played(DETACHED_PLAY_PLIES)
        {
            self.with_game(output, |game, context, output| game.append_after_missing_moves(now, from, &moves, context, output));
        }
    }

    /// Publishes which squares still differ from the position that was set by an order.
    fn publish_differences(&mut self, now: Millis, output: &mut Output) {
        let Some(pending) = &mut self.pending_position else { return };
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let seen = ObservedBoard::from_placement(&rotated(self.sense.placement(), rotation), self.settings.sensing);
        let has_moved = self.game.as_ref().is_some_and(|game| game.record().plies.len() != pending.plies);
        let wrong = if has_moved { Bitboard::EMPTY } else { seen.mismatch(&pending.board) };
        if wrong != pending.told {
            pending.told = wrong;
            let difference = |square| Difference { square, expected: pending.board.piece_at(square), seen: seen.at(square) };
            output.emit(now, Event::Displaced { squares: wrong.into_iter().map(difference).collect() });
        }
        if wrong.is_empty() {
            self.pending_position = None;
        }
    }

    fn execute_order(&mut self, now: Millis, order: Order, output: &mut Output) -> Result<Answer, Refusal> {
        if let Command::Position(fen) = &order.command {
            let position =
                Position::from_fen(fen, self.settings.chess960).map_err(|error| Refusal::BadFen(error.to_string()))?;
            let seen =
                |rotation| ObservedBoard::from_placement(&rotated(self.sense.placement(), rotation), self.settings.sensing);
            let fits = |rotation| seen(rotation).mismatch(position.board()).is_empty();
            let turned = self.rotation.is_none() && !fits(Rotation::Upright) && fits(Rotation::Turned);
            let rotation = self.rotation.unwrap_or(if turned { Rotation::Turned } else { Rotation::Upright });
            let board = position.board().clone();
            // A position with a move number above 1, or one set during a game, starts without earlier moves.
            let play = self
                .detached_play
                .take()
                .filter(|_| self.game.as_ref().is_none_or(TableGame::is_over) && position.fullmoves() == 1);
            let continuation = play.as_ref().and_then(|play| play.leads_to(&position)).filter(|_| fits(rotation));
            let (from, moves) = continuation.map_or((position.clone(), Vec::new()), |(from, moves)| (from.clone(), moves));
            self.begin(now, DetectedStart::new(rotation, from), output);
            self.quiet_stage = 0;
            self.last_edge = now;
            output.emit(now, Event::Commanded { command: order.command, by: order.by });
            self.pending_position = Some(PendingPosition { board, plies: 0, told: Bitboard::EMPTY });
            self.with_game(output, |game, context, output| {
                game.add(now, &moves, CorrectionReason::Arbiter, context, output);
                game.restore_board(now);
            });
            if self.sense.is_complete() {
                self.publish_differences(now, output);
            } else if let Some(game) = &mut self.game {
                game.begin_without_placement(now);
            }
            return Ok(Answer::Done);
        }
        if self.game.is_none() {
            return Err(Refusal::NoGame);
        }
        let takes_back = matches!(order.command, Command::TakeBack(_) | Command::Restore { .. });
        let amends = matches!(order.command, Command::Replace { .. } | Command::Insert { .. } | Command::Undo);
        let restores = amends || matches!(order.command, Command::Restore { .. });
        let resumes = amends || matches!(order.command, Command::Pause(false));
        let mut answer = Err(Refusal::NoGame);
        let placement = *self.sense.placement();
        self.with_game(output, |game, context, output| {
            answer = game.order(now, order, &placement, context, output);
            game.judge_dead(now, output);
        });
        let has_missing_moves = self.gap.lost.is_some_and(|lost| self.has_missing_moves_after(lost.plies));
        if (takes_back || amends || has_missing_moves) && answer.is_ok() {
            self.gap.stop_requesting();
        }
        if takes_back && answer.is_ok() {
            // Nothing is inferred from a board that has not been touched since.
            self.quiet_stage = usize::MAX;
        }
        if resumes && answer.is_ok() {
            // The board is re-evaluated.
            self.quiet_stage = 0;
        }
        if restores && answer.is_ok() {
            // Squares that were published as different must agree, too.
            let reported = self.pending_position.take().map_or(Bitboard::EMPTY, |pending| pending.told);
            self.pending_position = self.game.as_ref().and_then(|game| position_to_restore(game, reported));
            if self.sense.is_complete() {
                self.publish_differences(now, output);
            }
        }
        answer
    }

    /// Whether a player is short of time.
    fn is_short_of_time(&self) -> bool {
        self.clock.is_low(self.settings.low_time_ms)
    }

    fn settle_time(&self) -> Millis {
        Millis::from(if self.is_short_of_time() { self.settings.settle_low_ms } else { self.settings.settle_ms })
    }

    /// Returns when the arbiter is alerted that the board is silent.
    fn silence_deadline(&self) -> Option<Millis> {
        self.silent_since.map(|since| since + SILENCE_TIMEOUT)
    }

    /// Returns when the arbiter is alerted that the board does not report its placement.
    fn placement_deadline(&self) -> Option<Millis> {
        self.placement_missing_since.map(|since| since + PLACEMENT_TIMEOUT)
    }

    fn kings_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(TableGame::kings_deadline)
    }

    fn background_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(TableGame::background_deadline)
    }

    fn reevaluation_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(TableGame::reevaluation_deadline)
    }

    fn with_game(&mut self, output: &mut Output, action: impl FnOnce(&mut TableGame, &mut GameContext<'_>, &mut Output)) {
        let settle = self.settle_time();
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if let Some(game) = &mut self.game {
            let mut context = GameContext { clock: &mut self.clock, settle, settings: &self.settings, rotation };
            action(game, &mut context, output);
        }
    }

    /// Numbers the events and adds the commands for the lights.
    fn finish(&mut self, output: &mut Output) {
        self.number_events(output);
        self.last_event_at = output.events.last().map_or(self.last_event_at, |last| last.at);
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let events = output.events.iter().map(|stamped| &stamped.event);
        output.cues.extend(self.lights.update(self.settings.lights, rotation, events));
    }

    /// Numbers the durable events and keeps the record in step.
    fn number_events(&mut self, output: &mut Output) {
        for stamped in &mut output.events {
            if stamped.number.is_some() || !stamped.event.is_durable() {
                continue;
            }
            if matches!(stamped.event, Event::GameStarted { .. }) {
                self.last_number = 0;
            }
            self.last_number += 1;
            stamped.number = Some(self.last_number);
        }
        if let Some(game) = &mut self.game {
            game.set_last_number(self.last_number);
        }
    }
}

/// Returns the durations of quiet after which the board is re-evaluated, in milliseconds, ascending. `settle`: the settle time.
fn quiet_stages(settings: &Settings, settle: Millis) -> [Millis; 10] {
    let dwell = Millis::from(settings.dwell_ms);
    let mut stages = [
        settle + SERIAL_LATENCY,
        REST_CARRIED,
        REST_TAKEBACK,
        1_500,
        UNEXPLAINED,
        dwell,
        MAX_KING_DELAY,
        POSITION_REST_TIME,
        UNEXPLAINED_LONG,
        DISORDER_TIMEOUT,
    ];
    stages.sort_unstable();
    stages
}

/// Returns the position that must be restored on the board, or that must agree again after `reported` was published as different.
fn position_to_restore(game: &TableGame, reported: Bitboard) -> Option<PendingPosition> {
    let position = game.to_restore().or_else(|| game.position().filter(|_| reported.any()))?;
    Some(PendingPosition { board: position.board().clone(), plies: game.record().plies.len(), told: reported })
}

/// Whether an order that set the position began the last game of these events.
fn is_position_set_by_order(events: &[StampedEvent]) -> bool {
    let set_by_order = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::Commanded { command: Command::Position(_), .. } => Some(true),
        Event::GameStarted { .. } => Some(false),
        _ => None,
    });
    set_by_order == Some(true)
}
