//! What the hub's desk enters about games of machines: it needs no machine, stands, and is put on record there later.

use super::*;
use touchmove::game::{Command, GameResult};

/// Returns the game at the hub or at a machine whose number this is.
async fn game(node: &Node, id: u64) -> Option<GameInfo> {
    node.client.snapshot().await.ok()?.games.into_iter().find(|game| game.id == id)
}

fn names(white: &str) -> Command {
    let tags = [("White", white), ("Black", "Carlsen, Magnus")];
    Command::Tags { tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec() }
}

fn result(result: GameResult) -> Command {
    Command::Result { result: Some(result) }
}

/// Waits until the only game of a machine has this White player and this result.
async fn on_record(machine: &Machine, white: &str, result: &str) {
    until(&format!("{white} and {result} at {}", machine.name), async || {
        let own = machine.node.client.snapshot().await.ok()?.games.pop()?;
        (own.tags.get("White").is_some_and(|name| name == white) && own.result == result).then_some(())
    })
    .await;
}

#[tokio::test]
async fn names_and_results_need_no_machine() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(mut machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let id = shown(&hub, &machine.board_at_hub(), 1).await.id;
    machine.node.stop();
    // The machine is away, and the hub is started again in between.
    hub.client.send_command(id, &names("Caruana, Fabiano")).await.unwrap();
    hub.client.send_command(id, &result(GameResult::Draw)).await.unwrap();
    let check = async |hub: &Node| {
        let shown = game(hub, id).await.unwrap();
        assert_eq!((shown.tags["White"].as_str(), shown.result.as_str()), ("Caruana, Fabiano", "1/2-1/2"));
        let pgn = hub.client.pgn(id).await.unwrap();
        assert!(pgn.contains("[White \"Caruana, Fabiano\"]") && pgn.contains("1. e4 1/2-1/2"), "{pgn}");
        let numbers: Vec<u64> = hub.client.events(id).await.unwrap().iter().filter_map(|event| event.number).collect();
        assert_eq!(numbers, (1..=shown.last_number).collect::<Vec<_>>());
    };
    check(&hub).await;
    hub.stop();
    hub.run().await;
    check(&hub).await;
    // The machine comes back, and has them on record.
    machine.node.run().await;
    on_record(&machine, "Caruana, Fabiano", "1/2-1/2").await;
    wait_equal(&hub, &machine);
    check(&hub).await;
    // It is put on record once, however often it is told.
    let own = machine.node.client.events(1).await.unwrap();
    hub.stop();
    hub.run().await;
    hub.client.send_command(id, &names("Caruana, F")).await.unwrap();
    on_record(&machine, "Caruana, F", "1/2-1/2").await;
    assert_eq!(machine.node.client.events(1).await.unwrap().len(), own.len() + 1);
}

#[tokio::test]
async fn what_a_machine_records_later_does_not_replace_what_was_entered() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let id = shown(&hub, &machine.board_at_hub(), 1).await.id;
    hub.client.send_command(id, &result(GameResult::BlackWins)).await.unwrap();
    hub.client.send_command(id, &names("Caruana, Fabiano")).await.unwrap();
    on_record(&machine, "Caruana, Fabiano", "0-1").await;
    // Somebody at the machine does not know that.
    let own = machine.node.client.snapshot().await.unwrap().games.pop().unwrap();
    machine.node.client.send_command(own.id, &result(GameResult::WhiteWins)).await.unwrap();
    machine.node.client.send_command(own.id, &names("Nobody")).await.unwrap();
    wait_equal(&hub, &machine);
    let entered = game(&hub, id).await.unwrap();
    assert_eq!((entered.tags["White"].as_str(), entered.result.as_str()), ("Caruana, Fabiano", "0-1"));
    // What the hub's desk has entered is undone there.
    let preview = hub.client.preview(id, &Command::Undo {}, touchmove::locale::Locale::default()).await;
    preview.unwrap();
    hub.client.send_command(id, &Command::Result { result: None }).await.unwrap();
    until("the result is withdrawn everywhere", async || {
        let own = machine.node.client.snapshot().await.ok()?.games.pop()?;
        let at_hub = game(&hub, id).await?;
        (own.result == "*" && at_hub.result == "*").then_some(())
    })
    .await;
    hub.client.send_command_seen(id, &Command::Undo {}, game(&hub, id).await.unwrap().last_number).await.unwrap();
    assert_eq!(game(&hub, id).await.unwrap().result, "0-1");
    on_record(&machine, "Nobody", "0-1").await;
}

#[tokio::test]
async fn an_order_for_the_machine_knows_its_events() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    machine.board.play("e7", "e5");
    let id = shown(&hub, &machine.board_at_hub(), 2).await.id;
    for name in ["One", "Two", "Three"] {
        hub.client.send_command(id, &names(name)).await.unwrap();
    }
    on_record(&machine, "Three", "*").await;
    wait_equal(&hub, &machine);
    let seen = game(&hub, id).await.unwrap().last_number;
    let preview = hub.client.preview(id, &Command::TakeBack { plies: 1 }, touchmove::locale::Locale::default()).await.unwrap();
    assert_eq!(preview.number, seen);
    hub.client.send_command_seen(id, &Command::TakeBack { plies: 1 }, seen).await.unwrap();
    shown(&hub, &machine.board_at_hub(), 1).await;
    // What its author has not seen is a reason to refuse it.
    let stale = hub.client.send_command_seen(id, &Command::TakeBack { plies: 1 }, seen).await.unwrap_err().to_string();
    assert!(stale.contains("has gone on since you looked"), "{stale}");
    hub.client.send_command(id, &Command::Undo {}).await.unwrap();
    shown(&hub, &machine.board_at_hub(), 2).await;
    wait_equal(&hub, &machine);
}

#[tokio::test]
async fn a_result_that_was_withdrawn_gives_way_to_a_later_one() {
    let Some(mut server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let id = shown(&hub, &machine.board_at_hub(), 1).await.id;
    server.kill();
    // Entered for the wrong table, while the game goes on without the network and ends.
    hub.client.send_command(id, &result(GameResult::WhiteWins)).await.unwrap();
    hub.client.send_command(id, &Command::Result { result: None }).await.unwrap();
    hub.client.send_command(id, &names("Caruana, Fabiano")).await.unwrap();
    let own = machine.node.client.snapshot().await.unwrap().games.pop().unwrap();
    machine.node.client.send_command(own.id, &result(GameResult::BlackWins)).await.unwrap();
    server.restart();
    on_record(&machine, "Caruana, Fabiano", "0-1").await;
    wait_equal(&hub, &machine);
    until("the result of the machine at the hub", async || (game(&hub, id).await?.result == "0-1").then_some(())).await;
}

#[tokio::test]
async fn an_undo_at_the_machine_leaves_what_the_desk_has_entered() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let id = shown(&hub, &machine.board_at_hub(), 1).await.id;
    let own = machine.node.client.snapshot().await.unwrap().games.pop().unwrap().id;
    machine.node.client.send_command(own, &result(GameResult::BlackWins)).await.unwrap();
    let at_hub = async |expected: &str| (game(&hub, id).await?.result == expected).then_some(());
    let at_machine = async |expected: &str| (game(&machine.node, own).await?.result == expected).then_some(());
    until("the result of the machine", async || at_hub("0-1").await).await;
    hub.client.send_command(id, &result(GameResult::WhiteWins)).await.unwrap();
    until("the result of the desk at the machine", async || at_machine("1-0").await).await;
    // That undoes what was commanded there.
    machine.node.client.send_command(own, &Command::Undo {}).await.unwrap();
    wait_equal(&hub, &machine);
    assert!(at_hub("1-0").await.is_some());
    // Without the desk's result the game has none: that of before was undone.
    hub.client.send_command(id, &Command::Undo {}).await.unwrap();
    assert!(at_hub("*").await.is_some());
    until("no result at the machine", async || at_machine("*").await).await;
}
