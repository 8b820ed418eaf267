//! What a command would do, before it is given.

use crate::core::alerts::clock;
use crate::core::arbiter::{after, record};
use crate::core::orders::{START, Stage};
use shakmaty::Color::White;
use touchmove::boards::{ClockHalf, SensorKind};
use touchmove::game::alert::RulingOffer;
use touchmove::game::preview::write_moves;
use touchmove::game::{AlertKind, Command, GameResult, Order, Preview, Refusal};
use touchmove::locale::{Locale, sentence};

fn order(command: Command) -> Order {
    Order { command, by: String::new() }
}

fn preview(stage: &Stage, command: Command) -> Preview {
    stage.table.preview(stage.now, &order(command)).expect("a preview")
}

fn lines(preview: &Preview) -> Vec<String> {
    preview.lines().iter().map(|line| sentence(Locale::English, line)).collect()
}

/// 1. e4 e5, then White's bishop makes an illegal move, and play goes on for four moves.
const PLAYED_ON: [&str; 7] = ["e2- e4P", "e7- e5p", "f1- a4B", "b8- c6n", "d2- d3P", "g8- f6n", "g1- f3N"];

#[test]
fn a_preview_names_the_moves_that_go_and_changes_nothing() {
    let mut stage = after(&PLAYED_ON);
    let before = record(&stage).clone();
    let alert = before.alerts.iter().find(|alert| alert.kind == AlertKind::IllegalMove).expect("an alert").clone();
    let preview = preview(&stage, Command::Restore { ply: 3 });
    assert_eq!(record(&stage), &before);
    assert_eq!(write_moves(&preview.removed), "2.Bf1-a4 Nc6 3.d3 Nf6 4.Nf3");
    assert_eq!((preview.first_ply, preview.added.len(), preview.last_number), (3, 0, before.last_number));
    let since = before.plies.len() as u32 - before.alert_plies[&alert.id];
    assert_eq!((preview.alert, since > 0), (Some((alert.id, since)), true));
    assert!(preview.removes_moves() && preview.asks());
    assert_eq!(sentence(Locale::English, &preview.action()), "Remove 5 moves");
    let lines = lines(&preview);
    assert_eq!(lines[0], "removes 5 moves (both players'), from White's move 2 on, 2.Bf1-a4");
    assert!(
        lines.contains(&format!("play has gone on since the alert: {since} moves were played (both players')")),
        "{lines:?}"
    );
    assert!(lines.contains(&"clears the alert \"Illegal move\"".to_owned()), "{lines:?}");
    // It does what it says.
    assert_eq!(stage.order(Command::Restore { ply: 3 }), None);
    assert_eq!(record(&stage).fen(), preview.after);
    assert_eq!(stage.moves(), ["e4", "e5"]);
}

#[test]
fn a_preview_distinguishes_replaced_and_inserted_moves() {
    let mut stage = after(&["e2- e4P", "e7- e5p", "g1- f3N"]);
    let shown = preview(&stage, Command::Replace { ply: 2, uci: "e7e6".to_owned() });
    assert_eq!((write_moves(&shown.removed), write_moves(&shown.added)), ("1...e5".to_owned(), "1...e6".to_owned()));
    assert_eq!(sentence(Locale::English, &shown.action()), "Change one move");
    let shown = preview(&stage, Command::Insert { ply: 4, uci: "b8c6".to_owned() });
    assert_eq!((shown.removed.len(), write_moves(&shown.added)), (0, "2...Nc6".to_owned()));
    assert!(!shown.asks());
    assert_eq!(lines(&shown)[0], "adds one move: Black's move 2, 2...Nc6");
    let shown = preview(&stage, Command::Result { result: Some(GameResult::WhiteWins) });
    assert_eq!(lines(&shown), ["no move changes", "the result becomes 1-0"]);
    assert!(!shown.asks());
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let shown = preview(&stage, Command::Position { fen: fen.to_owned() });
    assert_eq!((shown.ended, shown.after.as_str(), shown.removes_moves()), (Some(3), fen, true));
    assert_eq!(
        lines(&shown)[0],
        "a new game begins; the current one, of 3 moves (both players'), goes no further and has no result"
    );
    let refused = stage.table.preview(stage.now, &order(Command::Restore { ply: 9 }));
    assert_eq!(refused, Err(Refusal::NoPositionBefore { ply: 9, known: 3 }));
    assert_eq!(stage.order(Command::TakeBack { plies: 2 }), None);
    let shown = preview(&stage, Command::Undo {});
    assert_eq!((shown.undone, write_moves(&shown.added)), (Some(Command::TakeBack { plies: 2 }), "1...e5 2.Nf3".to_owned()));
}

#[test]
fn news_are_moves_alerts_and_rulings() {
    let mut stage = after(&["e2- e4P"]);
    let seen = record(&stage).last_number;
    assert!(!stage.table.has_news_since(seen));
    assert_eq!(stage.order(Command::Tags { tags: vec![("White".to_owned(), "Ada".to_owned())] }), None);
    assert!(record(&stage).last_number > seen && !stage.table.has_news_since(seen), "names change nothing");
    stage.play("e7- e5p", 2_000);
    assert!(stage.table.has_news_since(seen));
    let seen = record(&stage).last_number;
    assert!(!stage.table.has_news_since(seen));
    assert_eq!(stage.order(Command::Pause { paused: true }), None);
    assert!(stage.table.has_news_since(seen));
    let fresh = Stage::new(SensorKind::Identity, START, "");
    assert!(!fresh.table.has_news_since(1));
}

#[test]
fn an_alert_says_that_the_player_put_it_right() {
    let mut stage = Stage::new(SensorKind::Identity, START, "");
    stage.play("", 1_200);
    // Each player presses the clock; White's is on the left.
    let moves =
        [("", ClockHalf::Left), ("e2- e4P", ClockHalf::Right), ("e7- e5p", ClockHalf::Left), ("e1- e3K", ClockHalf::Right)];
    for (words, turn) in moves {
        stage.play(words, 300);
        clock(&mut stage, turn, false);
    }
    stage.wait(1_500);
    let alert = record(&stage).alerts.first().expect("an alert").clone();
    assert_eq!((alert.kind, alert.put_right.as_deref(), alert.count), (AlertKind::IllegalMove, None, Some(1)));
    assert_eq!(alert.offers().next(), Some(RulingOffer::Restore));
    // The king returns, and makes a legal move.
    stage.play("e3- e1K", 1_500);
    assert_eq!((stage.moves(), record(&stage).alerts.len()), (vec!["e4", "e5"], 1), "it was done all the same");
    clock(&mut stage, ClockHalf::Left, false);
    stage.play("e1- e2K", 300);
    clock(&mut stage, ClockHalf::Right, false);
    stage.wait(1_500);
    assert_eq!(stage.moves(), ["e4", "e5", "Ke2"]);
    let now = record(&stage).alerts.iter().find(|known| known.id == alert.id).expect("the alert");
    assert_eq!(now.put_right.as_deref(), Some("Ke2"));
    let text = sentence(Locale::English, &now.text);
    assert!(text.ends_with("the player has put it right: the move was taken back, and Ke2 was completed instead"), "{text}");
    let required: Vec<String> = now.required.iter().map(ToString::to_string).collect();
    assert!(required.contains(&"add 120".to_owned()) && !required.contains(&"restore".to_owned()), "{required:?}");
    assert_eq!(now.offers().next(), Some(RulingOffer::Strike));
    assert_eq!(record(&stage).tally.count(White), 1, "it still counts");
}
