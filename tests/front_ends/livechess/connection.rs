//! Connections: which pages may connect, and the limits for each client.

use super::{AFTER_E4, Client, START, Site, logged_port};
use crate::harness::{PATIENCE, until};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Error, Message};

#[tokio::test]
async fn the_work_for_one_client_is_limited() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    let subscribe = |id: u32| json!({"id": id, "call": "subscribe", "param": {"feed": "eboardevent", "id": id, "param": {"serialnr": "23946"}}});
    // The same id again is not another subscription.
    for id in [7, 8, 8] {
        assert_eq!(client.call(subscribe(id)).await["response"], "call");
    }
    let refused = client.call(subscribe(9)).await;
    assert_eq!(refused["response"], "error", "{refused}");
    assert!(refused["param"]["message"].as_str().unwrap().contains("unsubscribe"), "{refused}");
    // Spaces around a position are ignored, and a position that is too long is refused.
    let setup = |fen: String| json!({"id": 3, "call": "call", "param": {"id": 7, "method": "setup", "param": {"fen": fen}}});
    let start = format!("{START} w KQkq - 0 1");
    assert_eq!(client.call(setup(format!("{}{start}\n", " ".repeat(9_000)))).await["response"], "call");
    client.wait_for("the position", |param| param["start"] == json!(start)).await;
    let refused = client.call(setup(format!("{START} w KQkq - {}0 1", "0".repeat(200)))).await;
    assert_eq!(refused["response"], "error", "{refused}");
    assert!(refused.to_string().len() < 400, "{refused}");
}

#[tokio::test]
async fn only_pages_of_listed_origins_may_connect() {
    let keys = "origins = \"lichess.org, http://club.example, localhost, tauri://localhost, https://chess.example\"";
    let Some(site) = Site::open(keys).await else { return };
    for (origin, is_allowed) in [
        ("https://lichess.org", true),
        ("https://www.lichess.org", true),
        ("http://localhost:8080", true),
        ("http://club.example", true),
        ("tauri://localhost", true),
        ("tauri://evil.example", false),
        ("capacitor://localhost", false),
        ("https://chess.example", true),
        ("http://chess.example", false),
        ("http://lichess.org", false),
        ("https://lichess.org.evil.example", false),
        ("https://evillichess.org", false),
        ("https://www.chess.com", false),
        ("null", false),
    ] {
        let client = Client::connect(site.port, Some(origin)).await;
        match client {
            Ok(_) => assert!(is_allowed, "{origin} was accepted"),
            Err(Error::Http(response)) => assert!(!is_allowed && response.status() == 403, "{origin}: {response:?}"),
            Err(error) => panic!("{origin}: {error}"),
        }
        let (status, head, _) =
            site.request(&format!("GET /api/v1.0/eboards HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: {origin}")).await;
        assert_eq!(status, if is_allowed { 200 } else { 403 }, "{origin}");
        assert_eq!(head.contains(&format!("access-control-allow-origin: {origin}\r\n")), is_allowed, "{head}");
    }
    for (host, is_allowed) in [
        ("localhost", true),
        ("127.0.0.1:1982", true),
        ("[::1]:1982", true),
        ("LOCALHOST.:1", true),
        ("evil.example:1982", false),
        ("localhost.evil.example", false),
        ("", false),
        ("localhost:x", false),
    ] {
        let (status, ..) = site.request(&format!("GET /api/v1.0/eboards HTTP/1.1\r\nHost: {host}")).await;
        assert_eq!(status, if is_allowed { 200 } else { 403 }, "{host}");
    }
    let (status, ..) = site.request("GET /api/v1.0/eboards HTTP/1.1\r\nHost: localhost\r\nHost: evil.example").await;
    assert_eq!(status, 403);
    let (status, head, _) = site
        .request("OPTIONS /api/v1.0/eboards HTTP/1.1\r\nHost: localhost\r\nOrigin: https://lichess.org\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Private-Network: true")
        .await;
    assert_eq!(status, 204);
    for line in ["access-control-allow-private-network: true", "access-control-allow-methods: get", "vary: origin"] {
        assert!(head.contains(line), "{head}");
    }
    let (status, ..) = site.request("GET /etc/passwd HTTP/1.1\r\nHost: localhost").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn pages_from_files_may_connect_where_configured() {
    let Some(site) = Site::open("origins = \"lichess.org, null\"").await else { return };
    assert!(Client::connect(site.port, Some("null")).await.is_ok());
    let (status, head, _) = site.request("GET /api/v1.0/eboards HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null").await;
    assert!(status == 200 && head.contains("access-control-allow-origin: null\r\n"), "{head}");
    assert!(Client::connect(site.port, Some("https://evil.example")).await.is_err());
    let log = site.hall.daemon.log();
    assert!(log.contains("every sandboxed frame"), "{log}");
}

#[tokio::test]
async fn a_slow_client_does_not_delay_others() {
    let Some(mut site) = Site::open("").await else { return };
    let (mut slow, mut quick) = (site.client().await, site.client().await);
    slow.subscribe().await;
    quick.subscribe().await;
    // It sends requests without reading, until it cannot send any more.
    let call = Message::text(json!({"id": 1, "call": "eboards"}).to_string());
    while timeout(Duration::from_millis(500), slow.0.send(call.clone())).await.is_ok() {}
    site.hall.play("e2", "e4", "e4").await;
    quick.wait_for("e4", |param| param["board"] == AFTER_E4).await;
    // Once it reads, it receives the current position, or it is disconnected.
    let reading = async {
        while let Some(Ok(message)) = slow.0.next().await {
            let message: Value = serde_json::from_str(&message.into_text().unwrap()).unwrap_or_default();
            if message["response"] == "feed" && message["param"]["board"] == AFTER_E4 {
                return;
            }
        }
    };
    timeout(PATIENCE, reading).await.unwrap();
}

#[tokio::test]
async fn many_idle_connections_do_not_affect_others() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    let mut idle = Vec::new();
    for _ in 0..400 {
        idle.push(TcpStream::connect(("127.0.0.1", site.port)).await.unwrap());
    }
    site.hall.play("e2", "e4", "e4").await;
    client.wait_for("e4", |param| param["board"] == AFTER_E4).await;
    assert!(site.hall.daemon.log().contains("further clients are rejected"));
    drop(idle);
    site.client().await;
}

#[tokio::test]
async fn a_client_that_pings_and_never_reads_uses_no_memory() {
    let Some(site) = Site::open("").await else { return };
    let status = format!("/proc/{}/status", site.hall.daemon.pid());
    let resident_kb = || -> u64 {
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse().unwrap()
    };
    let mut client = site.client().await;
    let before = resident_kb();
    // Fifty megabytes of answers, far more than the system holds for a connection.
    let pings = async {
        for _ in 0..400_000 {
            client.0.feed(Message::Ping(vec![0; 125].into())).await?;
        }
        client.0.flush().await
    };
    // touchmoved may stop reading, or disconnect it.
    let _ = timeout(PATIENCE, pings).await;
    let after = resident_kb();
    assert!(after < before + 20_000, "{before} kB became {after} kB");
    site.client().await;
}

#[tokio::test]
async fn connections_from_one_address_are_limited() {
    let Some(site) = Site::open("").await else { return };
    let mut clients = Vec::new();
    for _ in 0..64 {
        clients.push(Client::connect(site.port, None).await.unwrap());
    }
    assert!(Client::connect(site.port, None).await.is_err());
    // A closed connection makes room for another.
    clients.pop();
    until("a free connection", async || Client::connect(site.port, None).await.ok()).await;
    let boards = clients[0].call(json!({"id": 1, "call": "eboards"})).await;
    assert_eq!(boards["id"], json!(1));
}

#[tokio::test]
async fn a_port_in_use_is_tried_again() {
    let occupied = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = occupied.local_addr().unwrap();
    let Some(mut site) = Site::at(&address.to_string(), "").await else { return };
    site.hall.play("e2", "e4", "e4").await;
    let log = site.hall.daemon.log();
    assert_eq!(log.matches(&format!("cannot connect to {address}")).count(), 1, "{log}");
    drop(occupied);
    site.port = logged_port(&site.hall).await;
    assert_eq!(site.port, address.port());
    site.client().await;
}
