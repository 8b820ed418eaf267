//! When a move is settled for clients that cannot take it back.

use shakmaty::{Board, Square};
use touchmove::boards::{Placement, SquareState};
use touchmove::game::SettledPlies;
use touchmove::game::caution::shows_clock;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{CompletedBy, Confidence, CorrectionReason, Event, PlayedMove, Record, StampedEvent};
use touchmove::laws::Position;

/// A record, what stands on the board, and what has been settled by then.
struct Play {
    record: Record,
    position: Position,
    squares: Placement,
    clock_runs: bool,
    caution: SettledPlies,
}

fn squares(board: &Board) -> Placement {
    std::array::from_fn(|index| board.piece_at(Square::new(index as u32)).map_or(SquareState::Empty, SquareState::Piece))
}

impl Play {
    fn from(fen: &str) -> Play {
        let position = Position::from_fen(fen, false).unwrap();
        let record = Record::new(0, fen.to_owned(), None, "fide-2023".to_owned(), Rotation::Upright);
        let squares = squares(position.board());
        let mut play = Play { record, position, squares, clock_runs: false, caution: SettledPlies::new(0) };
        play.see(0);
        play
    }

    fn see(&mut self, now: u64) -> usize {
        self.caution.update(now, &self.record, Some(&self.squares), self.clock_runs);
        self.caution.settled()
    }

    fn tell(&mut self, at: u64, event: Event) {
        let number = Some(self.record.last_number + 1);
        self.record.apply(&StampedEvent { at, number, event });
    }

    fn played(&self, uci: &str) -> (PlayedMove, Position) {
        let mv = self.position.parse_uci(uci).unwrap();
        let after = self.position.play(mv);
        let (san, fen) = (self.position.san(mv), after.fen());
        (PlayedMove { uci: uci.to_owned(), san, fen, irregular: false, evidence: Vec::new() }, after)
    }

    /// The move comes on record with the pieces as they stand after it.
    fn makes(&mut self, at: u64, uci: &str) -> usize {
        let (played, after) = self.played(uci);
        let ply = self.record.plies.len() as u32 + 1;
        (self.position, self.squares) = (after.clone(), squares(after.board()));
        self.tell(at, Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
        self.see(at)
    }

    fn completes(&mut self, at: u64, ply: u32, by: CompletedBy) -> usize {
        self.tell(at, Event::MoveCompleted { ply, by, clocks: ClockTimes::default() });
        self.see(at)
    }

    /// What was settled then, and when more will be.
    fn later(&mut self, at: u64) -> (usize, Option<u64>) {
        self.caution.advance(at);
        (self.caution.settled(), self.caution.next_deadline())
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn without_a_clock_a_quiet_second_settles() {
    let mut play = Play::from(START);
    assert_eq!(play.makes(5_000, "e2e4"), 0);
    assert_eq!(play.later(5_999), (0, Some(6_000)));
    // Any square that changes begins the second anew.
    play.squares[Square::A5 as usize] = SquareState::Occupied;
    assert_eq!(play.see(5_999), 0);
    assert_eq!(play.later(6_998), (0, Some(6_999)));
    assert_eq!(play.later(6_999), (1, None));
}

#[test]
fn without_a_clock_the_opponent_settles_by_lifting_a_piece() {
    let mut play = Play::from(START);
    play.makes(5_000, "e2e4");
    play.squares[Square::E7 as usize] = SquareState::Empty;
    assert_eq!(play.see(5_300), 0);
    assert_eq!(play.later(5_599), (0, Some(5_600)));
    assert_eq!(play.later(5_600), (1, None));
}

#[test]
fn a_move_whose_piece_went_on_is_not_settled() {
    let mut play = Play::from("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    play.makes(5_000, "f1e2");
    play.squares.swap(Square::E2 as usize, Square::D3 as usize);
    play.see(5_400);
    // The record says so only after a while.
    assert_eq!(play.later(60_000), (0, None));
    let before = Play::from("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    let (played, _) = before.played("f1d3");
    play.tell(60_500, Event::MovesCorrected { from_ply: 1, moves: vec![played], reason: CorrectionReason::Evidence });
    assert_eq!(play.see(60_500), 1);
}

#[test]
fn a_square_that_does_not_work_disturbs_no_quiet() {
    use touchmove::game::Fault;
    let mut play = Play::from(START);
    play.tell(1, Event::BoardFault { square: Square::A5, fault: Fault::Flickering, detail: String::new() });
    play.makes(5_000, "e2e4");
    for at in [5_300, 5_600, 5_900] {
        play.squares[Square::A5 as usize] = if at == 5_600 { SquareState::Empty } else { SquareState::Occupied };
        play.see(at);
    }
    assert_eq!(play.later(6_000), (1, None));
}

#[test]
fn while_the_clock_runs_the_press_settles_and_nothing_less() {
    let mut play = Play::from(START);
    play.clock_runs = true;
    assert_eq!(play.makes(5_000, "e2e4"), 0);
    assert_eq!(play.later(60_000), (0, None));
    assert_eq!(play.completes(61_000, 1, CompletedBy::Clock), 0);
    assert_eq!(play.later(61_300), (1, None));
    // The press overtakes what a slow board has to tell of the hand: the second half of a slide, say.
    let mut slow = Play::from(START);
    slow.clock_runs = true;
    slow.makes(5_000, "e2e3");
    assert_eq!(slow.completes(5_100, 1, CompletedBy::Clock), 0);
    assert_eq!(slow.later(5_399), (0, Some(5_400)));
    assert_eq!(slow.later(5_400), (1, None));
    // A reply that comes at once proves nothing of the move before it, until it has stood for a while.
    assert_eq!(play.makes(62_000, "e7e5"), 1);
    assert_eq!(play.makes(62_100, "g1f3"), 1);
    assert_eq!(play.later(63_099), (1, Some(63_100)));
    assert_eq!(play.later(63_100), (2, None));
    // A press on a later move settles all before it.
    assert_eq!(play.makes(64_000, "b8c6"), 2);
    play.completes(64_400, 4, CompletedBy::Clock);
    assert_eq!(play.later(64_700), (4, None));
}

#[test]
fn a_move_that_ends_the_game_needs_no_press() {
    let mut play = Play::from("rnbqkbnr/ppppp2p/5p2/6p1/4P3/P7/1PPP1PPP/RNBQKBNR w KQkq - 0 3");
    play.clock_runs = true;
    play.makes(5_000, "d1h5");
    assert_eq!(play.completes(5_000, 1, CompletedBy::GameEnd), 0);
    assert_eq!(play.later(5_999), (0, Some(6_000)));
    assert_eq!(play.later(6_000), (1, None));
}

#[test]
fn a_promotion_takes_three_seconds() {
    let mut play = Play::from("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    play.makes(5_000, "a7a8q");
    assert_eq!(play.later(7_999), (0, Some(8_000)));
    assert_eq!(play.later(8_000), (1, None));
}

#[test]
fn what_is_corrected_is_settled_anew() {
    let mut play = Play::from(START);
    play.makes(5_000, "e2e4");
    play.makes(7_000, "e7e5");
    assert_eq!(play.later(9_000), (2, None));
    let before = Play::from("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let (played, after) = before.played("e7e6");
    play.squares = squares(after.board());
    play.tell(9_100, Event::MovesCorrected { from_ply: 2, moves: vec![played], reason: CorrectionReason::Evidence });
    assert_eq!(play.see(9_100), 1);
    assert_eq!(play.later(10_100), (2, None));
}

#[test]
fn a_square_that_shows_nothing_holds_no_move_back_for_ever() {
    for clock_runs in [false, true] {
        let mut play = Play::from(START);
        play.clock_runs = clock_runs;
        // The rook's square has failed, and nobody knows it yet.
        play.makes(5_000, "e2e4");
        play.squares[Square::H1 as usize] = SquareState::Empty;
        play.see(5_100);
        assert_eq!(play.completes(5_200, 1, CompletedBy::Clock), 0);
        assert_eq!(play.later(10_099), (0, Some(10_100)), "clock: {clock_runs}");
        assert_eq!(play.later(10_100), (1, None), "clock: {clock_runs}");
    }
}

/// Only the record is known, and it comes late: that says nothing of how quiet the board was.
#[test]
fn where_all_is_late_the_delay_is_no_quiet() {
    let times = |ms| Some(touchmove::game::event::ClockTime { ms, resolution_ms: 1_000, age_ms: 1_000 });
    let clocks = ClockTimes { white: times(300_000), black: times(300_000) };
    let late = |play: &mut Play, at: u64, uci: &str| {
        let (played, after) = play.played(uci);
        play.position = after;
        let ply = play.record.plies.len() as u32 + 1;
        play.tell(at, Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    };
    let see = |play: &mut Play, now: u64| {
        let clock_runs = shows_clock(&play.record);
        play.caution.update(now, &play.record, None, clock_runs);
        play.caution.settled()
    };
    let mut play = Play::from(START);
    play.caution = SettledPlies::new(0);
    late(&mut play, 5_000, "e2e4");
    assert_eq!(see(&mut play, 65_000), 0);
    assert_eq!(play.later(66_000), (1, None));
    play.tell(6_000, Event::MoveCompleted { ply: 1, by: CompletedBy::Clock, clocks });
    assert_eq!(see(&mut play, 66_500), 1);
    // The record shows that there is a clock: no quiet is enough.
    late(&mut play, 7_000, "e7e5");
    assert_eq!(see(&mut play, 67_000), 1);
    assert_eq!(play.later(99_000), (1, None));
    play.tell(40_000, Event::MoveCompleted { ply: 2, by: CompletedBy::Clock, clocks });
    see(&mut play, 100_000);
    assert_eq!(play.later(100_300), (2, None));
}
