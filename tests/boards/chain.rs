//! DGT boards on a shared bus: they are found, read and distinguished, whatever is lost on the bus.

use crate::core::simulate::random_games;
use crate::harness::hall::client;
use crate::harness::{Daemon, PrivateBus, until};
use std::collections::{BTreeMap, VecDeque};
use touchmove::boards::{Address, BoardCommand, LinkState, Millis, Protocol, ProtocolError, Reading, Write, dgt_bus};
use touchmove::ctl::pty::PseudoTerminal;
use touchmove::game::StampedEvent;
use touchmove::game::event::Rotation;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::dgt_bus::BusFaults;
use touchmove::simulate::hands::{CLEAN, CLUB, HandsProfile, Rates};
use touchmove::simulate::rng::Rng;
use touchmove::simulate::{FIRST_ADDRESS, Simulation, SimulationSetup, pgn};
use touchmove::table::{Input, Output, Settings, Table};

/// The fault rates of the acceptance test.
const LOSSY: BusFaults = BusFaults { lost: 50, corrupted: 10, command_lost: 0 };
/// The time by which all boards have been found, in milliseconds.
const FOUND_BY: Millis = 30_000;

static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };
static CASUAL: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLUB.rates }, ..CLUB };

/// A simulated bus with its protocol and a table session for each board, in simulated time.
struct BusBench {
    simulation: Simulation,
    protocol: Box<dyn Protocol>,
    tables: BTreeMap<Address, Table>,
    writes: VecDeque<Write>,
    now: Millis,
    /// The commands sent, with their times.
    sent: Vec<(Millis, Vec<u8>)>,
    readings: Vec<(Millis, Address, Reading)>,
    events: BTreeMap<Address, Vec<StampedEvent>>,
}

impl BusBench {
    fn new(simulation: Simulation) -> BusBench {
        let mut protocol = (dgt_bus::MODEL.protocol)();
        protocol.link(0, LinkState::Up);
        let (tables, writes, events) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        BusBench { simulation, protocol, tables, writes, now: 0, sent: Vec::new(), readings: Vec::new(), events }
    }

    fn advance(&mut self, until: Millis) {
        loop {
            let tables = self.tables.values().filter_map(Table::next_deadline).min();
            let write = self.writes.front().map(|write| write.at);
            let next = [self.simulation.next_event(), self.protocol.next_deadline(), tables, write].into_iter().flatten().min();
            let Some(next) = next.map(|next| next.max(self.now)).filter(|next| *next <= until) else { break };
            self.now = next;
            self.step();
        }
        self.now = until;
    }

    fn step(&mut self) {
        let now = self.now;
        for address in self.tables.keys().copied().collect::<Vec<_>>() {
            let output = self.tables.get_mut(&address).unwrap().advance(now);
            self.output(address, output);
        }
        for chunk in self.simulation.advance(now) {
            self.protocol.receive(now, &chunk.bytes);
            self.drain();
        }
        if self.protocol.next_deadline().is_some_and(|at| at <= now) {
            self.protocol.timeout(now);
            assert!(self.protocol.next_deadline().is_none_or(|at| at > now), "the deadline stays at {now}");
        }
        self.drain();
        while let Some(write) = self.writes.pop_front_if(|write| write.at <= now) {
            self.simulation.receive(now, &write.bytes);
            self.sent.push((now, write.bytes));
        }
    }

    fn drain(&mut self) {
        while let Some((address, reading)) = self.protocol.poll_reading() {
            self.readings.push((self.now, address, reading.clone()));
            let now = self.now;
            let table = self.tables.entry(address).or_insert_with(|| {
                let mut table = Table::new(Settings::default());
                table.handle(now, Input::Link(LinkState::Up));
                table
            });
            let output = table.handle(now, Input::Reading(reading));
            self.output(address, output);
        }
        self.writes.extend(std::iter::from_fn(|| self.protocol.poll_write()));
    }

    fn output(&mut self, address: Address, output: Output) {
        self.events.entry(address).or_default().extend(output.events);
        for command in output.commands {
            let is_memory = command == BoardCommand::Memory;
            if self.protocol.execute(self.now, address, command).is_err() && is_memory {
                let table = self.tables.get_mut(&address).unwrap();
                let output = table.handle(self.now, Input::Reading(Reading::Memory(Vec::new())));
                self.output(address, output);
            }
        }
    }

    /// The recorded moves of each board.
    fn recorded_moves(&self) -> Vec<Vec<String>> {
        let record =
            |table: &Table| table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect());
        self.tables.values().map(|table| record(table).unwrap_or_default()).collect()
    }
}

fn setup(profile: &HandsProfile, seed: u64) -> SimulationSetup<'_> {
    SimulationSetup { profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed }
}

fn truths(simulation: &Simulation) -> Vec<Vec<String>> {
    simulation.truths().map(|truth| truth.plies.iter().map(|ply| ply.uci.clone()).collect()).collect()
}

#[test]
fn twelve_boards_on_a_lossy_bus_play_twelve_games() {
    for (profile, faults) in [(&TIDY, LOSSY), (&TIDY, BusFaults { command_lost: 20, ..LOSSY }), (&CASUAL, LOSSY)] {
        let simulation = Simulation::chain(&random_games(12, 80), &setup(profile, 1), faults, FOUND_BY);
        let (truths, ends_at) = (truths(&simulation), simulation.ends_at());
        let mut bench = BusBench::new(simulation);
        bench.advance(ends_at);
        let addresses: Vec<u16> = bench.tables.keys().map(|address| address.0).collect();
        assert_eq!(addresses, (FIRST_ADDRESS..FIRST_ADDRESS + 12).collect::<Vec<_>>());
        for (address, (played, truth)) in addresses.iter().zip(bench.recorded_moves().iter().zip(&truths)) {
            assert_eq!(played, truth, "board {address}, {} hands", profile.name);
        }
        let rounds = bench.sent.iter().filter(|(_, bytes)| bytes[0] == 0x83).count() as Millis;
        println!("{}: a board is polled every {} ms", profile.name, ends_at * 12 / rounds);
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// Frames that are known byte by byte, of board 1025.
#[test]
fn commands_and_replies() {
    let mut bus = (dgt_bus::MODEL.protocol)();
    bus.link(0, LinkState::Up);
    let mut now = 0;
    let mut next_sent = |bus: &mut dyn Protocol, reply: &str| {
        bus.receive(now, &bytes(reply));
        let mut sent = Vec::new();
        while sent.is_empty() {
            now = now.max(bus.next_deadline().unwrap());
            bus.timeout(now);
            sent = std::iter::from_fn(|| bus.poll_write()).flat_map(|write| write.bytes).collect();
        }
        sent
    };
    let dump = format!("83 00 46 08 01 {}", "00 ".repeat(64) + "52");
    let empty = "85 00 06 08 01 14";
    for (reply, sent) in [
        ("", "87 00 00 07"),
        // Requests its version, its last message, its changes and its squares.
        ("87 00 06 08 01 16", "8b 08 01 14"),
        ("89 00 08 08 01 01 08 23", "84 08 01 0d"),
        (empty, "83 08 01 0c"),
        (empty, "82 08 01 0b"),
        (&dump, "81 08 01 0a"),
        // Requests to find other boards. e2 is lifted, first with a wrong checksum, then correctly; the next changes are lost:
        // 83 is never sent again for them.
        ("84 00 0d 08 01 20 03 02 20 03 02 08 6c", "83 08 01 0c"),
        (empty, "83 08 01 0c"),
        (empty, "8a 08 01 13"),
        ("87 00 06 08 01 16", "87 00 00 07"),
        ("", "83 08 01 0c"),
        ("85 00 08 08 01 40 34 00", "84 08 01 0d"),
        ("85 00 08 08 01 40 34 0a", "83 08 01 0c"),
        ("", "84 08 01 0d"),
        ("", "84 08 01 0d"),
        (empty, "83 08 01 0c"),
    ] {
        let actual = next_sent(&mut *bus, reply);
        assert_eq!(actual, bytes(sent), "after {reply}");
    }
    let readings: Vec<(Address, Reading)> = std::iter::from_fn(|| bus.poll_reading()).collect();
    assert!(readings.iter().all(|(address, _)| *address == Address(1025)));
    let readings: Vec<String> = readings.iter().map(|(_, reading)| format!("{reading:?}")).collect();
    let log = readings.join("\n");
    for expected in ["SerialNumber(\"01025\")", "Version(\"1.8\")", "Placement(", "Square(E2, Empty)", "182000"] {
        assert!(log.contains(expected), "{expected} in {log}");
    }
}

/// Runs a board whose first dump is damaged for ten seconds; its clock, which is stopped, is requested at `clock_at`. Returns
/// its readings and their times.
fn first_seconds(clock_at: Millis) -> Vec<(Millis, Reading)> {
    let framed = |frame: String| {
        let mut frame = bytes(&frame);
        frame.push(frame.iter().map(|byte| u32::from(*byte)).sum::<u32>() as u8 & 0x7f);
        frame
    };
    let dump = |last: u8| framed(format!("83 00 46 08 01 {} {last:02x}", "00 ".repeat(63)));
    let mut bus = (dgt_bus::MODEL.protocol)();
    bus.link(0, LinkState::Up);
    let (mut now, mut dumps, mut readings, mut is_requested) = (0, 0, Vec::new(), false);
    while now < 10_000 {
        if now >= clock_at && !is_requested {
            is_requested = true;
            bus.execute(now, Address(1025), BoardCommand::Clock).expect("a board with a clock");
        }
        for write in std::iter::from_fn(|| bus.poll_write()).collect::<Vec<_>>() {
            let answer = match write.bytes.first() {
                Some(0x82) => {
                    dumps += 1;
                    dump(if dumps == 1 { 5 } else { 0 })
                }
                Some(0x81) => bytes("84 00 0d 08 01 20 03 02 20 03 02 08 6c"),
                Some(0x83 | 0x84) => bytes("85 00 06 08 01 14"),
                Some(0x8b) => bytes("89 00 08 08 01 01 08 23"),
                Some(0x87 | 0x8a) => bytes("87 00 06 08 01 16"),
                _ => continue,
            };
            bus.receive(now, &answer);
        }
        readings.extend(std::iter::from_fn(|| bus.poll_reading()).map(|(_, reading)| (now, reading)));
        now = bus.next_deadline().map_or(10_000, |at| at.max(now));
        bus.timeout(now);
    }
    readings
}

/// One damaged message in 128 has a valid checksum: the first squares are therefore soon read again.
#[test]
fn the_first_squares_are_read_again_soon() {
    let readings = first_seconds(Millis::MAX);
    let shown: Vec<_> = readings.iter().filter(|(_, reading)| matches!(reading, Reading::Placement(_))).collect();
    let [(first, damaged), (second, right)] = shown[..] else { panic!("{shown:?}") };
    assert!(damaged != right && second - first <= 6_000, "after {} ms", second - first);
}

/// A stopped clock is reported once, and again when it is requested.
#[test]
fn a_requested_clock_is_reported_again() {
    let reported_at = |clock_at| -> Vec<Millis> {
        let readings = first_seconds(clock_at);
        readings.iter().filter(|(_, reading)| matches!(reading, Reading::Clock(_))).map(|(at, _)| *at).collect()
    };
    assert_eq!(reported_at(Millis::MAX).len(), 1);
    let [_, again] = reported_at(6_000)[..] else { panic!("{:?}", reported_at(6_000)) };
    assert!((6_000..6_500).contains(&again), "after {again} ms");
}

/// A board that is disconnected during play is reported as silent, and the moves played meanwhile are read when it is connected
/// again. A board that is connected later is found.
#[test]
fn boards_are_disconnected_and_connected() {
    let games = random_games(3, 40);
    let mut bench = BusBench::new(Simulation::chain(&games, &setup(&TIDY, 2), BusFaults::default(), FOUND_BY));
    bench.simulation.connect(2, false);
    bench.advance(20_000);
    assert_eq!(bench.tables.len(), 2);
    bench.simulation.connect(2, true);
    bench.advance(70_000);
    assert_eq!(bench.tables.len(), 3, "found within a minute");
    let silence_reports = |bench: &BusBench| {
        bench
            .readings
            .iter()
            .filter(|(_, _, reading)| {
                matches!(reading, Reading::ProtocolError(ProtocolError::Silent(_) | ProtocolError::Recovered))
            })
            .map(|(at, board, reading)| (*at, board.0, reading.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(silence_reports(&bench), []);
    bench.simulation.connect(0, false);
    bench.advance(90_000);
    let reports = silence_reports(&bench);
    assert!(
        matches!(reports[..], [(70_000..=78_000, FIRST_ADDRESS, Reading::ProtocolError(ProtocolError::Silent(_)))]),
        "{reports:?}"
    );
    bench.simulation.connect(0, true);
    bench.advance(105_000);
    let reports = silence_reports(&bench);
    assert!(
        matches!(reports[1..], [(90_000..=103_000, FIRST_ADDRESS, Reading::ProtocolError(ProtocolError::Recovered))]),
        "{reports:?}"
    );
    let (truths, ends_at) = (truths(&bench.simulation), bench.simulation.ends_at());
    bench.advance(ends_at);
    let played = bench.recorded_moves();
    assert_eq!((&played[0], &played[1]), (&truths[0], &truths[1]));
}

/// A partial answer that arrives while no request is pending does not shorten the timeout of the next request.
#[test]
fn a_partial_frame_before_a_request_does_not_end_it() {
    let games = random_games(1, 5);
    let mut bench = BusBench::new(Simulation::chain(&games, &setup(&TIDY, 2), BusFaults::default(), FOUND_BY));
    bench.advance(20_000);
    for count in 1..100 {
        bench.protocol.receive(bench.now, &[0x85, 0x00, 0x20]);
        // Fails if the deadline of a request has already passed when it is sent.
        bench.advance(20_000 + 217 * count);
    }
    let (truths, ends_at) = (truths(&bench.simulation), bench.simulation.ends_at());
    bench.advance(ends_at);
    assert_eq!(bench.recorded_moves(), truths);
}

/// Partial answers do not delay the report of a silent board forever, and leave no deadline in the past.
#[test]
fn a_silent_board_among_partial_frames_is_reported() {
    let mut bench = BusBench::new(Simulation::chain(&random_games(1, 5), &setup(&TIDY, 2), BusFaults::default(), FOUND_BY));
    bench.advance(20_000);
    bench.simulation.connect(0, false);
    for count in 1..100 {
        bench.protocol.receive(bench.now, &[0x85, 0x00, 0x20]);
        bench.advance(20_000 + 137 * count);
    }
    let silent =
        |(_, _, reading): &&(Millis, Address, Reading)| matches!(reading, Reading::ProtocolError(ProtocolError::Silent(_)));
    assert_eq!(bench.readings.iter().filter(silent).count(), 1);
}

/// Whatever is received, only harmless commands are sent, one at a time.
#[test]
fn nothing_harmful_is_sent() {
    let mut rng = Rng::new(5, 0);
    let mut bus = (dgt_bus::MODEL.protocol)();
    bus.link(0, LinkState::Up);
    let mut now = 0;
    for _ in 0..50_000 {
        now += rng.below(30);
        let length = rng.below(12);
        let heads = [0x83, 0x84, 0x85, 0x86, 0x87, 0x89];
        let mut chunk: Vec<u8> = (0..length).map(|_| rng.bits() as u8 & 0x7f).collect();
        chunk.extend(rng.pick(&heads));
        if rng.chance(300) {
            let (address, id) = (960 + rng.below(4), rng.pick(&[0x85, 0x87, 0x88]).unwrap());
            chunk = vec![id, 0, 6, (address >> 7) as u8, (address & 0x7f) as u8];
            chunk.push(chunk.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f);
        }
        bus.receive(now, &chunk);
        while bus.next_deadline().is_some_and(|at| at <= now) {
            bus.timeout(now);
            assert!(bus.next_deadline().is_none_or(|at| at > now));
        }
        if rng.chance(100) {
            let command = if rng.chance(500) { BoardCommand::Placement } else { BoardCommand::Memory };
            let _ = bus.execute(now, Address(960 + rng.below(4) as u16), command);
        }
        while let Some(write) = bus.poll_write() {
            let [code, high, low, check] = write.bytes[..] else { panic!("{:x?}", write.bytes) };
            assert!(dgt_bus::MODEL.may_send(&write.bytes), "{code:x}");
            assert_eq!(code.wrapping_add(high).wrapping_add(low) & 0x7f, check);
        }
        while bus.poll_reading().is_some() {}
    }
}

/// The speed-up over real time.
const SPEED: u32 = 2;

/// Three boards on a pseudo-terminal, with their games over D-Bus; the daemon is killed and started again in the middle.
#[tokio::test]
async fn a_chain_over_dbus() {
    let Some(bus) = PrivateBus::start() else { return };
    let state = tempfile::tempdir().unwrap();
    let games = pgn::read(&"[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n\n".repeat(3)).games;
    let simulation = Simulation::chain(&games, &setup(&TIDY, 3), LOSSY, 40_000);
    let truth = truths(&simulation);
    let mut port = PseudoTerminal::open().unwrap();
    let path = std::path::PathBuf::from(port.path());
    std::thread::spawn(move || port.serve(simulation, SPEED, true));
    let start = || Daemon::on(&bus, state.path(), &path, &["--board", "dgt-bus"]);
    let daemon = start();
    daemon.ready();
    let client = client(&bus, Stream::Live).await;
    let moves = async || {
        let mut games = client.snapshot().await.unwrap().games;
        games.sort_by(|a, b| a.board.cmp(&b.board));
        games.iter().map(|game| game.moves.iter().map(|played| played.uci.clone()).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    until("a move on each board", async || {
        let moves = moves().await;
        (moves.len() == 3 && moves.iter().all(|moves| !moves.is_empty())).then_some(())
    })
    .await;
    daemon.kill();
    let daemon = start();
    daemon.ready();
    until("three games", async || (moves().await == truth).then_some(())).await;
    // A board on a lossy bus has to be polled more than once.
    let boards = until("three boards that are ready", async || {
        let boards = client.snapshot().await.unwrap().boards;
        boards.iter().all(|board| board.state == "ready").then_some(boards)
    })
    .await;
    let serials: Vec<&str> = boards.iter().map(|board| board.serial_number.as_str()).collect();
    assert_eq!(serials, ["00960", "00961", "00962"]);
    assert!(boards.iter().all(|board| board.id.ends_with(&board.serial_number)), "{boards:?}");
    drop(daemon);
}
