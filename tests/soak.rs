//! A year of tournament days in minutes: what the service keeps in memory, in descriptors and on disk does not grow with the days,
//! but for the journal by what was played, and a start on all of it stays short.
//!
//! Each day is a start of its own: journal and hub are opened, every board plays its rounds, and all is closed again. What the tables
//! say comes from games that virtual boards have played in simulated time. It runs in a process of its own, so that nothing else is
//! counted. `make soak DAYS=365 HALL=9` is the long form.

use crate::harness::{Board, Daemon, PrivateBus, until};
use crate::simulate::random_games;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use touchmove::boards::model;
use touchmove::ctl::run::{self, Moment, Staged};
use touchmove::daemon::Hub;
use touchmove::daemon::hub::{BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::game::event::Rotation;
use touchmove::game::{Event, Stamped};
use touchmove::simulate::hands::CLUB;
use touchmove::simulate::{Scene, Stage};
use touchmove::table::{Settings, Table};

/// Tells the process of its own how many days, and boards.
const PLAN: &str = "TOUCHMOVE_SOAK";
/// Rounds a day.
const ROUNDS: i64 = 2;
/// So much that a table says is stored at once: a year is to take minutes.
const STEPS: usize = 50;
/// The first day: 2026-01-01, in milliseconds.
const FIRST_DAY: i64 = 1_767_225_600_000;
/// From one to the next, in milliseconds.
const DAY: i64 = 86_400_000;

/// What the table of a board says in a game, step by step.
fn games() -> Vec<Vec<Vec<Stamped>>> {
    let play = |(seed, game)| {
        let scene = Scene { profile: &CLUB, clock: true, rotation: Rotation::Upright, clock_turned: false, seed };
        let stage = Stage::new("dgt", game, &scene).unwrap();
        let until = stage.ends_at();
        let (mut steps, mut step) = (Vec::new(), Vec::new());
        let mut protocol = (model("dgt").unwrap().protocol)();
        let mut table = Table::new(Settings::default());
        run::play(&mut Staged::new(stage), &mut *protocol, &mut table, until, &mut |_, moment| match moment {
            Moment::Event(event) => step.push(event.clone()),
            Moment::Taken(_) if !step.is_empty() => steps.push(std::mem::take(&mut step)),
            _ => {}
        });
        let starts = |step: &Vec<Stamped>| step.iter().any(|stamped| matches!(stamped.event, Event::GameStarted { .. }));
        // One game, and not the pieces that are put up after it.
        let next = steps.iter().enumerate().filter(|(_, step)| starts(step)).nth(1).map_or(steps.len(), |(index, _)| index);
        steps.truncate(next);
        steps
    };
    (1..).zip(&random_games(5, 80)).map(play).collect()
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
    /// How long it took to open it for all boards, in milliseconds.
    opened_ms: u128,
}

impl Taken {
    fn now(days: i64, events: u64, dir: &Path, opened_ms: u128) -> Taken {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let kb = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        Taken {
            days,
            events,
            memory: kb.expect("a figure") * 1024,
            descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
            journal: files.sum(),
            opened_ms,
        }
    }
}

/// One day: the service is started, every board plays, and it is stopped. How many durable events, and how long the start took.
async fn day(dir: &Path, day: i64, boards: usize, games: &[Vec<Vec<Stamped>>]) -> (u64, u128) {
    let began = Instant::now();
    let journal = until("the journal of the day before is closed", async || Journal::open(dir).ok()).await.0;
    let hub = Hub::new(journal, &[]);
    let dgt = model("dgt").unwrap();
    let names = (1..=boards).map(|board| BoardId::new(&format!("board-{board}")));
    let seats: Vec<_> = names.map(|id| (id.clone(), hub.seat(BoardView::new(id, dgt, dgt.sensing)).0)).collect();
    let opened_ms = began.elapsed().as_millis();
    let mut count = 0;
    for round in 0..ROUNDS {
        let epoch = FIRST_DAY + day * DAY + round * DAY / 4;
        let mut expect = Vec::new();
        for (index, (id, seat)) in seats.iter().enumerate() {
            let steps = &games[(day as usize * ROUNDS as usize + round as usize + index) % games.len()];
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
    }
    (count, opened_ms)
}

/// So many days, in a process that does nothing else.
fn run(days: i64, boards: usize) {
    let dir = tempfile::tempdir().unwrap();
    let games = games();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut events, mut taken) = (0, Vec::new());
    println!("  days    events  memory  descriptors  journal, bytes an event  opened in");
    for number in 0..days {
        let (count, opened_ms) = runtime.block_on(day(dir.path(), number, boards, &games));
        events += count;
        if (number + 1) % (days / 12).max(1) == 0 {
            let now = Taken::now(number + 1, events, dir.path(), opened_ms);
            println!(
                "{:6} {:9} {:5.1} MB {:12} {:24.0} {:7} ms",
                now.days,
                now.events,
                now.memory as f64 / 1e6,
                now.descriptors,
                now.journal as f64 / now.events as f64,
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

    let Some(bus) = PrivateBus::start() else { return };
    let board = Board::plugged();
    let began = Instant::now();
    let daemon = Daemon::quiet(&bus, dir.path(), &board.path(), &[]);
    daemon.ready();
    println!(
        "touchmoved is ready {} ms after its start, with {} events in the journal",
        began.elapsed().as_millis(),
        last.events
    );
}

#[test]
fn nothing_grows_with_the_days() {
    if let Ok(plan) = std::env::var(PLAN) {
        let (days, boards) = plan.split_once('x').expect("days x boards");
        return run(days.parse().unwrap(), boards.parse().unwrap());
    }
    let number = |name, or: &str| std::env::var(name).unwrap_or_else(|_| or.to_owned());
    let plan = format!("{}x{}", number("DAYS", "12"), number("HALL", "2"));
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let own = Command::new(std::env::current_exe().unwrap()).args([&test, "--exact", "--nocapture"]).env(PLAN, plan).output();
    let own = own.unwrap();
    println!("{}{}", String::from_utf8_lossy(&own.stdout), String::from_utf8_lossy(&own.stderr));
    assert!(own.status.success());
}
