//! One client at each front-end that asks for more and more and reads nothing: the memory of the service stays bounded.
//!
//! The test floods each front-end for some seconds at most; `make resources` is the long form, with `RESOURCE_SECONDS=30` of each.

use crate::hall::{OpenHall, UPGRADE, connect, frame};
use crate::harness::{Daemon, PATIENCE, eventually};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use zbus::Message;

/// What one client may make the service take, in kB.
const MOST_KB: u64 = 8 * 1024;
/// The short form ends when the service has taken this many bytes.
const ASKED: usize = 16 * 1024 * 1024;
/// A service that has taken nothing for this long takes no more: the short form ends.
const STUCK: Duration = Duration::from_millis(300);
/// The short form ends after this long, however slowly the service takes something.
const LONGEST: Duration = Duration::from_secs(4);
/// How long the long form waits before it connects anew: a port stays in use for a minute after its connection was closed.
const PAUSE: Duration = Duration::from_millis(10);

/// A figure of its memory, in kB: `VmRSS` now, `VmHWM` the most since [`forget_peak`].
fn kb(daemon: &Daemon, figure: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let figure = status.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(':')).unwrap();
    figure.trim().trim_end_matches(" kB").parse().unwrap()
}

/// See proc_pid_clear_refs(5).
fn forget_peak(daemon: &Daemon) {
    fs::write(format!("/proc/{}/clear_refs", daemon.pid()), "5").unwrap();
}

/// A connection that can be written to for a while.
trait Ask: Write {
    fn give_up_after(&self, span: Duration);
}

impl Ask for TcpStream {
    fn give_up_after(&self, span: Duration) {
        self.set_write_timeout(Some(span)).unwrap();
    }
}

impl Ask for UnixStream {
    fn give_up_after(&self, span: Duration) {
        self.set_write_timeout(Some(span)).unwrap();
    }
}

/// What the service took of a flood.
struct Flood {
    bytes: usize,
    connections: usize,
    took: Duration,
}

/// How long each front-end is flooded. `None`: the short form, which ends earlier where the service takes no more.
fn wanted_span() -> Option<Duration> {
    let seconds = std::env::var("RESOURCE_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("RESOURCE_SECONDS is a number")))
}

/// Connects, writes the head, then the request again and again, and reads nothing. In the long form it connects anew where the service
/// closes the connection, and waits where the service takes nothing, until the span is over. Returns the last connection, too.
fn flood<S: Ask>(connect: impl Fn() -> S, head: &[u8], request: &[u8]) -> (S, Flood) {
    let (span, began) = (wanted_span(), Instant::now());
    let chunk = request.repeat((64 * 1024 / request.len()).max(1));
    let (mut bytes, mut connections) = (0, 0);
    let is_over = |bytes: usize| match span {
        Some(span) => began.elapsed() >= span,
        None => bytes >= ASKED || began.elapsed() >= LONGEST,
    };
    loop {
        let mut stream = connect();
        connections += 1;
        stream.give_up_after(STUCK);
        let mut is_open = stream.write_all(head).is_ok();
        let mut sent = 0;
        while is_open && !is_over(bytes) {
            match stream.write(&chunk[sent % request.len()..]) {
                Ok(count) => (sent, bytes) = (sent + count, bytes + count),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                // It takes nothing now.
                Err(why) if span.is_some() && matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // It takes no more, or has closed the connection.
                Err(_) => is_open = false,
            }
        }
        if span.is_none() || is_over(bytes) {
            return (stream, Flood { bytes, connections, took: began.elapsed() });
        }
        std::thread::sleep(PAUSE);
    }
}

/// A connection to the bus on which a Hello was said, by hand: a client of a library reads by itself.
fn on_bus(address: &str) -> UnixStream {
    let mut stream = UnixStream::connect(address.strip_prefix("unix:path=").unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let user: String = rustix::process::getuid().as_raw().to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
    stream.write_all(format!("\0AUTH EXTERNAL {user}\r\n").as_bytes()).unwrap();
    let mut answer = [0; 256];
    let count = stream.read(&mut answer).unwrap();
    assert!(answer[..count].starts_with(b"OK "), "{}", String::from_utf8_lossy(&answer[..count]));
    stream.write_all(b"BEGIN\r\n").unwrap();
    let bus = "org.freedesktop.DBus";
    let hello = Message::method_call("/org/freedesktop/DBus", "Hello");
    let hello = hello.destination(bus).interface(bus).build(&()).unwrap();
    stream.write_all(hello.data().bytes()).unwrap();
    stream
}

#[tokio::test]
async fn a_client_that_asks_and_never_reads_takes_little_memory() {
    let Some(mut open) = OpenHall::open().await else { return };
    let (hall, web, livechess, metrics) = (&mut open.hall, open.web, open.livechess, open.metrics);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes();
    let post =
        "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let call = frame(1, br#"{"id":1,"call":"eboards"}"#);
    let objects = Message::method_call("/org/touchmove1", "GetManagedObjects");
    let objects = objects.destination("org.touchmove1");
    let objects = objects.interface("org.freedesktop.DBus.ObjectManager").build(&()).unwrap();

    let mut held: Vec<Box<dyn std::any::Any>> = Vec::new();
    let floods: [(&str, u16, &[u8], Vec<u8>); 7] = [
        ("state", web, b"", get("/api/state")),
        ("events", web, b"", get("/api/events")),
        ("files of the page", web, b"", get("/")),
        (
            "a body without an end",
            web,
            post.as_bytes(),
            b"4000\r\n".iter().copied().chain([b' '; 0x4000]).chain(*b"\r\n").collect(),
        ),
        // Each is owed an answer as long as itself.
        ("pings", livechess, UPGRADE, frame(9, &[b'x'; 120])),
        ("calls", livechess, UPGRADE, call),
        ("metrics", metrics, b"", get("/metrics")),
    ];
    // What a start takes is no client's.
    eventually("an answer", || {
        let mut stream = connect(web);
        stream.write_all(&get("/api/state")).ok()?;
        stream.read(&mut [0; 64]).ok()
    });
    for (what, port, head, request) in floods {
        held.push(Box::new(check(&hall.daemon, what, || flood(|| connect(port), head, &request))));
    }
    let address = hall.bus.address();
    let request = objects.data().bytes();
    held.push(Box::new(check(&hall.daemon, "objects of the bus", || flood(|| on_bus(&address), b"", request))));

    // With all of them still there, others are served.
    hall.play("e7", "e5", "e5").await;
    drop(held);
}

/// Asserts that the service takes little memory during this flood, and prints a line of figures. Returns the last connection.
fn check<S>(daemon: &Daemon, front_end: &str, flood: impl FnOnce() -> (S, Flood)) -> S {
    forget_peak(daemon);
    let before = kb(daemon, "VmRSS");
    let (stream, Flood { bytes, connections, took }) = flood();
    let grown = kb(daemon, "VmHWM").saturating_sub(before);
    println!(
        "{front_end}: {:.1} s, {connections} connections, {bytes} bytes were taken, {grown} kB of memory (limit: {MOST_KB} kB)",
        took.as_secs_f64()
    );
    assert!(bytes > 0, "{front_end}: nothing was taken");
    assert!(grown < MOST_KB, "{front_end}: one client took {grown} kB, who had sent {bytes} bytes");
    stream
}
