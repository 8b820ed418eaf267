//! Alerts about touched pieces, on a board that identifies the pieces on its squares.

use crate::core::alerts::{after, clock, kinds, laws, record};
use crate::core::orders::{START, Stage};
use crate::core::rulings::words;
use shakmaty::Color::{self, Black, White};
use touchmove::boards::{ClockHalf, SensorKind};
use touchmove::game::answer::Verdict;
use touchmove::game::{Alert, AlertKind, Answer, Arg, Command};
use touchmove::laws::draws::ClaimKind;

const CASTLES: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

/// A game from this position, by these Laws.
fn from(fen: &str, by: &str) -> Stage {
    let mut stage = Stage::new(SensorKind::Identity, fen, "");
    stage.play("", 1_200);
    if fen != START {
        assert_eq!(stage.order(Command::Position { fen: fen.to_owned() }), None);
    }
    assert_eq!(stage.order(Command::Laws { laws: laws(by) }), None);
    stage.play("", 3_000);
    stage
}

/// Plays the words of stories, each with the pause after it.
fn slowly(stage: &mut Stage, words: &[(&str, u64)]) {
    words.iter().for_each(|(words, quiet)| stage.play(words, *quiet));
}

#[track_caller]
fn only_alert(stage: &Stage) -> &Alert {
    let alerts = &record(stage).alerts;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    &alerts[0]
}

/// The key of the duty that touched pieces created.
fn duty(alert: &Alert) -> &str {
    let arg = alert.text.args.iter().find(|(name, _)| name == "duty");
    let Some((_, Arg::Text(text))) = arg else { panic!("{alert:?}") };
    &text.key
}

#[test]
fn the_moving_piece_keeps_its_place_in_the_order_of_touches() {
    // The neighbour was bumped after it, and held for long.
    let mut stage = after(&[]);
    slowly(&mut stage, &[("e2-", 400), ("f2-", 1_500), ("f2P", 400), ("e4P", 3_000)]);
    assert_eq!((stage.moves(), kinds(&stage)), (vec!["e4"], vec![]));
    // Both were lifted within one scan.
    let mut stage = after(&[]);
    slowly(&mut stage, &[("f2- e2-", 1_500), ("f2P", 400), ("e4P", 3_000)]);
    assert_eq!((stage.moves(), kinds(&stage)), (vec!["e4"], vec![]));
    // The neighbour was touched first.
    let mut stage = after(&[]);
    slowly(&mut stage, &[("f2-", 400), ("e2-", 1_500), ("f2P", 400), ("e4P", 3_000)]);
    let alert = only_alert(&stage);
    assert_eq!((alert.kind, duty(alert)), (AlertKind::TouchMove, "duty-touch_own"));
    assert_eq!(alert.allowed, ["f2f3", "f2f4"]);
    // Two at once, and a third piece is moved: one of the two must.
    let mut stage = after(&[]);
    slowly(&mut stage, &[("f2- e2-", 1_500), ("f2P e2P", 400), ("d2- d4P", 3_000)]);
    let alert = only_alert(&stage);
    assert_eq!((alert.kind, duty(alert)), (AlertKind::TouchMove, "duty-touch_own_together"));
    assert_eq!(alert.allowed, ["e2e3", "f2f3", "e2e4", "f2f4"]);
}

#[test]
fn a_brushed_piece_may_have_been_touched_first() {
    // If the bishop was touched, it binds: then nothing requires the capture of the pawn (4.3.3).
    let mut stage = after(&["e2- e4P", "d7- d5p"]);
    slowly(&mut stage, &[("f1-", 800), ("f1B", 600), ("d5-", 1_500), ("d5p", 4_000)]);
    assert_eq!(kinds(&stage), []);
    slowly(&mut stage, &[("f1- b5B", 3_000)]);
    assert_eq!((stage.moves(), kinds(&stage)), (vec!["e4", "d5", "Bb5+"], vec![]));
    // Nothing was touched before the pawn.
    let mut stage = after(&["e2- e4P", "d7- d5p"]);
    slowly(&mut stage, &[("d5-", 1_500), ("d5p", 4_000)]);
    assert_eq!(kinds(&stage), [AlertKind::TouchCapture]);
    slowly(&mut stage, &[("f1- b5B", 3_000)]);
    assert_eq!(duty(only_alert(&stage)), "duty-touch_opponent");
}

#[test]
fn a_new_piece_is_chosen_when_it_touches_the_square() {
    let mut stage = from("8/4P1k1/8/8/8/8/7K/8 w - - 0 1", "fide-2023");
    slowly(&mut stage, &[("e7- e8R", 300), ("e8-", 300), ("e8Q", 4_000)]);
    assert_eq!(stage.moves(), ["e8=Q"]);
    let alert = only_alert(&stage);
    assert_eq!((alert.kind, alert.allowed.as_slice()), (AlertKind::PromotionChanged, ["e7e8r".to_owned()].as_slice()));
    assert_eq!(alert.articles, ["4.4.4", "4.8"]);
    // The edition of 1997 has no such rule.
    let mut stage = from("8/4P1k1/8/8/8/8/7K/8 w - - 0 1", "fide-1997");
    slowly(&mut stage, &[("e7- e8R", 300), ("e8-", 300), ("e8Q", 4_000)]);
    assert_eq!((stage.moves(), kinds(&stage)), (vec!["e8=Q"], vec![]));
}

#[test]
fn adjusting_in_the_opponents_time_is_reported_however_fast() {
    for running in [false, true] {
        let mut stage = after(&[]);
        if running {
            clock(&mut stage, ClockHalf::Left, false);
        }
        stage.play("e2- e4P", 300);
        if running {
            clock(&mut stage, ClockHalf::Right, false);
        }
        slowly(&mut stage, &[("", 1_800), ("d2-", 300), ("d2P", 700)]);
        let alert = only_alert(&stage);
        assert_eq!((alert.kind, alert.by), (AlertKind::HandledOffTurn, Some(White)));
        assert_eq!(alert.articles, ["6.2.5", "4.2.1", "12.9"]);
        // It is reported once.
        slowly(&mut stage, &[("c2-", 300), ("c2P", 4_000), ("e7- e5p", 3_000)]);
        assert_eq!(kinds(&stage), [AlertKind::HandledOffTurn]);
    }
}

#[test]
fn a_hand_that_moves_brushes_pieces_of_the_opponent() {
    let quiet = |words: &[(&str, u64)]| {
        let mut stage = after(&["e2- e4P", "d7- d5p"]);
        slowly(&mut stage, words);
        assert_eq!((stage.moves().len(), kinds(&stage)), (3, vec![]), "{words:?}");
    };
    quiet(&[("e7- e7p", 200), ("g1- f3N", 4_000)]);
    quiet(&[("g1-", 300), ("e7-", 400), ("f3N", 100), ("e7p", 4_000)]);
    // A player who has just moved may still centre a piece.
    let mut stage = after(&[]);
    slowly(&mut stage, &[("e2- e4P", 500), ("d2-", 300), ("d2P", 4_000)]);
    assert_eq!(kinds(&stage), []);
}

#[test]
fn castling_begun_with_the_rook_is_reported() {
    for (by, article) in [
        ("fide-2023", "4.4.2"),
        ("fide-2014", "4.4(b)"),
        ("fide-2009", "4.4(b)"),
        ("fide-1997", "4.4(2)"),
        ("china-1973", "Section 6"),
    ] {
        let mut stage = from(CASTLES, by);
        slowly(&mut stage, &[("h1-", 700), ("f1R", 500), ("e1-", 500), ("g1K", 4_000)]);
        assert_eq!(stage.moves(), ["O-O"], "{by}");
        let alert = only_alert(&stage);
        assert_eq!((alert.kind, words(&alert.required).as_str()), (AlertKind::TouchMove, "restore, touch_binds"), "{by}");
        assert!(alert.articles.iter().any(|cited| cited == article), "{by}: {:?}", alert.articles);
        let expect = if by == "china-1973" { "duty-rook_first" } else { "duty-rook_before_king" };
        assert_eq!(duty(alert), expect);
    }
}

#[test]
fn a_king_released_as_in_castling_waits_for_the_rook() {
    for (king, rook, san) in [("e1- c1K", "a1- d1R", "O-O-O"), ("e1- g1K", "h1- f1R", "O-O")] {
        let mut stage = from(CASTLES, "fide-2023");
        slowly(&mut stage, &[("h2- h3P", 2_000), ("h7- h6p", 2_000)]);
        stage.play(king, 40_000);
        let alert = only_alert(&stage);
        assert_eq!((alert.kind, alert.text.key.as_str()), (AlertKind::PositionUnexplained, "castling_begun"));
        assert_eq!((words(&alert.required).as_str(), alert.articles[0].as_str()), ("complete", "4.7.2"));
        assert_eq!(alert.allowed, [if san == "O-O" { "e1g1" } else { "e1c1" }]);
        stage.play(rook, 3_000);
        assert_eq!((stage.moves(), kinds(&stage)), (vec!["h3", "h6", san], vec![]));
    }
    // Where castling is not allowed the king has to go back.
    let mut stage = from("5r2/6k1/8/8/8/8/8/R3K2R w KQ - 0 1", "fide-2023");
    slowly(&mut stage, &[("a1- b1R", 2_000), ("g7- h7k", 2_000)]);
    stage.play("e1- g1K", 40_000);
    assert_eq!(only_alert(&stage).kind, AlertKind::IllegalPending);
}

/// The knight was touched, and the pawn moved.
const BREACH: [(&str, u64); 3] = [("g1-", 1_500), ("g1N", 600), ("e2- e4P", 3_000)];

#[test]
fn the_opponents_touch_ends_the_claim() {
    let found = |stage: &Stage| {
        let alert = only_alert(stage);
        assert_eq!((alert.kind, alert.ply, alert.by), (AlertKind::TouchMove, 1, Some(White)));
        assert_eq!(alert.allowed, ["g1f3", "g1h3"]);
        (words(&alert.required), alert.articles[0].clone())
    };
    let ruling = |acts: &str, article: &str| (acts.to_owned(), article.to_owned());
    for (by, lost) in [
        ("fide-2023", ruling("stands", "4.8")),
        ("fide-2009", ruling("stands", "4.7")),
        ("fide-2014", ruling("arbiter_decides", "4.8 (note)")),
    ] {
        let mut stage = from(START, by);
        slowly(&mut stage, &BREACH);
        let open = ruling("restore, touch_binds", "4.3");
        assert_eq!(found(&stage), open, "{by}");
        stage.play("e7-", 300);
        assert_eq!(found(&stage), lost, "{by}: in the hand");
        // It was brushed, and then touched.
        stage.play("e7p", 300);
        assert_eq!(found(&stage), open, "{by}: back at once");
        slowly(&mut stage, &[("e7-", 1_500), ("e7p", 300)]);
        assert_eq!(found(&stage), lost, "{by}: held");
        stage.play("e7- e5p", 3_000);
        assert_eq!(found(&stage), lost, "{by}: moved");
    }
    // A reply that comes at once.
    let mut stage = from(START, "fide-2023");
    slowly(&mut stage, &BREACH[..2]);
    slowly(&mut stage, &[("e2- e4P", 900), ("e7- e5p", 3_000)]);
    assert_eq!(stage.moves(), ["e4", "e5"]);
    assert_eq!(found(&stage).0, "stands");
}

/// White to move, and the start position for the third time.
fn repeated(by: &str) -> Stage {
    let mut stage = from(START, by);
    for _ in 0..2 {
        ["g1- f3N", "g8- f6n", "f3- g1N", "f6- g8n"].iter().for_each(|words| stage.play(words, 2_000));
    }
    stage
}

#[track_caller]
fn claim(stage: &mut Stage, player: Color, claimed: ClaimKind, intended: Option<&str>) -> Verdict {
    let answer = stage.ask(Command::Claim { player, claimed, intended: intended.map(str::to_owned) });
    let Ok(Answer::Claim(verdict)) = answer else { panic!("{answer:?}") };
    verdict
}

#[test]
fn a_touched_piece_loses_the_claim_of_a_draw() {
    let verdict = |stage: &mut Stage, player| {
        let verdict = claim(stage, player, ClaimKind::Repetition, None);
        (verdict.is_correct, verdict.text.key, words(&verdict.required))
    };
    let expected = |is_correct, key: &str, acts: &str| (is_correct, key.to_owned(), acts.to_owned());
    let mut stage = repeated("fide-2023");
    assert_eq!(verdict(&mut stage, White), expected(true, "claim-repeated", "draw"));
    stage.play("b1-", 300);
    assert_eq!(verdict(&mut stage, White), expected(false, "claim-lost", "go_on"), "in the hand");
    assert_eq!(claim(&mut stage, White, ClaimKind::Repetition, Some("b1c3")).articles[0], "9.4");
    stage.play("b1N", 300);
    assert!(verdict(&mut stage, White).0, "brushed");
    slowly(&mut stage, &[("b1-", 1_500), ("b1N", 300)]);
    assert_eq!(verdict(&mut stage, White), expected(false, "claim-lost", "go_on"), "held");
    // An announced adjustment is no touch.
    let mut stage = repeated("fide-2023");
    assert_eq!(stage.order(Command::Adjust { player: White }), None);
    slowly(&mut stage, &[("b1-", 1_500), ("b1N", 1_500)]);
    assert!(verdict(&mut stage, White).0);
}

#[test]
fn in_2009_only_the_completed_move_loses_the_claim() {
    for (by, held, made) in [("fide-2009", true, "claim-repeated"), ("fide-2023", false, "claim-lost")] {
        let mut stage = repeated(by);
        clock(&mut stage, ClockHalf::Left, false);
        stage.play("b1-", 1_500);
        assert_eq!(claim(&mut stage, White, ClaimKind::Repetition, None).is_correct, held, "{by}");
        stage.play("c3N", 1_500);
        assert_eq!(stage.moves().len(), 9);
        assert_eq!(claim(&mut stage, White, ClaimKind::Repetition, None).text.key, made, "{by}: not pressed");
        clock(&mut stage, ClockHalf::Right, false);
        stage.wait(1_000);
        assert_eq!(claim(&mut stage, White, ClaimKind::Repetition, None).text.key, "claim-not_on_move", "{by}: pressed");
    }
}

#[test]
fn a_wrong_claim_cites_what_was_claimed() {
    let mut stage = after(&["e2- e4P"]);
    for (claimed, intended, acts, articles) in [
        (ClaimKind::FiftyMoves, Some("e7e5"), "play_intended, add 120", "9.5.3, 9.3.1"),
        (ClaimKind::FiftyMoves, None, "add 120", "9.5.3"),
        (ClaimKind::Repetition, Some("e7e5"), "play_intended, add 120", "9.5.3, 9.2.1"),
        (ClaimKind::Repetition, None, "add 120", "9.5.3"),
    ] {
        let verdict = claim(&mut stage, Black, claimed, intended);
        let found = (verdict.is_correct, words(&verdict.required), verdict.articles.join(", "));
        assert_eq!(found, (false, acts.to_owned(), articles.to_owned()));
    }
}
