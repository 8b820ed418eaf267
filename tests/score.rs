//! What score holds our figures against: simpler decoders, and what any decoder could know.

use shakmaty::{Bitboard, Piece, Square};
use touchmove::boards::{Millis, Placement, Reading, Sensed, Sensing};
use touchmove::ctl::baselines::{self, Baseline, Told};
use touchmove::ctl::bound::{self, Bound};
use touchmove::ctl::simulate::{HandsArgs, Setting};
use touchmove::ctl::{figures::Figures, score};
use touchmove::game::Event;
use touchmove::game::event::Rotation;
use touchmove::laws::{Move, Position};
use touchmove::simulate::pgn;

/// `at square=piece …`, a piece as in FEN and `-` for nothing, after the placement of the start position at time 0.
fn readings(start: &Position, text: &str) -> Vec<(Millis, Reading)> {
    let placement: Placement =
        std::array::from_fn(|index| start.piece_at(Square::new(index as u32)).map_or(Sensed::Empty, Sensed::Piece));
    let mut readings = vec![(0, Reading::Placement(Box::new(placement)))];
    for word in text.split_whitespace() {
        let mut parts = word.split([':', '=']);
        let mut next = || parts.next().expect("at:square=piece");
        let (at, square, piece) = (next().parse().unwrap(), next().parse().unwrap(), next());
        let sensed = piece.chars().next().and_then(Piece::from_char).map_or(Sensed::Empty, Sensed::Piece);
        readings.push((at, Reading::Square(square, sensed)));
    }
    readings
}

fn decoded(baseline: Baseline, start: &Position, sensing: Sensing, text: &str) -> String {
    let told = Told { start, rotation: Rotation::Upright, sensing, until: 100_000 };
    let mut line: Vec<String> = Vec::new();
    for stamped in baselines::decode(baseline, &readings(start, text), &told) {
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
fn baselines_do_what_they_are_described_to_do() {
    let start = Position::start();
    let check = |text: &str, expect: [&str; 3]| {
        for (baseline, expect) in [Baseline::First, Baseline::Settled, Baseline::Reachable].into_iter().zip(expect) {
            assert_eq!(decoded(baseline, &start, Sensing::Identity, text), expect, "{} of {text}", baseline.name());
        }
    };
    check("1000:e2=- 1200:e4=P 3000:e7=- 3200:e5=p", ["e2e4 e7e5"; 3]);
    // Slid through e3 quickly, and resting there.
    check("1000:e2=- 1100:e3=P 1200:e3=- 1300:e4=P 3000:e7=- 3200:e5=p", ["e2e3", "e2e4 e7e5", "e2e4 e7e5"]);
    check("1000:e2=- 1100:e3=P 1900:e3=- 2000:e4=P 3000:e7=- 3200:e5=p", ["e2e3", "e2e4 e7e5", "e2e4 e7e5"]);
    // A reply that is begun before the piece stands: no placement ever shows the first move alone.
    check("1000:e2=- 1100:e7=- 1200:e4=P 1300:e5=p 3000:g1=- 3200:f3=N", [""; 3]);
    // Taken back.
    check(
        "1000:e2=- 1200:e4=P 3000:e7=- 3200:e5=p 6000:e5=- 6200:e7=p 8000:d7=- 8200:d5=p",
        ["e2e4 e7e5", "e2e4 d7d5", "e2e4 d7d5"],
    );
}

#[test]
fn of_moves_that_look_the_same_a_baseline_takes_the_first() {
    let start = Position::from_fen("4k3/8/2p1p3/3P4/8/8/8/4K3 w - - 0 1", false).unwrap();
    let first = start.legal_moves().iter().find(|mv| mv.is_capture()).map(|&mv| start.uci(mv)).unwrap();
    for baseline in [Baseline::First, Baseline::Settled, Baseline::Reachable] {
        assert_eq!(decoded(baseline, &start, Sensing::Identity, "1000:d5=- 1200:e6=P"), "d5e6");
        assert_eq!(decoded(baseline, &start, Sensing::Colour, "1000:d5=- 1200:e6=P"), "d5e6");
        assert_eq!(decoded(baseline, &start, Sensing::Occupancy, "1000:d5=-"), first);
    }
}

/// What can be known of this line, where these squares were seen empty (ply from 1, square).
fn known(fen: &str, moves: &str, empty: &[(usize, Square)], sensing: Sensing) -> Bound {
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
    bound::bound(&start, &line, &seen, sensing)
}

#[test]
fn a_silent_capture_is_ambiguous_until_something_decides() {
    const TWO_VICTIMS: &str = "4k3/8/2p1p3/3P4/8/8/8/4K3 w - - 0 1";
    let lines = |moves: &str, empty: &[(usize, Square)], sensing: Sensing| {
        let bound = known(TWO_VICTIMS, moves, empty, sensing);
        assert!(!bound.capped);
        assert!((bound.uniform - 1.0 / bound.lines).abs() < 1e-9);
        bound.lines.round() as u32
    };
    assert_eq!(lines("d5e6", &[], Sensing::Occupancy), 2);
    assert_eq!(lines("d5e6", &[], Sensing::Colour), 1);
    assert_eq!(lines("d5e6", &[], Sensing::Identity), 1);
    // The victim's square was seen empty; the mover's own says nothing.
    assert_eq!(lines("d5e6", &[(1, Square::E6)], Sensing::Occupancy), 1);
    assert_eq!(lines("d5e6", &[(1, Square::D5)], Sensing::Occupancy), 2);
    // The king's step decides nothing; the pawn that goes on from c6 does.
    assert_eq!(lines("d5e6 e8d8", &[], Sensing::Occupancy), 2);
    assert_eq!(lines("d5e6 c6c5", &[], Sensing::Occupancy), 1);
    // What became of the pawn is not seen until it moves as only one piece can.
    let promotes = "7k/P7/8/8/8/8/8/7K w - - 0 1";
    assert_eq!(known(promotes, "a7a8q", &[], Sensing::Occupancy).lines.round() as u32, 4);
    assert_eq!(known(promotes, "a7a8n h8h7 a8b6", &[], Sensing::Occupancy).lines.round() as u32, 1);
}

#[test]
fn the_prior_takes_the_likelier_victim() {
    // A rook takes a queen or a pawn.
    let fork = "3qk3/8/2p5/8/p2R4/8/8/4K3 w - - 0 1";
    let (queen, pawn) = (known(fork, "d4d8", &[], Sensing::Occupancy), known(fork, "d4a4", &[], Sensing::Occupancy));
    assert_eq!((queen.lines.round() as u32, queen.prior), (2, 1.0));
    assert_eq!((pawn.lines.round() as u32, pawn.prior), (2, 0.0));
}

fn setting(hands: &str, rotation: Rotation) -> Setting {
    let profile = HandsArgs::of(hands).profile().unwrap();
    Setting { board: "dgt".to_owned(), profile, inject: Vec::new(), clock: true, rotation }
}

#[test]
fn a_whole_game_is_decoded_in_every_way_from_one_stream() {
    let game = pgn::read("[Result \"*\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qe5+ 4. Be2 *\n\n").games.remove(0);
    let all = [Baseline::First, Baseline::Settled, Baseline::Reachable];
    for rotation in [Rotation::Upright, Rotation::Turned] {
        let wanted = score::Wanted { sensing: None, against: &all, bound: true, hindsight: true };
        let outcome = score::play(&game, 1, &setting("clean", rotation), &wanted).unwrap();
        assert!(outcome.ours.exact && outcome.hindsight.unwrap().exact, "{:?}", outcome.ours.failure);
        for (baseline, figures) in all.iter().zip(&outcome.against) {
            assert!(figures.exact, "{}: {:?}", baseline.name(), figures.failure);
        }
        assert_eq!(outcome.bound, Some(Bound { lines: 1.0, uniform: 1.0, prior: 1.0, capped: false }));
    }
    // Hands that lift every victim: even occupancy leaves one line only, and any decoder can find it.
    let wanted = score::Wanted { sensing: Some(Sensing::Occupancy), bound: true, ..score::Wanted::default() };
    let outcome = score::play(&game, 1, &setting("clean", Rotation::Turned), &wanted).unwrap();
    assert_eq!(outcome.bound.map(|bound| bound.lines), Some(1.0));
    // The same seeds give the same figures.
    let wanted = score::Wanted { against: &all, bound: true, ..wanted };
    let [once, again] = [1, 2].map(|_| {
        let outcome = score::play(&game, 7, &setting("club", Rotation::Upright), &wanted).unwrap();
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
        touchmove::simulate::truth::Truth { plies: moves.iter().map(ply).collect(), ..Default::default() }
    };
    assert_eq!(bound::line(&Position::start(), &truth(&["e2e4", "e7e5"])).map(|line| line.len()), Some(2));
    assert_eq!(bound::line(&Position::start(), &truth(&["e2e4", "e7e4"])), None);
}
