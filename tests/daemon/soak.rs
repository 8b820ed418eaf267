//! A year of tournament days in minutes: memory, file descriptors and files of the service do not grow with the days, except for the
//! journal with its games, and a start with a full journal stays short.
//!
//! Each day begins with a start: journal, hub, recordings, files and page are opened, an arbiter logs in, every board plays its rounds,
//! and all is closed again. The bytes of boards and the events of tables come from games that virtual boards have played in simulated
//! time. The test runs in a process of its own, so that nothing else is counted. `make soak DAYS=365 HALL=9 SEED=1` is the long form;
//! the seed decides games and hands.

use crate::core::simulate::random_games_from;
use crate::front_ends::web::{post, send_request};
use crate::harness::{Board, Daemon, PrivateBus, until};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpStream;
use tokio::sync::watch;
use touchmove::boards::{LinkState, Millis, model};
use touchmove::config::{Config, DiskLimits};
use touchmove::daemon::hub::{BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::live_config::{LiveConfig, StartConfig};
use touchmove::daemon::recorder::{Recorder, Recordings};
use touchmove::daemon::{DelayedView, Hub};
use touchmove::game::event::Rotation;
use touchmove::game::rights::Role;
use touchmove::game::{Event, StampedEvent};
use touchmove::lab::run::{self, HostInput, RunEvent, VirtualCable};
use touchmove::link::recording::{Entry, WriteOutcome};
use touchmove::publish::dbus::Bus;
use touchmove::publish::files;
use touchmove::publish::front_end::Context;
use touchmove::publish::web::tokens::TokenStore;
use touchmove::publish::web::{self, WebState};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Settings, Table};

/// The environment variable with the days, boards and seed of the child process.
const PLAN_VARIABLE: &str = "TOUCHMOVE_SOAK";
/// Rounds per day.
const ROUNDS: i64 = 2;
/// How many different games there are; days and boards use them in turn.
const GAMES: u64 = 5;
/// How many steps of a table are stored at once, so that a year takes minutes.
const STEPS: usize = 50;
/// The first day: 2026-01-01, in milliseconds.
const FIRST_DAY: i64 = 1_767_225_600_000;
/// The length of a day, in milliseconds.
const DAY: i64 = 86_400_000;
/// The disk space for recordings, in bytes: enough for a few days.
const RECORDINGS_LIMIT: u64 = 1_000_000;
/// The maximum number of games that are remembered as public.
const PUBLIC_GAMES_LIMIT: usize = 1_100;
/// The maximum number of sessions of one token.
const SESSIONS_LIMIT: usize = 64;
/// How long a start with a million events in the journal should take at most, in milliseconds. The goal is printed and not asserted,
/// since the time depends on the machine.
const OPENING_GOAL_MS: u64 = 1_000;

/// A game: the bytes of its board with their times, and the events of its table, step by step.
struct Game {
    chunks: Vec<(Millis, Vec<u8>)>,
    steps: Vec<Vec<StampedEvent>>,
}

fn games(seed: u64) -> Vec<Game> {
    // Seeds from 1 on share no game.
    let first = seed.saturating_sub(1) * GAMES;
    let play =
        |(seed, game)| {
            let setup = SimulationSetup { profile: &CLUB, clock: true, rotation: Rotation::Upright, clock_turned: false, seed };
            let simulation = Simulation::new("dgt", game, &setup).unwrap();
            let until = simulation.ends_at();
            let (mut chunks, mut steps, mut step) = (Vec::new(), Vec::new(), Vec::new());
            let mut protocol = (model("dgt").unwrap().protocol)();
            let mut table = Table::new(Settings::default());
            run::play(&mut VirtualCable::new(simulation), &mut *protocol, &mut table, until, &mut |now, run_event| {
                match run_event {
                    RunEvent::Input(HostInput::Bytes(bytes, _)) => chunks.push((now, bytes.clone())),
                    RunEvent::Event(event) => step.push(event.clone()),
                    RunEvent::Handled(_) if !step.is_empty() => steps.push(std::mem::take(&mut step)),
                    _ => {}
                }
            });
            let starts =
                |step: &Vec<StampedEvent>| step.iter().any(|stamped| matches!(stamped.event, Event::GameStarted { .. }));
            // Only the first game, without the one that begins when the pieces are set up again.
            let next = steps.iter().enumerate().filter(|(_, step)| starts(step)).nth(1).map_or(steps.len(), |(index, _)| index);
            steps.truncate(next);
            Game { chunks, steps }
        };
    (first + 1..).zip(&random_games_from(first, GAMES, 80)).map(play).collect()
}

/// The resources that the service uses.
#[derive(Clone, Copy, Debug)]
struct Usage {
    days: i64,
    events: u64,
    /// Bytes of anonymous memory, and open file descriptors.
    memory: u64,
    descriptors: usize,
    /// Bytes of the journal.
    journal: u64,
    /// Bytes of the other state files, of recordings, and of the games as files with the number of these files.
    other_state: u64,
    recorded: u64,
    public: (u64, usize),
    /// How long it took to open the service for all boards, in milliseconds.
    opened_ms: u128,
}

impl Usage {
    fn now(days: i64, events: u64, dir: &Path, opened_ms: u128) -> Usage {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let kb = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        let is_journal =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("journal.sqlite3"));
        let (journal, other_state): (Vec<_>, Vec<_>) =
            files_below(&dir.join(STATE), false).into_iter().partition(|(path, _)| is_journal(path));
        let sum = |files: &[(PathBuf, u64)]| files.iter().map(|(_, length)| length).sum();
        let (recorded, public) = (files_below(&dir.join(STATE).join("recordings"), true), files_below(&dir.join(PUBLIC), true));
        Usage {
            days,
            events,
            memory: kb.expect("a figure") * 1024,
            descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
            journal: sum(&journal),
            other_state: sum(&other_state),
            recorded: sum(&recorded),
            public: (sum(&public), public.len()),
            opened_ms,
        }
    }
}

/// The state directory of the service, and the directory of the games as files.
const STATE: &str = "state";
const PUBLIC: &str = "public";

/// The files in this directory with their lengths; if `deep`, also those in subdirectories.
fn files_below(dir: &Path, deep: bool) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.flat_map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => {
            if deep {
                files_below(&entry.path(), true)
            } else {
                Vec::new()
            }
        }
        Ok(found) => vec![(entry.path(), found.len())],
        Err(_) => Vec::new(),
    });
    files.collect()
}

/// The web server of one day, and a client of it.
struct Page {
    port: u16,
    serving: tokio::task::JoinHandle<()>,
}

impl Page {
    async fn open(hub: &Arc<Hub>, view: &Arc<DelayedView>, dir: &Path, stop: watch::Receiver<bool>) -> Page {
        // The web server does not report the port that the system chose.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = dir.join("touchmoved.toml");
        std::fs::write(&path, format!("[web]\nlisten = '127.0.0.1:{port}'\n")).unwrap();
        let config = Config::load(&path).unwrap();
        let start = StartConfig::new(config.clone(), &path, String::new(), &dir.join(STATE));
        let context = Context {
            hub: Arc::clone(hub),
            delayed_view: Arc::clone(view),
            live_config: LiveConfig::new(start, hub, view),
            front_end_states: Arc::default(),
            login_codes: Arc::default(),
            state_dir: dir.join(STATE),
            bus: Bus::Session,
            stop,
        };
        let web = WebState::new(&context, &config);
        let serving = tokio::spawn(web::run(web, |_| {}));
        until("the page", async || TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Page { port, serving }
    }

    /// Logs in as an arbiter, and reads the state and the games.
    async fn read_as_arbiter(&self, token: &str, boards: usize) {
        let answer = post(self.port, "/api/login", "", &json!({ "token": token })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let state = send_request(self.port, "GET /api/state", &answer.cookie(), "").await.json();
        assert_eq!((&state["who"]["name"], state["boards"].as_array().map(Vec::len)), (&json!("Anna"), Some(boards)));
        for board in state["boards"].as_array().unwrap() {
            let pgn = send_request(self.port, &format!("GET /api/games/{}/pgn", board["game"]["id"]), "", "").await;
            assert!(pgn.status == 200 && pgn.body.contains("1. "), "{}", pgn.body);
        }
    }
}

/// One day: the service is started, every board plays, and it is stopped. Returns the number of durable events and how long the start
/// took, in milliseconds.
async fn day(dir: &Path, day: i64, boards: usize, games: &[Game], token: &str) -> (u64, u128) {
    let began = Instant::now();
    let state = dir.join(STATE);
    let journal = until("the journal of the day before is closed", async || Journal::open(&state).ok()).await.0;
    let hub = Hub::new(journal, &[]);
    let view = DelayedView::new(Arc::clone(&hub), Default::default(), Default::default());
    view.set_release_file(state.join("public.json"));
    let (stop, stopped) = watch::channel(false);
    let showing = tokio::spawn(Arc::clone(&view).run(stopped.clone()));
    let (tags, files_stop) = (vec![("Event".to_owned(), "City Open".to_owned())], stopped.clone());
    let writing =
        tokio::spawn(files::run(Arc::clone(&view), dir.join(PUBLIC), tags, |error| assert_eq!(error, None), files_stop));
    let dgt = model("dgt").unwrap();
    let names = (1..=boards).map(|board| BoardId::new(&format!("board-{board}")));
    let handles: Vec<_> = names.map(|id| (id.clone(), hub.register_board(BoardView::new(id, dgt, dgt.sensing)).0)).collect();
    let opened_ms = began.elapsed().as_millis();
    let page = Page::open(&hub, &view, dir, stopped).await;
    let limits = DiskLimits { max: RECORDINGS_LIMIT, reserve: 0 };
    let recordings = Recordings { dir: state.join("recordings"), limits };
    let recorder = |id: &BoardId| Recorder::new(Arc::clone(&hub), recordings.clone(), id.clone(), "dgt", &Settings::default());
    let mut recorders: Vec<Recorder> = handles.iter().map(|(id, _)| recorder(id)).collect();
    let mut count = 0;
    for round in 0..ROUNDS {
        let epoch = FIRST_DAY + day * DAY + round * DAY / 4;
        let mut expect = Vec::new();
        for (index, (id, handle)) in handles.iter().enumerate() {
            let Game { chunks, steps } = &games[(day as usize * ROUNDS as usize + round as usize + index) % games.len()];
            record(&mut recorders[index], chunks);
            for steps in steps.chunks(STEPS) {
                handle.publish(epoch, steps.concat(), |_| (), None);
            }
            let numbers = steps.iter().flatten().filter_map(|stamped| stamped.number);
            let last = numbers.max().expect("something happened");
            count += last;
            expect.push((id, last, epoch));
        }
        let is_published = || {
            hub.read(|state| {
                expect.iter().all(|(id, last, epoch)| {
                    let game = state.boards.get(id).and_then(|board| state.games.get(&board.game?));
                    game.is_some_and(|game| game.record.last_number == *last && game.epoch_wall_ms >= *epoch)
                })
            })
        };
        until("every game is stored and published", async || is_published().then_some(())).await;
        let is_public = || {
            view.read(|state| {
                let shows = |id: &BoardId| state.boards.get(id).and_then(|board| state.games.get(&board.game?));
                expect.iter().all(|(id, _, epoch)| shows(id).is_some_and(|game| game.epoch_wall_ms >= *epoch))
            })
        };
        until("every game is public", async || is_public().then_some(())).await;
        page.read_as_arbiter(token, boards).await;
    }
    assert!(hub.read(|state| state.health_problems.is_empty()), "a health problem was reported");
    drop((handles, recorders));
    hub.drain().await;
    stop.send_replace(true);
    for task in [showing, writing, page.serving] {
        task.await.unwrap();
    }
    (count, opened_ms)
}

/// Records a game.
fn record(recorder: &mut Recorder, chunks: &[(Millis, Vec<u8>)]) {
    recorder.begin(0, None);
    let link = (0, Entry::Link(LinkState::Up));
    for (now, entry) in std::iter::once(link).chain(chunks.iter().map(|(now, bytes)| (*now, Entry::Rx(bytes.clone())))) {
        if recorder.write(now, entry.clone()) == WriteOutcome::Full {
            recorder.begin(now, None);
            assert_eq!(recorder.write(now, entry), WriteOutcome::Recorded);
        }
    }
}

/// Runs the days, in a process that does nothing else.
fn run(days: i64, boards: usize, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let games = games(seed);
    println!("{days} days with {boards} boards, SEED={seed}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut events, mut usage) = (0, Vec::new());
    std::fs::create_dir(dir.path().join(STATE)).unwrap();
    let token = TokenStore::of(&dir.path().join(STATE)).create("Anna", Role::Arbiter, 0).unwrap();
    println!("  days    events  memory  descriptors  journal, bytes an event other files  recordings  files, count  opened in");
    for number in 0..days {
        let (count, opened_ms) = runtime.block_on(day(dir.path(), number, boards, &games, &token));
        events += count;
        if (number + 1) % (days / 12).max(1) == 0 {
            let now = Usage::now(number + 1, events, dir.path(), opened_ms);
            println!(
                "{:6} {:9} {:5.1} MB {:12} {:24.0} {:8.1} kB {:8.1} MB {:6} kB {:4} {:7} ms",
                now.days,
                now.events,
                now.memory as f64 / 1e6,
                now.descriptors,
                now.journal as f64 / now.events as f64,
                now.other_state as f64 / 1e3,
                now.recorded as f64 / 1e6,
                now.public.0 / 1000,
                now.public.1,
                now.opened_ms
            );
            usage.push(now);
        }
    }
    // This closes the journal.
    drop(runtime);
    let (Some(first), Some(last)) = (usage.first(), usage.last()) else { panic!("no day has passed") };
    assert_eq!(first.descriptors, last.descriptors, "descriptors are left open");
    assert!(last.memory < first.memory * 2 + (8 << 20), "memory grows with the days: {first:?}, {last:?}");
    let size = |usage: &Usage| usage.journal / usage.events;
    assert!(size(last) <= size(first) * 2, "the bytes per event grow: {first:?}, {last:?}");
    assert!(
        last.recorded <= RECORDINGS_LIMIT && last.recorded > RECORDINGS_LIMIT / 4,
        "recordings take {} bytes",
        last.recorded
    );
    assert!(
        first.public.1 == last.public.1 && last.public.0 < first.public.0 * 2,
        "the games as files grow: {first:?}, {last:?}"
    );
    assert!(last.other_state < first.other_state * 2, "the other state files grow: {first:?}, {last:?}");
    let stored = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(dir.path().join(STATE).join(name)).unwrap()).unwrap()
    };
    let public = stored("public.json").as_object().unwrap().len();
    assert!(public <= PUBLIC_GAMES_LIMIT, "{public} public games are remembered");
    let sessions = stored("sessions.json").as_array().unwrap().len();
    assert!(sessions <= SESSIONS_LIMIT, "{sessions} sessions are stored");

    let Some(bus) = PrivateBus::start() else { return };
    let board = Board::plugged();
    let began = Instant::now();
    let daemon = Daemon::quiet(&bus, &dir.path().join(STATE), &board.path(), &[]);
    daemon.ready();
    println!(
        "SEED={seed}, {days} days: touchmoved is ready {} ms after its start, with {} events in the journal (goal: {OPENING_GOAL_MS} ms \
         with a million)",
        began.elapsed().as_millis(),
        last.events
    );
}

#[test]
fn nothing_grows_with_the_days() {
    if let Ok(plan) = std::env::var(PLAN_VARIABLE) {
        let [days, boards, seed] = plan.split('x').collect::<Vec<_>>()[..] else {
            panic!("{plan} is not days x boards x seed")
        };
        return run(days.parse().unwrap(), boards.parse().unwrap(), seed.parse().unwrap());
    }
    let number = |name, or: &str| std::env::var(name).unwrap_or_else(|_| or.to_owned());
    let plan = format!("{}x{}x{}", number("DAYS", "8"), number("HALL", "2"), number("SEED", "1"));
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&test, "--exact", "--nocapture"])
        .env(PLAN_VARIABLE, plan)
        .output();
    let child = child.unwrap();
    println!("{}{}", String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success());
}
