//! The latency of the network front-ends, and their cost.
//!
//! First one board: the time from the bytes of a move until a LiveChess client and a page have it, compared with a D-Bus client in the
//! same run. Then a hall of boards at blitz pace, with pages and LiveChess clients that follow all of them: latency, memory, and the
//! share of a core. Last, the number of answers per second from memory, compared with a file of the same server.

mod common;

use common::harness::{Board, Daemon, PATIENCE, PrivateBus};
use common::process::{memory_kb, processor_time};
use common::{Figures, knights_moves, line, ratio, time, verdict};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use touchmove::game::rights::Role;
use touchmove::publish::client::{Client, WatchItem};
use touchmove::publish::dbus::{Bus, Stream};
use touchmove::publish::web::tokens::TokenStore;

/// The number of measured moves on the one board, and of moves before them.
const MOVES: (usize, usize) = (80, 5);
/// How long a piece is in the air; the pause between two moves is twice as long: the pace of hands.
const HAND: Duration = Duration::from_millis(300);
/// The goal for the ratio of the medians, LiveChess to D-Bus.
const GOAL: f64 = 1.2;

/// The hall: boards, pages of the public, pages of arbiters, LiveChess clients.
const BOARDS: usize = 200;
const PUBLIC: usize = 180;
const ARBITERS: usize = 20;
const WEBSOCKETS: usize = 20;
/// The time of a ply on each board, as in blitz of three minutes with about forty moves.
const PLY: Duration = Duration::from_millis(2_000);
/// The number of plies on each board.
const PLIES: usize = 15;
/// How long answers are requested.
const MEASURED_TIME: Duration = Duration::from_secs(2);

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let Some(bus) = PrivateBus::start() else { return };
    runtime.block_on(one_board(&bus));
    drop(bus);
    let Some(bus) = PrivateBus::start() else { return };
    runtime.block_on(hall(&bus));
}

/// touchmoved with these boards, and its ports.
struct Served {
    daemon: Daemon,
    web: u16,
    livechess: u16,
    /// The header line with the token of an arbiter.
    arbiter: String,
}

impl Served {
    fn start(bus: &PrivateBus, dir: &Path, boards: &[Board]) -> Served {
        let mut config = String::from(
            "[web]\nlisten = \"127.0.0.1:0\"\n[livechess]\nlisten = \"127.0.0.1:0\"\npublish = \"prompt\"\n[recordings]\non = false\n",
        );
        for (index, board) in boards.iter().enumerate() {
            config.push_str(&format!("[[board]]\nname = \"b_{index}\"\nport = {:?}\n", board.path()));
        }
        let path = dir.join("touchmoved.toml");
        std::fs::write(&path, config).expect("a configuration");
        let state = dir.join("state");
        let text = |path: &Path| path.to_str().expect("a readable path").to_owned();
        let daemon = Daemon::start(&["--bus", &bus.address(), "--config", &text(&path), "--state-dir", &text(&state)]);
        daemon.ready();
        boards.iter().for_each(Board::wait_read);
        let port = |before: &str| {
            common::harness::eventually("the port", || daemon.log().split_once(before)?.1.split_once('/')?.0.parse().ok())
        };
        let (web, livechess) = (port("the page is at http://127.0.0.1:"), port("ws://127.0.0.1:"));
        let token = TokenStore::of(&state).create("Anna", Role::Arbiter, 0).expect("a token");
        Served { daemon, web, livechess, arbiter: format!("Authorization: Bearer {token}\r\n") }
    }
}

async fn one_board(bus: &PrivateBus) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let boards = [Board::plugged()];
    let served = Served::start(bus, dir.path(), &boards);
    // Each client runs on a thread of its own, and reports the ply and the time of each move.
    let (reports, reported) = mpsc::channel::<(&str, usize, Instant)>();
    let (ready, ready_clients) = mpsc::channel::<()>();
    let address = bus.address();
    let listen = |name: &'static str| {
        let (reports, ready, address) = (reports.clone(), ready.clone(), address.clone());
        let (web, livechess, login) = (served.web, served.livechess, served.arbiter.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let report = move |ply: usize| _ = reports.send((name, ply, Instant::now()));
            runtime.block_on(async {
                match name {
                    "D-Bus" => watch_dbus(&address, &ready, report).await,
                    "LiveChess" => watch_livechess(livechess, &ready, report).await,
                    _ => watch_page(web, &login, &ready, report).await,
                }
            });
        });
    };
    let names = ["D-Bus", "LiveChess", "page"];
    names.into_iter().for_each(listen);
    for _ in names {
        ready_clients.recv_timeout(PATIENCE).expect("all clients are ready");
    }
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    for (index, (from, to, piece)) in knights_moves(MOVES.0 + MOVES.1).into_iter().enumerate() {
        tokio::time::sleep(2 * HAND).await;
        boards[0].put(&from, '.');
        tokio::time::sleep(HAND).await;
        let began = Instant::now();
        boards[0].put(&to, piece);
        for _ in names {
            let (name, ply, at) = reported.recv_timeout(PATIENCE).expect("every client has the move");
            assert_eq!(ply, index + 1, "{name}");
            if index >= MOVES.1 {
                figures.entry(name).or_default().add(at - began);
            }
        }
    }
    println!("from the bytes of a move until a client has it, {} moves:", MOVES.0);
    for name in names {
        let figures = &figures[name];
        line(&format!("{name}, median (p99)"), format!("{} ({})", time(figures.median()), time(figures.percentile(99))));
    }
    let found = ratio(figures["LiveChess"].median(), figures["D-Bus"].median());
    line("LiveChess to D-Bus, medians", format!("{found:.2} (goal: at most {GOAL}: {})", verdict(found <= GOAL)));
    line("page to D-Bus, medians", format!("{:.2}", ratio(figures["page"].median(), figures["D-Bus"].median())));
    drop(served);
}

async fn watch_dbus(address: &str, ready: &mpsc::Sender<()>, report: impl Fn(usize)) {
    let client = Client::connect_to_bus(&Bus::Address(address.to_owned()), Stream::Live).await.expect("the bus");
    let mut watch = client.watch().await.expect("signals");
    while client.snapshot().await.expect("touchmoved").games.is_empty() {
        tokio::task::yield_now().await;
    }
    let _ = ready.send(());
    let mut ply = 0;
    while let Some(item) = watch.next().await {
        if matches!(item, WatchItem::Happened(happened) if happened.event == "MoveMade") {
            ply += 1;
            report(ply);
        }
    }
}

async fn watch_livechess(port: u16, ready: &mpsc::Sender<()>, report: impl Fn(usize)) {
    let mut socket = websocket(port).await;
    let call = json!({"id": 1, "call": "subscribe", "param": {"feed": "eboardevent", "id": 1, "param": {"serialnr": "b_0"}}});
    let setup = json!({"id": 2, "call": "call", "param": {"id": 1, "method": "setup", "param": {"fen": START}}});
    for message in [call, setup] {
        socket.send(Message::text(message.to_string())).await.expect("it listens");
    }
    let mut known = 0;
    while let Some(Ok(message)) = socket.next().await {
        let Ok(text) = message.into_text() else { continue };
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let Some(sans) = value["param"]["san"].as_array() else { continue };
        if known == 0 && sans.is_empty() {
            let _ = ready.send(());
        }
        if sans.len() > known {
            known = sans.len();
            report(known);
        }
    }
}

async fn websocket(port: u16) -> tokio_tungstenite::WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let _ = stream.set_nodelay(true);
    client_async(format!("ws://localhost:{port}/api/v1.0"), stream).await.expect("a WebSocket").0
}

async fn watch_page(port: u16, login: &str, ready: &mpsc::Sender<()>, report: impl Fn(usize)) {
    let mut stream = events(port, login).await;
    let mut known = 0;
    let mut is_ready = false;
    let mut text = String::new();
    while next_line(&mut stream, &mut text).await {
        let Some(card) = text.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok()) else {
            continue;
        };
        let Some(ply) = card["game"]["ply"].as_u64() else { continue };
        if !is_ready {
            is_ready = true;
            let _ = ready.send(());
        }
        if ply as usize > known {
            known = ply as usize;
            report(known);
        }
    }
}

async fn events(port: u16, login: &str) -> BufReader<TcpStream> {
    stream(port, "/api/events", login).await
}

/// Opens the stream as the page does: with the changed fields of cards, compressed.
async fn page(port: u16, login: &str) -> BufReader<TcpStream> {
    stream(port, "/api/events?cards=changes", &format!("{login}Accept-Encoding: gzip\r\n")).await
}

async fn stream(port: u16, path: &str, lines: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
    stream.write_all(request.as_bytes()).await.expect("it listens");
    BufReader::with_capacity(1 << 16, stream)
}

async fn next_line(stream: &mut BufReader<TcpStream>, into: &mut String) -> bool {
    into.clear();
    stream.read_line(into).await.is_ok_and(|count| count > 0)
}

/// When the piece of a ply was put down, by board and ply.
type Played = Arc<Mutex<HashMap<(String, usize), Instant>>>;

async fn hall(bus: &PrivateBus) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let boards: Vec<Board> = (0..BOARDS).map(|_| Board::plugged()).collect();
    let served = Served::start(bus, dir.path(), &boards);
    let pid = served.daemon.pid();
    let games = || async {
        let state = get(served.web, "/api/state", "").await;
        state["boards"].as_array().map_or(0, |boards| boards.iter().filter(|board| !board["game"].is_null()).count())
    };
    let end = Instant::now() + PATIENCE;
    while games().await < BOARDS {
        assert!(Instant::now() < end, "waited in vain for {BOARDS} games");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let before = memory_kb(pid);
    let played: Played = Arc::default();
    let (public, arbiter, livechess_figures) = (Arc::default(), Arc::default(), Arc::default());
    let bytes = Arc::new(AtomicU64::new(0));
    let mut listeners = tokio::task::JoinSet::new();
    // One client of each kind measures, the others only read.
    let probe = |login: &str, figures: &Arc<Mutex<Figures>>| {
        let (played, figures, login, port) = (Arc::clone(&played), Arc::clone(figures), login.to_owned(), served.web);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(measure_events(port, &login, &played, &figures));
        });
    };
    probe("", &public);
    probe(&served.arbiter, &arbiter);
    for index in 2..PUBLIC + ARBITERS {
        let login = if index < ARBITERS + 1 { served.arbiter.as_str() } else { "" };
        let (mut stream, bytes) = (page(served.web, login).await, Arc::clone(&bytes));
        listeners.spawn(async move {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(count @ 1..) = stream.read(&mut chunk).await {
                bytes.fetch_add(count as u64, Ordering::Relaxed);
            }
        });
    }
    {
        let (played, figures, port) = (Arc::clone(&played), Arc::clone(&livechess_figures), served.livechess);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(measure_websocket(port, &played, &figures));
        });
    }
    for _ in 1..WEBSOCKETS {
        let mut socket = all_boards(served.livechess, false).await;
        listeners.spawn(async move { while let Some(Ok(_)) = socket.next().await {} });
    }
    // By now all clients have the state.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (processor, began) = (processor_time(pid), Instant::now());
    bytes.store(0, Ordering::Relaxed);
    let moves = knights_moves(PLIES);
    let plays = boards.iter().enumerate().map(|(index, board)| play(index, board, &moves, &played));
    futures_util::future::join_all(plays).await;
    let (worked, lasted) = (processor_time(pid) - processor, began.elapsed());
    tokio::time::sleep(Duration::from_secs(1)).await;
    let plies = BOARDS * PLIES;
    println!("{BOARDS} boards at a ply in {} each, {} pages, {WEBSOCKETS} LiveChess clients:", time(PLY), PUBLIC + ARBITERS);
    for (name, figures) in [("a public page", &public), ("an arbiter's page", &arbiter), ("LiveChess", &livechess_figures)] {
        let figures: &Mutex<Figures> = figures;
        let figures = figures.lock().expect("figures");
        let text = format!(
            "{} ({}), {} of {plies} seen one by one",
            time(figures.median()),
            time(figures.percentile(99)),
            figures.count()
        );
        line(&format!("{name}, median (p99)"), text);
    }
    let share = worked.as_secs_f64() / lasted.as_secs_f64();
    line(
        "processor time of touchmoved, of one core",
        format!("{:.0} % (goal: under 100 %: {})", share * 100.0, verdict(share < 1.0)),
    );
    let memory = memory_kb(pid);
    line("memory of touchmoved, without clients, and at the end", format!("{} MB, {} MB", before / 1024, memory / 1024));
    line("sent to pages", format!("{:.1} MB/s", bytes.load(Ordering::Relaxed) as f64 / 1e6 / lasted.as_secs_f64()));
    listeners.shutdown().await;
    answers(&served).await;
    drop(served);
}

/// Plays on one board, with a clock that sends its times.
async fn play(index: usize, board: &Board, moves: &[(String, String, char)], played: &Played) {
    // The boards do not start at the same time.
    tokio::time::sleep(PLY * index as u32 / BOARDS as u32).await;
    for (ply, (from, to, piece)) in (1..).zip(moves) {
        let began = tokio::time::Instant::now();
        let left = 180 - ply as u32;
        board.put(from, '.');
        tokio::time::sleep(PLY / 5).await;
        played.lock().expect("no thread panicked").insert((format!("b_{index}"), ply), Instant::now());
        board.put(to, *piece);
        tokio::time::sleep(PLY / 10).await;
        board.clock(left, left, ply % 2 == 0);
        tokio::time::sleep_until(began + PLY / 2).await;
        board.clock(left - 1, left, ply % 2 == 0);
        tokio::time::sleep_until(began + PLY).await;
    }
}

async fn measure_events(port: u16, login: &str, played: &Played, figures: &Mutex<Figures>) {
    let mut stream = events(port, login).await;
    let (mut text, mut known) = (String::new(), HashMap::new());
    while next_line(&mut stream, &mut text).await {
        let at = Instant::now();
        let Some(card) = text.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok()) else {
            continue;
        };
        if let (Some(board), Some(ply)) = (card["board"].as_str(), card["game"]["ply"].as_u64()) {
            note_move(board, ply as usize, at, &mut known, played, figures);
        }
    }
}

/// Opens a WebSocket that is subscribed to all boards.
async fn all_boards(port: u16, with_moves: bool) -> tokio_tungstenite::WebSocketStream<TcpStream> {
    let mut socket = websocket(port).await;
    for index in 0..BOARDS {
        let param = json!({"feed": "eboardevent", "id": index, "param": {"serialnr": format!("b_{index}")}});
        let subscribe = json!({"id": index, "call": "subscribe", "param": param});
        socket.feed(Message::text(subscribe.to_string())).await.expect("it listens");
        if with_moves {
            let setup =
                json!({"id": index, "call": "call", "param": {"id": index, "method": "setup", "param": {"fen": START}}});
            socket.feed(Message::text(setup.to_string())).await.expect("it listens");
        }
    }
    socket.flush().await.expect("it listens");
    socket
}

async fn measure_websocket(port: u16, played: &Played, figures: &Mutex<Figures>) {
    let mut socket = all_boards(port, true).await;
    let mut known = HashMap::new();
    while let Some(Ok(message)) = socket.next().await {
        let at = Instant::now();
        let Ok(text) = message.into_text() else { continue };
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        if let (Some(board), Some(sans)) = (value["param"]["serialnr"].as_str(), value["param"]["san"].as_array()) {
            note_move(board, sans.len(), at, &mut known, played, figures);
        }
    }
}

fn note_move(
    board: &str,
    ply: usize,
    at: Instant,
    known: &mut HashMap<String, usize>,
    played: &Played,
    figures: &Mutex<Figures>,
) {
    let last = known.entry(board.to_owned()).or_insert(0);
    if ply <= *last {
        return;
    }
    *last = ply;
    if let Some(began) = played.lock().expect("no thread panicked").get(&(board.to_owned(), ply)) {
        figures.lock().expect("figures").add(at - *began);
    }
}

/// Measures answers from memory, compared with a file of the same server.
async fn answers(served: &Served) {
    let file = rate(served.web, "/page/page.js").await;
    println!("answers per second, on one connection:");
    line("a file of the page", format!("{:.0} of {} kB", file.0, file.1 / 1024));
    for (port, path) in [
        (served.web, "/cloud/round-1/index.json"),
        (served.web, "/cloud/round-1/game-1.json"),
        (served.web, "/api/games/1"),
        (served.web, "/api/state"),
        (served.livechess, "/api/v1.0/eboards"),
    ] {
        let (found, size) = rate(port, path).await;
        line(path, format!("{found:.0} of {} kB, {:.2} of the file's", size / 1024, found / file.0));
    }
}

/// The number of answers per second, and the bytes of each.
async fn rate(port: u16, path: &str) -> (f64, usize) {
    let mut stream = BufReader::with_capacity(1 << 16, TcpStream::connect(("127.0.0.1", port)).await.expect("a connection"));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (mut count, mut size, began) = (0, 0, Instant::now());
    while began.elapsed() < MEASURED_TIME {
        stream.get_mut().write_all(request.as_bytes()).await.expect("it listens");
        size = body(&mut stream).await.len();
        count += 1;
    }
    (f64::from(count) / began.elapsed().as_secs_f64(), size)
}

async fn body(stream: &mut BufReader<TcpStream>) -> Vec<u8> {
    let (mut text, mut length) = (String::new(), 0);
    while next_line(stream, &mut text).await && text != "\r\n" {
        if let Some(value) = text.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.expect("all of it");
    body
}

async fn get(port: u16, path: &str, login: &str) -> Value {
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.expect("a connection"));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{login}\r\n");
    stream.get_mut().write_all(request.as_bytes()).await.expect("it listens");
    serde_json::from_slice(&body(&mut stream).await).expect("JSON")
}
