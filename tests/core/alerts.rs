//! Alerts to the arbiter: when they are raised, when they are repeated, and which irregularities are counted.

use crate::core::orders::{START, Stage};
use shakmaty::Color::{Black, White};
use touchmove::boards::{ClockHalf, ClockReading, HalfTime, Reading, SensorKind};
use touchmove::game::{AlertKind, Command, Record};
use touchmove::laws::Laws;
use touchmove::table::Input;

/// A game of these moves on a board that identifies its pieces.
pub fn after(moves: &[&str]) -> Stage {
    let mut stage = Stage::new(SensorKind::Identity, START, "");
    stage.play("", 1_200);
    for words in moves {
        stage.play(words, 2_000);
    }
    stage
}

pub fn record(stage: &Stage) -> &Record {
    stage.table.record().expect("a game")
}

pub fn kinds(stage: &Stage) -> Vec<AlertKind> {
    record(stage).alerts.iter().map(|alert| alert.kind).collect()
}

pub fn laws(text: &str) -> Laws {
    text.parse().expect("laws")
}

/// White's clock is on the left.
pub fn clock(stage: &mut Stage, turn: ClockHalf, flag: bool) {
    let half = |flag| HalfTime { ms: if flag { 0 } else { 300_000 }, flag };
    let (left, right) = (half(flag), half(false));
    let reading = ClockReading { left, right, turn, running: true, battery_low: false, resolution_ms: 1000, age_ms: 1000 };
    // A flag fall is accepted when two readings show it.
    for _ in 0..2 {
        stage.wait(100);
        stage.take(Input::Reading(Reading::Clock(Some(reading))));
    }
}

#[test]
fn an_illegal_move_that_stays_in_force_is_not_counted() {
    let moves = ["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n"];
    let stage = after(&moves);
    assert_eq!((kinds(&stage), record(&stage).tally.count(White)), (vec![AlertKind::IllegalMove], 1));
    let mut stage = after(&moves[..2]);
    assert_eq!(stage.order(Command::Laws { laws: laws("fide-2023 blitz limited") }), None);
    assert_eq!(record(&stage).laws, "fide-2023 blitz limited");
    moves[2..].iter().for_each(|words| stage.play(words, 2_000));
    assert_eq!((kinds(&stage), record(&stage).tally.count(White)), (vec![AlertKind::IllegalStands], 0));
    let alert = &record(&stage).alerts[0];
    assert_eq!(alert.required.iter().map(ToString::to_string).collect::<Vec<_>>(), ["stands"]);
    assert_eq!((alert.by, alert.ply, alert.articles[0].as_str()), (Some(White), 3, "A.5.2"));
    assert_eq!(stage.order(Command::Undo {}), None);
    assert_eq!(record(&stage).laws, "fide-2023");
}

#[test]
fn a_move_that_was_not_played_is_not_counted() {
    // White's pawn was on d4 as if White had moved twice; the pawn is returned, and play goes on: it was only displaced.
    let mut stage = after(&["e2- e4P", "d2- d4P", "e7- e5p"]);
    assert_eq!((kinds(&stage), record(&stage).tally.count(White)), (vec![AlertKind::IllegalMove], 1));
    stage.play("d4- d2P", 4_000);
    stage.play("g1- f3N", 4_000);
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3"]);
    assert_eq!((kinds(&stage), record(&stage).tally.count(White)), (vec![], 0));
}

#[test]
fn a_lasting_condition_raises_one_alert() {
    let mut stage = after(&["e2- e4P"]);
    clock(&mut stage, ClockHalf::Right, false);
    stage.play("e7- e5p", 500);
    clock(&mut stage, ClockHalf::Left, false);
    clock(&mut stage, ClockHalf::Left, true);
    assert_eq!(kinds(&stage), [AlertKind::FlagFall]);
    let id = record(&stage).alerts[0].id;
    assert_eq!(stage.order(Command::Acknowledge { alert: id }), None);
    clock(&mut stage, ClockHalf::Left, true);
    assert_eq!(kinds(&stage), [], "the arbiter has acknowledged it");
    clock(&mut stage, ClockHalf::Left, false);
    clock(&mut stage, ClockHalf::Left, true);
    let flags = kinds(&stage).into_iter().filter(|kind| *kind == AlertKind::FlagFall).count();
    assert_eq!(flags, 1, "the clock was set again, and the flag has fallen again");
}

#[test]
fn pieces_handled_off_turn_raise_a_notice() {
    let mut stage = after(&["e2- e4P"]);
    stage.play("d2-", 1_500);
    stage.play("d2P", 4_000);
    let alert = &record(&stage).alerts[0];
    assert_eq!((alert.kind, alert.by), (AlertKind::HandledOffTurn, Some(White)));
    assert!(alert.kind.is_notice());
    // A piece that can be captured may have been touched in order to capture it.
    let mut stage = after(&["e2- e4P", "d7- d5p"]);
    stage.play("d5-", 1_500);
    stage.play("d5p", 4_000);
    let alert = &record(&stage).alerts[0];
    assert_eq!((alert.kind, alert.by), (AlertKind::TouchCapture, Some(White)));
    assert_eq!(alert.allowed, ["e4d5"]);
    // An announced adjustment suppresses both alerts.
    let mut stage = after(&["e2- e4P", "d7- d5p"]);
    assert_eq!(stage.order(Command::Adjust { player: Black }), None);
    stage.play("d5-", 1_500);
    stage.play("d5p", 4_000);
    assert_eq!(kinds(&stage), []);
}

#[test]
fn after_a_restored_position_the_touched_pieces_bind() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n"]);
    assert_eq!(stage.order(Command::Restore { ply: 3 }), None);
    stage.play("c6- b8n a4- f1B", 4_000);
    assert_eq!(kinds(&stage), []);
    stage.play("d2- d4P", 4_000);
    let alert = &record(&stage).alerts[0];
    assert_eq!((alert.kind, alert.text.key.as_str()), (AlertKind::TouchMove, "restored_unbound"));
    assert!(alert.allowed.iter().all(|uci| uci.starts_with("f1")), "{:?}", alert.allowed);
}
