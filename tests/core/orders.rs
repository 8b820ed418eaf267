//! Commands of the arbiter, and games that begin from another position than the start position, at the level of the table.

use shakmaty::{Color, Piece, Role, Square};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::game::event::{Difference, Rotation};
use touchmove::game::pgn::pgn;
use touchmove::game::{AlertKind, Answer, Arg, Command, Event, Fault, Order, Record, StampedEvent};
use touchmove::laws::Position;
use touchmove::table::{Input, Output, Settings, Table};
use touchmove::wire::sensed_to_word;

const AT_20: &str = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 b - - 4 20";

/// A table and its virtual board with a position, of which some squares are emptied (`e2-`) or filled (`e4P`).
pub struct Stage {
    pub table: Table,
    pub now: u64,
    sensing: SensorKind,
    /// Published events that were not checked yet.
    pub events: Vec<Event>,
    /// All durable events.
    pub durable: Vec<StampedEvent>,
}

impl Stage {
    pub fn new(sensing: SensorKind, fen: &str, changes: &str) -> Stage {
        Stage::with(Settings { sensing, ..Settings::default() }, fen, changes)
    }

    pub fn with(settings: Settings, fen: &str, changes: &str) -> Stage {
        let sensing = settings.sensing;
        let mut stage = Stage { table: Table::new(settings), now: 0, sensing, events: Vec::new(), durable: Vec::new() };
        let position = Position::from_fen(fen, false).expect("a FEN");
        let mut placement: Placement = [SquareState::Empty; 64];
        for (square, piece) in position.board().iter() {
            placement[square as usize] = stage.shown(Some(piece));
        }
        for word in changes.split_whitespace() {
            let (square, piece) = read(word);
            placement[square as usize] = stage.shown(piece);
        }
        stage.take(Input::Link(LinkState::Up));
        stage.take(Input::Reading(Reading::Placement(Box::new(placement))));
        stage
    }

    fn shown(&self, piece: Option<Piece>) -> SquareState {
        piece.map_or(SquareState::Empty, SquareState::Piece).reduce_to(self.sensing)
    }

    /// Changes squares, 100 ms apart, and then waits for `quiet` milliseconds.
    pub fn play(&mut self, words: &str, quiet: u64) {
        for word in words.split_whitespace() {
            let (square, piece) = read(word);
            self.wait(100);
            let sensed = self.shown(piece);
            self.take(Input::Reading(Reading::Square(square, sensed)));
        }
        self.wait(quiet);
    }

    pub fn wait(&mut self, ms: u64) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.store(output);
    }

    pub fn order(&mut self, command: Command) -> Option<String> {
        self.ask(command).err()
    }

    /// Carries out a command; returns its answer, or the reason for its refusal.
    pub fn ask(&mut self, command: Command) -> Result<Answer, String> {
        let output = self.table.handle(self.now, order(command));
        let answer =
            output.reply.as_deref().cloned().map_or(Ok(Answer::Done), |reply| reply.map_err(|refused| refused.to_string()));
        self.store(output);
        answer
    }

    pub fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.store(output);
    }

    fn store(&mut self, output: Output) {
        self.durable.extend(output.events.iter().filter(|stamped| stamped.number.is_some()).cloned());
        self.events.extend(output.events.into_iter().map(|stamped| stamped.event));
    }

    /// The clock runs, and it is this half's turn.
    fn clock(&mut self, turn: ClockHalf) {
        let half = HalfTime { ms: 300_000, flag: false };
        let age = 1000;
        let (left, right) = (half, half);
        let reading = ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: age, age_ms: age };
        self.take(Input::Reading(Reading::Clock(Some(reading))));
    }

    /// The squares of all displaced events since the last call.
    pub fn displaced(&mut self) -> Vec<String> {
        let events = std::mem::take(&mut self.events);
        let squares_of_events = events.into_iter().filter_map(|event| match event {
            Event::Displaced { squares } => Some(squares),
            _ => None,
        });
        squares_of_events
            .map(|squares| squares.iter().map(|difference| difference.square.to_string()).collect::<Vec<_>>().join(" "))
            .collect()
    }

    pub fn moves(&self) -> Vec<&str> {
        let plies = self.table.record().map(|record| record.plies.as_slice()).unwrap_or_default();
        plies.iter().map(|ply| ply.played.san.as_str()).collect()
    }

    /// The wrong squares at the start, each with the expected and the actual content.
    fn wrong_start(&self) -> Option<String> {
        let alerts = self.table.record().map(|record| record.alerts.as_slice()).unwrap_or_default();
        let alert = alerts.iter().find(|alert| alert.kind == AlertKind::WrongStart)?;
        let Some((_, Arg::Differences(differences))) = alert.text.args.first() else { panic!("{alert:?}") };
        let text = |difference: &Difference| {
            format!(
                "{} {} {}",
                difference.square,
                sensed_to_word(difference.expected.map_or(SquareState::Empty, SquareState::Piece)),
                sensed_to_word(difference.seen)
            )
        };
        Some(differences.iter().map(text).collect::<Vec<_>>().join(", "))
    }
}

fn order(command: Command) -> Input {
    Input::Order(Order { command, by: "the arbiter".to_owned() })
}

/// `e2-` or `e4P`.
fn read(word: &str) -> (Square, Option<Piece>) {
    let (square, piece) = word.split_at(2);
    let letter = piece.chars().next().expect("what is seen");
    let piece = Role::from_char(letter).map(|role| Piece { color: Color::from_white(letter.is_ascii_uppercase()), role });
    (square.parse().expect("a square"), piece)
}

#[test]
fn squares_that_differ_from_a_given_position_are_published_until_they_agree() {
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "c6- e2N");
    assert_eq!(stage.order(Command::Position { fen: AT_20.to_owned() }), None);
    assert_eq!(stage.displaced(), ["e2 c6"]);
    stage.play("e2-", 400);
    assert_eq!(stage.displaced(), ["c6"]);
    stage.play("c6n", 400);
    assert_eq!(stage.displaced(), [""]);
    stage.play("f6- e4- e4n", 400);
    assert_eq!(stage.moves(), ["Nxe4"]);
    assert_eq!(stage.displaced(), [""; 0]);
}

#[test]
fn after_a_restart_the_squares_that_differ_are_published_again() {
    let mut before = Stage::new(SensorKind::Identity, AT_20, "c6-");
    let output = before.table.handle(0, order(Command::Position { fen: AT_20.to_owned() }));
    let durable: Vec<StampedEvent> = output.events.into_iter().filter(|stamped| stamped.number.is_some()).collect();
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "c6-");
    stage.table = Table::restore(Settings::default(), &durable);
    let placement = before.table.placement().expect("a placement");
    stage.take(Input::Reading(Reading::Placement(Box::new(placement))));
    stage.wait(400);
    assert_eq!(stage.displaced(), ["c6"]);
}

#[test]
fn a_given_position_that_is_on_the_board_has_no_differing_squares() {
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "");
    assert_eq!(stage.order(Command::Position { fen: AT_20.to_owned() }), None);
    stage.wait(5_000);
    assert_eq!(stage.displaced(), [""; 0]);
}

#[test]
fn a_game_from_move_20_is_numbered_from_there() {
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "");
    stage.order(Command::Position { fen: AT_20.to_owned() });
    stage.play("f6- e4- e4n", 400);
    stage.play("d3- e4- e4P", 400);
    let record = stage.table.record().expect("a game");
    assert!(record.fen().ends_with(" b - - 0 21"), "{}", record.fen());
    let text = pgn(record, &[]);
    assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{AT_20}\"]\n\n20... Nxe4 21. dxe4 *\n")), "{text}");
}

#[test]
fn orders_are_refused_with_a_reason() {
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "");
    let role = Role::Queen;
    assert!(stage.order(Command::Promotion { ply: None, piece: role }).expect("no game").contains("there is no game"));
    let refused = stage.order(Command::Position { fen: "e4".to_owned() }).expect("no position");
    assert!(refused.contains("give a FEN such as"), "{refused}");
}

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn a_wrong_start_is_followed_once_a_move_is_made_from_it() {
    let swapped = "b1B c1N";
    let mut stage = Stage::new(SensorKind::Identity, START, swapped);
    stage.play("", 1_200);
    assert_eq!(stage.table.record(), None, "nobody has moved");
    stage.play("e2- e4P", 2_000);
    assert_eq!(stage.moves(), ["e4"]);
    let detail = stage.wrong_start().expect("an alert");
    assert!(detail.contains("b1 N B"), "{detail}");
    stage.play("e7- e5p", 400);
    assert_eq!(stage.moves(), ["e4", "e5"]);
}

#[test]
fn a_slow_first_move_does_not_hide_the_wrong_start() {
    let mut stage = Stage::new(SensorKind::Identity, START, "b1B c1N");
    stage.play("", 1_200);
    stage.play("e2-", 3_000);
    stage.play("e4P", 2_000);
    assert_eq!(stage.moves(), ["e4"]);
}

#[test]
fn on_boards_that_cannot_identify_pieces_a_missing_one_is_named() {
    for sensing in [SensorKind::Occupancy, SensorKind::Colour] {
        let mut stage = Stage::new(sensing, START, "a1-");
        stage.play("", 1_200);
        stage.play("e2- e4P", 2_000);
        assert_eq!(stage.moves(), ["e4"], "{sensing:?}");
        let detail = stage.wrong_start().expect("an alert");
        assert!(detail.contains("a1 R empty"), "{detail}");
    }
}

#[test]
fn a_board_being_set_up_or_analysed_is_no_wrong_start() {
    // The board was not stable for a second.
    let mut stage = Stage::new(SensorKind::Identity, START, "b1B c1N");
    stage.play("e2- e4P", 3_000);
    assert_eq!(stage.table.record(), None);
    // Pieces are in the middle of the board.
    let mut stage = Stage::new(SensorKind::Identity, START, "g1- f3N");
    stage.play("", 1_200);
    stage.play("d2- d4P", 3_000);
    assert_eq!(stage.table.record(), None);
    // The missing piece is put on the board.
    let mut stage = Stage::new(SensorKind::Identity, START, "a1-");
    stage.play("", 1_200);
    stage.play("a1R", 2_000);
    assert_eq!((stage.moves(), stage.wrong_start()), (vec![], None));
    assert_eq!(stage.table.record().expect("a game").chess960, Some(518));
}

/// The words (`e8k` each) for the back rank of one side with these pieces.
fn side(color: Color, back: &str) -> String {
    let rank = if color == Color::White { '1' } else { '8' };
    ('a'..='h').zip(back.chars()).map(|(file, piece)| format!("{file}{rank}{piece} ")).collect()
}

#[test]
fn a_start_with_many_wrong_squares_is_reported_and_followed() {
    // Knights and bishops, kings and queens, all exchanged.
    let swapped = side(Color::White, "RBNKQNBR") + &side(Color::Black, "rbnkqnbr");
    // One side has its pieces and pawns on exchanged ranks, or lacks half of the pieces.
    let pawns = side(Color::Black, "pppppppp") + &side(Color::Black, "rnbqkbnr").replace('8', "7");
    let missing = "a8- b8- c8- d8- f8- g8- h8- a7-";
    for (changes, count, first) in [(swapped.as_str(), 12, "b1 N B"), (&pawns, 16, "a7 p r"), (missing, 8, "a7 p empty")] {
        let mut stage = Stage::new(SensorKind::Identity, START, changes);
        stage.play("", 3_200);
        assert_eq!(stage.table.record(), None, "{changes}: nobody has moved");
        stage.play("e2- e4P", 2_000);
        assert_eq!(stage.moves(), ["e4"], "{changes}");
        let detail = stage.wrong_start().expect("an alert");
        assert!(detail.starts_with(first) && detail.split(", ").count() == count, "{changes}: {detail}");
        assert_eq!(stage.table.record().map(|record| record.alerts.len()), Some(1), "{changes}");
    }
}

#[test]
fn a_wrong_start_is_found_on_a_turned_board() {
    let rotated = |square: Square| Square::new(63 - square as u32);
    let mut words = String::new();
    for (square, piece) in Position::start().board().iter() {
        // Bishops and knights are exchanged.
        let role = match piece.role {
            Role::Bishop => Role::Knight,
            Role::Knight => Role::Bishop,
            role => role,
        };
        words += &format!("{}{} ", rotated(square), role.of(piece.color).char());
    }
    let mut stage = Stage::new(SensorKind::Identity, "8/8/8/8/8/8/8/8 w - - 0 1", &words);
    stage.play("", 3_200);
    stage.play("d7- d5P", 2_000);
    assert_eq!(stage.moves(), ["e4"]);
    assert_eq!(stage.table.rotation(), Some(Rotation::Turned));
    assert_eq!(stage.wrong_start().expect("an alert").split(", ").count(), 8);
}

#[test]
fn a_wrong_start_is_reported_when_the_clock_is_started() {
    let mut stage = Stage::new(SensorKind::Identity, START, &side(Color::White, "RBNQKNBR"));
    stage.play("", 3_200);
    stage.clock(ClockHalf::Left);
    assert_eq!(stage.wrong_start().expect("an alert").split(", ").count(), 4);
    let mut stage = Stage::new(SensorKind::Identity, START, &side(Color::White, "RBNKQNBR"));
    // The clock runs already: the game begins with the first move.
    stage.clock(ClockHalf::Left);
    stage.play("", 3_200);
    assert_eq!(stage.table.record(), None);
    stage.play("e2- e4P", 0);
    stage.clock(ClockHalf::Right);
    stage.wait(1_000);
    assert_eq!((stage.moves(), stage.wrong_start().is_some()), (vec!["e4"], true));
}

#[test]
fn an_immediate_reply_does_not_hide_the_wrong_start() {
    let mut stage = Stage::new(SensorKind::Identity, START, &side(Color::White, "RBNKQNBR"));
    stage.play("", 3_200);
    stage.play("e2- e4P e7- e5p", 2_000);
    assert_eq!((stage.moves(), stage.wrong_start().is_some()), (vec!["e4", "e5"], true));
}

#[test]
fn on_boards_that_cannot_identify_pieces_many_missing_ones_are_named() {
    for sensing in [SensorKind::Occupancy, SensorKind::Colour] {
        let mut stage = Stage::new(sensing, START, "a8- b8- c8- d8- f8- g8-");
        stage.play("", 3_200);
        stage.play("e2- e4P", 2_000);
        assert_eq!(stage.moves(), ["e4"], "{sensing:?}");
        assert_eq!(stage.wrong_start().expect("an alert").split(", ").count(), 6);
    }
    // Such a board may be turned: the move shows it.
    let mut stage = Stage::new(SensorKind::Occupancy, START, "h1-");
    stage.play("", 1_200);
    stage.play("d7- d5p", 2_000);
    assert_eq!((stage.moves(), stage.wrong_start().as_deref()), (vec!["e4"], Some("a8 r empty")));
    // A rook of White's and one of Black's are exchanged.
    let mut stage = Stage::new(SensorKind::Colour, START, "a1r a8R");
    stage.play("", 3_200);
    stage.play("e2- e4P", 2_000);
    assert_eq!(stage.moves(), ["e4"]);
    assert_eq!(stage.wrong_start().as_deref(), Some("a1 R black, a8 r white"));
}

#[test]
fn differences_that_sensors_cannot_show_are_no_wrong_start() {
    let mut stage = Stage::new(SensorKind::Occupancy, START, "a1r a8R");
    stage.play("", 3_200);
    stage.play("e2- e4P", 2_000);
    assert_eq!((stage.moves(), stage.wrong_start()), (vec!["e4"], None));
    let swapped = side(Color::White, "RBNKQNBR");
    for sensing in [SensorKind::Colour, SensorKind::Occupancy] {
        let mut stage = Stage::new(sensing, START, &swapped);
        stage.play("", 3_200);
        stage.play("e2- e4P", 2_000);
        assert_eq!((stage.moves(), stage.wrong_start()), (vec!["e4"], None));
    }
}

#[test]
fn pieces_being_set_up_or_put_away_are_no_wrong_start() {
    // Black's side is set up last, after a pause; a misplaced rook is corrected.
    let mut stage = Stage::new(SensorKind::Identity, START, "a8- b8r c8- d8- e8- f8- g8- h8- e8k");
    stage.play("", 5_000);
    stage.play("c8b d8q f8b g8n h8r", 5_000);
    stage.play("b8- a8r", 5_000);
    assert_eq!(stage.table.record(), None, "a knight is missing");
    stage.play("b8n", 5_000);
    assert_eq!((stage.moves(), stage.wrong_start()), (vec![], None));
    assert_eq!(stage.table.record().expect("a game").chess960, Some(518));
    // White's pieces are set up, Black's are put into the box.
    let mut stage = Stage::new(SensorKind::Identity, START, "e4P e2- a8- b8- c8- d8- f8-");
    stage.play("", 5_000);
    stage.play("e4- e2P", 5_000);
    stage.play("a7- b7- c7- d7- e7- f7- g7- h7-", 5_000);
    stage.play("g8- h8- e8-", 5_000);
    assert_eq!(stage.table.record(), None);
    // The board was not stable for long enough.
    let mut stage = Stage::new(SensorKind::Identity, START, &side(Color::White, "RBNKQNBR"));
    stage.play("", 2_000);
    stage.play("e2- e4P", 5_000);
    assert_eq!(stage.table.record(), None);
}

#[test]
fn a_position_that_play_can_reach_is_no_wrong_start() {
    // Moves that were made before the clock was started are recorded.
    for (changes, moves) in [("e2- e4P", &["e4"][..]), ("e2- e4P e7- e5p", &["e4", "e5"]), ("g1- f3N g8- f6n", &["Nf3", "Nf6"])]
    {
        let mut stage = Stage::new(SensorKind::Identity, START, changes);
        stage.play("", 5_000);
        stage.clock(ClockHalf::Left);
        stage.wait(5_000);
        assert_eq!((stage.moves(), stage.wrong_start()), (moves.to_vec(), None), "{changes}");
        assert_eq!(stage.table.record().expect("a game").chess960, Some(518));
    }
    // More moves, positions that no moves reach, and a middle game.
    for changes in ["g1- h4N", "e2- e4P d2- d4P", "e2- e4P e7- e5p g1- f3N b8- c6n", "e1- d1- c1-"] {
        let mut stage = Stage::new(SensorKind::Identity, START, changes);
        stage.play("", 5_000);
        stage.clock(ClockHalf::Left);
        stage.play("a2- a3P", 5_000);
        assert_eq!(stage.wrong_start(), None, "{changes}");
    }
    let mut stage = Stage::new(SensorKind::Identity, AT_20, "");
    stage.play("", 5_000);
    stage.play("f6- e4- e4n", 5_000);
    assert_eq!(stage.table.record(), None);
    // In Chess960 castling can be the first move: the king and the rook next to it change places.
    let start = "bbrkrnnq/pppppppp/8/8/8/8/PPPPPPPP/BBRKRNNQ w KQkq - 0 1";
    let mut stage = Stage::with(Settings { chess960: true, ..Settings::default() }, start, "c1K d1R");
    stage.play("", 5_000);
    stage.clock(ClockHalf::Left);
    stage.wait(5_000);
    assert_eq!((stage.moves(), stage.wrong_start()), (vec!["O-O-O"], None));
    assert_eq!(stage.table.record().and_then(|record| record.chess960), chess960(start));
}

#[test]
fn with_chess960_start_positions_are_compared_with_chess960() {
    let start = "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1";
    // Without Chess960, the standard start position is expected.
    let mut stage = Stage::new(SensorKind::Identity, start, "");
    stage.play("", 3_200);
    stage.play("e2- e4P", 2_000);
    assert_eq!(stage.moves(), ["e4"]);
    assert_eq!(stage.wrong_start().expect("an alert").split(", ").count(), 12);
    // With Chess960, two of Black's pieces are misplaced, and White may castle.
    let settings = || Settings { chess960: true, ..Settings::default() };
    let mut stage = Stage::with(settings(), start, "a8r b8n");
    stage.play("", 3_200);
    stage.play("c2- c3P", 2_000);
    assert_eq!(stage.wrong_start().as_deref(), Some("a8 n r, b8 r n"));
    stage.play("c7- c6p d2- d3P d7- d6p c1- e3B e7- e6p d1- b1- c1K d1R", 3_000);
    assert_eq!(stage.moves().last(), Some(&"O-O-O"));
    let restored = Table::restore(settings(), &stage.durable);
    assert_eq!(restored.record(), stage.table.record());
    // The correct start position is found.
    let mut stage = Stage::with(settings(), start, "");
    stage.play("", 3_200);
    assert_eq!(stage.table.record().and_then(|record| record.chess960), chess960(start));
}

/// The number of a start position of Chess960.
fn chess960(fen: &str) -> Option<u16> {
    let board = Position::from_fen(fen, true).expect("a FEN").board().clone();
    (0..960).find(|&number| Position::chess960(number).is_some_and(|start| *start.board() == board))
}

#[test]
fn a_commanded_start_position_of_chess960_keeps_its_number() {
    let start = "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1";
    let number = chess960(start);
    assert!(number.is_some());
    for chess960 in [false, true] {
        for (fen, number) in [
            (start, number),
            ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1", number),
            (START, Some(518)),
            // A similar position that is no start position.
            ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN b KQkq - 0 1", None),
            ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQ - 0 1", None),
            ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 3 9", None),
            (AT_20, None),
        ] {
            let settings = || Settings { chess960, ..Settings::default() };
            let mut stage = Stage::with(settings(), fen, "");
            assert_eq!(stage.order(Command::Position { fen: fen.to_owned() }), None);
            assert_eq!(stage.table.record().expect("a game").chess960, number, "{fen}");
            let restored = Table::restore(settings(), &stage.durable);
            assert_eq!(restored.record(), stage.table.record());
        }
    }
}

#[test]
fn the_record_keeps_the_faults_of_the_board() {
    let mut number = 0;
    let mut stamped = |event| {
        number += 1;
        StampedEvent { at: number * 1_000, number: Some(number), event }
    };
    let game_started = Event::GameStarted {
        fen: START.to_owned(),
        chess960: Some(518),
        laws: "fide-2023".to_owned(),
        rotation: Rotation::Upright,
    };
    let mut record = Record::begin(&stamped(game_started)).expect("a game");
    let mut faults_after = |square, fault| {
        record.apply(&stamped(Event::BoardFault { square, fault, detail: "look at it".to_owned() }));
        record.faults.iter().map(|known| (known.square, known.fault)).collect::<Vec<_>>()
    };
    assert_eq!(faults_after(Square::D5, Fault::Stuck), [(Square::D5, Fault::Stuck)]);
    assert_eq!(faults_after(Square::A1, Fault::Stuck), [(Square::D5, Fault::Stuck), (Square::A1, Fault::Stuck)]);
    assert_eq!(faults_after(Square::D5, Fault::Flickering), [(Square::A1, Fault::Stuck), (Square::D5, Fault::Flickering)]);
    assert_eq!(faults_after(Square::A1, Fault::Mended), [(Square::D5, Fault::Flickering)]);
}
