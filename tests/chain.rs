//! DGT boards on one line: found, read and told apart, whatever is lost on the way.

use crate::hall::client;
use crate::harness::{Daemon, PrivateBus, until};
use crate::simulate::random_games;
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

/// What the issue of such a line is measured by.
const BAD: BusFaults = BusFaults { lost: 50, corrupted: 10, command_lost: 0 };
/// All boards have been found by then. Milliseconds.
const FOUND: Millis = 30_000;

static TIDY: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLEAN.rates }, ..CLEAN };
static CASUAL: HandsProfile = HandsProfile { rates: Rates { sweep: 0, ..CLUB.rates }, ..CLUB };

/// A line with its protocol and a table for each board, in simulated time.
struct Line {
    stage: Simulation,
    protocol: Box<dyn Protocol>,
    tables: BTreeMap<Address, Table>,
    writes: VecDeque<Write>,
    now: Millis,
    /// Commands sent: when and what.
    sent: Vec<(Millis, Vec<u8>)>,
    readings: Vec<(Millis, Address, Reading)>,
    events: BTreeMap<Address, Vec<StampedEvent>>,
}

impl Line {
    fn new(stage: Simulation) -> Line {
        let mut protocol = (dgt_bus::MODEL.protocol)();
        protocol.link(0, LinkState::Up);
        let (tables, writes, events) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Line { stage, protocol, tables, writes, now: 0, sent: Vec::new(), readings: Vec::new(), events }
    }

    fn pass(&mut self, until: Millis) {
        loop {
            let tables = self.tables.values().filter_map(Table::next_deadline).min();
            let write = self.writes.front().map(|write| write.at);
            let next = [self.stage.next_event(), self.protocol.next_deadline(), tables, write].into_iter().flatten().min();
            let Some(next) = next.map(|next| next.max(self.now)).filter(|next| *next <= until) else { break };
            self.now = next;
            self.turn();
        }
        self.now = until;
    }

    fn turn(&mut self) {
        let now = self.now;
        for address in self.tables.keys().copied().collect::<Vec<_>>() {
            let output = self.tables.get_mut(&address).unwrap().advance(now);
            self.output(address, output);
        }
        for chunk in self.stage.advance(now) {
            self.protocol.receive(now, &chunk.bytes);
            self.drain();
        }
        if self.protocol.next_deadline().is_some_and(|at| at <= now) {
            self.protocol.timeout(now);
            assert!(self.protocol.next_deadline().is_none_or(|at| at > now), "the deadline stays at {now}");
        }
        self.drain();
        while let Some(write) = self.writes.pop_front_if(|write| write.at <= now) {
            self.stage.receive(now, &write.bytes);
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
        for cue in output.cues {
            let is_memory = cue == BoardCommand::Memory;
            if self.protocol.execute(self.now, address, cue).is_err() && is_memory {
                let table = self.tables.get_mut(&address).unwrap();
                let output = table.handle(self.now, Input::Reading(Reading::Memory(Vec::new())));
                self.output(address, output);
            }
        }
    }

    /// What is on record at each board.
    fn played(&self) -> Vec<Vec<String>> {
        let record =
            |table: &Table| table.record().map(|record| record.plies.iter().map(|ply| ply.played.uci.clone()).collect());
        self.tables.values().map(|table| record(table).unwrap_or_default()).collect()
    }
}

fn scene(profile: &HandsProfile, seed: u64) -> SimulationSetup<'_> {
    SimulationSetup { profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed }
}

fn truths(stage: &Simulation) -> Vec<Vec<String>> {
    stage.truths().map(|truth| truth.plies.iter().map(|ply| ply.uci.clone()).collect()).collect()
}

#[test]
fn twelve_boards_on_a_bad_line_play_twelve_games() {
    for (profile, faults) in [(&TIDY, BAD), (&TIDY, BusFaults { command_lost: 20, ..BAD }), (&CASUAL, BAD)] {
        let stage = Simulation::chain(&random_games(12, 80), &scene(profile, 1), faults, FOUND);
        let (truths, ends_at) = (truths(&stage), stage.ends_at());
        let mut line = Line::new(stage);
        line.pass(ends_at);
        let addresses: Vec<u16> = line.tables.keys().map(|address| address.0).collect();
        assert_eq!(addresses, (FIRST_ADDRESS..FIRST_ADDRESS + 12).collect::<Vec<_>>());
        for (address, (played, truth)) in addresses.iter().zip(line.played().iter().zip(&truths)) {
            assert_eq!(played, truth, "board {address}, {} hands", profile.name);
        }
        let rounds = line.sent.iter().filter(|(_, bytes)| bytes[0] == 0x83).count() as Millis;
        println!("{}: a board is asked every {} ms", profile.name, ends_at * 12 / rounds);
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// The frames that are known byte by byte, here of board 1025.
#[test]
fn commands_and_replies() {
    let mut bus = (dgt_bus::MODEL.protocol)();
    bus.link(0, LinkState::Up);
    let mut now = 0;
    let mut ask = |bus: &mut dyn Protocol, reply: &str| {
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
        // It is asked for its version, for what it told last, for what is new, for its squares.
        ("87 00 06 08 01 16", "8b 08 01 14"),
        ("89 00 08 08 01 01 08 23", "84 08 01 0d"),
        (empty, "83 08 01 0c"),
        (empty, "82 08 01 0b"),
        (&dump, "81 08 01 0a"),
        // Others are looked for. e2 is lifted, with a wrong checksum, then as it was; then the next changes, and these are lost: never 83 again.
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
        let got = ask(&mut *bus, reply);
        assert_eq!(got, bytes(sent), "after {reply}");
    }
    let said: Vec<(Address, Reading)> = std::iter::from_fn(|| bus.poll_reading()).collect();
    assert!(said.iter().all(|(address, _)| *address == Address(1025)));
    let said: Vec<String> = said.iter().map(|(_, reading)| format!("{reading:?}")).collect();
    let told = said.join("\n");
    for what in ["SerialNumber(\"01025\")", "Version(\"1.8\")", "Placement(", "Square(E2, Empty)", "182000"] {
        assert!(told.contains(what), "{what} in {told}");
    }
}

/// A board on the line whose first dump is damaged, for ten seconds; its clock, which stands, is asked for at this time. Returns its
/// readings and their times.
fn first_seconds(clock_at: Millis) -> Vec<(Millis, Reading)> {
    let framed = |frame: String| {
        let mut frame = bytes(&frame);
        frame.push(frame.iter().map(|byte| u32::from(*byte)).sum::<u32>() as u8 & 0x7f);
        frame
    };
    let dump = |last: u8| framed(format!("83 00 46 08 01 {} {last:02x}", "00 ".repeat(63)));
    let mut bus = (dgt_bus::MODEL.protocol)();
    bus.link(0, LinkState::Up);
    let (mut now, mut dumps, mut said, mut asked) = (0, 0, Vec::new(), false);
    while now < 10_000 {
        if now >= clock_at && !asked {
            asked = true;
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
        said.extend(std::iter::from_fn(|| bus.poll_reading()).map(|(_, reading)| (now, reading)));
        now = bus.next_deadline().map_or(10_000, |at| at.max(now));
        bus.timeout(now);
    }
    said
}

/// One damaged message in 128 has a right checksum: the first squares are read again soon.
#[test]
fn the_first_squares_are_read_again_soon() {
    let said = first_seconds(Millis::MAX);
    let shown: Vec<_> = said.iter().filter(|(_, reading)| matches!(reading, Reading::Placement(_))).collect();
    let [(first, damaged), (second, right)] = shown[..] else { panic!("{shown:?}") };
    assert!(damaged != right && second - first <= 6_000, "after {} ms", second - first);
}

/// A clock that stands is told once, and again where it is asked for.
#[test]
fn a_clock_that_was_doubted_is_told_again() {
    let clocks = |clock_at| -> Vec<Millis> {
        let said = first_seconds(clock_at);
        said.iter().filter(|(_, reading)| matches!(reading, Reading::Clock(_))).map(|(at, _)| *at).collect()
    };
    assert_eq!(clocks(Millis::MAX).len(), 1);
    let [_, again] = clocks(6_000)[..] else { panic!("{:?}", clocks(6_000)) };
    assert!((6_000..6_500).contains(&again), "after {again} ms");
}

/// A board that is taken from the line in play is told to be silent, and what was played on it meanwhile is read when it is back.
/// One that is put on the line later is found.
#[test]
fn boards_come_and_go() {
    let games = random_games(3, 40);
    let mut line = Line::new(Simulation::chain(&games, &scene(&TIDY, 2), BusFaults::default(), FOUND));
    line.stage.connect(2, false);
    line.pass(20_000);
    assert_eq!(line.tables.len(), 2);
    line.stage.connect(2, true);
    line.pass(70_000);
    assert_eq!(line.tables.len(), 3, "found within a minute");
    let silent = |line: &Line| {
        line.readings
            .iter()
            .filter(|(_, _, reading)| matches!(reading, Reading::Trouble(ProtocolError::Silent(_) | ProtocolError::Recovered)))
            .map(|(at, board, reading)| (*at, board.0, reading.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(silent(&line), []);
    line.stage.connect(0, false);
    line.pass(90_000);
    let troubles = silent(&line);
    assert!(
        matches!(troubles[..], [(70_000..=78_000, FIRST_ADDRESS, Reading::Trouble(ProtocolError::Silent(_)))]),
        "{troubles:?}"
    );
    line.stage.connect(0, true);
    line.pass(105_000);
    let troubles = silent(&line);
    assert!(
        matches!(troubles[1..], [(90_000..=103_000, FIRST_ADDRESS, Reading::Trouble(ProtocolError::Recovered))]),
        "{troubles:?}"
    );
    let (truths, ends_at) = (truths(&line.stage), line.stage.ends_at());
    line.pass(ends_at);
    let played = line.played();
    assert_eq!((&played[0], &played[1]), (&truths[0], &truths[1]));
}

/// Half an answer that comes while nothing is asked does not shorten the time that the next answer has.
#[test]
fn a_frame_that_broke_off_before_a_question_does_not_end_it() {
    let games = random_games(1, 5);
    let mut line = Line::new(Simulation::chain(&games, &scene(&TIDY, 2), BusFaults::default(), FOUND));
    line.pass(20_000);
    for later in 1..100 {
        line.protocol.receive(line.now, &[0x85, 0x00, 0x20]);
        // Says so where the deadline of a question has passed when it is asked.
        line.pass(20_000 + 217 * later);
    }
    let (truths, ends_at) = (truths(&line.stage), line.stage.ends_at());
    line.pass(ends_at);
    assert_eq!(line.played(), truths);
}

/// Nor does half an answer put off for ever that a board is silent, or leave a deadline that has passed.
#[test]
fn a_board_that_is_silent_among_broken_frames_is_told() {
    let mut line = Line::new(Simulation::chain(&random_games(1, 5), &scene(&TIDY, 2), BusFaults::default(), FOUND));
    line.pass(20_000);
    line.stage.connect(0, false);
    for later in 1..100 {
        line.protocol.receive(line.now, &[0x85, 0x00, 0x20]);
        line.pass(20_000 + 137 * later);
    }
    let silent = |(_, _, reading): &&(Millis, Address, Reading)| matches!(reading, Reading::Trouble(ProtocolError::Silent(_)));
    assert_eq!(line.readings.iter().filter(silent).count(), 1);
}

/// Whatever comes, nothing is sent but what harms no board, one command at a time.
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
            let cue = if rng.chance(500) { BoardCommand::Placement } else { BoardCommand::Memory };
            let _ = bus.execute(now, Address(960 + rng.below(4) as u16), cue);
        }
        while let Some(write) = bus.poll_write() {
            let [code, high, low, check] = write.bytes[..] else { panic!("{:x?}", write.bytes) };
            assert!(matches!(code, 0x81..=0x87 | 0x8a | 0x8b), "{code:x}");
            assert_eq!(code.wrapping_add(high).wrapping_add(low) & 0x7f, check);
        }
        while bus.poll_reading().is_some() {}
    }
}

/// So many times as fast as real.
const SPEED: u32 = 2;

/// Three boards on a pseudo-terminal, their games over D-Bus; killed and started again in the middle.
#[tokio::test]
async fn a_chain_over_dbus() {
    let Some(bus) = PrivateBus::start() else { return };
    let state = tempfile::tempdir().unwrap();
    let games = pgn::read(&"[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n\n".repeat(3)).games;
    let stage = Simulation::chain(&games, &scene(&TIDY, 3), BAD, 16_000);
    let truth = truths(&stage);
    let mut port = PseudoTerminal::open().unwrap();
    let path = std::path::PathBuf::from(port.path());
    std::thread::spawn(move || port.serve(stage, SPEED, true));
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
    // A board on a line that is not good has to be asked more than once.
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
