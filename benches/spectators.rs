//! Two thousand spectators of a round, on one core: a few follow the public stream, then as many as the page admits, while sixty boards
//! play at the pace of blitz. Compares how long after the delay a live move arrives, the processor time, and the memory.
//!
//! The spectators come from many addresses of this machine, since the page limits those of one address. touchmoved has a core of its own;
//! spectators, boards and the bus share the others.

mod common;

use common::harness::{Board, PrivateBus};
use common::process::{leave_first_core, memory_kb, pin_to_first_core, processor_time};
use common::{Figures, line, ratio, round, time, verdict};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use touchmove::publish::client::{Client, WatchItem, WatchedEvent};
use touchmove::publish::dbus::{Bus, Stream};

const BOARDS: usize = 60;
/// The time of a ply on each board, as in blitz of three minutes with about forty moves of each player.
const PLY: Duration = Duration::from_millis(2_000);
/// The delay of the public page.
const DELAY: Duration = Duration::from_secs(3);
/// Numbers of spectators, one after the other: a few, and many.
const SPECTATORS: [usize; 2] = [20, 2_000];
/// How many of them measure; the others only read.
const PROBES: usize = 20;
/// How many come from one address.
const PER_ADDRESS: usize = 20;
/// How long is measured with each number.
const MEASURED: Duration = Duration::from_secs(30);
/// The time after the last spectator has come in which all receive the state.
const SETTLED: Duration = Duration::from_secs(5);
/// The goals: the time beyond the delay for 99 % of the moves, and the share of a core.
const LATE_GOAL: Duration = Duration::from_secs(1);
const SHARE_GOAL: f64 = 1.0;

/// Time at which the live stream reported each move, by table and ply. The time that recognising a move takes is thus excluded.
type Played = Arc<Mutex<HashMap<(u64, u64), Instant>>>;

/// What the spectators have received.
#[derive(Default)]
struct Received {
    /// Whether it is counted now.
    is_counted: AtomicBool,
    bytes: AtomicU64,
    late: Mutex<Figures>,
}

/// What was measured with a number of spectators.
struct Measured {
    late: Figures,
    share: f64,
    memory_kb: u64,
    bytes_per_second: f64,
    played: usize,
}

fn main() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("the limit of open files can be raised");
    leave_first_core();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let Some(bus) = PrivateBus::start() else { return };
    runtime.block_on(measure_all(&bus));
}

async fn measure_all(bus: &PrivateBus) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let boards: Vec<Board> = (0..BOARDS).map(|_| Board::plugged()).collect();
    let delay = format!("[broadcast]\ndelay_s = {}\n", DELAY.as_secs());
    let (daemon, port) = round::start(bus, dir.path(), &boards, &delay).await;
    pin_to_first_core(daemon.pid());
    let (played, mut measured) = (Played::default(), Vec::new());
    let mut live = tokio::spawn(follow_live(bus.address(), Arc::clone(&played)));
    let plays = async {
        let play = |(index, board)| round::play(board, index, BOARDS, PLY);
        futures_util::future::join_all(boards.iter().enumerate().map(play)).await;
        std::future::pending::<()>().await;
    };
    let measurements = async {
        for count in SPECTATORS {
            measured.push(measure(port, daemon.pid(), count, &played).await);
        }
    };
    tokio::select! {
        () = measurements => {}
        () = plays => {}
        _ = &mut live => panic!("the live stream has ended"),
    }
    report(&measured);
}

/// Notes when each move is on the live stream of D-Bus.
async fn follow_live(address: String, played: Played) {
    let client = Client::connect_to_bus(&Bus::Address(address), Stream::Live).await.expect("the bus");
    let mut watch = client.watch().await.expect("signals");
    // The tables have the numbers of their boards.
    let games = client.snapshot().await.expect("touchmoved").games;
    let table = |board: &str| board.strip_prefix("b_").and_then(|number| number.parse().ok());
    let tables: HashMap<u64, u64> = games.iter().filter_map(|game| Some((game.id, table(&game.board)?))).collect();
    let mut plies = HashMap::new();
    while let Some(item) = watch.next().await {
        let at = Instant::now();
        let WatchItem::Happened(WatchedEvent { game: Some(game), event, .. }) = item else { continue };
        if let (Some(&table), "MoveMade") = (tables.get(&game), event.as_str()) {
            let ply = plies.entry(table).or_insert(0);
            *ply += 1;
            played.lock().expect("no thread panicked").insert((table, *ply), at);
        }
    }
}

/// Lets this number of spectators follow the round for a while.
async fn measure(port: u16, pid: u32, count: usize, played: &Played) -> Measured {
    let received = Arc::new(Received::default());
    let mut readers = JoinSet::new();
    for index in 0..count {
        // Those that measure came among the others.
        let measures = index % (count / PROBES) == 0;
        let stream = open(port, index, measures).await;
        if measures {
            readers.spawn(follow(stream, Arc::clone(played), Arc::clone(&received)));
        } else {
            readers.spawn(read(stream, Arc::clone(&received)));
        }
    }
    tokio::time::sleep(SETTLED).await;
    assert!(readers.try_join_next().is_none(), "the page keeps all spectators");
    let before = played.lock().expect("no thread panicked").len();
    let (worked, began) = (processor_time(pid), Instant::now());
    received.is_counted.store(true, Ordering::Relaxed);
    tokio::time::sleep(MEASURED).await;
    received.is_counted.store(false, Ordering::Relaxed);
    let (worked, lasted) = (processor_time(pid) - worked, began.elapsed());
    let played = played.lock().expect("no thread panicked").len() - before;
    let memory_kb = memory_kb(pid);
    assert!(readers.try_join_next().is_none(), "the page keeps all spectators");
    readers.shutdown().await;
    let late = std::mem::take(&mut *received.late.lock().expect("no thread panicked"));
    let bytes_per_second = received.bytes.load(Ordering::Relaxed) as f64 / lasted.as_secs_f64();
    Measured { late, share: worked.as_secs_f64() / lasted.as_secs_f64(), memory_kb, bytes_per_second, played }
}

/// Opens the public stream from one of many addresses; compressed, as browsers request it, unless the reader parses it.
async fn open(port: u16, index: usize, is_plain: bool) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let address = Ipv4Addr::from_bits(
        Ipv4Addr::new(127, 1, 0, 1).to_bits() + u32::try_from(index / PER_ADDRESS).expect("a small number"),
    );
    socket.bind(SocketAddr::from((address, 0))).expect("an address of this machine");
    let mut stream = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.expect("a connection");
    let encoding = if is_plain { "" } else { "Accept-Encoding: gzip\r\n" };
    let request = format!("GET /public/stream HTTP/1.1\r\nHost: localhost\r\n{encoding}\r\n");
    stream.write_all(request.as_bytes()).await.expect("it listens");
    stream
}

/// Reads the stream.
async fn read(mut stream: TcpStream, received: Arc<Received>) {
    let mut chunk = vec![0; 1 << 14];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        received.add(count);
    }
}

/// Reads the stream, and measures when moves arrive.
async fn follow(stream: TcpStream, played: Played, received: Arc<Received>) {
    let (mut stream, mut text) = (BufReader::with_capacity(1 << 14, stream), String::new());
    let mut known = HashMap::new();
    loop {
        text.clear();
        let Ok(count @ 1..) = stream.read_line(&mut text).await else { return };
        let at = Instant::now();
        received.add(count);
        let Some(change) = text.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok()) else {
            continue;
        };
        let (Some(table), Some(ply)) = (change["table"].as_u64(), change["state"]["ply"].as_u64()) else { continue };
        let last = known.entry(table).or_insert(0);
        if ply <= *last {
            continue;
        }
        *last = ply;
        let live = played.lock().expect("no thread panicked").get(&(table, ply)).copied();
        if let Some(live) = live.filter(|_| received.is_counted.load(Ordering::Relaxed)) {
            let late = at.saturating_duration_since(live + DELAY);
            received.late.lock().expect("no thread panicked").add(late);
        }
    }
}

impl Received {
    fn add(&self, count: usize) {
        if self.is_counted.load(Ordering::Relaxed) {
            self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

fn report(measured: &[Measured]) {
    println!("{BOARDS} boards at a ply in {} each, a delay of {}, touchmoved on one core:", time(PLY), time(DELAY));
    for (count, one) in SPECTATORS.iter().zip(measured) {
        println!("{count} spectators:");
        let late = one.late.percentile(99);
        let seen = one.late.count();
        let longest = time(one.late.percentile(100));
        line("a move after the delay, median (longest)", format!("{} ({longest})", time(one.late.median())));
        line(
            "99 % of the moves",
            format!("{} (goal: at most {}: {})", time(late), time(LATE_GOAL), verdict(late <= LATE_GOAL)),
        );
        line("moves that the measuring spectators saw, of those played", format!("{seen} of {}", one.played * PROBES));
        let met = verdict(one.share < SHARE_GOAL);
        line("processor time, of the core", format!("{:.0} % (goal: under 100 %: {met})", one.share * 100.0));
        line("memory of touchmoved", format!("{:.1} MB", one.memory_kb as f64 / 1024.0));
        line("sent to all", format!("{:.2} MB/s", one.bytes_per_second / 1e6));
    }
    if let [few, many] = measured {
        println!("many to few:");
        line("a move after the delay, medians", format!("{:.2}", ratio(many.late.median(), few.late.median())));
        line("processor time", format!("{:.2}", many.share / few.share));
        let each = (many.memory_kb.saturating_sub(few.memory_kb)) as f64 / (SPECTATORS[1] - SPECTATORS[0]) as f64;
        line("memory of each further spectator", format!("{each:.1} kB"));
    }
}
