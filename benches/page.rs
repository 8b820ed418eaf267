//! The page of a large hall in a real browser: what it costs to follow all boards at blitz pace.
//!
//! First 600 boards play, or as many as the environment variable `BOARDS` says, and the event stream of one visitor is recorded as it
//! is sent, with its size. Then Chromium shows the page while the recording is replayed at its own pace, and is traced: scripting, style
//! and layout in each frame, and the longest task.
//!
//! Last, the first view of the public page, with an empty cache and a processor that is four times slower: its size, and when it is drawn
//! and answers. The goals are for a round of 60 boards: `BOARDS=60`.

mod common;

use common::harness::webdriver::Browser;
use common::harness::{Board, PrivateBus};
use common::trace::MainThread;
use common::{line, round, time, verdict};
use flate2::read::GzDecoder;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

const BOARDS: usize = 600;
/// The environment variable with another number.
const BOARDS_VARIABLE: &str = "BOARDS";
/// The time of a ply on each board, as in blitz of three minutes with about forty moves of each player.
const PLY: Duration = Duration::from_millis(4_500);
/// The number of plies before the recording: the positions are different by then.
const BEFORE: u32 = 5;
/// How long is recorded, and how long each size of cards is measured.
const RECORDED: Duration = Duration::from_secs(30);
const MEASURED: Duration = Duration::from_secs(20);
/// The time in which the page is loaded and drawn for the first time.
const LOADED: Duration = Duration::from_secs(4);

/// The goals: bytes per second, and the times of a frame (95 %) and of a task.
const RATE_GOAL: f64 = 30_000.0;
const FRAME_GOAL: Duration = Duration::from_millis(8);
const TASK_GOAL: Duration = Duration::from_millis(50);
/// The goals for the first view of the public page: bytes that are sent, and the time until it is drawn.
const FIRST_VIEW_GOAL: f64 = 150_000.0;
const DRAWN_GOAL: Duration = Duration::from_secs(1);
/// How much slower the processor is for it.
const SLOW_DOWN: u32 = 4;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let limit = getrlimit(Resource::Nofile);
    // Each board is a pseudo-terminal.
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("the limit of open files can be raised");
    let (Some(bus), Some(browser)) = (PrivateBus::start(), Browser::open()) else { return };
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let count = std::env::var(BOARDS_VARIABLE).map_or(BOARDS, |count| count.parse().expect("BOARDS is a number"));
    let boards: Vec<Board> = (0..count).map(|_| Board::plugged()).collect();
    let (daemon, port) = runtime.block_on(round::start(&bus, dir.path(), &boards, ""));
    let recording = runtime.block_on(record(port, &boards));
    recording.report(count);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let page = format!("http://{}/login", listener.local_addr().expect("an address"));
    // The browser is waited for on this thread.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(replay(listener, Arc::new(recording), port));
    });
    for size in ["m", "rows"] {
        measure(&browser, &page, size);
    }
    first_view(&browser, port);
    drop((daemon, boards));
}

/// What a visitor's page was sent.
struct Recording {
    state: Value,
    /// The compressed stream, in the parts in which it was sent, each with its time.
    parts: Vec<(Duration, Vec<u8>)>,
}

/// Plays on all boards, and records what is sent to one page.
async fn record(port: u16, boards: &[Board]) -> Recording {
    let plays = boards.iter().enumerate().map(|(index, board)| round::play(board, index, boards.len(), PLY));
    let recording = async {
        tokio::time::sleep(PLY * BEFORE).await;
        let state = round::state(port).await;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
        let seq = state["seq"].as_str().expect("a number");
        let path = format!("/api/events?cards=changes&after={seq}");
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it listens");
        let (began, mut parts, mut chunk) = (Instant::now(), Vec::new(), vec![0; 1 << 16]);
        while let Ok(Ok(count @ 1..)) =
            tokio::time::timeout(RECORDED.saturating_sub(began.elapsed()), stream.read(&mut chunk)).await
        {
            parts.push((began.elapsed(), chunk[..count].to_vec()));
        }
        // An answer to HTTP/1.0 has no chunks: its body begins after the head, which is in the first part.
        if let Some((_, first)) = parts.first_mut() {
            let head = first.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head in one part");
            first.drain(..head + 4);
        }
        Recording { state, parts }
    };
    tokio::select! {
        recording = recording => recording,
        () = async { drop(futures_util::future::join_all(plays).await); std::future::pending().await } => unreachable!("the recording ends first"),
    }
}

impl Recording {
    fn report(&self, boards: usize) {
        let compressed: Vec<u8> = self.parts.iter().flat_map(|(_, bytes)| bytes).copied().collect();
        let mut text = Vec::new();
        // The recording ends before the stream.
        let _ = GzDecoder::new(&compressed[..]).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        let of_kind = |kind: &str| text.lines().filter(|line| line.strip_prefix("event: ") == Some(kind)).count();
        let seconds = RECORDED.as_secs_f64();
        let (rate, plain) = (compressed.len() as f64 / seconds, text.len() as f64 / seconds);
        println!("{boards} boards at a ply in {} each, what one page is sent in {}:", time(PLY), time(RECORDED));
        line("changes of cards, whole cards", format!("{}, {}", of_kind("change"), of_kind("card")));
        line("not compressed", format!("{:.1} kB/s", plain / 1e3));
        let met = verdict(rate <= RATE_GOAL);
        line("compressed", format!("{:.1} kB/s (goal: at most {:.0} kB/s: {met})", rate / 1e3, RATE_GOAL / 1e3));
    }
}

/// Serves the page of touchmoved, with the recorded state and stream in place of its own.
async fn replay(listener: std::net::TcpListener, recording: Arc<Recording>, port: u16) {
    listener.set_nonblocking(true).expect("a socket");
    let listener = TcpListener::from_std(listener).expect("a socket");
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(answer(client, Arc::clone(&recording), port));
    }
}

/// Answers one request. Errors mean that the browser no longer needs the answer.
async fn answer(mut client: TcpStream, recording: Arc<Recording>, port: u16) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    if head.starts_with("GET /api/state") {
        let body = recording.state.to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        client.write_all(answer.as_bytes()).await.ok()
    } else if head.starts_with("GET /api/events") {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
        client.write_all(head.as_bytes()).await.ok()?;
        let began = tokio::time::Instant::now();
        for (at, part) in &recording.parts {
            tokio::time::sleep_until(began + *at).await;
            client.write_all(part).await.ok()?;
        }
        std::future::pending().await
    } else {
        let mut server = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        // Each request has a connection of its own.
        server.write_all(head.replace("Connection: keep-alive", "Connection: close").as_bytes()).await.ok()?;
        copy_bidirectional(&mut client, &mut server).await.ok().map(|_| ())
    }
}

/// Measures the page with cards of this size: while it is loaded, and then.
fn measure(browser: &Browser, page: &str, size: &str) {
    browser.size(1920, 1080);
    browser.go(page);
    browser.until("the page", "document.querySelector('#cards .card')");
    browser.js(&format!("localStorage.setItem('size', {size:?})"));
    let trace = |lasts: Duration| {
        let address = browser.debugger().to_owned();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(MainThread::trace(&address, lasts))
        })
    };
    let loading = trace(LOADED);
    std::thread::sleep(LOADED / 4);
    browser.go(page);
    let loading = loading.join().expect("a trace");
    let then = trace(MEASURED).join().expect("a trace");
    let count = |css: &str| browser.js(&format!("return document.querySelectorAll({css:?}).length"));
    println!("{} cards, {} of them drawn, size {size}:", count("#cards .card"), count("#cards .face"));
    report_longest("longest task while the page is loaded", &loading);
    let frames = then.frames();
    line("frames in which something was done", format!("{} in {}", frames.count(), time(MEASURED)));
    let name = "scripting, style and layout in a frame, median (p99)";
    line(name, format!("{} ({})", time(frames.median()), time(frames.percentile(99))));
    let p95 = frames.percentile(95);
    line("the same, p95", format!("{} (goal: at most {}: {})", time(p95), time(FRAME_GOAL), verdict(p95 <= FRAME_GOAL)));
    report_longest("longest task", &then);
    line("share of a core", format!("{:.1} %", frames.total().as_secs_f64() / MEASURED.as_secs_f64() * 100.0));
}

/// Measures the first view of the public page.
fn first_view(browser: &Browser, port: u16) {
    browser.size(1440, 900);
    browser.without_cache();
    browser.slow_down(SLOW_DOWN);
    browser.go(&format!("http://127.0.0.1:{port}/"));
    browser.until("the page", "performance.getEntriesByName('drawn').length > 0");
    let number = |script: &str| browser.js(&format!("return {script}")).as_f64().expect("a number");
    let bytes = number(
        "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
             .reduce((sum, one) => sum + one.transferSize, 0)",
    );
    let drawn = Duration::from_secs_f64(number("performance.getEntriesByName('drawn')[0].startTime") / 1e3);
    let tiles = number("document.querySelectorAll('.tiles > li').length");
    println!("the public page, first view, {tiles} boards drawn, processor {SLOW_DOWN} times slower:");
    let met = verdict(bytes <= FIRST_VIEW_GOAL);
    line("sent, compressed", format!("{:.0} kB (goal: at most {:.0} kB: {met})", bytes / 1e3, FIRST_VIEW_GOAL / 1e3));
    let met = verdict(drawn <= DRAWN_GOAL);
    line("drawn, and answers", format!("{} (goal: at most {}: {met})", time(drawn), time(DRAWN_GOAL)));
    browser.slow_down(1);
}

fn report_longest(name: &str, thread: &MainThread) {
    let longest = thread.tasks().percentile(100);
    line(name, format!("{} (goal: at most {}: {})", time(longest), time(TASK_GOAL), verdict(longest <= TASK_GOAL)));
}
