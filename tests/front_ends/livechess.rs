//! The LiveChess interface: a client that checks its messages byte for byte, with touchmoved on a private bus.

mod connection;
mod delay;
mod moves;
mod others;

use crate::harness::hall::Hall;
use crate::harness::organiser::Organiser as _;
use crate::harness::{PATIENCE, until};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use touchmove::game::GameResult;
use touchmove::game::command::Command;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

/// A hall with the LiveChess interface on a free port, and with these lines of configuration.
struct Site {
    hall: Hall,
    port: u16,
    _dir: TempDir,
}

impl Site {
    async fn open(keys: &str) -> Option<Site> {
        Site::at("127.0.0.1:0", keys).await
    }

    async fn at(listen: &str, keys: &str) -> Option<Site> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("touchmoved.toml");
        std::fs::write(&path, format!("[livechess]\nlisten = \"{listen}\"\n{keys}\n")).unwrap();
        let hall = Hall::configured(&["--config", path.to_str().unwrap()]).await?;
        let port = if listen.ends_with(":0") { logged_port(&hall).await } else { 0 };
        Some(Site { hall, port, _dir: dir })
    }

    /// A client that has seen the board.
    async fn client(&self) -> Client {
        let mut client = Client::connect(self.port, None).await.unwrap();
        until("the board's serial number", async || {
            let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
            (boards["param"][0]["serialnr"] == "23946").then_some(())
        })
        .await;
        client
    }

    /// Sends an HTTP request; returns the status, the head and the body.
    async fn request(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(format!("{request}\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
        let mut reply = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut reply)).await.unwrap().unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, _, body) = self.request(&format!("GET /api/v1.0/{path} HTTP/1.1\r\nHost: localhost:{}", self.port)).await;
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}

async fn logged_port(hall: &Hall) -> u16 {
    until("the port", async || {
        let log = hall.daemon.log();
        let (_, rest) = log.split_once("ws://127.0.0.1:")?;
        rest.split_once('/')?.0.parse().ok()
    })
    .await
}

/// A WebSocket client.
struct Client(WebSocketStream<TcpStream>);

impl Client {
    /// Connects as a page of this origin, or without an origin.
    async fn connect(port: u16, origin: Option<&str>) -> Result<Client, Error> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let mut request = format!("ws://localhost:{port}/api/v1.0").into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        Ok(Client(client_async(request, stream).await?.0))
    }

    async fn send(&mut self, text: impl Into<String>) {
        self.0.send(Message::text(text.into())).await.unwrap();
    }

    /// The text of the next message; the server's pings are skipped.
    async fn text(&mut self) -> String {
        loop {
            let message = timeout(PATIENCE, self.0.next()).await.expect("a message in time").expect("a message").unwrap();
            if !message.is_ping() {
                return message.into_text().unwrap().as_str().to_owned();
            }
        }
    }

    /// The next message.
    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.text().await).unwrap()
    }

    /// The reply to a call; feed messages before it are skipped.
    async fn call(&mut self, call: Value) -> Value {
        self.send(call.to_string()).await;
        loop {
            let message = self.receive().await;
            if message["response"] != "feed" {
                return message;
            }
        }
    }

    /// Waits for a feed message for which `fits` is true.
    async fn wait_for(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().await;
            assert_eq!(message["response"], "feed", "{message} came instead of {what}");
            if fits(&message["param"]) {
                return message["param"].clone();
            }
        }
    }

    async fn subscribe(&mut self) -> Value {
        let subscribe =
            json!({"id": 2, "call": "subscribe", "param": {"feed": "eboardevent", "id": 7, "param": {"serialnr": "23946"}}});
        assert_eq!(self.call(subscribe).await["response"], "call");
        self.receive().await["param"].clone()
    }

    /// Calls a method of the subscription; returns the feed message that follows.
    async fn method(&mut self, method: &str, param: Value) -> Value {
        let call = json!({"id": 3, "call": "call", "param": {"id": 7, "method": method, "param": param}});
        let reply = self.call(call).await;
        assert_eq!((&reply["response"], &reply["id"], &reply["param"]), (&json!("call"), &json!(3), &Value::Null), "{reply}");
        self.receive().await["param"].clone()
    }
}

/// The message with `T` in place of the time at its end.
fn without_time(text: &str) -> String {
    let (rest, time) = text.rsplit_once("\"time\":").unwrap();
    let digits = time.strip_suffix('}').unwrap();
    assert!(digits.len() == 13 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
    format!("{rest}\"time\":T}}")
}

#[tokio::test]
async fn the_messages_are_those_of_livechess() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.send(r#"{"id":1,"call":"eboards"}"#).await;
    let port = site.hall.board.path();
    let boards = format!(
        r#"{{"response":"call","id":1,"param":[{{"serialnr":"23946","source":"{}","state":"ACTIVE","battery":null,"comment":null,"board":"{START}","flipped":false,"clock":null}}],"time":T}}"#,
        port.display()
    );
    assert_eq!(without_time(&client.text().await), boards);
    client.send(r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"23946"}}}"#).await;
    assert_eq!(without_time(&client.text().await), r#"{"response":"call","id":2,"param":null,"time":T}"#);
    let first = format!(
        r#"{{"response":"feed","id":1,"param":{{"serialnr":"23946","flipped":false,"board":"{START}","clock":null}},"time":T}}"#
    );
    assert_eq!(without_time(&client.text().await), first);
    site.hall.board.put("e2", '.');
    let lifted = r#"{"response":"feed","id":1,"param":{"serialnr":"23946","flipped":false,"board":"rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"},"time":T}"#;
    assert_eq!(without_time(&client.text().await), lifted);
    site.hall.board.put("e4", 'P');
    let placed =
        format!(r#"{{"response":"feed","id":1,"param":{{"serialnr":"23946","flipped":false,"board":"{AFTER_E4}"}},"time":T}}"#);
    assert_eq!(without_time(&client.text().await), placed);
    // A clock is reported without the board.
    site.hall.board.clock(5676, 7190, true);
    let clock = client.wait_for("the clock", |param| param.get("clock").is_some()).await;
    assert!(clock.get("board").is_none(), "{clock}");
    assert_eq!((&clock["clock"]["white"], &clock["clock"]["black"]), (&json!(5676), &json!(7190)), "{clock}");
    // Ids are returned unchanged, and unknown fields are ignored.
    for id in ["77", "-3", "9007199254740993", "\"12\""] {
        client.send(format!(r#"{{"call":"eboards","id":{id},"param":{{}},"more":[1]}}"#)).await;
        let text = client.text().await;
        assert!(text.starts_with(&format!(r#"{{"response":"call","id":{},"#, id.trim_matches('"'))), "{text}");
    }
}

#[tokio::test]
async fn messages_that_are_not_understood_get_an_error() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    let subscribe = |feed: &str, serial: &str| {
        format!(r#"{{"id":4,"call":"subscribe","param":{{"feed":"{feed}","id":1,"param":{{"serialnr":"{serial}"}}}}}}"#)
    };
    let call = |param: &str| format!(r#"{{"id":4,"call":"call","param":{param}}}"#);
    let wrong = [
        (r#"{"id":4,"call":"dance"}"#.to_owned(), "dance"),
        (r#"{"id":4}"#.to_owned(), "eboards"),
        (subscribe("weather", "23946"), "weather"),
        (subscribe("eboardevent", "1"), "no board \"1\""),
        (r#"{"id":4,"call":"subscribe"}"#.to_owned(), "param.feed"),
        (call(r#"{"id":7,"method":"jump"}"#), "jump"),
        (call(r#"{"id":8,"method":"flip","param":{"flip":true}}"#), "no subscription 8"),
        (call(r#"{"id":7,"method":"setup","param":{"fen":"white"}}"#), "not a valid position"),
        (call(r#"{"id":7,"method":"setup"}"#), "FEN"),
        (call(r#"{"id":{},"method":"setup","param":{"fen":"8/8/8/8/8/8/8/8"}}"#), "number of a subscription"),
        (call("7"), "param.method"),
    ];
    for (message, expected) in wrong {
        client.send(message.as_str()).await;
        let answer = client.receive().await;
        assert_eq!((&answer["response"], &answer["id"]), (&json!("error"), &json!(4)), "{message}: {answer}");
        assert!(answer["param"]["message"].as_str().unwrap().contains(expected), "{message}: {answer}");
        assert_eq!(answer["param"]["stacktrace"], json!(""), "{answer}");
    }
    let deep = "[".repeat(9_000);
    for message in ["", "hello", "[]", "7", "{\"id\":4", deep.as_str()] {
        client.send(message).await;
        let answer = client.receive().await;
        assert_eq!((&answer["response"], &answer["id"]), (&json!("error"), &Value::Null), "{message}: {answer}");
    }
    // A message that is too long ends this connection, and no other.
    let mut other = site.client().await;
    let _ = client.0.send(Message::text("x".repeat(100_000))).await;
    let closed = timeout(PATIENCE, async { while let Some(Ok(_)) = client.0.next().await {} }).await;
    assert!(closed.is_ok(), "the connection is still open");
    assert_eq!(other.call(json!({"id": 1, "call": "eboards"})).await["id"], json!(1));
}

#[tokio::test]
async fn sources_are_the_ports_of_boards() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    let sources = json!([{"device": site.hall.board.path()}]);
    let reply = client.call(json!({"id": 4, "call": "sources"})).await;
    assert_eq!((&reply["id"], &reply["param"]), (&json!(4), &sources), "{reply}");
    assert_eq!(site.get("sources").await, sources);
    let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
    assert_eq!(boards["param"][0]["source"], sources[0]["device"]);
}

#[tokio::test]
async fn a_clock_that_is_no_longer_seen_keeps_its_last_times() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    let tournament = site.get("tournaments").await[0]["uuid"].as_str().unwrap().to_owned();
    let round = site.get(&format!("round/{tournament}/0")).await;
    // No round was loaded: the date is that of the game.
    let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
    assert_eq!(round["date"], json!(today));
    let game = format!("game/{}", round["pairings"][0]["uuid"].as_str().unwrap());
    client.subscribe().await;
    site.hall.board.clock(300, 280, true);
    client.wait_for("the clock", |param| param["clock"]["white"] == 300).await;
    assert_eq!(site.get(&game).await["clock"]["run"], json!(true));
    site.hall.board.unplug();
    client.wait_for("no clock", |param| param.get("clock") == Some(&Value::Null)).await;
    let clock = site.get(&game).await["clock"].clone();
    assert_eq!((&clock["white"], &clock["black"], &clock["run"]), (&json!(300), &json!(280), &Value::Null), "{clock}");
}

#[tokio::test]
async fn tournaments_rounds_and_games_are_served() {
    let Some(mut site) = Site::open("").await else { return };
    site.client().await;
    // Without pairings each board is a pairing.
    let tournament = site.get("tournaments").await[0].clone();
    assert_eq!(tournament["rounds"], 1);
    let pairing = site.get(&format!("round/{}/0", tournament["uuid"].as_str().unwrap())).await["pairings"][0].clone();
    assert_eq!((&pairing["nr"], &pairing["live"], &pairing["result"]), (&json!(1), &json!(true), &Value::Null));
    let pairings = r#"{"number":3,"event":"City Open","site":"Delft","date":"2026.11.21","pairings":[
        {"table":1,"white":{"name":"Ada, A","title":"WGM","fide_id":1503014,"federation":"NED"},"black":{"name":"Bob"},"serial":"23946"},
        {"table":3,"white":{"name":"Cid"},"black":{"name":"Dee"},"result":"--+"}]}"#;
    site.hall.client.load_round(pairings).await.unwrap();
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    let summary = site.get("tournaments").await[0].clone();
    let uuid = summary["uuid"].as_str().unwrap().to_owned();
    assert_eq!(summary, json!({"uuid": uuid, "description": "City Open", "rounds": 3}));
    let expected = json!({
        "uuid": uuid, "name": "City Open", "description": "City Open", "location": "Delft", "country": "", "rounds": 3,
        "eboards": ["23946", null, null],
    });
    assert_eq!(site.get(&format!("tournament/{uuid}")).await, expected);
    assert_eq!(site.get(&format!("round/{uuid}/0")).await, json!({"nr": 1, "date": null, "pairings": []}));
    let round = until("the game to have its names", async || {
        let round = site.get(&format!("round/{uuid}/2")).await;
        (round["pairings"][0]["live"] == true).then_some(round)
    })
    .await;
    assert_eq!((&round["nr"], &round["date"]), (&json!(3), &json!("2026-11-21")));
    let white = json!({"fname": "A", "mname": null, "lname": "Ada", "title": "WGM", "federation": "NED", "gender": "F", "fideid": "1503014"});
    assert_eq!(round["pairings"][0]["white"], white);
    let forfeit = &round["pairings"][1];
    assert_eq!((&forfeit["nr"], &forfeit["live"], &forfeit["result"]), (&json!(3), &json!(false), &json!("BLACKFORFAIT")));
    let path = format!("game/{}", round["pairings"][0]["uuid"].as_str().unwrap());
    let game = site.get(&path).await;
    assert_eq!((&game["chess960"], &game["result"], &game["comment"]), (&json!(518), &Value::Null, &Value::Null));
    assert_eq!(game["clock"]["white"], 5400);
    let moved = game["moves"][0].as_str().unwrap();
    assert!(moved.starts_with("e4 ") && moved.contains('+') && moved.split(' ').count() == 2, "{game}");
    site.hall.client.send_command(site.hall.game, &Command::Result { result: Some(GameResult::Draw) }).await.unwrap();
    assert_eq!(site.get(&path).await["result"], "DRAW");
    for path in ["tournament/x", &format!("round/{uuid}/3"), "game/0000"] {
        let (status, ..) = site.request(&format!("GET /api/v1.0/{path} HTTP/1.1\r\nHost: localhost")).await;
        assert_eq!(status, 404, "{path}");
    }
}
