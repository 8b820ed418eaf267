//! What an arbiter rules at the board: as the table carries it out.

use crate::orders::{START, Stage};
use shakmaty::Color::{Black, White};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, Reading, Sensing};
use touchmove::game::answer::Verdict;
use touchmove::game::{Alert, AlertKind, Answer, Command, Event, Record, Stamped, Text};
use touchmove::laws::draws::Claimed;
use touchmove::laws::{Irregularity, Laws};
use touchmove::table::{Input, Settings, Table};

/// 1. e4 e5, then White's bishop goes where a bishop does not go, and Black plays on.
const ILLEGAL: [&str; 4] = ["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n"];

/// A game of these moves on a board that knows its pieces.
fn after(moves: &[&str]) -> Stage {
    let mut stage = Stage::new(Sensing::Identity, START, "");
    stage.play("", 1_200);
    for words in moves {
        stage.play(words, 2_000);
    }
    stage.displaced();
    stage
}

fn record(stage: &Stage) -> &Record {
    stage.table.record().expect("a game")
}

/// The table that a restart gives, on the board as it stands.
fn restart(stage: &mut Stage) {
    let placement = stage.table.placement().expect("what stands there");
    stage.table = Table::restore(Settings::default(), &stage.durable);
    for reading in [Reading::Placement(Box::new(placement)), Reading::Memory(Vec::new())] {
        stage.take(Input::Reading(reading));
    }
}

#[test]
fn an_alert_that_was_seen_stands_no_more() {
    let mut stage = after(&["e2- e4P", "a8-"]);
    stage.wait(4_000);
    stage.play("a6r", 40_000);
    let alert = record(&stage).alerts.first().expect("an alert").clone();
    assert_eq!(alert.kind, AlertKind::IllegalPending);
    assert_eq!(stage.order(Command::Acknowledge(alert.id)), None);
    assert_eq!(record(&stage).alerts, []);
    stage.wait(100_000);
    assert_eq!(record(&stage).alerts, [], "he knows");
    let refused = stage.order(Command::Acknowledge(alert.id)).expect("it is gone");
    assert_eq!(refused, "alert 1 does not stand: `touchmovectl game` shows the alerts that do");
}

#[test]
fn a_position_is_put_back_and_touched_pieces_bind() {
    for restarts in [false, true] {
        let mut stage = after(&ILLEGAL);
        assert_eq!(stage.moves(), ["e4", "e5", "Bf1-a4", "Nc6"]);
        let answer = stage.ask(Command::Restore { ply: 3 }).expect("it is put back");
        let Answer::Bound(mut allowed) = answer else { panic!("{answer:?}") };
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
fn a_position_is_put_back_from_1_to_one_more_than_there_are() {
    let mut stage = after(&["e2- e4P"]);
    for ply in [0, 3, u32::MAX] {
        let refused = stage.order(Command::Restore { ply }).expect("no such ply");
        assert_eq!(refused, format!("there is no position before ply {ply}: the game has 1 plies, so give 1 to 2"));
    }
    assert_eq!(stage.ask(Command::Restore { ply: 2 }), Ok(Answer::Bound(Vec::new())));
    assert_eq!(stage.ask(Command::Restore { ply: 1 }), Ok(Answer::Bound(Vec::new())), "a legal move binds nobody");
    assert_eq!(stage.moves(), [""; 0]);
    assert_eq!(stage.displaced(), ["e2 e4"]);
}

const KNIGHTS: [&str; 4] = ["g1- f3N", "g8- f6n", "f3- g1N", "f6- g8n"];

fn claim(stage: &mut Stage, player: shakmaty::Color, claimed: Claimed, intended: Option<&str>) -> Verdict {
    let intended = intended.map(str::to_owned);
    match stage.ask(Command::Claim { player, claimed, intended }) {
        Ok(Answer::Claim(verdict)) => verdict,
        other => panic!("{other:?}"),
    }
}

/// What a verdict says, in one line.
fn told(verdict: &Verdict) -> String {
    let Verdict { text, occurrences, quiet, required, articles, .. } = verdict;
    let required: Vec<String> = required.iter().map(ToString::to_string).collect();
    format!("{text} | {occurrences:?} | {quiet} | {} | {}", required.join(", "), articles.join(", "))
}

#[test]
fn a_claim_is_answered_and_changes_nothing() {
    let mut stage = after(&[KNIGHTS, KNIGHTS].concat());
    let before = record(&stage).clone();
    let verdict = claim(&mut stage, White, Claimed::Repetition, None);
    assert!(verdict.right);
    assert_eq!(told(&verdict), "claim-repeated, times 3 | [0, 4, 8] | 8 | draw | 9.2.2, 9.5.2");
    let verdict = claim(&mut stage, White, Claimed::Repetition, Some("g1f3"));
    assert_eq!(told(&verdict), "claim-repeated, times 3 | [1, 5, 9] | 9 | draw | 9.2.1, 9.5.2");
    let verdict = claim(&mut stage, White, Claimed::FiftyMoves, None);
    assert!(!verdict.right);
    assert_eq!(told(&verdict), "claim-too_few_moves, missing 92 | [0, 4, 8] | 8 | add 120 | 9.5.3");
    let verdict = claim(&mut stage, Black, Claimed::Repetition, None);
    assert_eq!(verdict.text.key, "claim-not_on_move");
    let verdict = claim(&mut stage, White, Claimed::Repetition, Some("g1g5"));
    assert_eq!(verdict.text.key, "claim-illegal_move");
    let no_move = Command::Claim { player: White, claimed: Claimed::Repetition, intended: Some("e5e6".to_owned()) };
    let refused = stage.order(no_move).expect("nothing stands there");
    assert!(refused.contains("\"e5e6\" is no move in this position"), "{refused}");
    let claims = before.last_number + 5;
    assert_eq!(record(&stage), &Record { last_number: claims, ..before });
}

#[test]
fn an_edition_whose_text_is_not_at_hand_requires_nothing() {
    let laws: Laws = "china-1973".parse().expect("an edition");
    let mut stage = Stage::with(Settings { laws, ..Settings::default() }, START, "");
    stage.play("", 1_200);
    let verdict = claim(&mut stage, White, Claimed::FiftyMoves, None);
    assert_eq!(told(&verdict), "claim-too_few_moves, missing 100 | [0] | 0 |  | ");
}

/// An alert that counts, told of this table's game as if it had been raised.
fn counted(stage: &Stage, kind: AlertKind, ply: u32) -> Stamped {
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
    };
    let number = Some(record(stage).last_number + 1);
    Stamped { at: stage.now, number, event: Event::AlertRaised(alert) }
}

#[test]
fn irregularities_are_counted_and_struck() {
    let mut stage = after(&["e2- e4P"]);
    let event = counted(&stage, AlertKind::PressWithoutMove, 1);
    stage.durable.push(event);
    restart(&mut stage);
    let plies = |stage: &Stage, player| {
        let of = record(stage).tally.of(player);
        of.iter().map(|counted| (counted.ply, counted.what.clone())).collect::<Vec<_>>()
    };
    assert_eq!(plies(&stage, White), [(1, vec![Irregularity::PressWithoutMove])]);
    stage.wait(10);
    assert_eq!(stage.order(Command::Count { player: White, what: Irregularity::TwoHands }), None);
    assert_eq!(stage.order(Command::Count { player: Black, what: Irregularity::IllegalMove }), None);
    assert_eq!(record(&stage).tally.count(White), 2);
    assert_eq!(stage.order(Command::Strike { player: White, ply: 1 }), None);
    assert_eq!(plies(&stage, White), [(1, vec![Irregularity::PressWithoutMove])]);
    let refused = stage.order(Command::Strike { player: Black, ply: 7 });
    assert_eq!(refused.as_deref(), Some("nothing is counted of Black at ply 7: what is was at ply 1"));
    let tally = record(&stage).tally.clone();
    restart(&mut stage);
    assert_eq!(record(&stage).tally, tally);
}

/// The clock says so; it is White's turn or Black's.
fn clock(stage: &mut Stage, turn: ClockHalf, running: bool) {
    stage.wait(100);
    let half = HalfTime { ms: 300_000, flag: false };
    let reading =
        ClockReading { left: half, right: half, turn, running, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
    stage.take(Input::Reading(Reading::Clock(Some(reading))));
}

#[test]
fn while_the_game_is_paused_lever_and_pieces_may_be_handled() {
    for restarts in [false, true] {
        let mut stage = after(&[]);
        clock(&mut stage, ClockHalf::Left, true);
        stage.play("e2- e4P", 500);
        clock(&mut stage, ClockHalf::Right, true);
        clock(&mut stage, ClockHalf::Right, false);
        assert_eq!(stage.order(Command::Pause(true)), None);
        assert_eq!(stage.order(Command::Pause(true)).as_deref(), Some("the game is paused already"));
        if restarts {
            restart(&mut stage);
            clock(&mut stage, ClockHalf::Right, false);
        }
        stage.events.clear();
        clock(&mut stage, ClockHalf::Left, false);
        stage.play("e7- e5p g1- f3N b8- c6n e1- e8-", 100_000);
        clock(&mut stage, ClockHalf::Right, false);
        stage.play("c6- b8n f3- g1N e5- e7p e1K e8k", 100_000);
        let told: Vec<&Event> = stage.events.iter().filter(|event| event.is_durable()).collect();
        assert!(told.is_empty(), "{told:?}");
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
    assert_eq!(stage.order(Command::Pause(false)).as_deref(), Some("the game is not paused"));
    assert_eq!(stage.order(Command::Pause(true)), None);
    stage.play("e4- e2P", 100_000);
    assert_eq!(stage.moves(), ["e4"], "the start position stands there, and no game begins");
    stage.play("e2- e4P e7- e5p", 2_000);
    assert_eq!(stage.order(Command::Pause(false)), None);
    stage.wait(1_000);
    assert_eq!(stage.moves(), ["e4", "e5"]);
}

#[test]
fn what_the_arbiter_notes_of_the_clocks_is_kept() {
    let mut stage = after(&["e2- e4P"]);
    let note = |note: String| Command::ClockNote { white_ms: 300_000, black_ms: 420_000, note };
    assert_eq!(stage.order(note("two minutes more".to_owned())), None);
    let refused = stage.order(note("x".repeat(501)));
    assert_eq!(refused.as_deref(), Some("the note has 501 characters: give at most 500"));
    restart(&mut stage);
    let notes: Vec<_> = record(&stage).notes.iter().map(|note| (note.ply, note.white_ms, note.note.as_str())).collect();
    assert_eq!(notes, [(1, 300_000, "two minutes more")]);
}
