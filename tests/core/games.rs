//! Sequences of sensor changes, and the games that must result from them.
//!
//! A story is a line of words: `e2-` a square becomes empty, `e4P` shows a piece (upper case: White), `W`/`B` that player
//! presses the clock, `result=1-0`, `takeback=1`, `promotion=N` and `adjust=W` are commands of the arbiter, `chosen=N` is the board's
//! report of the piece that was chosen for a promotion, `~400` waits this many milliseconds; there are 40 ms between words. A story
//! begins with the start position on the board, unless a FEN is given. The expected events are written in the short form of `Story::record_events`.

use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SquareState};
use touchmove::game::{Command, CompletedBy, CorrectionReason, Event, GameResult, Order, ResultReason, StampedEvent};
use touchmove::laws::Position;
use touchmove::table::{Input, Output, Settings, Table};
use touchmove::wire::Word;

pub struct Story {
    pub table: Table,
    now: u64,
    turn: ClockHalf,
    pub told: Vec<String>,
    /// Every durable event.
    pub events: Vec<StampedEvent>,
    /// The squares of the last `Displaced` event.
    pub displaced: String,
}

fn placement(board: &shakmaty::Board) -> Placement {
    let mut placement = [SquareState::Empty; 64];
    for (square, piece) in board.iter() {
        placement[square as usize] = SquareState::Piece(piece);
    }
    placement
}

impl Story {
    fn new(settings: Settings, board: &Position, clock: bool) -> Story {
        let mut story = Story {
            table: Table::new(settings),
            now: 0,
            turn: ClockHalf::Left,
            told: Vec::new(),
            events: Vec::new(),
            displaced: String::new(),
        };
        story.take(Input::Link(LinkState::Up));
        story.take(Input::Reading(Reading::Placement(Box::new(placement(board.board())))));
        story.now += 300;
        if clock {
            story.clock(true);
        }
        story
    }

    fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.record_events(output);
    }

    fn clock(&mut self, running: bool) {
        self.clock_at(running, 300_000);
    }

    fn clock_at(&mut self, running: bool, left: u32) {
        let half = |ms| HalfTime { ms, flag: ms == 0 };
        let reading = ClockReading {
            left: half(left),
            right: half(300_000),
            turn: self.turn,
            running,
            battery_low: false,
            resolution_ms: 1000,
            age_ms: 1000,
        };
        self.take(Input::Reading(Reading::Clock(Some(reading))));
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.record_events(output);
    }

    fn word(&mut self, word: &str) {
        if let Some(ms) = word.strip_prefix('~') {
            self.wait(ms.parse().expect("milliseconds"));
            return;
        }
        self.wait(40);
        if let Some(result) = word.strip_prefix("result=") {
            return self.order(Command::Result { result: GameResult::parse(result) });
        }
        if let Some(plies) = word.strip_prefix("takeback=") {
            return self.order(Command::TakeBack { plies: plies.parse().expect("plies") });
        }
        if let Some(role) = word.strip_prefix("promotion=") {
            let (role, ply) = role.split_at(1);
            let role = role.chars().next().and_then(Role::from_char).expect("a piece");
            return self.order(Command::Promotion { ply: ply.parse().ok(), piece: role });
        }
        if let Some(role) = word.strip_prefix("chosen=") {
            let role = role.chars().next().and_then(Role::from_char).expect("a piece");
            return self.take(Input::Reading(Reading::Promotion(role)));
        }
        if let Some(player) = word.strip_prefix("adjust=") {
            return self.order(Command::Adjust { player: Color::from_white(player == "W") });
        }
        match word {
            "W" | "B" => {
                self.turn = if word == "W" { ClockHalf::Right } else { ClockHalf::Left };
                self.clock(true);
            }
            "stop" => self.clock(false),
            "flag" => self.clock_at(false, 0),
            "down" => self.take(Input::Link(LinkState::Down)),
            _ => {
                let square: Square = word[..2].parse().expect("a square");
                let sensed = match word[2..].chars().next().expect("what is seen") {
                    '-' => SquareState::Empty,
                    letter => SquareState::Piece(Piece {
                        color: Color::from_white(letter.is_ascii_uppercase()),
                        role: Role::from_char(letter).expect("a piece"),
                    }),
                };
                self.take(Input::Reading(Reading::Square(square, sensed)));
            }
        }
    }

    fn order(&mut self, command: Command) {
        self.take(Input::Order(Order { command, by: "the arbiter".to_owned() }));
    }

    /// Records events in short form: `e4` made, `e4!` completed by the clock (`+` own next move, `r` reply, `.` dwell, `#` game
    /// end), `<2 d4 e5 evidence` corrected, `=1-0 kings`, `alert e5,e6`, `clear`, `refused: reason`.
    fn record_events(&mut self, output: Output) {
        if let Some(refused) = output.refusal() {
            self.told.push(format!("refused: {refused}"));
        }
        for stamped in output.events {
            if stamped.number.is_some() {
                self.events.push(stamped.clone());
            }
            let record = self.table.record();
            let san = |ply: u32| record.and_then(|record| record.ply(ply)).map_or("?".into(), |ply| ply.played.san.clone());
            let word = match stamped.event {
                Event::MoveMade { played, .. } => played.san,
                Event::MoveCompleted { ply, by, .. } => {
                    let by = match by {
                        CompletedBy::Clock => "!",
                        CompletedBy::OwnNextMove => "+",
                        CompletedBy::Reply => "r",
                        CompletedBy::Dwell => ".",
                        CompletedBy::GameEnd => "#",
                        CompletedBy::Arbiter => "a",
                    };
                    format!("{}{by}", san(ply))
                }
                Event::MovesCorrected { from_ply, moves, reason } => {
                    let moves: Vec<String> = moves.into_iter().map(|played| played.san).collect();
                    let reason = match reason {
                        CorrectionReason::Evidence => "evidence",
                        CorrectionReason::Takeback => "takeback",
                        CorrectionReason::KingSignal => "kings",
                        CorrectionReason::Analysis => "analysis",
                        CorrectionReason::Arbiter => "arbiter",
                    };
                    format!("<{from_ply} {} {reason}", moves.join(" "))
                }
                Event::Result { result, reason } => {
                    let reason = match reason {
                        ResultReason::Checkmate => "mate",
                        ResultReason::Stalemate => "stalemate",
                        ResultReason::KingsSignal => "kings",
                        ResultReason::Arbiter => "arbiter",
                    };
                    format!("={} {reason}", result.map_or("*", |result| result.as_str()))
                }
                Event::AlertRaised(alert) => {
                    let squares: Vec<String> = alert.squares.iter().map(ToString::to_string).collect();
                    let put_right = alert.put_right.map_or_else(String::new, |san| format!(" ok {san}"));
                    format!("{} {}{put_right}", alert.kind.word(), squares.join(",")).trim_end().to_owned()
                }
                Event::Displaced { squares } => {
                    self.displaced = squares.iter().map(|one| one.square.to_string()).collect::<Vec<_>>().join(",");
                    continue;
                }
                Event::AlertCleared { .. } => "clear".to_owned(),
                Event::GameStarted { chess960, .. } => match chess960 {
                    Some(518) => "start".to_owned(),
                    Some(number) => format!("start {number}"),
                    None => "start fen".to_owned(),
                },
                _ => continue,
            };
            self.told.push(word);
        }
    }
}

/// Plays a story; returns its events as one line. Without `fen` the start position is on the board.
fn story_events(fen: Option<&str>, clock: bool, story: &str) -> String {
    tell(fen, clock, story).told.join(" | ")
}

/// Like `story_events`, with other settings.
pub fn told_by(settings: Settings, fen: Option<&str>, clock: bool, story: &str) -> String {
    tell_by(settings, fen, clock, story).told.join(" | ")
}

/// Plays a story with the default settings.
pub fn tell(fen: Option<&str>, clock: bool, story: &str) -> Story {
    tell_by(Settings::default(), fen, clock, story)
}

/// Like [`tell`], with other settings.
pub fn tell_by(settings: Settings, fen: Option<&str>, clock: bool, story: &str) -> Story {
    let position = fen.map_or_else(Position::start, |fen| Position::from_fen(fen, false).expect("a FEN"));
    let settings = Settings { start_fen: fen.map(str::to_owned), ..settings };
    let mut story_run = Story::new(settings, &position, clock);
    for word in story.split_whitespace() {
        story_run.word(word);
    }
    story_run
}

/// Checks a story with a clock.
pub fn check(story: &str, expect: &str) {
    assert_eq!(story_events(None, true, story).trim_start_matches("start").trim_start_matches(" | "), expect, "story: {story}");
}

/// Checks a story with a clock, from a position.
pub fn check_from(fen: &str, story: &str, expect: &str) {
    assert_eq!(story_events(Some(fen), true, story), format!("start fen | {expect}"), "story: {story}");
}

/// Checks a story without a clock.
pub fn check_no_clock(story: &str, expect: &str) {
    assert_eq!(story_events(None, false, story), format!("start | {expect}"), "story: {story}");
}

#[test]
fn ordinary_moves() {
    check("e2- e4P W e7- e5p B", "e4 | e4! | e5 | e5!");
    // A knight's move cannot become another one; a pawn's single step could become a double step.
    check("g1- f3N", "Nf3");
    check("e2- e3P", "");
    check("e2- e3P ~300", "");
    check("e2- e3P ~600", "e3");
    check("e2- e3P e7-", "e3");
    check("e2- e3P e3- e4P ~300", "e4");
}

#[test]
fn without_a_clock_replies_and_time_complete() {
    check_no_clock("e2- e4P e7- e5p", "e4 | e5 | e4r");
    check_no_clock("e2- e4P ~6000", "e4 | e4.");
    check_no_clock("e2- e4P e7- e5p g1- f3N", "e4 | e5 | e4r | Nf3 | e5r");
}

/// A missed press: under most editions the player's next move completes the move before (6.2.1.2), not under that of 2009.
#[test]
fn the_edition_decides_what_completes_a_move() {
    let story = "e2- e4P W e7- e5p B g1- f3N ~300 g8- f6n ~300 b1- c3N ~300 W";
    let events_by = |laws: &str| {
        let settings = Settings { laws: laws.parse().expect("an edition"), ..Settings::default() };
        tell_by(settings, None, true, story).told
    };
    let has = |words: &[String], word: &str| words.iter().any(|other| other == word);
    let (edition_2023, edition_2009) = (events_by("fide-2023"), events_by("fide-2009"));
    assert!(has(&edition_2023, "Nf3+") && has(&edition_2023, "Nc3!"), "{edition_2023:?}");
    assert!(!has(&edition_2009, "Nf3+") && has(&edition_2009, "Nc3!"), "{edition_2009:?}");
}

#[test]
fn destination_first_and_slides() {
    check("e2- e4P W c6p c7- ~300 B", "e4 | e4! | c6 | c6!");
    check("e2- e4P W c5p c7- B", "e4 | e4! | c5 | c5!");
}

#[test]
fn the_examples_of_the_makers_header() {
    // Squares are read one by one: the slide Qc1xc4 as the maker's header describes it.
    check_from("4k3/8/8/8/2p5/8/8/2Q1K3 w - - 0 1", "c4- c2Q c3Q c1- c2- c4Q c3- W", "Qxc4 | Qxc4!");
    // The captured square is never empty.
    check_from("4k3/8/8/8/2p5/1P6/8/4K3 w - - 0 1", "c4P b3- W", "bxc4 | bxc4!");
}

#[test]
fn real_slides() {
    let rooks = "4k3/8/8/8/8/8/8/R5K1 w - - 0 1";
    check_from(rooks, "a1- d1R d1- e1R e1- f1R W", "Rf1 | Rf1!");
    check_from(rooks, "a1- d1R ~300 d1- e1R ~1100 W", "Re1+ | Re1+!");
    // The hand stops for longer than hands stop: the move is published, then corrected.
    check_from(rooks, "a1- d1R ~700 d1- e1R ~1100 W", "Rd1 | <1 Re1+ evidence | Re1+!");
}

#[test]
fn the_press_waits_for_a_slide_to_end() {
    let rooks = "4k3/8/8/8/8/8/8/R5K1 w - - 0 1";
    // The press arrives before the last squares: the rook is still moving to f1.
    check_from(rooks, "a1- d1R W d1- f1R ~300", "Rf1 | Rf1!");
}

#[test]
fn castling_in_every_order() {
    let ready = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check_from(ready, "e1- g1K h1- f1R W", "O-O | O-O!");
    check_from(ready, "h1- f1R e1- g1K W", "O-O | O-O!");
    check_from(ready, "h1- f1R ~600 e1- g1K W", "O-O | touch_move h1,e1 | O-O!");
    check_from(ready, "e1- h1- g1K f1R W", "O-O | O-O!");
    check_from(ready, "a1- d1R e1- c1K W e8- g8k h8- f8r B", "O-O-O | O-O-O! | O-O | O-O!");
    check_from(ready, "h1- f1R ~2000 W", "Rf1 | Rf1!");
}

#[test]
fn overlapping_replies() {
    // Black lifts before White's knight lands.
    check("g1- b8- f3N c6n W B", "Nf3 | Nc6 | Nf3! | Nc6!");
    // The position between was never seen.
    check_no_clock("g1- b8- c6n f3N", "Nf3 | Nc6 | Nf3r");
}

#[test]
fn promotions() {
    let pawn = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    check_from(pawn, "a7- a8Q W ~300", "a8=Q+ | a8=Q+!");
    check_from(pawn, "a8Q a7- W ~300", "a8=Q+ | a8=Q+!");
    check_from(pawn, "a7- a8P a8- a8N W ~300", "a8=N | a8=N! | dead_position");
}

#[test]
fn mate_and_kings_end_the_game() {
    check("f2- f3P W e7- e5p B g2- g4P W d8- h4q", "f3 | f3! | e5 | e5! | g4 | g4! | Qh4# | Qh4## | =0-1 mate");
    check("e2- e4P W e1- e8- e4K d5k ~1500", "e4 | e4! | =1-0 kings");
}

#[test]
fn a_kings_move_to_the_centre_is_withdrawn_when_the_other_king_comes() {
    let fen = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    check_from(fen, "e3- e4K ~500 e6- d5k ~1500", "dead_position | Ke4 | <1  kings | =1-0 kings");
    check_from(fen, "e3- e4K W ~5000", "dead_position | Ke4 | Ke4!");
}

#[test]
fn takebacks_are_corrections() {
    check_no_clock("g1- f3N ~400 f3- g1N ~1200 e2- e4P", "Nf3 | <1  takeback | e4");
}

#[test]
fn missed_edges_are_searched_for() {
    // White's knight was seen before Black's.
    check("e2- e4P W ~500 b1- c3N b8- c6n ~1300", "e4 | e4! | Nc6 | Nc3");
}

#[test]
fn an_unexplained_change_raises_an_alert_that_is_cleared() {
    check("e2- e4P W ~500 d8- d5q ~4000 d5- d8q", "e4 | e4! | illegal_pending d5,d8 | clear");
}

#[test]
fn the_next_start_position_is_the_next_game() {
    let story = "f2- f3P W e7- e5p B g2- g4P W d8- h4q ~1500 f3- f2P e5- e7p g4- g2P h4- d8q ~400 d2- d4P";
    check(story, "f3 | f3! | e5 | e5! | g4 | g4! | Qh4# | Qh4## | =0-1 mate | start | d4");
}

#[test]
fn a_game_goes_on_from_an_irregular_position() {
    // Both kings in check.
    check_from(
        "r6k/8/8/8/8/8/8/K6R w - - 0 1",
        "a1- b1K ~600 W h8- g8k ~600 B",
        "illegal_position | Kb1+ | clear | Kb1+! | Kg8 | Kg8!",
    );
    // A pawn left on the last rank: it stays there, and the game continues.
    check_from(
        "4k2P/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "e2- e4P W e8- d7k ~300 B h8- W",
        "illegal_position | e4 | e4! | Kd7 | Kd7!",
    );
}

#[test]
fn a_command_changes_nothing_else() {
    // Refused: there are too few plies. The pawn's step is published nevertheless.
    check("e2- e3P takeback=9 ~600", "refused: the game has only 0 plies: take back at most that many, and at least one | e3");
    check("e2- e4P W takeback=1 ~2000", "e4 | e4! | <1  arbiter");
    // The last move counts, though it could still have continued.
    check("e2- e3P result=1/2-1/2", "e3 | =1/2-1/2 arbiter");
}

#[test]
fn a_withdrawn_kings_signal_is_not_published_again() {
    check("e1- e8- e4K d5k ~1500 result=* ~3000 e4- d5- e1K e8k ~300 g1- f3N ~300", "=1-0 kings | =* arbiter | Nf3");
}

#[test]
fn a_restart_remembers_the_orientation_of_the_clock() {
    // The clock is turned: its right half is White's.
    let run = |table: &mut Table, now, left, right, turn| {
        let half = |ms| HalfTime { ms, flag: false };
        let (left, right) = (half(left), half(right));
        let reading = ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
        table.handle(now, Input::Reading(Reading::Clock(Some(reading)))).events
    };
    let mut table = Table::new(Settings::default());
    let start = Reading::Placement(Box::new(placement(Position::start().board())));
    table.handle(0, Input::Link(LinkState::Up));
    let mut events = table.handle(0, Input::Reading(start)).events;
    events.extend(run(&mut table, 100, 300_000, 200_000, ClockHalf::Right));
    let square = |square, sensed| Input::Reading(Reading::Square(square, sensed));
    events.extend(table.handle(200, square(Square::E2, SquareState::Empty)).events);
    events.extend(table.handle(300, square(Square::E4, SquareState::Piece(Role::Pawn.of(Color::White)))).events);
    events.extend(run(&mut table, 1000, 300_000, 198_000, ClockHalf::Left));
    let clocks = |table: &Table| {
        let ply = table.record().and_then(|record| record.plies.last()).expect("a ply");
        (ply.clocks.white.map(|time| time.ms), ply.clocks.black.map(|time| time.ms))
    };
    assert_eq!(clocks(&table), (Some(198_000), Some(300_000)));

    let durable: Vec<_> = events.into_iter().filter(|stamped| stamped.number.is_some()).collect();
    let mut table = Table::restore(Settings::default(), &durable);
    let mut board = placement(Position::start().board());
    board.swap(Square::E2 as usize, Square::E4 as usize);
    table.handle(2000, Input::Link(LinkState::Up));
    table.handle(2000, Input::Reading(Reading::Placement(Box::new(board))));
    run(&mut table, 2100, 299_000, 198_000, ClockHalf::Left);
    table.handle(2200, square(Square::E7, SquareState::Empty));
    table.handle(2300, square(Square::E5, SquareState::Piece(Role::Pawn.of(Color::Black))));
    run(&mut table, 3000, 298_000, 198_000, ClockHalf::Right);
    assert_eq!(clocks(&table), (Some(198_000), Some(298_000)));
}
