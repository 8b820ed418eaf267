//! The references with which `score` compares our figures: simpler decoders, and a bound for any decoder.

use shakmaty::{Bitboard, Color, Piece, Square};
use touchmove::boards::{Millis, Placement, Reading, SensorKind, SquareState};
use touchmove::ctl::simulate::HandsArgs;
use touchmove::game::event::{Confidence, Rotation};
use touchmove::game::{Event, PlayedMove, StampedEvent};
use touchmove::lab::baselines::{self, Baseline, BaselineContext};
use touchmove::lab::bound::{self, Bound, EarlyReply};
use touchmove::lab::game_figures::compare;
use touchmove::lab::options::SimulationOptions;
use touchmove::lab::sensed_placement::SensedPlacement;
use touchmove::lab::{figures::Figures, score};
use touchmove::laws::{Move, Position};
use touchmove::simulate::irregularity::{Irregularity, IrregularityKind};
use touchmove::simulate::pgn;
use touchmove::simulate::truth::GroundTruth;
use touchmove::table::Settings;

/// Readings from words `at:square=piece`, a piece as in FEN or `-` for none, after the placement of the start position at time 0.
fn readings(start: &Position, text: &str) -> Vec<(Millis, Reading)> {
    let placement: Placement =
        std::array::from_fn(|index| start.piece_at(Square::new(index as u32)).map_or(SquareState::Empty, SquareState::Piece));
    let mut readings = vec![(0, Reading::Placement(Box::new(placement)))];
    for word in text.split_whitespace() {
        let mut parts = word.split([':', '=']);
        let mut next = || parts.next().expect("at:square=piece");
        let (at, square, piece) = (next().parse().unwrap(), next().parse().unwrap(), next());
        let sensed = piece.chars().next().and_then(Piece::from_char).map_or(SquareState::Empty, SquareState::Piece);
        readings.push((at, Reading::Square(square, sensed)));
    }
    readings
}

fn decoded(baseline: Baseline, start: &Position, sensing: SensorKind, text: &str) -> String {
    let context = BaselineContext { start, rotation: Rotation::Upright, sensing, until: 100_000 };
    let mut line: Vec<String> = Vec::new();
    for stamped in baselines::decode(baseline, &readings(start, text), &context) {
        let (from, moves) = match stamped.event {
            Event::MoveMade { ply, played, .. } => (ply, vec![played]),
            Event::MovesCorrected { from_ply, moves, .. } => (from_ply, moves),
            _ => continue,
        };
        line.truncate(from as usize - 1);
        line.extend(moves.into_iter().map(|played| played.uci));
    }
    line.join(" ")
}

#[test]
fn baselines_decode_as_described() {
    let start = Position::start();
    let check = |text: &str, expect: [&str; 3]| {
        for (baseline, expect) in [Baseline::First, Baseline::Settled, Baseline::Reachable].into_iter().zip(expect) {
            assert_eq!(decoded(baseline, &start, SensorKind::Identity, text), expect, "{} of {text}", baseline.name());
        }
    };
    check("1000:e2=- 1200:e4=P 3000:e7=- 3200:e5=p", ["e2e4 e7e5"; 3]);
    // The pawn is slid through e3 quickly, and with a rest there.
    check("1000:e2=- 1100:e3=P 1200:e3=- 1300:e4=P 3000:e7=- 3200:e5=p", ["e2e3", "e2e4 e7e5", "e2e4 e7e5"]);
    check("1000:e2=- 1100:e3=P 1900:e3=- 2000:e4=P 3000:e7=- 3200:e5=p", ["e2e3", "e2e4 e7e5", "e2e4 e7e5"]);
    // The reply begins before the piece is put down, so no placement shows the first move alone.
    check("1000:e2=- 1100:e7=- 1200:e4=P 1300:e5=p 3000:g1=- 3200:f3=N", [""; 3]);
    // A takeback.
    check(
        "1000:e2=- 1200:e4=P 3000:e7=- 3200:e5=p 6000:e5=- 6200:e7=p 8000:d7=- 8200:d5=p",
        ["e2e4 e7e5", "e2e4 d7d5", "e2e4 d7d5"],
    );
}

#[test]
fn baselines_choose_the_first_of_moves_that_look_the_same() {
    let start = Position::from_fen("4k3/8/2p1p3/3P4/8/8/8/4K3 w - - 0 1", false).unwrap();
    let first = start.legal_moves().iter().find(|mv| mv.is_capture()).map(|&mv| start.uci(mv)).unwrap();
    for baseline in [Baseline::First, Baseline::Settled, Baseline::Reachable] {
        assert_eq!(decoded(baseline, &start, SensorKind::Identity, "1000:d5=- 1200:e6=P"), "d5e6");
        assert_eq!(decoded(baseline, &start, SensorKind::Colour, "1000:d5=- 1200:e6=P"), "d5e6");
        assert_eq!(decoded(baseline, &start, SensorKind::Occupancy, "1000:d5=-"), first);
    }
}

/// The bound for this line if these squares were seen empty (ply from 1, square).
fn bound_of(fen: &str, moves: &str, empty: &[(usize, Square)], sensing: SensorKind) -> Bound {
    let start = Position::from_fen(fen, false).unwrap();
    let mut position = start.clone();
    let mut line: Vec<Move> = Vec::new();
    for uci in moves.split_whitespace() {
        let mv = position.parse_uci(uci).unwrap_or_else(|| panic!("{uci} is not legal"));
        position = position.play(mv);
        line.push(mv);
    }
    let mut seen = vec![Bitboard::EMPTY; line.len()];
    empty.iter().for_each(|&(ply, square)| seen[ply - 1].add(square));
    bound::bound(&start, &line, &seen, &[], sensing)
}

#[test]
fn a_silent_capture_is_ambiguous_until_something_decides() {
    const TWO_VICTIMS: &str = "4k3/8/2p1p3/3P4/8/8/8/4K3 w - - 0 1";
    let lines = |moves: &str, empty: &[(usize, Square)], sensing: SensorKind| {
        let bound = bound_of(TWO_VICTIMS, moves, empty, sensing);
        assert!(!bound.capped);
        assert!((bound.uniform - 1.0 / bound.lines).abs() < 1e-9);
        bound.lines.round() as u32
    };
    assert_eq!(lines("d5e6", &[], SensorKind::Occupancy), 2);
    assert_eq!(lines("d5e6", &[], SensorKind::Colour), 1);
    assert_eq!(lines("d5e6", &[], SensorKind::Identity), 1);
    // The square of the captured piece was seen empty; that of the moving piece decides nothing.
    assert_eq!(lines("d5e6", &[(1, Square::E6)], SensorKind::Occupancy), 1);
    assert_eq!(lines("d5e6", &[(1, Square::D5)], SensorKind::Occupancy), 2);
    // A move of the king decides nothing; a move of the pawn on c6 does.
    assert_eq!(lines("d5e6 e8d8", &[], SensorKind::Occupancy), 2);
    assert_eq!(lines("d5e6 c6c5", &[], SensorKind::Occupancy), 1);
    // The promoted piece is unknown until it moves as only one kind of piece can.
    let promotes = "7k/P7/8/8/8/8/8/7K w - - 0 1";
    assert_eq!(bound_of(promotes, "a7a8q", &[], SensorKind::Occupancy).lines.round() as u32, 4);
    assert_eq!(bound_of(promotes, "a7a8n h8h7 a8b6", &[], SensorKind::Occupancy).lines.round() as u32, 1);
}

/// Counts the lines that fit by trying all of them, exactly as the bound is defined.
fn count(start: &Position, line: &[Move], early_replies: &[EarlyReply], sensing: SensorKind) -> u32 {
    let expected_after = |ply: usize| {
        let position = line[..ply].iter().fold(start.clone(), |position, &mv| position.play(mv));
        let mut placement = SensedPlacement::of(position.board(), sensing);
        early_replies[ply - 1].iter().for_each(|&(square, piece)| placement.put(square, piece, sensing));
        placement
    };
    let fits = |tried: &[Move]| {
        let mut position = start.clone();
        tried.iter().enumerate().all(|(index, &mv)| {
            position = position.play(mv);
            let placement = SensedPlacement::of(position.board(), sensing);
            let Some(&reply) = tried.get(index + 1).filter(|_| !early_replies[index].is_empty()) else {
                return placement == expected_after(index + 1);
            };
            // Each square of the reply is as before, empty, or as it will be.
            let changes: Vec<(Square, Option<Piece>)> = position.changes(reply).iter().collect();
            (0..3usize.pow(changes.len() as u32)).any(|mut choice| {
                let mut shown = placement;
                for &(square, piece) in &changes {
                    match choice % 3 {
                        0 => {}
                        1 => shown.put(square, None, sensing),
                        _ => shown.put(square, piece, sensing),
                    }
                    choice /= 3;
                }
                shown == expected_after(index + 1)
            })
        })
    };
    fn count_lines(position: &Position, remaining: usize, line: &mut Vec<Move>, fits: &dyn Fn(&[Move]) -> bool) -> u32 {
        if remaining == 0 {
            return u32::from(fits(line));
        }
        let mut count = 0;
        for &mv in position.legal_moves().iter() {
            line.push(mv);
            count += count_lines(&position.play(mv), remaining - 1, line, fits);
            line.pop();
        }
        count
    }
    count_lines(start, line.len(), &mut Vec::new(), &fits)
}

#[test]
fn the_bound_equals_the_count_of_all_lines_also_with_early_replies() {
    let starts = ["4k3/8/2p1p3/3P4/8/5n2/8/4K3 w - - 0 1", "k7/8/8/2n1p3/3P1b2/8/1B6/K7 w - - 0 1"];
    let mut random = 12_345u64;
    let mut random_below = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut overlaps = 0;
    for round in 0..24 {
        let start = Position::from_fen(starts[round % 2], false).unwrap();
        let sensing = if round % 3 == 0 { SensorKind::Colour } else { SensorKind::Occupancy };
        let mut position = start.clone();
        let mut line: Vec<Move> = Vec::new();
        while line.len() < 3 && !position.legal_moves().is_empty() {
            let all = position.legal_moves();
            let captures: Vec<Move> = all.iter().copied().filter(|mv| mv.is_capture()).collect();
            let mv = if captures.is_empty() { all[random_below(all.len())] } else { captures[random_below(captures.len())] };
            position = position.play(mv);
            line.push(mv);
        }
        let mut early_replies = vec![EarlyReply::new(); line.len()];
        let mut position = start.clone();
        for (index, pair) in line.windows(2).enumerate() {
            position = position.play(pair[0]);
            for (square, piece) in position.changes(pair[1]).iter() {
                match random_below(4) {
                    0 => early_replies[index].push((square, None)),
                    1 => early_replies[index].push((square, piece)),
                    _ => {}
                }
            }
            overlaps += usize::from(!early_replies[index].is_empty());
        }
        let never_empty = vec![Bitboard::EMPTY; line.len()];
        let bound = bound::bound(&start, &line, &never_empty, &early_replies, sensing);
        assert_eq!(
            bound.lines.round() as u32,
            count(&start, &line, &early_replies, sensing),
            "{}: {line:?}, {early_replies:?}",
            start.fen()
        );
    }
    assert!(overlaps > 20, "{overlaps}");
    // The rook is captured as soon as it arrives: without a reading in between, the rook may have captured the pawn and the bishop moved.
    let start = Position::from_fen("4k3/3p4/8/4b3/8/8/8/3RK3 w - - 0 1", false).unwrap();
    let first = start.parse_uci("d1d4").unwrap();
    let reply = start.play(first).parse_uci("e5d4").unwrap();
    let early_capture = vec![(Square::E5, None), (Square::D4, Some(Color::Black.bishop()))];
    for (early_replies, lines) in [(vec![EarlyReply::new(); 2], 1), (vec![early_capture, EarlyReply::new()], 2)] {
        let bound = bound::bound(&start, &[first, reply], &[Bitboard::EMPTY; 2], &early_replies, SensorKind::Occupancy);
        assert_eq!(bound.lines.round() as u32, lines);
        assert_eq!(count(&start, &[first, reply], &early_replies, SensorKind::Occupancy), lines);
    }
}

#[test]
fn early_replies_are_on_the_board_at_the_press() {
    let game = pgn::read(OPERA).games.remove(0);
    let simulation = |hands| setting(hands, Rotation::Upright).simulation(&game, 1).unwrap();
    let count_early = |hands| bound::early_replies(simulation(hands).script()).iter().filter(|early| !early.is_empty()).count();
    assert_eq!(count_early("clean"), 0);
    assert!(count_early("blitz") > 0);
}

#[test]
fn hindsight_is_at_least_as_exact() {
    let game = pgn::read(OPERA).games.remove(0);
    let options =
        score::ScoreOptions { sensing: Some(SensorKind::Occupancy), hindsight: true, ..score::ScoreOptions::default() };
    let outcomes: Vec<score::Outcome> =
        (1..=SEEDS).map(|seed| score::play(&game, seed, &setting("blitz", Rotation::Upright), &options).unwrap()).collect();
    let ours = outcomes.iter().filter(|outcome| outcome.ours.exact).count();
    let in_hindsight = outcomes.iter().filter_map(|outcome| outcome.hindsight.as_ref()).filter(|figures| figures.exact).count();
    assert!(in_hindsight >= ours && in_hindsight > 0, "{in_hindsight} of {ours}");
    let figures = Figures::of(outcomes.iter().filter_map(|outcome| outcome.hindsight.as_ref()));
    assert_eq!((figures.plies, figures.retracted, figures.delay.moves), (33 * SEEDS, 0, 0));
}

/// The number of pairs of hands that play the game.
const SEEDS: u64 = 6;
/// Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
const OPERA: &str = "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 \
    9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0\n\n";

#[test]
fn a_move_marked_as_irregular_counts_as_a_report() {
    let stamped = |at, event| StampedEvent { at, number: None, event };
    let played = PlayedMove { uci: "e2e5".into(), san: "e5".into(), fen: String::new(), irregular: true, evidence: Vec::new() };
    let events = [
        stamped(
            0,
            Event::GameStarted {
                fen: Position::start().fen(),
                chess960: None,
                laws: "fide-2023".into(),
                rotation: Rotation::Upright,
            },
        ),
        stamped(2_000, Event::MoveMade { ply: 1, played, confidence: Confidence(999), alternatives: Vec::new() }),
    ];
    let committed = |at| Irregularity::new(IrregularityKind::IllegalStands, 1, None, Vec::new(), at);
    let figures = |at| {
        let truth = GroundTruth { irregularities: vec![committed(at)], ..GroundTruth::default() };
        compare(&truth, &events, &[], &Settings::default())
    };
    assert_eq!((figures(1_000).irregularities, figures(1_000).alerts), (vec![(IrregularityKind::IllegalStands, true)], 0));
    // It was reported before it was committed: a false alert.
    assert_eq!((figures(3_000).irregularities, figures(3_000).alerts), (vec![(IrregularityKind::IllegalStands, false)], 1));
}

#[test]
fn the_prior_chooses_the_likelier_capture() {
    // A rook captures a queen or a pawn.
    let fork = "3qk3/8/2p5/8/p2R4/8/8/4K3 w - - 0 1";
    let (queen, pawn) =
        (bound_of(fork, "d4d8", &[], SensorKind::Occupancy), bound_of(fork, "d4a4", &[], SensorKind::Occupancy));
    assert_eq!((queen.lines.round() as u32, queen.prior, queen.fitted), (2, 1.0, 1.0));
    assert_eq!((pawn.lines.round() as u32, pawn.prior, pawn.fitted), (2, 0.0, 0.0));
}

fn setting(hands: &str, rotation: Rotation) -> SimulationOptions {
    let profile = HandsArgs::of(hands).profile().unwrap();
    SimulationOptions { board: "dgt".to_owned(), profile, inject: Vec::new(), clock: true, rotation }
}

#[test]
fn a_whole_game_is_decoded_in_every_way_from_one_stream() {
    let game = pgn::read("[Result \"*\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe5+ 4. Be2 *\n\n").games.remove(0);
    let all = [Baseline::First, Baseline::Settled, Baseline::Reachable];
    for rotation in [Rotation::Upright, Rotation::Turned] {
        let options =
            score::ScoreOptions { sensing: None, against: &all, bound: true, hindsight: true, review: true, causes: true };
        let outcome = score::play(&game, 1, &setting("clean", rotation), &options).unwrap();
        assert!(outcome.ours.exact && outcome.hindsight.unwrap().exact, "{:?}", outcome.ours.failure);
        for (baseline, figures) in all.iter().zip(&outcome.against) {
            assert!(figures.exact, "{}: {:?}", baseline.name(), figures.failure);
        }
        assert_eq!(outcome.bound, Some(Bound { lines: 1.0, uniform: 1.0, prior: 1.0, fitted: 1.0, capped: false }));
    }
    // These hands lift every captured piece: only one line remains even with occupancy sensing, and any decoder can find it.
    let options = score::ScoreOptions { sensing: Some(SensorKind::Occupancy), bound: true, ..score::ScoreOptions::default() };
    let outcome = score::play(&game, 1, &setting("clean", Rotation::Turned), &options).unwrap();
    assert_eq!(outcome.bound.map(|bound| bound.lines), Some(1.0));
    // The same seeds give the same figures.
    let options = score::ScoreOptions { against: &all, bound: true, ..options };
    let [once, again] = [1, 2].map(|_| {
        let outcome = score::play(&game, 7, &setting("club", Rotation::Upright), &options).unwrap();
        (format!("{:?}", Figures::of(outcome.against.iter())), outcome.bound)
    });
    assert_eq!(once, again);
}

#[test]
fn an_illegal_move_that_stands_has_no_bound() {
    let truth = |moves: &[&str]| {
        let ply = |uci: &&str| touchmove::simulate::truth::TruthPly {
            uci: (*uci).to_owned(),
            touched_at: 0,
            done_at: 0,
            pressed_at: None,
            stop_ms: 0,
            lowest_clock_ms: None,
        };
        touchmove::simulate::truth::GroundTruth { plies: moves.iter().map(ply).collect(), ..Default::default() }
    };
    assert_eq!(bound::true_moves(&Position::start(), &truth(&["e2e4", "e7e5"])).map(|line| line.len()), Some(2));
    assert_eq!(bound::true_moves(&Position::start(), &truth(&["e2e4", "e7e4"])), None);
}
