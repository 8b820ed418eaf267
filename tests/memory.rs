//! Games of which a part is played while the cable is out: what the board remembers of it, and what comes of it.

use crate::simulate::random_games;
use shakmaty::{Color, Role, Square};
use touchmove::boards::{
    self, Address, BoardCommand, ClockHalf, LinkState, MemoryEntry, Millis, Placement, Reading, SquareState,
};
use touchmove::ctl::run::{self, Cable, HostInput, RecordingCable, RunEvent};
use touchmove::ctl::simulate::settings;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{AlertKind, Event, Record, StampedEvent};
use touchmove::laws::{Changes, Position};
use touchmove::simulate::hands::{BLITZ, CLEAN, CLUB, HandsProfile};
use touchmove::simulate::pgn::{self, SourceGame};
use touchmove::simulate::{Simulation, SimulationSetup};
use touchmove::table::{Input, Settings, Table};

/// What is done to a part of the memory, and how many bytes of it came before.
type Damage = fn(&mut Vec<u8>, usize);

/// A virtual board whose cable is pulled once; the board has power all the while.
struct Pulled {
    stage: Simulation,
    /// From when until when.
    out: (Millis, Millis),
    plugged: Option<bool>,
    /// What is done to the bytes of the memory on their way.
    damage: Damage,
    /// How many bytes of the memory came.
    memory: usize,
}

impl Pulled {
    fn new(stage: Simulation, out: (Millis, Millis)) -> Pulled {
        Pulled { stage, out, plugged: None, damage: |_, _| {}, memory: 0 }
    }
}

impl Cable for Pulled {
    fn next(&self) -> Option<Millis> {
        let plug = match self.plugged {
            None => Some(0),
            Some(true) => Some(self.out.0).filter(|_| self.out.0 < self.out.1),
            Some(false) => Some(self.out.1),
        };
        plug.into_iter().chain(self.stage.next_event()).min()
    }

    fn take(&mut self, now: Millis) -> Vec<HostInput> {
        let mut said = Vec::new();
        if self.plugged.is_none() {
            self.plugged = Some(true);
            said.push(HostInput::Link(LinkState::Up));
        }
        let (from, to) = self.out;
        for mut chunk in self.stage.advance(now) {
            if chunk.at < from || chunk.at >= to {
                if chunk.bytes.starts_with(&[0x8f, 0x3e, 0x03]) || !self.memory.is_multiple_of(7_939) {
                    let count = chunk.bytes.len();
                    (self.damage)(&mut chunk.bytes, self.memory);
                    self.memory += count;
                }
                said.push(HostInput::Bytes(chunk.bytes, chunk.ply));
            }
        }
        if from < to && now >= from && self.plugged == Some(true) {
            self.plugged = Some(false);
            said.push(HostInput::Link(LinkState::Down));
        }
        if self.plugged == Some(false) && now >= to {
            (self.plugged, self.out) = (Some(true), (0, 0));
            said.push(HostInput::Link(LinkState::Up));
        }
        said
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        if self.plugged == Some(true) {
            self.stage.receive(now, bytes);
        }
    }
}

/// A game as it was told.
#[derive(Default)]
struct Told {
    events: Vec<StampedEvent>,
    record: Option<Record>,
    /// Everything that came in.
    tape: Vec<(Millis, HostInput)>,
    /// How often the memory was asked for.
    asked: usize,
}

impl Told {
    fn moves(&self) -> Vec<&str> {
        self.record.iter().flat_map(|record| &record.plies).map(|ply| ply.played.uci.as_str()).collect()
    }
}

fn follow(cable: &mut dyn Cable, game: &SourceGame, until: Millis) -> Told {
    let mut told = Told::default();
    let mut table = Table::new(settings(game));
    let mut protocol = (boards::model("dgt").unwrap().protocol)();
    run::play(cable, &mut *protocol, &mut table, until, &mut |now, moment| match moment {
        RunEvent::Input(said) => told.tape.push((now, said.clone())),
        RunEvent::Sent(bytes) => told.asked += bytes.iter().filter(|byte| **byte == 0x49).count(),
        RunEvent::Event(stamped) => told.events.push(stamped.clone()),
        RunEvent::Refused(_) | RunEvent::Handled(_) => {}
    });
    assert!(told.events.windows(2).all(|pair| pair[0].at <= pair[1].at), "times never decrease");
    // The next game may have been set up.
    let first = told.events.iter().filter(|told| told.number.is_some());
    for stamped in first {
        match &mut told.record {
            None => told.record = Record::begin(stamped),
            Some(_) if matches!(stamped.event, Event::GameStarted { .. }) => break,
            Some(record) => record.apply(stamped),
        }
    }
    told
}

fn stage(game: &SourceGame, profile: &HandsProfile, clock: bool, rotation: Rotation, seed: u64) -> Simulation {
    Simulation::new("dgt", game, &SimulationSetup { profile, clock, rotation, clock_turned: false, seed }).unwrap()
}

fn opera() -> SourceGame {
    pgn::read(include_str!("../src/ctl/demo/opera.pgn")).games.remove(0)
}

/// So long the cable is out: from the middle of one ply until after another.
fn out(stage: &Simulation, first: usize, last: usize) -> (Millis, Millis) {
    let plies = &stage.truth().plies;
    ((plies[first].touched_at + plies[first].done_at) / 2, plies[last].done_at + 300)
}

fn truth(stage: &Simulation) -> Vec<String> {
    stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect()
}

/// Every kind of hands, with and without a clock, from either side; the cable is out for 16 plies.
#[test]
fn moves_that_nobody_heard_are_remembered() {
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
            let stage = || stage(game, profile, clock, rotation, seed);
            let expect = truth(&stage());
            let until = stage().ends_at() + 40_000;
            let told = follow(&mut Pulled::new(stage(), out(&stage(), 8, expect.len().min(24) - 1)), game, until);
            let unbroken = || follow(&mut Pulled::new(stage(), (0, 0)), game, until).moves() == expect;
            assert!(told.asked <= 1, "asked {} times", told.asked);
            if told.moves() != expect && unbroken() {
                let hands = profile.name;
                wrong.push(format!("seed {seed}, {hands} hands, clock {clock}: {:?} instead of {expect:?}", told.moves()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The clock's times come with the moves; the same bytes give the same game.
#[test]
fn times_are_remembered_and_a_replay_gives_the_same() {
    let game = opera();
    let stage = || stage(&game, &CLEAN, true, Rotation::Upright, 3);
    let until = stage().ends_at() + 20_000;
    let told = follow(&mut Pulled::new(stage(), out(&stage(), 8, 23)), &game, until);
    let unbroken = follow(&mut Pulled::new(stage(), (0, 0)), &game, until);
    let (told_record, record) = (told.record.as_ref().unwrap(), unbroken.record.as_ref().unwrap());
    assert_eq!((told.moves(), told.asked), (unbroken.moves(), 1));
    for (number, (told, known)) in told_record.plies.iter().zip(&record.plies).enumerate() {
        let white = number % 2 == 0;
        let of = |clocks: &ClockTimes| if white { clocks.white } else { clocks.black }.map(|time| time.ms);
        let (told, known) = (of(&told.clocks), of(&known.clocks));
        assert!(
            told.zip(known).is_some_and(|(told, known)| told.abs_diff(known) <= 1000) || number == 32,
            "ply {}: {told:?}, not {known:?}",
            number + 1
        );
    }
    let again = follow(&mut RecordingCable::new(told.tape.clone()), &game, until);
    assert_eq!(again.events, told.events);
}

/// Nothing is asked where the board stands as it stood, or one move further.
#[test]
fn nothing_is_asked_without_need() {
    let game = opera();
    let stage = || stage(&game, &CLUB, true, Rotation::Upright, 1);
    let plies = stage().truth().plies.clone();
    let (made, before) = (plies[9].done_at + 600, plies[10].touched_at - 10);
    for out in [(0, 0), (made, before), (made, plies[10].done_at + 500), (plies[10].touched_at + 50, plies[10].done_at + 500)] {
        let told = follow(&mut Pulled::new(stage(), out), &game, stage().ends_at() + 20_000);
        assert_eq!((told.moves(), told.asked), (truth(&stage()).iter().map(String::as_str).collect(), 0), "{out:?}");
    }
}

/// The cable is pulled before the last move is published, and four more are played that the board does not remember.
#[test]
fn moves_that_were_missed_come_after_one_that_was_not_published() {
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
    assert_eq!(table.handle(60_100, Input::Reading(after(moves.len()))).cues, [BoardCommand::Memory]);
    table.handle(61_000, Input::Reading(Reading::Memory(Vec::new())));
    table.advance(80_000);
    let record = table.record().unwrap();
    let told: Vec<_> = record.plies.iter().map(|ply| ply.played.uci.as_str()).collect();
    assert_eq!(told[..3], moves[..3]);
    assert_eq!((told.len(), record.plies.iter().any(|ply| ply.played.irregular)), (moves.len(), false), "{told:?}");
}

/// Old readings of the whole board were believed, and moves are on record that the board's memory does not know.
#[test]
fn moves_that_the_memory_does_not_show_are_told_to_be_doubtful() {
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
        assert_eq!(table.handle(60_100, Input::Reading(after(&played))).cues, [BoardCommand::Memory]);
        let moves = [
            lands(played[0], Role::Pawn, Color::White),
            lands(played[1], Role::Pawn, Color::Black),
            lands(played[2], Role::Bishop, Color::White),
        ];
        let log = [vec![MemoryEntry::StartPosition], moves.concat()].concat();
        let mut events = table.handle(61_000, Input::Reading(Reading::Memory(log))).events;
        events.extend(table.advance(80_000).events);
        let told: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.as_str()).collect();
        assert_eq!(told, [recorded, &played[1..]].concat());
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

/// Bytes of the memory are damaged on the line, one way or another: no wrong move comes of it.
#[test]
fn a_damaged_memory_is_better_than_none() {
    let game = opera();
    let stage = || stage(&game, &CLEAN, true, Rotation::Upright, 2);
    let expect = truth(&stage());
    let until = stage().ends_at() + 60_000;
    let out = out(&stage(), 8, 23);
    let damages: [(Damage, bool); 5] = [
        // In what was played before: a bit of it becomes the eighth, or another.
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
        // It loses bytes, once: it is asked for again. Or it breaks off for good.
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
        // In what was missed.
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
        let told = follow(&mut Pulled { damage, ..Pulled::new(stage(), out) }, &game, until);
        let moves = told.moves();
        assert_eq!(moves[..8], expect[..8], "damage {number}");
        assert!(!is_exact || moves == expect, "damage {number}: {moves:?}");
    }
}

/// What a fresh DGT board reads from its memory's message, its bytes cut anywhere.
fn read(payload: &[u8]) -> Vec<MemoryEntry> {
    let length = payload.len() + 3;
    let message = [&[0x8f, (length >> 7) as u8, (length & 0x7f) as u8], payload].concat();
    let mut last = None;
    for size in [1, 7, message.len()] {
        let mut board = (boards::model("dgt").unwrap().protocol)();
        board.link(0, LinkState::Up);
        message.chunks(size).for_each(|chunk| board.receive(10, chunk));
        let Some((_, Reading::Memory(entries))) = board.poll_reading() else { panic!("no memory") };
        assert!(last.is_none_or(|last| last == entries));
        last = Some(entries);
    }
    last.unwrap()
}

const E2: MemoryEntry = MemoryEntry::Square { square: Square::E2, sensed: SquareState::Empty, follows_at_once: false };

fn pawn(square: Square, soon: bool) -> MemoryEntry {
    MemoryEntry::Square { square, sensed: SquareState::Piece(Role::Pawn.of(Color::White)), follows_at_once: soon }
}

#[test]
fn the_bytes_of_a_memory() {
    let half = |half, ms| MemoryEntry::ClockPressed { half, ms };
    let cases: &[(&[u8], &[MemoryEntry])] = &[
        (&[], &[]),
        (&[0x40, 0x34, 0x51, 0x24], &[E2, pawn(Square::E4, true)]),
        (&[0x70, 0x12, 0x34], &[half(ClockHalf::Left, 754_000)]),
        (&[0x69, 0x59, 0x59], &[half(ClockHalf::Right, 35_999_000)]),
        (
            &[0x7f, 0x00, 0x6a, 0x6d, 0x6f, 0x7a, 0x6b],
            &[MemoryEntry::PowerUp, MemoryEntry::Cleared, MemoryEntry::StartPosition, MemoryEntry::StartPosition],
        ),
        // Marks that say nothing of the squares.
        (&[0x6c, 0x6e, 0x7b, 0x7c, 0x7d, 0x7e], &[]),
        // The oldest entry is cut: a field without its piece, seconds without their minutes.
        (&[0x34, 0x41, 0x34], &[pawn(Square::E2, false)]),
        (&[0x34, 0x12, 0x40, 0x34], &[E2]),
        // No such field, time or end; a result's piece is no chessman.
        (&[0x41, 0x51, 0x34, 0x60, 0x7f, 0x4e, 0x34, 0x41], &[pawn(Square::E2, true), E2]),
    ];
    for (bytes, expect) in cases {
        assert_eq!(read(bytes), *expect, "{bytes:x?}");
    }
    assert_eq!(read(&[0x7f; 0x1f00]), []);
}

/// News that come in the midst of the memory are told at once, and the memory goes on.
#[test]
fn news_come_in_the_midst_of_a_memory() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &[0x8f, 0, 9, 0x40, 0x34, 0x51, 0x8e, 0, 5, 0x0c, 0, 0x8e, 0, 5, 0x1c, 0, 0x24, 0x7f, 0x6b]);
    let lift = |square| Reading::Square(square, SquareState::Empty);
    let readings: Vec<Reading> = std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| reading).collect();
    assert_eq!(readings, [lift(Square::E7), lift(Square::E5), Reading::Memory(vec![E2, pawn(Square::E4, true)])]);
}

/// While the memory comes nothing is asked and the board is not silent; it is asked for twice.
#[test]
fn the_memory_is_waited_for() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    let start = [&[0x86, 0, 67][..], &[0; 64]].concat();
    board.receive(150, &start);
    while board.poll_write().is_some() || board.poll_reading().is_some() {}
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    let mut sent = Vec::new();
    let mut readings = Vec::new();
    let mut run = |board: &mut dyn boards::Protocol, until: Millis| {
        while let Some(at) = board.next_deadline().filter(|&at| at <= until) {
            board.timeout(at);
        }
        sent.extend(std::iter::from_fn(|| board.poll_write()).flat_map(|write| write.bytes));
        readings.extend(std::iter::from_fn(|| board.poll_reading()).map(|(_, reading)| reading));
    };
    board.receive(1_200, &[0x8f, 0x3e, 0x03]);
    for now in (1_300..9_000).step_by(100) {
        board.receive(now, &[0x40, 0x34]);
        run(&mut *board, now);
    }
    run(&mut *board, 11_000);
    board.receive(11_100, &[0x8f, 0x00, 0x07, 0x40, 0x34]);
    run(&mut *board, 13_200);
    let (asked, others): (Vec<u8>, Vec<u8>) = sent.iter().partition(|byte| **byte == 0x49);
    assert_eq!((asked.len(), others.len()), (2, 0), "{sent:x?}");
    assert_eq!(readings, [Reading::Memory(vec![E2])], "as far as it came");
}

/// The memory tells of another game, or nothing: the board's own word is taken, as without a memory.
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
        let asked = table.handle(60_100, Input::Reading(after(&["e2e4", "e7e5", "g1f3"])));
        assert_eq!(asked.cues, [BoardCommand::Memory]);
        assert!(table.advance(66_000).events.is_empty(), "nothing is told before the memory came");
        table.handle(68_500, Input::Reading(Reading::Memory(log)));
        table.advance(90_000);
        let moves: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
        assert_eq!(moves, ["e2e4", "e7e5", "g1f3"]);
    }
    // And a memory that never comes is not waited for.
    let mut table = Table::new(Settings::default());
    table.handle(0, Input::Link(LinkState::Up));
    table.handle(100, Input::Reading(after(&[])));
    table.handle(5_000, Input::Link(LinkState::Down));
    table.handle(60_000, Input::Link(LinkState::Up));
    table.handle(60_100, Input::Reading(after(&["e2e4", "e7e5", "g1f3"])));
    table.advance(100_000);
    assert_eq!(table.record().unwrap().plies.len(), 3);
}

/// A daemon that was down for a while takes the game up where its journal ends.
#[test]
fn a_restart_goes_on_through_what_was_missed() {
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
    let asked = table.handle(3_600_100, Input::Reading(Reading::Placement(Box::new(shown(&position)))));
    assert_eq!(asked.cues, [BoardCommand::Memory]);
    table.handle(3_609_000, Input::Reading(Reading::Memory(log)));
    table.advance(3_620_000);
    let told: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
    assert_eq!(told, moves);
}

/// White slides a pawn on while pressing the clock, and the memory knows no times: with the second square as a move of its own, out of
/// turn, the record is one ply longer. Either is possible, so that the arbiter has to know.
#[test]
fn a_piece_that_went_on_after_the_press_is_told_of() {
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
    let told: Vec<_> = table.record().unwrap().plies.iter().map(|ply| ply.played.uci.clone()).collect();
    let is_told = events
        .iter()
        .any(|stamped| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::MovesUncertain));
    assert!(told == played || is_told, "{told:?} without an alert");
}

/// What a board shows in this position.
pub fn shown(position: &Position) -> Placement {
    let mut placement: Placement = [SquareState::Empty; 64];
    position.board().iter().for_each(|(square, piece)| placement[square as usize] = SquareState::Piece(piece));
    placement
}

/// When the arbiter was first told that the board shows something else than the record.
fn told_behind(told: &Told) -> Option<Millis> {
    let kinds = [AlertKind::PositionUnexplained, AlertKind::Displaced];
    let behind = |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if kinds.contains(&alert.kind));
    told.events.iter().find(behind).map(|stamped| stamped.at)
}

/// The memory does not come when it is first requested, and play goes on, at any pace: the arbiter is alerted, and it is requested
/// again.
#[test]
fn a_memory_that_fails_is_asked_for_again() {
    const WHOLE: usize = 7_939;
    /// The ring without what was noted last: about five moves.
    const OLDER: usize = 50;
    let game = random_games(1, 80).remove(0);
    let failures: [Damage; 3] = [
        // It does not answer, or answers with a log five moves old.
        |bytes, count| {
            if count < 3 * WHOLE {
                bytes.clear();
            }
        },
        |bytes, count| {
            if count % WHOLE >= WHOLE - OLDER && count < 2 * WHOLE {
                bytes.fill(0x7f);
            }
        },
        |bytes, _| bytes.clear(),
    ];
    for (pace, hands) in [&CLEAN, &CLUB, &BLITZ].into_iter().enumerate() {
        let stage = || stage(&game, hands, true, Rotation::Upright, 5);
        let expect = truth(&stage());
        let out = out(&stage(), 8, 16);
        let until = stage().ends_at() + 60_000;
        for (number, &damage) in failures.iter().enumerate() {
            let what = format!("pace {pace}, failure {number}");
            let told = follow(&mut Pulled { damage, ..Pulled::new(stage(), out) }, &game, until);
            let at = told_behind(&told).unwrap_or_else(|| panic!("{what}: nobody was told"));
            assert!(at <= out.1 + 20_000, "{what}: told after {} ms", at - out.1);
            assert!(number == 2 || told.moves() == expect, "{what}: {:?}, not {expect:?}", told.moves());
            assert!(told.asked > 2, "{what}: asked {} times", told.asked);
        }
    }
}

/// The arbiter sets the record right while the board differs: a memory that comes later changes nothing.
#[test]
fn what_the_arbiter_set_right_is_not_asked_for_again() {
    use touchmove::game::{Command, Order};
    let after = |moves: &[&str]| {
        let start = Position::start();
        let position = moves.iter().fold(start, |position, uci| position.play(position.parse_uci(uci).unwrap()));
        Reading::Placement(Box::new(shown(&position)))
    };
    let played =
        ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5", "a4b3", "d7d6"];
    for sets_right in [false, true] {
        let mut table = Table::new(Settings::default());
        table.handle(0, Input::Link(LinkState::Up));
        table.handle(0, Input::Reading(after(&[])));
        table.handle(5_000, Input::Link(LinkState::Down));
        table.handle(60_000, Input::Link(LinkState::Up));
        assert_eq!(table.handle(60_100, Input::Reading(after(&played))).cues, [BoardCommand::Memory]);
        table.handle(61_000, Input::Reading(Reading::Memory(Vec::new())));
        if sets_right {
            let command = Command::Insert { ply: 1, uci: "d2d4".to_owned() };
            let output = table.handle(62_000, Input::Order(Order { command, by: "the arbiter".to_owned() }));
            assert_eq!(output.refusal, None);
        }
        let mut cues = Vec::new();
        while let Some(at) = table.next_deadline().filter(|at| *at <= 80_000) {
            cues.extend(table.advance(at).cues);
        }
        assert_eq!(cues.contains(&BoardCommand::Memory), !sets_right);
    }
}

/// The memory that somebody else asked for is on its way when it is asked for: it is no answer.
#[test]
fn another_programs_memory_is_no_answer() {
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    let start = [&[0x86, 0, 67][..], &[0; 64]].concat();
    board.receive(150, &start);
    board.receive(200, &[0x8f, 0x00, 0x07, 0x40]);
    while board.poll_write().is_some() || board.poll_reading().is_some() {}
    assert_eq!(board.execute(1_000, Address::ONLY, BoardCommand::Memory), Ok(()));
    board.receive(1_100, &[0x34, 0x40, 0x34]);
    let asked = std::iter::from_fn(|| board.poll_write()).filter(|write| write.bytes == [0x49]).count();
    assert_eq!((asked, board.poll_reading()), (2, None));
    board.receive(1_300, &[0x8f, 0x00, 0x07, 0x40, 0x34, 0x51, 0x24]);
    let Some((_, Reading::Memory(log))) = board.poll_reading() else { panic!("no memory") };
    assert_eq!(log, [E2, pawn(Square::E4, true)]);
}

/// A dump that comes before one was asked for answers whoever had the line before.
#[test]
fn another_programs_dump_is_not_believed() {
    let dump = |code: u8| [&[0x86, 0, 67][..], &[code; 64]].concat();
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &dump(1));
    assert_eq!(board.poll_reading(), None);
    board.receive(150, &dump(0));
    assert_eq!(board.poll_reading(), Some((Address::ONLY, Reading::Placement(Box::new([SquareState::Empty; 64])))));
    // It is all there is where nobody answers.
    let mut board = (boards::model("dgt").unwrap().protocol)();
    board.link(0, LinkState::Up);
    board.receive(10, &dump(0));
    while let Some(at) = board.next_deadline().filter(|at| *at <= 4_000) {
        board.timeout(at);
    }
    assert_eq!(board.poll_reading(), Some((Address::ONLY, Reading::Placement(Box::new([SquareState::Empty; 64])))));
}

/// A board that talks, and never says what stands on it.
#[test]
fn a_board_that_says_nothing_of_its_squares_is_told_of() {
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
    let told =
        |stamped: &&StampedEvent| matches!(&stamped.event, Event::AlertRaised(alert) if alert.kind == AlertKind::BoardSilent);
    assert_eq!(events.iter().find(told).map(|stamped| stamped.at), Some(16_000));
    let events = table.handle(21_000, Input::Reading(start)).events;
    assert!(events.iter().any(|stamped| matches!(stamped.event, Event::AlertCleared { .. })));
}
