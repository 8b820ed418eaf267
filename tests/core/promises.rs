//! Hand-written tests of failures that random scripts once found: see `properties`.

use crate::core::properties::promises::Promises;
use shakmaty::{Bitboard, Color, Piece, Rank, Role, Square};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::game::record::{Ply, PlyState};
use touchmove::game::{Command, CompletedBy, CorrectionReason, Event, Order, Record};
use touchmove::infer::{ObservedBoard, explain};
use touchmove::laws::Position;
use touchmove::table::{Input, Output, Settings, Table};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A board with this position and a clock that White has not pressed yet; every promise is checked after every input.
struct Stage {
    table: Table,
    sensing: SensorKind,
    now: u64,
    clock: ClockReading,
    promises: Promises,
}

impl Stage {
    fn new(sensing: SensorKind, fen: &str) -> Stage {
        let time = HalfTime { ms: 300_000, flag: false };
        let clock = ClockReading {
            left: time,
            right: time,
            turn: ClockHalf::Left,
            running: true,
            battery_low: false,
            resolution_ms: 1000,
            age_ms: 1000,
        };
        let table = Table::new(Settings { sensing, ..Settings::default() });
        let mut stage = Stage { table, sensing, now: 0, clock, promises: Promises::default() };
        stage.take(Input::Link(LinkState::Up));
        let mut placement: Placement = [SquareState::Empty; 64];
        for (square, piece) in Position::from_fen(fen, false).expect("a FEN").board().iter() {
            placement[square as usize] = stage.shown(Some(piece));
        }
        stage.take(Input::Reading(Reading::Placement(Box::new(placement))));
        stage.take(Input::Reading(Reading::Clock(Some(clock))));
        stage
    }

    fn shown(&self, piece: Option<Piece>) -> SquareState {
        piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(self.sensing)
    }

    /// `e2-` and `e4P` change squares, `!` presses the clock, `~400` waits for 400 ms. Each word is followed by 100 ms.
    fn play(&mut self, story: &str) {
        for word in story.split_whitespace() {
            match word.strip_prefix('~') {
                Some(pause) => self.wait(pause.parse().expect("milliseconds")),
                None if word == "!" => {
                    self.clock.turn = self.clock.turn.other();
                    self.clock.left.ms -= 1000;
                    self.take(Input::Reading(Reading::Clock(Some(self.clock))));
                }
                None => {
                    let (square, piece) = word.split_at(2);
                    let letter = piece.chars().next().expect("what is seen");
                    let color = Color::from_white(letter.is_ascii_uppercase());
                    let piece = Role::from_char(letter).map(|role| Piece { color, role });
                    let sensed = self.shown(piece);
                    let square: Square = square.parse().expect("a square");
                    self.take(Input::Reading(Reading::Square(square, sensed)));
                }
            }
            self.wait(100);
        }
    }

    fn order(&mut self, command: Command) {
        self.take(Input::Order(Order { command, by: "the arbiter".to_owned() }));
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.check(output);
    }

    fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.check(output);
    }

    fn check(&mut self, output: Output) {
        self.promises.take(output.events, false).unwrap_or_else(|broken| panic!("{broken}"));
        assert_eq!(self.table.record(), self.promises.record());
    }

    fn record(&self) -> &Record {
        self.table.record().expect("a game")
    }

    fn moves(&self) -> Vec<&str> {
        self.record().plies.iter().map(|ply| ply.played.san.as_str()).collect()
    }

    fn corrections(&self) -> Vec<CorrectionReason> {
        let events = self.promises.events.iter();
        events
            .filter_map(|stamped| match stamped.event {
                Event::MovesCorrected { reason, .. } => Some(reason),
                _ => None,
            })
            .collect()
    }
}

/// The king was there when the game began, and no square changes: the start placement proves the move.
#[test]
fn an_irregular_move_made_before_the_game_is_proved_by_the_first_placement() {
    let mut stage = Stage::new(SensorKind::Identity, "rnbqkbnr/pppppppp/3K4/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1");
    stage.order(Command::Position { fen: START.to_owned() });
    stage.play("! ~5000");
    assert_eq!(stage.moves(), ["Ke1-d6"]);
    let proof = &stage.record().plies[0].played.evidence;
    let squares: Vec<Square> = proof.iter().map(|seen| seen.square).collect();
    assert_eq!(squares, [Square::E1, Square::D6]);
    assert!(proof.iter().all(|seen| seen.before != seen.now), "{proof:?}");
}

/// The evidence shows the move, however many other squares were touched.
#[test]
fn an_irregular_move_is_proved_however_much_was_touched_since() {
    let mut stage = Stage::new(SensorKind::Identity, START);
    let fidget = "g1- g1N ".repeat(40);
    stage.play(&format!("e1- e3K {fidget} ! ~5000"));
    assert_eq!(stage.moves(), ["Ke1-e3"]);
    let proof = &stage.record().plies[0].played.evidence;
    assert!(proof.len() == 32 && proof[0].square == Square::E1 && proof[1].square == Square::E3, "{proof:?}");
}

/// On a board that cannot identify pieces a queen was assumed, and its next move shows that it is a knight.
#[test]
fn completed_moves_stay_completed_after_a_correction_with_their_clocks() {
    let mut stage = Stage::new(SensorKind::Occupancy, "8/P6k/8/8/8/8/7K/8 w - - 0 1");
    stage.order(Command::Position { fen: "8/P6k/8/8/8/8/7K/8 w - - 0 1".to_owned() });
    stage.play("a7- a8N ~400 ! h7- h6k ~400 !");
    assert_eq!(stage.moves(), ["a8=Q", "Kh6"]);
    let clocks: Vec<_> = stage.record().plies.iter().map(|ply| ply.clocks).collect();
    stage.play("a8- b6N ~400 !");
    assert_eq!(stage.moves(), ["a8=N", "Kh6", "Nb6"]);
    assert_eq!(stage.corrections(), [CorrectionReason::Evidence]);
    for (ply, clocks) in stage.record().plies.iter().zip(clocks) {
        assert!(matches!(ply.state, PlyState::Completed { by: CompletedBy::Clock, .. }), "{ply:?}");
        assert_eq!(ply.clocks, clocks);
    }
}

/// The move stays on record, but with a knight instead of the queen it does not mate: it is no longer completed.
#[test]
fn a_move_that_no_longer_ends_the_game_is_not_completed_by_it() {
    let fen = "7k/P5p1/6p1/8/8/8/8/K4R2 w - - 0 1";
    let mut stage = Stage::new(SensorKind::Occupancy, fen);
    stage.order(Command::Position { fen: fen.to_owned() });
    stage.play("a7- a8Q ~400 ! h8- h7k ~400 ! f1- h1R ~400");
    assert_eq!(stage.moves(), ["a8=Q+", "Kh7", "Rh1#"]);
    stage.order(Command::Promotion { ply: Some(1), piece: Role::Knight });
    assert_eq!(stage.moves(), ["a8=N", "Kh7", "Rh1+"]);
    assert_eq!(stage.record().result, None);
    let completed = |ply: &Ply| matches!(ply.state, PlyState::Completed { .. });
    let completed: Vec<bool> = stage.record().plies.iter().map(completed).collect();
    assert_eq!(completed, [true, true, false]);
}

/// On boards of every kind the reason of the correction is a takeback.
#[test]
fn boards_of_every_kind_recognise_a_takeback() {
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        let mut stage = Stage::new(sensing, START);
        stage.play("e2- e4P ~400 ! e7- e5p ~400 ! g1- f3N ~400 ! ~3000 f3- g1N ~8000");
        assert_eq!(stage.moves(), ["e4", "e5"], "{sensing:?}");
        assert_eq!(stage.corrections(), [CorrectionReason::Takeback], "{sensing:?}");
    }
}

/// A position is set while the link is down, and the board last showed another one: that has no effect.
#[test]
fn a_game_that_begins_with_the_link_down_waits_for_the_board() {
    for sensing in [SensorKind::Identity, SensorKind::Colour, SensorKind::Occupancy] {
        let mut stage = Stage::new(sensing, "rnbqkbnr/pppppppp/8/8/5P2/8/P1PPPPPP/RNBQKBNR w KQkq - 0 1");
        let placement = Stage::new(sensing, START).table.placement().expect("a placement");
        stage.take(Input::Link(LinkState::Down));
        stage.order(Command::Position { fen: START.to_owned() });
        stage.play("! ~5000");
        assert_eq!(stage.moves(), [""; 0], "{sensing:?}");
        stage.take(Input::Link(LinkState::Up));
        stage.take(Input::Reading(Reading::Placement(Box::new(placement))));
        stage.play("d2- d4P ~400 !");
        assert_eq!(stage.moves(), ["d4"], "{sensing:?}");
    }
}

/// With queens everywhere and three ranks hidden, the number of lines of three plies that explain the board exceeds the limit: the result
/// is marked as cut off.
#[test]
fn an_incomplete_search_is_marked_as_cut_off() {
    let base = Position::from_fen("nqqqkqqn/qqqqqqqq/8/8/8/8/QQQQQQQQ/NQQQKQQN w - - 0 1", false).expect("a FEN");
    let after = (0..3).fold(base.clone(), |position, _| {
        let capture = position.legal_moves().into_iter().find(|mv| mv.is_capture());
        position.play(capture.expect("there is a capture"))
    });
    let mut placement: Placement = [SquareState::Empty; 64];
    for square in after.board().occupied() {
        placement[square as usize] = SquareState::Occupied;
    }
    let hidden = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Second) | Bitboard::from_rank(Rank::Seventh);
    let seen = ObservedBoard::from_placement(&placement, SensorKind::Occupancy);
    let found = explain(&base, &seen, hidden, 3, 0);
    assert!(!found.is_empty() && found.iter().all(|line| line.cut_off), "{found:?}");
}

/// A restored game weighs lines as without a restart: earlier moves cost them nothing.
#[test]
fn after_a_restart_earlier_moves_cost_nothing() {
    let mut stage = Stage::new(SensorKind::Occupancy, START);
    stage.play("e2- e4P ~400 ! d7- d5p ~400 ! g1- f3N ~400 ! c8- g4b ~400 !");
    let settings = Settings { sensing: SensorKind::Occupancy, ..Settings::default() };
    let placement = stage.table.placement().expect("a placement");
    stage.table = Table::restore(settings, &stage.promises.last_game());
    stage.take(Input::Link(LinkState::Up));
    stage.take(Input::Reading(Reading::Placement(Box::new(placement))));
    // A lifted piece may already have captured something.
    stage.play("e4- ~1000");
    let lines = stage.table.hypotheses(5);
    assert!(lines.len() > 1, "{lines:?}");
    assert!(lines.iter().all(|line| line.earlier_cost == 0 || line.first_ply < 5), "{lines:?}");
}
