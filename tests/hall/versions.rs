//! Messages of a version that nobody here can read: whoever gets them says so, and nothing else suffers. Machines with other versions of
//! touchmove and the same version of the messages are in the campaign.

use super::doctor::{check, doctor_at};
use super::*;
use async_nats::HeaderMap;
use futures_util::StreamExt;
use serde_json::{Value, json};
use touchmove::hall::subject::{self, Bucket};

/// What a hub says of a machine with a later version.
const LATER_MACHINE: &str = "machine pi-02 has a later version of touchmove, and this hub cannot read its messages (version 2)";
/// What a machine says of a hub with a later version.
const LATER_HUB: &str =
    "the hub of the hall has a later version of touchmove, and this machine cannot read its messages (version 2)";

/// Connects to the server with all rights.
async fn connect(server: &NatsServer) -> async_nats::Client {
    async_nats::connect(server.url()).await.unwrap()
}

#[tokio::test]
async fn a_machine_whose_messages_the_hub_cannot_read_is_named() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    let client = connect(&server).await;
    let mut headers = HeaderMap::new();
    headers.insert("Tm-V", "2");
    let text = || r#"{"v":2,"all":"different"}"#.into();
    let here = Bucket::Here.subject("pi-02");
    let subjects = [
        here.clone(),
        subject::events(HALL, "pi-02", "0b5e", 1),
        subject::board(HALL, "pi-02", "board"),
        subject::question("pi-02"),
    ];
    for subject in subjects {
        let message = client.publish_with_reply_and_headers(subject, "_INBOX_pi-02.x", headers.clone(), text());
        message.await.unwrap();
        client.flush().await.unwrap();
        problem(&hub, "hall_games", Some(LATER_MACHINE)).await;
        let machines = hub.client.machines().await.unwrap();
        let alarm = machines.into_iter().find(|report| report.name == "pi-02").unwrap().alarm.unwrap();
        assert!(alarm.starts_with(LATER_MACHINE), "{alarm}");
        // It has gone back to a version that the hub can read.
        client.publish(here.clone(), r#"{"v":1,"boot":"x"}"#.into()).await.unwrap();
        client.flush().await.unwrap();
        problem(&hub, "hall_games", None).await;
    }
    client.publish(here, text()).await.unwrap();
    client.flush().await.unwrap();
    problem(&hub, "hall_games", Some(LATER_MACHINE)).await;
    let findings = doctor_at(&hub);
    check(&findings, Some(false), "machine pi-02 has a later version of touchmove", "install that version here");
    // The other machine does not notice.
    machine.board.play("e7", "e5");
    shown(&hub, &machine.board_at_hub(), 2).await;
    wait_equal(&hub, &machine);
    let machines = hub.client.machines().await.unwrap();
    assert_eq!(machines.into_iter().find(|report| report.name == "pi-01").unwrap().alarm, None);
}

#[tokio::test]
async fn a_machine_that_cannot_read_the_messages_of_the_hub_says_so() {
    let Some(server) = NatsServer::start() else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    let client = connect(&server).await;
    // What it is told, in a message that it may hear or not.
    let kept = Bucket::Kept.subject("pi-01");
    for (message, is_later) in [(r#"{"v":2,"all":"different"}"#, true), (r#"{"v":1,"events":{},"behind":0}"#, false)] {
        until(&format!("what it says of {message}"), async || {
            client.publish(kept.clone(), message.into()).await.unwrap();
            client.flush().await.unwrap();
            let problems = machine.node.client.snapshot().await.ok()?.health_problems;
            let has_said = problems.iter().any(|(kind, sentence)| kind == "hall_version" && sentence.starts_with(LATER_HUB));
            (has_said == is_later).then_some(())
        })
        .await;
    }
    // What it asks.
    let mut questions = client.subscribe(subject::ALL_QUESTIONS).await.unwrap();
    let mut replies = client.subscribe("_INBOX_HUB.>").await.unwrap();
    client.flush().await.unwrap();
    let answering = {
        let client = client.clone();
        tokio::spawn(async move {
            while let Some(question) = questions.next().await {
                client.publish(question.reply.unwrap(), r#"{"v":2,"all":"different"}"#.into()).await.unwrap();
            }
        })
    };
    problem(&machine.node, "hall_version", Some(LATER_HUB)).await;
    // Its questions are answered while it runs.
    let node = machine.node;
    let (node, findings) = tokio::task::spawn_blocking(move || {
        let findings = doctor_at(&node);
        (node, findings)
    })
    .await
    .unwrap();
    let machine = Machine { node, ..machine };
    check(&findings, Some(false), "the hub of the hall has a later version", "install that version here");
    let command = json!({"v": 2, "id": "x", "all": "different"}).to_string();
    client.publish_with_reply(subject::commands("pi-01"), "_INBOX_HUB.x", command.into()).await.unwrap();
    let reply: Value = serde_json::from_slice(&replies.next().await.unwrap().payload).unwrap();
    assert_eq!(reply["reply"]["refused"]["code"], "Refused");
    let sentence = reply["reply"]["refused"]["message"].as_str().unwrap();
    assert!(sentence.contains("is older than on the hub"), "{sentence}");
    // The game goes on, and is kept for a hub that can be read.
    machine.board.play("e2", "e4");
    machine.made(1).await;
    answering.abort();
    assert!(answering.await.unwrap_err().is_cancelled());
    let Some(hub) = hub(&server, "").await else { return };
    shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    problem(&machine.node, "hall_version", None).await;
}
