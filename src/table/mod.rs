//! One board, one game: sense, infer, laws and game wired once. Daemon, replay, score and fuzz targets call nothing else.

mod clock;
mod game;

use crate::boards::{ClockReading, Cue, LinkState, Millis, Placement, Reading, Sensing};
use crate::game::command::{Command, Refused};
use crate::game::event::{Event, Rotation};
use crate::game::{Order, Record, Stamped};
use crate::infer::{LINE, REST_TAKEBACK, Seen, StartFound, find_start, near_start, turned};
use crate::laws::{BadFen, Position};
use crate::sense::{Edge, Sense};
use clock::Clock;
use game::{ABANDONED, Around, Game, KINGS_APART, UNEXPLAINED};
use shakmaty::Color;

/// The editions of the Laws that are known.
pub const EDITIONS: [&str; 1] = ["fide-2023"];

/// A placement that stood so long was meant, in milliseconds.
const CALM: Millis = 1_000;

/// What decides how readings become a game. Part of every recording, so that a replay decides as the daemon did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the board's squares can tell; poorer than the board's own: what it would not have seen is thrown away.
    pub sensing: Sensing,
    /// A move from which another could still grow is published after this much quiet. Milliseconds, 20–5000.
    pub settle_ms: u32,
    /// The same when either clock is under `low_time_ms`.
    pub settle_low_ms: u32,
    /// Below this a player is short of time. Milliseconds.
    pub low_time_ms: u32,
    /// Without a clock a move counts as completed when the board stayed as it is so long. Milliseconds.
    pub dwell_ms: u32,
    /// How the board stands; `None`: found from the position.
    pub rotation: Option<Rotation>,
    /// How the clock stands. Upright: its left half is White's when the board is upright. `None`: found from the first presses.
    pub clock_side: Option<Rotation>,
    /// Start positions of Chess960 are start positions.
    pub chess960: bool,
    /// The position the game starts from, where it is not found on the board.
    pub start_fen: Option<String>,
    /// Kings in the centre give the result at once; otherwise it waits for the arbiter.
    pub accept_kings_signal: bool,
    /// Edition of the Laws, e.g. `fide-2023`.
    pub laws: String,
    /// How many lines of play are followed at most, 8–4096.
    pub hypotheses: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            sensing: Sensing::Identity,
            settle_ms: 250,
            settle_low_ms: 120,
            low_time_ms: 120_000,
            dwell_ms: 5_000,
            rotation: None,
            clock_side: None,
            chess960: false,
            start_fen: None,
            accept_kings_signal: true,
            laws: "fide-2023".to_owned(),
            hypotheses: 64,
        }
    }
}

impl Settings {
    /// The position given by `start_fen`.
    ///
    /// # Errors
    /// When it is no FEN; a table looks for the usual start positions then.
    pub fn start(&self) -> Result<Option<Position>, BadFen> {
        self.start_fen.as_ref().map(|fen| Position::from_fen(fen, self.chess960)).transpose()
    }
}

/// What goes in.
#[derive(Clone, Debug)]
pub enum Input {
    /// The board said something.
    Reading(Reading),
    /// The cable.
    Link(LinkState),
    /// Somebody asked for something.
    Order(Order),
}

/// What comes out of one call.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// What happened, in order. A `GameStarted` begins a new game, numbered from 1 again.
    pub events: Vec<Stamped>,
    /// What the board is asked for.
    pub cues: Vec<Cue>,
    /// Why an order was not carried out.
    pub refused: Option<Refused>,
}

impl Output {
    /// Adds an event; its number comes when all are together.
    fn tell(&mut self, at: Millis, event: Event) {
        self.events.push(Stamped { at, number: None, event });
    }
}

/// One board and the game on it. Pure: the same inputs at the same times give the same outputs on every machine.
pub struct Table {
    settings: Settings,
    sense: Sense,
    rotation: Option<Rotation>,
    clock: Clock,
    game: Option<Game>,
    /// The placement that stood for a second before now: what a game began from if nobody saw a start position.
    calm: Option<Placement>,
    /// When a square last changed.
    last_edge: Millis,
    /// How many of the quiet stages since then have been run.
    stage: usize,
    last_number: u64,
    /// The time of the last call.
    now: Millis,
}

impl Table {
    /// A table without a game.
    pub fn new(settings: Settings) -> Table {
        let clock = Clock::new(settings.clock_side);
        Table {
            rotation: settings.rotation,
            clock,
            settings,
            sense: Sense::default(),
            game: None,
            calm: None,
            last_edge: 0,
            stage: usize::MAX,
            last_number: 0,
            now: 0,
        }
    }

    /// A table whose game is this far, as its stored durable events (number 1, 2, …) tell. What the board shows is not known
    /// until its first whole reading.
    pub fn restore(settings: Settings, events: &[Stamped]) -> Table {
        let mut table = Table::new(settings);
        if let Some(game) = Game::restore(events, &table.settings) {
            table.rotation = Some(game.record().rotation);
            table.last_number = game.record().last_number;
            table.last_edge = events.last().map_or(0, |last| last.at);
            if let Some(clocks) = game.last_clocks() {
                table.clock.expect(clocks);
            }
            table.game = Some(game);
        }
        table
    }

    /// Takes one input. Deadlines due by `now` run first, at their own times. `now` never decreases.
    pub fn handle(&mut self, now: Millis, input: Input) -> Output {
        let mut output = self.advance(now);
        match input {
            Input::Reading(reading) => self.reading(now, reading, &mut output),
            Input::Link(state) => {
                self.sense.forget();
                if let Some(game) = &mut self.game {
                    game.lose_sight();
                }
                self.stage = usize::MAX;
                output.tell(now, Event::Link(state));
            }
            Input::Order(order) => {
                if let Err(refused) = self.order(now, order, &mut output) {
                    output.refused = Some(refused);
                }
            }
        }
        self.number(&mut output);
        output
    }

    /// Runs the deadlines due by `now`.
    pub fn advance(&mut self, now: Millis) -> Output {
        let mut output = Output::default();
        while let Some(due) = self.next_deadline().filter(|&due| due <= now) {
            if self.kings_deadline().is_some_and(|kings| kings <= due) {
                self.with_game(&mut output, |game, around, output| game.kings_stayed(due, around, output));
            } else {
                self.stage += 1;
                self.quiet(due, &mut output);
            }
        }
        self.now = self.now.max(now);
        self.number(&mut output);
        output
    }

    /// When `advance` wants to be called; `None`: not before the next input.
    pub fn next_deadline(&self) -> Option<Millis> {
        let stage = self.stages().get(self.stage).map(|quiet| self.last_edge.saturating_add(*quiet));
        // The settle time is another when a clock comes under the limit, and its end may then have passed already.
        [stage, self.kings_deadline()].into_iter().flatten().min().map(|due| due.max(self.now))
    }

    /// The game on the board, or the last one.
    pub fn record(&self) -> Option<&Record> {
        self.game.as_ref().map(Game::record)
    }

    /// What the squares show, as the players see them; `None` before the first whole reading.
    pub fn placement(&self) -> Option<Placement> {
        self.sense.is_whole().then(|| turned(self.sense.placement(), self.rotation.unwrap_or(Rotation::Upright)))
    }

    /// How the board stands, once found or set.
    pub fn rotation(&self) -> Option<Rotation> {
        self.rotation
    }

    fn reading(&mut self, now: Millis, reading: Reading, output: &mut Output) {
        match reading {
            Reading::Placement(placement) => {
                let first = !self.sense.is_whole();
                let edges = self.sense.placement_read(now, &placement);
                self.changed(now, &edges, true, output);
                if first {
                    (self.last_edge, self.stage) = (now, 0);
                    self.with_game(output, |game, around, output| game.see(now, &placement, around, output));
                }
                self.start_if_set_up(now, 0, output);
            }
            Reading::Square(square, sensed) => {
                let edge = self.sense.square(now, square, sensed);
                if self.sense.is_whole()
                    && let Some(edge) = edge
                {
                    self.changed(now, &[edge], false, output);
                }
            }
            Reading::Clock(reading) => self.clock_read(now, reading, output),
            Reading::Battery(battery) => output.tell(now, Event::Battery(battery)),
            Reading::Identity(_) | Reading::Memory(_) | Reading::Trouble(_) => {}
        }
    }

    fn changed(&mut self, now: Millis, edges: &[Edge], whole: bool, output: &mut Output) {
        if edges.is_empty() {
            return;
        }
        self.last_edge = now;
        self.stage = 0;
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if !whole {
            for edge in edges {
                let square = rotation.apply(edge.square);
                output.tell(now, Event::Touched { square, before: edge.before, now: edge.now });
            }
        }
        self.with_game(output, |game, around, output| game.changed(now, edges, whole, around, output));
    }

    fn clock_read(&mut self, now: Millis, reading: Option<ClockReading>, output: &mut Output) {
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        let was_running = self.clock.is_running();
        let press = self.clock.read(now, reading, rotation);
        if self.clock.is_running() && !was_running {
            self.start_anyway(now, output);
        }
        if let Some(event) = self.clock.event(now, rotation) {
            output.tell(now, event);
        }
        if let Some(press) = press {
            self.with_game(output, |game, around, output| game.pressed(now, press, around, output));
        } else {
            let times = self.clock.times(now, rotation);
            self.with_game(output, |game, _, output| game.clock_told(now, times, output));
        }
    }

    /// Nothing changed for another stage of quiet.
    fn quiet(&mut self, now: Millis, output: &mut Output) {
        let quiet = now.saturating_sub(self.last_edge);
        self.start_if_set_up(now, quiet, output);
        if quiet >= CALM && self.game.as_ref().is_none_or(Game::is_over) {
            self.calm = self.sense.is_whole().then(|| *self.sense.placement());
        }
        self.with_game(output, |game, around, output| game.quiet(now, quiet, around, output));
    }

    /// A start position stands on the board: a game begins, unless it is the one that is on.
    fn start_if_set_up(&mut self, now: Millis, quiet: Millis, output: &mut Output) {
        if !self.sense.is_whole() || !self.game.as_ref().is_none_or(|game| game.may_be_followed_by_another(quiet)) {
            return;
        }
        let given = self.settings.start().ok().flatten();
        let Settings { sensing, rotation, chess960, .. } = self.settings;
        if let Some(found) = find_start(self.sense.placement(), sensing, rotation, chess960, given.as_ref()) {
            let known = self.game.as_ref().is_some_and(|game| game.begins_like(&found.position) && !game.is_over());
            if !(known && self.rotation == Some(found.rotation)) {
                self.begin(now, found, output);
            }
        }
    }

    /// The clock was started, but no start position has been seen: the game is followed from what stood on the board.
    fn start_anyway(&mut self, now: Millis, output: &mut Output) {
        if !self.game.as_ref().is_none_or(Game::is_over) {
            return;
        }
        let Some(calm) = self.calm else { return };
        let Some((rotation, board, differences)) = near_start(&calm, self.settings.sensing, self.settings.rotation) else {
            return;
        };
        let position = Position::from_board(board, Color::White);
        self.begin(now, StartFound { rotation, position, chess960: None }, output);
        self.with_game(output, |game, _, output| game.wrong_start(now, &differences, output));
    }

    fn begin(&mut self, now: Millis, found: StartFound, output: &mut Output) {
        self.rotation = Some(found.rotation);
        self.clock.begin_game();
        let seen = Seen::of(&turned(self.sense.placement(), found.rotation), self.settings.sensing);
        let game = Game::begin(now, found, seen, &self.settings, output);
        self.game = Some(game);
        self.calm = None;
    }

    fn order(&mut self, now: Millis, order: Order, output: &mut Output) -> Result<(), Refused> {
        if let Command::Position(fen) = &order.command {
            let position =
                Position::from_fen(fen, self.settings.chess960).map_err(|error| Refused::BadFen(error.to_string()))?;
            let seen = |rotation| Seen::of(&turned(self.sense.placement(), rotation), self.settings.sensing);
            let fits = |rotation| seen(rotation).mismatch(position.board()).is_empty();
            let turned = self.rotation.is_none() && !fits(Rotation::Upright) && fits(Rotation::Turned);
            let rotation = self.rotation.unwrap_or(if turned { Rotation::Turned } else { Rotation::Upright });
            self.begin(now, StartFound { rotation, position, chess960: None }, output);
            self.stage = 0;
            self.last_edge = now;
            output.tell(now, Event::Commanded { command: order.command, by: order.by });
            return Ok(());
        }
        if self.game.is_none() {
            return Err(Refused::NoGame);
        }
        let takes_back = matches!(order.command, Command::TakeBack(_));
        let mut refused = None;
        let placement = *self.sense.placement();
        self.with_game(output, |game, around, output| refused = game.order(now, order, &placement, around, output).err());
        if takes_back && refused.is_none() {
            // Nothing is inferred from a board that has not been touched since.
            self.stage = usize::MAX;
        }
        refused.map_or(Ok(()), Err)
    }

    /// Quiet after which something is looked at again, in milliseconds, rising.
    fn stages(&self) -> [Millis; 7] {
        let settle = self.settle() + LINE;
        let dwell = Millis::from(self.settings.dwell_ms);
        let mut stages = [settle, REST_TAKEBACK, 1_500, UNEXPLAINED, dwell, KINGS_APART, ABANDONED];
        stages.sort_unstable();
        stages
    }

    fn settle(&self) -> Millis {
        let low = self.clock.is_low(self.settings.low_time_ms);
        Millis::from(if low { self.settings.settle_low_ms } else { self.settings.settle_ms })
    }

    fn kings_deadline(&self) -> Option<Millis> {
        self.game.as_ref().and_then(Game::kings_deadline)
    }

    fn with_game(&mut self, output: &mut Output, act: impl FnOnce(&mut Game, &mut Around<'_>, &mut Output)) {
        let settle = self.settle();
        let rotation = self.rotation.unwrap_or(Rotation::Upright);
        if let Some(game) = &mut self.game {
            let mut around = Around { clock: &mut self.clock, settle, settings: &self.settings, rotation };
            act(game, &mut around, output);
        }
    }

    /// Gives the durable events their numbers and keeps the record in step.
    fn number(&mut self, output: &mut Output) {
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
