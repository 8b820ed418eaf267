//! Metrics of boards and games for Prometheus, in its text format 0.0.4. For the operator, on a loopback address only.
//!
//! **Invariants:** Metrics contain no move, position or player, only counts. A reader without a token gets what the public knows of
//! games, with the publication delay, and nothing that changes with each touch of a piece.

mod definitions;
mod http;
mod machines;

pub use definitions::{METRICS, MetricKind};

use crate::config::Config;
use crate::config::clients::Clients;
use crate::daemon::hub::feed::Received;
use crate::daemon::hub::is_health_kind_for;
use crate::daemon::hub::{
    BoardId, ConnectionState, GAME_UNREADABLE, JOURNAL_DAMAGED, JOURNAL_FAILED, JOURNAL_FULL, JOURNAL_LAST_ROOM, Published,
    State, Update,
};
use crate::daemon::links::NO_BOARDS_ON_CHAIN;
use crate::daemon::live_config::SETTINGS_IGNORED;
use crate::daemon::recorder::{RECORDING_PAUSED, RECORDINGS_STOPPED};
use crate::daemon::source::EventCursor;
use crate::daemon::{DelayedView, Hub, Source, Stop, steady_clock, wait_for_stop};
use crate::game::rights::Audience;
use crate::game::{AlertKind, Event};
use crate::publish::FRONT_ENDS;
use crate::publish::front_end::{Context, FrontEnd, HealthLog, StartedFrontEnd};
use crate::publish::http::admission::ConnectionLimits;
use crate::publish::http::listener::{Listener, bind_failure_hint};
use crate::publish::render::machines::MachineReport;
use crate::publish::web::token_cache::TokenCache;
use crate::wire::Word;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::info;

/// Maximum number of clients at once; all of them are on this machine.
const CONNECTION_LIMITS: ConnectionLimits = ConnectionLimits { total: 16, per_address: 16 };

/// Health kind: the address cannot be bound.
const METRICS_FAILED: &str = "metrics_failed";

/// The health kinds that everybody may read, besides [`FrontEnd::public_health_kinds`]: they concern the machine and the links. All
/// others would reveal without delay that a game is played, or that an alert was raised.
const PUBLIC_HEALTH_KINDS: [&str; 9] = [
    JOURNAL_FULL,
    JOURNAL_LAST_ROOM,
    JOURNAL_FAILED,
    JOURNAL_DAMAGED,
    GAME_UNREADABLE,
    RECORDINGS_STOPPED,
    RECORDING_PAUSED,
    NO_BOARDS_ON_CHAIN,
    SETTINGS_IGNORED,
];

/// Upper bounds of the histogram of delays, in milliseconds: first those of processing, then those of configured delays.
const BUCKETS_MS: [u64; 10] = [1, 5, 25, 100, 500, 2_000, 10_000, 60_000, 900_000, 3_600_000];

const CONNECTION_STATES: [ConnectionState; 5] = [
    ConnectionState::Connecting,
    ConnectionState::Ready,
    ConnectionState::Silent,
    ConnectionState::Unplugged,
    ConnectionState::Refused,
];

/// The front-end that serves metrics.
pub struct MetricsFrontEnd;

impl FrontEnd for MetricsFrontEnd {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn health_kinds(&self) -> &'static [&'static str] {
        &[METRICS_FAILED]
    }

    fn public_health_kinds(&self) -> &'static [&'static str] {
        self.health_kinds()
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        let address = config.metrics?;
        let health = context.health(HealthLog::Problems);
        let report_health = move |sentence| health.report(METRICS_FAILED, None, sentence);
        let (hub, delayed_view) = (Arc::clone(&context.hub), Arc::clone(&context.delayed_view));
        let tokens = TokenCache::of(&context.state_dir);
        Some(StartedFrontEnd::new(run(hub, delayed_view, address, tokens, report_health, context.stop.clone())))
    }
}

/// Serves metrics at this address until `stop`. A reader that sends one of the `tokens` reads, live, what its
/// role may know. `report_health`
/// is called with a sentence that says why the address cannot be bound and what to do, or with `None` once it is bound.
pub async fn run(
    hub: Arc<Hub>,
    delayed_view: Arc<DelayedView>,
    address: SocketAddr,
    tokens: TokenCache,
    report_health: impl Fn(Option<String>),
    mut stop: Stop,
) {
    let counts = Arc::new(StreamCounts::default());
    let counting = async {
        tokio::join!(
            count(Source::Live(Arc::clone(&hub)), &counts.live),
            count(Source::Public(Arc::clone(&delayed_view)), &counts.public)
        )
    };
    let render_page = {
        let (hub, delayed_view, counts) = (Arc::clone(&hub), Arc::clone(&delayed_view), Arc::clone(&counts));
        move |audience| render(&hub, &delayed_view, &counts, audience)
    };
    let report_outcome = |outcome: io::Result<SocketAddr>| match outcome {
        Ok(bound) => {
            info!("metrics are served at http://{bound}/metrics");
            report_health(None);
        }
        Err(error) => report_health(Some(format!(
            "metrics cannot be served at {address} ({error}): {}; touchmove tries again",
            bind_failure_hint(&error, "stop the program that listens there, or set another address as listen in [metrics]")
        ))),
    };
    let listener = Listener {
        address,
        clients: Clients::Local,
        limits: CONNECTION_LIMITS,
        client_noun: "metrics clients",
        certificate: None,
    };
    tokio::select! {
        biased;
        () = wait_for_stop(&mut stop) => {}
        _ = counting => {}
        () = listener.serve(http::router(render_page, Arc::new(tokens)), report_outcome) => {}
    }
}

/// The counts of the live events and of the delayed view.
#[derive(Default)]
struct StreamCounts {
    live: Mutex<Counts>,
    public: Mutex<Counts>,
}

/// Counts the events of a source.
async fn count(source: Source, counts: &Mutex<Counts>) {
    let mut updates = source.subscribe();
    loop {
        match updates.next().await {
            Some(Received::Update(Update::Event(published))) => {
                let age_ms = age_ms(&source, &published);
                lock(counts).count(&published, age_ms);
            }
            Some(Received::Update(_)) => {}
            Some(Received::Missed(_)) => lock(counts).catch_up(&source),
            None => return,
        }
    }
}

/// Counts since touchmoved was started.
#[derive(Default)]
struct Counts {
    boards: BTreeMap<BoardId, BoardCounts>,
    /// The events that were counted.
    cursor: EventCursor,
    /// The greatest alert id of each game; a repeated or smaller id amends an earlier alert and is not counted.
    last_alert: BTreeMap<u64, u32>,
    /// The times from event to publication.
    delays: Histogram,
}

#[derive(Default)]
struct BoardCounts {
    games: u64,
    moves: u64,
    corrections: u64,
    alerts: BTreeMap<&'static str, u64>,
}

#[derive(Default)]
struct Histogram {
    /// The number of values in each bucket, not cumulative; the last one counts values above all bounds.
    counts: [u64; BUCKETS_MS.len() + 1],
    sum_ms: u64,
}

impl Counts {
    /// Counts an event that happened `age_ms` milliseconds ago.
    fn count(&mut self, published: &Published, age_ms: u64) {
        let (Some(game), Some(number)) = (published.game, published.stamped.number) else { return };
        // Otherwise operators could count what only the arbiter is told.
        if published.stamped.event.is_for(Audience::Operator) {
            self.delays.add(age_ms);
        }
        if self.cursor.advance(game, number) {
            self.count_event(&published.board, game, &published.stamped.event);
        }
    }

    /// Counts the missed events of the games at hand.
    fn catch_up(&mut self, source: &Source) {
        for Published { board, game, stamped, .. } in self.cursor.catch_up(source) {
            game.into_iter().for_each(|game| self.count_event(&board, game, &stamped.event));
        }
    }

    fn count_event(&mut self, board: &BoardId, game: u64, event: &Event) {
        if let Event::AlertRaised(alert) = event {
            let last = self.last_alert.entry(game).or_default();
            if alert.id <= *last {
                return;
            }
            *last = alert.id;
        }
        let board = self.boards.entry(board.clone()).or_default();
        match event {
            Event::GameStarted { .. } => board.games += 1,
            Event::MoveMade { .. } => board.moves += 1,
            Event::MovesCorrected { .. } => board.corrections += 1,
            Event::AlertRaised(alert) => *board.alerts.entry(alert.kind.word()).or_default() += 1,
            _ => {}
        }
    }
}

impl Histogram {
    fn add(&mut self, ms: u64) {
        let bucket = BUCKETS_MS.iter().position(|end| ms <= *end).unwrap_or(BUCKETS_MS.len());
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
        self.sum_ms = self.sum_ms.saturating_add(ms);
    }
}

/// Returns the age of an event, in milliseconds.
fn age_ms(source: &Source, published: &Published) -> u64 {
    let happened = source.read(|state| Some(state.games.get(&published.game?)?.steady_ms(published.stamped.at)));
    happened.map_or(0, |happened| u64::try_from(steady_clock::now_ms().saturating_sub(happened)).unwrap_or(0))
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all metrics that this reader may know.
fn render(hub: &Hub, delayed_view: &DelayedView, stream_counts: &StreamCounts, audience: Audience) -> String {
    let mut text = MetricsText::default();
    hub.read(|state| add_state(state, audience, &mut text));
    if !audience.is_public() {
        let machines = hub.read(|state| MachineReport::all(state, steady_clock::now_ms()));
        machines::add(&machines, &mut text);
    }
    let counts = lock(if audience.is_public() { &stream_counts.public } else { &stream_counts.live });
    for (id, board) in &counts.boards {
        let labels = [("board", id.as_str())];
        text.add("touchmove_games_total", &labels, board.games);
        text.add("touchmove_moves_total", &labels, board.moves);
        text.add("touchmove_corrections_total", &labels, board.corrections);
        let is_told = |kind: &str| AlertKind::from_word(kind).is_some_and(|kind| kind.audience() <= audience);
        for (kind, count) in board.alerts.iter().filter(|(kind, _)| is_told(kind)) {
            text.add("touchmove_alerts_total", &[("board", id.as_str()), ("kind", kind)], count);
        }
    }
    drop(counts);
    if !audience.is_public() {
        text.histogram("touchmove_publication_delay_seconds", "live", &lock(&stream_counts.live).delays);
    }
    text.histogram("touchmove_publication_delay_seconds", "broadcast", &lock(&stream_counts.public).delays);
    let delay = delayed_view.delay();
    text.add("touchmove_configured_delay_seconds", &[], seconds(delay.ms));
    text.add("touchmove_configured_delay_plies", &[], delay.plies);
    text.into_text()
}

fn add_state(state: &State, audience: Audience, text: &mut MetricsText) {
    text.add("touchmove_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    for board in state.boards.values() {
        let id = board.id.as_str();
        for connection in CONNECTION_STATES {
            let labels = [("board", id), ("model", board.model.name), ("state", connection.word())];
            text.add("touchmove_board_state", &labels, u8::from(board.connection == connection));
        }
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let traffic = &board.traffic;
        text.add("touchmove_board_errors_total", &[("board", id)], count(&traffic.errors));
        text.add("touchmove_board_losses_total", &[("board", id)], count(&traffic.link_losses));
        if audience.is_public() {
            continue;
        }
        text.add("touchmove_board_frames_total", &[("board", id)], count(&traffic.frames));
        text.add("touchmove_board_bytes_total", &[("board", id), ("direction", "read")], count(&traffic.bytes_read));
        text.add("touchmove_board_bytes_total", &[("board", id), ("direction", "written")], count(&traffic.bytes_written));
        if let Some(battery) = board.battery {
            text.add("touchmove_board_battery_percent", &[("board", id)], battery.percent);
        }
        let game = board.game.and_then(|game| state.games.get(&game));
        let alerts = game.iter().flat_map(|game| &game.record.alerts).filter(|alert| alert.audience() <= audience).count();
        text.add("touchmove_alerts", &[("board", id)], alerts);
    }
    let of_front_ends = || FRONT_ENDS.iter().flat_map(|front_end| front_end.public_health_kinds());
    let is_public = |kind: &str| PUBLIC_HEALTH_KINDS.contains(&kind) || of_front_ends().any(|known| *known == kind);
    let may_read = |kind: &str| is_public(kind) || !audience.is_public() && is_health_kind_for(kind, audience);
    let mut problems: BTreeMap<&str, u64> = BTreeMap::new();
    for problem in state.health_problems.iter().filter(|problem| may_read(problem.kind)) {
        *problems.entry(problem.kind).or_default() += 1;
    }
    for (kind, count) in problems {
        text.add("touchmove_trouble", &[("kind", kind)], count);
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// The samples grouped by metric, as the format requires.
#[derive(Default)]
struct MetricsText(BTreeMap<&'static str, String>);

impl MetricsText {
    /// Adds a sample. The name must be one of [`METRICS`]; label values must not need escaping.
    fn add(&mut self, metric: &'static str, labels: &[(&str, &str)], value: impl Display) {
        self.sample(metric, metric, labels, value);
    }

    fn sample(&mut self, metric: &'static str, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0.entry(metric).or_default(), "{name}{labels} {value}");
    }

    fn histogram(&mut self, metric: &'static str, stream: &str, histogram: &Histogram) {
        let mut total = 0;
        let ends = BUCKETS_MS.iter().map(|end| seconds(*end)).chain(["+Inf".to_owned()]);
        for (end, count) in ends.zip(histogram.counts) {
            total += count;
            self.sample(metric, &format!("{metric}_bucket"), &[("stream", stream), ("le", &end)], total);
        }
        self.sample(metric, &format!("{metric}_sum"), &[("stream", stream)], seconds(histogram.sum_ms));
        self.sample(metric, &format!("{metric}_count"), &[("stream", stream)], total);
    }

    fn into_text(self) -> String {
        let mut text = String::new();
        for (name, kind, help) in METRICS {
            let kind = match kind {
                MetricKind::Gauge => "gauge",
                MetricKind::Counter => "counter",
                MetricKind::Histogram => "histogram",
            };
            let samples = self.0.get(name).map_or("", String::as_str);
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}");
        }
        text
    }
}
