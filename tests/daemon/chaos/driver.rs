//! Runs one schedule: bus, disk, board, daemon, clients, and the faults at their times.

use super::WITHIN;
use super::line::Line;
use super::mock::{self, Mock};
use super::monitor::{self, Monitor};
use super::radio::Radio;
use super::rest::{Rest, rests};
use super::schedule::{FaultKind, Schedule};
use super::verdict::{self, Outcome, Published, Verdict};
use crate::daemon::disk::SmallDisk;
use crate::daemon::time_of_day::TimeOfDay;
use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use touchmove::game::event::Rotation;
use touchmove::publish::client::{Client, WatchItem, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::simulate::{Simulation, SimulationSetup};

/// The timeout for the daemon to be ready or to answer; exceeding it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between two comparisons of the record at the end.
const COMPARE_EVERY: Duration = Duration::from_millis(250);
/// The time for which the record has to stay exact.
const STAYS_EXACT: Duration = Duration::from_secs(2);
/// The interval at which the log is checked, in milliseconds.
const POLL_EVERY: u64 = 50;

/// Runs a schedule in a separate runtime.
pub fn run(schedule: &Schedule) -> Outcome {
    if let Some(reason) = mock::missing(schedule.model) {
        return Verdict::Skipped(reason).into();
    }
    // The disk is mounted first: a schedule that cannot have its fault proves nothing about it.
    let disk = match schedule.has(FaultKind::DiskFull).then(SmallDisk::mount) {
        Some(None) => return Verdict::Skipped("only root may mount the disk that is to be full").into(),
        disk => disk.flatten(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.block_on(Run::new(schedule, disk)?.play())));
    match outcome {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Verdict::Broken(error).into(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            Verdict::Broken(text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("panic").to_owned()).into()
        }
    }
}

/// The location of the journal: a small disk that can be filled if the schedule requires one.
enum State {
    Disk(SmallDisk),
    Dir(TempDir),
}

impl State {
    fn path(&self) -> &Path {
        match self {
            State::Disk(disk) => disk.path(),
            State::Dir(dir) => dir.path(),
        }
    }

    fn set_full(&self, full: bool) {
        match self {
            State::Disk(disk) if full => disk.fill(),
            State::Disk(disk) => disk.free_space(),
            State::Dir(_) => {}
        }
    }
}

/// The time of a fault, in real milliseconds.
struct Span {
    kind: FaultKind,
    from: u64,
    until: u64,
}

struct Run<'a> {
    schedule: &'a Schedule,
    truth: Vec<String>,
    rests: Vec<Rest>,
    ends_at: u64,
    // Dropped first: the daemon shuts down normally while its port still exists.
    daemon: Option<Daemon>,
    line: Line,
    port: PathBuf,
    /// The fake devices of a board without a serial port.
    mock: Option<Arc<Mutex<Mock>>>,
    /// The air of a board without a cable.
    radio: Option<Arc<Mutex<Radio>>>,
    state: State,
    _dir: TempDir,
    bus: PrivateBus,
    monitor: Option<Monitor>,
    /// Present if the schedule sets the time of day.
    time_of_day: Option<TimeOfDay>,
    log: String,
    spans: Vec<Span>,
    /// The number of times that this daemon has opened the port.
    opened: usize,
    /// The times at which a daemon was seen to have opened the port.
    opened_at: Vec<u64>,
    published: Arc<Mutex<Published>>,
    contradiction: Arc<Mutex<Option<String>>>,
}

impl<'a> Run<'a> {
    fn new(schedule: &'a Schedule, disk: Option<SmallDisk>) -> Result<Run<'a>, String> {
        let bus = PrivateBus::start().ok_or("no bus")?;
        let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
        let state = match disk {
            Some(disk) => State::Disk(disk),
            None => State::Dir(tempfile::tempdir().map_err(|error| error.to_string())?),
        };
        let sets_time = schedule.faults.iter().any(|fault| matches!(fault.kind, FaultKind::TimeOfDay(_)));
        let setup = SimulationSetup {
            profile: schedule.profile,
            clock: schedule.clock,
            rotation: Rotation::Upright,
            clock_turned: false,
            seed: schedule.number,
        };
        let mut simulation =
            Simulation::new(schedule.model, &schedule.game(), &setup).ok_or("no virtual board")?.without_aftermath();
        let truth = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
        let ends_at = simulation.truth().over_at / u64::from(schedule.speed);
        let rests = rests(simulation.script(), schedule.speed.into());
        let port = dir.path().join("board");
        let mock = schedule.is_mocked().then(|| Arc::new(Mutex::new(Mock::start(schedule.model, &mut simulation))));
        let radio = match schedule.is_wireless() {
            true => Some(Arc::new(Mutex::new(Radio::start(schedule.model).ok_or("no board in the air")?))),
            false => None,
        };
        let line = match (&mock, &radio) {
            (Some(mock), _) => Line::start(Arc::clone(mock), simulation, schedule),
            (None, Some(radio)) => Line::start(Arc::clone(radio), simulation, schedule),
            (None, None) => Line::open(&port, simulation, schedule),
        };
        Ok(Run {
            schedule,
            truth,
            rests,
            ends_at,
            daemon: None,
            line,
            port,
            mock,
            radio,
            state,
            _dir: dir,
            bus,
            monitor: None,
            time_of_day: sets_time.then(TimeOfDay::new).flatten(),
            log: String::new(),
            spans: Vec::new(),
            opened: 0,
            opened_at: Vec::new(),
            published: Arc::default(),
            contradiction: Arc::default(),
        })
    }

    fn start(&mut self) {
        let daemon = match (&self.mock, &self.radio) {
            (Some(mock), _) => mock.lock().unwrap().daemon(&self.bus, self.state.path()),
            (None, Some(radio)) => radio.lock().unwrap().daemon(&self.bus, self.state.path()),
            (None, None) => {
                let plain_command = || Command::new(env!("CARGO_BIN_EXE_touchmoved"));
                let command = self.time_of_day.as_ref().map_or_else(plain_command, TimeOfDay::touchmoved);
                Daemon::quiet_with(command, &self.bus, self.state.path(), &self.port, &["--board", self.schedule.model])
            }
        };
        if let Some(time) = &mut self.time_of_day {
            time.note(&daemon);
        }
        self.daemon = Some(daemon);
    }

    fn kill(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            self.log.push_str(&daemon.log());
            self.log.push_str("-- killed\n");
            daemon.kill();
            self.opened = 0;
            self.time_of_day.iter_mut().for_each(TimeOfDay::tidy_up);
            self.mock.iter().for_each(|mock| mock.lock().unwrap().renew());
        }
    }

    /// Records whether the daemon has opened the port.
    fn note_opened(&mut self) {
        let opened = self.daemon.as_ref().map_or(0, |daemon| daemon.log().matches("port opened").count());
        if opened > self.opened {
            self.opened_at.push(self.line.now().unwrap_or(0));
        }
        self.opened = opened;
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = self.daemon.as_ref().and_then(|daemon| Pid::from_raw(daemon.pid() as i32)) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Receives all published events until the bus goes away.
    async fn watch(&self) -> Result<tokio::task::JoinHandle<()>, String> {
        let client = client(&self.bus, Stream::Live).await;
        let mut watch = client.watch().await.map_err(|error| error.to_string())?;
        let (published, contradiction) = (Arc::clone(&self.published), Arc::clone(&self.contradiction));
        Ok(tokio::spawn(async move {
            let _client = client;
            while let Some(item) = watch.next().await {
                if let WatchItem::Happened(event) = item
                    && let Err(error) = published.lock().unwrap().signal(event)
                {
                    contradiction.lock().unwrap().get_or_insert(error);
                }
            }
        }))
    }

    async fn play(mut self) -> Result<Outcome, String> {
        let watcher = self.watch().await?;
        self.monitor = self.schedule.has_monitor().then(|| Monitor::start(&self.bus)).flatten();
        self.start();
        let started = Instant::now();
        while self.line.now().is_none() {
            if started.elapsed() > PATIENCE {
                return Ok(self.save_failure(Verdict::Broken("the daemon never sent anything to the board".to_owned())).into());
            }
            if self.mock.is_some() {
                self.note_opened();
                if self.opened > 0 {
                    self.line.begin();
                }
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let mut watchers = vec![watcher];
        for (at, fault, begins) in self.timeline() {
            self.wait_until(at).await;
            match (fault, begins) {
                (FaultKind::Killed, true) => self.kill(),
                (FaultKind::Killed, false) if self.daemon.is_none() => self.start(),
                (FaultKind::Stopped, begins) => self.signal(if begins { Signal::STOP } else { Signal::CONT }),
                (FaultKind::BusGone, true) => self.bus.kill(),
                (FaultKind::BusGone, false) => {
                    self.bus.restart();
                    watchers.push(self.watch().await?);
                    if let Some(monitor) = &mut self.monitor {
                        monitor.restart(&self.bus);
                    }
                }
                (FaultKind::DiskFull, full) => self.state.set_full(full),
                (FaultKind::TimeOfDay(seconds), true) => {
                    self.time_of_day.iter_mut().for_each(|time| time.jump(seconds));
                }
                // The board thread handles the other faults.
                _ => {}
            }
            self.note_span(at, fault, begins);
        }
        if self.daemon.is_none() {
            self.start();
        }
        self.signal(Signal::CONT);
        let last = self.schedule.faults.iter().map(|fault| fault.until).max().unwrap_or(0);
        self.wait_until(self.ends_at.max(last)).await;
        let verdict = self.compare().await?;
        let (verdict, monitored) = match verdict.is_failure() {
            true => (verdict, None),
            false => self.compare_monitor().await.map_or_else(|failure| (failure, None), |seen| (verdict, seen)),
        };
        watchers.iter().for_each(tokio::task::JoinHandle::abort);
        Ok(Outcome { verdict: self.save_failure(verdict), monitored })
    }

    fn note_span(&mut self, at: u64, kind: FaultKind, begins: bool) {
        if begins {
            return self.spans.push(Span { kind, from: at, until: u64::MAX });
        }
        // The board thread handles its faults in time, the others may be late.
        let until = if kind == FaultKind::Unplugged { at } else { self.line.now().unwrap_or(at) };
        if let Some(span) = self.spans.iter_mut().rfind(|span| span.kind == kind) {
            span.until = until;
        }
    }

    /// The rests that the daemon could observe: without a fault during them, and after it had opened the port again.
    fn observable_rests(&self) -> Vec<Rest> {
        let opened_after = |at: u64| self.opened_at.iter().copied().find(|opened| *opened >= at).unwrap_or(u64::MAX);
        let blind = |span: &Span| match span.kind {
            FaultKind::Killed | FaultKind::Unplugged => (span.from, opened_after(span.until)),
            _ => (span.from, span.until),
        };
        let faults: Vec<(u64, u64)> = self.spans.iter().map(blind).collect();
        self.rests.iter().filter(|rest| rest.is_clear_of(&faults)).cloned().collect()
    }

    /// The beginnings and ends of the faults in order. Overlapping faults of one kind are merged.
    fn timeline(&self) -> Vec<(u64, FaultKind, bool)> {
        let mut spans: Vec<(u64, u64, FaultKind)> = Vec::new();
        for fault in &self.schedule.faults {
            match spans.iter_mut().find(|span| span.2 == fault.kind && span.1 >= fault.from) {
                Some(span) => span.1 = span.1.max(fault.until),
                None => spans.push((fault.from, fault.until, fault.kind)),
            }
        }
        let mut timeline: Vec<(u64, FaultKind, bool)> =
            spans.into_iter().flat_map(|(from, until, kind)| [(from, kind, true), (until, kind, false)]).collect();
        timeline.sort_by_key(|(at, _, begins)| (*at, *begins));
        timeline
    }

    async fn wait_until(&mut self, at: u64) {
        while let Some(remaining) = at.checked_sub(self.line.now().unwrap_or(0)).filter(|remaining| *remaining > 0) {
            tokio::time::sleep(Duration::from_millis(remaining.min(POLL_EVERY))).await;
            self.note_opened();
        }
    }

    /// Compares the record until it is exact or the time is over. The time begins when the daemon first answers, and when the board
    /// was last stalled: until then a busy machine may not have let them run.
    async fn compare(&mut self) -> Result<Verdict, String> {
        let rests = self.observable_rests();
        let deadline = Instant::now() + PATIENCE;
        let mut end = None;
        let mut client = client(&self.bus, Stream::Live).await;
        let mut exact_since: Option<Instant> = None;
        loop {
            match self.judge(&client, &rests).await {
                Ok(verdict) => {
                    let end = *end.get_or_insert_with(|| Instant::now() + WITHIN);
                    let is_over = Instant::now() >= end && (self.line.steady() >= WITHIN || Instant::now() >= end + PATIENCE);
                    match verdict {
                        Verdict::Exact if exact_since.get_or_insert_with(Instant::now).elapsed() >= STAYS_EXACT => {
                            return Ok(self.contradicted().unwrap_or(Verdict::Exact));
                        }
                        Verdict::Exact => {}
                        verdict if is_over => return Ok(self.contradicted().unwrap_or(verdict)),
                        _ => exact_since = None,
                    }
                }
                Err(error) if Instant::now() >= end.unwrap_or(deadline) => return Ok(Verdict::Broken(error)),
                Err(_) => client = crate::harness::hall::client(&self.bus, Stream::Live).await,
            }
            tokio::time::sleep(COMPARE_EVERY).await;
        }
    }

    async fn judge(&self, client: &Client, rests: &[Rest]) -> Result<Verdict, String> {
        let snapshot = client.snapshot().await.map_err(|error| error.to_string())?;
        let mut last = Vec::new();
        for game in &snapshot.games {
            last = client.events(game.id).await.map_err(|error| error.to_string())?;
            if let Err(error) = self.published.lock().unwrap().compare(game.id, last.clone()) {
                return Ok(Verdict::Contradicted(error));
            }
        }
        Ok(verdict::judge(&snapshot, &last, &self.truth, self.schedule.sensing, rests))
    }

    /// Compares the events that the second client saw with the stored ones. Returns how many events it saw, or `None` without a
    /// second client.
    ///
    /// # Errors
    /// An event that it saw is not stored, or it saw nothing although it should have.
    async fn compare_monitor(&mut self) -> Result<Option<usize>, Verdict> {
        let Some(monitor) = self.monitor.take() else { return Ok(None) };
        let seen = monitor.stop();
        let stored_events = self.stored_events().await.map_err(Verdict::Broken)?;
        monitor::compare(&seen, &stored_events).map_err(Verdict::Contradicted)?;
        // The first event of a game has no signal, and an event that a daemon stored just before it was killed need not have
        // one.
        let is_published = stored_events.values().any(|events| events.len() > 1)
            && !self.schedule.has(FaultKind::BusGone)
            && (!self.schedule.has(FaultKind::Killed) || self.published.lock().unwrap().has_signals);
        match seen.is_empty() && is_published {
            true => Err(Verdict::Broken("gdbus saw no event, and events are stored".to_owned())),
            false => Ok(Some(seen.len())),
        }
    }

    /// All stored events, by game.
    async fn stored_events(&self) -> Result<BTreeMap<u64, Vec<WatchedEvent>>, String> {
        let client = client(&self.bus, Stream::Live).await;
        let mut stored_events = BTreeMap::new();
        for game in client.snapshot().await.map_err(|error| error.to_string())?.games {
            stored_events.insert(game.id, client.events(game.id).await.map_err(|error| error.to_string())?);
        }
        Ok(stored_events)
    }

    fn contradicted(&self) -> Option<Verdict> {
        self.contradiction.lock().unwrap().take().map(Verdict::Contradicted)
    }

    /// Saves the log and the state directory of a schedule that failed.
    fn save_failure(mut self, mut verdict: Verdict) -> Verdict {
        if let Some(daemon) = &self.daemon {
            self.log.push_str(&daemon.log());
        }
        if let Some(Ok(mock)) = self.mock.as_ref().map(|mock| mock.lock()) {
            self.log.push_str(&mock.log());
        }
        if self.log.contains("panicked") && !verdict.is_failure() {
            verdict = Verdict::Broken("the daemon panicked".to_owned());
        }
        if verdict.is_failure() || std::env::var_os("SCHEDULE").is_some() {
            let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("chaos").join(self.schedule.number.to_string());
            let _ = std::fs::remove_dir_all(&dir);
            std::fs::create_dir_all(&dir).expect("a directory for what failed");
            let _ = std::fs::write(dir.join("log"), format!("{}\n{verdict}\n{}", self.schedule, self.log));
            let _ = std::process::Command::new("cp").arg("-r").arg(self.state.path()).arg(dir.join("state")).status();
        }
        verdict
    }
}
