//! The bus and the names on it: a bus that restarts or is missing, and names that are taken.

use crate::harness::hall::{Hall, client, game, made, owned};
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, eventually};
use touchmove::publish::dbus::Stream;

#[tokio::test]
async fn no_event_is_lost_when_the_bus_restarts() {
    let Some(mut hall) = Hall::open().await else { return };
    let last = hall.play("d2", "d4", "d4").await.number.unwrap();
    let incarnation = hall.client.snapshot().await.unwrap().games.remove(0).incarnation;
    let Hall { client: before, game: id, daemon, board, state: _state, mut bus, .. } = hall;

    bus.kill();
    tokio::time::timeout(PATIENCE, before.closed()).await.unwrap();
    eventually("the daemon notices", || daemon.log().contains("games continue").then_some(()));
    board.play("d7", "d5");
    board.play("c2", "c4");
    bus.restart();

    let after = client(&bus, Stream::Live).await;
    owned(&after).await;
    let mut watch = after.watch().await.unwrap();
    let missed = after.events_since(id, last, &incarnation).await.unwrap();
    let sans: Vec<&str> = missed.iter().filter_map(|event| event.fields.get("san")?.as_str()).collect();
    if !sans.contains(&"c4") {
        made(&mut watch, "c4").await;
    }
    board.play("e7", "e6");
    made(&mut watch, "e6").await;
    let moves: Vec<String> = after.snapshot().await.unwrap().games[0].moves.iter().map(|ply| ply.san.clone()).collect();
    assert_eq!(moves, ["d4", "d5", "c4", "e6"]);
    owned(&client(&bus, Stream::Broadcast).await).await;
}

#[tokio::test]
async fn without_a_bus_the_daemon_runs_and_keeps_trying() {
    let Some(mut bus) = PrivateBus::stopped() else { return };
    let (state, board) = (tempfile::tempdir().unwrap(), Board::plugged());
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &[]);
    let status = daemon.ready();
    assert!(status.contains("games continue, and touchmove tries again"), "{status}");
    board.wait_read();
    bus.restart();
    let client = client(&bus, Stream::Live).await;
    owned(&client).await;
    let mut watch = client.watch().await.unwrap();
    game(&client).await;
    board.play("g1", "f3");
    made(&mut watch, "Nf3").await;
    assert!(daemon.terminate().success());
}

#[tokio::test]
async fn a_second_daemon_says_that_the_name_is_taken() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, other, board) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Board::plugged());
    let _daemon = Daemon::serving(&bus, state.path(), &board.path());
    let nowhere = other.path().join("none");
    let status = Daemon::on(&bus, other.path(), &nowhere, &[]).ready();
    assert!(status.contains("is owned by another process") && status.contains("--bus"), "{status}");
}

#[tokio::test]
async fn objects_are_announced_only_after_the_name_is_owned() {
    let Some(Hall { daemon, board, state, bus, .. }) = Hall::open().await else { return };
    daemon.terminate();

    // A client that listens to all signals, and a daemon with a game to announce.
    let connection = bus.connect().await;
    let rule = zbus::MatchRule::builder().msg_type(zbus::message::Type::Signal).build().unwrap();
    let mut signals = zbus::MessageStream::for_match_rule(rule, &connection, None).await.unwrap();
    let _daemon = Daemon::serving(&bus, state.path(), &board.path());
    let (mut owners, mut announced) = (Vec::new(), std::collections::BTreeSet::new());
    let wait = async {
        while announced.len() < Stream::ALL.len() {
            let message = futures_util::StreamExt::next(&mut signals).await.unwrap().unwrap();
            let header = message.header();
            match header.member().map(|member| member.as_str()) {
                Some("NameOwnerChanged") => {
                    let (name, _, owner): (String, String, String) = message.body().deserialize().unwrap();
                    if Stream::ALL.map(Stream::name).contains(&name.as_str()) {
                        owners.push(owner);
                    }
                }
                Some("InterfacesAdded") => {
                    let sender = header.sender().unwrap().to_string();
                    assert!(owners.contains(&sender), "{sender} announced its objects before it owned a name");
                    announced.insert(sender);
                }
                _ => {}
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("waited in vain for all names to announce their objects");
}
