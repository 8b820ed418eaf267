//! What the server sends on behalf of another client: any subject can be named for a reply.

use super::*;
use touchmove::hall::message::events::{EventLine, EventsMessage};
use touchmove::hall::subject;

#[tokio::test]
async fn what_others_send_under_the_name_of_a_machine_changes_nothing() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    let game = shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    let ((journal, number), known) = events(machine.node.state.path(), None).pop_last().unwrap();
    let subject = subject::events(HALL, "pi-01", &journal, number as u64);
    let client = async_nats::connect(server.url()).await.unwrap();
    // The acknowledgement of another message.
    client.publish(subject.clone(), r#"{"stream":"TM_EV_open-2026","seq":7}"#.into()).await.unwrap();
    // A copy of a message that has the next event of the game.
    let (last, wall_ms, text) = known.last().unwrap().clone();
    let forged = text.replace(&format!("\"n\":{last}"), &format!("\"n\":{}", last + 1));
    assert_ne!(forged, text);
    let row = journal::EventRow { number: last as u64 + 1, wall_ms, text: forged };
    let message = EventsMessage {
        board: "dgt_board".to_owned(),
        started_wall_ms: wall_ms,
        epoch_wall_ms: wall_ms,
        lines: vec![EventLine { age_ms: None, row }],
    };
    let (mut headers, payload) = message.encode();
    headers.insert("Nats-Stream", "TM_EV_open-2026");
    client.publish_with_headers(subject, headers.clone(), payload.into()).await.unwrap();
    // A command, and another hall.
    let command = r#"{"v":1,"id":"x","hub":"x","expires_ms":1,"board":"dgt_board","action":"identify"}"#;
    client.publish_with_headers(subject::commands("pi-01"), headers.clone(), command.into()).await.unwrap();
    let key = subject::Bucket::Hall.subject(subject::HALL_KEY);
    client.publish_with_headers(key, headers, "elsewhere".into()).await.unwrap();
    client.flush().await.unwrap();
    machine.board.play("e7", "e5");
    let after = shown(&hub, &machine.board_at_hub(), 2).await;
    assert_eq!((after.id, after.moves[1].san.as_str()), (game.id, "e5"));
    wait_equal(&hub, &machine);
}
