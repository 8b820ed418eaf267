//! How damage is reported: to clients, by the public view, and by touchmovectl.

use super::*;
use crate::harness::hall::{client, seen};
use crate::harness::{Board, Daemon, PrivateBus, until};
use touchmove::daemon::hub::{BoardId, BoardView};
use touchmove::daemon::{DelayedView, Hub, Source};
use touchmove::game::{Delay, IllegalMoves};
use touchmove::publish::client::{Client, ClientError, Snapshot, WatchedEvent};
use touchmove::publish::dbus::{self, Bus, NameState, Stream};

/// On both bus names.
#[tokio::test]
async fn clients_are_notified_of_damage_found_while_running() {
    let Some(bus) = PrivateBus::start() else { return };
    let (dir, before) = std::thread::spawn(damaged_old_game).join().expect("a journal");
    let hub = Hub::new(open(dir.path()), &[]);
    let model = touchmove::boards::model("dgt").expect("a model");
    let _board_handle = hub.register_board(BoardView::new(BoardId::new("b1"), model, model.sensing));
    let delayed_view = DelayedView::new(Arc::clone(&hub), Delay::default(), IllegalMoves::default());
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut tasks = vec![tokio::spawn(Arc::clone(&delayed_view).run(stopped.clone()))];
    let mut clients = Vec::new();
    for (source, stream) in [(Source::Live(Arc::clone(&hub)), Stream::Live), (Source::Public(delayed_view), Stream::Broadcast)]
    {
        let (name_state, mut name_states) = tokio::sync::watch::channel(NameState::NotTried);
        tasks.push(tokio::spawn(dbus::run(source, stream, Bus::Address(bus.address()), name_state, stopped.clone())));
        name_states.wait_for(|name_state| *name_state == NameState::Owned).await.expect("it runs");
        let client = client(&bus, stream).await;
        let watch = client.watch().await.expect("signals");
        game(&client).await;
        let known = client.snapshot().await.expect("games").games.pop().expect("a game");
        assert_eq!(known.incarnation, before);
        client.events_since(known.id, known.last_number, &known.incarnation).await.expect("it is the same incarnation");
        clients.push((client, watch, known));
    }
    hub.check_journal(stopped).await;
    let now = hub.incarnation().id;
    assert_ne!(now, before);
    for (client, watch, known) in &mut clients {
        let is_new_incarnation =
            |event: &WatchedEvent| event.game == Some(known.id) && event.fields.get("Incarnation").is_some_and(|id| *id == now);
        seen(watch, "the incarnation", is_new_incarnation).await;
        let refused = client.events_since(known.id, known.last_number, &known.incarnation).await;
        assert!(matches!(refused, Err(ClientError::OtherIncarnation(_))), "{refused:?}");
        assert_eq!(client.events_since(known.id, known.last_number, &now).await.expect("it is the present one"), []);
    }
    stop.send_replace(true);
    for task in tasks {
        task.await.expect("it ends");
    }
}

#[test]
fn a_game_known_only_from_the_public_view_is_reported_lost() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let index = fill(&journal, 0, 30);
    let id = journal.incarnation().id;
    drop(journal);
    let earlier = fs::read(dir.path().join("journal.sqlite3")).expect("the journal");
    let journal = open(dir.path());
    fill(&journal, index, 65);
    let epoch_wall_ms = |game: u64| {
        let known = journal.games().expect("games").into_iter().find(|known| known.id == game).expect("the game");
        known.started_wall_ms - journal.events(game, 0).expect("events")[0].at as i64
    };
    let epochs = [2, 4].map(epoch_wall_ms);
    drop(journal);
    let number = (index - 1) % GAME + 1;
    let restored = |public: serde_json::Value| {
        let dir = directory_with(&[("journal.sqlite3".to_owned(), earlier.clone())]);
        fs::write(dir.path().join("public.json"), public.to_string()).expect("written");
        dir
    };

    // All public events are there, or belong to another journal.
    let mark = |epoch_wall_ms: i64, number: usize| serde_json::json!({"epoch_wall_ms": epoch_wall_ms, "number": number});
    for known in [mark(epochs[0], number), mark(epochs[0] + 1, number + 5)] {
        let dir = restored(serde_json::json!({ "2": known }));
        assert_eq!(open(dir.path()).incarnation().id, id);
    }
    // The end of game 2, and all of game 4, are missing.
    let dir = restored(serde_json::json!({"2": mark(epochs[0], number + 1), "4": mark(epochs[1], 3)}));
    let (journal, notices, _) = open_damaged(dir.path());
    let lost = format!("published events are missing or changed in game 2 (after its event {number}), game 4 (all of it)");
    assert!(notices.contains(&lost), "{notices}");
    assert_ne!(journal.incarnation().id, id);
    assert_eq!(journal.incarnation().last_good, [(2, number as u64), (4, 0)]);
    assert!(append(&journal, vec![nth(index)]).is_err(), "the game was continued");
    assert!(begin_game(&journal) > 4);
    drop(journal);
    // It is reported once.
    open(dir.path());
}

/// An earlier copy of the journal is restored, and only the record of public events proves that later events existed.
#[tokio::test]
async fn the_public_view_proves_that_the_last_moves_are_missing() {
    let (Some(bus), state, board) = (PrivateBus::start(), tempfile::tempdir().expect("a directory"), Board::plugged()) else {
        return;
    };
    let (live, spectators) = (client(&bus, Stream::Live).await, client(&bus, Stream::Broadcast).await);
    let plies = async |client: &Client, game: u64, count: usize| {
        until(&format!("{count} plies in game {game}"), async || {
            let snapshot = client.snapshot().await.ok()?;
            let is_reached = snapshot.games.iter().any(|known| known.id == game && known.moves.len() == count);
            is_reached.then_some(snapshot)
        })
        .await
    };
    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    board.wait_read();
    game(&live).await;
    board.play("e2", "e4");
    plies(&live, 1, 1).await;
    assert!(daemon.terminate().success());
    let mut earlier = files(state.path());
    earlier.retain(|(name, _)| name != "journal.marks.json");

    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    board.wait_read();
    game(&live).await;
    board.play("e7", "e5");
    plies(&spectators, 1, 2).await;
    let before = plies(&live, 1, 2).await;
    let known = before.games.into_iter().next().expect("a game");
    assert!(daemon.terminate().success());

    // The copy itself is valid.
    let copy = directory_with(&earlier);
    let journal = open(copy.path());
    assert_eq!(journal.incarnation().id, before.incarnation);
    let good = journal.events(1, 0).expect("events").len();
    assert!((good as u64) < known.last_number);
    drop(journal);
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm", "journal.marks.json"] {
        let _ = fs::remove_file(state.path().join(name));
    }
    for (name, bytes) in &earlier {
        fs::write(state.path().join(name), bytes).expect("restored");
    }
    assert!(state.path().join("public.json").exists());

    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    let after = plies(&live, 2, 2).await;
    assert!(after.health_problems.iter().any(|(kind, _)| kind == "journal_damaged"), "{:?}", after.health_problems);
    assert_ne!(after.incarnation, before.incarnation);
    assert_eq!(after.last_good, [(1, good as u64)]);
    plies(&spectators, 2, 2).await;
    for client in [&live, &spectators] {
        let refused = client.events_since(2, 1, &known.incarnation).await;
        assert!(matches!(refused, Err(ClientError::OtherIncarnation(_))), "{refused:?}");
        let events = client.events_since(2, 1, &after.incarnation).await.expect("it is the present one");
        assert_eq!(events[0].number, Some(2));
    }
    // No number of the first game was reused.
    assert!(daemon.terminate().success());
    let archive = journal::Archive::open(state.path()).expect("an archive");
    assert_eq!(archive.events(1).expect("what is good").len(), good);
}

#[test]
fn touchmovectl_reports_damage() {
    let (dir, _) = good_journal();
    let verify = || {
        let state = dir.path().to_str().expect("a path");
        let output =
            Command::new(env!("CARGO_BIN_EXE_touchmovectl")).args(["journal", "verify", "--state-dir", state]).output();
        let output = output.expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let journal = open(dir.path());
    let (code, output) = verify();
    assert!(
        code == Some(0) && output.contains("15 games with 300 good events") && output.ends_with("no damage found\n"),
        "{output}"
    );
    drop(journal);
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET wall_ms = wall_ms + 1 WHERE game = 2 AND number = 5", []).expect("edited");
    drop(edit);
    let (code, output) = verify();
    assert!(code == Some(1) && output.contains("game 2 on board b1: events after number 4 are missing or changed"), "{output}");
}

/// A stored event of the game on the board is changed while touchmoved is down.
#[tokio::test]
async fn clients_see_that_a_running_game_was_damaged() {
    let (Some(bus), state, board) = (PrivateBus::start(), tempfile::tempdir().expect("a directory"), Board::plugged()) else {
        return;
    };
    let client = client(&bus, Stream::Live).await;
    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    board.wait_read();
    until("a game", async || (!client.snapshot().await.unwrap().games.is_empty()).then_some(())).await;
    let plies = |snapshot: &Snapshot, game: u64| {
        snapshot.games.iter().find(|known| known.id == game).map_or(0, |game| game.moves.len())
    };
    for (index, (from, to)) in [("e2", "e4"), ("e7", "e5"), ("g1", "f3")].into_iter().enumerate() {
        board.play(from, to);
        until("a move", async || (plies(&client.snapshot().await.unwrap(), 1) == index + 1).then_some(())).await;
    }
    let before = client.snapshot().await.unwrap();
    assert!(before.health_problems.is_empty() && before.last_good.is_empty() && before.incarnation.len() == 36, "{before:?}");
    let known = client.events(1).await.unwrap();
    assert!(daemon.terminate().success());
    let file = rusqlite::Connection::open(state.path().join("journal.sqlite3")).expect("open");
    let bad: u64 = file
        .query_row("SELECT min(number) FROM event WHERE event LIKE '%e7e5%'", [], |row| row.get::<_, i64>(0))
        .expect("a move") as u64;
    file.execute("UPDATE event SET event = replace(event, 'e7e5', 'e7e6') WHERE game = 1", []).expect("changed");
    drop(file);

    let daemon = Daemon::serving(&bus, state.path(), &board.path());
    let after = until("the game with the missing moves, found on the board", async || {
        Some(client.snapshot().await.unwrap()).filter(|after| plies(after, 2) == 3)
    })
    .await;
    assert!(after.health_problems.iter().any(|(kind, _)| kind == "journal_damaged"), "{:?}", after.health_problems);
    assert_ne!(after.incarnation, before.incarnation);
    assert_eq!(after.last_good, [(1, bad - 1)]);
    // The new game begins with the good events; the other game has only these.
    let good = client.events(2).await.unwrap().into_iter().take(bad as usize - 1);
    assert!(good.zip(known).all(|(event, known)| event.event == known.event && event.fields == known.fields));
    let archive = journal::Archive::open(state.path()).expect("an archive");
    assert_eq!(archive.events(1).expect("what is good").len(), bad as usize - 1);
    drop(daemon);
}
