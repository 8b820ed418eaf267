//! Undoing a command after play has gone on.

use crate::core::arbiter::{after, record, restart};
use crate::core::orders::Stage;
use shakmaty::Color::White;
use touchmove::game::{AlertKind, Answer, Command, GameResult, Order, Preview, Record};

fn preview(stage: &Stage, command: Command) -> Preview {
    let order = Order { command, by: "the arbiter".to_owned() };
    stage.table.preview(stage.now, &order).expect("a preview")
}

/// The record that the published events give is the one of the table.
#[track_caller]
fn check_events(stage: &Stage) {
    let (first, rest) = stage.durable.split_first().expect("events");
    let mut folded = Record::begin(first).expect("a game");
    rest.iter().for_each(|stamped| folded.apply(stamped));
    assert_eq!(&folded, record(stage));
}

#[test]
fn a_position_restored_on_the_wrong_board_costs_no_move() {
    for command in [Command::Restore { ply: 1 }, Command::TakeBack { plies: 4 }] {
        let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N", "b8- c6n"]);
        assert_eq!(stage.order(command.clone()), None);
        assert_eq!(stage.moves(), [""; 0]);
        // The players do not know of it.
        for words in ["f1- b5B", "a7- a6p", "b5- a4B"] {
            stage.play(words, 2_000);
        }
        let moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4"];
        let preview = preview(&stage, Command::Undo {});
        let added: Vec<&str> = preview.added.iter().map(|played| played.san.as_str()).collect();
        assert_eq!((preview.undone, added, preview.removed.len()), (Some(command.clone()), moves.to_vec(), 0));
        assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(command)));
        assert_eq!(stage.moves(), moves);
        check_events(&stage);
        stage.play("g8- f6n", 2_000);
        assert_eq!(stage.moves().last(), Some(&"Nf6"));
        assert!(record(&stage).alerts.is_empty(), "{:?}", record(&stage).alerts);
        restart(&mut stage);
        assert_eq!(stage.moves().len(), 8);
    }
}

#[test]
fn moves_after_a_replaced_move_stay_when_it_is_undone() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N"]);
    let replace = Command::Replace { ply: 2, uci: "e7e6".to_owned() };
    assert_eq!(stage.order(replace.clone()), None);
    for words in ["b8- c6n", "f1- b5B", "a7- a6p"] {
        stage.play(words, 2_000);
    }
    assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(replace)));
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
    check_events(&stage);
}

#[test]
fn what_was_played_from_a_restored_position_is_not_undone() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n"]);
    assert_eq!(stage.order(Command::Restore { ply: 3 }), None);
    stage.play("c6- b8n a4- f1B", 4_000);
    stage.play("f1- c4B", 2_000);
    assert_eq!(stage.moves(), ["e4", "e5", "Bc4"]);
    let before = record(&stage).clone();
    // The players would have set the position up and played on from it without the command, too.
    let refused = "moves were made since the record was corrected, and how play would have gone on without that is not known: \
                   give a new command instead";
    assert_eq!(preview_or_refusal(&stage), Err(refused.to_owned()));
    assert_eq!(record(&stage), &before, "a preview changes nothing");
    // After a restart it is not known what would have been played.
    restart(&mut stage);
    assert_eq!(stage.order(Command::Undo {}).as_deref(), Some(refused));
}

fn preview_or_refusal(stage: &Stage) -> Result<Preview, String> {
    let order = Order { command: Command::Undo {}, by: "the arbiter".to_owned() };
    stage.table.preview(stage.now, &order).map_err(|refusal| refusal.to_string())
}

#[test]
fn an_undone_adjustment_was_a_touch() {
    let mut stage = after(&["e2- e4P", "e7- e5p"]);
    assert_eq!(stage.order(Command::Adjust { player: White }), None);
    stage.play("g1-", 2_000);
    stage.play("g1N", 4_000);
    stage.play("d2- d4P", 2_000);
    assert_eq!(stage.moves(), ["e4", "e5", "d4"]);
    assert_eq!(record(&stage).alerts, [], "it was announced");
    assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(Command::Adjust { player: White })));
    assert_eq!(stage.moves(), ["e4", "e5", "d4"]);
    let kinds: Vec<AlertKind> = record(&stage).alerts.iter().map(|alert| alert.kind).collect();
    assert_eq!(kinds, [AlertKind::TouchMove]);
    check_events(&stage);
}

#[test]
fn a_withdrawn_result_is_restored_as_it_was() {
    let mut stage = after(&["e2- e4P", "e7- e5p"]);
    let draw = Command::Result { result: Some(GameResult::Draw) };
    assert_eq!(stage.order(draw), None);
    let withdrawal = Command::Result { result: None };
    let shown = preview(&stage, withdrawal.clone());
    assert!(shown.asks() && !shown.removes_moves() && shown.results == (Some(GameResult::Draw), None), "{shown:?}");
    assert_eq!(stage.order(withdrawal.clone()), None);
    stage.play("g1- f3N", 2_000);
    assert_eq!(stage.moves(), ["e4", "e5", "Nf3"]);
    assert_eq!(stage.ask(Command::Undo {}), Ok(Answer::Undone(withdrawal)));
    assert_eq!((stage.moves(), record(&stage).result.map(|(result, _)| result)), (vec!["e4", "e5"], Some(GameResult::Draw)));
    check_events(&stage);
}
