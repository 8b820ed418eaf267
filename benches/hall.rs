//! A hall with a real nats-server: from the commit of an event at its machine to its commit at the hub, compared with a bare publish and
//! consume of JetStream, and to a page and a WebSocket client of the hub; memory and processor time of hub and server; the bytes of a
//! move on the wire; and how fast a hub catches up.

#[path = "hall/clients.rs"]
mod clients;
mod common;
#[path = "hall/hub.rs"]
mod hub;
#[path = "hall/wire.rs"]
mod wire;

use clients::{open_page, open_websocket};
use common::harness::nats::NatsServer;
use common::{Figures, line, long_game, ratio, time, verdict};
use futures_util::StreamExt;
use futures_util::future::join_all;
use hub::{HubProcess, Seen, now, receiver_context, watch_events};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::watch;
use touchmove::boards::{Millis, Placement, SensorKind, SquareState, model};
use touchmove::daemon::Hub;
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView};
use touchmove::daemon::journal::Journal;
use touchmove::game::event::{Confidence, PlayedMove, Rotation};
use touchmove::game::{Event, StampedEvent};
use touchmove::hall::connection::Endpoint;
use touchmove::hall::machine::{self, MachineContext};
use touchmove::hall::receiver;

/// The name of the hall.
const HALL: &str = "bench";
/// The number of machines. Each has the boards of all rates together; a machine may have at most 128.
const MACHINES: usize = 12;
/// How long each rate is measured, and how long before that: machines ask every five seconds what the hub has.
const MEASURED: Duration = Duration::from_secs(15);
const WARM_UP: Duration = Duration::from_secs(8);
/// The events a second.
const RATES: [usize; 3] = [100, 300, 1000];
/// The goal for the 99th percentile at the highest rate.
const P99_GOAL: Duration = Duration::from_millis(100);
/// The goal for the median, as a ratio to that of a bare publish and consume.
const RATIO_GOAL: f64 = 2.0;
/// Games and events of each machine that are sent after an interruption.
const OLD_GAMES: usize = 20;
const OLD_EVENTS: u64 = 250;
/// The goal for catching up, in events a second.
const CATCH_UP_GOAL: f64 = 5_000.0;

/// When the clients of the hub connect: before anything is measured, and after all boards are there.
const CLIENTS_AFTER: Duration = Duration::from_secs(6);
/// The number of boards that the WebSocket client follows.
const FOLLOWED: usize = 100;
/// The number of synced writes that are measured, and the bytes of each.
const SYNCED: (usize, usize) = (100, 4096);
/// The time of day of the first game.
const WALL_MS: i64 = 1_795_000_000_000;

/// The moves of all games. After the last one they begin again.
static MOVES: LazyLock<Vec<PlayedMove>> = LazyLock::new(|| {
    let game = long_game();
    let mut position = game.start.clone();
    let played = |mv| {
        let (uci, san) = (position.uci(mv), position.san(mv));
        position = position.play(mv);
        PlayedMove { uci, san, fen: position.fen(), irregular: false, evidence: Vec::new() }
    };
    game.plies.iter().map(|ply| ply.mv).map(played).collect()
});

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(hub::ARGUMENT) {
        hub::run(arguments);
        return ExitCode::SUCCESS;
    }
    let Some(server) = NatsServer::start() else { return ExitCode::SUCCESS };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut hall = BenchHall::open(&server);
        for rate in RATES {
            measure(&mut hall, &server, rate).await;
        }
        drop(hall);
        wire::measure().await;
        catch_up().await;
    });
    ExitCode::SUCCESS
}

/// What touchmoved has without its tasks: journal, state and feed.
struct Node {
    hub: Arc<Hub>,
    dir: TempDir,
}

impl Node {
    fn new() -> Node {
        Node::open(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory"))
    }

    /// A machine whose journal is in memory, if there is a file system in memory: the disk of this computer is that of the hub, and
    /// machines have disks of their own.
    fn in_memory() -> Node {
        tempfile::tempdir_in("/dev/shm").map_or_else(|_| Node::new(), Node::open)
    }

    fn open(dir: TempDir) -> Node {
        let (journal, _) = Journal::open(dir.path()).expect("a journal");
        Node { hub: Hub::new(journal, &[]), dir }
    }
}

/// One board of a machine.
struct BenchBoard {
    handle: BoardHandle,
    number: u64,
}

impl BenchBoard {
    fn new(handle: BoardHandle) -> BenchBoard {
        BenchBoard { handle, number: 0 }
    }

    /// Publishes the next event of its game.
    fn publish(&mut self, at: Millis) {
        self.number += 1;
        let event = if self.number == 1 { started() } else { made(self.number) };
        let stamped = StampedEvent { at, number: Some(self.number), event };
        self.handle.publish(WALL_MS, vec![stamped], |_| {}, None);
    }

    /// Shows this placement.
    fn show(&self, placement: &Placement) {
        let placement = *placement;
        self.handle.update(|view| view.placement = Some(placement));
    }

    /// Publishes that a square has changed, and shows this placement.
    fn touch(&self, square: usize, [before, now]: [SquareState; 2], placement: &Placement) {
        let square = shakmaty::Square::new(u32::try_from(square).expect("a square"));
        let stamped = StampedEvent { at: 1, number: None, event: Event::Touched { square, before, now } };
        let placement = *placement;
        self.handle.publish(WALL_MS, vec![stamped], move |view| view.placement = Some(placement), None);
    }
}

fn started() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    Event::GameStarted { fen, chess960: Some(518), laws: "2023".to_owned(), rotation: Rotation::Upright }
}

fn made(number: u64) -> Event {
    let played = MOVES[(number as usize - 2) % MOVES.len()].clone();
    Event::MoveMade { ply: number as u32 - 1, played, confidence: Confidence(1000), alternatives: Vec::new() }
}

fn board_view(name: &str) -> BoardView {
    BoardView::new(BoardId::new(name), model("dgt").expect("there is a DGT board"), SensorKind::Identity)
}

/// Runs a task on a thread of its own.
fn on_a_thread(task: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(task);
    });
}

/// Starts a machine of the hall.
fn start_machine(server: &NatsServer, node: &Node, name: &str) -> watch::Sender<bool> {
    start_machine_at(server.url(), node, name)
}

/// Starts a machine of the hall that connects to this URL.
fn start_machine_at(url: String, node: &Node, name: &str) -> watch::Sender<bool> {
    let (stop, stopped) = watch::channel(false);
    let context = MachineContext {
        hub: Arc::clone(&node.hub),
        endpoint: Endpoint { url, ca: None, seed: None, machine: name.to_owned() },
        state_dir: node.dir.path().to_owned(),
        stop: stopped,
    };
    tokio::spawn(machine::run(context));
    stop
}

struct BenchHall {
    center: HubProcess,
    machines: Vec<Node>,
    /// The events of all machines, with their boards as the hub calls them.
    commits: UnboundedReceiver<Seen>,
    _stops: Vec<watch::Sender<bool>>,
}

impl BenchHall {
    fn open(server: &NatsServer) -> BenchHall {
        let center = HubProcess::start(server);
        let machines: Vec<Node> = (0..MACHINES).map(|_| Node::in_memory()).collect();
        let named = || machines.iter().enumerate().map(|(number, machine)| (format!("m{number}"), machine));
        let stops = named().map(|(name, machine)| start_machine(server, machine, &name)).collect();
        let (to, commits) = mpsc::unbounded_channel();
        let watching = named().map(|(name, machine)| {
            let to = to.clone();
            watch_events(machine.hub.subscribe(), format!("{name}_"), move |seen| to.send(seen).is_ok())
        });
        let watching: Vec<_> = watching.collect();
        on_a_thread(async move { drop(join_all(watching).await) });
        BenchHall { center, machines, commits, _stops: stops }
    }
}

/// When each event was seen first, by board and number.
#[derive(Default)]
struct Times(HashMap<(String, u64), Duration>);

impl Times {
    fn add(&mut self, Seen { board, number, at }: Seen) {
        self.0.entry((board, number)).or_insert(at);
    }

    fn add_waiting(&mut self, seen: &mut UnboundedReceiver<Seen>) {
        while let Ok(seen) = seen.try_recv() {
            self.add(seen);
        }
    }

    /// The times from these until here, of the events after this moment.
    fn after(&self, commits: &Times, from: Duration) -> Figures {
        let mut figures = Figures::default();
        for (event, at) in commits.0.iter().filter(|(_, at)| **at >= from) {
            if let Some(seen) = self.0.get(event) {
                figures.add(seen.saturating_sub(*at));
            }
        }
        figures
    }
}

/// Prints the median and the 99th percentile.
fn latency_line(name: &str, figures: &Figures) {
    line(&format!("{name}, median (p99)"), format!("{} ({})", time(figures.median()), time(figures.percentile(99))));
}

/// Publishes events at this rate on as many boards, and compares when they are committed at their machine and at the hub, and when
/// clients of the hub have them.
async fn measure(hall: &mut BenchHall, server: &NatsServer, rate: usize) {
    let bare = bare(server, rate).await;
    let synced = synced_writes(hall.center.dir());
    let (mut boards, mut names) = (Vec::new(), Vec::new());
    for board in 0..rate / MACHINES {
        for (number, machine) in hall.machines.iter().enumerate() {
            let name = format!("r{rate}_{board}");
            let (handle, _) = machine.hub.register_board(board_view(&name));
            boards.push(BenchBoard::new(handle));
            names.push(format!("m{number}_{name}"));
        }
    }
    names.truncate(FOLLOWED);
    let placements = MOVES.iter().filter_map(|played| Some(played.fen.split(' ').next()?.to_owned())).collect();
    let mut page = open_page(hall.center.web, CLIENTS_AFTER);
    let mut websocket = open_websocket(hall.center.livechess, CLIENTS_AFTER, names, placements);
    let processes = [("nats-server", server.pid()), ("hub", hall.center.pid())];
    let before = processes.map(|(_, pid)| cpu_time(pid));
    let (began, measured_from) = (Instant::now(), now() + WARM_UP);
    let mut interval = tokio::time::interval(Duration::from_micros(1_000_000 / rate as u64));
    let mut published = 0;
    while began.elapsed() < WARM_UP + MEASURED {
        interval.tick().await;
        let count = boards.len();
        boards[published % count].publish(began.elapsed().as_millis() as Millis);
        published += 1;
    }
    let used = std::array::from_fn::<_, 2, _>(|index| cpu_time(processes[index].1).saturating_sub(before[index]));
    let elapsed = began.elapsed();
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut arrived = Times::default();
    while arrived.0.len() < published && Instant::now() < deadline {
        if let Ok(Some(seen)) = tokio::time::timeout(Duration::from_secs(1), hall.center.events.recv()).await {
            arrived.add(seen);
        }
    }
    // The page has the last moves a moment later.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let [mut commits, mut at_page, mut at_websocket] = <[Times; 3]>::default();
    commits.add_waiting(&mut hall.commits);
    at_page.add_waiting(&mut page);
    at_websocket.add_waiting(&mut websocket);
    let latency = arrived.after(&commits, measured_from);
    latency_line(&format!("{rate} events a second"), &latency);
    latency_line("  bare publish and consume", &bare);
    let of_bare = ratio(latency.median(), bare.median());
    line("  ratio of the medians", format!("{of_bare:.2} (goal: at most {RATIO_GOAL}: {})", verdict(of_bare <= RATIO_GOAL)));
    latency_line("  a synced write to the hub's disk", &synced);
    let with_write = ratio(latency.median(), bare.median() + synced.median());
    line("  ratio to the bare median and that of a synced write", format!("{with_write:.2}"));
    if rate == 1000 {
        let met = latency.percentile(99) <= P99_GOAL;
        line("  p99", format!("{} (goal: at most {}: {})", time(latency.percentile(99)), time(P99_GOAL), verdict(met)));
    }
    latency_line("  from the machine to a page of the hub", &at_page.after(&commits, measured_from));
    latency_line("  from the machine to a WebSocket client of the hub", &at_websocket.after(&commits, measured_from));
    line("  events that did not arrive", commits.0.keys().filter(|event| !arrived.0.contains_key(*event)).count());
    for ((name, pid), used) in processes.into_iter().zip(used) {
        let share = used.as_secs_f64() / elapsed.as_secs_f64() * 100.0;
        line(&format!("  {name}"), format!("{share:.1} % of a core, {} MB (PSS)", pss_kb(pid) / 1024));
    }
}

/// Measures writes of one page of a journal to this directory, each of which is on disk before the next.
fn synced_writes(dir: &Path) -> Figures {
    let mut file = tempfile::tempfile_in(dir).expect("a file");
    let mut figures = Figures::default();
    for _ in 0..SYNCED.0 {
        let began = Instant::now();
        file.write_all(&vec![b'x'; SYNCED.1]).expect("there is space");
        file.sync_data().expect("it reaches the disk");
        figures.add(began.elapsed());
    }
    figures
}

/// Publishes messages of the same size at this rate to a stream of its own, and consumes them.
async fn bare(server: &NatsServer, rate: usize) -> Figures {
    let client = async_nats::connect(server.url()).await.expect("a connection");
    let context = async_nats::jetstream::new(client);
    let name = format!("bare{rate}");
    let config =
        async_nats::jetstream::stream::Config { name: name.clone(), subjects: vec![format!("{name}.>")], ..Default::default() };
    let stream = context.create_stream(config).await.expect("a stream");
    let consumer =
        stream.create_consumer(async_nats::jetstream::consumer::pull::OrderedConfig::default()).await.expect("a consumer");
    let mut messages = consumer.messages().await.expect("messages");
    let count = rate * 3;
    let (sender, mut sent) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut interval = tokio::time::interval(Duration::from_micros(1_000_000 / rate as u64));
        for number in 0..count {
            interval.tick().await;
            let _ = sender.send(Instant::now());
            let acknowledged =
                context.publish(format!("{name}.{}", number % rate), vec![b'x'; 500].into()).await.expect("a publish");
            tokio::spawn(async move { acknowledged.await.map(drop) });
        }
    });
    let mut figures = Figures::default();
    for _ in 0..count {
        let _ = messages.next().await;
        if let Some(at) = sent.recv().await {
            figures.add(at.elapsed());
        }
    }
    figures
}

/// Measures how fast a hub takes what machines have stored while it was away.
async fn catch_up() {
    let Some(server) = NatsServer::start() else { return };
    let mut machines = Vec::new();
    for machine in 0..MACHINES {
        let node = Node::in_memory();
        for game in 0..OLD_GAMES {
            let events = (1..=OLD_EVENTS).map(|number| StampedEvent {
                at: number,
                number: Some(number),
                event: if number == 1 { started() } else { made(number) },
            });
            let board = format!("b{}", game % 4);
            // Games do not begin in the same millisecond.
            let wall_ms = WALL_MS + (game * 60_000 + machine * 1_001) as i64;
            node.hub.journal().append(&board, wall_ms, events.collect()).await.expect("a commit");
        }
        machines.push(node);
    }
    let center = Node::new();
    let began = Instant::now();
    let (stop_hub, stopped) = watch::channel(false);
    // The machines share a thread; the hub has its own, as the process that it is.
    on_a_thread(receiver::run(receiver_context(server.port(), Arc::clone(&center.hub), center.dir.path(), stopped)));
    let mut stops = vec![stop_hub];
    for (number, machine) in machines.iter().enumerate() {
        stops.push(start_machine(&server, machine, &format!("m{number}")));
    }
    let total = MACHINES as u64 * OLD_GAMES as u64 * OLD_EVENTS;
    let mut stored = 0;
    while stored < total && began.elapsed() < Duration::from_secs(120) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stored = center.hub.journal().remote_games().map_or(0, |games| games.iter().map(|game| game.last).sum());
    }
    let rate = stored as f64 / began.elapsed().as_secs_f64();
    let met = stored == total && rate >= CATCH_UP_GOAL;
    line(
        &format!("catching up with {MACHINES} machines, events"),
        format!("{stored} of {total}, {rate:.0} a second (goal: {CATCH_UP_GOAL:.0}: {})", verdict(met)),
    );
}

/// The processor time that a process has used.
fn cpu_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    let ticks: u64 = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|text| text.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// The memory of a process with its share of shared memory, in kB of 1024 bytes.
fn pss_kb(pid: u32) -> u64 {
    let found = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("smaps_rollup")).unwrap_or_default();
    let line = found.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
