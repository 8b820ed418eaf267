//! `touchmovectl demo --boards N`: round after round of a tournament on virtual boards, with the page and what else is public.

mod board;
mod browser;
mod events;
mod field;
mod games;
mod guide;
mod keyboard;
mod organiser;
mod plan;
mod service;
mod stand_in;

use crate::ctl::simulate::find_profile;
use crate::ctl::simulate::hall::report::Report;
use crate::ctl::simulate::hall::signals::Signals;
use crate::ctl::temp_dir::TempDir;
use crate::publish::web::tokens::generate_secret;
use crate::simulate::hands::{HandsProfile, Rates};
use anyhow::Context;
use board::{DemoBoard, PluggedBoard};
use events::{TableEvent, TableEvents};
use field::Field;
use games::DemoGames;
use guide::{Guide, Logins, NEXT};
use keyboard::Keyboard;
use plan::Addresses;
use service::DemoService;
use stand_in::StandIn;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// The largest number of boards: the list of players has no more.
pub(super) const MAX_BOARDS: u16 = 24;
/// How long the players wait for the arbiter before they restore the position by themselves.
const RULING_TIMEOUT: Duration = Duration::from_secs(180);
/// Time after the last game for its result, at the speed of real hands, and then for everybody to look at the results.
const AFTER_ROUND: Duration = Duration::from_secs(20);
/// Time in which the boards are switched off and the pieces are set up again.
const BETWEEN_GAMES: Duration = Duration::from_secs(2);
/// Interval at which programs and boards are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// What a demonstration is to be.
pub(super) struct Options {
    /// The number of boards.
    pub(super) boards: u16,
    /// The name of the profile of the hands.
    pub(super) hands: String,
    /// The speed of the hands, as a multiple of that of real ones.
    pub(super) speed: u32,
    /// The delay of the public, in seconds.
    pub(super) delay: u16,
    /// Whether a browser is opened, if there is a desktop.
    pub(super) opens_browser: bool,
}

/// Runs a demonstration until it is interrupted.
pub(super) async fn show(options: Options) -> anyhow::Result<()> {
    // First of all, so that an interruption at any later time still cleans up.
    let mut signals = Signals::receive()?;
    let mut report = Report::new()?;
    report.phase("starting")?;
    let mut demo = tokio::select! {
        demo = Demo::start(options) => demo?,
        () = signals.next() => return Ok(()),
    };
    let outcome = tokio::select! {
        outcome = demo.play(&mut report) => outcome,
        () = signals.next() => Ok(()),
    };
    let outcome = outcome.map_err(|error| match demo.service.log() {
        log if log.is_empty() => error,
        log => error.context(format!("touchmoved logged:\n{log}")),
    });
    demo.end().await;
    report.finish();
    outcome?;
    Ok(report.print(NEXT)?)
}

/// What the boards do now.
enum Phase {
    /// A round is played.
    Playing,
    /// All games are over; then the results are entered.
    Results(Instant),
    /// The results are known; then the boards are switched off.
    Pause(Instant),
    /// The boards are switched off; then the next round begins.
    SettingUp(Instant),
}

/// A demonstration. The fields are in the order in which they must be dropped.
struct Demo {
    service: DemoService,
    stand_in: StandIn,
    plugged: Vec<PluggedBoard>,
    boards: Vec<DemoBoard>,
    addresses: Addresses,
    profile: HandsProfile,
    options: Options,
    field: Field,
    games: DemoGames,
    round: u16,
    phase: Phase,
    /// The number of moves so far.
    moves: u64,
    /// Since when the players at a table have waited for the arbiter.
    waiting_since: Option<Instant>,
    _dir: TempDir,
}

impl Demo {
    /// Starts everything; no board is plugged in yet.
    async fn start(options: Options) -> anyhow::Result<Demo> {
        let profile = profile(&options.hands)?;
        let field = Field::new(usize::from(options.boards))?;
        let dir = TempDir::new("touchmove-demo")?;
        let boards = plan::boards(options.boards, &dir)?;
        let _turn = plan::turn().await;
        let (mut addresses, held) = Addresses::choose()?;
        let token = generate_secret()?;
        let stand_in =
            StandIn::start(&token, &addresses.livechess_url()).await.context("no port of this computer can be opened")?;
        addresses.stand_in = stand_in.port;
        let token_file = plan::write_token(&token, dir.path())?;
        let config = plan::configuration(&boards, &addresses, &token_file, options.speed, options.delay)?;
        drop(held);
        let mut service = DemoService::start(dir.path(), &config).await?;
        if let Err(error) = service.ready(addresses.page).await {
            return Err(error.context(service.log()));
        }
        Ok(Demo {
            service,
            stand_in,
            plugged: Vec::new(),
            boards,
            addresses,
            profile,
            options,
            field,
            games: DemoGames::read(),
            round: 0,
            phase: Phase::SettingUp(Instant::now()),
            moves: 0,
            waiting_since: None,
            _dir: dir,
        })
    }

    /// Lets rounds be played, one after the other.
    async fn play(&mut self, report: &mut Report) -> anyhow::Result<()> {
        let mut events = TableEvents::follow(&self.service.client).await?;
        organiser::seat(&self.service.client, &self.boards).await?;
        self.begin_round().await?;
        let mut logins = 1;
        let mut keyboard = Keyboard::new();
        self.introduce(report, &keyboard).await?;
        report.restart_clock();
        let mut check = interval(CHECK_INTERVAL);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let due = match self.phase {
                Phase::Playing => None,
                Phase::Results(at) | Phase::Pause(at) | Phase::SettingUp(at) => Some(at),
            };
            tokio::select! {
                event = events.next() => {
                    if let Some((game, event)) = event? {
                        self.report_event(&mut events, game, event, report).await?;
                    }
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => self.go_on(report).await?,
                _ = check.tick() => self.check(report)?,
                () = keyboard.line() => {
                    logins += 1;
                    let new = Logins::create(&self.service.client, self.addresses.page, logins).await?;
                    report.print(&new.lines())?;
                }
            }
        }
    }

    /// Says where to look and what to try, and opens the browser.
    async fn introduce(&self, report: &Report, keyboard: &Keyboard) -> anyhow::Result<()> {
        let logins = Logins::create(&self.service.client, self.addresses.page, 1).await?;
        let is_opened = self.options.opens_browser && browser::open(logins.arbiter());
        let guide = Guide {
            boards: self.boards.len(),
            delay: self.options.delay,
            speed: self.options.speed,
            illegal_table: self.illegal_table().unwrap_or(1),
            addresses: &self.addresses,
            bus: &self.service.address,
            is_opened,
            has_keyboard: keyboard.is_present,
        };
        Ok(report.print(&(guide.places(&logins) + &guide.steps()))?)
    }

    /// Returns the table at which a player makes an illegal move in this round: each with a clock in turn.
    fn illegal_table(&self) -> Option<u16> {
        let with_clock: Vec<u16> = self.boards.iter().filter(|board| board.has_clock()).map(|board| board.table).collect();
        let index = usize::from(self.round.saturating_sub(1)).checked_rem(with_clock.len())?;
        with_clock.get(index).copied()
    }

    /// Starts the next round, and plugs all boards in.
    async fn begin_round(&mut self) -> anyhow::Result<()> {
        self.round = self.round.checked_add(1).context("there are no more rounds")?;
        organiser::start_round(&self.service.client, &self.field, self.round).await?;
        let illegal_table = self.illegal_table();
        for board in &self.boards {
            let game = self.games.game(self.round, board.table)?;
            let simulation = board.set_up(&game, &self.profile, illegal_table == Some(board.table))?;
            let plugged =
                PluggedBoard::plug(board, simulation, self.options.speed).context("a virtual board cannot be started")?;
            self.plugged.push(plugged);
        }
        self.phase = Phase::Playing;
        Ok(())
    }

    /// Goes on after a phase that has its time.
    async fn go_on(&mut self, report: &Report) -> anyhow::Result<()> {
        let now = Instant::now();
        match self.phase {
            Phase::Playing => {}
            Phase::Results(_) => {
                report.print(&organiser::enter_results(&self.service.client, &self.games, self.round).await?)?;
                // The public needs as long as it is behind.
                self.phase = Phase::Pause(now + self.after_round() + Duration::from_secs(self.options.delay.into()));
            }
            Phase::Pause(_) => {
                // All at once, then each is waited for.
                self.plugged.iter().for_each(|board| board.control().unplug());
                self.plugged.clear();
                self.phase = Phase::SettingUp(now + BETWEEN_GAMES);
            }
            Phase::SettingUp(_) => {
                self.begin_round().await?;
                let table = self.illegal_table().unwrap_or(1);
                report.event(&format!("round {} begins; table {table} will need the arbiter", self.round))?;
            }
        }
        Ok(())
    }

    fn after_round(&self) -> Duration {
        AFTER_ROUND / self.options.speed.max(1)
    }

    /// Reports an event, and lets players who wait for a ruling go on.
    async fn report_event(
        &mut self,
        events: &mut TableEvents,
        game: u64,
        event: TableEvent,
        report: &Report,
    ) -> anyhow::Result<()> {
        if event == TableEvent::Move {
            self.moves += 1;
            return Ok(());
        }
        let Some(table) = events.table(&self.service.client, game).await? else { return Ok(()) };
        match event {
            TableEvent::Move => {}
            TableEvent::Alert(true, sentence) => {
                report.event(&format!("table {table}: {sentence}; the players wait for the arbiter's ruling"))?;
            }
            TableEvent::Alert(false, sentence) => report.event(&format!("table {table}: {sentence}"))?,
            TableEvent::Ruling => {
                let index = usize::from(table.saturating_sub(1));
                if let Some(board) = self.plugged.get(index).filter(|board| board.control().is_waiting()) {
                    board.control().resume();
                    report
                        .event(&format!("table {table}: the arbiter has ruled; the players restore the position and go on"))?;
                }
            }
            TableEvent::Result(result) => report.event(&format!("table {table}: {result}"))?,
        }
        Ok(())
    }

    /// Checks programs and boards, whether somebody waits for the arbiter for too long, and whether the round is over.
    fn check(&mut self, report: &mut Report) -> anyhow::Result<()> {
        self.service.still_runs()?;
        for (board, plugged) in self.boards.iter().zip(&mut self.plugged) {
            plugged.still_works().with_context(|| format!("the virtual board at table {} failed", board.table))?;
        }
        let waiting = self.boards.iter().zip(&self.plugged).find(|(_, plugged)| plugged.control().is_waiting());
        match (waiting, self.waiting_since) {
            (None, _) => self.waiting_since = None,
            (Some(_), None) => self.waiting_since = Some(Instant::now()),
            (Some((board, plugged)), Some(since)) if since.elapsed() >= RULING_TIMEOUT => {
                plugged.control().resume();
                self.waiting_since = None;
                let sentence = "nobody has ruled, and the players restore the position by themselves; the alert stays open";
                report.event(&format!("table {}: {sentence}", board.table))?;
            }
            _ => {}
        }
        let over = self.plugged.iter().filter(|plugged| plugged.control().is_over()).count();
        if matches!(self.phase, Phase::Playing) && over == self.boards.len() {
            self.phase = Phase::Results(Instant::now() + self.after_round());
        }
        let (games, pushes) = self.stand_in.counts();
        let playing = self.boards.len() - over;
        Ok(report.progress(&format!(
            "round {}: {} moves so far, {playing} games in play; Lichess: {games} games in {pushes} pushes; Ctrl-C ends",
            self.round, self.moves
        ))?)
    }

    /// Stops touchmoved in order, then the boards.
    async fn end(&mut self) {
        self.service.stop().await;
        self.plugged.iter().for_each(|board| board.control().unplug());
        self.plugged.clear();
    }
}

/// Returns the hands of this profile. They neither analyse nor set up pieces while the board is connected: between the games it is off.
fn profile(name: &str) -> anyhow::Result<HandsProfile> {
    let profile = *find_profile(name)?;
    let rates = Rates { set_up: 0, sweep: 0, analysis: 0, ..profile.rates };
    Ok(HandsProfile { rates, ..profile })
}
