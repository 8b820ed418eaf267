//! A year of tournament days in minutes: what the service keeps in memory, in descriptors and on disk does not grow with the days,
//! but for the journal by what was played, and a start on all of it stays short.
//!
//! Each day is a start of its own: journal, hub, recordings, files and page are opened, an arbiter logs in, every board plays its
//! rounds, and all is closed again. What boards and tables say comes from games that virtual boards have played in simulated time.
//! It runs in a process of its own, so that nothing else is counted. `make soak DAYS=365 HALL=9 SEED=1` is the long form;
//! games and hands are drawn by the seed.

use crate::harness::{Board, Daemon, PrivateBus, until};
use crate::simulate::random_games_from;
use crate::web::{ask, post};
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
use touchmove::ctl::run::{self, HostInput, RunEvent, VirtualCable};
use touchmove::daemon::hub::{BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::daemon::recorder::{Recorder, Recordings};
use touchmove::daemon::{DelayedView, Hub};
use touchmove::game::event::Rotation;
use touchmove::game::{Event, StampedEvent};
use touchmove::link::recording::{Entry, WriteOutcome};
use touchmove::publish::files;
use touchmove::publish::web::tokens::{Role, TokenStore};
use touchmove::publish::web::{self, WebState};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Settings, Table};

/// Tells the process of its own how many days and boards, and which seed.
const PLAN: &str = "TOUCHMOVE_SOAK";
/// Rounds a day.
const ROUNDS: i64 = 2;
/// Different games; days and boards take turns.
const GAMES: u64 = 5;
/// So much that a table says is stored at once: a year is to take minutes.
const STEPS: usize = 50;
/// The first day: 2026-01-01, in milliseconds.
const FIRST_DAY: i64 = 1_767_225_600_000;
/// From one to the next, in milliseconds.
const DAY: i64 = 86_400_000;
/// Room for recordings, in bytes: for some days.
const RECORDED: u64 = 1_000_000;
/// So many games are remembered to have been public, with those at hand; and so many sessions of one token.
const REMEMBERED: usize = 1_100;
const SESSIONS: usize = 64;
/// A start with a million events in the journal should take no longer, in milliseconds. It is printed beside the figure and not
/// asserted, since it depends on the machine.
const OPENING_GOAL_MS: u64 = 1_000;

/// A game: what its board says, and what its table says of that, step by step.
struct Game {
    said: Vec<(Millis, Vec<u8>)>,
    steps: Vec<Vec<StampedEvent>>,
}

fn games(seed: u64) -> Vec<Game> {
    // Seeds from 1 on share no game.
    let first = seed.saturating_sub(1) * GAMES;
    let play = |(seed, game)| {
        let scene = SimulationSetup { profile: &CLUB, clock: true, rotation: Rotation::Upright, clock_turned: false, seed };
        let stage = Simulation::new("dgt", game, &scene).unwrap();
        let until = stage.ends_at();
        let (mut said, mut steps, mut step) = (Vec::new(), Vec::new(), Vec::new());
        let mut protocol = (model("dgt").unwrap().protocol)();
        let mut table = Table::new(Settings::default());
        run::play(&mut VirtualCable::new(stage), &mut *protocol, &mut table, until, &mut |now, moment| match moment {
            RunEvent::Input(HostInput::Bytes(bytes, _)) => said.push((now, bytes.clone())),
            RunEvent::Event(event) => step.push(event.clone()),
            RunEvent::Handled(_) if !step.is_empty() => steps.push(std::mem::take(&mut step)),
            _ => {}
        });
        let starts = |step: &Vec<StampedEvent>| step.iter().any(|stamped| matches!(stamped.event, Event::GameStarted { .. }));
        // One game, and not the pieces that are put up after it.
        let next = steps.iter().enumerate().filter(|(_, step)| starts(step)).nth(1).map_or(steps.len(), |(index, _)| index);
        steps.truncate(next);
        Game { said, steps }
    };
    (first + 1..).zip(&random_games_from(first, GAMES, 80)).map(play).collect()
}

/// What the service takes.
#[derive(Clone, Copy, Debug)]
struct Taken {
    days: i64,
    events: u64,
    /// Bytes of memory that are its own, and open descriptors.
    memory: u64,
    descriptors: usize,
    /// Bytes of the journal.
    journal: u64,
    /// Bytes of the files beside it, of recordings, and of the games as files, and how many files these are.
    beside: u64,
    recorded: u64,
    public: (u64, usize),
    /// How long it took to open it for all boards, in milliseconds.
    opened_ms: u128,
}

impl Taken {
    fn now(days: i64, events: u64, dir: &Path, opened_ms: u128) -> Taken {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let kb = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        let is_journal =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("journal.sqlite3"));
        let (journal, beside): (Vec<_>, Vec<_>) =
            below(&dir.join(STATE), false).into_iter().partition(|(path, _)| is_journal(path));
        let sum = |files: &[(PathBuf, u64)]| files.iter().map(|(_, length)| length).sum();
        let (recorded, public) = (below(&dir.join(STATE).join("recordings"), true), below(&dir.join(PUBLIC), true));
        Taken {
            days,
            events,
            memory: kb.expect("a figure") * 1024,
            descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
            journal: sum(&journal),
            beside: sum(&beside),
            recorded: sum(&recorded),
            public: (sum(&public), public.len()),
            opened_ms,
        }
    }
}

/// Below the directory of all: where the service keeps what it has to know, and the games as files.
const STATE: &str = "state";
const PUBLIC: &str = "public";

/// Files in this directory, and those below it where that is wanted, with their lengths.
fn below(dir: &Path, deep: bool) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.flat_map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => {
            if deep {
                below(&entry.path(), true)
            } else {
                Vec::new()
            }
        }
        Ok(found) => vec![(entry.path(), found.len())],
        Err(_) => Vec::new(),
    });
    files.collect()
}

/// The page of one day, and one who looks at it.
struct Page {
    port: u16,
    serving: tokio::task::JoinHandle<()>,
}

impl Page {
    async fn open(hub: &Arc<Hub>, gallery: &Arc<DelayedView>, dir: &Path, stop: watch::Receiver<bool>) -> Page {
        // The page does not say at which port the system has put it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = dir.join("touchmoved.toml");
        std::fs::write(&path, format!("[web]\nlisten = '127.0.0.1:{port}'\n")).unwrap();
        let web = WebState::new(hub, gallery, &Config::load(&path).unwrap(), &dir.join(STATE), stop);
        let serving = tokio::spawn(web::run(web, |_| {}));
        until("the page", async || TcpStream::connect(("127.0.0.1", port)).await.ok()).await;
        Page { port, serving }
    }

    /// An arbiter logs in, and reads what is played.
    async fn look(&self, token: &str, boards: usize) {
        let answer = post(self.port, "/api/login", "", &json!({ "token": token })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let state = ask(self.port, "GET /api/state", &answer.cookie(), "").await.json();
        assert_eq!((&state["who"]["name"], state["boards"].as_array().map(Vec::len)), (&json!("Anna"), Some(boards)));
        for board in state["boards"].as_array().unwrap() {
            let pgn = ask(self.port, &format!("GET /api/games/{}/pgn", board["game"]["id"]), "", "").await;
            assert!(pgn.status == 200 && pgn.body.contains("1. "), "{}", pgn.body);
        }
    }
}

/// One day: the service is started, every board plays, and it is stopped. How many durable events, and how long the start took.
async fn day(dir: &Path, day: i64, boards: usize, games: &[Game], token: &str) -> (u64, u128) {
    let began = Instant::now();
    let state = dir.join(STATE);
    let journal = until("the journal of the day before is closed", async || Journal::open(&state).ok()).await.0;
    let hub = Hub::new(journal, &[]);
    let gallery = DelayedView::new(Arc::clone(&hub), Default::default(), Default::default());
    gallery.set_release_file(state.join("public.json"));
    let (stop, stopped) = watch::channel(false);
    let showing = tokio::spawn(Arc::clone(&gallery).run(stopped.clone()));
    let (tags, faces_stop) = (vec![("Event".to_owned(), "City Open".to_owned())], stopped.clone());
    let writing =
        tokio::spawn(files::run(Arc::clone(&gallery), dir.join(PUBLIC), tags, |why| assert_eq!(why, None), faces_stop));
    let dgt = model("dgt").unwrap();
    let names = (1..=boards).map(|board| BoardId::new(&format!("board-{board}")));
    let seats: Vec<_> = names.map(|id| (id.clone(), hub.register_board(BoardView::new(id, dgt, dgt.sensing)).0)).collect();
    let opened_ms = began.elapsed().as_millis();
    let page = Page::open(&hub, &gallery, dir, stopped).await;
    let room = DiskLimits { max: RECORDED, reserve: 0 };
    let recordings = Recordings { dir: state.join("recordings"), room };
    let recorder = |id: &BoardId| Recorder::new(Arc::clone(&hub), recordings.clone(), id.clone(), "dgt", &Settings::default());
    let mut recorders: Vec<Recorder> = seats.iter().map(|(id, _)| recorder(id)).collect();
    let mut count = 0;
    for round in 0..ROUNDS {
        let epoch = FIRST_DAY + day * DAY + round * DAY / 4;
        let mut expect = Vec::new();
        for (index, (id, seat)) in seats.iter().enumerate() {
            let Game { said, steps } = &games[(day as usize * ROUNDS as usize + round as usize + index) % games.len()];
            record(&mut recorders[index], said);
            for steps in steps.chunks(STEPS) {
                seat.publish(epoch, steps.concat(), |_| (), None);
            }
            let numbers = steps.iter().flatten().filter_map(|stamped| stamped.number);
            let last = numbers.max().expect("something happened");
            count += last;
            expect.push((id, last, epoch));
        }
        let is_told = || {
            hub.read(|state| {
                expect.iter().all(|(id, last, epoch)| {
                    let game = state.boards.get(id).and_then(|board| state.games.get(&board.game?));
                    game.is_some_and(|game| game.record.last_number == *last && game.epoch_wall_ms >= *epoch)
                })
            })
        };
        until("every game is on disk and told", async || is_told().then_some(())).await;
        let is_public = || {
            gallery.read(|state| {
                let shows = |id: &BoardId| state.boards.get(id).and_then(|board| state.games.get(&board.game?));
                expect.iter().all(|(id, _, epoch)| shows(id).is_some_and(|game| game.epoch_wall_ms >= *epoch))
            })
        };
        until("every game is public", async || is_public().then_some(())).await;
        page.look(token, boards).await;
    }
    assert!(hub.read(|state| state.health_problems.is_empty()), "something is wrong");
    drop((seats, recorders));
    hub.drain().await;
    stop.send_replace(true);
    for task in [showing, writing, page.serving] {
        task.await.unwrap();
    }
    (count, opened_ms)
}

/// Records a game.
fn record(recorder: &mut Recorder, said: &[(Millis, Vec<u8>)]) {
    recorder.begin(0, None);
    let link = (0, Entry::Link(LinkState::Up));
    for (now, what) in std::iter::once(link).chain(said.iter().map(|(now, bytes)| (*now, Entry::Rx(bytes.clone())))) {
        if recorder.write(now, what.clone()) == WriteOutcome::Full {
            recorder.begin(now, None);
            assert_eq!(recorder.write(now, what), WriteOutcome::Recorded);
        }
    }
}

/// So many days, in a process that does nothing else.
fn run(days: i64, boards: usize, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let games = games(seed);
    println!("{days} days with {boards} boards, SEED={seed}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut events, mut taken) = (0, Vec::new());
    std::fs::create_dir(dir.path().join(STATE)).unwrap();
    let token = TokenStore::of(&dir.path().join(STATE)).create("Anna", Role::Arbiter, 0).unwrap();
    println!("  days    events  memory  descriptors  journal, bytes an event   beside it  recordings  files, count  opened in");
    for number in 0..days {
        let (count, opened_ms) = runtime.block_on(day(dir.path(), number, boards, &games, &token));
        events += count;
        if (number + 1) % (days / 12).max(1) == 0 {
            let now = Taken::now(number + 1, events, dir.path(), opened_ms);
            println!(
                "{:6} {:9} {:5.1} MB {:12} {:24.0} {:8.1} kB {:8.1} MB {:6} kB {:4} {:7} ms",
                now.days,
                now.events,
                now.memory as f64 / 1e6,
                now.descriptors,
                now.journal as f64 / now.events as f64,
                now.beside as f64 / 1e3,
                now.recorded as f64 / 1e6,
                now.public.0 / 1000,
                now.public.1,
                now.opened_ms
            );
            taken.push(now);
        }
    }
    // The journal is closed with it.
    drop(runtime);
    let (Some(first), Some(last)) = (taken.first(), taken.last()) else { panic!("no day has passed") };
    assert_eq!(first.descriptors, last.descriptors, "descriptors are left open");
    assert!(last.memory < first.memory * 2 + (8 << 20), "memory grows with the days: {first:?}, {last:?}");
    let size = |taken: &Taken| taken.journal / taken.events;
    assert!(size(last) <= size(first) * 2, "an event takes more and more room: {first:?}, {last:?}");
    assert!(last.recorded <= RECORDED && last.recorded > RECORDED / 4, "recordings take {} bytes", last.recorded);
    assert!(first.public.1 == last.public.1 && last.public.0 < first.public.0 * 2, "files grow: {first:?}, {last:?}");
    assert!(last.beside < first.beside * 2, "files beside the journal grow: {first:?}, {last:?}");
    let kept = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(dir.path().join(STATE).join(name)).unwrap()).unwrap()
    };
    let public = kept("public.json").as_object().unwrap().len();
    assert!(public <= REMEMBERED, "{public} public games are remembered");
    let sessions = kept("sessions.json").as_array().unwrap().len();
    assert!(sessions <= SESSIONS, "{sessions} sessions are kept");

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
    if let Ok(plan) = std::env::var(PLAN) {
        let [days, boards, seed] = plan.split('x').collect::<Vec<_>>()[..] else {
            panic!("{plan} is not days x boards x seed")
        };
        return run(days.parse().unwrap(), boards.parse().unwrap(), seed.parse().unwrap());
    }
    let number = |name, or: &str| std::env::var(name).unwrap_or_else(|_| or.to_owned());
    let plan = format!("{}x{}x{}", number("DAYS", "8"), number("HALL", "2"), number("SEED", "1"));
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let own = Command::new(std::env::current_exe().unwrap()).args([&test, "--exact", "--nocapture"]).env(PLAN, plan).output();
    let own = own.unwrap();
    println!("{}{}", String::from_utf8_lossy(&own.stdout), String::from_utf8_lossy(&own.stderr));
    assert!(own.status.success());
}
