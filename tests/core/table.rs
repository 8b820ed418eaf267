//! Promises of the table session that hold for every stream, however unlikely.

use proptest::prelude::*;
use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{
    ClockHalf, ClockReading, HalfTime, LinkState, MemoryEntry, Placement, Reading, SensorKind, SquareState,
};
use touchmove::game::event::Rotation;
use touchmove::game::{Command, Event, GameResult, Order, Record, StampedEvent};
use touchmove::laws::Position;
use touchmove::table::{Input, Settings, Table};

fn sensed() -> impl Strategy<Value = SquareState> {
    prop_oneof![
        2 => Just(SquareState::Empty),
        3 => (any::<bool>(), 0usize..6).prop_map(|(white, role)| SquareState::Piece(Piece {
            color: Color::from_white(white),
            role: Role::ALL[role],
        })),
    ]
}

fn start() -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in Position::start().board().iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

/// A legal move of the game so far, by its number, played square by square; or something unlikely.
#[derive(Clone, Debug)]
enum Act {
    Move(usize),
    Square(u32, SquareState),
    Start,
    Dump,
    Clock(bool, bool, u32),
    Link(bool),
    Order(u8),
    Wait(u64),
    /// The board remembers these changes, a press, and that it was switched on.
    Memory(Vec<(u32, SquareState)>),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => any::<usize>().prop_map(Act::Move),
        3 => (0u32..64, sensed()).prop_map(|(square, sensed)| Act::Square(square, sensed)),
        1 => Just(Act::Start),
        1 => Just(Act::Dump),
        6 => (any::<bool>(), any::<bool>(), 0u32..400_000).prop_map(|(left, running, ms)| Act::Clock(left, running, ms)),
        1 => any::<bool>().prop_map(Act::Link),
        1 => any::<u8>().prop_map(Act::Order),
        4 => (0u64..5_000).prop_map(Act::Wait),
        1 => prop::collection::vec((0u32..64, sensed()), 0..12).prop_map(Act::Memory),
    ]
}

struct Run {
    table: Table,
    now: u64,
    board: Placement,
    events: Vec<StampedEvent>,
}

impl Run {
    fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.events.extend(output.events);
    }

    fn square(&mut self, square: Square, sensed: SquareState) {
        self.board[square as usize] = sensed;
        self.take(Input::Reading(Reading::Square(square, sensed)));
        self.now += 30;
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Move(number) => {
                let Some(position) = self.table.record().and_then(|record| Position::from_fen(record.fen(), false).ok()) else {
                    return;
                };
                let moves = position.legal_moves();
                let Some(&mv) = moves.get(number % moves.len().max(1)) else { return };
                for (square, piece) in touchmove::laws::Changes::of(position.turn(), mv).iter() {
                    self.square(square, piece.map_or(SquareState::Empty, SquareState::Piece));
                }
            }
            Act::Square(square, sensed) => self.square(Square::new(square), sensed),
            Act::Start => {
                self.board = start();
                self.take(Input::Reading(Reading::Placement(Box::new(self.board))));
            }
            Act::Dump => self.take(Input::Reading(Reading::Placement(Box::new(self.board)))),
            Act::Clock(left, running, ms) => {
                let half = HalfTime { ms, flag: ms == 0 };
                let turn = if left { ClockHalf::Left } else { ClockHalf::Right };
                let reading = ClockReading {
                    left: half,
                    right: half,
                    turn,
                    running,
                    battery_low: false,
                    resolution_ms: 1000,
                    age_ms: 1000,
                };
                self.take(Input::Reading(Reading::Clock((ms % 17 != 0).then_some(reading))));
            }
            Act::Link(up) => self.take(Input::Link(if up { LinkState::Up } else { LinkState::Down })),
            Act::Order(order) => {
                let command = match order % 6 {
                    0 => Command::Result { result: Some(GameResult::Draw) },
                    1 => Command::Result { result: None },
                    2 => Command::TakeBack { plies: u32::from(order / 64) },
                    3 => Command::Adjust { player: Color::from_white(order < 128) },
                    4 => Command::Promotion { ply: None, piece: Role::ALL[usize::from(order / 43) % 6] },
                    _ => Command::Position { fen: "4k3/P7/8/8/8/8/8/4K2R w K - 0 1".to_owned() },
                };
                self.take(Input::Order(Order { command, by: "somebody".to_owned() }));
            }
            Act::Memory(changes) => {
                let change = |(square, sensed)| MemoryEntry::Square {
                    square: Square::new(square),
                    sensed,
                    follows_at_once: square % 2 == 0,
                };
                let mut log: Vec<MemoryEntry> = changes.into_iter().map(change).collect();
                log.insert(log.len() / 2, MemoryEntry::ClockPressed { half: ClockHalf::Left, ms: 60_000 });
                log.insert(
                    log.len() / 3,
                    if log.len().is_multiple_of(2) { MemoryEntry::PowerUp } else { MemoryEntry::StartPosition },
                );
                // All squares once more, so that the log can be aligned.
                let shows =
                    |square: Square| MemoryEntry::Square { square, sensed: self.board[square as usize], follows_at_once: true };
                log.extend(Square::ALL.into_iter().map(shows));
                self.take(Input::Reading(Reading::Memory(log)));
            }
            Act::Wait(ms) => {
                self.now += ms;
                let output = self.table.advance(self.now);
                self.events.extend(output.events);
            }
        }
    }
}

/// The record that follows from the durable events of the last game.
fn fold(events: &[StampedEvent]) -> Option<Record> {
    let mut durable = events.iter().filter(|stamped| stamped.event.is_durable());
    let mut record = None;
    for stamped in durable.by_ref() {
        match (&stamped.event, &mut record) {
            (Event::GameStarted { .. }, _) => record = Record::begin(stamped),
            (_, Some(record)) => record.apply(stamped),
            (_, None) => panic!("{stamped:?} belongs to no game"),
        }
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_keeps_the_promises(acts in prop::collection::vec(act(), 1..120)) {
        let mut run = Run { table: Table::new(Settings::default()), now: 0, board: start(), events: Vec::new() };
        run.act(Act::Start);
        for act in acts {
            run.act(act);
        }
        run.now += 100_000;
        run.act(Act::Wait(0));

        // Durable events are numbered without gaps, from 1 in each game; the others have no number.
        let mut expected = 0;
        for stamped in &run.events {
            if let Event::GameStarted { .. } = stamped.event {
                expected = 0;
            }
            if stamped.event.is_durable() {
                expected += 1;
                prop_assert_eq!(stamped.number, Some(expected));
            } else {
                prop_assert_eq!(stamped.number, None);
            }
        }
        prop_assert!(run.events.windows(2).all(|pair| pair[0].at <= pair[1].at), "times never decrease");

        // The record is what the events say, and every move in it is legal or marked; where moves are missing the arbiter is alerted.
        let record = fold(&run.events);
        prop_assert_eq!(run.table.record(), record.as_ref());
        let is_alerted = run.events.iter().any(
            |stamped| matches!(&stamped.event, Event::AlertRaised(alert) if alert.text.key == "moves_missing"),
        );
        if let Some(record) = record {
            let mut position = Position::from_fen(&record.start_fen, false).expect("our own FEN");
            for ply in &record.plies {
                let uci = &ply.played.uci;
                if ply.played.is_missing() {
                    prop_assert!(ply.played.irregular && is_alerted, "missing moves are marked, and the arbiter is alerted");
                    position = Position::from_fen(&ply.played.fen, false).expect("our own FEN");
                    continue;
                }
                let mv = if ply.played.irregular { position.any_move(uci) } else { position.parse_uci(uci) };
                prop_assert!(mv.is_some(), "{} in {}", ply.played.uci, position.fen());
                position = position.play(mv.expect("checked"));
                prop_assert_eq!(&position.fen(), &ply.played.fen);
            }
        }

        // A restart knows the same game.
        let restored = Table::restore(Settings::default(), &run.events.iter().filter(|stamped| stamped.number.is_some()).cloned().collect::<Vec<_>>());
        prop_assert_eq!(restored.record(), run.table.record());
    }
}

/// The settle time becomes shorter, and is over at once, when the clock shows that time is short.
#[test]
fn a_deadline_that_a_shorter_settle_time_moved_to_the_past_runs_at_once() {
    // 300 ms, and 130 ms less when a player is short of time, are worth the risk that the pawn goes on to e4.
    let settings = Settings { wrong_move_cost: 8, ..Settings::default() };
    let mut run = Run { table: Table::new(settings), now: 0, board: start(), events: Vec::new() };
    run.act(Act::Start);
    run.square(Square::E2, SquareState::Empty);
    run.square(Square::E3, SquareState::Piece(Role::Pawn.of(Color::White)));
    run.act(Act::Wait(200));
    run.act(Act::Clock(false, true, 1));
    run.act(Act::Wait(10));
    assert!(run.events.iter().any(|stamped| matches!(stamped.event, Event::MoveMade { .. })));
    assert!(run.events.windows(2).all(|pair| pair[0].at <= pair[1].at), "{:?}", run.events);
}

/// On an occupancy board the first move shows which side is White's.
#[test]
fn an_occupancy_board_is_found_turned_by_the_first_move() {
    let mut table = Table::new(Settings { sensing: SensorKind::Occupancy, ..Settings::default() });
    table.handle(0, Input::Link(LinkState::Up));
    table.handle(10, Input::Reading(Reading::Placement(Box::new(start()))));
    table.advance(5_000);
    assert_eq!(table.rotation(), Some(Rotation::Upright));
    // e2-e4, as the board numbers it when its a1 is Black's h8.
    table.handle(6_000, Input::Reading(Reading::Square(Square::D7, SquareState::Empty)));
    table.handle(6_300, Input::Reading(Reading::Square(Square::D5, SquareState::Occupied)));
    table.advance(8_000);
    assert_eq!(table.rotation(), Some(Rotation::Turned));
    let played: Vec<_> =
        table.record().into_iter().flat_map(|record| &record.plies).map(|ply| ply.played.uci.as_str()).collect();
    assert_eq!(played, ["e2e4"]);
}
