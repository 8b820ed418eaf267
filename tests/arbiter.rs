//! What an arbiter rules at the board: as the table carries it out.

use crate::orders::{START, Stage};
use touchmove::boards::{Reading, Sensing};
use touchmove::game::{AlertKind, Answer, Command, Record};
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
