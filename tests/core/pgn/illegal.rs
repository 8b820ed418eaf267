//! Illegal moves and impossible positions in PGN: readers that refuse them are not given any.

use super::{GameRead, RecordBuilder, START, Visitor, read, tags};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position as _, Role};
use std::path::Path;
use touchmove::game::event::ClockTimes;
use touchmove::game::pgn::{AfterIllegal, pgn_with};
use touchmove::game::{ClockTime, CompletedBy, Confidence, Event, GameResult, PlayedMove};
use touchmove::laws::{Move, Position};
use touchmove::publish::render::pgn::explain_in_english;

const ALL_WAYS: [AfterIllegal; 3] = [AfterIllegal::Stop, AfterIllegal::Fen, AfterIllegal::End];

/// A game of moves in UCI, with castling as king to rook; illegal moves may be by either player.
struct Game {
    builder: RecordBuilder,
    position: Position,
    chess960: bool,
}

impl Game {
    fn begin(fen: &str, chess960: Option<u16>) -> Game {
        let castles = chess960.is_some_and(|number| number != 518);
        let position = Position::from_fen(fen, castles).expect("a FEN");
        let chess960_here = castles || position.is_chess960();
        Game { builder: RecordBuilder::begin(fen, chess960), position, chess960: chess960_here }
    }

    fn of(fen: &str, moves: &str) -> Game {
        let mut game = Game::begin(fen, if fen == START { Some(518) } else { None });
        for uci in moves.split_whitespace() {
            let position = &game.position;
            let mv = position.parse_uci(uci).or_else(|| position.any_move(uci));
            game.play(mv.unwrap_or_else(|| panic!("{uci} in {}", position.fen())));
        }
        game
    }

    fn play(&mut self, mv: Move) {
        let after = self.position.play(mv);
        let (uci, san, fen) = (self.position.uci(mv), self.position.san(mv), after.fen());
        let played = PlayedMove { uci, san, fen, irregular: !self.position.is_legal(mv), evidence: Vec::new() };
        let ply = self.builder.record.plies.len() as u32 + 1;
        self.builder.apply(Event::MoveMade { ply, played, confidence: Confidence::CERTAIN, alternatives: Vec::new() });
        self.position = after;
    }

    fn written(&self, after: AfterIllegal) -> String {
        pgn_with(&self.builder.record, &tags(&[("White", "One"), ("Part", "not ours")]), after, &explain_in_english)
    }

    /// The movetext of each written game.
    fn movetexts(&self, after: AfterIllegal) -> Vec<String> {
        let text = self.written(after);
        let movetexts: Vec<&str> = text.trim_end().split("\n\n").skip(1).step_by(2).collect();
        movetexts.into_iter().map(|text| text.replace('\n', " ")).collect()
    }

    /// The position before this ply.
    fn fen_before(&self, ply: usize) -> &str {
        let record = &self.builder.record;
        ply.checked_sub(1).map_or(&record.start_fen, |last| &record.plies[last].played.fen)
    }
}

/// The position as another reader reads it, which accepts no impossible position.
fn strict(fen: &str, chess960: bool) -> Option<Chess> {
    let fen: Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::from_chess960(chess960)).ok()
}

fn fen_of(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The moves and positions of a game as a reader with the rules of chess follows it; panics at an illegal move or position.
fn followed(game: &GameRead) -> Vec<(String, String)> {
    let chess960 = game.tags.get("Variant").is_some_and(|variant| variant == "Chess960");
    let start = game.tags.get("FEN").map_or(START, String::as_str);
    assert_eq!(game.tags.contains_key("SetUp"), game.tags.contains_key("FEN"));
    let mut position = strict(start, chess960).unwrap_or_else(|| panic!("no reader accepts {start}"));
    let mut followed = Vec::new();
    for (san, _) in &game.moves {
        let san: SanPlus = san.parse().expect("SAN");
        let mv = san.san.to_move(&position).unwrap_or_else(|error| panic!("{san} in {}: {error}", fen_of(&position)));
        let uci = mv.to_uci(CastlingMode::Chess960).to_string();
        position.play_unchecked(mv);
        followed.push((uci, fen_of(&position)));
    }
    followed
}

/// The part of a game that such a reader may be given: legal moves from possible positions, each with the position after it.
fn readable(game: &Game) -> Vec<(usize, (String, String))> {
    let plies = &game.builder.record.plies;
    let legal = plies.iter().enumerate().filter(|(_, ply)| !ply.played.irregular);
    let moves = legal.filter_map(|(index, ply)| {
        let before = strict(&Position::from_fen(game.fen_before(index), game.chess960).ok()?.fen(), game.chess960)?;
        let uci: UciMove = ply.played.uci.parse().expect("UCI");
        let mv = uci.to_move(&before).expect("a legal move");
        let after = strict(&ply.played.fen, game.chess960).expect("a legal move leads to a position of chess");
        Some((index, (mv.to_uci(CastlingMode::Chess960).to_string(), fen_of(&after))))
    });
    moves.collect()
}

/// Checks that each way of writing a game can be read completely, with the expected moves.
fn check(game: &Game) {
    let plies = &game.builder.record.plies;
    let result = game.builder.record.result.map_or("*", |(result, _)| result.as_str());
    let expect = readable(game);
    let until_illegal = expect.iter().enumerate().take_while(|(count, (index, _))| count == index).count();
    for after in ALL_WAYS {
        let text = game.written(after);
        let games = read(&text);
        let moves: Vec<(String, String)> = games.iter().flat_map(followed).collect();
        let expect: Vec<_> = expect.iter().map(|(_, move_and_position)| move_and_position.clone()).collect();
        match after {
            AfterIllegal::Stop | AfterIllegal::End => {
                assert_eq!((games.len(), &moves[..]), (1, &expect[..until_illegal]), "{text}");
            }
            AfterIllegal::Fen => assert_eq!(moves, expect, "{text}"),
        }
        let (last, others) = games.split_last().expect("a game");
        assert_eq!(last.tags["Result"], result, "{text}");
        for (index, part) in games.iter().enumerate() {
            assert_eq!(part.tags["White"], "One");
            let number = (index + 1).to_string();
            assert_eq!(part.tags.get("Part"), Some(number).as_ref().filter(|_| games.len() > 1), "{text}");
        }
        assert!(others.iter().all(|part| part.tags["Result"] == "*"), "{text}");
        let movetexts = game.movetexts(after);
        assert_eq!(movetexts.len(), games.len(), "{text}");
        for (movetext, game) in movetexts.iter().zip(&games) {
            assert!(movetext.ends_with(game.tags["Result"].as_str()), "{text}");
            assert_eq!(movetext.matches('{').count(), movetext.matches('}').count(), "{text}");
        }
        // Illegal moves are in comments, unless they are left out on purpose.
        let irregular = plies.iter().filter(|ply| ply.played.irregular);
        for ply in irregular.filter(|_| after != AfterIllegal::End) {
            assert!(movetexts.iter().any(|text| text.contains(&ply.played.san)), "{} in {text}", ply.played.san);
        }
        if after == AfterIllegal::End {
            assert!(!text.contains("legal"), "{text}");
        }
        assert!(text.lines().all(|line| line.starts_with('[') || line.chars().count() < 80), "{text}");
    }
}

/// Any move of a piece of either side, legal or not.
fn any_move(position: &Position, from: prop::sample::Index, to: prop::sample::Index) -> Option<Move> {
    let occupied: Vec<_> = position.board().occupied().into_iter().collect();
    if occupied.is_empty() {
        return None;
    }
    let from = occupied[from.index(occupied.len())];
    let to = shakmaty::Square::ALL.into_iter().filter(|to| *to != from).nth(to.index(63))?;
    let pawn = position.piece_at(from)?.role == Role::Pawn;
    let queen = if pawn && (from.file().char() > 'd') && "18".contains(to.rank().char()) { "q" } else { "" };
    position.any_move(&format!("{from}{to}{queen}"))
}

#[test]
fn readers_follow_random_games_with_any_illegal_moves() {
    let starts = [
        (START, Some(518)),
        (START, None),
        ("nnrbkrbq/pppppppp/8/8/8/8/PPPPPPPP/NNRBKRBQ w FCfc - 0 1", Some(400)),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", None),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 3 31", None),
        // Both kings in check; a pawn on the last rank and on the first; too many kings; no king.
        ("4k2R/8/8/8/8/8/8/r3K3 w - - 0 1", None),
        ("4P1k1/2p5/8/8/8/8/r6p/p5K1 b - - 0 1", None),
        ("8/8/3QQ3/8/8/2kk4/8/8 w - - 0 1", None),
        ("8/8/3qq3/8/8/8/7P/8 b - - 0 7", None),
        // An impossible double check, too many queens, and impossible rights to castle and to capture en passant.
        ("4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1", None),
        ("QQQQQQQQ/QQ5k/8/PPPPPPPP/8/8/8/K7 w - - 0 1", None),
        ("4k3/8/8/8/8/8/4P3/4K3 w KQkq e6 0 1", None),
    ];
    let choice = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..8u8, 0..3u8);
    let game = (0..starts.len(), proptest::collection::vec(choice, 0..30), 0..5usize);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 400, ..ProptestConfig::default() });
    let run = runner.run(&game, |(start, choices, result)| {
        let (fen, number) = starts[start];
        let mut game = Game::begin(fen, number);
        for (from, to, kind, pressed) in choices {
            let legal = game.position.legal_moves();
            let mv = match kind {
                0 => any_move(&game.position, from, to),
                _ if legal.is_empty() => any_move(&game.position, from, to),
                _ => Some(legal[from.index(legal.len())]),
            };
            let Some(mv) = mv else { break };
            game.play(mv);
            if pressed > 0 {
                game.builder.at += 9_000;
                game.builder.press_clock(Some(500), Some(400));
            }
        }
        let results = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];
        results.get(result).into_iter().for_each(|result| game.builder.result(*result));
        check(&game);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn the_movetext_ends_at_the_illegal_move_or_continues_in_the_next_game() {
    let mut game = Game::of(START, "e2e4 e7e5 e1e3 g8f6 g1f3");
    game.builder.result(GameResult::Draw);
    check(&game);
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQ1BNR b kq - 1 2";
    let end = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/4KN2/PPPP1PPP/RNBQ1B1R b kq - 3 3";
    let move_and_reason = "2. Ke1-e3 (a king does not move from e1 to e3)";
    assert_eq!(
        game.movetexts(AfterIllegal::Stop),
        [format!("1. e4 e5 {{Not legal, and played on: {move_and_reason} 2... Nf6 3. Nf3 to {end}}} 1/2-1/2")]
    );
    assert_eq!(
        game.movetexts(AfterIllegal::Fen),
        [
            format!("1. e4 e5 {{Not legal: {move_and_reason} to {fen}; the next game goes on from there}} *"),
            "2... Nf6 3. Nf3 1/2-1/2".into()
        ]
    );
    assert_eq!(read(&game.written(AfterIllegal::Fen))[1].tags["FEN"], fen);
    assert_eq!(game.movetexts(AfterIllegal::End), ["1. e4 e5 1/2-1/2"]);
}

#[test]
fn two_illegal_moves_and_one_at_the_end() {
    // Black's rook leaps over a pawn, then White's rook does; White moves out of turn at the end.
    let game = Game::of(START, "e2e4 a8a5 a1a4 g8f6 b1c3 d2d4");
    check(&game);
    let texts = game.movetexts(AfterIllegal::Fen);
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].starts_with("1. e4 {Not legal: 1... Ra8-a5 (the path of the rook on a8 is blocked"), "{texts:?}");
    assert!(texts[1].starts_with("{Not legal: 2. Ra1-a4 (the path of the rook on a1 is blocked"), "{texts:?}");
    assert!(texts[2].starts_with("2... Nf6 3. Nc3 {Not legal: 3. d2-d4 (it was Black's turn"), "{texts:?}");
    assert!(texts[2].ends_with(" b Kk - 0 3} *"), "there is no next game yet: {texts:?}");
    assert_eq!(game.movetexts(AfterIllegal::End), ["1. e4 *"]);
}

#[test]
fn moves_from_impossible_positions_are_written_in_comments() {
    // White gives check and leaves the own king in check, twice; Black moves out of check each time.
    let game = Game::of("4k3/8/8/8/8/4r3/8/R3K3 w - - 0 1", "a1a8 e8d7 a8a7 d7c6");
    check(&game);
    let texts = game.movetexts(AfterIllegal::Fen);
    let reason = "(the move leaves the king on e1 in check from the rook on e3)";
    assert!(texts[0].starts_with(&format!("{{Not legal, and played on: 1. Ra1-a8 {reason} 1... Kd7+ to ")), "{texts:?}");
    assert!(texts[1].starts_with(&format!("{{Not legal, and played on: 2. Ra8-a7 {reason} 2... Kc6+ to ")), "{texts:?}");
    assert_eq!(texts.len(), 2);
}

#[test]
fn an_impossible_start_is_written_in_comments() {
    let both_in_check = "4k2R/8/8/8/8/8/8/r3K3 w - - 0 1";
    let without_moves = Game::of(both_in_check, "");
    check(&without_moves);
    for after in ALL_WAYS {
        assert_eq!(without_moves.movetexts(after), [format!("{{Begun from {both_in_check}, which readers refuse}} *")]);
    }
    let game = Game::of(both_in_check, "e1e2 e8e7 h8h7 e7e6");
    check(&game);
    let fen = "4k2R/8/8/8/8/8/4K3/r7 b - - 1 1";
    assert_eq!(
        game.movetexts(AfterIllegal::Fen),
        [format!(
            "{{Begun from {both_in_check}, which readers refuse, and played on: 1. Ke2+ to {fen}}} 1... Ke7 2. Rh7+ Ke6 *"
        )]
    );
    assert!(game.movetexts(AfterIllegal::Stop)[0].contains("and played on: 1. Ke2+ Ke7 2. Rh7+ Ke6 to "));
    assert_eq!(game.movetexts(AfterIllegal::End), [format!("{{Begun from {both_in_check}, which readers refuse}} *")]);

    // Impossible castling rights are left out, and the position is accepted.
    let game = Game::of("4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1", "e2e4");
    check(&game);
    assert_eq!(read(&game.written(AfterIllegal::Stop))[0].tags["FEN"], "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
}

#[test]
fn each_part_has_its_clocks_and_result() {
    let mut game = Game::of(START, "");
    for (uci, white, black) in [("e2e4", 300, 300), ("e7e5", 300, 290), ("e1e3", 280, 290), ("d2d4", 270, 290)] {
        let mv = game.position.parse_uci(uci).or_else(|| game.position.any_move(uci)).expect("a move");
        game.play(mv);
        let time = |s: u32| Some(ClockTime { ms: s * 1000, resolution_ms: 1000, age_ms: 0 });
        let clocks = ClockTimes { white: time(white), black: time(black) };
        let ply = game.builder.record.plies.len() as u32;
        game.builder.apply(Event::MoveCompleted { ply, by: CompletedBy::Clock, clocks });
    }
    game.builder.result(GameResult::BlackWins);
    let games = read(&game.written(AfterIllegal::Fen));
    let clock = |game: &GameRead| game.tags.get("WhiteClock").cloned();
    assert_eq!(games.iter().map(clock).collect::<Vec<_>>(), [None, Some("00:04:30".to_owned())]);
    // White moved twice: the clock of the mover is written.
    let times: Vec<_> = games.iter().flat_map(|game| game.moves.iter().map(|(_, clock)| *clock)).collect();
    assert_eq!(times, [Some(300), Some(290)]);
    assert_eq!(game.position.turn(), Color::Black);
}

#[test]
fn games_with_illegal_moves_are_written_as_committed() {
    let mut game = Game::of(START, "e2e4 e7e5 e1e3 g8f6 g1f3 f8b4 d2d5 e8h8 b1c3");
    game.builder.result(GameResult::WhiteWins);
    check(&game);
    let written: String = ALL_WAYS.into_iter().map(|after| game.written(after)).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pgn/illegal.pgn");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == committed, "PGN changed. If the change is intended, write this to {}:\n{written}", path.display());
}

/// A lenient reader, which reports every SAN.
#[test]
fn no_illegal_move_is_written_as_a_move() {
    struct Sans(Vec<String>);
    impl Visitor for Sans {
        type Tags = ();
        type Movetext = ();
        type Output = ();
        fn begin_tags(&mut self) -> std::ops::ControlFlow<(), ()> {
            std::ops::ControlFlow::Continue(())
        }
        fn begin_movetext(&mut self, (): ()) -> std::ops::ControlFlow<(), ()> {
            std::ops::ControlFlow::Continue(())
        }
        fn san(&mut self, (): &mut (), san: SanPlus) -> std::ops::ControlFlow<()> {
            self.0.push(san.to_string());
            std::ops::ControlFlow::Continue(())
        }
        fn end_game(&mut self, (): ()) {}
    }
    let game = Game::of(START, "e2e4 e7e5 e1e3 g8f6");
    let mut sans = Sans(Vec::new());
    let text = game.written(AfterIllegal::Fen);
    pgn_reader::Reader::new(text.as_bytes()).visit_all_games(&mut sans).expect("PGN");
    assert_eq!(sans.0, ["e4", "e5", "Nf6"]);
}
