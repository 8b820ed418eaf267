//! The arbiter's rulings and corrections, as the table session carries them out.

use crate::core::orders::{START, Stage};
use shakmaty::Color::{Black, White};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, Reading, SensorKind};
use touchmove::game::answer::Verdict;
use touchmove::game::pgn::{AfterIllegal, pgn_with};
use touchmove::game::record::{Ply, PlyState};
use touchmove::game::{Alert, AlertKind, Answer, Command, Event, GameResult, Record, StampedEvent, Text};
use touchmove::laws::draws::ClaimKind;
use touchmove::laws::reason::IllegalReason;
use touchmove::laws::{Irregularity, Laws};
use touchmove::table::{Input, Settings, Table};

/// 1. e4 e5, then White's bishop makes an illegal move, and Black plays on.
const ILLEGAL: [&str; 4] = ["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n"];

/// A game of these moves on a board that identifies its pieces.
pub fn after(moves: &[&str]) -> Stage {
    let mut stage = Stage::new(SensorKind::Identity, START, "");
    stage.play("", 1_200);
    for words in moves {
        stage.play(words, 2_000);
    }
    stage.displaced();
    stage
}

pub fn record(stage: &Stage) -> &Record {
    stage.table.record().expect("a game")
}

/// Replaces the table session by the one that a restart would restore; the pieces on the board have not moved.
pub fn restart(stage: &mut Stage) {
    let placement = stage.table.placement().expect("a placement");
    stage.table = Table::restore(Settings::default(), &stage.durable);
    for reading in [Reading::Placement(Box::new(placement)), Reading::Memory(Vec::new())] {
        stage.take(Input::Reading(reading));
    }
}

#[test]
fn an_acknowledged_alert_is_no_longer_in_force() {
    let mut stage = after(&["e2- e4P", "a8-"]);
    stage.wait(4_000);
    stage.play("a6r", 40_000);
    let alert = record(&stage).alerts.first().expect("an alert").clone();
    assert_eq!(alert.kind, AlertKind::IllegalPending);
    assert_eq!(stage.order(Command::Acknowledge { alert: alert.id }), None);
    assert_eq!(record(&stage).alerts, []);
    stage.wait(100_000);
    assert_eq!(record(&stage).alerts, [], "the arbiter has acknowledged it");
    let refused = stage.order(Command::Acknowledge { alert: alert.id }).expect("the alert is not in force");
    assert_eq!(refused, "alert 1 is not in force: `touchmovectl game` lists the alerts in force");
}

#[test]
fn a_position_is_restored_and_touched_pieces_bind() {
    for restarts in [false, true] {
        let mut stage = after(&ILLEGAL);
        assert_eq!(stage.moves(), ["e4", "e5", "Bf1-a4", "Nc6"]);
        let answer = stage.ask(Command::Restore { ply: 3 }).expect("the position is restored");
        let Answer::AllowedMoves(mut allowed) = answer else { panic!("{answer:?}") };
        allowed.sort();
        assert_eq!(allowed, ["f1a6", "f1b5", "f1c4", "f1d3", "f1e2"]);
        assert_eq!(stage.moves(), ["e4", "e5"]);
        assert_eq!(stage.displaced(), ["f1 a4 c6 b8"]);
        if restarts {
            restart(&mut stage);
            stage.wait(1_000);
            assert_eq!(stage.displaced(), ["f1 a4 c6 b8"]);
        }
        stage.play("c6- b8n", 5_000);
        assert_eq!(stage.displaced(), ["f1 a4"]);
        stage.play("a4-", 5_000);
        stage.play("f1B", 1_000);
        assert_eq!(stage.displaced(), ["f1", ""]);
        stage.play("f1- c4B", 1_000);
        assert_eq!(stage.moves(), ["e4", "e5", "Bc4"]);
        let record = record(&stage);
        assert_eq!((record.alerts_raised, record.alerts.len(), record.restored.is_some()), (1, 0, false), "{record:?}");
    }
}

#[test]
fn a_position_can_be_restored_from_ply_1_to_one_after_the_last() {
    let mut stage = after(&["e2- e4P"]);
    for ply in [0, 3, u32::MAX] {
        let refused = stage.order(Command::Restore { ply }).expect("no such ply");
        assert_eq!(refused, format!("there is no position before ply {ply}: the game has 1 plies, so give 1 to 2"));
    }
    assert_eq!(stage.ask(Command::Restore { ply: 2 }), Ok(Answer::AllowedMoves(Vec::new())));
    assert_eq!(
        stage.ask(Command::Restore { ply: 1 }),
        Ok(Answer::AllowedMoves(Vec::new())),
        "a legal move does not bind its player"
    );
    assert_eq!(stage.moves(), [""; 0]);
    assert_eq!(stage.displaced(), ["e2 e4"]);
}

const KNIGHTS: [&str; 4] = ["g1- f3N", "g8- f6n", "f3- g1N", "f6- g8n"];

fn claim(stage: &mut Stage, player: shakmaty::Color, claimed: ClaimKind, intended: Option<&str>) -> Verdict {
    let intended = intended.map(str::to_owned);
    match stage.ask(Command::Claim { player, claimed, intended }) {
        Ok(Answer::Claim(verdict)) => verdict,
        other => panic!("{other:?}"),
    }
}

/// A verdict as one line of text.
fn verdict_line(verdict: &Verdict) -> String {
    let Verdict { text, occurrences, plies_without_progress, required, articles, .. } = verdict;
    let required: Vec<String> = required.iter().map(ToString::to_string).collect();
    format!("{text} | {occurrences:?} | {plies_without_progress} | {} | {}", required.join(", "), articles.join(", "))
}

#[test]
fn a_claim_is_answered_and_changes_nothing() {
    let mut stage = after(&[KNIGHTS, KNIGHTS].concat());
    let before = record(&stage).clone();
    let verdict = claim(&mut stage, White, ClaimKind::Repetition, None);
    assert!(verdict.is_correct);
    assert_eq!(verdict_line(&verdict), "claim-repeated, times 3 | [0, 4, 8] | 8 | draw | 9.2.2, 9.2.3, 9.5.2");
    let verdict = claim(&mut stage, White, ClaimKind::Repetition, Some("g1f3"));
    assert_eq!(verdict_line(&verdict), "claim-repeated, times 3 | [1, 5, 9] | 9 | draw | 9.2.1, 9.2.3, 9.5.2");
    let verdict = claim(&mut stage, White, ClaimKind::FiftyMoves, None);
    assert!(!verdict.is_correct);
    assert_eq!(verdict_line(&verdict), "claim-too_few_moves, missing 92, of 100 | [0, 4, 8] | 8 | add 120 | 9.5.3");
    let verdict = claim(&mut stage, Black, ClaimKind::Repetition, None);
    assert_eq!(verdict.text.key, "claim-not_on_move");
    let verdict = claim(&mut stage, White, ClaimKind::Repetition, Some("g1g5"));
    assert_eq!(verdict.text.key, "claim-illegal_move");
    let no_move = Command::Claim { player: White, claimed: ClaimKind::Repetition, intended: Some("e5e6".to_owned()) };
    let refused = stage.order(no_move).expect("there is no piece on e5");
    assert!(refused.contains("\"e5e6\" is not a move in this position"), "{refused}");
    let claims = before.last_number + 5;
    assert_eq!(record(&stage), &Record { last_number: claims, ..before });
}

#[test]
fn a_claim_under_an_edition_without_a_known_text_is_not_judged() {
    let verdict_by = |laws: &str, claimed, intended: Option<&str>| {
        let laws: Laws = laws.parse().expect("an edition");
        let mut stage = Stage::with(Settings { laws, ..Settings::default() }, START, "");
        stage.play("", 1_200);
        for words in [KNIGHTS, KNIGHTS].concat() {
            stage.play(words, 2_000);
        }
        let verdict = claim(&mut stage, White, claimed, intended);
        (verdict.is_correct, verdict_line(&verdict))
    };
    let unknown = (false, "claim-not_at_hand | [0, 4, 8] | 8 |  | ".to_owned());
    assert_eq!(verdict_by("china-1973", ClaimKind::Repetition, None), unknown);
    assert_eq!(verdict_by("china-1973", ClaimKind::FiftyMoves, Some("g1f3")), unknown);
    // The known articles of 1997 cover repetition, also with a move that is only written down, and fifty moves on the board.
    let correct = |occurrences: &str| (true, format!("claim-repeated, times 3 | {occurrences} | draw | 5.2(4)"));
    assert_eq!(verdict_by("fide-1997", ClaimKind::Repetition, None), correct("[0, 4, 8] | 8"));
    assert_eq!(verdict_by("fide-1997", ClaimKind::Repetition, Some("g1f3")), correct("[1, 5, 9] | 9"));
    assert_eq!(verdict_by("fide-1997", ClaimKind::FiftyMoves, Some("g1f3")), unknown);
    let short = "claim-too_few_moves, missing 92, of 100 | [0, 4, 8] | 8 |  | ";
    assert_eq!(verdict_by("fide-1997", ClaimKind::FiftyMoves, None), (false, short.to_owned()));
}

/// An alert that counts as an irregularity, as an event of this game.
fn counted(stage: &Stage, kind: AlertKind, ply: u32) -> StampedEvent {
    let alert = Alert {
        id: record(stage).alerts_raised + 1,
        kind,
        ply,
        by: Some(White),
        articles: Vec::new(),
        squares: Vec::new(),
        text: Text::new("press_without_move"),
        position: START.to_owned(),
        clocks: Default::default(),
        required: Vec::new(),
        allowed: Vec::new(),
        count: Some(1),
        evidence: Vec::new(),
        evidence_kind: None,
        touches: Vec::new(),
        put_right: None,
        proposed: Vec::new(),
    };
    let number = Some(record(stage).last_number + 1);
    StampedEvent { at: stage.now, number, event: Event::AlertRaised(Box::new(alert)) }
}

#[test]
fn irregularities_are_counted_and_struck() {
    let mut stage = after(&["e2- e4P"]);
    let event = counted(&stage, AlertKind::PressWithoutMove, 1);
    stage.durable.push(event);
    restart(&mut stage);
    let tally = |stage: &Stage, player| {
        let irregularities = record(stage).tally.of(player);
        irregularities.iter().map(|counted| (counted.ply, counted.irregularities.clone())).collect::<Vec<_>>()
    };
    assert_eq!(tally(&stage, White), [(1, vec![Irregularity::PressWithoutMove])]);
    stage.wait(10);
    assert_eq!(stage.order(Command::Count { player: White, irregularity: Irregularity::TwoHands }), None);
    assert_eq!(stage.order(Command::Count { player: Black, irregularity: Irregularity::IllegalMove }), None);
    assert_eq!(record(&stage).tally.count(White), 2);
    assert_eq!(stage.order(Command::Strike { player: White, ply: 1 }), None);
    assert_eq!(tally(&stage, White), [(1, vec![Irregularity::PressWithoutMove])]);
    let refused = stage.order(Command::Strike { player: Black, ply: 7 });
    assert_eq!(refused.as_deref(), Some("no irregularity of Black is counted at ply 7: the counted ones are at ply 1"));
    let tally = record(&stage).tally.clone();
    restart(&mut stage);
    assert_eq!(record(&stage).tally, tally);
}

/// A clock reading; White's clock is on the left.
fn clock(stage: &mut Stage, turn: ClockHalf, running: bool) {
    stage.wait(100);
    let half = HalfTime { ms: 300_000, flag: false };
    let reading =
        ClockReading { left: half, right: half, turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
    stage.take(Input::Reading(Reading::Clock(Some(reading))));
}

/// The alert after White made an illegal knight move and pressed the clock, which then shows `after_ms` of five minutes.
fn illegal_and_pressed(laws: &str, after_ms: u32) -> Alert {
    let laws: Laws = laws.parse().expect("an edition");
    let mut stage = Stage::with(Settings { laws, ..Settings::default() }, START, "");
    stage.play("", 1_200);
    let half = |ms| HalfTime { ms, flag: false };
    let shows = |stage: &mut Stage, white_ms, turn| {
        stage.wait(100);
        let (left, right) = (half(white_ms), half(300_000));
        let reading = ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
        stage.take(Input::Reading(Reading::Clock(Some(reading))));
    };
    shows(&mut stage, 300_000, ClockHalf::Left);
    stage.play("b1- b4N", 500);
    shows(&mut stage, after_ms, ClockHalf::Right);
    stage.wait(4_000);
    record(&stage).alerts.iter().find(|alert| alert.kind == AlertKind::IllegalMove).expect("an alert").clone()
}

/// Under fide-2023 with its Arbiters' Manual of 2025, the increment that the press gained is taken back.
#[test]
fn the_increment_of_an_illegal_move_is_taken_back() {
    let required = |laws: &str, after_ms| {
        let alert = illegal_and_pressed(laws, after_ms);
        alert.required.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(required("fide-2023", 328_000), "restore, touch_binds, take_increment, add 120");
    assert_eq!(required("fide-2023", 298_000), "restore, touch_binds, add 120", "the clock added no increment");
    assert_eq!(required("fide-2018", 328_000), "restore, touch_binds, add 120", "no known text of this edition requires it");
}

/// Where the articles about the consequences of an illegal move are not known, the alert cites the rule that was broken and
/// requires nothing.
#[test]
fn an_illegal_move_cites_the_known_articles() {
    let cited = |laws: &str| {
        let alert = illegal_and_pressed(laws, 298_000);
        (alert.required.len(), alert.articles)
    };
    assert_eq!(cited("fide-1997"), (0, vec!["3".to_owned()]));
    assert_eq!(cited("china-1973"), (0, vec!["Section 3".to_owned()]));
}

#[test]
fn during_a_pause_the_clock_and_the_pieces_may_be_handled() {
    for restarts in [false, true] {
        let mut stage = after(&[]);
        clock(&mut stage, ClockHalf::Left, true);
        stage.play("e2- e4P", 500);
        clock(&mut stage, ClockHalf::Right, true);
        clock(&mut stage, ClockHalf::Right, false);
        assert_eq!(stage.order(Command::Pause { paused: true }), None);
        assert_eq!(stage.order(Command::Pause { paused: true }).as_deref(), Some("the game is paused already"));
        if restarts {
            restart(&mut stage);
            clock(&mut stage, ClockHalf::Right, false);
        }
        stage.events.clear();
        clock(&mut stage, ClockHalf::Left, false);
        stage.play("e7- e5p g1- f3N b8- c6n e1- e8-", 100_000);
        clock(&mut stage, ClockHalf::Right, false);
        stage.play("c6- b8n f3- g1N e5- e7p e1K e8k", 100_000);
        let durable: Vec<&Event> = stage.events.iter().filter(|event| event.is_durable()).collect();
        assert!(durable.is_empty(), "{durable:?}");
        clock(&mut stage, ClockHalf::Left, true);
        assert!(!record(&stage).paused, "the clock runs again");
        assert_eq!(stage.moves(), ["e4"]);
        clock(&mut stage, ClockHalf::Right, true);
        stage.play("d7- d5p", 500);
        assert_eq!((stage.moves(), record(&stage).alerts_raised), (vec!["e4", "d5"], 0));
    }
}

#[test]
fn a_pause_without_a_clock_lasts_until_the_arbiter_says_so() {
    let mut stage = after(&["e2- e4P"]);
    assert_eq!(stage.order(Command::Pause { paused: false }).as_deref(), Some("the game is not paused"));
    assert_eq!(stage.order(Command::Pause { paused: true }), None);
    stage.play("e4- e2P", 100_000);
    assert_eq!(stage.moves(), ["e4"], "the start position on the board begins no game");
    stage.play("e2- e4P e7- e5p", 2_000);
    assert_eq!(stage.order(Command::Pause { paused: false }), None);
    stage.wait(1_000);
    assert_eq!(stage.moves(), ["e4", "e5"]);
}

#[test]
fn clock_notes_are_recorded() {
    let mut stage = after(&["e2- e4P"]);
    let note = |note: String| Command::ClockNote { white_ms: 300_000, black_ms: 420_000, note };
    assert_eq!(stage.order(note("two minutes more".to_owned())), None);
    let refused = stage.order(note("x".repeat(501)));
    assert_eq!(refused.as_deref(), Some("the note has 501 characters: give at most 500"));
    restart(&mut stage);
    let notes: Vec<_> = record(&stage).notes.iter().map(|note| (note.ply, note.white_ms, note.note.as_str())).collect();
    assert_eq!(notes, [(1, 300_000, "two minutes more")]);
}

#[test]
fn a_move_that_the_arbiter_lets_stand_is_not_corrected() {
    for let_stand in [false, true] {
        let mut stage = after(&[]);
        clock(&mut stage, ClockHalf::Left, true);
        for (words, turn) in [("e2- e4P", ClockHalf::Right), ("e7- e5p", ClockHalf::Left), ("f1- a4B", ClockHalf::Right)] {
            stage.play(words, 1_000);
            clock(&mut stage, turn, true);
        }
        stage.wait(2_000);
        assert_eq!(stage.moves(), ["e4", "e5", "Bf1-a4"]);
        for ply in [3, 2] {
            let event = counted(&stage, AlertKind::IllegalMove, ply);
            stage.durable.push(event);
            restart(&mut stage);
        }
        let raised = record(&stage).alerts_raised;
        if let_stand {
            assert_eq!(stage.order(Command::LetStand { alert: raised - 1 }), None);
            let refused = stage.order(Command::LetStand { alert: raised }).expect("no irregular move on record");
            assert!(refused.ends_with("is not about an irregular move on record that could stand: acknowledge it instead"));
            restart(&mut stage);
            assert_eq!(record(&stage).let_stand_plies, [3]);
        }
        // Its player moves the bishop to a square that it may go to.
        stage.play("a4- c4B", 3_000);
        assert_eq!(stage.moves(), if let_stand { ["e4", "e5", "Bf1-a4"] } else { ["e4", "e5", "Bc4"] });
        if let_stand {
            stage.play("c4- a4B", 1_000);
            assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(Command::LetStand { alert: raised - 1 })));
            let again = record(&stage).alerts.last().map(|alert| (alert.kind, alert.ply, alert.count));
            assert_eq!((again, record(&stage).let_stand_plies.len()), (Some((AlertKind::IllegalMove, 3, None)), 0));
        }
    }
}

#[test]
fn a_move_is_replaced_and_the_moves_after_it_stay() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N"]);
    let replace = |ply, uci: &str| Command::Replace { ply, uci: uci.to_owned() };
    let refused = |stage: &mut Stage, command| stage.order(command).expect("refused");
    assert_eq!(refused(&mut stage, replace(4, "e2e4")), "there is no ply 4: the game has 3 plies");
    assert_eq!(refused(&mut stage, replace(1, "e2e4")), "this move is on record at ply 1 already");
    assert_eq!(
        refused(&mut stage, replace(1, "e2e5")),
        "\"e2e5\" is not a legal move at ply 1: give one such as e2e4 or e7e8q"
    );
    let later = "with this change, Nf3 at ply 3 would be illegal: restore the position before it first";
    assert_eq!(refused(&mut stage, replace(1, "f2f3")), later);
    assert_eq!(stage.order(replace(2, "e7e6")), None);
    assert_eq!(stage.moves(), ["e4", "e6", "Nf3"]);
    assert!(record(&stage).plies[..2].iter().all(|ply| ply.state != PlyState::Made), "the moves stay completed");
    // The board still shows the other move, which is reported.
    stage.wait(5_000);
    assert_eq!(stage.displaced(), ["e5 e6"]);
    stage.play("e5- e6p", 1_000);
    stage.play("d7- d5p", 1_000);
    assert_eq!(stage.moves(), ["e4", "e6", "Nf3", "d5"]);
    restart(&mut stage);
    let refused = stage.order(Command::Undo {}).expect("too late");
    let expected = "moves were made since the record was corrected, and how play would have gone on without that is not known: \
                    give a new command instead";
    assert_eq!(refused, expected);
}

#[test]
fn a_missing_move_is_inserted() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N", "b8- c6n"]);
    let insert = |ply, uci: &str| Command::Insert { ply, uci: uci.to_owned() };
    let later = "with this change, Nf3 at ply 3 would be illegal: restore the position before it first";
    assert_eq!(stage.order(insert(3, "d2d4")).as_deref(), Some(later));
    assert_eq!(stage.order(insert(6, "f1b5")).as_deref(), Some("there is no ply 6: the game has 4 plies"));
    assert_eq!(stage.order(insert(5, "f1b5")), None);
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3", "Nc6", "Bb5"]);
    assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(insert(5, "f1b5"))));
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3", "Nc6"]);
    // White seems to have moved twice: Black's move in between was not seen.
    let mut stage = after(&["e2- e4P", "d2- d4P", "e7- e5p", "g1- f3N", "b8- c6n"]);
    stage.play("", 40_000);
    assert_eq!(stage.moves(), ["e4", "d2-d4", "e5", "Nf3", "Nc6"]);
    stage.displaced();
    assert_eq!(stage.order(insert(2, "a7a6")), None);
    assert_eq!(stage.moves(), ["e4", "a6", "d4", "e5", "Nf3", "Nc6"]);
    assert_eq!(stage.displaced(), ["a6 a7"]);
    assert!(
        record(&stage).plies.iter().all(|ply| !ply.played.irregular && ply.state != PlyState::Made),
        "the moves keep their state"
    );
}

#[test]
fn the_last_command_is_undone() {
    let played = ["e2- e4P", "e7- e5p", "g1- f3N"];
    let moves = ["e4", "e5", "Nf3"];
    let mut stage = after(&played);
    let nothing = stage.order(Command::Undo {}).expect("nothing was commanded");
    assert!(nothing.starts_with("there is nothing to undo"), "{nothing}");
    let before = record(&stage).plies.clone();
    for command in [
        Command::TakeBack { plies: 2 },
        Command::Restore { ply: 2 },
        Command::Replace { ply: 2, uci: "d7d6".to_owned() },
        Command::Result { result: Some(GameResult::Draw) },
        Command::Count { player: White, irregularity: Irregularity::TwoHands },
        Command::ClockNote { white_ms: 1, black_ms: 2, note: String::new() },
        Command::Pause { paused: true },
    ] {
        let was = record(&stage).clone();
        assert_eq!(stage.order(command.clone()), None);
        assert_ne!(
            Record { last_number: 0, changes: Vec::new(), ..record(&stage).clone() },
            Record { last_number: 0, ..was.clone() }
        );
        restart(&mut stage);
        assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(command.clone())), "{command:?}");
        let now = record(&stage);
        let plies_and_clocks = |plies: &[Ply]| plies.iter().map(|ply| (ply.played.clone(), ply.clocks)).collect::<Vec<_>>();
        assert_eq!(plies_and_clocks(&now.plies), plies_and_clocks(&before), "{command:?}");
        assert_eq!((now.result, &now.tally, &now.notes, now.paused), (was.result, &was.tally, &was.notes, was.paused));
        assert_eq!((now.restored.is_some(), now.changes.len()), (false, 0), "{command:?}");
        assert_eq!(stage.moves(), moves);
    }
    stage.play("b8- c6n", 2_000);
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3", "Nc6"]);
}

#[test]
fn a_correction_of_another_move_counts_no_irregularity_twice() {
    let mut stage = after(&ILLEGAL);
    let alerts_and_tally = |stage: &Stage| {
        let alerts = record(stage).alerts.iter().map(|alert| (alert.kind, alert.ply, alert.count.is_some()));
        (alerts.collect::<Vec<_>>(), record(stage).tally.count(White))
    };
    let counted = (vec![(AlertKind::IllegalMove, 3, true)], 1);
    assert_eq!(alerts_and_tally(&stage), counted);
    assert_eq!(stage.order(Command::Replace { ply: 2, uci: "e7e6".to_owned() }), None);
    assert_eq!(stage.moves(), ["e4", "e6", "Bf1-a4", "Nc6"]);
    assert_eq!(alerts_and_tally(&stage), counted);
    assert_eq!(stage.order(Command::Undo {}), None);
    assert_eq!(alerts_and_tally(&stage), counted);
    stage.displaced();
    assert_eq!(stage.order(Command::Restore { ply: 3 }), None);
    assert_eq!(alerts_and_tally(&stage), (vec![], 1));
    assert_eq!(stage.order(Command::Undo {}), None);
    assert_eq!(stage.displaced(), ["f1 a4 c6 b8", ""]);
    assert_eq!(stage.moves(), ["e4", "e5", "Bf1-a4", "Nc6"]);
    assert_eq!(alerts_and_tally(&stage), (vec![(AlertKind::IllegalMove, 3, false)], 1), "raised again, and counted once");
    assert!(!record(&stage).plies[2].played.evidence.is_empty());
}

#[test]
fn a_pause_that_the_clock_ended_hides_no_earlier_command() {
    let mut stage = after(&[]);
    clock(&mut stage, ClockHalf::Left, true);
    clock(&mut stage, ClockHalf::Left, false);
    let count = Command::Count { player: White, irregularity: Irregularity::TwoHands };
    assert_eq!(stage.order(count.clone()), None);
    assert_eq!(stage.order(Command::Pause { paused: true }), None);
    clock(&mut stage, ClockHalf::Left, true);
    assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(count)));
    assert_eq!((record(&stage).tally.count(White), record(&stage).paused), (0, false));
    let refused = stage.order(Command::Undo {}).expect("there is nothing to undo");
    assert!(refused.starts_with("there is nothing to undo"), "{refused}");
}

#[test]
fn a_result_ends_a_pause() {
    for restarts in [false, true] {
        let mut stage = after(&["e2- e4P", "e7- e5p"]);
        assert_eq!(stage.order(Command::Pause { paused: true }), None);
        stage.play("g1- f3N", 2_000);
        let draw = Command::Result { result: Some(GameResult::Draw) };
        assert_eq!(stage.order(draw.clone()), None);
        assert!(!record(&stage).paused);
        assert_eq!(stage.order(Command::Undo {}), None);
        assert!(record(&stage).paused, "the pause is restored");
        stage.play("f3- g1N", 2_000);
        assert_eq!(stage.order(draw.clone()), None);
        // The game is not paused after the result is withdrawn either.
        assert_eq!(stage.order(Command::Result { result: None }), None);
        assert_eq!((record(&stage).paused, stage.moves()), (false, vec!["e4", "e5"]));
        stage.play("g1- f3N", 2_000);
        assert_eq!(stage.moves(), ["e4", "e5", "Nf3"]);
        assert_eq!(stage.order(Command::Pause { paused: true }), None);
        assert_eq!(stage.order(draw), None);
        if restarts {
            restart(&mut stage);
        }
        stage.play("f3- g1N e5- e7p e4- e2P", 10_000);
        assert_eq!(stage.moves(), [""; 0], "the next game");
        stage.play("d2- d4P", 2_000);
        assert_eq!(stage.moves(), ["d4"]);
    }
}

#[test]
fn alerts_that_a_result_settled_are_in_force_again_after_undo() {
    for restarts in [false, true] {
        let mut stage = after(&ILLEGAL);
        let before = record(&stage).alerts.clone();
        assert_eq!(before.iter().map(|alert| alert.kind).collect::<Vec<_>>(), [AlertKind::IllegalMove]);
        assert_eq!(stage.order(Command::Result { result: Some(GameResult::Draw) }), None);
        assert_eq!(record(&stage).alerts, []);
        if restarts {
            restart(&mut stage);
        }
        assert_eq!(stage.order(Command::Undo {}), None);
        let again: Vec<Alert> = before.into_iter().map(|alert| Alert { id: 2, count: None, ..alert }).collect();
        assert_eq!((&record(&stage).alerts, record(&stage).tally.count(White)), (&again, 1));
    }
}

#[test]
fn a_late_capture_en_passant_survives_corrections() {
    let mut stage = after(&["e2- e4P", "a7- a6p", "e4- e5P", "d7- d5p", "a2- a3P", "h7- h6p", "e5- d5- d6P", "h6- h5p"]);
    let moves = ["e4", "a6", "e5", "d5", "a3", "h6", "e5xd6", "h5"];
    assert_eq!(stage.moves(), moves);
    let fen = record(&stage).fen().to_owned();
    assert!(fen.starts_with("rnbqkbnr/1pp1ppp1/p2P4/7p/8/P7/"), "{fen}");
    for command in
        [Command::TakeBack { plies: 2 }, Command::Restore { ply: 7 }, Command::Replace { ply: 5, uci: "b2b3".to_owned() }]
    {
        assert_eq!(stage.order(command.clone()), None, "{command:?}");
        if matches!(command, Command::Replace { ply: 5, .. }) {
            let now = record(&stage).fen();
            assert!(now.starts_with("rnbqkbnr/1pp1ppp1/p2P4/7p/8/1P6/"), "{now}");
        }
        let undone = stage.ask(Command::Undo {});
        assert_eq!(undone, Ok(Answer::Undone(command.clone())));
        assert_eq!((record(&stage).fen(), stage.moves()), (fen.as_str(), moves.to_vec()), "{command:?}");
        assert!(record(&stage).plies[6].played.irregular);
    }
    let reason_text = |reason: &IllegalReason| Some(reason.key().to_owned());
    let text = pgn_with(record(&stage), &[], AfterIllegal::Stop, &reason_text).replace('\n', " ");
    assert!(text.contains("e5xd6 (en_passant_too_late)"), "{text}");
}

#[test]
fn only_an_alert_about_an_irregular_move_lets_it_stand() {
    let mut stage = after(&ILLEGAL);
    let event = counted(&stage, AlertKind::BoardBattery, 3);
    stage.durable.push(event);
    restart(&mut stage);
    let alerts: Vec<AlertKind> = record(&stage).alerts.iter().map(|alert| alert.kind).collect();
    let id = record(&stage).alerts.last().expect("an alert").id;
    let refused = stage.order(Command::LetStand { alert: id }).expect("a battery");
    assert!(refused.contains("is not about an irregular move on record"), "{refused}");
    assert_eq!(record(&stage).alerts.iter().map(|alert| alert.kind).collect::<Vec<_>>(), alerts);
}

#[test]
fn a_touched_piece_binds_only_the_player_who_touched_it() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N"]);
    let mut event = counted(&stage, AlertKind::TouchCapture, 3);
    if let Event::AlertRaised(alert) = &mut event.event {
        (alert.allowed, alert.count) = (vec!["g1f3".to_owned()], None);
    }
    stage.durable.push(event);
    restart(&mut stage);
    assert_eq!(stage.ask(Command::Restore { ply: 3 }), Ok(Answer::AllowedMoves(Vec::new())));
}
