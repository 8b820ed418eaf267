//! `touchmoved`: reads electronic chessboards and publishes games over D-Bus.
#![forbid(unsafe_code)]

#[path = "touchmoved/args.rs"] // not beside this file: there it would be a program
mod args;

use anyhow::Context;
use args::Args;
use clap::Parser;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sd_notify::NotifyState;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, sleep, timeout, timeout_at};
use touchmove::config::overrides::OverridesError;
use touchmove::config::{self, Config, ConfigError};
use touchmove::daemon::calibration::CalibrationDir;
use touchmove::daemon::discovery::Discovery;
use touchmove::daemon::hub::{BoardId, JOURNAL_DAMAGED};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::links::{self, LinkSpec, PlugEvents, PortSelector};
use touchmove::daemon::recorder::Recordings;
use touchmove::daemon::rounds::{self, RoundFile};
use touchmove::daemon::start_backoff::StartBackoff;
use touchmove::daemon::unused_devices;
use touchmove::daemon::{DelayedView, Hub, Source, Stop};
use touchmove::game::Delay;
use touchmove::link::{BoardLocation, watch as link_watch};
use touchmove::names::MANAGER_INTERFACE;
use touchmove::publish::dbus::{self, Bus, NameState};
use touchmove::publish::files::{self, FILES_FAILED};
use touchmove::publish::hooks::{self, NotificationTimeouts};
use touchmove::publish::lichess::{self, RequestPacing};
use touchmove::publish::livechess::{self, ServerState};
use touchmove::publish::metrics::{self, METRICS_FAILED};
use touchmove::publish::web::admitted::TokenCache;
use touchmove::publish::web::{self, WEB_FAILED, WebState};
use tracing::{debug, error, info, warn};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Total time for boards, journal and front-ends to stop. It must be shorter than TimeoutStopSec= of the unit.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);
/// Part of this time for the boards; the rest is for storing and publishing their last readings.
const BOARDS_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Minimum time, after the service was ready, for a start to count as successful. An end after that does not delay the next start.
const STABLE_START: Duration = Duration::from_secs(10);

/// Exit code if a file is invalid: the configuration, an edition of the Laws, messages (EX_CONFIG of sysexits.h). The service
/// manager does not restart the service then; any other failure may be temporary.
const EX_CONFIG: u8 = 78;

fn main() -> ExitCode {
    let args = Args::parse();
    let filter = std::env::var("TOUCHMOVE_LOG").ok().and_then(|directives| directives.parse().ok());
    let filter =
        filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO).with_target("zbus", LevelFilter::WARN));
    let colour = std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colour).with_target(false);
    tracing_subscriber::registry().with(filter).with(lines).init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run(args)),
        Err(why) => Err(why).context("cannot start"),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            match why.downcast_ref::<ConfigError>() {
                None | Some(ConfigError::Missing { .. }) => eprintln!("touchmoved: {why:#}"),
                // Lines that begin with file, line and column, which editors understand too.
                Some(why) => eprintln!("{why}"),
            }
            if why.is::<ConfigError>() || why.is::<OverridesError>() { ExitCode::from(EX_CONFIG) } else { ExitCode::FAILURE }
        }
    }
}

/// Limit of open files that the program requests, above the usual default: for front-ends with many connections.
const OPEN_FILES_LIMIT: u64 = 8192;

/// Raises the limit of open files, as far as permitted.
fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES_LIMIT, |most| most.min(OPEN_FILES_LIMIT));
    if limit.current.is_some_and(|now| now < wanted) {
        // The current limit is enough for boards, and front-ends adapt to it.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}

async fn run(args: Args) -> anyhow::Result<()> {
    allow_files();
    if let Some(path) = args.config.clone().filter(|path| !path.exists()) {
        return Err(ConfigError::Missing { path }.into());
    }
    config::overrides::load()?.iter().for_each(|warning| warn!("{warning}"));
    let path = args.config.clone().unwrap_or_else(Config::default_path);
    let config = Config::load(&path)?;
    let state_dir = args.state_dir.clone().unwrap_or_else(|| config.state_dir());
    if let Some(why) = config.files_conflict(&state_dir) {
        return Err(ConfigError::FilesConflict { path, why }.into());
    }
    if args.check_config {
        config.warnings().iter().for_each(|warning| println!("{}: warning: {warning}", path.display()));
        let exposed = config.exposed_secrets();
        if !exposed.is_empty() {
            return Err(ConfigError::Exposed { path, exposed }.into());
        }
        if path.exists() {
            println!("{}: no problem found", path.display());
        } else {
            println!("{}: there is no such file, so the defaults hold; no problem found", path.display());
        }
        return Ok(());
    }
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let backoff = StartBackoff::from_env();
    let called_off = tokio::select! {
        () = wait_backoff(&backoff) => false,
        _ = terminate.recv() => true,
        _ = interrupt.recv() => true,
    };
    if called_off {
        backoff.reset();
        return Ok(());
    }
    config.warnings().iter().for_each(|warning| warn!("{warning}"));
    config.exposed_secrets().iter().for_each(|warning| warn!("{warning}"));
    let recordings = config.recordings.map(|room| Recordings { dir: state_dir.join("recordings"), room });
    let calibrations = CalibrationDir(state_dir.join("calibration"));
    let (journal, notices) = Journal::open(&state_dir)?;
    let hub = Hub::new(journal, &config.tags.pairs());
    hub.set_public_delay(config.delay);
    if !notices.is_empty() {
        let brief = format!("the journal was damaged: property Trouble of {MANAGER_INTERFACE} says what was done");
        notices.iter().for_each(|notice| hub.log_failure(&brief, &notice.to_string()));
        let sentences: Vec<&str> = notices.iter().map(|notice| notice.message.as_str()).collect();
        hub.set_health_problem(JOURNAL_DAMAGED, None, Some(sentences.join("; ")));
    }
    let (stop_faces, faces_stop) = watch::channel(false);
    hub.set_round_file(RoundFile(state_dir.join("round.json")));
    let gallery = DelayedView::new(Arc::clone(&hub), config.delay, config.illegal_moves);
    gallery.set_release_file(state_dir.join("public.json"));
    let (stop_gallery, gallery_stop) = watch::channel(false);
    let showing = tokio::spawn(Arc::clone(&gallery).run(gallery_stop));
    if config.delay != Delay::default() {
        info!("the public learns everything {} s and {} plies later", config.delay.ms / 1000, config.delay.plies);
    }
    let (mut faces, presences) = start_faces(&hub, &gallery, &bus(&args, &config), &faces_stop);
    faces.spawn({
        let (hub, presences, stop) = (Arc::clone(&hub), presences.clone(), faces_stop.clone());
        async move {
            bus_status(presences).await;
            hub.check_journal(stop).await;
        }
    });
    if let Some(dir) = config.files.clone() {
        let (tags, told) = (config.tags.pairs(), Arc::clone(&hub));
        let trouble = move |sentence: Option<String>| {
            let news = sentence.clone();
            if told.set_health_problem(FILES_FAILED, None, sentence) {
                news.map_or_else(|| info!("files are written again"), |why| warn!("{why}"));
            }
        };
        faces.spawn(files::run(Arc::clone(&gallery), dir, tags, trouble, faces_stop.clone()));
    }
    if let Some(address) = config.metrics {
        let told = Arc::clone(&hub);
        let trouble = move |sentence: Option<String>| {
            let news = sentence.clone();
            if told.set_health_problem(METRICS_FAILED, None, sentence)
                && let Some(why) = news
            {
                warn!("{why}");
            }
        };
        let tokens = TokenCache::of(&state_dir);
        faces.spawn(metrics::run(Arc::clone(&hub), Arc::clone(&gallery), address, tokens, trouble, faces_stop.clone()));
    }
    if let Some(lichess) = config.lichess.clone() {
        let (dir, tags, told) = (state_dir.join("lichess"), config.tags.pairs(), Arc::clone(&hub));
        let trouble = Box::new(move |kind, board: Option<&BoardId>, sentence: Option<String>| {
            report_health(&told, kind, board, sentence)
        });
        faces.spawn(run_on_thread(lichess::run(
            Arc::clone(&gallery),
            lichess,
            dir,
            tags,
            RequestPacing::default(),
            trouble,
            faces_stop.clone(),
        )));
    }
    if !config.hooks.is_off() {
        let told = Arc::clone(&hub);
        let trouble = move |kind, sentence: Option<String>| report_hook(&told, kind, sentence);
        faces.spawn(run_on_thread(hooks::run(
            Arc::clone(&hub),
            config.hooks.clone(),
            NotificationTimeouts::default(),
            trouble,
            faces_stop.clone(),
        )));
    }
    faces.spawn(rounds::run(Arc::clone(&hub), faces_stop.clone()));
    if config.livechess.listen.is_some() {
        // Its clients may have whole games followed for them.
        faces.spawn(run_on_thread(livechess::run(ServerState::new(&hub, &gallery, &config), faces_stop.clone())));
    }
    if config.web.listen.is_some() {
        let told = Arc::clone(&hub);
        let trouble = move |sentence| _ = told.set_health_problem(WEB_FAILED, None, sentence);
        faces.spawn(web::run(WebState::new(&hub, &gallery, &config, &state_dir, faces_stop.clone()), trouble));
    }
    let (stop_links, links_stop) = watch::channel(false);
    let (specs, mut wanted) = mpsc::unbounded_channel();
    let mut links = JoinSet::new();
    let (plugged, plugs) = watch::channel(0);
    let serve = async {
        tokio::select! {
            outcome = boards(&args, &config, plugs.clone(), specs) => outcome,
            () = hotplug(plugged) => Ok(()),
            () = report_unused(&args, &config, &hub, plugs.clone()) => Ok(()),
        }
    };
    let started = async {
        notify_ready(presences).await;
        sleep(STABLE_START).await;
        backoff.reset();
    };
    let mut chores = pin!(async { tokio::join!(started, serve) });
    let mut failure = None;
    let mut watchdog = Watchdog::new();
    loop {
        tokio::select! {
            () = watchdog.due() => {
                // If the hub or this thread hangs, this stops, too, and the watchdog ends the service.
                hub.read(|_| notify(&[NotifyState::Watchdog]));
                continue;
            }
            (_, outcome) = &mut chores => failure = outcome.err(),
            Some(mut spec) = wanted.recv() => {
                spec.recordings.clone_from(&recordings);
                spec.plugs = plugs.clone();
                spec.calibrations = Some(calibrations.clone());
                spec.shares_readings = livechess::is_live(&config);
                links.spawn(links::run(spec, Arc::clone(&hub), links_stop.clone()));
                continue;
            }
            Some(ended) = links.join_next() => failure = match ended {
                Ok(()) => continue,
                Err(why) => Some(anyhow::Error::new(why).context("a board's task failed; please report this")),
            },
            _ = terminate.recv() => info!("asked to end"),
            _ = interrupt.recv() => info!("interrupted"),
        }
        break;
    }

    if failure.is_none() {
        backoff.reset();
    }
    // In this order: no more readings, then all readings are stored, then everything stored is published.
    notify(&[NotifyState::Stopping]);
    let end = Instant::now() + SHUTDOWN_TIMEOUT;
    stop_links.send_replace(true);
    if timeout(BOARDS_SHUTDOWN_TIMEOUT, async { while links.join_next().await.is_some() {} }).await.is_err() {
        warn!("{} boards could not be let go within {} s", links.len(), BOARDS_SHUTDOWN_TIMEOUT.as_secs());
        links.abort_all();
    }
    if timeout_at(end, hub.drain()).await.is_err() {
        error!("the journal did not take everything in time: the last moves are not in it");
    }
    stop_gallery.send_replace(true);
    let _ = timeout_at(end, showing).await;
    stop_faces.send_replace(true);
    let _ = timeout_at(end, async { while faces.join_next().await.is_some() {} }).await;
    failure.map_or(Ok(()), Err)
}

fn bus(args: &Args, config: &Config) -> Bus {
    // The configuration has been validated: any other word is an address, and `auto` does not parse as a bus.
    args.bus.clone().or_else(|| config.bus.parse().ok()).unwrap_or_default()
}

fn start_faces(
    hub: &Arc<Hub>,
    gallery: &Arc<DelayedView>,
    bus: &Bus,
    stop: &Stop,
) -> (JoinSet<()>, Vec<watch::Receiver<NameState>>) {
    let mut faces = JoinSet::new();
    let start = |source| {
        let (sender, presence) = watch::channel(NameState::NotTried);
        faces.spawn(dbus::run(source, bus.clone(), sender, stop.clone()));
        presence
    };
    let presences = [Source::Live(Arc::clone(hub)), Source::Public(Arc::clone(gallery))].map(start).into();
    (faces, presences)
}

/// Sets or clears a health problem, and logs it if that is a change.
fn report_health(hub: &Hub, kind: &'static str, board: Option<&BoardId>, sentence: Option<String>) {
    let news = sentence.clone();
    if hub.set_health_problem(kind, board, sentence) {
        match news {
            Some(why) => warn!("{why}"),
            None => info!("{kind} is over"),
        }
    }
}

/// Sets or clears a health problem of the hooks, and logs it if that is a change. A hook runs when an alert is raised, so it is
/// logged in the same way as by [`Hub::warn_about_play`].
fn report_hook(hub: &Hub, kind: &'static str, sentence: Option<String>) {
    let news = sentence.clone();
    if hub.set_health_problem(kind, None, sentence) {
        match news {
            Some(why) => hub.warn_about_play(None, &why),
            None if hub.has_public_delay() => debug!("{kind} is over"),
            None => info!("{kind} is over"),
        }
    }
}

/// Runs a front-end on its own thread, so that its computing, encryption and writing never delay a board.
async fn run_on_thread(face: impl Future<Output = ()> + Send + 'static) {
    let (done, ended) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(face),
            Err(why) => error!("a part of touchmoved cannot run ({why}): restart it"),
        }
        drop(done);
    });
    // The sender is dropped when the front-end has ended, for whatever reason.
    let _ = ended.await;
}

/// Waits if the last starts have failed, so that they are not repeated five times a second.
async fn wait_backoff(backoff: &StartBackoff) {
    match backoff.begin() {
        Ok((_, Duration::ZERO)) => {}
        Ok((failed, pause)) => {
            let status = format!("{failed} starts in a row have failed: the next is in {:.1} s", pause.as_secs_f32());
            warn!("{status}");
            notify(&[NotifyState::Status(&status)]);
            sleep(pause).await;
        }
        Err(why) => warn!("failed starts cannot be counted ({why}): the runtime directory is not this user's"),
    }
}

/// Notifies the service manager once each name is held, or is known not to be available: games go on without a bus.
async fn notify_ready(presences: Vec<watch::Receiver<NameState>>) {
    let status = bus_status(presences).await;
    notify(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// Waits until it is known of each name whether it is held. Returns the status to report.
async fn bus_status(presences: Vec<watch::Receiver<NameState>>) -> String {
    let mut status = "serving".to_owned();
    for mut presence in presences {
        if let Ok(known) = presence.wait_for(|presence| *presence != NameState::NotTried).await
            && let NameState::NotOwned(why) = &*known
        {
            status.clone_from(why);
        }
    }
    status
}

/// Sends the boards to serve: the one given by arguments, else the configured ones, else every board that is known by its USB id,
/// when it is plugged in.
async fn boards(args: &Args, config: &Config, plugs: PlugEvents, specs: mpsc::UnboundedSender<LinkSpec>) -> anyhow::Result<()> {
    if let Some(port) = &args.port {
        let board = config::BoardConfig::new(String::new(), args.board, BoardLocation::Port(port.clone()));
        specs.send(LinkSpec::single(args.board, board.place.clone(), config.settings(&board)))?;
    } else if !config.boards.is_empty() {
        let places: Arc<[BoardLocation]> = config.boards.iter().map(|board| board.place.clone()).collect();
        for (index, board) in config.boards.iter().enumerate() {
            let (model, control, settings) = (board.model, board.control, config.settings(board));
            let place = PortSelector::Configured(Arc::clone(&places), index);
            let (id, plugs) = (BoardId::new(&board.name), plugs.clone());
            let names = board.names.iter().map(|(address, name)| (*address, BoardId::new(name))).collect();
            let spec = LinkSpec::single(model, board.place.clone(), settings);
            specs.send(LinkSpec { id, place, control, names, plugs, ..spec })?;
        }
    } else {
        return discover(config, plugs, specs).await;
    }
    std::future::pending().await
}

/// Reports unused devices, forever; does nothing if a port is given by argument.
async fn report_unused(args: &Args, config: &Config, hub: &Arc<Hub>, plugs: PlugEvents) {
    if args.port.is_none() {
        let places: Option<Arc<[BoardLocation]>> =
            (!config.boards.is_empty()).then(|| config.boards.iter().map(|board| board.place.clone()).collect());
        unused_devices::run(Arc::clone(hub), places, plugs).await;
    }
    std::future::pending().await
}

/// Counts plug and unplug events, forever. If udev cannot be monitored, a change is assumed.
async fn hotplug(plugged: watch::Sender<u64>) {
    loop {
        if let Ok(mut changes) = link_watch::PlugMonitor::listen() {
            while changes.next().await.is_ok() {
                plugged.send_modify(|count| *count += 1);
            }
        }
        sleep(link_watch::POLL_INTERVAL).await;
        plugged.send_modify(|count| *count += 1);
    }
}

async fn discover(config: &Config, mut plugs: PlugEvents, specs: mpsc::UnboundedSender<LinkSpec>) -> anyhow::Result<()> {
    let mut discovery = Discovery::default();
    let mut devices = link_watch::list().context("devices cannot be listed")?;
    loop {
        for (model, place) in discovery.find_new(&devices) {
            let board = config::BoardConfig::new(String::new(), model, place.clone());
            let found = PortSelector::Discovered(place.clone(), discovery.sockets());
            let spec = LinkSpec { place: found, ..LinkSpec::single(model, place, config.settings(&board)) };
            info!("found {}: {}", model.title, spec.id);
            specs.send(spec)?;
        }
        plugs.changed().await?;
        match link_watch::list() {
            Ok(now) => devices = now,
            Err(why) => warn!("devices cannot be listed now ({why}): what was plugged in may be seen at the next plug"),
        }
    }
}

/// The interval at which the service manager must be notified; none if it does not require that.
struct Watchdog(Option<Interval>);

impl Watchdog {
    /// Notifies twice within the timeout (sd_watchdog_enabled(3)).
    fn new() -> Watchdog {
        let every = sd_notify::watchdog_enabled().map(|patience| patience / 2).filter(|half| !half.is_zero());
        Watchdog(every.map(tokio::time::interval))
    }

    async fn due(&mut self) {
        match &mut self.0 {
            Some(interval) => drop(interval.tick().await),
            None => std::future::pending().await,
        }
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(why) = sd_notify::notify(states) {
        warn!("the service manager could not be told ({why})");
    }
}
