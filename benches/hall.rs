//! A hall: from the commit of an event at its machine to its commit at the hub, with a real nats-server, compared with a bare publish and
//! consume of JetStream; and how fast a hub catches up.

mod common;

use common::harness::nats::NatsServer;
use common::{Figures, line, ratio, time, verdict};
use futures_util::StreamExt;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use touchmove::boards::{Millis, SensorKind, model};
use touchmove::daemon::Hub;
use touchmove::daemon::hub::feed::Received;
use touchmove::daemon::hub::{BoardHandle, BoardId, BoardView, Update};
use touchmove::daemon::journal::Journal;
use touchmove::game::event::{Confidence, PlayedMove, Rotation};
use touchmove::game::{Event, StampedEvent};
use touchmove::hall::connection::Endpoint;
use touchmove::hall::machine::{self, MachineContext};
use touchmove::hall::receiver::{self, ReceiverContext};
use touchmove::hall::setup::paths::HallFiles;
use touchmove::hall::setup::registry::Registry;

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

fn main() -> ExitCode {
    let Some(server) = NatsServer::start() else { return ExitCode::SUCCESS };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let hall = BenchHall::open(&server).await;
        for rate in RATES {
            measure(&hall, &server, rate).await;
        }
        drop(hall);
        catch_up().await;
    });
    ExitCode::SUCCESS
}

/// A hub without touchmoved: journal, state and feed.
struct Node {
    hub: Arc<Hub>,
    dir: TempDir,
}

impl Node {
    fn new() -> Node {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
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
    /// Publishes the next event of its game.
    fn publish(&mut self, at: Millis) {
        self.number += 1;
        let event = if self.number == 1 { started() } else { made(self.number) };
        let stamped = StampedEvent { at, number: Some(self.number), event };
        self.handle.publish(1_795_000_000_000, vec![stamped], |_| {}, None);
    }
}

fn started() -> Event {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    Event::GameStarted { fen, chess960: Some(518), laws: "2023".to_owned(), rotation: Rotation::Upright }
}

fn made(number: u64) -> Event {
    let played = PlayedMove {
        uci: "g1f3".to_owned(),
        san: "Nf3".to_owned(),
        fen: format!("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - {number} 1"),
        irregular: false,
        evidence: Vec::new(),
    };
    Event::MoveMade { ply: number as u32 - 1, played, confidence: Confidence(1000), alternatives: Vec::new() }
}

fn board_view(name: &str) -> BoardView {
    BoardView::new(BoardId::new(name), model("dgt").expect("there is a DGT board"), SensorKind::Identity)
}

fn endpoint(server: &NatsServer, machine: &str) -> Endpoint {
    Endpoint { url: server.url(), ca: None, seed: None, machine: machine.to_owned() }
}

/// Starts the hub of the hall.
fn start_receiver(server: &NatsServer, node: &Node) -> watch::Sender<bool> {
    let (stop, stopped) = watch::channel(false);
    let context = ReceiverContext {
        hub: Arc::clone(&node.hub),
        endpoint: endpoint(server, touchmove::hall::subject::HUB),
        registry: Registry::new(HALL, server.port(), 2 << 30, String::new()).expect("a valid name"),
        files: HallFiles::of(node.dir.path()),
        stop: stopped,
    };
    // The machines share a thread; the hub has its own, as the process that it is.
    on_a_thread(receiver::run(context));
    stop
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
    let (stop, stopped) = watch::channel(false);
    let context = MachineContext {
        hub: Arc::clone(&node.hub),
        endpoint: endpoint(server, name),
        state_dir: node.dir.path().to_owned(),
        stop: stopped,
    };
    tokio::spawn(machine::run(context));
    stop
}

/// Reports when each event of a hub is published: the board, the number and the time.
fn watch_events(hub: &Arc<Hub>, to: mpsc::UnboundedSender<(String, u64, Instant)>, prefix: &str) {
    let (mut updates, prefix) = (hub.subscribe(), prefix.to_owned());
    on_a_thread(async move {
        while let Some(received) = updates.next().await {
            if let Received::Update(Update::Event(event)) = received
                && let Some(number) = event.stamped.number
            {
                let _ = to.send((format!("{prefix}{}", event.board), number, Instant::now()));
            }
        }
    });
}

struct BenchHall {
    center: Node,
    machines: Vec<Node>,
    _stops: Vec<watch::Sender<bool>>,
}

impl BenchHall {
    async fn open(server: &NatsServer) -> BenchHall {
        let center = Node::new();
        let machines: Vec<Node> = (0..MACHINES).map(|_| Node::new()).collect();
        let mut stops = vec![start_receiver(server, &center)];
        for (number, machine) in machines.iter().enumerate() {
            stops.push(start_machine(server, machine, &format!("m{number}")));
        }
        BenchHall { center, machines, _stops: stops }
    }
}

/// Publishes events at this rate on as many boards, and compares when they are committed.
async fn measure(hall: &BenchHall, server: &NatsServer, rate: usize) {
    let (to_here, mut here) = mpsc::unbounded_channel();
    let (to_there, mut there) = mpsc::unbounded_channel();
    watch_events(&hall.center.hub, to_here, "");
    let mut boards = Vec::new();
    for (number, machine) in hall.machines.iter().enumerate() {
        watch_events(&machine.hub, to_there.clone(), &format!("m{number}_"));
        for board in 0..rate / MACHINES {
            let (handle, _) = machine.hub.register_board(board_view(&format!("r{rate}_{board}")));
            boards.push(BenchBoard { handle, number: 0 });
        }
    }
    let bare = bare(server, rate).await;
    let cpu = cpu_time(server.pid());
    let began = Instant::now();
    let mut interval = tokio::time::interval(Duration::from_micros(1_000_000 / rate as u64));
    let mut published = 0;
    while began.elapsed() < WARM_UP + MEASURED {
        interval.tick().await;
        let count = boards.len();
        boards[published % count].publish(began.elapsed().as_millis() as Millis);
        published += 1;
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut arrived: HashMap<(String, u64), Instant> = HashMap::new();
    while arrived.len() < published && Instant::now() < deadline {
        if let Ok(Some((board, number, at))) = tokio::time::timeout(Duration::from_secs(1), here.recv()).await {
            arrived.insert((board, number), at);
        }
    }
    let mut latency = Figures::default();
    let mut missing = 0;
    while let Ok((board, number, at)) = there.try_recv() {
        match arrived.get(&(board, number)) {
            Some(arrived) if at >= began + WARM_UP => latency.add(arrived.saturating_duration_since(at)),
            Some(_) => {}
            None => missing += 1,
        }
    }
    let elapsed = began.elapsed();
    line(
        &format!("{rate} events a second, median (p99)"),
        format!("{} ({})", time(latency.median()), time(latency.percentile(99))),
    );
    line("  bare publish and consume, median (p99)", format!("{} ({})", time(bare.median()), time(bare.percentile(99))));
    let of_bare = ratio(latency.median(), bare.median());
    line("  ratio of the medians", format!("{of_bare:.2} (goal: at most {RATIO_GOAL}: {})", verdict(of_bare <= RATIO_GOAL)));
    if rate == 1000 {
        let met = latency.percentile(99) <= P99_GOAL;
        line("  p99", format!("{} (goal: at most {}: {})", time(latency.percentile(99)), time(P99_GOAL), verdict(met)));
    }
    line("  events that did not arrive", missing);
    let used = cpu_time(server.pid()).saturating_sub(cpu);
    let share = used.as_secs_f64() / elapsed.as_secs_f64() * 100.0;
    line("  nats-server", format!("{share:.1} % of a core, {} MB", resident_kb(server.pid()) / 1024));
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
    for _ in 0..MACHINES {
        let node = Node::new();
        for game in 0..OLD_GAMES {
            let events = (1..=OLD_EVENTS).map(|number| StampedEvent {
                at: number,
                number: Some(number),
                event: if number == 1 { started() } else { made(number) },
            });
            let board = format!("b{}", game % 4);
            node.hub.journal().append(&board, 1_795_000_000_000, events.collect()).await.expect("a commit");
        }
        machines.push(node);
    }
    let center = Node::new();
    let began = Instant::now();
    let mut stops = vec![start_receiver(&server, &center)];
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

/// The memory of a process, in kB of 1024 bytes.
fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
