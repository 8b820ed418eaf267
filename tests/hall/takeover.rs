//! Two hubs: if the one that serves is killed, the other one takes over with everything that was entered, and the public sees nothing
//! before its delay and loses nothing.

use super::*;
use touchmove::desk::DeskAct;
use touchmove::game::Command;
use touchmove::hall::subject;
use touchmove::round::trf::TableOrder;
use touchmove::round::{PairingResult, Round};

/// The delay of the public: longer than a takeover, so that it is seen whether one shortens it.
const DELAY: Duration = Duration::from_secs(15);
/// How long it takes at least before a standby hub takes over from one that was killed: ten seconds after the last renewal, which was less
/// than three seconds before.
const SILENCE: Duration = Duration::from_secs(7);

/// One of two hubs.
async fn shared_hub(server: &NatsServer) -> Option<Node> {
    let keys = format!("serve = true\nstandby = true\n[broadcast]\ndelay_s = {}\n", DELAY.as_secs());
    hub_with(State::Directory(tempfile::tempdir().unwrap()), server.port(), &keys, 1 << 30).await
}

/// Waits until a hub serves: an act that is impossible is refused because of that.
async fn serves(hub: &Node) {
    until("the hub serves", async || {
        let refused = hub.client.change_desk(&DeskAct::Unseat { table: 999 }).await.err()?.to_string();
        refused.contains("table 999").then_some(())
    })
    .await;
}

/// Waits until a hub stands by for the other one.
async fn stands_by(hub: &Node) {
    problem(hub, "hall_role", Some("this hub stands by for")).await;
}

/// The number of moves that the public sees on a board; `None`: it sees no game, or there is nothing for it.
async fn seen(spectator: &Client, board: &str) -> Option<usize> {
    let snapshot = spectator.snapshot().await.ok()?;
    snapshot.games.iter().filter(|game| game.board == board).max_by_key(|game| game.id).map(|game| game.moves.len())
}

/// Sends a machine the command of a hub in this term; returns the reply.
async fn command_of_term(server: &NatsServer, machine: &str, term: u64) -> serde_json::Value {
    let client = async_nats::ConnectOptions::new().custom_inbox_prefix(subject::inbox(subject::HUB));
    let client = client.connect(server.url()).await.unwrap();
    let command = serde_json::json!({
        "v": 1, "id": format!("of-term-{term}"), "hub": "another process", "term": term, "expires_ms": u64::MAX,
        "board": "dgt_board", "action": "identify",
    });
    let reply = client.request(subject::commands(machine), command.to_string().into()).await.unwrap();
    serde_json::from_slice(&reply.payload).unwrap()
}

/// Returns the term of the hub that has the role.
async fn term(server: &NatsServer) -> u64 {
    let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
    let stream = context.get_stream(subject::HUB_STREAM).await.unwrap();
    let lease = stream.get_last_raw_message_by_subject(subject::LEASE).await.unwrap();
    serde_json::from_slice::<serde_json::Value>(&lease.payload).unwrap()["term"].as_u64().unwrap()
}

#[tokio::test]
async fn a_standby_hub_takes_over() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut first) = shared_hub(&server).await else { return };
    serves(&first).await;
    let Some(second) = shared_hub(&server).await else { return };
    stands_by(&second).await;
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    let board = machine.board_at_hub();
    machine.board.play("e2", "e4");
    let game = shown(&first, &board, 1).await.id;

    // The desk seats the board, loads a round, whose names the game gets, and enters a result.
    let round = Round::read("table,white,black\n1,Ada,Bob\n2,Cai,Dee\n", Some(3), &TableOrder::Unknown).unwrap();
    for act in [
        DeskAct::Seat { table: 1, board: board.clone(), serial_number: None },
        DeskAct::LoadRound { round },
        DeskAct::Result { round: 3, table: 2, result: Some(PairingResult::Draw) },
    ] {
        first.client.change_desk(&act).await.unwrap();
    }
    until("the game has its names", async || {
        let game = first.client.snapshot().await.ok()?.games.into_iter().find(|known| known.id == game)?;
        (game.tags.get("White")? == "Ada").then_some(())
    })
    .await;
    let refused = second.client.change_desk(&DeskAct::Unseat { table: 1 }).await.unwrap_err().to_string();
    assert!(refused.contains("is the hub of the hall now"), "{refused}");

    // The first move becomes public; the second one is played shortly before the hub is killed.
    let spectator = client(&first.bus, Stream::Broadcast).await;
    until("the first move is public", async || (seen(&spectator, &board).await? == 1).then_some(())).await;
    machine.board.play("e7", "e5");
    let entered = shown(&first, &board, 2).await;
    let desk = first.client.desk(None).await.unwrap();
    until("the second hub has the second move", async || {
        let known = events(second.state.path(), Some(&machine.name));
        (known == events(first.state.path(), Some(&machine.name))).then_some(())
    })
    .await;
    let before = term(&server).await;
    first.kill();
    let killed = Instant::now();

    // It has everything, and the public loses nothing and sees nothing new before the whole delay.
    let taken = shown(&second, &board, 2).await;
    assert!(killed.elapsed() >= SILENCE, "the other hub took over after {:?}", killed.elapsed());
    serves(&second).await;
    let served = Instant::now();
    assert_eq!(taken.tags, entered.tags);
    assert!(taken.last_number >= entered.last_number);
    let adopted = second.client.desk(None).await.unwrap();
    assert_eq!((&adopted.round, adopted.current_round), (&desk.round, desk.current_round));
    assert!(adopted.n >= desk.n, "the log of the desk is adopted");
    assert_eq!(adopted.tables[0].seat.as_ref().unwrap().board, board);
    let spectator = client(&second.bus, Stream::Broadcast).await;
    until("the public of the second hub sees the first move", async || (seen(&spectator, &board).await? == 1).then_some(()))
        .await;
    assert!(served.elapsed() < DELAY, "what was public before is public at once, not after {:?}", served.elapsed());
    until("the public sees the second move", async || (seen(&spectator, &board).await? == 2).then_some(())).await;
    // The role was taken before it could be seen here.
    assert!(served.elapsed() + Duration::from_secs(5) >= DELAY, "the second move was public after {:?}", served.elapsed());

    // Commands work, those of the old term do not.
    let now = term(&server).await;
    assert!(now > before, "{before} {now}");
    let laws = Command::Laws { laws: "fide-2018 blitz".parse().unwrap() };
    until("the machine is there", async || second.client.send_command(taken.id, &laws).await.ok()).await;
    let reply = command_of_term(&server, "pi-01", before).await;
    assert_eq!(reply["reply"]["refused"]["code"], "OldTerm", "{reply}");

    // The first hub stands by from now on, and has nothing for the public.
    first.run().await;
    stands_by(&first).await;
    let old_spectator = client(&first.bus, Stream::Broadcast).await;
    assert!(!old_spectator.is_running().await.unwrap());
    let refused = first.client.change_desk(&DeskAct::Unseat { table: 1 }).await.unwrap_err().to_string();
    assert!(refused.contains("is the hub of the hall now"), "{refused}");
    machine.board.play("g1", "f3");
    shown(&second, &board, 3).await;
    wait_equal(&second, &machine);
    wait_equal(&first, &machine);
    assert_eq!(term(&server).await, now);
}

#[tokio::test]
async fn a_hub_without_its_server_stops_until_it_has_its_role_again() {
    let Some(mut server) = NatsServer::start() else { return };
    let Some(hub) = shared_hub(&server).await else { return };
    serves(&hub).await;
    let seat = DeskAct::Seat { table: 1, board: "b".to_owned(), serial_number: Some("1".to_owned()) };
    hub.client.change_desk(&seat).await.unwrap();
    let before = term(&server).await;
    server.kill();
    problem(&hub, "hall_role", Some("cannot renew its role")).await;
    let refused = hub.client.change_desk(&DeskAct::Unseat { table: 1 }).await.unwrap_err().to_string();
    assert!(refused.contains("does not reach the hall's server"), "{refused}");
    server.restart();
    serves(&hub).await;
    hub.client.change_desk(&DeskAct::Unseat { table: 1 }).await.unwrap();
    assert_eq!(term(&server).await, before, "nobody else had the role");
}

#[tokio::test]
async fn a_hub_that_knew_of_no_other_one_stands_by_when_it_returns() {
    let Some(server) = NatsServer::start() else { return };
    let keys = "serve = true\n";
    let Some(mut first) = hub_with(State::Directory(tempfile::tempdir().unwrap()), server.port(), keys, 1 << 30).await else {
        return;
    };
    serves(&first).await;
    first.kill();
    let Some(second) = shared_hub(&server).await else { return };
    serves(&second).await;
    first.run().await;
    stands_by(&first).await;
    let refused = first.client.change_desk(&DeskAct::Unseat { table: 1 }).await.unwrap_err().to_string();
    assert!(refused.contains("is the hub of the hall now"), "{refused}");
    serves(&second).await;
}

#[tokio::test]
async fn what_the_server_sends_for_a_machine_takes_no_role() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = shared_hub(&server).await else { return };
    serves(&hub).await;
    let client = async_nats::connect(server.url()).await.unwrap();
    // A copy of a message of the machine, and an acknowledgement: it may name any subject for these.
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Tm-V", "1");
    headers.insert("Nats-Stream", "KV_TM_HERE");
    let forged = r#"{"v":1,"term":999,"hub":"another","host":"nowhere"}"#;
    client.publish_with_headers(subject::LEASE, headers, forged.into()).await.unwrap();
    client.publish("tm.v1.hub.policy", r#"{"stream":"KV_TM_HERE","seq":7}"#.into()).await.unwrap();
    client.flush().await.unwrap();
    until("the lease is that of the hub again", async || (term(&server).await < 999).then_some(())).await;
    let seat = DeskAct::Seat { table: 1, board: "b".to_owned(), serial_number: Some("1".to_owned()) };
    until("what is entered is copied", async || hub.client.change_desk(&seat).await.ok()).await;
    serves(&hub).await;
}
