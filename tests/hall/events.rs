//! The events of a hall: another one begins, the storage of one is full, and old messages expire.

use super::*;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Stream};
use async_nats::jetstream::{self, Context};
use std::process::Command;
use touchmove::hall::subject;

/// Begins another event at the hub, as an organiser does.
fn new_event(hub: &Node, name: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    let output = command.args(["hall", "new-event", name, "--yes", "--state-dir"]).arg(hub.state.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("The event is {name}.")));
}

/// Connects to the server with all rights.
async fn admin(server: &NatsServer) -> Context {
    jetstream::new(async_nats::connect(server.url()).await.unwrap())
}

/// Returns the stream of an event; `None`: there is none.
async fn stream(context: &Context, event: &str) -> Option<Stream> {
    context.get_stream(subject::events_stream(event)).await.ok()
}

/// Waits until the hub has opened an event.
async fn opened(context: &Context, event: &str) {
    until(&format!("the stream of {event}"), async || stream(context, event).await.map(drop)).await;
}

/// Returns how many messages the stream of an event has.
async fn messages(context: &Context, event: &str) -> u64 {
    stream(context, event).await.unwrap().get_info().await.unwrap().state.messages
}

#[tokio::test]
async fn another_event_goes_on_with_the_same_machines_and_games() {
    let Some(server) = NatsServer::start_with("", Some(32 << 20)) else { return };
    let Some(hub) = hub_at(server.port(), "", 32 << 20).await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    let context = admin(&server).await;
    machine.board.play("e2", "e4");
    let game = shown(&hub, &machine.board_at_hub(), 1).await;
    new_event(&hub, "club-2027");
    opened(&context, "club-2027").await;
    machine.board.play("e7", "e5");
    let after = shown(&hub, &machine.board_at_hub(), 2).await;
    assert_eq!((after.id, after.moves[0].san.as_str()), (game.id, "e4"));
    wait_equal(&hub, &machine);
    assert!(messages(&context, "club-2027").await > 0);
    // The server keeps the event before, and no earlier one.
    assert!(stream(&context, HALL).await.is_some());
    new_event(&hub, "open-2027");
    opened(&context, "open-2027").await;
    assert!(stream(&context, HALL).await.is_none() && stream(&context, "club-2027").await.is_some());
    machine.board.play("g1", "f3");
    shown(&hub, &machine.board_at_hub(), 3).await;
    wait_equal(&hub, &machine);
    let snapshot = hub.client.snapshot().await.unwrap();
    // The hub has a board of its own, which is not plugged in.
    assert_eq!((snapshot.boards.len(), snapshot.games.len()), (2, 1));
}

#[tokio::test]
async fn what_was_not_sent_or_not_read_goes_to_the_next_event() {
    let Some(mut server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    let context = admin(&server).await;
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    // The machine has sent it, and the hub does not read it.
    let before = messages(&context, HALL).await;
    hub.kill();
    machine.board.play("e7", "e5");
    until("the move at the server", async || (messages(&context, HALL).await > before).then_some(())).await;
    // The machine cannot send it.
    server.kill();
    machine.board.play("g1", "f3");
    machine.made(3).await;
    new_event(&hub, "club-2027");
    server.restart();
    hub.run().await;
    shown(&hub, &machine.board_at_hub(), 3).await;
    wait_equal(&hub, &machine);
}

/// Fills the stream of an event by messages that the hub ignores: up to this share in percent, or until the server refuses one of a
/// single byte.
async fn fill(context: &Context, event: &str, percent: u64) {
    let subject = subject::events(event, "filler", "none", 1);
    let stream = stream(context, event).await.unwrap();
    for size in [200_000, 10_000, 1_000, 100, 1] {
        loop {
            let info = stream.get_info().await.unwrap();
            if info.state.bytes * 100 >= info.config.max_bytes as u64 * percent {
                return;
            }
            let stored = context.publish(subject.clone(), vec![b'x'; size].into()).await.unwrap().await;
            if stored.is_err() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_full_storage_is_reported_and_another_event_heals_it() {
    let Some(server) = NatsServer::start_with("", Some(32 << 20)) else { return };
    let Some(hub) = hub_at(server.port(), "", 32 << 20).await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    let context = admin(&server).await;
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    fill(&context, HALL, 81).await;
    problem(&hub, "hall_storage", Some("% full, and when it is full the hub gets no more games")).await;
    fill(&context, HALL, 101).await;
    problem(&hub, "hall_storage", Some("is full, and machines keep their games")).await;
    machine.board.play("e7", "e5");
    machine.made(2).await;
    problem(&machine.node, "hall_refuses", Some("the storage of the hall's server is full")).await;
    new_event(&hub, "club-2027");
    shown(&hub, &machine.board_at_hub(), 2).await;
    wait_equal(&hub, &machine);
    problem(&hub, "hall_storage", None).await;
    problem(&machine.node, "hall_refuses", None).await;
}

#[tokio::test]
async fn what_has_expired_is_no_changed_history() {
    let Some(server) = NatsServer::start() else { return };
    let context = admin(&server).await;
    // Like that of the hub, except that it can be purged: its first message is then the next one, as when all have expired.
    let config = Config {
        name: subject::events_stream(HALL),
        subjects: vec![subject::all_events(HALL)],
        discard: DiscardPolicy::New,
        allow_direct: true,
        ..Config::default()
    };
    let stream = context.create_stream(config).await.unwrap();
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(mut machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let game = shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    // The machine expects its last message there, and the subject is empty.
    stream.purge().await.unwrap();
    machine.board.play("e7", "e5");
    shown(&hub, &machine.board_at_hub(), 2).await;
    wait_equal(&hub, &machine);
    // The hub's position is before the first message, and what it has not read is gone.
    hub.kill();
    stream.purge().await.unwrap();
    machine.board.play("g1", "f3");
    machine.made(3).await;
    until("the move at the server", async || (messages(&context, HALL).await > 0).then_some(())).await;
    stream.purge().await.unwrap();
    hub.run().await;
    shown(&hub, &machine.board_at_hub(), 3).await;
    wait_equal(&hub, &machine);
    // The machine is started when nothing of its games is there.
    machine.node.kill();
    stream.purge().await.unwrap();
    machine.node.run().await;
    machine.board.play("b8", "c6");
    let last = shown(&hub, &machine.board_at_hub(), 4).await;
    wait_equal(&hub, &machine);
    assert_eq!(last.id, game.id);
    problem(&machine.node, "hall_conflict", None).await;
    problem(&hub, "hall_games", None).await;
}
