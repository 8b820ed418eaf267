//! What other authors wrote down of their boards: sequences from their unit tests, and what users reported of theirs.
//!
//! Each is played through a [`Table`] with the sensing its author had, at three paces, without a clock unless the story needs
//! one, and what comes out is compared with what must come out. A sequence is a list of frames: `-e2` a square is emptied, `+e4`
//! what was lifted last is put there, `+Pe4` this piece, on colour boards `+We4` a piece of this colour; several in one frame are seen at once.

use serde_json::Value;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};
use std::collections::BTreeMap;
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::game::{AlertKind, Command, CorrectionReason, Event, Order};
use touchmove::laws::{Changes, Position};
use touchmove::table::{Input, Output, Settings, Table};

/// Milliseconds between two frames: faster than a scan, within the settle time, and slower than it.
const PACES: [u64; 3] = [40, 120, 600];
/// The board is left alone so long at the end: longer than it takes to say that it is in disorder.
const QUIET: u64 = 7_000;

/// Where the record is to be another than the author has it: what it is to be, and why.
const OURS_IS_RIGHT: &[(&str, &str, &str)] = &[(
    "echess-no-move-while-missing",
    "a2a3 told a8,b8",
    "their program plays itself and waits until the board is whole; White's move is made (4.7) whatever is missing of Black's, \
     and neighbours are adjusted while a game goes on: the move is recorded, and the arbiter is told what is missing",
)];

/// What does not come out right yet, and what is missing for it: it is printed, and fails nothing.
const NOT_YET: &[(&str, &str)] = &[
    (
        "echess-no-move-while-missing",
        "two pieces of the side to move that are gone count as held, for as long as they are gone",
    ),
    ("pico-sentio-leds_missing_rook_a1", "a wrong start is found on identity boards only"),
    ("pico-sentio-leds_missing_pawn_h2", "a wrong start is found on identity boards only"),
    ("lila-11783 (colour)", "kings in the centre are known by what they are, and not by what has left e1 and e8"),
    ("lila-11783 (occupancy)", "kings in the centre are known by what they are, and not by what has left e1 and e8"),
    ("picochess-263 (colour)", "kings in the centre are known by what they are, and not by what has left e1 and e8"),
    ("picochess-263 (occupancy)", "kings in the centre are known by what they are, and not by what has left e1 and e8"),
];

/// Where the author does not say what the record is to be: the moves that must be on it, and whether somebody is told of the
/// squares that are wrong. Most are tests of lights.
const NOT_SAID: &[(&str, &str)] = &[
    // All men are gone: nobody plays, and pieces put away are no displaced pieces.
    ("pico-sentio-leds_missing_all_pieces", ""),
    ("pico-sentio-leds_missing_rook_a1", "told a1"),
    ("pico-sentio-leds_missing_pawn_h2", "told h2"),
    // An engine's move is shown by lights there; the hand has only lifted the pawn so far, and may hold it as long as it likes.
    ("pico-sentio-leds_combine_with_engine_move", ""),
    ("pico-sentio-leds_stay_on_for_engine_move", ""),
    ("pico-sentio-leds_stay_on_for_finished_engine_move", "e2e4"),
    // They ask the player which piece it is to be. A queen is assumed here, and the others are its alternatives.
    ("pico-sentio-promotion_request", "a7a8q"),
    ("pico-sentio-promotion_request_with_capture", "a7b8q"),
    // Their engine said that it is a knight, and no frame does: as above.
    ("pico-sentio-finish_promotion_move", "a7b8q"),
    // The author accepts castling that was begun with the rook, as a casual game does, and asks the Laws for a rook's move. The
    // record follows the board; whether it was allowed (4.4.2) is said by an alert and not by another move.
    ("centaur-rook-first-castle", "e1g1"),
];

/// What an author says besides the moves.
const ALSO_SAID: &[(&str, &str)] = &[
    ("centaur-uncapturable-lift", "told a7"),
    ("chessmon-teleport", "told e4"),
    ("chessnut-maia-kq-swapped-setup", "told d1,e1"),
    // It is mate, and what is put away then nobody has to be told.
    ("chessnut-maia-move-with-unrelated-missing", "1-0"),
];

/// A sequence, and what must come of it.
struct Case {
    id: String,
    sensing: SensorKind,
    start: Position,
    /// What stands there at first, where that is not the start position.
    set_up: Option<Board>,
    /// Played before, plainly.
    history: Vec<String>,
    frames: Vec<Vec<String>>,
    /// The clock is started once the frames have been seen, so that wrong positions matter.
    clock: bool,
    expect: Expect,
}

/// Words: moves, `told a1,b2` for squares that somebody was told of.
enum Expect {
    /// The moves on record, and what was told.
    Words(String),
    /// Where the game stands, as the first field of a FEN.
    Board(String),
}

/// One run of a case.
struct Run {
    table: Table,
    sensing: SensorKind,
    now: u64,
    board: Board,
    hand: Vec<Piece>,
    told: Bitboard,
    starts: usize,
    retracted: usize,
    clock: bool,
}

impl Run {
    fn new(case: &Case) -> Run {
        let usual = case.start.fen() == Position::start().fen();
        let settings = Settings { sensing: case.sensing, ..Settings::default() };
        let mut run = Run {
            table: Table::new(settings),
            sensing: case.sensing,
            now: 0,
            board: case.set_up.clone().unwrap_or_else(|| case.start.board().clone()),
            hand: Vec::new(),
            told: Bitboard::EMPTY,
            starts: 0,
            retracted: 0,
            clock: false,
        };
        run.take(Input::Link(LinkState::Up));
        run.whole();
        if !usual {
            let command = Command::Position(case.start.fen());
            run.take(Input::Order(Order { command, by: "the author".to_owned() }));
        }
        run.wait(1_500);
        run
    }

    fn take(&mut self, input: Input) {
        let output = self.table.handle(self.now, input);
        self.note(output);
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        let output = self.table.advance(self.now);
        self.note(output);
    }

    fn note(&mut self, output: Output) {
        for stamped in output.events {
            match stamped.event {
                Event::Displaced { squares } => {
                    self.told |= squares.iter().map(|difference| difference.square).collect::<Bitboard>()
                }
                Event::AlertRaised(alert) if alert.kind != AlertKind::MovesUncertain => {
                    self.told |= alert.squares.into_iter().collect::<Bitboard>();
                }
                Event::MovesCorrected { reason: CorrectionReason::Evidence, .. } => self.retracted += 1,
                Event::GameStarted { .. } => self.starts += 1,
                _ => {}
            }
        }
    }

    fn seen(&self, piece: Option<Piece>) -> SquareState {
        match (piece, self.sensing) {
            (None, _) => SquareState::Empty,
            (Some(piece), SensorKind::Identity) => SquareState::Piece(piece),
            (Some(piece), SensorKind::Colour) => SquareState::Side(piece.color),
            (Some(_), SensorKind::Occupancy) => SquareState::Occupied,
        }
    }

    fn whole(&mut self) {
        let placement: Placement = std::array::from_fn(|square| self.seen(self.board.piece_at(Square::new(square as u32))));
        self.take(Input::Reading(Reading::Placement(Box::new(placement))));
    }

    fn square(&mut self, square: Square) {
        let seen = self.seen(self.board.piece_at(square));
        self.take(Input::Reading(Reading::Square(square, seen)));
    }

    /// One change of the board, not told yet.
    fn change(&mut self, word: &str) -> Square {
        let (sign, rest) = word.split_at(1);
        let (piece, square) = rest.split_at(rest.len() - 2);
        let square: Square = square.parse().expect("a square");
        let letter = piece.chars().next();
        if sign == "-" {
            self.hand.extend(self.board.remove_piece_at(square));
            return square;
        }
        let of = |colour| move |piece: &Piece| piece.color == colour;
        let take = |hand: &mut Vec<Piece>, wanted: &dyn Fn(&Piece) -> bool| {
            hand.iter().rposition(wanted).map(|index| hand.remove(index))
        };
        let piece = match letter {
            // The colour is told, the kind is that of what was lifted.
            Some('W') if self.sensing == SensorKind::Colour => {
                take(&mut self.hand, &of(Color::White)).unwrap_or(Role::Pawn.of(Color::White))
            }
            Some('B') if self.sensing == SensorKind::Colour => {
                take(&mut self.hand, &of(Color::Black)).unwrap_or(Role::Pawn.of(Color::Black))
            }
            Some(letter) => Piece::from_char(letter).expect("a piece"),
            None => self.hand.pop().unwrap_or(Role::Pawn.of(Color::White)),
        };
        self.board.set_piece_at(square, piece);
        square
    }

    fn frame(&mut self, words: &[String]) {
        let squares: Vec<Square> = words.iter().map(|word| self.change(word)).collect();
        match squares.as_slice() {
            [square] => self.square(*square),
            _ => self.whole(),
        }
    }

    /// A move as a careful hand makes it: what is taken goes first.
    fn play(&mut self, uci: &str) {
        let fen = self.table.record().map(|record| record.fen().to_owned()).unwrap_or_default();
        let Ok(position) = Position::from_fen(&fen, false) else { return };
        let Some(mv) = position.parse_uci(uci) else { return };
        let changes: Vec<_> = Changes::of(position.turn(), mv).iter().collect();
        for &(square, piece) in changes.iter().rev() {
            if piece.is_some() && self.board.piece_at(square).is_none() {
                continue;
            }
            self.board.discard_piece_at(square);
            self.square(square);
            self.wait(200);
        }
        for (square, piece) in changes {
            if let Some(piece) = piece {
                self.board.set_piece_at(square, piece);
                self.square(square);
                self.wait(200);
            }
        }
        self.wait(1_500);
    }

    fn start_clock(&mut self) {
        let half = HalfTime { ms: 300_000, flag: false };
        for running in [false, true] {
            let reading = ClockReading {
                left: half,
                right: half,
                turn: ClockHalf::Left,
                running,
                battery_low: false,
                resolution_ms: 1000,
                age_ms: 1000,
            };
            self.take(Input::Reading(Reading::Clock(Some(reading))));
            self.wait(100);
        }
        self.clock = true;
    }

    /// The moves on record, the squares told of, and the result.
    fn outcome(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if let Some(record) = self.table.record() {
            words.extend(record.plies.iter().map(|ply| ply.played.uci.clone()));
            words.extend(record.result.map(|(result, _)| result.as_str().to_owned()));
        }
        if self.told.any() {
            let squares: Vec<String> = self.told.into_iter().map(|square| square.to_string()).collect();
            words.push(format!("told {}", squares.join(",")));
        }
        words.join(" ")
    }
}

/// What came of a case at this pace, if it is not what must come; `Err`: what came, and what must.
fn check(case: &Case, pace: u64) -> Result<(), (String, String)> {
    let mut run = Run::new(case);
    for uci in &case.history {
        run.play(uci);
    }
    (run.told, run.retracted) = (Bitboard::EMPTY, 0);
    for frame in &case.frames {
        run.frame(frame);
        run.wait(pace);
    }
    if case.clock {
        run.wait(1_500);
        run.start_clock();
    }
    run.wait(QUIET);
    let (came, expect) = match &case.expect {
        Expect::Words(words) => (run.outcome(), words.clone()),
        Expect::Board(board) => {
            let fen = run.table.record().map(|record| record.fen().to_owned()).unwrap_or_default();
            let stands = fen.split(' ').next().unwrap_or_default().to_owned();
            let told = run.outcome();
            (if stands == *board { board.clone() } else { format!("{stands} ({told})") }, board.clone())
        }
    };
    if came == expect { Ok(()) } else { Err((came, expect)) }
}

fn not_yet(id: &str) -> Option<&'static str> {
    NOT_YET.iter().find(|(known, _)| *known == id).map(|(_, why)| *why)
}

/// Runs all, prints those that come out otherwise, and fails by those that are not known to.
fn check_all(what: &str, cases: &[Case]) {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in cases {
        for pace in PACES {
            if let Err((came, expect)) = check(case, pace) {
                let line = format!("{:?}, {pace} ms a frame: [{came}] came, [{expect}] must", case.sensing);
                wrong.entry(&case.id).or_default().push(line);
            }
        }
    }
    eprintln!("{what}: {} of {} come out as they must", cases.len() - wrong.len(), cases.len());
    for (id, lines) in &wrong {
        eprintln!("{id}: {}\n  {}", not_yet(id).unwrap_or("NEW"), lines.join("\n  "));
    }
    for id in cases.iter().map(|case| case.id.as_str()).filter(|id| not_yet(id).is_some() && !wrong.contains_key(id)) {
        eprintln!("{id} comes out right by now: take it out of NOT_YET");
    }
    let new: Vec<&str> = wrong.keys().copied().filter(|id| not_yet(id).is_none()).collect();
    assert!(new.is_empty(), "{what}: {} come out otherwise, see above", new.join(", "));
}

/// A file of the shared data; `None`, said so, where it is not at hand.
fn data(name: &str) -> Option<Value> {
    let path = format!("{}/../shared/data/sensor/{name}", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Err(why) => {
            eprintln!("SKIPPED: {path}: {why}");
            None
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, of: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(of).collect()
}

/// The board of which these squares are occupied, a1 the lowest bit; what stands on one that was empty is not told.
fn occupied(hex: &str, like: &Board) -> Board {
    let bits = Bitboard(u64::from_str_radix(hex, 16).expect("a number"));
    let mut board = like.clone();
    for square in Square::ALL {
        if !bits.contains(square) {
            board.discard_piece_at(square);
        } else if board.piece_at(square).is_none() {
            board.set_piece_at(square, Role::Pawn.of(Color::White));
        }
    }
    board
}

fn case(value: &Value) -> Case {
    let id = text(&value["id"]);
    let said = |table: &[(&str, &str)]| table.iter().find(|(known, _)| *known == id).map(|(_, words)| (*words).to_owned());
    let start = Position::from_fen(&text(&value["start_fen"]), false).expect("a FEN");
    let mut frames = list(&value["events"], |frame| list(frame, text));
    let set_up = value["setup_board"].as_str().map(|board| Position::from_fen(board, false).expect("a board").board().clone());
    // Without events the one picture is what stands there at first, or what is seen next, all at once.
    let mut set_up = set_up;
    if let (true, Some(hex)) = (frames.is_empty(), value["frames"][0].as_str()) {
        let (before, after) = (start.board(), occupied(hex, start.board()));
        let changed = Square::ALL.into_iter().filter(|&square| before.piece_at(square) != after.piece_at(square));
        if id.contains("missing") {
            set_up = Some(after);
        } else {
            frames = vec![
                changed
                    .map(|square| if after.piece_at(square).is_some() { format!("+P{square}") } else { format!("-{square}") })
                    .collect(),
            ];
        }
    }
    let moves = list(&value["expect_moves"], text);
    let ours = OURS_IS_RIGHT.iter().find(|(known, ..)| *known == id).map(|(_, words, _)| (*words).to_owned());
    let expect = match (ours.or(said(NOT_SAID)), list(&value["expect_boards"], text).pop()) {
        (Some(words), _) => Expect::Words(words),
        (None, Some(board)) if moves.is_empty() => Expect::Board(board),
        _ => Expect::Words([moves.join(" "), said(ALSO_SAID).unwrap_or_default()].join(" ").trim().to_owned()),
    };
    let sensing = match value["sensor"].as_str() {
        Some("identity") => SensorKind::Identity,
        Some("colour") => SensorKind::Colour,
        Some("occupancy") => SensorKind::Occupancy,
        other => panic!("{id}: unknown sensor {other:?}"),
    };
    // A wrong position matters once play has begun.
    let clock = matches!(&expect, Expect::Words(words) if words.starts_with("told"));
    Case { id, sensing, start, set_up, history: list(&value["history"], text), frames, clock, expect }
}

#[test]
fn sequences_of_other_authors() {
    let Some(all) = data("sequences.json") else { return };
    let cases: Vec<Case> = list(&all, case);
    assert!(cases.len() >= 39, "only {} sequences were read", cases.len());
    check_all("sequences.json", &cases);
}

/// What users reported, as far as it is a story of squares: what kind of board, from where, what was seen, what must come of it.
/// The boards are DGT's, so the sensing is identity; each is played as the poorer kinds of board would see it, too.
const REPORTED: &[(&str, &str, &str, &str)] = &[
    ("python-chess-83", "r4rk1/2pqppbp/6p1/1p1p4/pP1PnP2/2PbP1P1/P1NB1RBP/R2Q2K1 w - - 0 1", "-f2 +f3", "f2f3"),
    ("picochess-99", "rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2", "-c2 +c4", "c2c4"),
    ("picochess-112", START, "-d2 +d4 -g8 +f6 -c2 +c4", "d2d4 g8f6 c2c4"),
    ("picochess-267", START, "-e2 +e4 -e7 +e5", "e2e4 e7e5"),
    // The rook is dragged over squares that are read while it passes.
    ("lila-11413", "4k3/4b3/8/8/8/8/8/R3R1K1 w - - 0 1", "-e1 +e3 -e3 -e7 +Re7", "e1e7"),
    // One king after the other, when the game is over.
    ("lila-11783", START, "-g1 +f3 -g8 +f6 -e1 +Kd5 -e8 +ke4", "g1f3 g8f6 1-0"),
    ("picochess-263", START, "-e1 -e8 +Kd4 +ke5", "0-1"),
];

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// What is in the file and is no story of squares, and where it is tested instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("picochess-108", "the order of a DGT board's messages at the start: tests/boards.rs"),
    ("lila-15607", "a check that nobody noticed: irregular moves come with the alerts for them"),
    ("broadcaster-63", "an illegal move in a PGN: what is not legal here is marked, tests/properties.rs"),
    ("lila-20307", "an answer of another program's web interface"),
    ("python-chess-1176", "illegal ends in PGN files of other makers: tests/pgn.rs reads what is legal"),
];

#[test]
fn what_users_reported() {
    let Some(file) = data("issue-logs.json") else { return };
    let mut cases = Vec::new();
    for item in file["items"].as_array().into_iter().flatten() {
        let id = text(&item["id"]);
        let Some((_, fen, frames, expect)) = REPORTED.iter().find(|(known, ..)| *known == id) else {
            assert!(ELSEWHERE.iter().any(|(known, _)| *known == id), "{id} is new: what must come of it?");
            continue;
        };
        let case = |sensing, name: &str, expect| Case {
            id: format!("{id} ({name})"),
            sensing,
            start: Position::from_fen(fen, false).expect("a FEN"),
            set_up: None,
            history: Vec::new(),
            frames: frames.split_whitespace().map(|word| vec![word.to_owned()]).collect(),
            clock: false,
            expect,
        };
        let words = || Expect::Words((*expect).to_owned());
        // What the board said in the end is in the report, where a move came of it.
        if let (Some(board), false) = (item["raw_fen"].as_str(), expect.contains('-')) {
            cases.push(case(SensorKind::Identity, "in the end", Expect::Board(board.to_owned())));
        }
        cases.push(case(SensorKind::Identity, "identity", words()));
        cases.push(case(SensorKind::Colour, "colour", words()));
        cases.push(case(SensorKind::Occupancy, "occupancy", words()));
    }
    assert!(cases.len() >= 3 * REPORTED.len(), "only {} reports were read", cases.len());
    check_all("issue-logs.json", &cases);
}
