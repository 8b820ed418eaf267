//! The session of one board and the game on it: connects sense, infer, laws and game in one place. The daemon, replay, score and
//! the fuzz targets call nothing else.

mod battery;
mod check;
mod clock;
pub mod clock_filter;
mod clock_readings;
mod continuation;
mod detached_play;
mod game;
mod game_log;
mod gap;
mod inputs;
mod lights;
mod memory;
mod orders;
mod output;
mod pending_position;
mod quiet;
mod review;
mod settings;
mod silence;
mod start;
mod stuck_search;
mod timers;
mod undo_log;
mod unrecorded;

use crate::boards::{LinkState, Millis, Placement, Reading};
use crate::game::event::{Event, Rotation};
use crate::game::{Answer, Order, Preview, Record, Refusal, StampedEvent};
use crate::infer::{Beam, Patience, rotated};
pub use crate::infer::{
    CostParts, DropReason, HandCosts, HandCounts, HandEvent, HandLog, Hypothesis, HypothesisMove, LineTrace, PlyTrace,
};
use crate::laws::{Laws, Position};
use crate::sense::SquareTracker;
use battery::BatteryTrend;
use check::PlacementCheck;
use clock::Clock;
use detached_play::DetachedPlay;
pub use detached_play::is_turned;
use game::{GameContext, TableGame};
use game_log::GameLog;
use gap::Gap;
use lights::Lights;
pub use lights::LightsMode;
use output::EventNumbers;
pub use output::Output;
use pending_position::{PendingPosition, is_position_set_by_order};
use quiet::QuietTimer;
use review::Review;
pub use settings::{Publish, PublishPurpose, Settings};
use shakmaty::Bitboard;
use silence::SilenceTimers;
use start::RestedPlacement;
use std::sync::OnceLock;
use stuck_search::StuckSearch;
use undo_log::UndoLog;
use unrecorded::UnrecordedPlay;

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

/// One board and the game on it. Pure: the same inputs at the same times give the same outputs on every machine.
#[derive(Clone)]
pub struct Table {
    settings: Settings,
    /// How long moves wait, see [`Settings::patience`].
    patience: [Patience; 2],
    beam: Beam,
    is_judged: bool,
    /// The line of play that is traced in the next game to begin.
    trace: Option<Box<LineTrace>>,
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
    quiet: QuietTimer,
    /// The board's squares that have changed since its first whole reading, or since the last game began.
    touched: Bitboard,
    numbers: EventNumbers,
    /// The time from the loss of the link until the game is followed again.
    gap: Gap,
    silence: SilenceTimers,
    battery: BatteryTrend,
    /// Whether the first whole reading since the link came up was confirmed.
    check: PlacementCheck,
    lights: Lights,
    undo_log: UndoLog,
    /// What is needed to decode the game again; `None`: it is not.
    log: Option<GameLog>,
    review: Review,
    stuck_search: StuckSearch,
    /// The time of the last call.
    now: Millis,
    /// The next deadline, before it is limited by `now`; computed on the first call of [`Table::next_deadline`] after a change.
    deadline: OnceLock<Option<Millis>>,
}

impl Table {
    /// Creates a table without a game.
    pub fn new(settings: Settings) -> Table {
        let clock = Clock::new(settings.clock_side);
        Table {
            rotation: settings.rotation,
            patience: settings.patience(),
            beam: settings.beam(),
            is_judged: true,
            trace: None,
            clock,
            quiet: QuietTimer::new(&settings),
            settings,
            sense: SquareTracker::default(),
            game: None,
            rested: None,
            unrecorded: UnrecordedPlay::default(),
            detached_play: None,
            pending_position: None,
            touched: Bitboard::EMPTY,
            numbers: EventNumbers::default(),
            gap: Gap::default(),
            silence: SilenceTimers::default(),
            battery: BatteryTrend::default(),
            check: PlacementCheck::default(),
            lights: Lights::default(),
            undo_log: UndoLog::default(),
            log: None,
            review: Review::default(),
            stuck_search: StuckSearch::default(),
            now: 0,
            deadline: OnceLock::new(),
        }
    }

    /// Number of lines of play that [`Table::offline`] follows.
    const OFFLINE_LINES: usize = 1_024;

    /// Creates a table for offline decoding. It follows so many lines of play that one game takes seconds, and always ranks the
    /// likeliest line first, however often that changes. [`Table::likeliest`] returns that line when the stream has ended.
    pub fn offline(settings: Settings) -> Table {
        Table { beam: Beam::Offline(Table::OFFLINE_LINES), ..Table::new(settings) }
    }

    /// Creates a table that traces a line of play through the search, for diagnosis.
    pub fn tracing(settings: Settings, trace: LineTrace) -> Table {
        Table { trace: Some(Box::new(trace)), ..Table::new(settings) }
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
            table.numbers = EventNumbers::resume(game.record().last_number, events);
            let last_at = events.last().map_or(0, |last| last.at);
            table.quiet.set_last_edge(last_at);
            table.gap.begin(last_at, None, game.record().plies.len());
            if let Some(clocks) = game.published().last_clocks() {
                table.clock.resume_game(clocks);
            }
            if set_by_order && let Ok(start) = Position::from_fen(&game.record().start_fen, table.settings.chess960) {
                table.pending_position = Some(PendingPosition::new(start.board().clone()));
            }
            table.pending_position = PendingPosition::to_restore(&game, Bitboard::EMPTY).or(table.pending_position);
            table.game = Some(game);
        }
        table
    }

    /// Sets the Laws of the games that begin from now on. The current game keeps its own.
    pub fn set_laws(&mut self, laws: Laws) {
        self.settings.laws = laws;
    }

    /// Processes one input. Deadlines due by `now` run first, at their own times. `now` never decreases.
    pub fn handle(&mut self, now: Millis, input: Input) -> Output {
        let mut output = Output::default();
        self.run_due(now, &mut output);
        self.deadline.take();
        self.undo_log.note_input(now, &input);
        self.log_input(now, &input);
        match input {
            Input::Reading(reading) => self.handle_reading(now, reading, &mut output),
            Input::Link(state) => {
                self.begin_gap(now);
                self.gap.restart_alert_delay();
                self.silence.handle_link(now, state == LinkState::Up);
                output.emit(now, Event::Link(state));
                if state == LinkState::Down {
                    self.with_game(&mut output, |game, _, output| game.alert_link_lost(now, output));
                }
            }
            Input::Order(order) => self.handle_order(now, order, &mut output),
        }
        self.finish(&mut output);
        output
    }

    /// Returns what an order would do now. Nothing changes: it is carried out on a copy.
    ///
    /// # Errors
    /// The reason why the order would be refused.
    pub fn preview(&self, now: Millis, order: &Order) -> Result<Preview, Refusal> {
        let mut copy = self.clone();
        copy.advance(now);
        let before = copy.record().cloned();
        let output = copy.handle(now, Input::Order(order.clone()));
        let answer = output.reply.map_or(Ok(Answer::Done), |reply| *reply)?;
        let undone = if let Answer::Undone(command) = answer { Some(command) } else { None };
        let after = copy.record().ok_or(Refusal::NoGame)?;
        Ok(Preview::new(&order.command, undone, before.as_ref(), after, &output.events))
    }

    /// Whether something happened in the game after its event `seen` that somebody who has not seen it must know before they give
    /// an order, see [`Event::is_news`].
    pub fn has_news_since(&self, seen: u64) -> bool {
        self.numbers.last_news() > seen
    }

    /// Runs the deadlines due by `now`.
    pub fn advance(&mut self, now: Millis) -> Output {
        let mut output = Output::default();
        if self.run_due(now, &mut output) {
            self.finish(&mut output);
        }
        output
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

    /// Returns the trace of the line of play that is traced, with its cost beyond that of the line that is followed, if it is
    /// followed to its end; `None` without a game.
    pub fn line_trace(&self) -> Option<(&LineTrace, Option<i32>)> {
        self.game.as_ref().and_then(|game| game.line_trace(self.now))
    }

    /// Returns all moves of the line that is now ranked first, in UCI, including unpublished ones: for a table for [offline
    /// decoding](Table::offline), the likeliest line. Empty without a game.
    pub fn likeliest(&self) -> Vec<String> {
        self.game.as_ref().map(TableGame::likeliest).unwrap_or_default()
    }

    /// Keeps in `log` what the board shows of the current or the last game, and its likeliest line.
    pub fn observe_hands(&self, log: &mut HandLog) {
        if let Some(game) = &self.game {
            game.observe_hands(self.now, log);
        }
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

    fn with_game(&mut self, output: &mut Output, action: impl FnOnce(&mut TableGame, &GameContext<'_>, &mut Output)) {
        let patience = self.patience();
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if let Some(game) = &mut self.game {
            let context = GameContext { clock: &self.clock, patience, settings: &self.settings, rotation };
            action(game, &context, output);
        }
    }

    /// Numbers the events and adds the commands for the lights.
    fn finish(&mut self, output: &mut Output) {
        self.numbers.number(&mut output.events);
        if let Some(game) = &mut self.game {
            game.set_last_number(self.numbers.last());
        }
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let events = output.events.iter().map(|stamped| &stamped.event);
        output.commands.extend(self.lights.update(self.settings.lights, rotation, events));
        self.update_review();
        self.update_stuck_search();
        self.deadline.take();
    }
}
