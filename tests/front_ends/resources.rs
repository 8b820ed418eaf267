//! A client of each front-end that sends requests without end and reads nothing: the memory of the service stays bounded.
//!
//! The test floods each front-end for a few seconds at most; `make resources` is the long form, with `RESOURCE_SECONDS=30` for each.

use crate::harness::hall::{OpenHall, UPGRADE, connect, frame};
use crate::harness::{Daemon, PATIENCE, eventually};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use zbus::Message;

/// How much memory one client may cause the service to use, in kB.
const LIMIT_KB: u64 = 8 * 1024;
/// The short form ends when the service has received this many bytes.
const FLOOD_BYTES: usize = 16 * 1024 * 1024;
/// The short form ends when the service has read nothing for this long.
const WRITE_TIMEOUT: Duration = Duration::from_millis(300);
/// The short form ends after this time, even if the service still reads slowly.
const FLOOD_TIMEOUT: Duration = Duration::from_secs(4);
/// How long the long form waits before it connects again: a port stays in use for a minute after its connection was closed.
const PAUSE: Duration = Duration::from_millis(10);

/// A memory figure of the daemon, in kB: `VmRSS` is the present size, `VmHWM` the peak since [`reset_peak`].
fn kb(daemon: &Daemon, figure: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let figure = status.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(':')).unwrap();
    figure.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Resets `VmHWM`; see proc_pid_clear_refs(5).
fn reset_peak(daemon: &Daemon) {
    fs::write(format!("/proc/{}/clear_refs", daemon.pid()), "5").unwrap();
}

/// A connection with a timeout for writing.
trait WriteTimeout: Write {
    fn set_timeout(&self, span: Duration);
}

impl WriteTimeout for TcpStream {
    fn set_timeout(&self, span: Duration) {
        self.set_write_timeout(Some(span)).unwrap();
    }
}

impl WriteTimeout for UnixStream {
    fn set_timeout(&self, span: Duration) {
        self.set_write_timeout(Some(span)).unwrap();
    }
}

/// What the service received in a flood.
struct Flood {
    bytes: usize,
    connections: usize,
    took: Duration,
}

/// How long each front-end is flooded. `None`: the short form, which ends earlier if the service reads no more.
fn long_form_span() -> Option<Duration> {
    let seconds = std::env::var("RESOURCE_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("RESOURCE_SECONDS is a number")))
}

/// Connects, writes the head, then the request again and again, and reads nothing. In the long form it reconnects when the service
/// closes the connection, and waits while the service reads nothing, until the time is over. Also returns the last connection.
fn flood<S: WriteTimeout>(connect: impl Fn() -> S, head: &[u8], request: &[u8]) -> (S, Flood) {
    let (span, began) = (long_form_span(), Instant::now());
    let chunk = request.repeat((64 * 1024 / request.len()).max(1));
    let (mut bytes, mut connections) = (0, 0);
    let is_over = |bytes: usize| match span {
        Some(span) => began.elapsed() >= span,
        None => bytes >= FLOOD_BYTES || began.elapsed() >= FLOOD_TIMEOUT,
    };
    loop {
        let mut stream = connect();
        connections += 1;
        stream.set_timeout(WRITE_TIMEOUT);
        let mut is_open = stream.write_all(head).is_ok();
        let mut sent = 0;
        while is_open && !is_over(bytes) {
            match stream.write(&chunk[sent % request.len()..]) {
                Ok(count) => (sent, bytes) = (sent + count, bytes + count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The service reads nothing at the moment.
                Err(error) if span.is_some() && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // The service reads no more, or has closed the connection.
                Err(_) => is_open = false,
            }
        }
        if span.is_none() || is_over(bytes) {
            return (stream, Flood { bytes, connections, took: began.elapsed() });
        }
        std::thread::sleep(PAUSE);
    }
}

/// Connects to the bus and sends Hello without a client library, because a library would read by itself.
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
async fn a_client_that_never_reads_uses_little_memory() {
    let Some(mut open) = OpenHall::open().await else { return };
    let (hall, web, livechess, metrics) = (&mut open.hall, open.web, open.livechess, open.metrics);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes();
    let post =
        "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let call = frame(1, br#"{"id":1,"call":"eboards"}"#);
    let objects = Message::method_call("/org/touchmove1", "GetManagedObjects");
    let objects = objects.destination("org.touchmove1");
    let objects = objects.interface("org.freedesktop.DBus.ObjectManager").build(&()).unwrap();

    let mut connections: Vec<Box<dyn std::any::Any>> = Vec::new();
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
        // The service owes each ping an answer of the same length.
        ("pings", livechess, UPGRADE, frame(9, &[b'x'; 120])),
        ("calls", livechess, UPGRADE, call),
        ("metrics", metrics, b"", get("/metrics")),
    ];
    // Memory that the service uses after its start is not counted for a client.
    eventually("an answer", || {
        let mut stream = connect(web);
        stream.write_all(&get("/api/state")).ok()?;
        stream.read(&mut [0; 64]).ok()
    });
    for (name, port, head, request) in floods {
        connections.push(Box::new(check(&hall.daemon, name, || flood(|| connect(port), head, &request))));
    }
    let address = hall.bus.address();
    let request = objects.data().bytes();
    connections.push(Box::new(check(&hall.daemon, "objects of the bus", || flood(|| on_bus(&address), b"", request))));

    // Other clients are served while all of these are still connected.
    hall.play("e7", "e5", "e5").await;
    drop(connections);
}

/// Asserts that the service takes little memory during this flood, and prints a line of figures. Returns the last connection.
fn check<S>(daemon: &Daemon, front_end: &str, flood: impl FnOnce() -> (S, Flood)) -> S {
    reset_peak(daemon);
    let before = kb(daemon, "VmRSS");
    let (stream, Flood { bytes, connections, took }) = flood();
    let grown = kb(daemon, "VmHWM").saturating_sub(before);
    println!(
        "{front_end}: {:.1} s, {connections} connections, {bytes} bytes received, memory grew by {grown} kB (limit: {LIMIT_KB} kB)",
        took.as_secs_f64()
    );
    assert!(bytes > 0, "{front_end}: the service received nothing");
    assert!(grown < LIMIT_KB, "{front_end}: memory grew by {grown} kB for one client that sent {bytes} bytes");
    stream
}
