//! The cost of an idle touchmoved: time to start, memory with a board and a game, wake-ups with an idle board. Each is compared with a
//! program that only owns a name on the same bus.

mod common;

use common::harness::{Board, PATIENCE, PrivateBus};
use common::{Figures, Touchmoved, end, line, ratio, time, verdict};
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use touchmove::names;
use touchmove::publish::client::{Client, IfNotRunning};
use touchmove::publish::dbus::{Bus, Stream};
use zbus::fdo::{DBusProxy, NameOwnerChangedStream};

/// The environment variable with the address of the bus, set for the program that only owns a name.
const BASELINE: &str = "TOUCHMOVE_BENCH_BUS";
/// The name that this program owns.
const BASELINE_NAME: &str = "org.touchmove1.Baseline";

/// How often each program is started.
const STARTS: usize = 15;
/// The goal for the time from the start until the name is owned.
const START_GOAL: Duration = Duration::from_millis(50);
/// The length of the game whose memory is measured.
const PLIES: usize = 80;
/// Where udev listens while it runs.
const UDEV: &str = "/run/udev/control";
/// The goal for the PSS, in kB of 1024 bytes.
const MEMORY_GOAL: u64 = 12 * 1024;
/// The time between two changes: the pace of players who move without thinking. At a faster pace the daemon would follow more lines of
/// play at once than in any real game, and keep their memory.
const PAUSE: Duration = Duration::from_millis(300);
/// How long the idle daemon is observed, and the interval of the observations.
const IDLE: (Duration, Duration) = (Duration::from_secs(24), Duration::from_millis(100));
/// Steps before and after a link test whose wake-ups belong to it: the runtime's timer wheel divides a sleep of 10 s, with the last
/// wake-ups within half a second of its end; and the answer is checked 2 s later.
const AROUND_TEST: (usize, usize) = (5, 25);
/// The time after the last change: longer than every deadline except the last check of a board, a minute after the last change.
const CALM: Duration = Duration::from_secs(11);
/// The time after the last request: longer than it takes to answer.
const ANSWERED: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if let Ok(address) = std::env::var(BASELINE) {
        return runtime.block_on(own_name(&address));
    }
    let Some(bus) = PrivateBus::start() else { return ExitCode::SUCCESS };
    runtime.block_on(async {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let state = dir.path().join("state");
        let board = Board::plugged();
        // The game is first, so that later starts have one in their journal.
        let played = Touchmoved::start(&bus, &state, &board.path());
        let baseline = start_baseline(&bus);
        play(&bus, &board).await;
        idle(played.pid(), baseline.0.id(), &board).await;
        memory(played.pid(), baseline.0.id());
        drop((played, baseline));
        memory_with_page(&bus, dir.path()).await;
        starts(&bus, &state, &board).await;
    });
    ExitCode::SUCCESS
}

/// The program with which touchmoved is compared.
async fn own_name(address: &str) -> ExitCode {
    let connection = zbus::connection::Builder::address(address).build().await.expect("a bus");
    connection.request_name(BASELINE_NAME).await.expect("a name");
    std::future::pending().await
}

struct Baseline(Child);

impl Drop for Baseline {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

fn start_baseline(bus: &PrivateBus) -> Baseline {
    let program = std::env::current_exe().expect("this program");
    Baseline(Command::new(program).env(BASELINE, bus.address()).stdout(Stdio::null()).spawn().expect("this program again"))
}

/// Plays on the board and waits until all of it has been published.
async fn play(bus: &PrivateBus, board: &Board) {
    board.wait_read();
    common::play(board, &common::long_game(), PLIES, PAUSE);
    tokio::time::sleep(CALM).await;
    let bus = [Bus::Address(bus.address())];
    let client = Client::connect(&bus, Stream::Live, IfNotRunning::Fail).await.expect("touchmoved runs");
    let snapshot = client.snapshot().await.expect("touchmoved answers");
    let plies: Vec<usize> = snapshot.games.iter().map(|game| game.moves.len()).collect();
    assert_eq!(plies, [PLIES], "the game did not arrive completely");
    drop(client);
    // The work of the daemon for the request, and for the client that left the bus, is not measured.
    tokio::time::sleep(ANSWERED).await;
}

/// A figure of a process's memory, by the kernel's name, in kB of 1024 bytes.
fn kb(pid: u32, name: &str) -> u64 {
    let file = format!("/proc/{pid}/smaps_rollup");
    let found = std::fs::read_to_string(&file).expect("this kernel reports memory");
    let line = found.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("the kernel's figure");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn mb(kb: u64) -> String {
    format!("{:.2} MB", kb as f64 / 1024.0)
}

/// Measures the memory with the same board and game, and with the page switched on but without clients.
async fn memory_with_page(bus: &PrivateBus, dir: &Path) {
    let board = Board::plugged();
    let config = dir.join("page.toml");
    let text = format!(
        "[web]\nlisten = \"127.0.0.1:0\"\n[[board]]\nname = \"board_1\"\nmodel = \"dgt\"\nport = {:?}\n",
        board.path().display().to_string()
    );
    std::fs::write(&config, text).expect("a file");
    let played = Touchmoved::configured(bus, &dir.join("page"), &config);
    play(bus, &board).await;
    line("touchmove with [web] on (PSS)", mb(kb(played.pid(), "Pss")));
}

fn memory(ours: u32, baseline: u32) {
    println!("memory when idle, with one board and a game of {PLIES} plies:");
    let resident = kb(ours, "Rss");
    let share = kb(ours, "Pss");
    let goal = format!("{} (goal: at most 12 MB: {})", mb(share), verdict(share <= MEMORY_GOAL));
    line("touchmove, with its share of shared memory (PSS)", goal);
    line("touchmove, resident", mb(resident));
    line("touchmove, anonymous", mb(kb(ours, "Anonymous")));
    line("name only, resident", mb(kb(baseline, "Rss")));
    line("name only, anonymous", mb(kb(baseline, "Anonymous")));
    line("ratio, resident", format!("{:.2}", resident as f64 / kb(baseline, "Rss") as f64));
}

/// How often a process woke up, and how long it ran.
#[derive(Clone, Copy, Default)]
struct Ran {
    /// The number of voluntary context switches: each wake-up ends with one. Preemption does not count.
    times: u64,
    nanoseconds: u64,
}

/// The figures of each thread; those of a thread that exits are lost.
type Threads = BTreeMap<OsString, Ran>;

impl Ran {
    fn of(pid: u32) -> Threads {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs");
        let of = |task: DirEntry| {
            let text = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let switches = text("status");
            let switches = switches.lines().filter(|line| line.starts_with("voluntary_ctxt_switches"));
            let times = switches.filter_map(|line| line.split_once(':')?.1.trim().parse::<u64>().ok()).sum();
            let nanoseconds = text("schedstat").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0);
            (task.file_name(), Ran { times, nanoseconds })
        };
        tasks.flatten().map(of).collect()
    }

    fn since(before: &Threads, now: &Threads) -> Ran {
        now.iter().fold(Ran::default(), |sum, (thread, ran)| {
            let before = before.get(thread).copied().unwrap_or_default();
            let (times, nanoseconds) = (ran.times - before.times, ran.nanoseconds - before.nanoseconds);
            Ran { times: sum.times + times, nanoseconds: sum.nanoseconds + nanoseconds }
        })
    }
}

async fn idle(ours: u32, baseline: u32, board: &Board) {
    let (watched, step) = IDLE;
    let (first, first_of_baseline, first_test) = (Ran::of(ours), Ran::of(baseline), board.received());
    let (mut last, mut tests) = (first.clone(), first_test);
    // In each step: how often the daemon woke up, and whether it tested the link.
    let mut steps = Vec::new();
    let mut ticks = tokio::time::interval(step);
    ticks.tick().await;
    for _ in 0..watched.as_millis() / step.as_millis() {
        ticks.tick().await;
        let (now, tests_now) = (Ran::of(ours), board.received());
        steps.push((Ran::since(&last, &now).times, tests_now != tests));
        (last, tests) = (now, tests_now);
    }
    let tested = |index: usize| {
        let steps_nearby = index.saturating_sub(AROUND_TEST.1)..(index + AROUND_TEST.0 + 1).min(steps.len());
        steps[steps_nearby].iter().any(|(_, test)| *test)
    };
    let without_tests: u64 = steps.iter().enumerate().filter(|(index, _)| !tested(*index)).map(|(_, (times, _))| times).sum();
    let (ran, of_baseline) = (Ran::since(&first, &last), Ran::since(&first_of_baseline, &Ran::of(baseline)));
    let minute = |ran: Ran| format!("{:.2} ms a minute", ran.nanoseconds as f64 / 1e6 / watched.as_secs_f64() * 60.0);
    println!("idle with one board, {} s:", watched.as_secs());
    if !Path::new(UDEV).exists() {
        line("udev", "does not run here: touchmoved polls for ports every 5 s");
    }
    line("touchmove, wake-ups", format!("{} ({} bytes of link tests sent)", ran.times, tests - first_test));
    line("touchmove, wake-ups without link tests", format!("{without_tests} (goal: 0: {})", verdict(without_tests == 0)));
    line("touchmove, processor", minute(ran));
    line("name only, wake-ups", of_baseline.times);
    line("name only, processor", minute(of_baseline));
}

async fn starts(bus: &PrivateBus, state: &Path, board: &Board) {
    let client = bus.connect().await;
    let proxy = DBusProxy::new(&client).await.expect("a bus");
    let mut ours = proxy.receive_name_owner_changed_with_args(&[(0, names::BUS_NAME)]).await.expect("a rule");
    let mut baselines = proxy.receive_name_owner_changed_with_args(&[(0, BASELINE_NAME)]).await.expect("a rule");
    let (mut again, mut new, mut least) = (Figures::default(), Figures::default(), Figures::default());
    for _ in 0..STARTS {
        let began = Instant::now();
        let started = Touchmoved::start(bus, state, &board.path());
        owned(&mut ours).await;
        again.add(began.elapsed());
        drop(started);
        owned(&mut ours).await;

        let empty = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let began = Instant::now();
        let started = Touchmoved::start(bus, empty.path(), &board.path());
        owned(&mut ours).await;
        new.add(began.elapsed());
        drop(started);
        owned(&mut ours).await;

        let began = Instant::now();
        let started = start_baseline(bus);
        owned(&mut baselines).await;
        least.add(began.elapsed());
        drop(started);
        owned(&mut baselines).await;
    }
    println!("start until the bus name is owned, {STARTS} times:");
    let text = |figures: &Figures| format!("{} (longest {})", time(figures.median()), time(figures.percentile(100)));
    let met = verdict(again.median() <= START_GOAL);
    line("touchmove with a game in progress, median", format!("{} (goal: at most 50 ms: {met})", text(&again)));
    line("touchmove for the first time, journal created, median", text(&new));
    line("name only, median", text(&least));
    line("ratio of the medians", format!("{:.2}", ratio(again.median(), least.median())));
}

/// Waits until the name has another owner, or none.
async fn owned(changes: &mut NameOwnerChangedStream) {
    tokio::time::timeout(PATIENCE, changes.next()).await.expect("waited in vain for a name");
}
