//! Which machines are there, as the hub says.

use super::*;
use touchmove::hall::setup::registry::Machine as RegisteredMachine;
use touchmove::hall::subject::Bucket;
use touchmove::publish::render::machines::MachineState;

/// Returns what the hub says of a machine; `None`: nothing.
async fn state(hub: &Node, name: &str) -> Option<MachineState> {
    let machines = hub.client.machines().await.ok()?;
    machines.into_iter().find(|machine| machine.name == name).map(|machine| machine.state)
}

/// Changes the registry of the hub.
fn change(hub: &Node, change: impl FnOnce(&mut Registry)) {
    let locked = LockedRegistry::lock(&HallFiles::of(hub.state.path())).unwrap();
    let mut registry = locked.load().unwrap().unwrap();
    change(&mut registry);
    locked.save(&registry).unwrap();
}

#[tokio::test]
async fn a_hub_that_starts_again_knows_who_is_there() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    let client = async_nats::connect(server.url()).await.unwrap();
    let presence = r#"{"v":1,"boot":"a","instance":"b","version":"0.1.0","unsent":0}"#;
    loop {
        hub.kill();
        // This machine says it once, while there is no hub.
        let published = Instant::now();
        client.publish(Bucket::Here.subject("pi-09"), presence.into()).await.unwrap();
        client.flush().await.unwrap();
        hub.run().await;
        until("the state of the board", async || {
            let snapshot = hub.client.snapshot().await.ok()?;
            let board = snapshot.boards.into_iter().find(|board| board.id == machine.board_at_hub())?;
            assert_ne!(board.state, "unplugged");
            (board.state == "ready").then_some(())
        })
        .await;
        if state(&hub, "pi-09").await.is_some() {
            break;
        }
        // On a busy computer the server may have forgotten it.
        assert!(published.elapsed() > Duration::from_secs(10));
    }
}

#[tokio::test]
async fn a_machine_that_was_removed_is_gone_from_the_status() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    until("the machine", async || (state(&hub, "pi-01").await == Some(MachineState::There)).then_some(())).await;
    change(&hub, |registry| {
        let (name, key) = ("pi-01".to_owned(), "U".to_owned());
        registry.machines.push(RegisteredMachine { name, key, added_ms: 0 });
        registry.remove("pi-01").unwrap();
    });
    let is_gone = async |hub: &Node| {
        until("the board of a machine that was removed", async || {
            let snapshot = hub.client.snapshot().await.ok()?;
            let board = snapshot.boards.into_iter().find(|board| board.id == machine.board_at_hub())?;
            let is_away = board.state == "unplugged" && board.state_reason.contains("pi-01 was removed from the hall");
            (is_away && state(hub, "pi-01").await.is_none()).then_some(())
        })
        .await;
    };
    is_gone(&hub).await;
    // The server of this test does not know of it, so the machine goes on to say that it is there.
    hub.kill();
    hub.run().await;
    is_gone(&hub).await;
    shown(&hub, &machine.board_at_hub(), 1).await;
    change(&hub, |registry| registry.removed.clear());
    until("the machine again", async || (state(&hub, "pi-01").await == Some(MachineState::There)).then_some(())).await;
}
