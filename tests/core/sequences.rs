//! Sequences that other authors wrote down for their boards: from their unit tests, and from the reports of their users.
//!
//! Each is played through a [`Table`] with the sensing of its author's board, at three paces, without a clock unless the case needs
//! one, and the outcome is compared with the expected one. A sequence is a list of frames: `-e2` empties a square, `+e4` puts the piece
//! that was lifted last there, `+Pe4` puts this piece there, and on colour boards `+We4` a piece of this colour. The words of one frame
//! are seen at once.

use serde_json::Value;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};
use std::collections::BTreeMap;
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, LinkState, Placement, Reading, SensorKind, SquareState};
use touchmove::game::{AlertKind, Command, CorrectionReason, Event, Order};
use touchmove::laws::{Changes, Position};
use touchmove::table::{Input, Output, Settings, Table};

/// Milliseconds between two frames: faster than a scan, within the settle time, and slower than it.
const PACES: [u64; 3] = [40, 120, 600];
/// How long the board is left alone at the end, in milliseconds: longer than it takes until displaced pieces are reported.
const QUIET: u64 = 7_000;

/// Cases whose record should differ from the author's: the expected outcome, and the reason.
const DIFFERENT_ON_PURPOSE: &[(&str, &str, &str)] = &[(
    "echess-no-move-while-missing",
    "a2a3 reported a8,b8",
    "their program plays itself and waits until all pieces are back; White's move is made (4.7) whatever pieces of Black are \
     missing, and pieces are adjusted during a game: the move is recorded, and the missing pieces are reported to the arbiter",
)];

/// Cases that are known to fail, and the reasons: they are printed, and fail no test.
const KNOWN_FAILURES: &[(&str, &str)] = &[
    ("echess-no-move-while-missing", "two missing pieces of the side to move count as held for as long as they are missing"),
    ("pico-sentio-leds_missing_rook_a1", "a wrong start position is detected on identity boards only"),
    ("pico-sentio-leds_missing_pawn_h2", "a wrong start position is detected on identity boards only"),
    ("lila-11783 (colour)", "kings in the centre are recognised by their kind, and not because e1 and e8 were left"),
    ("lila-11783 (occupancy)", "kings in the centre are recognised by their kind, and not because e1 and e8 were left"),
    ("picochess-263 (colour)", "kings in the centre are recognised by their kind, and not because e1 and e8 were left"),
    ("picochess-263 (occupancy)", "kings in the centre are recognised by their kind, and not because e1 and e8 were left"),
];

/// Cases whose author does not state the record: the expected moves, and the wrong squares that must be reported. Most are tests of
/// lights.
const NOT_STATED: &[(&str, &str)] = &[
    // All pieces are removed: nobody is playing, and pieces put away are not displaced.
    ("pico-sentio-leds_missing_all_pieces", ""),
    ("pico-sentio-leds_missing_rook_a1", "reported a1"),
    ("pico-sentio-leds_missing_pawn_h2", "reported h2"),
    // The lights show an engine's move; the player has only lifted the pawn so far, and may hold it for any time.
    ("pico-sentio-leds_combine_with_engine_move", ""),
    ("pico-sentio-leds_stay_on_for_engine_move", ""),
    ("pico-sentio-leds_stay_on_for_finished_engine_move", "e2e4"),
    // Their program asks the player for the piece. Here a queen is assumed, and the other pieces are its alternatives.
    ("pico-sentio-promotion_request", "a7a8q"),
    ("pico-sentio-promotion_request_with_capture", "a7b8q"),
    // Their engine chose a knight, which no frame shows: as above.
    ("pico-sentio-finish_promotion_move", "a7b8q"),
    // The author accepts castling that was begun with the rook, as in a casual game; by the Laws the rook's move stands. The record
    // follows the board, and an alert, not another move, reports the breach (4.4.2).
    ("centaur-rook-first-castle", "e1g1"),
];

/// What an author expects besides the moves.
const ALSO_EXPECTED: &[(&str, &str)] = &[
    ("centaur-uncapturable-lift", "reported a7"),
    ("chessmon-teleport", "reported e4"),
    ("chessnut-maia-kq-swapped-setup", "reported d1,e1"),
    // It is mate, and pieces that are put away then need no report.
    ("chessnut-maia-move-with-unrelated-missing", "1-0"),
];

/// A sequence and its expected outcome.
struct Case {
    id: String,
    sensing: SensorKind,
    start: Position,
    /// The placement at the start, if it differs from that of `start`.
    set_up: Option<Board>,
    /// Moves that are played carefully before the frames.
    history: Vec<String>,
    frames: Vec<Vec<String>>,
    /// The clock is started once the frames have been seen, so that wrong positions matter.
    clock: bool,
    expect: Expect,
}

/// An expected outcome.
enum Expect {
    /// The moves on record, the result, and the reported squares, as `reported a1,b2`.
    Words(String),
    /// The placement of the game's position, as the first field of a FEN.
    Board(String),
}

/// One run of a case.
struct Run {
    table: Table,
    sensing: SensorKind,
    now: u64,
    board: Board,
    hand: Vec<Piece>,
    reported: Bitboard,
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
            reported: Bitboard::EMPTY,
            starts: 0,
            retracted: 0,
            clock: false,
        };
        run.take(Input::Link(LinkState::Up));
        run.send_placement();
        if !usual {
            let command = Command::Position { fen: case.start.fen() };
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
                    self.reported |= squares.iter().map(|difference| difference.square).collect::<Bitboard>()
                }
                Event::AlertRaised(alert) if alert.kind != AlertKind::MovesUncertain => {
                    self.reported |= alert.squares.into_iter().collect::<Bitboard>();
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

    fn send_placement(&mut self) {
        let placement: Placement = std::array::from_fn(|square| self.seen(self.board.piece_at(Square::new(square as u32))));
        self.take(Input::Reading(Reading::Placement(Box::new(placement))));
    }

    fn square(&mut self, square: Square) {
        let seen = self.seen(self.board.piece_at(square));
        self.take(Input::Reading(Reading::Square(square, seen)));
    }

    /// Changes the board without reporting it yet.
    fn change(&mut self, word: &str) -> Square {
        let (sign, rest) = word.split_at(1);
        let (piece, square) = rest.split_at(rest.len() - 2);
        let square: Square = square.parse().expect("a square");
        let letter = piece.chars().next();
        if sign == "-" {
            self.hand.extend(self.board.remove_piece_at(square));
            return square;
        }
        let has_colour = |colour| move |piece: &Piece| piece.color == colour;
        let take = |hand: &mut Vec<Piece>, wanted: &dyn Fn(&Piece) -> bool| {
            hand.iter().rposition(wanted).map(|index| hand.remove(index))
        };
        let piece = match letter {
            // Only the colour is given; the kind is that of the lifted piece.
            Some('W') if self.sensing == SensorKind::Colour => {
                take(&mut self.hand, &has_colour(Color::White)).unwrap_or(Role::Pawn.of(Color::White))
            }
            Some('B') if self.sensing == SensorKind::Colour => {
                take(&mut self.hand, &has_colour(Color::Black)).unwrap_or(Role::Pawn.of(Color::Black))
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
            _ => self.send_placement(),
        }
    }

    /// Plays a move carefully: a captured piece is removed first.
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

    /// The moves on record, the result, and the reported squares.
    fn outcome(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        if let Some(record) = self.table.record() {
            words.extend(record.plies.iter().map(|ply| ply.played.uci.clone()));
            words.extend(record.result.map(|(result, _)| result.as_str().to_owned()));
        }
        if self.reported.any() {
            let squares: Vec<String> = self.reported.into_iter().map(|square| square.to_string()).collect();
            words.push(format!("reported {}", squares.join(",")));
        }
        words.join(" ")
    }
}

/// Plays a case at this pace.
///
/// # Errors
/// The outcome and the expected outcome, if they differ.
fn check(case: &Case, pace: u64) -> Result<(), (String, String)> {
    let mut run = Run::new(case);
    for uci in &case.history {
        run.play(uci);
    }
    (run.reported, run.retracted) = (Bitboard::EMPTY, 0);
    for frame in &case.frames {
        run.frame(frame);
        run.wait(pace);
    }
    if case.clock {
        run.wait(1_500);
        run.start_clock();
    }
    run.wait(QUIET);
    let (found, expect) = match &case.expect {
        Expect::Words(words) => (run.outcome(), words.clone()),
        Expect::Board(board) => {
            let fen = run.table.record().map(|record| record.fen().to_owned()).unwrap_or_default();
            let placement = fen.split(' ').next().unwrap_or_default().to_owned();
            let outcome = run.outcome();
            (if placement == *board { board.clone() } else { format!("{placement} ({outcome})") }, board.clone())
        }
    };
    if found == expect { Ok(()) } else { Err((found, expect)) }
}

fn known_failure(id: &str) -> Option<&'static str> {
    KNOWN_FAILURES.iter().find(|(known, _)| *known == id).map(|(_, reason)| *reason)
}

/// Plays all cases, prints those that fail, and panics if one of them is not known to fail.
fn check_all(file: &str, cases: &[Case]) {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in cases {
        for pace in PACES {
            if let Err((outcome, expect)) = check(case, pace) {
                let line = format!("{:?}, {pace} ms a frame: [{outcome}], not [{expect}]", case.sensing);
                wrong.entry(&case.id).or_default().push(line);
            }
        }
    }
    eprintln!("{file}: {} of {} are as expected", cases.len() - wrong.len(), cases.len());
    for (id, lines) in &wrong {
        eprintln!("{id}: {}\n  {}", known_failure(id).unwrap_or("NEW"), lines.join("\n  "));
    }
    for id in cases.iter().map(|case| case.id.as_str()).filter(|id| known_failure(id).is_some() && !wrong.contains_key(id)) {
        eprintln!("{id} is as expected now: remove it from KNOWN_FAILURES");
    }
    let new: Vec<&str> = wrong.keys().copied().filter(|id| known_failure(id).is_none()).collect();
    assert!(new.is_empty(), "{file}: {} are not as expected, see above", new.join(", "));
}

/// Reads a file of the shared data. If it is missing, prints that and returns `None`.
fn data(name: &str) -> Option<Value> {
    let path = format!("{}/../shared/data/sensor/{name}", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("JSON")),
        Err(error) => {
            eprintln!("SKIPPED: {path}: {error}");
            None
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().into_iter().flatten().map(read).collect()
}

/// A board on which these squares are occupied, with a1 as the lowest bit. A white pawn is put on a square that was empty, because the
/// piece is not given.
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
    let entry = |table: &[(&str, &str)]| table.iter().find(|(known, _)| *known == id).map(|(_, words)| (*words).to_owned());
    let start = Position::from_fen(&text(&value["start_fen"]), false).expect("a FEN");
    let mut frames = list(&value["events"], |frame| list(frame, text));
    let set_up = value["setup_board"].as_str().map(|board| Position::from_fen(board, false).expect("a board").board().clone());
    // Without events the only frame is the placement at the start, or the placement that is seen next as a whole.
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
    let different = DIFFERENT_ON_PURPOSE.iter().find(|(known, ..)| *known == id).map(|(_, words, _)| (*words).to_owned());
    let expect = match (different.or(entry(NOT_STATED)), list(&value["expect_boards"], text).pop()) {
        (Some(words), _) => Expect::Words(words),
        (None, Some(board)) if moves.is_empty() => Expect::Board(board),
        _ => Expect::Words([moves.join(" "), entry(ALSO_EXPECTED).unwrap_or_default()].join(" ").trim().to_owned()),
    };
    let sensing = match value["sensor"].as_str() {
        Some("identity") => SensorKind::Identity,
        Some("colour") => SensorKind::Colour,
        Some("occupancy") => SensorKind::Occupancy,
        other => panic!("{id}: unknown sensor {other:?}"),
    };
    // A wrong position matters once play has begun.
    let clock = matches!(&expect, Expect::Words(words) if words.starts_with("reported"));
    Case { id, sensing, start, set_up, history: list(&value["history"], text), frames, clock, expect }
}

#[test]
fn sequences_of_other_authors() {
    let Some(all) = data("sequences.json") else { return };
    let cases: Vec<Case> = list(&all, case);
    assert!(cases.len() >= 39, "only {} sequences were read", cases.len());
    check_all("sequences.json", &cases);
}

/// Reports of users that can be played as sequences: the id, the start position, the frames, and the expected outcome. The boards are
/// DGT boards, so the sensing is identity; each report is also played as colour and occupancy boards would see it.
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

/// Reports in the file that cannot be played as sequences, and where they are tested instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("picochess-108", "the order of a DGT board's messages at the start: tests/boards/dgt.rs"),
    ("lila-15607", "a check that nobody noticed: irregular moves are tested with their alerts"),
    ("broadcaster-63", "an illegal move in a PGN: illegal moves are marked, tests/core/properties.rs"),
    ("lila-20307", "an answer of another program's web interface"),
    ("python-chess-1176", "illegal ends in PGN files of other makers: tests/core/pgn.rs reads the legal part"),
];

#[test]
fn sequences_reported_by_users() {
    let Some(file) = data("issue-logs.json") else { return };
    let mut cases = Vec::new();
    for item in file["items"].as_array().into_iter().flatten() {
        let id = text(&item["id"]);
        let Some((_, fen, frames, expect)) = REPORTED.iter().find(|(known, ..)| *known == id) else {
            assert!(ELSEWHERE.iter().any(|(known, _)| *known == id), "{id} is new: add it to REPORTED or ELSEWHERE");
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
        // The report has the final placement of the board, if a move was made.
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
