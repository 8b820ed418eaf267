//! The broadcast name of touchmoved: what spectators receive, and when.

use crate::front_ends::isolation::log_so_far;
use crate::harness::hall::{Hall, client, made, seen};
use crate::harness::organiser::Organiser as _;
use crate::harness::{Daemon, until};
use std::time::{SystemTime, UNIX_EPOCH};
use touchmove::game::GameResult;
use touchmove::game::command::Command;
use touchmove::publish::client::{Client, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

/// Opens a hall with these keys in `[broadcast]`.
async fn delayed_hall(keys: &str) -> Option<(Hall, tempfile::TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("touchmoved.toml");
    std::fs::write(&path, format!("[broadcast]\n{keys}\n")).unwrap();
    let hall = Hall::configured(&["--config", path.to_str().unwrap()]).await?;
    Some((hall, dir))
}

#[tokio::test]
async fn spectators_see_a_move_when_it_is_old_enough() {
    let Some((mut hall, _dir)) = delayed_hall("delay_s = 1").await else { return };
    let spectators = client(&hall.bus, Stream::Broadcast).await;
    let mut watch = spectators.watch().await.unwrap();
    let live = hall.play("e2", "e4", "e4").await;
    let public = made(&mut watch, "e4").await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    assert_eq!(public.time, live.time);
    assert!(now - live.time.unwrap() >= 1_000, "published after {} ms", now - live.time.unwrap());
}

#[tokio::test]
async fn spectators_are_plies_behind_until_the_game_ends() {
    let Some((mut hall, _dir)) = delayed_hall("delay_plies = 2").await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    let moves = async || -> Vec<String> {
        spectators.snapshot().await.unwrap().games[0].moves.iter().map(|ply| ply.san.clone()).collect()
    };
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        hall.play(from, to, san).await;
    }
    made(&mut watch, "e4").await;
    assert_eq!(moves().await, ["e4"]);
    let pgn = spectators.pgn(hall.game).await.unwrap();
    assert!(pgn.contains("e4") && !pgn.contains("Nf3") && !pgn.contains("e5"), "{pgn}");
    hall.client.send_command(hall.game, &Command::Result { result: Some(GameResult::WhiteWins) }).await.unwrap();
    seen(&mut watch, "the result", |event| event.event == "ResultChanged").await;
    assert_eq!(moves().await, ["e4", "e5", "Nf3"]);
}

/// A small computer learns the time of day only after it has started: recent events may seem to be hours old.
#[tokio::test]
async fn a_restart_releases_nothing_early_and_withdraws_nothing() {
    let Some((mut hall, dir)) = delayed_hall("delay_plies = 1").await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    hall.play("e2", "e4", "e4").await;
    hall.play("e7", "e5", "e5").await;
    made(&mut watch, "e4").await;
    let Hall { daemon, state, board, bus, .. } = hall;
    assert!(daemon.terminate().success());
    // As if the time of day had been ten hours behind until now.
    let journal = rusqlite::Connection::open(state.path().join(touchmove::daemon::journal::FILE_NAME)).unwrap();
    journal.execute("UPDATE event SET wall_ms = wall_ms - 36000000", []).unwrap();
    drop(journal);
    crate::daemon::journal::chained::rehash(state.path());
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[broadcast]\ndelay_s = 3600\n").unwrap();
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let spectators = client(&bus, Stream::Broadcast).await;
    let moves = until("the released moves", async || {
        let games = spectators.snapshot().await.unwrap().games;
        let moves: Vec<String> = games.first()?.moves.iter().map(|ply| ply.san.clone()).collect();
        (!moves.is_empty()).then_some(moves)
    });
    assert_eq!(moves.await, ["e4"]);
}

/// Plays an illegal move and presses the clock; returns the id of the alert.
async fn illegal_move(hall: &mut Hall, from: &str, to: &str, san: &str, clock: (u32, u32, bool)) -> u32 {
    hall.board.play(from, to);
    hall.board.clock(clock.0, clock.1, clock.2);
    made(&mut hall.watch, san).await;
    let is_alert = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "illegal_move";
    seen(&mut hall.watch, "the alert", is_alert).await.fields["id"].as_u64().unwrap() as u32
}

/// The public events and texts of a game; checks that the events are numbered consecutively.
async fn public(client: &Client, game: u64) -> (Vec<WatchedEvent>, String) {
    let events = client.events(game).await.unwrap();
    assert!(events.iter().map(|event| event.number.unwrap()).eq(1..=events.len() as u64), "{events:?}");
    let mut snapshot = client.snapshot().await.unwrap();
    // The random digits of an incarnation may look like squares.
    snapshot.games.iter_mut().for_each(|game| game.incarnation.clear());
    let text = format!("{events:?} {snapshot:?} {}", client.pgn(game).await.unwrap());
    (events, text)
}

/// 1. e4 e5, with White's clock running.
async fn open_game(hall: &mut Hall) {
    hall.board.clock(3600, 3600, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(3599, 3600, false);
    hall.play("e7", "e5", "e5").await;
    hall.board.clock(3599, 3599, true);
}

#[tokio::test]
async fn spectators_see_an_illegal_move_once_it_is_in_force() {
    let Some(mut hall) = Hall::open().await else { return };
    let game = hall.game;
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    open_game(&mut hall).await;
    // The position is restored, and the king makes another move.
    illegal_move(&mut hall, "e1", "e3", "Ke1-e3", (3598, 3599, false)).await;
    hall.client.send_command(game, &Command::Restore { ply: 3 }).await.unwrap();
    hall.board.play("e3", "e1");
    hall.board.clock(3598, 3599, true);
    hall.play("e1", "e2", "Ke2").await;
    hall.board.clock(3597, 3599, false);
    seen(&mut watch, "Ke2 to be completed", |event| event.event == "MoveCompleted" && event.fields["ply"] == 3).await;
    let (_, text) = public(&spectators, game).await;
    assert!(
        text.contains("Ke2") && !text.contains("e1e3") && !text.contains("e1-e3") && !text.contains("MovesCorrected"),
        "{text}"
    );

    // Another illegal move, after which play continues: there is no ruling yet, also after a restart.
    let alert = illegal_move(&mut hall, "e8", "e6", "Ke8-e6", (3597, 3598, true)).await;
    hall.play("g1", "f3", "Nf3").await;
    hall.board.clock(3596, 3598, false);
    let completed = |event: &WatchedEvent| event.event == "MoveCompleted" && event.fields["ply"] == 5;
    seen(&mut hall.watch, "Nf3 to be completed", completed).await;
    let (before, text) = public(&spectators, game).await;
    assert!(!text.contains("e8e6") && !text.contains("Nf3"), "{text}");
    let Hall { daemon, state, board, bus, .. } = hall;
    assert!(daemon.terminate().success());
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &[]);
    daemon.ready();
    let live = client(&bus, Stream::Live).await;
    let spectators = client(&bus, Stream::Broadcast).await;
    crate::harness::hall::until_games(&live, &[5]).await;
    let after = until("the released moves", async || {
        let games = spectators.snapshot().await.unwrap().games;
        games.first().filter(|game| game.moves.len() == 3)?;
        Some(public(&spectators, game).await)
    });
    assert_eq!(after.await.0, before);

    let mut watch = spectators.watch().await.unwrap();
    live.send_command(game, &Command::LetStand { alert }).await.unwrap();
    made(&mut watch, "Ke8-e6").await;
    seen(&mut watch, "Nf3 to be completed", completed).await;
    let (events, text) = public(&spectators, game).await;
    assert_eq!(events[..before.len()], before);
    // A PGN reader does not read the move.
    assert!(text.contains("2. Ke2") && text.contains("{Not legal, and played on: 2... Ke8-e6"), "{text}");
}

#[tokio::test]
async fn an_illegal_mate_ends_the_game_only_when_it_is_confirmed() {
    let Some(mut hall) = Hall::open().await else { return };
    let spectators = hall.spectator().await;
    let mut watch = spectators.watch().await.unwrap();
    hall.board.clock(3600, 3600, true);
    for (white, (from, to, san)) in
        (0..).map(|ply| ply % 2 == 0).zip([("e2", "e4", "e4"), ("e7", "e5", "e5"), ("f1", "c4", "Bc4"), ("b8", "c6", "Nc6")])
    {
        hall.play(from, to, san).await;
        hall.board.clock(3599, 3599, !white);
    }
    // An illegal move of the queen.
    illegal_move(&mut hall, "d1", "f7", "Qd1xf7", (3598, 3599, false)).await;
    let is_waiting = |event: &WatchedEvent| event.event == "AlertRaised" && event.fields["kind"] == "result_signalled";
    let alert = seen(&mut hall.watch, "the alert that the result waits", is_waiting).await;
    let detail = alert.fields["detail"].as_str().unwrap();
    assert!(detail.starts_with("checkmate, 1-0: the result waits for "), "{detail}");
    let game = hall.client.snapshot().await.unwrap().games.remove(0);
    assert_eq!((game.result.as_str(), game.moves.len()), ("*", 5));

    hall.client.send_command(hall.game, &Command::Result { result: Some(GameResult::WhiteWins) }).await.unwrap();
    let cleared = |event: &WatchedEvent| event.event == "AlertCleared" && event.fields["id"] == alert.fields["id"];
    seen(&mut hall.watch, "the alert to be cleared", cleared).await;
    seen(&mut watch, "the result", |event| event.event == "ResultChanged" && event.fields["result"] == "1-0").await;
    let (_, text) = public(&spectators, hall.game).await;
    assert!(text.contains("Qd1xf7") && text.contains("[Result \"1-0\"]"), "{text}");
}

/// Plays a game of a round whose time control is not that of `[laws]`, with an alert on which a hook fails; `keys`: of `[broadcast]`.
async fn play_with_warnings(keys: &str) -> Option<(Hall, tempfile::TempDir)> {
    let (mut hall, dir) = delayed_hall(&format!("{keys}\n[hooks]\ncommand = ['/bin/false']")).await?;
    let mut round = Round::read("white,black\nAda,Bob\n", Some(1), &TableOrder::Unknown).unwrap();
    round.time_control = Some("180+2".to_owned());
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let is_named = async || hall.client.pgn(hall.game).await.unwrap().contains("[White \"Ada\"]").then_some(());
    until("the names of the round", is_named).await;
    open_game(&mut hall).await;
    illegal_move(&mut hall, "e1", "e3", "Ke1-e3", (3598, 3599, false)).await;
    until("the hook to fail", async || {
        let trouble = hall.client.snapshot().await.unwrap().health_problems;
        trouble.iter().any(|(kind, _)| kind == "hook_failed").then_some(())
    })
    .await;
    Some((hall, dir))
}

/// Parts of the warnings that [`play_with_warnings`] causes.
const WARNINGS: [&str; 2] = ["its time control 180+2 is blitz", "/bin/false"];

#[tokio::test]
async fn the_log_warns_about_play_only_without_a_broadcast_delay() {
    let Some((hall, _dir)) = play_with_warnings("").await else { return };
    let has_all = async || WARNINGS.iter().all(|warning| hall.daemon.log().contains(warning)).then_some(());
    until("the warnings", has_all).await;
    let Some((mut hall, _dir)) = play_with_warnings("delay_plies = 2").await else { return };
    let log = log_so_far(&hall.daemon, &mut hall.board);
    for warning in WARNINGS {
        assert!(!log.contains(warning), "{warning:?} is in the log:\n{log}");
    }
}
