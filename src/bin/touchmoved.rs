//! `touchmoved`: reads electronic chessboards and publishes games over D-Bus.
#![forbid(unsafe_code)]

#[path = "touchmoved/args.rs"] // not beside this file: there it would be a program
mod args;
#[path = "touchmoved/open_files.rs"]
mod open_files;
#[path = "touchmoved/restart.rs"]
mod restart;
#[path = "touchmoved/service_manager.rs"]
mod service_manager;

use anyhow::Context;
use args::Args;
use clap::Parser;
use sd_notify::NotifyState;
use service_manager::{Watchdog, bus_status, notify, notify_ready};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use touchmove::config::overrides::OverridesError;
use touchmove::config::{self, Config, ConfigError};
use touchmove::daemon::bluetooth_search::BluetoothSearch;
use touchmove::daemon::calibration::CalibrationDir;
use touchmove::daemon::delayed_view::RELEASE_FILE;
use touchmove::daemon::discovery::Discovery;
use touchmove::daemon::hub::{BoardId, JOURNAL_DAMAGED};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::links::{self, LinkSpec, PlugEvents, PortSelector};
use touchmove::daemon::live_config::{LiveConfig, StartConfig};
use touchmove::daemon::recorder::Recordings;
use touchmove::daemon::rounds;
use touchmove::daemon::start_backoff::StartBackoff;
use touchmove::daemon::unused_devices;
use touchmove::daemon::{DelayedView, Hub};
use touchmove::game::Delay;
use touchmove::hall::role::{self, StartRole};
use touchmove::hall::service::{self, HallContext};
use touchmove::link::bluetooth::Radio;
use touchmove::link::{BoardLocation, watch as link_watch};
use touchmove::names::MANAGER_INTERFACE;
use touchmove::publish::dbus::Bus;
use touchmove::publish::{FRONT_ENDS, STANDBY_FRONT_ENDS, front_end, livechess};
use tracing::{error, info, warn};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Total time for boards, journal and front-ends to stop. It must be shorter than TimeoutStopSec= of the unit.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);
/// Part of this time for the boards; the rest is for storing and publishing their last readings.
const BOARDS_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the threads that read files and devices may take to end, after everything else has ended.
const THREADS_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Minimum time, after the service was ready, for a start to count as successful. An end after that does not delay the next start.
const STABLE_START: Duration = Duration::from_secs(10);

/// Exit code if a file is invalid: the configuration, an edition of the Laws, messages (EX_CONFIG of sysexits.h). The service
/// manager does not restart the service then; any other failure may be temporary.
const EX_CONFIG: u8 = 78;

fn main() -> ExitCode {
    let args = Args::parse();
    let filter = std::env::var("TOUCHMOVE_LOG").ok().and_then(|directives| directives.parse().ok());
    // Connections are logged by those who use them, to the message server of a hall once and not at each attempt.
    let quiet = [("zbus", LevelFilter::WARN), ("async_nats", LevelFilter::OFF)];
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO).with_targets(quiet));
    let colour = std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    let log_layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colour).with_target(false);
    tracing_subscriber::registry().with(filter).with(log_layer).init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(run(args));
            // Files and devices that other threads wait for must not delay the end.
            runtime.shutdown_timeout(THREADS_SHUTDOWN_TIMEOUT);
            outcome
        }
        Err(error) => Err(error).context("cannot start"),
    };
    match outcome {
        Ok(End::Stop) => ExitCode::SUCCESS,
        Ok(End::Restart) => restart::restart(),
        Err(error) => {
            match error.downcast_ref::<ConfigError>() {
                None | Some(ConfigError::Missing { .. }) => eprintln!("touchmoved: {error:#}"),
                // Lines that begin with file, line and column, which editors understand too.
                Some(error) => eprintln!("{error}"),
            }
            if error.is::<ConfigError>() || error.is::<OverridesError>() {
                ExitCode::from(EX_CONFIG)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

/// Why touchmoved ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It was stopped.
    Stop,
    /// It must start again: the role of this hub has changed.
    Restart,
}

async fn run(args: Args) -> anyhow::Result<End> {
    open_files::allow();
    if let Some(path) = args.config.clone().filter(|path| !path.exists()) {
        return Err(ConfigError::Missing { path }.into());
    }
    config::overrides::load()?.iter().for_each(|warning| warn!("{warning}"));
    let path = args.config.clone().unwrap_or_else(Config::default_path);
    let (config, text) = Config::load_with_text(&path)?;
    let state_dir = args.state_dir.clone().unwrap_or_else(|| config.state_dir());
    if let Some(conflict) = config.files_conflict(&state_dir) {
        return Err(ConfigError::FilesConflict { path, reason: conflict }.into());
    }
    let start = StartConfig::new(config, &path, text, &state_dir);
    let config = start.config.clone();
    if args.check_config {
        start.ignored.iter().for_each(|warning| println!("{}: warning: {warning}", path.display()));
        config.warnings().iter().for_each(|warning| println!("{}: warning: {warning}", path.display()));
        let exposed = config.exposed_secrets();
        if !exposed.is_empty() {
            return Err(ConfigError::Exposed { path, exposed }.into());
        }
        if path.exists() {
            println!("{}: no problem found", path.display());
        } else {
            println!("{}: the file does not exist, so the defaults apply; no problem found", path.display());
        }
        return Ok(End::Stop);
    }
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let backoff = StartBackoff::from_env();
    let interrupted = tokio::select! {
        () = wait_backoff(&backoff) => false,
        _ = terminate.recv() => true,
        _ = interrupt.recv() => true,
    };
    if interrupted {
        backoff.reset();
        return Ok(End::Stop);
    }
    config.warnings().iter().for_each(|warning| warn!("{warning}"));
    config.exposed_secrets().iter().for_each(|warning| warn!("{warning}"));
    let recordings = config.recordings.map(|limits| Recordings { dir: state_dir.join("recordings"), limits });
    let calibrations = CalibrationDir(state_dir.join("calibration"));
    let (journal, notices) = Journal::open(&state_dir)?;
    let hub = Hub::new(journal, &config.tags.pairs());
    hub.set_public_delay(config.delay);
    if !notices.is_empty() {
        let brief = format!("the journal was damaged: for what was done, see property Problems of {MANAGER_INTERFACE}");
        notices.iter().for_each(|notice| hub.log_failure(&brief, &notice.to_string()));
        let sentences: Vec<&str> = notices.iter().map(|notice| notice.message.as_str()).collect();
        hub.set_health_problem(JOURNAL_DAMAGED, None, Some(sentences.join("; ")));
    }
    let (stop_front_ends, front_ends_stop) = watch::channel(false);
    notify(&[NotifyState::Watchdog]);
    let start_role = role::at_start(&config.hall, &state_dir, &hub).await;
    notify(&[NotifyState::Watchdog]);
    let stands_by = start_role == StartRole::StandsBy;
    let delayed_view = DelayedView::new(Arc::clone(&hub), config.delay, config.illegal_moves);
    if !stands_by {
        hub.load_desk(&state_dir).await;
        delayed_view.set_release_file(state_dir.join(RELEASE_FILE));
    }
    if start_role != StartRole::Alone {
        delayed_view.copy_releases();
    }
    let live_config = LiveConfig::new(start, &hub, &delayed_view);
    let (stop_delayed_view, delayed_view_stop) = watch::channel(false);
    // The public of a hub that stands by sees nothing.
    let delayed_view_task = (!stands_by).then(|| tokio::spawn(Arc::clone(&delayed_view).run(delayed_view_stop)));
    if config.delay != Delay::default() {
        info!("public front-ends are delayed by {} s and {} plies", config.delay.ms / 1000, config.delay.plies);
    }
    let context = front_end::Context {
        hub: Arc::clone(&hub),
        delayed_view: Arc::clone(&delayed_view),
        live_config: Arc::clone(&live_config),
        login_codes: Arc::default(),
        front_end_states: Arc::default(),
        state_dir: state_dir.clone(),
        bus: bus(&args, &config),
        stop: front_ends_stop.clone(),
    };
    let (mut front_ends, name_states) = front_end::start_all(if stands_by { STANDBY_FRONT_ENDS } else { FRONT_ENDS }, &context);
    front_ends.spawn({
        let (hub, name_states, stop) = (Arc::clone(&hub), name_states.clone(), front_ends_stop.clone());
        async move {
            bus_status(name_states).await;
            hub.check_journal(stop).await;
        }
    });
    if !stands_by {
        front_ends.spawn(rounds::run(Arc::clone(&hub), front_ends_stop.clone()));
    }
    // The boards of other machines end before the journal is closed, as those of this one do.
    let (stop_hall, hall_stop) = watch::channel(false);
    let restart = Arc::new(Notify::new());
    let hall = HallContext {
        hub: Arc::clone(&hub),
        delayed_view: Arc::clone(&delayed_view),
        live_config: Arc::clone(&live_config),
        state_dir,
        start_role,
        restart: Arc::clone(&restart),
        stop: hall_stop,
    };
    let hall = tokio::spawn(service::run(hall));
    let (laws_sender, laws) = watch::channel(config.laws());
    let mut configs = live_config.subscribe();
    let (stop_links, links_stop) = watch::channel(false);
    let (specs, mut wanted) = mpsc::unbounded_channel();
    let mut links = JoinSet::new();
    let radio = Radio::default();
    links.spawn(BluetoothSearch::new(Arc::clone(&hub), radio.clone(), &config).run(links_stop.clone()));
    let (plugged, plugs) = watch::channel(0);
    let serve = async {
        tokio::select! {
            // The boards of a hub that stands by are not served: the games of a hub's own boards are in no other hub.
            outcome = boards(&args, &config, plugs.clone(), specs), if !stands_by => outcome,
            () = hotplug(plugged) => Ok(()),
            () = report_unused(&args, &config, &hub, plugs.clone()) => Ok(()),
        }
    };
    let started = async {
        notify_ready(name_states).await;
        sleep(STABLE_START).await;
        backoff.reset();
    };
    let mut tasks = pin!(async { tokio::join!(started, serve) });
    let (mut failure, mut end) = (None, End::Stop);
    let mut watchdog = Watchdog::new();
    loop {
        tokio::select! {
            () = watchdog.due() => {
                // If the hub or this thread hangs, this stops, too, and the watchdog ends the service.
                hub.read(|_| notify(&[NotifyState::Watchdog]));
                continue;
            }
            Ok(()) = configs.changed() => {
                let laws = configs.borrow_and_update().laws();
                laws_sender.send_if_modified(|known| std::mem::replace(known, laws) != laws);
                continue;
            }
            (_, outcome) = &mut tasks => failure = outcome.err(),
            Some(mut spec) = wanted.recv() => {
                spec.recordings.clone_from(&recordings);
                spec.plugs = plugs.clone();
                spec.radio = radio.clone();
                spec.calibrations = Some(calibrations.clone());
                spec.laws = laws.clone();
                spec.shares_readings = livechess::is_live(&config, &hub);
                links.spawn(links::run(spec, Arc::clone(&hub), links_stop.clone()));
                continue;
            }
            Some(ended) = links.join_next() => failure = match ended {
                Ok(()) => continue,
                Err(error) => Some(anyhow::Error::new(error).context("a board's task failed; please report this")),
            },
            () = restart.notified() => end = End::Restart,
            _ = terminate.recv() => info!("received SIGTERM: stopping"),
            _ = interrupt.recv() => info!("received SIGINT: stopping"),
        }
        break;
    }

    if failure.is_none() {
        backoff.reset();
    }
    // In this order: no more readings, then all readings are stored, then everything stored is published.
    notify(&[if end == End::Restart { NotifyState::Reloading } else { NotifyState::Stopping }, NotifyState::Watchdog]);
    let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
    stop_links.send_replace(true);
    if timeout(BOARDS_SHUTDOWN_TIMEOUT, async { while links.join_next().await.is_some() {} }).await.is_err() {
        warn!(
            "{} boards could not be released within {} s: their tasks are aborted",
            links.len(),
            BOARDS_SHUTDOWN_TIMEOUT.as_secs()
        );
        links.abort_all();
    }
    stop_hall.send_replace(true);
    let _ = timeout(BOARDS_SHUTDOWN_TIMEOUT, hall).await;
    if timeout_at(deadline, hub.drain()).await.is_err() {
        error!("the journal could not be written in time: the last moves are not stored");
    }
    stop_delayed_view.send_replace(true);
    if let Some(task) = delayed_view_task {
        let _ = timeout_at(deadline, task).await;
    }
    stop_front_ends.send_replace(true);
    let _ = timeout_at(deadline, async { while front_ends.join_next().await.is_some() {} }).await;
    failure.map_or(Ok(end), Err)
}

fn bus(args: &Args, config: &Config) -> Bus {
    // The configuration has been validated: any other word is an address, and `auto` does not parse as a bus.
    args.bus.clone().or_else(|| config.bus.parse().ok()).unwrap_or_default()
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
        Err(error) => {
            warn!("failed starts cannot be counted ({error}): the runtime directory must belong to the user of touchmoved")
        }
    }
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
            Err(error) => {
                warn!("devices cannot be listed ({error}): a new board may be found only when the next device is plugged in")
            }
        }
    }
}
