//! Commands of the hub to its machines.

use super::*;
use touchmove::game::Command;

#[tokio::test]
async fn a_command_at_the_hub_is_carried_out_at_the_machine() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(mut machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let game = shown(&hub, &machine.board_at_hub(), 1).await;
    let laws = Command::Laws { laws: "fide-2018 blitz".parse().unwrap() };
    until("the machine is there", async || hub.client.send_command(game.id, &laws).await.ok()).await;
    // The answer comes when the events are here.
    let snapshot = hub.client.snapshot().await.unwrap();
    assert_eq!(snapshot.games.iter().find(|shown| shown.id == game.id).unwrap().laws, "fide-2018 blitz");
    let own = machine.node.client.snapshot().await.unwrap();
    assert_eq!(own.games.last().unwrap().laws, "fide-2018 blitz");
    // A refusal is that of the machine.
    let refused = hub.client.send_command(game.id, &Command::TakeBack { plies: 3 }).await.unwrap_err().to_string();
    assert!(refused.contains("the number of moves on record is 1"), "{refused}");
    // A machine that is not there is reported at once, and nothing takes effect later.
    machine.node.stop();
    let away = hub.client.send_command(game.id, &Command::TakeBack { plies: 1 }).await.unwrap_err().to_string();
    assert!(away.contains("machine pi-01 has not answered for"), "{away}");
    machine.node.run().await;
    machine.board.play("e7", "e5");
    wait_equal(&hub, &machine);
}
