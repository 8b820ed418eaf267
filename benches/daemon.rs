//! What touchmoved costs while it does nothing: time to start, memory with a board and a game, wake-ups of an idle board.
//! Each against a program that only owns a name on the same bus.

mod stage;

use futures_util::StreamExt;
use stage::harness::{Board, PATIENCE, PrivateBus};
use stage::{Figures, Touchmoved, end, line, ratio, time, verdict};
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

/// Set for the program that only owns a name: the address of the bus.
const BASELINE: &str = "TOUCHMOVE_BENCH_BUS";
/// The name it owns.
const BASELINE_NAME: &str = "org.touchmove1.Baseline";

/// How often each is started.
const STARTS: usize = 15;
/// From the start to the name.
const START_GOAL: Duration = Duration::from_millis(50);
/// The game whose memory is measured.
const PLIES: usize = 80;
/// Where udev listens while it runs.
const UDEV: &str = "/run/udev/control";
/// PSS, kB of 1024 bytes.
const MEMORY_GOAL: u64 = 12 * 1024;
/// Between two touches: the pace of hands that think no longer than they move. A machine's pace makes the daemon follow more lines of
/// play at once than any game does, and keeps the memory of them.
const PAUSE: Duration = Duration::from_millis(300);
/// How long it is watched being idle, and how often it is looked at meanwhile.
const IDLE: (Duration, Duration) = (Duration::from_secs(24), Duration::from_millis(100));
/// Steps before and after a link test whose wake-ups belong to it: a sleep of 10 s is cut by the runtime's timer wheel, the last
/// cuts come within half a second of its end; and a look whether the answer came follows 2 s later.
const AROUND_TEST: (usize, usize) = (5, 25);
/// After the last touch: longer than anything waits but the last look at a board that was left, a minute after the last touch.
const CALM: Duration = Duration::from_secs(11);
/// After the last question: longer than it takes to answer.
const ANSWERED: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if let Ok(address) = std::env::var(BASELINE) {
        return runtime.block_on(own_a_name(&address));
    }
    let Some(bus) = PrivateBus::start() else { return ExitCode::SUCCESS };
    runtime.block_on(async {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let state = dir.path().join("state");
        let board = Board::plugged();
        // First the game, so that what is started later has one in its journal.
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

/// The program that everything is compared with.
async fn own_a_name(address: &str) -> ExitCode {
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
    let own = std::env::current_exe().expect("this program");
    Baseline(Command::new(own).env(BASELINE, bus.address()).stdout(Stdio::null()).spawn().expect("this program again"))
}

/// Plays on the board and waits until everything of it has been told.
async fn play(bus: &PrivateBus, board: &Board) {
    board.wait_read();
    stage::play(board, &stage::long_game(), PLIES, PAUSE);
    tokio::time::sleep(CALM).await;
    let bus = [Bus::Address(bus.address())];
    let client = Client::connect(&bus, Stream::Live, IfNotRunning::Fail).await.expect("touchmoved runs");
    let snapshot = client.snapshot().await.expect("touchmoved answers");
    let plies: Vec<usize> = snapshot.games.iter().map(|game| game.moves.len()).collect();
    assert_eq!(plies, [PLIES], "the game did not arrive whole");
    drop(client);
    // What the daemon does because it was asked, and because somebody left the bus, is no part of what follows.
    tokio::time::sleep(ANSWERED).await;
}

/// A figure of a process's memory, by the kernel's name, in kB of 1024 bytes.
fn kb(pid: u32, name: &str) -> u64 {
    let file = format!("/proc/{pid}/smaps_rollup");
    let found = std::fs::read_to_string(&file).expect("this kernel tells of memory");
    let line = found.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("the kernel's figure");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn mb(kb: u64) -> String {
    format!("{:.2} MB", kb as f64 / 1024.0)
}

/// The same board and game with the page switched on, and nobody who looks at it.
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
    line("touchmove, its share where memory is shared (PSS)", goal);
    line("touchmove, resident", mb(resident));
    line("touchmove, of its own making (anonymous)", mb(kb(ours, "Anonymous")));
    line("only a name, resident", mb(kb(baseline, "Rss")));
    line("only a name, anonymous", mb(kb(baseline, "Anonymous")));
    line("ratio, resident", format!("{:.2}", resident as f64 / kb(baseline, "Rss") as f64));
}

/// How often a process woke up, and how long it ran.
#[derive(Clone, Copy, Default)]
struct Ran {
    /// Each ends with going to sleep again. A processor that is taken away for a while is no end.
    times: u64,
    nanoseconds: u64,
}

/// The same by thread: one that ends takes its figures with it.
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
    // In each step: how often it woke up, and whether it tested the link.
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
        let around = index.saturating_sub(AROUND_TEST.1)..(index + AROUND_TEST.0 + 1).min(steps.len());
        steps[around].iter().any(|(_, test)| *test)
    };
    let away: u64 = steps.iter().enumerate().filter(|(index, _)| !tested(*index)).map(|(_, (times, _))| times).sum();
    let (ran, of_baseline) = (Ran::since(&first, &last), Ran::since(&first_of_baseline, &Ran::of(baseline)));
    let minute = |ran: Ran| format!("{:.2} ms a minute", ran.nanoseconds as f64 / 1e6 / watched.as_secs_f64() * 60.0);
    println!("idle with one board, {} s:", watched.as_secs());
    if !Path::new(UDEV).exists() {
        line("udev", "does not run here: touchmoved looks for ports every 5 s instead of hearing of them");
    }
    line("touchmove, wake-ups", format!("{} ({} bytes of link tests sent)", ran.times, tests - first_test));
    line("touchmove, wake-ups away from link tests", format!("{away} (goal: 0: {})", verdict(away == 0)));
    line("touchmove, processor", minute(ran));
    line("only a name, wake-ups", of_baseline.times);
    line("only a name, processor", minute(of_baseline));
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
    let told = |figures: &Figures| format!("{} (longest {})", time(figures.median()), time(figures.percentile(100)));
    let met = verdict(again.median() <= START_GOAL);
    line("touchmove with a game to go on with, median", format!("{} (goal: at most 50 ms: {met})", told(&again)));
    line("touchmove for the first time, journal created, median", told(&new));
    line("only a name, median", told(&least));
    line("ratio of the medians", format!("{:.2}", ratio(again.median(), least.median())));
}

/// Waits until the name has another owner, or none.
async fn owned(changes: &mut NameOwnerChangedStream) {
    tokio::time::timeout(PATIENCE, changes.next()).await.expect("waited in vain for a name");
}
