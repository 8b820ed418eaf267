//! Defective squares of the board: they are detected, reported, and not relied on.

use shakmaty::{Chess, Position as _, Square, uci::UciMove};
use touchmove::boards::{Placement, Reading, SquareState};
use touchmove::game::{Event, Fault, StampedEvent};
use touchmove::laws::Position;
use touchmove::table::{Input, Settings, Table};

/// A table session and its board, one square of which may be stuck.
struct Play {
    table: Table,
    now: u64,
    truth: Chess,
    shown: Placement,
    stuck: Option<Square>,
    events: Vec<StampedEvent>,
}

impl Play {
    /// A board with the start position.
    fn new(stuck: Option<Square>) -> Play {
        let mut shown = [SquareState::Empty; 64];
        for (square, piece) in Position::start().board().iter() {
            shown[square as usize] = SquareState::Piece(piece);
        }
        let table = Table::new(Settings::default());
        let mut play = Play { table, now: 0, truth: Chess::default(), shown, stuck, events: Vec::new() };
        play.read(Reading::Placement(Box::new(shown)));
        play.wait(2_000);
        play
    }

    fn read(&mut self, reading: Reading) {
        let output = self.table.handle(self.now, Input::Reading(reading));
        self.events.extend(output.events);
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.events.extend(output.events);
    }

    /// Reports this state of a square, unless the square is stuck.
    fn show(&mut self, square: Square, sensed: SquareState) {
        if self.stuck != Some(square) && self.shown[square as usize] != sensed {
            self.shown[square as usize] = sensed;
            self.read(Reading::Square(square, sensed));
        }
    }

    /// Plays moves with one hand: each piece is lifted and put down.
    fn play(&mut self, moves: &str) {
        for uci in moves.split_whitespace() {
            let mv = uci.parse::<UciMove>().expect("UCI").to_move(&self.truth).expect("a legal move");
            let before = self.truth.board().clone();
            self.truth.play_unchecked(mv);
            let after = self.truth.board().clone();
            let changed: Vec<Square> =
                Square::ALL.into_iter().filter(|&square| before.piece_at(square) != after.piece_at(square)).collect();
            for &square in changed.iter().filter(|&&square| after.piece_at(square).is_none()) {
                self.show(square, SquareState::Empty);
                self.wait(300);
            }
            for &square in &changed {
                if let Some(piece) = after.piece_at(square) {
                    self.show(square, SquareState::Piece(piece));
                    self.wait(100);
                }
            }
            self.wait(4_000);
        }
    }

    /// Shows a square as empty for `ms` milliseconds.
    fn blink(&mut self, square: Square, ms: u64) {
        let before = self.shown[square as usize];
        self.show(square, SquareState::Empty);
        self.wait(ms);
        self.show(square, before);
        self.wait(10_000);
    }

    fn faults(&self) -> Vec<(Square, Fault)> {
        let fault = |stamped: &StampedEvent| match stamped.event {
            Event::BoardFault { square, fault, .. } => Some((square, fault)),
            _ => None,
        };
        self.events.iter().filter_map(fault).collect()
    }

    fn alerts(&self) -> usize {
        self.events.iter().filter(|stamped| matches!(stamped.event, Event::AlertRaised(_))).count()
    }

    fn moves(&self) -> String {
        let record = self.table.record().expect("a game");
        record.plies.iter().map(|ply| ply.played.uci.as_str()).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn a_square_that_still_shows_a_piece_that_left_is_stuck() {
    let mut play = Play::new(Some(Square::E2));
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 c4e2 f8c5";
    play.play(moves);
    assert_eq!(play.moves(), moves);
    assert_eq!((play.faults(), play.alerts()), (vec![(Square::E2, Fault::Stuck)], 0));
}

#[test]
fn a_move_to_a_stuck_square_is_recorded_when_the_piece_moves_on() {
    let mut play = Play::new(Some(Square::F3));
    let moves = "e2e4 e7e5 g1f3 b8c6 f3e5 c6e5 d2d4 e5c6 d4d5 c6e5 f2f4 e5g6";
    play.play(moves);
    assert_eq!(play.moves(), moves);
    assert_eq!(play.faults(), [(Square::F3, Fault::Stuck)]);
    // Without a clock the piece may be in a hand: one alert may be raised meanwhile.
    assert!(play.alerts() <= 1, "{:?}", play.events);
}

#[test]
fn castling_from_a_stuck_square_is_recorded() {
    let mut play = Play::new(Some(Square::E8));
    let moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8 d2d3 d7d6 c2c3 c8e6 c4b3 a7a6 b1d2 c5a7 h2h3 h7h6";
    play.play(moves);
    assert_eq!(play.moves(), moves);
    assert_eq!((play.faults(), play.alerts()), (vec![(Square::E8, Fault::Stuck)], 0));
}

#[test]
fn a_move_to_a_stuck_square_is_recorded_after_a_reply() {
    let mut play = Play::new(Some(Square::D6));
    let moves = "e2e4 d7d6 d2d4 g8f6 b1c3 d6d5 e4e5 f6e4 f1d3 e4c3 b2c3 c7c5 g1e2 b8c6";
    play.play(moves);
    assert_eq!(play.moves(), moves);
    // The pawn's destination was not seen: an alert is raised before the square is known to be stuck.
    assert_eq!((play.faults(), play.alerts()), (vec![(Square::D6, Fault::Stuck)], 1));
}

#[test]
fn no_move_to_a_stuck_square_while_the_piece_may_be_in_a_hand() {
    let mut play = Play::new(Some(Square::E2));
    play.play("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6");
    // The bishop is lifted, held, and put on another square: it never was on e2.
    play.show(Square::C4, SquareState::Empty);
    play.wait(1_500);
    play.show(Square::B5, SquareState::Piece(shakmaty::Piece { color: shakmaty::Color::White, role: shakmaty::Role::Bishop }));
    play.wait(4_000);
    assert_eq!(play.moves(), "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 c4b5");
    assert!(!play.events.iter().any(|stamped| matches!(stamped.event, Event::MovesCorrected { .. })));
}

#[test]
fn repeated_blinks_are_flickering_and_adjusting_is_not() {
    let mut play = Play::new(None);
    play.play("e2e4 e7e5");
    play.blink(Square::E4, 400);
    play.blink(Square::G1, 300);
    play.blink(Square::E4, 400);
    assert_eq!(play.faults(), []);
    play.blink(Square::G1, 5_000);
    play.blink(Square::E4, 200);
    play.blink(Square::E4, 700);
    assert_eq!(play.faults(), [(Square::E4, Fault::Flickering)]);
    play.play("g1f3 b8c6");
    assert_eq!((play.moves().as_str(), play.alerts()), ("e2e4 e7e5 g1f3 b8c6", 0));
}

#[test]
fn a_flickering_square_that_is_steady_for_long_is_mended() {
    let mut play = Play::new(None);
    play.play("e2e4 e7e5");
    (0..4).for_each(|_| play.blink(Square::E4, 400));
    play.wait(700_000);
    play.play("g1f3");
    assert_eq!(play.faults(), [(Square::E4, Fault::Flickering), (Square::E4, Fault::Mended)]);
}

#[test]
fn faults_of_the_board_are_reported_again_in_the_next_game() {
    let mut play = Play::new(None);
    play.play("e2e4 e7e5");
    (0..4).for_each(|_| play.blink(Square::E4, 400));
    play.play("g1f3 b8c6");
    let fen = Position::start().fen();
    let command = touchmove::game::Command::Position { fen };
    let order = touchmove::game::Order { command, by: "test".to_owned() };
    let output = play.table.handle(play.now, Input::Order(order));
    play.events.extend(output.events);
    assert_eq!(play.faults(), [(Square::E4, Fault::Flickering); 2]);
    assert_eq!(play.table.record().expect("a game").faults.len(), 1);
}
