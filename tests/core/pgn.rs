//! PGN: compared with committed files, and read by other readers.

mod illegal;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position as _};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::pgn::pgn;
use touchmove::game::{
    ClockTime, CompletedBy, Confidence, CorrectionReason, Event, GameResult, PlayedMove, Record, ResultReason, StampedEvent,
};
use touchmove::laws::Position;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A record that is built of events, as from the journal.
struct RecordBuilder {
    record: Record,
    at: u64,
}

impl RecordBuilder {
    fn begin(fen: &str, chess960: Option<u16>) -> RecordBuilder {
        let event = Event::GameStarted { fen: fen.into(), chess960, laws: "fide-2023".into(), rotation: Rotation::Upright };
        let record = Record::begin(&StampedEvent { at: 0, number: Some(1), event }).expect("a game");
        RecordBuilder { record, at: 0 }
    }

    fn apply(&mut self, event: Event) {
        let number = Some(self.record.last_number + 1);
        self.record.apply(&StampedEvent { at: self.at, number, event });
    }

    fn make_move(&mut self, san: &str) {
        let played =
            PlayedMove { uci: "0000".into(), san: san.into(), fen: String::new(), irregular: false, evidence: Vec::new() };
        let ply = self.record.plies.len() as u32 + 1;
        self.apply(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
    }

    /// Completes the last move by the clock, which shows these seconds.
    fn press_clock(&mut self, white: Option<u32>, black: Option<u32>) {
        let time = |seconds: u32| ClockTime { ms: seconds * 1000, resolution_ms: 1000, age_ms: 0 };
        let clocks = ClockTimes { white: white.map(time), black: black.map(time) };
        self.apply(Event::MoveCompleted { ply: self.record.plies.len() as u32, by: CompletedBy::Clock, clocks });
    }

    fn result(&mut self, result: GameResult) {
        self.apply(Event::Result { result: Some(result), reason: ResultReason::KingsSignal });
    }
}

fn tags(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Three games: an ordinary one with clocks, one from a position with Black to move, one of Chess960.
fn examples() -> String {
    let mut usual = RecordBuilder::begin(START, Some(518));
    let mut clocks = [5400, 5400];
    for (index, san) in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "f6"].into_iter().enumerate() {
        usual.make_move(san);
        let thought = 5 + 10 * index as u32;
        usual.at += u64::from(thought) * 1000;
        clocks[index % 2] = clocks[index % 2] - thought + 30;
        usual.press_clock(Some(clocks[0]), Some(clocks[1]));
    }
    usual.make_move("d4");
    usual.result(GameResult::Draw);
    let players = tags(&[
        ("WhiteElo", "2772"),
        ("White", "Nobody, \"Bob\" B\\"),
        ("Event", "Club\nevening"),
        ("Result", "1-0"),
        ("TimeControl", "40/5400+30:1800+30"),
        ("Round", "1.1"),
        ("not a name", "x"),
        ("Date", "2026.11.21"),
        ("Site", ""),
    ]);

    let mut study = RecordBuilder::begin("6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 3 31", None);
    ["h6", "Rd8+", "Kh7"].into_iter().for_each(|san| study.make_move(san));

    let mut chess960 = RecordBuilder::begin("nnrbkrbq/pppppppp/8/8/8/8/PPPPPPPP/NNRBKRBQ w FCfc - 0 1", Some(400));
    chess960.make_move("g3");
    chess960.press_clock(None, None);
    chess960.make_move("c6");
    chess960.result(GameResult::BlackWins);
    [pgn(&usual.record, &players), pgn(&study.record, &[]), pgn(&chess960.record, &[])].concat()
}

#[test]
fn games_are_written_as_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pgn/examples.pgn");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let written = examples();
    assert!(written == committed, "PGN changed. If the change is intended, write this to {}:\n{written}", path.display());
}

/// A position of Chess960 is recognised by its castling rights, also where these are written as in standard chess.
#[test]
fn a_position_of_chess960_has_the_variant_tag() {
    let variant = |fen| pgn(&RecordBuilder::begin(fen, None).record, &[]).contains("[Variant \"Chess960\"]");
    assert!(variant("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9"));
    assert!(!variant("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
}

#[test]
fn lines_are_short_and_tags_are_read_back() {
    let text = examples();
    assert!(text.lines().all(|line| line.chars().count() < 80), "{text}");
    let games = read(&text);
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].tags["White"], "Nobody, \"Bob\" B\\");
    assert_eq!(games[0].tags["Event"], "Club evening");
    assert_eq!(games[0].tags["Result"], "1/2-1/2");
    assert!(!games[0].tags.contains_key("not a name"));
    assert_eq!(games[1].tags["SetUp"], "1");
    assert_eq!(games[2].tags["Variant"], "Chess960");
}

#[test]
fn thinking_time_is_written_only_where_presses_and_clocks_agree() {
    let last_comment = |before: u32, elapsed_s: u64, after: u32| {
        let mut builder = RecordBuilder::begin(START, Some(518));
        builder.make_move("e4");
        builder.press_clock(Some(before), Some(600));
        builder.make_move("e5");
        builder.press_clock(Some(before), Some(600));
        builder.at += elapsed_s * 1000;
        builder.make_move("Nf3");
        builder.press_clock(Some(after), Some(600));
        let text = pgn(&builder.record, &[]);
        text[text.rfind('{').expect("a comment")..=text.rfind('}').expect("its end")].to_owned()
    };
    assert_eq!(last_comment(300, 20, 280), "{[%clk 0:04:40] [%emt 0:00:20]}");
    assert_eq!(last_comment(300, 20, 310), "{[%clk 0:05:10] [%emt 0:00:20]}", "an increment");
    assert_eq!(last_comment(300, 20, 200), "{[%clk 0:03:20]}", "the clock lost more than passed");
    assert_eq!(last_comment(300, 3600, 290), "{[%clk 0:04:50]}", "a longer thinking time than the clock had");
}

#[test]
fn a_corrected_move_has_no_clock_until_it_is_completed_again() {
    let mut builder = RecordBuilder::begin(START, Some(518));
    builder.make_move("e4");
    builder.press_clock(Some(300), Some(300));
    let moves =
        vec![PlayedMove { uci: "e2e3".into(), san: "e3".into(), fen: String::new(), irregular: false, evidence: Vec::new() }];
    builder.apply(Event::MovesCorrected { from_ply: 1, moves, reason: CorrectionReason::Evidence });
    assert!(pgn(&builder.record, &[]).ends_with("\n1. e3 *\n\n"));
}

/// A game as another reader reads it.
#[derive(Debug, Default, PartialEq)]
struct GameRead {
    tags: BTreeMap<String, String>,
    /// SAN, and the seconds of `[%clk]`.
    moves: Vec<(String, Option<u32>)>,
}

struct GameCollector;

impl Visitor for GameCollector {
    type Tags = GameRead;
    type Movetext = GameRead;
    type Output = GameRead;

    fn begin_tags(&mut self) -> ControlFlow<GameRead, GameRead> {
        ControlFlow::Continue(GameRead::default())
    }
    fn tag(&mut self, game: &mut GameRead, name: &[u8], value: RawTag<'_>) -> ControlFlow<GameRead> {
        game.tags.insert(String::from_utf8_lossy(name).into_owned(), value.decode_utf8_lossy().into_owned());
        ControlFlow::Continue(())
    }
    fn begin_movetext(&mut self, game: GameRead) -> ControlFlow<GameRead, GameRead> {
        ControlFlow::Continue(game)
    }
    fn san(&mut self, game: &mut GameRead, san: SanPlus) -> ControlFlow<GameRead> {
        game.moves.push((san.to_string(), None));
        ControlFlow::Continue(())
    }
    fn comment(&mut self, game: &mut GameRead, comment: RawComment<'_>) -> ControlFlow<GameRead> {
        let text = String::from_utf8_lossy(comment.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((_, rest)) = text.split_once("[%clk ")
            && let Some((time, _)) = rest.split_once(']')
            && let Some((_, clock)) = game.moves.last_mut()
        {
            let fields: Option<Vec<u32>> = time.split(':').map(|field| field.trim().parse().ok()).collect();
            *clock = fields.map(|fields| fields.iter().fold(0, |seconds, field| seconds * 60 + field));
        }
        ControlFlow::Continue(())
    }
    fn end_game(&mut self, game: GameRead) -> GameRead {
        game
    }
}

fn read(text: &str) -> Vec<GameRead> {
    let mut reader = Reader::new(text.as_bytes());
    reader.read_games(&mut GameCollector).collect::<Result<_, _>>().expect("PGN from memory")
}

/// The moves as shakmaty reads them, in UCI with castling as king to rook, and the position at the end.
fn play(game: &GameRead) -> (Vec<String>, String) {
    let chess960 = game.tags.get("Variant").is_some_and(|variant| variant == "Chess960");
    let mode = CastlingMode::from_chess960(chess960);
    let start: Fen = game.tags.get("FEN").map_or(START, String::as_str).parse().expect("a FEN");
    let mut position: Chess = start.into_position(mode).expect("a position");
    let mut moves = Vec::new();
    for (san, _) in &game.moves {
        let san: SanPlus = san.parse().expect("SAN");
        let played = san.san.to_move(&position).unwrap_or_else(|error| panic!("{san} after {moves:?}: {error}"));
        moves.push(played.to_uci(CastlingMode::Chess960).to_string());
        position.play_unchecked(played);
    }
    (moves, Fen::from_position(&position, EnPassantMode::Legal).to_string())
}

#[test]
fn real_games_are_read_back_with_all_moves_and_clocks() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games");
    if !games.is_dir() {
        eprintln!("skipped: no games in {}", games.display());
        return;
    }
    let (mut games_read, mut moves_read, mut clocks_read) = (0, 0, 0);
    for name in ["worldcup2025", "clubcup2018", "blitz-online", "chess960"] {
        let bytes = std::fs::read(games.join(name).with_extension("pgn")).expect("a file of games");
        for source in read(&String::from_utf8_lossy(&bytes)) {
            let chess960 = source.tags.get("Variant").is_some_and(|variant| variant == "chess 960");
            let start = source.tags.get("FEN").map_or(START, String::as_str);
            let mut position = Position::from_fen(start, chess960).expect("a FEN");
            let mut builder = RecordBuilder::begin(start, if chess960 { Some(0) } else { Some(518) });
            let (mut expect, mut clocks) = (Vec::new(), ClockTimes::default());
            for (san, clock) in &source.moves {
                // An illegal last move in a broadcast means kings in the centre.
                let Some(mv) = position.parse_san(san) else { break };
                builder.make_move(&position.san(mv));
                expect.push(mv.to_uci(CastlingMode::Chess960).to_string());
                let time = clock.map(|seconds| ClockTime { ms: seconds * 1000 + 999, resolution_ms: 1000, age_ms: 0 });
                match position.turn() {
                    Color::White => clocks.white = time,
                    Color::Black => clocks.black = time,
                }
                let ply = builder.record.plies.len() as u32;
                builder.at += 10_000;
                builder.apply(Event::MoveCompleted { ply, by: CompletedBy::Clock, clocks });
                position = position.play(mv);
            }
            let mut names = tags(&[("ECO", "A00")]);
            names.extend(source.tags.iter().map(|(name, value)| (name.clone(), value.clone())));
            let text = pgn(&builder.record, &names);
            let game_read = read(&text).pop().expect("a game");
            let (moves, end) = play(&game_read);
            assert_eq!((moves, end), (expect, position.fen()), "{text}");
            for ((_, clock_read), (_, source_clock)) in game_read.moves.iter().zip(&source.moves) {
                assert_eq!(clock_read, source_clock, "{text}");
                clocks_read += usize::from(clock_read.is_some());
            }
            for name in ["White", "Black", "Event", "Site", "Date", "Round", "WhiteElo"] {
                if let Some(value) = source.tags.get(name).filter(|value| !value.is_empty()) {
                    assert_eq!(game_read.tags.get(name), Some(value), "{text}");
                }
            }
            games_read += 1;
            moves_read += game_read.moves.len();
        }
    }
    assert!(games_read > 500 && moves_read > 40_000 && clocks_read > 30_000, "{games_read} {moves_read} {clocks_read}");
}
