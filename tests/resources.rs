//! One client at each front-end that asks for more and more and reads nothing: the memory of the service stays bounded.

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
/// So much is asked at most, in bytes, if all of it is taken.
const ASKED: usize = 16 * 1024 * 1024;
/// A service that has taken nothing for so long takes no more.
const STUCK: Duration = Duration::from_millis(300);
/// However slowly it takes something.
const LONGEST: Duration = Duration::from_secs(4);

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

/// Says this, then the other thing again and again, and reads nothing. Returns how much was taken, in bytes.
fn flood(stream: &mut impl Ask, head: &[u8], again: &[u8]) -> usize {
    stream.give_up_after(STUCK);
    stream.write_all(head).unwrap();
    let chunk = again.repeat((64 * 1024 / again.len()).max(1));
    let (mut asked, began) = (0, Instant::now());
    while asked < ASKED && began.elapsed() < LONGEST {
        match stream.write(&chunk[asked % again.len()..]) {
            Ok(count) => asked += count,
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            // It takes no more, or has let the client go.
            Err(_) => break,
        }
    }
    asked
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
    for (what, port, head, again) in floods {
        let mut stream = connect(port);
        check(&hall.daemon, what, || flood(&mut stream, head, &again));
        held.push(Box::new(stream));
    }
    let mut stream = on_bus(&hall.bus.address());
    check(&hall.daemon, "objects of the bus", || flood(&mut stream, b"", objects.data().bytes()));
    held.push(Box::new(stream));

    // With all of them still there, others are served.
    hall.play("e7", "e5", "e5").await;
    drop(held);
}

/// What this asks for takes little memory.
fn check(daemon: &Daemon, what: &str, ask: impl FnOnce() -> usize) {
    forget_peak(daemon);
    let before = kb(daemon, "VmRSS");
    let asked = ask();
    let grown = kb(daemon, "VmHWM").saturating_sub(before);
    eprintln!("{what}: {asked} bytes were taken, {grown} kB of memory");
    assert!(grown < MOST_KB, "{what}: one client took {grown} kB, who had sent {asked} bytes");
}
