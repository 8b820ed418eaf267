//! What boards over Bluetooth cost: fifty of them that send their squares without a pause, read by one core, compared in the same run
//! with the same fifty boards on pseudo-terminals.
//!
//! The boards are devices of a mock BlueZ, which passes real sockets. The cost of a real adapter and of BlueZ itself is not measured, and
//! no adapter holds fifty connections (docs/bluetooth.md): the bench shows that touchmove is not the limit. The processor time is that of
//! touchmoved alone, with journal and D-Bus; all other programs run on other cores, if there are any.

mod common;

use common::harness::bluez::{Bluez, RadioBoard};
use common::harness::{PrivateBus, Pty};
use common::process::{leave_first_core, pin_to_first_core, processor_time};
use common::{Figures, Touchmoved, knights_moves, line, ratio, time, verdict};
use futures_util::StreamExt;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use shakmaty::{Piece, Square};
use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use touchmove::boards::bluetooth::DEFAULT_MTU;
use touchmove::boards::{Millis, model};
use touchmove::game::event::Rotation;
use touchmove::laws::Position;
use touchmove::names;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::{Bus, Stream};
use touchmove::simulate::act::Act;
use touchmove::simulate::hands::CLEAN;
use touchmove::simulate::{Chunk, SimulationSetup, VirtualBoard, virtual_board};
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::BusName;
use zbus::{MatchRule, MessageStream};

/// The number of boards.
const BOARDS: usize = 50;
/// The models, with the number of equal lines after which touchmove believes what they show; `None`: no two lines are equal. The first
/// sends ten short lines a second, the second as many bytes as its serial line carries, three lines of 1100 bytes a second.
const MODELS: [(&str, Option<usize>); 2] = [("sentio", Some(2)), ("certabo", None)];
/// How long touchmoved is measured.
const MEASURED: Duration = Duration::from_secs(20);
/// The time after the start of the last game until the measurement.
const CALM: Duration = Duration::from_secs(3);
/// How long a hand waits after each lift and each put, in milliseconds: longer than two lines of the slower board.
const HAND: Millis = 800;
/// Interval at which boards on pseudo-terminals send and receive, the same as in the air.
const SERVE_INTERVAL: Duration = Duration::from_millis(5);
/// How long it may take until all boards have a game.
const START_TIMEOUT: Duration = Duration::from_secs(180);
/// The time after the measurement in which signals may still arrive.
const LATE: Duration = Duration::from_secs(2);
/// The goal for the share of one core.
const GOAL: f64 = 1.0;

fn main() {
    leave_first_core();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for (name, equal_lines) in MODELS {
        let mut measured = Vec::new();
        for link in [Link::Air, Link::Pty] {
            let Some(bus) = PrivateBus::start() else { return };
            measured.push(runtime.block_on(measure(&bus, name, equal_lines, link)));
        }
        let [air, pty] = measured.as_slice() else { return };
        report(name, air, pty);
    }
}

/// How boards are connected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Bluetooth Low Energy.
    Air,
    /// Pseudo-terminals.
    Pty,
}

/// What one run has measured.
struct Measured {
    lasted: Duration,
    worked: Duration,
    frames: u64,
    bytes: u64,
    /// From the line that shows a change until the client has the signal of it.
    latency: Figures,
    /// The number of changes, and of signals.
    changes: u64,
    signals: u64,
}

fn report(name: &str, air: &Measured, pty: &Measured) {
    println!("{BOARDS} boards of model {name}, {} s:", MEASURED.as_secs());
    for (link, measured) in [("Bluetooth Low Energy", air), ("pseudo-terminals", pty)] {
        let per_second = |count: u64| count as f64 / measured.lasted.as_secs_f64();
        let share = ratio(measured.worked, measured.lasted);
        let met = verdict(share <= GOAL);
        line(&format!("{link}, lines a second"), format!("{:.0}", per_second(measured.frames)));
        line(&format!("{link}, bytes a second"), format!("{:.0}", per_second(measured.bytes)));
        line(&format!("{link}, share of one core"), format!("{:.1} % (goal: at most 100 %: {met})", share * 100.0));
        line(&format!("{link}, share of one core for each board"), format!("{:.3} %", share * 100.0 / BOARDS as f64));
        if measured.latency.count() == 0 {
            line(&format!("{link}, signals"), measured.signals);
        } else {
            line(&format!("{link}, changes of squares, and signals"), format!("{} {}", measured.changes, measured.signals));
            let (median, p99) = (measured.latency.median(), measured.latency.percentile(99));
            line(&format!("{link}, from a line to its signal, median (p99)"), format!("{} ({})", time(median), time(p99)));
        }
    }
    let share = |measured: &Measured| ratio(measured.worked, measured.lasted);
    line("ratio of the processor times, Bluetooth to pseudo-terminals", format!("{:.2}", share(air) / share(pty)));
    if air.latency.count() > 0 {
        line("ratio of the median latencies", format!("{:.2}", ratio(air.latency.median(), pty.latency.median())));
        let p99 = [air, pty].map(|measured| measured.latency.percentile(99));
        line("ratio of the p99 of the latencies", format!("{:.2}", ratio(p99[0], p99[1])));
    }
}

/// Serves the boards, and measures a touchmoved that reads them.
async fn measure(bus: &PrivateBus, name: &str, equal_lines: Option<usize>, link: Link) -> Measured {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let hall = Arc::new(Hall::default());
    hall.shown.lock().expect("no board has panicked").resize(BOARDS, None);
    let boards = (0..BOARDS).map(|index| PlayedBoard::new(name, index, equal_lines, &hall));
    let mut config = String::from("[recordings]\non = false\n");
    let mut table = |index: usize, place: String| {
        config += &format!("[[board]]\nname = \"b_{index}\"\nmodel = {name:?}\n{place}\n");
    };
    // Whatever serves the boards ends after touchmoved.
    let _served: Box<dyn Any> = match link {
        Link::Air => {
            let bluez = Bluez::start(bus);
            for (index, board) in boards.enumerate() {
                let address = format!("AA:BB:CC:DD:EE:{index:02X}");
                let model = model(name).expect("there is this model");
                // The smallest packets, and the most of them.
                bluez.add(RadioBoard::with(model, &address, Box::new(board)).with_mtu(DEFAULT_MTU));
                table(index, format!("bluetooth = {address:?}"));
            }
            Box::new(bluez)
        }
        Link::Pty => {
            let served: Vec<(Pty, PlayedBoard)> = boards.map(|board| (Pty::open(), board)).collect();
            for (index, (pty, _)) in served.iter().enumerate() {
                table(index, format!("port = {:?}", pty.path().display().to_string()));
            }
            Box::new(PtyServer::start(served))
        }
    };
    let file = dir.path().join("touchmoved.toml");
    std::fs::write(&file, &config).expect("a file");
    let daemon = Touchmoved::configured(bus, &dir.path().join("state"), &file);
    wait_for_games(bus).await;
    pin_to_first_core(daemon.pid());

    let client = bus.connect().await;
    let owner = DBusProxy::new(&client).await.expect("a bus");
    let owner = owner.get_name_owner(BusName::try_from(names::BUS_NAME).expect("a name")).await.expect("touchmoved runs");
    let rule = MatchRule::builder().msg_type(Type::Signal).sender(owner.as_str()).interface(names::BOARD_INTERFACE);
    let rule = rule.member("Touched").build().expect("a rule");
    let signals = MessageStream::for_match_rule(rule, &client, NonZeroUsize::new(1024)).await;
    let mut signals = signals.expect("the bus accepts the rule");

    hall.plays.store(true, Ordering::Relaxed);
    tokio::time::sleep(CALM).await;
    while tokio::time::timeout(Duration::ZERO, signals.next()).await.is_ok() {}
    let counts = || [&hall.frames, &hall.bytes, &hall.changes].map(|count| count.load(Ordering::Relaxed));
    hall.shown.lock().expect("no board has panicked").fill(None);
    let (began, worked, before) = (Instant::now(), processor_time(daemon.pid()), counts());
    let (mut latency, mut arrived) = (Figures::default(), 0);
    let paths: HashMap<String, usize> = (0..BOARDS).map(|index| (names::board_path(&format!("b_{index}")), index)).collect();
    let mut note = |message: &zbus::Message, at: Instant| {
        let header = message.header();
        let Some(index) = header.path().and_then(|path| paths.get(path.as_str())) else { return };
        arrived += 1;
        if let Some(shown) = hall.shown.lock().expect("no board has panicked").get_mut(*index).and_then(Option::take) {
            latency.add(at.saturating_duration_since(shown));
        }
    };
    let end = tokio::time::Instant::from_std(began + MEASURED);
    while let Ok(Some(message)) = tokio::time::timeout_at(end, signals.next()).await {
        note(&message.expect("the bus is there"), Instant::now());
    }
    let (lasted, worked, after) = (began.elapsed(), processor_time(daemon.pid()) - worked, counts());
    // What was shown last is still on its way.
    hall.plays.store(false, Ordering::Relaxed);
    while let Ok(Some(message)) = tokio::time::timeout(LATE, signals.next()).await {
        note(&message.expect("the bus is there"), Instant::now());
    }
    drop(daemon);
    let all = counts();
    Measured {
        lasted,
        worked,
        frames: after[0] - before[0],
        bytes: after[1] - before[1],
        latency,
        changes: all[2] - before[2],
        signals: arrived,
    }
}

/// Waits until there is a game on each board.
async fn wait_for_games(bus: &PrivateBus) {
    let end = Instant::now() + START_TIMEOUT;
    let client = Client::connect_to_bus(&Bus::Address(bus.address()), Stream::Live).await.expect("the bus is there");
    loop {
        let games = client.snapshot().await.map(|snapshot| snapshot.games.len()).unwrap_or_default();
        if games == BOARDS {
            return;
        }
        assert!(Instant::now() < end, "waited in vain for {BOARDS} games: {games}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// What all boards of a run share.
#[derive(Default)]
struct Hall {
    /// Whether hands move pieces.
    plays: AtomicBool,
    frames: AtomicU64,
    bytes: AtomicU64,
    /// The number of changes of squares that boards have shown often enough.
    changes: AtomicU64,
    /// For each board: when it last sent a line that shows a change often enough, until its signal has arrived.
    shown: Mutex<Vec<Option<Instant>>>,
}

/// A virtual board on which knights move.
struct PlayedBoard {
    board: Box<dyn VirtualBoard>,
    hall: Arc<Hall>,
    index: usize,
    acts: VecDeque<Act>,
    /// Time of the next lift or drop; `None`: play has not begun.
    acts_at: Option<Millis>,
    /// The number of equal lines that touchmove believes.
    equal_lines: Option<usize>,
    /// The line that is being sent, the one before it, and how often that one was sent.
    line: Vec<u8>,
    last_line: Vec<u8>,
    repeated: usize,
}

impl PlayedBoard {
    fn new(name: &str, index: usize, equal_lines: Option<usize>, hall: &Arc<Hall>) -> PlayedBoard {
        let setup =
            SimulationSetup { profile: &CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 1 };
        let start = Position::start();
        let squares = Square::ALL.map(|square| start.piece_at(square));
        let kind = model(name).expect("there is this model").virtual_board;
        let moves = (MEASURED + CALM).as_millis() as usize / (2 * HAND as usize) + 2;
        let acts = knights_moves(moves).into_iter().flat_map(|(from, to, knight)| {
            let [from, to] = [from, to].map(|square| square.parse::<Square>().expect("a square"));
            [Act::Lift(from), Act::Put(to, Piece::from_char(knight).expect("a knight"))]
        });
        PlayedBoard {
            board: virtual_board(kind, &setup, &squares, index as u64),
            hall: Arc::clone(hall),
            index,
            acts: acts.collect(),
            acts_at: None,
            equal_lines,
            line: Vec::new(),
            last_line: Vec::new(),
            repeated: 0,
        }
    }

    /// Executes the lifts and drops that are due.
    fn play(&mut self, now: Millis, sent: &mut Vec<Chunk>) {
        if !self.hall.plays.load(Ordering::Relaxed) {
            return;
        }
        // The hands of the boards are apart.
        let at = *self.acts_at.get_or_insert(now + HAND * self.index as Millis / BOARDS as Millis);
        if at <= now
            && let Some(act) = self.acts.pop_front()
        {
            sent.extend(self.board.advance(now));
            self.board.act(now, act, 0);
            self.acts_at = Some(at + HAND);
        }
    }

    /// Counts the bytes and lines that are sent.
    fn note(&mut self, bytes: &[u8]) {
        self.hall.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        for &byte in bytes {
            self.line.push(byte);
            if byte != b'\r' {
                continue;
            }
            self.hall.frames.fetch_add(1, Ordering::Relaxed);
            let sent = std::mem::take(&mut self.line);
            let sent: Vec<u8> = sent.into_iter().filter(|byte| *byte != b'\n').collect();
            self.repeated = if sent == self.last_line { self.repeated + 1 } else { 1 };
            // The first lines show the start position.
            let is_change = !self.last_line.is_empty() && self.acts_at.is_some();
            if is_change && Some(self.repeated) == self.equal_lines {
                self.hall.changes.fetch_add(1, Ordering::Relaxed);
                if let Some(shown) = self.hall.shown.lock().expect("no board has panicked").get_mut(self.index) {
                    *shown = Some(Instant::now());
                }
            }
            self.last_line = sent;
        }
    }
}

impl VirtualBoard for PlayedBoard {
    fn act(&mut self, at: Millis, act: Act, ply: u32) {
        self.board.act(at, act, ply);
    }

    fn receive(&mut self, now: Millis, bytes: &[u8]) {
        self.board.receive(now, bytes);
    }

    fn advance(&mut self, now: Millis) -> Vec<Chunk> {
        let mut sent = Vec::new();
        self.play(now, &mut sent);
        sent.extend(self.board.advance(now));
        for chunk in &sent {
            self.note(&chunk.bytes);
        }
        sent
    }

    fn next_event(&self) -> Option<Millis> {
        self.board.next_event()
    }
}

/// The thread that serves the boards on pseudo-terminals.
struct PtyServer {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl PtyServer {
    fn start(mut boards: Vec<(Pty, PlayedBoard)>) -> PtyServer {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut masters: Vec<_> = boards.iter().map(|(pty, _)| pty.master()).collect();
            for master in &masters {
                let mut settings = tcgetattr(master).expect("a terminal");
                settings.make_raw();
                tcsetattr(master, OptionalActions::Now, &settings).expect("a terminal");
                fcntl_setfl(master, fcntl_getfl(master).expect("flags") | OFlags::NONBLOCK).expect("flags");
            }
            let began = Instant::now();
            let mut buffer = [0; 1024];
            while !stopped.load(Ordering::Relaxed) {
                for (master, (_, board)) in masters.iter_mut().zip(&mut boards) {
                    let now = began.elapsed().as_millis() as Millis;
                    // Nothing may have come, and before touchmoved reads, the port may be full.
                    if let Ok(count @ 1..) = master.read(&mut buffer) {
                        board.receive(now, &buffer[..count]);
                    }
                    for chunk in board.advance(now) {
                        let _ = master.write(&chunk.bytes);
                    }
                }
                std::thread::sleep(SERVE_INTERVAL);
            }
        });
        PtyServer { stop, thread: Some(thread) }
    }
}

impl Drop for PtyServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
