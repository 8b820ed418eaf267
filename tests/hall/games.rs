//! Games of machines appear at the hub, and come there whatever was interrupted.

use super::*;

#[tokio::test]
async fn the_games_of_machines_are_games_of_the_hub() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let (Some(one), Some(other)) = (Machine::start("pi-01", server.port()).await, Machine::start("pi-02", server.port()).await)
    else {
        return;
    };
    one.board.play("e2", "e4");
    one.board.play("e7", "e5");
    other.board.play("d2", "d4");
    let game = shown(&hub, &one.board_at_hub(), 2).await;
    assert_eq!(game.moves.iter().map(|ply| ply.san.as_str()).collect::<Vec<_>>(), ["e4", "e5"]);
    shown(&hub, &other.board_at_hub(), 1).await;
    until("the state of the board", async || {
        let snapshot = hub.client.snapshot().await.ok()?;
        let board = snapshot.boards.into_iter().find(|board| board.id == one.board_at_hub())?;
        (board.state == "ready" && board.serial_number == "23946" && board.model == "dgt").then_some(())
    })
    .await;
    wait_equal(&hub, &one);
    wait_equal(&hub, &other);
}

#[tokio::test]
async fn what_is_played_without_the_hub_comes_later() {
    let Some(mut server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(mut machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    // Without the server.
    server.kill();
    machine.board.play("e7", "e5");
    machine.made(2).await;
    server.restart();
    shown(&hub, &machine.board_at_hub(), 2).await;
    // Without the hub.
    hub.kill();
    machine.board.play("g1", "f3");
    machine.made(3).await;
    machine.node.kill();
    hub.run().await;
    shown(&hub, &machine.board_at_hub(), 2).await;
    machine.node.run().await;
    shown(&hub, &machine.board_at_hub(), 3).await;
    // The server has lost everything.
    server.kill();
    server.forget();
    machine.board.play("b8", "c6");
    machine.made(4).await;
    server.restart();
    shown(&hub, &machine.board_at_hub(), 4).await;
    wait_equal(&hub, &machine);
}

#[tokio::test]
async fn a_new_hub_gets_all_games() {
    let Some(server) = NatsServer::start() else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    machine.made(1).await;
    {
        let Some(first) = hub(&server, "").await else { return };
        shown(&first, &machine.board_at_hub(), 1).await;
    }
    // Another computer, on which nothing is stored.
    let Some(second) = hub(&server, "").await else { return };
    shown(&second, &machine.board_at_hub(), 1).await;
    machine.board.play("e7", "e5");
    shown(&second, &machine.board_at_hub(), 2).await;
    wait_equal(&second, &machine);
}
