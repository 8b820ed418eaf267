//! Games of which a part is played while the cable is out: what the board's memory holds, and how the moves are inferred from it.

mod bytes;
mod request;

use crate::core::simulate::random_games;
use shakmaty::{Color, Role, Square};
use touchmove::boards::{self, BoardCommand, ClockHalf, LinkState, MemoryEntry, Millis, Placement, Reading, SquareState};
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{AlertKind, Event, Record, StampedEvent};
use touchmove::lab::options::settings;
use touchmove::lab::run::{self, Cable, HostInput, RecordingCable, RunEvent};
use touchmove::laws::{Changes, Position};
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile};
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Input, Settings, Table};

/// Damages a part of the memory; the number is that of the bytes that came before.
type Damage = fn(&mut Vec<u8>, usize);

/// A virtual board whose cable is pulled once; the board keeps its power.
struct PulledCable {
    simulation: Simulation,
    /// The time during which the cable is out.
    out: (Millis, Millis),
    plugged: Option<bool>,
    /// The damage to the bytes of the memory on the line.
    damage: Damage,
    /// The number of bytes of the memory sent so far.
    memory: usize,
}

impl PulledCable {
    fn new(simulation: Simulation, out: (Millis, Millis)) -> PulledCable {
        PulledCable { simulation, out, plugged: None, damage: |_, _| {}, memory: 0 }
    }
}

impl Cable for PulledCable {
    fn next(&self) -> Option<Millis> {
        let plug = match self.plugged {
            None => Some(0),
            Some(true) => Some(self.out.0).filter(|_| self.out.0 < self.out.1),
            Some(false) => Some(self.out.1),
        };
        plug.into_iter().chain(self.simulation.next_event()).min()
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let mut inputs = Vec::new();
        if self.plugged.is_none() {
            self.plugged = Some(true);
            inputs.push(HostInput::Link(LinkState::Up));
        }
        let (from, to) = self.out;
        for mut chunk in self.simulation.advance(now) {
            if chunk.at < from || chunk.at >= to {
                if chunk.bytes.starts_with(&[0x8f, 0x3e, 0x03]) || !self.memory.is_multiple_of(7_939) {
                    let count = chunk.bytes.len();
                    (self.damage)(&mut chunk.bytes, self.memory);
                    self.memory += count;
                }
                inputs.push(HostInput::Bytes(chunk.bytes, chunk.ply));
            }
        }
        if from < to && now >= from && self.plugged == Some(true) {
            self.plugged = Some(false);
            inputs.push(HostInput::Link(LinkState::Down));
        }
        if self.plugged == Some(false) && now >= to {
            (self.plugged, self.out) = (Some(true), (0, 0));
            inputs.push(HostInput::Link(LinkState::Up));
        }
        inputs
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        if self.plugged == Some(true) {
            self.simulation.receive(now, bytes);
        }
    }
}

/// A game as it was published.
#[derive(Default)]
struct PublishedGame {
    events: Vec<StampedEvent>,
    record: Option<Record>,
    /// All inputs.
    inputs: Vec<(Millis, HostInput)>,
    /// The number of requests for the memory.
    memory_requests: usize,
}

impl PublishedGame {
    fn moves(&self) -> Vec<&str> {
        self.record.iter().flat_map(|record| &record.plies).map(|ply| ply.played.uci.as_str()).collect()
    }
}

fn follow(cable: &mut dyn Cable, game: &SourceGame, until: Millis) -> PublishedGame {
    let mut published = PublishedGame::default();
    let mut table = Table::new(settings(game));
    let mut protocol = (boards::model("dgt").unwrap().protocol)();
    run::play(cable, &mut *protocol, &mut table, until, &mut |now, moment| match moment {
        RunEvent::Input(input) => published.inputs.push((now, input.clone())),
        RunEvent::Sent(bytes) => published.memory_requests += bytes.iter().filter(|byte| **byte == 0x49).count(),
        RunEvent::Event(stamped) => published.events.push(stamped.clone()),
        RunEvent::Refused(_) | RunEvent::Handled(_) => {}
    });
    assert!(published.events.windows(2).all(|pair| pair[0].at <= pair[1].at), "times never decrease");
    // The next game may have been set up.
    let first = published.events.iter().filter(|stamped| stamped.number.is_some());
    for stamped in first {
        match &mut published.record {
            None => published.record = Record::begin(stamped),
            Some(_) if matches!(stamped.event, Event::GameStarted { .. }) => break,
            Some(record) => record.apply(stamped),
        }
    }
    published
}

fn simulation(game: &SourceGame, profile: &HandsProfile, clock: bool, rotation: Rotation, seed: u64) -> Simulation {
    Simulation::new("dgt", game, &SimulationSetup { profile, clock, rotation, clock_turned: false, seed }).unwrap()
}

fn opera() -> SourceGame {
    pgn::read(include_str!("../../src/ctl/demo/opera.pgn")).games.remove(0)
}

/// A time for the cable to be out: from the middle of one ply until after another.
fn out(simulation: &Simulation, first: usize, last: usize) -> (Millis, Millis) {
    let plies = &simulation.truth().plies;
    ((plies[first].touched_at + plies[first].done_at) / 2, plies[last].done_at + 300)
}

fn truth(simulation: &Simulation) -> Vec<String> {
    simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect()
}

/// Every kind of hands, with and without a clock, from either side; the cable is out for 16 plies.
#[test]
fn moves_while_the_cable_was_out_are_read_from_the_memory() {
    let mut games = vec![opera()];
    games.extend(random_games(10, 60));
    let cases = [
        (&CLEAN, true, Rotation::Upright),
        (&CLEAN, false, Rotation::Turned),
        (&CLUB, true, Rotation::Turned),
        (&CLUB, false, Rotation::Upright),
        (&BLITZ, true, Rotation::Upright),
    ];
    let mut wrong = Vec::new();
    for (game, seed) in games.iter().zip(1..) {
        for (profile, clock, rotation) in cases {
            let simulation = || simulation(game, profile, clock, rotation, seed);
            let expect = truth(&simulation());
            let until = simulation().ends_at() + 40_000;
            let published =
                follow(&mut PulledCable::new(simulation(), out(&simulation(), 8, expect.len().min(24) - 1)), game, until);
            let unbroken = || follow(&mut PulledCable::new(simulation(), (0, 0)), game, until).moves() == expect;
            assert!(published.memory_requests <= 1, "requested {} times", published.memory_requests);
            if published.moves() != expect && unbroken() {
                let hands = profile.name;
                wrong.push(format!("seed {seed}, {hands} hands, clock {clock}: {:?} instead of {expect:?}", published.moves()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The clock's times come with the moves; the same bytes give the same game.
#[test]
fn clock_times_are_read_from_the_memory_and_a_replay_is_identical() {
    let game = opera();
    let simulation = || simulation(&game, &CLEAN, true, Rotation::Upright, 3);
    let until = simulation().ends_at() + 20_000;
    let published = follow(&mut PulledCable::new(simulation(), out(&simulation(), 8, 23)), &game, until);
    let unbroken = follow(&mut PulledCable::new(simulation(), (0, 0)), &game, until);
    let (record_with_gap, record) = (published.record.as_ref().unwrap(), unbroken.record.as_ref().unwrap());
    assert_eq!((published.moves(), published.memory_requests), (unbroken.moves(), 1));
    for (number, (published, known)) in record_with_gap.plies.iter().zip(&record.plies).enumerate() {
        let white = number % 2 == 0;
        let mover_time = |clocks: &ClockTimes| if white { clocks.white } else { clocks.black }.map(|time| time.ms);
        let (published, known) = (mover_time(&published.clocks), mover_time(&known.clocks));
        assert!(
            published.zip(known).is_some_and(|(published, known)| published.abs_diff(known) <= 1000) || number == 32,
            "ply {}: {published:?}, not {known:?}",
            number + 1
        );
    }
    let again = follow(&mut RecordingCable::new(published.inputs.clone()), &game, until);
    assert_eq!(again.events, published.events);
}

/// The cable is pulled before the last move is published, and four more are played that the board does not remember.
#[test]
fn missed_moves_follow_an_unpublished_move() {
    let moves = ["e2e4", "e7e5", "f1c4", "b8c6", "g1f3", "g8f6", "d2d3"];
    let after = |plies: usize| {
        let start = Position::start();
        let position = moves[..plies].iter().fold(start, |position, uci| position.play(position.parse_uci(uci).unwrap()));
        Reading::Placement(Box::new(shown(&position)))
    };
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    table.handle(0, Input::Reading(after(0)));
    table.handle(2_000, Input::Reading(after(1)));
    table.handle(4_000, Input::Reading(after(2)));
    let bishop = SquareState::Piece(Role::Bishop.of(Color::White));
    table.handle(6_000, Input::Reading(Reading::Square(Square::F1, SquareState::Empty)));
    table.handle(6_300, Input::Reading(Reading::Square(Square::C4, bishop)));
    table.handle(6_350, Input::Link(LinkState::Down));
    assert_eq!(table.record().unwrap().plies.len(), 2, "the bishop may slide on");
    table.handle(60_000, Input::Link(LinkState::Up));
    assert_eq!(table.handle(60_100, Input::Reading(after(moves.len()))).commands, [BoardCommand::Memory]);
    table.handle(61_000, Input::Reading(Reading::Memory(Vec::new())));
    table.advance(80_000);
    let record = table.record().unwrap();
    let recorded: Vec<_> = record.plies.iter().map(|ply| ply.played.uci.as_str()).collect();
    assert_eq!(recorded[..3], moves[..3]);
    assert_eq!((recorded.len(), record.plies.iter().any(|ply| ply.played.irregular)), (moves.len(), false), "{recorded:?}");
}

/// Old readings of the whole board were believed, and moves are on record that the board's memory does not know.
#[test]
fn recorded_moves_missing_in_the_memory_raise_an_alert() {
    let after = |moves: &[&str]| {
        let position = moves.iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
        Reading::Placement(Box::new(shown(&position)))
    };
    let record = ["e2e3", "g8h6", "d1h5", "h6g8", "h5d1"];
    let played = ["e2e3", "f7f5", "f1d3"];
    let lands = |uci: &str, piece: Role, color: Color| {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let change = |square, sensed| MemoryEntry::Square { square, sensed, follows_at_once: false };
        [change(square(&uci[..2]), SquareState::Empty), change(square(&uci[2..]), SquareState::Piece(piece.of(color)))]
    };
    for doubtful in [true, false] {
        let mut table = Table::new(Settings::default());
        table.handle(0, Input::Link(LinkState::Up));
        table.handle(0, Input::Reading(after(&[])));
        let recorded = if doubtful { &record[..] } else { &record[..1] };
        for plies in 1..=recorded.len() {
            table.handle(plies as u64 * 5_000, Input::Reading(after(&recorded[..plies])));
        }
        table.advance(40_000);
        assert_eq!(table.record().unwrap().plies.len(), recorded.len());
        table.handle(41_000, Input::Link(LinkState::Down));
        table.handle(60_000, Input::Link(LinkState::Up));
        assert_eq!(table.handle(60_100, Input::Reading(after(&played))).commands, [BoardCommand::Memory]);
        let moves = [
            lands(played[0], Role::Pawn, Color::White),
            lands(played[1], Role::Pawn, Color::Black),
            lands(played[2], Role::Bishop, Color::White),
        ];
        let log = [vec![MemoryEntry::StartPosition], moves.concat()].concat();
        let mut events = table.handle(61_000, Input::Reading(Reading::Memory(log))).events;
        events.extend(table.advance(80_000).events);
        let corrected: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.as_str()).collect();
        assert_eq!(corrected, [recorded, &played[1..]].concat());
        let alerts: Vec<String> = events
            .iter()
            .filter_map(|stamped| match &stamped.event {
                Event::AlertRaised(alert) => Some(format!("{:?} {}", alert.kind, alert.text)),
                _ => None,
            })
            .collect();
        match doubtful {
            true => assert!(matches!(&alerts[..], [alert] if alert.contains("1...Nh6")), "{alerts:?}"),
            false => assert_eq!(alerts, [""; 0]),
        }
    }
}

/// Bytes of the memory are damaged on the line in various ways: no wrong move results.
#[test]
fn a_damaged_memory_is_better_than_none() {
    let game = opera();
    let simulation = || simulation(&game, &CLEAN, true, Rotation::Upright, 2);
    let expect = truth(&simulation());
    let until = simulation().ends_at() + 60_000;
    let out = out(&simulation(), 8, 23);
    let damages: [(Damage, bool); 5] = [
        // In the part before the gap: the eighth bit of a byte is set, or another bit flips.
        (
            |bytes, count| {
                if count == 4_000 {
                    bytes[3] |= 0x80
                }
            },
            true,
        ),
        (
            |bytes, count| {
                if count == 4_000 {
                    bytes[3] ^= 0x01
                }
            },
            true,
        ),
        // Bytes are lost once, and the memory is requested again; or it breaks off for good.
        (
            |bytes, count| {
                if count == 3_200 {
                    bytes.truncate(5)
                }
            },
            true,
        ),
        (
            |bytes, count| {
                if count > 3_200 {
                    bytes.clear()
                }
            },
            false,
        ),
        // In the part of the missed moves.
        (
            |bytes, count| {
                if count == 7_840 {
                    bytes[3] |= 0x80
                }
            },
            false,
        ),
    ];
    for (number, (damage, is_exact)) in damages.into_iter().enumerate() {
        let published = follow(&mut PulledCable { damage, ..PulledCable::new(simulation(), out) }, &game, until);
        let moves = published.moves();
        assert_eq!(moves[..8], expect[..8], "damage {number}");
        assert!(!is_exact || moves == expect, "damage {number}: {moves:?}");
    }
}

const E2: MemoryEntry = MemoryEntry::Square { square: Square::E2, sensed: SquareState::Empty, follows_at_once: false };

fn pawn(square: Square, soon: bool) -> MemoryEntry {
    MemoryEntry::Square { square, sensed: SquareState::Piece(Role::Pawn.of(Color::White)), follows_at_once: soon }
}

/// The memory contains another game, or nothing: the board's position is used, as without a memory.
#[test]
fn a_memory_of_another_game_changes_nothing() {
    let start = Position::start();
    let after = |moves: &[&str]| {
        let position = moves.iter().fold(start.clone(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
        Reading::Placement(Box::new(shown(&position)))
    };
    let king = MemoryEntry::Square {
        square: Square::A5,
        sensed: SquareState::Piece(Role::King.of(Color::Black)),
        follows_at_once: false,
    };
    for log in [vec![], vec![E2, pawn(Square::A4, false), king], vec![MemoryEntry::PowerUp, king, E2]] {
        let mut table = Table::new(Settings::default());
        table.handle(0, Input::Link(LinkState::Up));
        table.handle(100, Input::Reading(after(&[])));
        table.advance(3_000);
        table.handle(5_000, Input::Link(LinkState::Down));
        table.handle(60_000, Input::Link(LinkState::Up));
        let output = table.handle(60_100, Input::Reading(after(&["e2e4", "e7e5", "g1f3"])));
        assert_eq!(output.commands, [BoardCommand::Memory]);
        assert!(table.advance(66_000).events.is_empty(), "nothing is published before the memory arrives");
        table.handle(68_500, Input::Reading(Reading::Memory(log)));
        table.advance(90_000);
        let moves: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
        assert_eq!(moves, ["e2e4", "e7e5", "g1f3"]);
    }
    // The wait for a memory that never arrives ends.
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    table.handle(100, Input::Reading(after(&[])));
    table.handle(5_000, Input::Link(LinkState::Down));
    table.handle(60_000, Input::Link(LinkState::Up));
    table.handle(60_100, Input::Reading(after(&["e2e4", "e7e5", "g1f3"])));
    table.advance(100_000);
    assert_eq!(table.record().unwrap().plies.len(), 3);
}

/// A daemon that was down for a while continues the game from the end of its journal.
#[test]
fn a_restart_reads_missed_moves_from_the_memory() {
    let moves = ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4", "f3d4", "g8f6", "b1c3", "a7a6"];
    let mut position = Position::start();
    let mut log = vec![MemoryEntry::StartPosition];
    let mut table = Table::new(Settings::default());
    let mut events = Vec::new();
    table.handle(0, Input::Link(LinkState::Up));
    events.extend(table.handle(0, Input::Reading(Reading::Placement(Box::new(shown(&position))))).events);
    for (number, uci) in (0..).zip(moves) {
        let mv = position.parse_uci(uci).unwrap();
        for (at, (square, piece)) in (number * 2_000 + 1_000..).step_by(300).zip(Changes::of(position.turn(), mv).iter()) {
            let sensed = piece.map_or(SquareState::Empty, SquareState::Piece);
            log.push(MemoryEntry::Square { square, sensed, follows_at_once: false });
            if number < 3 {
                events.extend(table.handle(at, Input::Reading(Reading::Square(square, sensed))).events);
            }
        }
        position = position.play(mv);
    }
    events.extend(table.advance(8_000).events);
    events.retain(|stamped| stamped.number.is_some());
    let mut table = Table::restore(Settings::default(), &events);
    assert_eq!(table.record().unwrap().plies.len(), 3);
    table.handle(3_600_000, Input::Link(LinkState::Up));
    let output = table.handle(3_600_100, Input::Reading(Reading::Placement(Box::new(shown(&position)))));
    assert_eq!(output.commands, [BoardCommand::Memory]);
    table.handle(3_609_000, Input::Reading(Reading::Memory(log)));
    table.advance(3_620_000);
    let recorded: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
    assert_eq!(recorded, moves);
}

/// White slides a pawn on while pressing the clock, and the memory knows no times: with the second square as a move of its own, out of
/// turn, the record is one ply longer. Either is possible, so that the arbiter has to know.
#[test]
fn a_piece_that_moved_on_after_the_press_raises_an_alert() {
    let played = ["b2b4", "e7e5", "g1f3", "b8c6", "g2g3"];
    let position = played.iter().fold(Position::start(), |position, uci| position.play(position.parse_uci(uci).unwrap()));
    let square =
        |square: Square, sensed: SquareState, soon: bool| MemoryEntry::Square { square, sensed, follows_at_once: soon };
    let piece = |color, role| SquareState::Piece(shakmaty::Piece { color, role });
    let press = |half, ms| MemoryEntry::ClockPressed { half, ms };
    let mut log = vec![MemoryEntry::StartPosition];
    let pawn = piece(Color::White, Role::Pawn);
    log.extend([square(Square::B3, pawn, false), square(Square::B2, SquareState::Empty, true)]);
    log.push(press(ClockHalf::Left, 60_000));
    log.extend([square(Square::B4, pawn, false), square(Square::B3, SquareState::Empty, true)]);
    let mut move_piece = |from, to, sensed, half| {
        log.extend([square(from, SquareState::Empty, false), square(to, sensed, false), press(half, 60_000)]);
    };
    move_piece(Square::E7, Square::E5, piece(Color::Black, Role::Pawn), ClockHalf::Right);
    move_piece(Square::G1, Square::F3, piece(Color::White, Role::Knight), ClockHalf::Left);
    move_piece(Square::B8, Square::C6, piece(Color::Black, Role::Knight), ClockHalf::Right);
    move_piece(Square::G2, Square::G3, pawn, ClockHalf::Left);
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let mut events = table.handle(0, Input::Reading(Reading::Placement(Box::new(shown(&Position::start()))))).events;
    events.extend(table.advance(8_000).events);
    events.retain(|stamped| stamped.number.is_some());
    let mut table = Table::restore(Settings::default(), &events);
    table.handle(10_000, Input::Link(LinkState::Up));
    table.handle(20_000, Input::Reading(Reading::Placement(Box::new(shown(&position)))));
    let mut events = table.handle(28_000, Input::Reading(Reading::Memory(log))).events;
    events.extend(table.advance(40_000).events);
    let recorded: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
    let is_alerted = events
        .iter()
        .any(|stamped| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::MovesUncertain));
    assert!(recorded == played || is_alerted, "{recorded:?} without an alert");
}

/// The placement that a board shows in this position.
pub fn shown(position: &Position) -> Placement {
    let mut placement: Placement = [SquareState::Empty; 64];
    position.board().iter().for_each(|(square, piece)| placement[square as usize] = SquareState::Piece(piece));
    placement
}

/// A board that sends changes, but never a whole placement.
#[test]
fn a_board_without_a_placement_raises_an_alert() {
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    let start = Reading::Placement(Box::new(shown(&Position::start())));
    table.handle(100, Input::Reading(start.clone()));
    table.handle(5_000, Input::Link(LinkState::Down));
    table.handle(6_000, Input::Link(LinkState::Up));
    let mut events = Vec::new();
    for at in (7_000..20_000).step_by(500) {
        let sensed = if at % 1_000 == 0 { SquareState::Empty } else { SquareState::Piece(Role::Pawn.of(Color::White)) };
        events.extend(table.handle(at, Input::Reading(Reading::Square(Square::E2, sensed))).events);
    }
    let is_silent_alert =
        |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::BoardSilent);
    assert_eq!(events.iter().find(is_silent_alert).map(|stamped| stamped.at), Some(16_000));
    let events = table.handle(21_000, Input::Reading(start)).events;
    assert!(events.iter().any(|stamped| matches!(stamped.event, Event::AlertCleared { .. })));
}
