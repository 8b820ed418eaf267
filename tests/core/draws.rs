//! Claims of draws and automatic draws, from the moves played.

use shakmaty::Color::{self, Black, White};
use std::path::Path;
use touchmove::game::Text;
use touchmove::laws::draws::{AutomaticDraw, ClaimBasis, ClaimKind, DrawRules, Finding, PositionEquality, PositionHistory};
use touchmove::laws::edition::FiveFold;
use touchmove::laws::{Move, Position};
use touchmove::locale::{self, Locale};

fn history(fen: &str, moves: &str, same: PositionEquality) -> PositionHistory {
    let start = Position::from_fen(fen, false).expect("a FEN");
    let mut history = PositionHistory::new(&start, same);
    for uci in moves.split_whitespace() {
        let mv =
            history.position().parse_uci(uci).unwrap_or_else(|| panic!("{uci} is not legal in {}", history.position().fen()));
        history.play(mv);
    }
    history
}

/// Draws that need no claim: none, as before 2014; five repetitions in consecutive moves, as in 2014; any five repetitions.
const NONE: DrawRules = rules(None, None);
const CONSECUTIVE: DrawRules = rules(Some((5, FiveFold::Consecutive)), Some(75));
const ANY: DrawRules = rules(Some((5, FiveFold::Any)), Some(75));

const fn rules(five_fold: Option<(u32, FiveFold)>, seventy_five: Option<u32>) -> DrawRules {
    DrawRules {
        repetition: Some(3),
        repetition_intended: Some(3),
        fifty: Some(50),
        fifty_intended: Some(50),
        five_fold,
        seventy_five,
        claim_lost: None,
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KNIGHTS: &str = "g1f3 g8f6 f3g1 f6g8 ";

/// The plies after which the same position occurred.
#[test]
fn occurrences_of_the_same_position() {
    for (fen, moves, same, expected) in [
        (START, KNIGHTS.repeat(2), PositionEquality::Rights, vec![0, 4, 8]),
        // With the other side to move it is another position.
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a2 e8d8 a2a3 d8e8 a3a1".to_owned(), PositionEquality::Rights, vec![5]),
        // Castling rights: lost by a king move or a rook move, not by a temporary obstacle.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2 e8e7 e2e1 e7e8".to_owned(), PositionEquality::Rights, vec![4]),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "a1b1 e8d8 b1a1 d8e8".to_owned(), PositionEquality::Rights, vec![4]),
        (
            "r3k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "h1h2 a8a1 e1e2 a1a8 h2h1 e8d8 e2e1 d8e8".to_owned(),
            PositionEquality::Rights,
            vec![8],
        ),
        ("1r2k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1d2 b8a8 d2e1 a8b8".to_owned(), PositionEquality::Rights, vec![4]),
        ("4k1r1/8/8/8/8/8/7N/4K2R w K - 0 1", "h2f3 g8f8 f3h2 f8g8".to_owned(), PositionEquality::Rights, vec![0, 4]),
        // The rook on g8 prevents castling as long as it stays: under an edition that compares only possible moves, the lost
        // right makes no difference.
        ("4k1r1/8/8/8/8/8/7N/4K2R w K - 0 1", "h1g1 e8d8 g1h1 d8e8".to_owned(), PositionEquality::Rights, vec![4]),
        ("4k1r1/8/8/8/8/8/7N/4K2R w K - 0 1", "h1g1 e8d8 g1h1 d8e8".to_owned(), PositionEquality::Moves, vec![0, 4]),
        ("4k3/8/8/8/8/8/7N/4K2R w K - 0 1", "h1g1 e8d8 g1h1 d8e8".to_owned(), PositionEquality::Moves, vec![4]),
        // En passant: the pawn could be captured, so the next time it is another position.
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1".to_owned(), PositionEquality::Rights, vec![5]),
        // No pawn is beside it; a pawn beside it is pinned to its king; a capture would uncover a check along the rank.
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "a2a4 e8d8 e1d1 d8e8 d1e1".to_owned(), PositionEquality::Rights, vec![1, 5]),
        ("1k6/8/8/8/1p6/8/P7/1R2K3 w - - 0 1", "a2a4 b8a8 e1d1 a8b8 d1e1".to_owned(), PositionEquality::Rights, vec![1, 5]),
        ("8/8/8/8/kp5R/8/P1P5/4K3 w - - 0 1", "c2c4 a4a5 e1d1 a5a4 d1e1".to_owned(), PositionEquality::Rights, vec![1, 5]),
        // Two knights exchange their squares.
        (
            START,
            "g1f3 g8f6 b1c3 b8c6 f3d4 c6b8 d4b5 f6g8 b5d4 b8c6 d4f3 g8f6 c3b1 f6g8 b1c3 g8f6".to_owned(),
            PositionEquality::Rights,
            vec![4, 12, 16],
        ),
    ] {
        assert_eq!(history(fen, &moves, same).occurrences(), expected, "{fen} {moves}");
    }
}

#[track_caller]
fn check(history: &PositionHistory, by: Color, claimed: ClaimKind, intended: Option<&str>, finding: &Finding) -> Vec<u32> {
    let mv = intended.map(|uci| history.position().any_move(uci).expect("a move"));
    let claim = history.claim(by, claimed, mv.map_or(ClaimBasis::OnBoard, ClaimBasis::OnIntended), &DrawRules::default());
    assert_eq!(&claim.finding, finding);
    let sentence = locale::sentence(Locale::English, &Text::from(finding));
    assert_eq!(claim.is_right(), sentence.contains("is correct"), "{sentence}");
    claim.occurrences
}

#[test]
fn threefold_repetition_claims() {
    use ClaimKind::Repetition;
    let board = history(START, &KNIGHTS.repeat(2), PositionEquality::Rights);
    assert_eq!(check(&board, White, Repetition, None, &Finding::Repeated { times: 3 }), [0, 4, 8]);
    check(&board, Black, Repetition, None, &Finding::NotOnMove);
    let before = history(START, &(KNIGHTS.to_owned() + "g1f3 g8f6 f3g1"), PositionEquality::Rights);
    assert_eq!(check(&before, Black, Repetition, Some("f6g8"), &Finding::Repeated { times: 3 }), [0, 4, 8]);
    assert_eq!(check(&before, Black, Repetition, Some("f6d5"), &Finding::TooFewTimes { times: 1 }), [8]);
    assert_eq!(check(&before, Black, Repetition, None, &Finding::TooFewTimes { times: 2 }), [3, 7]);
    check(&before, Black, Repetition, Some("f6f5"), &Finding::IllegalMove);
}

#[test]
fn fifty_move_claims() {
    use ClaimKind::FiftyMoves;
    let at = |count: u32| history(&format!("8/8/4k3/8/8/4K3/R7/8 w - - {count} 99"), "", PositionEquality::Rights);
    check(&at(99), White, FiftyMoves, None, &Finding::TooFewMoves { missing: 1, required: 100 });
    check(&at(99), White, FiftyMoves, Some("a2a3"), &Finding::Quiet { moves: 50 });
    check(&at(98), White, FiftyMoves, Some("a2a3"), &Finding::TooFewMoves { missing: 1, required: 100 });
    check(&at(100), White, FiftyMoves, None, &Finding::Quiet { moves: 50 });
    let pawn = history("8/8/4k3/8/8/4K3/R6P/8 w - - 99 99", "", PositionEquality::Rights);
    check(&pawn, White, FiftyMoves, Some("h2h3"), &Finding::TooFewMoves { missing: 100, required: 100 });
    let mated = history("7k/8/6K1/8/8/8/R7/8 w - - 99 99", "a2a8", PositionEquality::Rights);
    check(&mated, Black, FiftyMoves, None, &Finding::Ended);
}

#[test]
fn automatic_draws() {
    let repeated = history(START, &KNIGHTS.repeat(4), PositionEquality::Rights);
    let occurrences = vec![0, 4, 8, 12, 16];
    assert_eq!(repeated.drawn(&NONE), None);
    assert_eq!(repeated.drawn(&CONSECUTIVE), Some(AutomaticDraw::FiveTimes { occurrences: occurrences.clone() }));
    assert_eq!(repeated.drawn(&ANY), Some(AutomaticDraw::FiveTimes { occurrences }));
    assert_eq!(history(START, &KNIGHTS.repeat(3), PositionEquality::Rights).drawn(&ANY), None);
    // With other moves in between: not consecutive.
    let longer = KNIGHTS.repeat(2) + "b1c3 b8c6 g1f3 g8f6 c3b1 c6b8 f3g1 f6g8 " + KNIGHTS;
    let longer = history(START, &longer, PositionEquality::Rights);
    assert_eq!(longer.occurrences(), [0, 4, 8, 16, 20]);
    assert_eq!(longer.drawn(&CONSECUTIVE), None);
    assert!(matches!(longer.drawn(&ANY), Some(AutomaticDraw::FiveTimes { .. })));

    let quiet = |moves: &str| history("8/8/4k3/8/8/4K3/R7/8 w - - 149 200", moves, PositionEquality::Rights);
    assert_eq!(quiet("").drawn(&ANY), None);
    assert_eq!(quiet("a2b2").drawn(&ANY), Some(AutomaticDraw::SeventyFiveMoves { moves: 75 }));
    assert_eq!(quiet("a2b2").drawn(&NONE), None);
    assert_eq!(
        history("7k/8/6K1/8/8/8/R7/8 w - - 149 200", "a2a8", PositionEquality::Rights).drawn(&ANY),
        None,
        "mate comes first"
    );
}

/// All figures are those of the edition: none is fixed in the program.
#[test]
fn draws_use_the_figures_of_the_edition() {
    use ClaimKind::{FiftyMoves, Repetition};
    let rules = DrawRules {
        repetition: Some(4),
        repetition_intended: None,
        fifty: Some(60),
        fifty_intended: None,
        five_fold: Some((6, FiveFold::Any)),
        seventy_five: Some(80),
        claim_lost: None,
    };
    let cycles = |count: usize| history(START, &KNIGHTS.repeat(count), PositionEquality::Rights);
    let finding = |history: &PositionHistory, claimed| {
        history.claim(history.position().turn(), claimed, ClaimBasis::OnBoard, &rules).finding
    };
    assert_eq!(finding(&cycles(2), Repetition), Finding::TooFewTimes { times: 3 });
    assert_eq!(finding(&cycles(3), Repetition), Finding::Repeated { times: 4 });
    let quiet = |count: u32| history(&format!("8/8/4k3/8/8/4K3/R7/8 w - - {count} 99"), "", PositionEquality::Rights);
    assert_eq!(finding(&quiet(119), FiftyMoves), Finding::TooFewMoves { missing: 1, required: 120 });
    assert_eq!(finding(&quiet(120), FiftyMoves), Finding::Quiet { moves: 60 });
    assert_eq!((cycles(4).drawn(&rules), quiet(159).drawn(&rules)), (None, None));
    assert!(matches!(cycles(5).drawn(&rules), Some(AutomaticDraw::FiveTimes { occurrences }) if occurrences.len() == 6));
    assert_eq!(quiet(160).drawn(&rules), Some(AutomaticDraw::SeventyFiveMoves { moves: 80 }));
    // A claim about which the edition has no known text cannot be judged.
    let mv = quiet(150).position().parse_uci("a2b2").expect("a legal move");
    assert_eq!(quiet(150).claim(White, FiftyMoves, ClaimBasis::OnIntended(mv), &rules).finding, Finding::RuleUnavailable);
}

/// Play that continues after an illegal move repeats as any other: here White's king stays in check.
#[test]
fn repetition_after_an_illegal_move_that_stays_in_force() {
    let start = Position::from_fen("4k3/8/8/8/8/8/4r3/R3K2N w - - 0 1", false).expect("a FEN");
    let mut history = PositionHistory::new(&start, PositionEquality::Rights);
    history.play(start.any_move("a1a2").expect("a move"));
    assert!(!history.position().is_regular());
    for uci in "e8d8 a2a1 d8e8 a1a2 e8d8 a2a1 d8e8 a1a2".split(' ') {
        let mv: Move = history.position().any_move(uci).expect("a move");
        history.play(mv);
    }
    assert_eq!(history.occurrences(), [1, 5, 9]);
    check(&history, Black, ClaimKind::Repetition, None, &Finding::Repeated { times: 3 });
}

/// The shared worked cases about repetition and about moves without a capture.
#[test]
fn shared_cases_about_draws() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/arbiter/cases.json"));
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: there is no {}", path.display());
        return;
    };
    let cases: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let history_of = |id: &str, extra_moves: &str| {
        let case = cases["cases"]
            .as_array()
            .expect("cases")
            .iter()
            .find(|case| case["id"] == id)
            .unwrap_or_else(|| panic!("no case {id}"));
        let moves: Vec<&str> = case["moves"].as_array().into_iter().flatten().filter_map(|uci| uci.as_str()).collect();
        history(case["fen"].as_str().expect("a FEN"), &(moves.join(" ") + " " + extra_moves), PositionEquality::Rights)
    };
    use ClaimKind::Repetition;
    check(&history_of("R01", ""), White, Repetition, None, &Finding::Repeated { times: 3 });
    check(&history_of("R02", ""), White, Repetition, None, &Finding::TooFewTimes { times: 2 });
    assert!(history_of("R04", "").position().fen().contains(" b - - "), "no capture en passant is legal");
    assert!(matches!(history_of("R05", "").drawn(&ANY), Some(AutomaticDraw::FiveTimes { .. })));
    assert!(matches!(history_of("R05", "").drawn(&CONSECUTIVE), Some(AutomaticDraw::FiveTimes { .. })));
    assert_eq!(history_of("R05", "").drawn(&NONE), None);
    assert_eq!(history_of("R07", "a2b2").drawn(&ANY), Some(AutomaticDraw::SeventyFiveMoves { moves: 75 }));
    assert_eq!(history_of("R08", "a2a8").drawn(&ANY), None);
    check(&history_of("R10", ""), Black, Repetition, Some("f6g8"), &Finding::Repeated { times: 3 });
    check(&history_of("R11", ""), White, Repetition, Some("f3g1"), &Finding::TooFewTimes { times: 2 });
}
