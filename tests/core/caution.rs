//! When a move is settled, for clients that cannot take a move back.

use shakmaty::{Board, Square};
use touchmove::boards::{Placement, SquareState};
use touchmove::game::SettledPlies;
use touchmove::game::caution::shows_clock;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{CompletedBy, Confidence, CorrectionReason, Event, PlayedMove, Record, StampedEvent};
use touchmove::laws::Position;

/// A record, the placement on the board, and the plies settled so far.
struct Play {
    record: Record,
    position: Position,
    squares: Placement,
    clock_runs: bool,
    settled_plies: SettledPlies,
}

fn squares(board: &Board) -> Placement {
    std::array::from_fn(|index| board.piece_at(Square::new(index as u32)).map_or(SquareState::Empty, SquareState::Piece))
}

impl Play {
    fn from(fen: &str) -> Play {
        let position = Position::from_fen(fen, false).unwrap();
        let record = Record::new(0, fen.to_owned(), None, "fide-2023".to_owned(), Rotation::Upright);
        let squares = squares(position.board());
        let mut play = Play { record, position, squares, clock_runs: false, settled_plies: SettledPlies::new(0) };
        play.update(0);
        play
    }

    fn update(&mut self, now: u64) -> usize {
        self.settled_plies.update(now, &self.record, Some(&self.squares), self.clock_runs);
        self.settled_plies.settled()
    }

    fn apply(&mut self, at: u64, event: Event) {
        let number = Some(self.record.last_number + 1);
        self.record.apply(&StampedEvent { at, number, event });
    }

    fn played(&self, uci: &str) -> (PlayedMove, Position) {
        let mv = self.position.parse_uci(uci).unwrap();
        let after = self.position.play(mv);
        let (san, fen) = (self.position.san(mv), after.fen());
        (PlayedMove { uci: uci.to_owned(), san, fen, irregular: false, evidence: Vec::new() }, after)
    }

    /// Records a move with the pieces on the board as they are after it.
    fn make(&mut self, at: u64, uci: &str) -> usize {
        let (played, after) = self.played(uci);
        let ply = self.record.plies.len() as u32 + 1;
        (self.position, self.squares) = (after.clone(), squares(after.board()));
        self.apply(at, Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
        self.update(at)
    }

    fn complete(&mut self, at: u64, ply: u32, by: CompletedBy) -> usize {
        self.apply(at, Event::MoveCompleted { ply, by, clocks: ClockTimes::default() });
        self.update(at)
    }

    /// Advances to `at`; returns the number of settled plies and the next deadline.
    fn advance(&mut self, at: u64) -> (usize, Option<u64>) {
        self.settled_plies.advance(at);
        (self.settled_plies.settled(), self.settled_plies.next_deadline())
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn without_a_clock_a_quiet_second_settles() {
    let mut play = Play::from(START);
    assert_eq!(play.make(5_000, "e2e4"), 0);
    assert_eq!(play.advance(5_999), (0, Some(6_000)));
    // A change of any square restarts the second.
    play.squares[Square::A5 as usize] = SquareState::Occupied;
    assert_eq!(play.update(5_999), 0);
    assert_eq!(play.advance(6_998), (0, Some(6_999)));
    assert_eq!(play.advance(6_999), (1, None));
}

#[test]
fn without_a_clock_the_opponent_settles_by_lifting_a_piece() {
    let mut play = Play::from(START);
    play.make(5_000, "e2e4");
    play.squares[Square::E7 as usize] = SquareState::Empty;
    assert_eq!(play.update(5_300), 0);
    assert_eq!(play.advance(5_599), (0, Some(5_600)));
    assert_eq!(play.advance(5_600), (1, None));
}

#[test]
fn a_move_whose_piece_moved_on_is_not_settled() {
    let mut play = Play::from("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    play.make(5_000, "f1e2");
    play.squares.swap(Square::E2 as usize, Square::D3 as usize);
    play.update(5_400);
    // The record is corrected only after a while.
    assert_eq!(play.advance(60_000), (0, None));
    let before = Play::from("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    let (played, _) = before.played("f1d3");
    play.apply(60_500, Event::MovesCorrected { from_ply: 1, moves: vec![played], reason: CorrectionReason::Evidence });
    assert_eq!(play.update(60_500), 1);
}

#[test]
fn a_defective_square_does_not_restart_the_wait() {
    use touchmove::game::Fault;
    let mut play = Play::from(START);
    play.apply(1, Event::BoardFault { square: Square::A5, fault: Fault::Flickering, detail: String::new() });
    play.make(5_000, "e2e4");
    for at in [5_300, 5_600, 5_900] {
        play.squares[Square::A5 as usize] = if at == 5_600 { SquareState::Empty } else { SquareState::Occupied };
        play.update(at);
    }
    assert_eq!(play.advance(6_000), (1, None));
}

#[test]
fn while_the_clock_runs_only_the_press_settles() {
    let mut play = Play::from(START);
    play.clock_runs = true;
    assert_eq!(play.make(5_000, "e2e4"), 0);
    assert_eq!(play.advance(60_000), (0, None));
    assert_eq!(play.complete(61_000, 1, CompletedBy::Clock), 0);
    assert_eq!(play.advance(61_300), (1, None));
    // The press may arrive before the last changes from a slow board: the second half of a slide, for example.
    let mut slow = Play::from(START);
    slow.clock_runs = true;
    slow.make(5_000, "e2e3");
    assert_eq!(slow.complete(5_100, 1, CompletedBy::Clock), 0);
    assert_eq!(slow.advance(5_399), (0, Some(5_400)));
    assert_eq!(slow.advance(5_400), (1, None));
    // An immediate reply proves nothing about the move before it until it has been on the board for a while.
    assert_eq!(play.make(62_000, "e7e5"), 1);
    assert_eq!(play.make(62_100, "g1f3"), 1);
    assert_eq!(play.advance(63_099), (1, Some(63_100)));
    assert_eq!(play.advance(63_100), (2, None));
    // A press on a later move settles all before it.
    assert_eq!(play.make(64_000, "b8c6"), 2);
    play.complete(64_400, 4, CompletedBy::Clock);
    assert_eq!(play.advance(64_700), (4, None));
}

#[test]
fn a_move_that_ends_the_game_needs_no_press() {
    let mut play = Play::from("rnbqkbnr/ppppp2p/5p2/6p1/4P3/P7/1PPP1PPP/RNBQKBNR w KQkq - 0 3");
    play.clock_runs = true;
    play.make(5_000, "d1h5");
    assert_eq!(play.complete(5_000, 1, CompletedBy::GameEnd), 0);
    assert_eq!(play.advance(5_999), (0, Some(6_000)));
    assert_eq!(play.advance(6_000), (1, None));
}

#[test]
fn a_promotion_takes_three_seconds() {
    let mut play = Play::from("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    play.make(5_000, "a7a8q");
    assert_eq!(play.advance(7_999), (0, Some(8_000)));
    assert_eq!(play.advance(8_000), (1, None));
}

#[test]
fn a_corrected_move_is_settled_again() {
    let mut play = Play::from(START);
    play.make(5_000, "e2e4");
    play.make(7_000, "e7e5");
    assert_eq!(play.advance(9_000), (2, None));
    let before = Play::from("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let (played, after) = before.played("e7e6");
    play.squares = squares(after.board());
    play.apply(9_100, Event::MovesCorrected { from_ply: 2, moves: vec![played], reason: CorrectionReason::Evidence });
    assert_eq!(play.update(9_100), 1);
    assert_eq!(play.advance(10_100), (2, None));
}

#[test]
fn an_empty_square_does_not_delay_settling_forever() {
    for clock_runs in [false, true] {
        let mut play = Play::from(START);
        play.clock_runs = clock_runs;
        // The rook's square is defective, and this is not known yet.
        play.make(5_000, "e2e4");
        play.squares[Square::H1 as usize] = SquareState::Empty;
        play.update(5_100);
        assert_eq!(play.complete(5_200, 1, CompletedBy::Clock), 0);
        assert_eq!(play.advance(10_099), (0, Some(10_100)), "clock: {clock_runs}");
        assert_eq!(play.advance(10_100), (1, None), "clock: {clock_runs}");
    }
}

/// Only the record is known, and late: the delay does not show that the board was quiet.
#[test]
fn a_delayed_record_does_not_count_as_quiet() {
    let time = |ms| Some(touchmove::game::event::ClockTime { ms, resolution_ms: 1_000, age_ms: 1_000 });
    let clocks = ClockTimes { white: time(300_000), black: time(300_000) };
    let late = |play: &mut Play, at: u64, uci: &str| {
        let (played, after) = play.played(uci);
        play.position = after;
        let ply = play.record.plies.len() as u32 + 1;
        play.apply(at, Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    };
    let update = |play: &mut Play, now: u64| {
        let clock_runs = shows_clock(&play.record);
        play.settled_plies.update(now, &play.record, None, clock_runs);
        play.settled_plies.settled()
    };
    let mut play = Play::from(START);
    play.settled_plies = SettledPlies::new(0);
    late(&mut play, 5_000, "e2e4");
    assert_eq!(update(&mut play, 65_000), 0);
    assert_eq!(play.advance(66_000), (1, None));
    play.apply(6_000, Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks });
    assert_eq!(update(&mut play, 66_500), 1);
    // The record shows that there is a clock: quiet alone never settles.
    late(&mut play, 7_000, "e7e5");
    assert_eq!(update(&mut play, 67_000), 1);
    assert_eq!(play.advance(99_000), (1, None));
    play.apply(40_000, Event::MoveCompleted { ply: 2, by: CompletedBy::Clock, clocks });
    update(&mut play, 100_000);
    assert_eq!(play.advance(100_300), (2, None));
}
