//! The LiveChess interface: a client that checks its messages byte for byte, with touchmoved on a private bus.

mod others;

use crate::harness::hall::Hall;
use crate::harness::{PATIENCE, until};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
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
async fn moves_are_reported_from_the_position_that_was_set_up() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    let first = client.subscribe().await;
    assert!(first.get("san").is_none() && first.get("start").is_none() && first.get("match").is_none(), "{first}");
    let start = format!("{START} w KQkq - 0 1");
    let set = client.method("setup", json!({ "fen": start })).await;
    assert_eq!(set, json!({"serialnr": "23946", "flipped": false, "start": start, "san": [], "match": true}));
    site.hall.play("e2", "e4", "e4").await;
    let e4 = client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    assert_eq!(e4["start"], json!(start));
    site.hall.play("e7", "e5", "e5").await;
    client.wait_for("both moves", |param| param["san"] == json!(["e4", "e5"]) && param["match"] == true).await;
    // Another position of the game: only the moves after it. Castling rights may be written in any order.
    let fen = format!("{AFTER_E4} b QKqk - 0 1");
    client.method("setup", json!({ "fen": fen })).await;
    let set = client.wait_for("the reply", |param| param["san"] == json!(["e5"])).await;
    assert_eq!((&set["start"], &set["match"]), (&json!(fen), &json!(true)));
    site.hall.play("g1", "f3", "Nf3").await;
    client.wait_for("the knight", |param| param["san"] == json!(["e5", "Nf3"]) && param["match"] == true).await;
    // A position that was never on the board.
    let set = client.method("setup", json!({ "fen": "8/8/4k3/8/8/4K3/8/8 w - - 0 1" })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(false)));
    // The game is unchanged.
    let pgn = site.hall.client.pgn(site.hall.game).await.unwrap();
    assert!(pgn.contains("Nf3"), "{pgn}");
    // Flipped by the method of livechess-go and by that of LiveChess.
    for (method, flip) in [("setup", true), ("flip", false)] {
        let set = client.method(method, json!({ "flip": flip })).await;
        assert_eq!(set["flipped"], json!(flip));
        let rank = if flip { "R1BKQBNR/PPP" } else { "rnbqkbnr/ppp" };
        assert!(set["board"].as_str().unwrap().starts_with(rank), "{set}");
    }
    let unsubscribe = json!({"id": 5, "call": "call", "param": {"id": 7, "method": "unsubscribe"}});
    assert_eq!(client.call(unsubscribe.clone()).await["response"], "call");
    assert_eq!(client.call(unsubscribe).await["response"], "error");
}

/// Plays a bishop to e2, where it rests longer than the settle time, and then on to d3.
async fn play_bishop_in_two_steps(site: &mut Site) {
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5")] {
        site.hall.play(from, to, san).await;
    }
    site.hall.play("f1", "e2", "Be2").await;
    site.hall.board.play("e2", "d3");
}

/// All lists of moves that are reported until this one.
async fn move_lists_until(client: &mut Client, last: Value) -> Vec<Value> {
    let mut lists = Vec::new();
    while lists.last() != Some(&last) {
        let param = client.wait_for("moves", |param| param.get("san").is_some()).await;
        lists.push(param["san"].clone());
    }
    lists
}

#[tokio::test]
async fn a_move_is_reported_when_it_is_settled() {
    for (keys, wrong_first) in [("", false), ("publish = \"prompt\"", true)] {
        let Some(mut site) = Site::open(keys).await else { return };
        let mut client = site.client().await;
        client.subscribe().await;
        client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
        play_bishop_in_two_steps(&mut site).await;
        let lists = move_lists_until(&mut client, json!(["e4", "e5", "Bd3"])).await;
        assert_eq!(lists.contains(&json!(["e4", "e5", "Be2"])), wrong_first, "{keys:?}: {lists:?}");
    }
}

#[tokio::test]
async fn with_a_clock_a_move_is_reported_after_the_press() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.board.clock(300, 300, true);
    site.hall.play("e2", "e4", "e4").await;
    // The pieces are reported at once, but the move is not, not even after a while.
    let placed = client.wait_for("the pawn on e4", |param| param["board"] == AFTER_E4).await;
    assert!(placed.get("san").is_none_or(|san| *san == json!([])), "{placed}");
    let settled = async { client.wait_for("e4", |param| param["san"] == json!(["e4"])).await };
    assert!(timeout(Duration::from_millis(2_500), settled).await.is_err(), "it was reported before the clock was pressed");
    site.hall.board.clock(299, 300, false);
    client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    // A mating move ends the game: it needs no press.
    for (from, to, san, white_runs) in [("f7", "f6", "f6", true), ("a2", "a3", "a3", false), ("g7", "g5", "g5", true)] {
        site.hall.play(from, to, san).await;
        site.hall.board.clock(298, 298, white_runs);
    }
    site.hall.play("d1", "h5", "Qh5#").await;
    client.wait_for("mate", |param| param["san"] == json!(["e4", "f6", "a3", "g5", "Qh5#"])).await;
}

/// Sets up the pieces of a position, square by square.
fn set_up(site: &Site, fen: &str) {
    for (rank, row) in fen.split(' ').next().unwrap().split('/').enumerate() {
        let empty = |c: char| c.to_digit(10).map_or(c.to_string(), |count| ".".repeat(count as usize));
        let row: String = row.chars().map(empty).collect();
        for (file, piece) in row.chars().enumerate() {
            let square = format!("{}{}", char::from(b'a' + file as u8), 8 - rank);
            site.hall.board.put(&square, piece);
        }
    }
}

#[tokio::test]
async fn moves_are_reported_from_any_position_on_the_board() {
    let Some(site) = Site::open("").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    // A game of another day, of which touchmove has no record.
    let fen = "r3k2r/pPp2ppp/3q4/4n3/4P3/2N2Q2/PPP2PPP/R3K2R w KQkq - 2 15";
    set_up(&site, fen);
    let placement = fen.split(' ').next().unwrap().to_owned();
    client.wait_for("the position", |param| param["board"] == json!(placement)).await;
    let set = client.method("setup", json!({ "fen": fen })).await;
    assert_eq!((&set["start"], &set["san"], &set["match"]), (&json!(fen), &json!([]), &json!(true)));
    let (board, mut played) = (&site.hall.board, Vec::<&str>::new());
    // Castling, a slide that rests on its way, a capture, castling to the other side, a promotion with a capture, a capture of it.
    let moves: [(&str, &[(&str, char)]); 6] = [
        ("O-O", &[("e1", '.'), ("g1", 'K'), ("h1", '.'), ("f1", 'R')]),
        ("Qd2", &[("d6", '.'), ("d4", 'q'), ("d4", '.'), ("d2", 'q')]),
        ("bxa8=Q+", &[("a8", '.'), ("b7", '.'), ("a8", 'Q')]),
        ("Ke7", &[("e8", '.'), ("e7", 'k')]),
        ("Qxh8", &[("h8", '.'), ("a8", '.'), ("h8", 'Q')]),
        ("Nxf3+", &[("f3", '.'), ("e5", '.'), ("f3", 'n')]),
    ];
    for (san, changes) in moves {
        for (square, piece) in changes {
            board.put(square, *piece);
            tokio::time::sleep(Duration::from_millis(if *piece == '.' { 60 } else { 400 })).await;
        }
        played.push(san);
        let message = client.wait_for(san, |param| param["san"].as_array().is_some_and(|san| san.len() >= played.len())).await;
        assert_eq!((&message["san"], &message["start"]), (&json!(played), &json!(fen)));
    }
    // Another client sets up the current position and gets the moves from there.
    let mut other = site.client().await;
    other.subscribe().await;
    let now = "7Q/p1p1kppp/8/8/4P3/2N2n2/PPPq1PPP/R4RK1 w - - 0 18";
    let set = other.method("setup", json!({ "fen": now })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(true)), "{set}");
    board.put("f3", '.');
    board.put("g2", '.');
    board.put("f3", 'P');
    played.push("gxf3");
    client.wait_for("the capture", |param| param["san"] == json!(played)).await;
    other.wait_for("the capture", |param| param["san"] == json!(["gxf3"]) && param["match"] == true).await;
    // The game on the board is unchanged, and these moves are published nowhere else.
    let pgn = site.hall.client.pgn(site.hall.game).await.unwrap();
    assert!(!pgn.contains("O-O"), "{pgn}");
    let journal = rusqlite::Connection::open(site.hall.state.path().join(touchmove::daemon::journal::FILE_NAME)).unwrap();
    let count = |sql: &str| journal.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM game"), 1);
    assert_eq!(count("SELECT count(*) FROM event WHERE kind = 'move_made'"), 0);
}

/// A pawn ending of another day.
const ENDING: &str = "4k3/p7/8/8/8/8/P7/4K3 w - - 0 40";

impl Site {
    /// Sets up the ending, and waits until this client sees it.
    async fn set_up_ending(&self, client: &mut Client) {
        set_up(self, ENDING);
        let placement = ENDING.split(' ').next().unwrap();
        until("the ending", async || {
            let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
            (boards["param"][0]["board"] == json!(placement)).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_positions_followed_on_one_board_are_limited() {
    let Some(site) = Site::open("").await else { return };
    const FULL: &str = "8 positions are already followed on this board";
    let mut clients = Vec::new();
    for _ in 0..9 {
        let mut client = site.client().await;
        client.subscribe().await;
        client.method("setup", json!({ "fen": ENDING })).await;
        clients.push(client);
    }
    // Nothing is followed while the position is not on the board.
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(!site.hall.daemon.log().contains(FULL));
    drop(clients.pop());
    site.set_up_ending(&mut clients[0]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut last = site.client().await;
    last.subscribe().await;
    last.method("setup", json!({ "fen": ENDING })).await;
    until("the log to report the limit", async || site.hall.daemon.log().contains(FULL).then_some(())).await;
    drop(clients.pop());
    // touchmoved tries again soon.
    tokio::time::sleep(Duration::from_secs(3)).await;
    site.hall.board.play("a2", "a4");
    last.wait_for("a4", |param| param["san"] == json!(["a4"])).await;
}

#[tokio::test]
async fn moves_continue_at_once_after_the_cable_was_out() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    site.set_up_ending(&mut client).await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": ENDING })).await;
    site.hall.board.play("a2", "a4");
    client.wait_for("a4", |param| param["san"] == json!(["a4"])).await;
    site.hall.board.unplug();
    for (square, piece) in [("a7", '.'), ("a5", 'p'), ("e1", '.'), ("e2", 'K')] {
        site.hall.board.put_unseen(square, piece);
    }
    site.hall.board.plug();
    let plugged = std::time::Instant::now();
    client.wait_for("both moves", |param| param["san"] == json!(["a4", "a5", "Ke2"])).await;
    assert!(plugged.elapsed() < Duration::from_secs(15), "reported after {:?}", plugged.elapsed());
}

/// A game from which an earlier position is set up again: its moves after that position do not belong to the client's game.
#[tokio::test]
async fn moves_before_the_position_was_set_up_again_are_not_reported() {
    let Some(mut site) = Site::open("").await else { return };
    let mut client = site.client().await;
    for (from, to, san) in [
        ("e2", "e4", "e4"),
        ("e7", "e5", "e5"),
        ("g1", "f3", "Nf3"),
        ("b8", "c6", "Nc6"),
        ("f1", "c4", "Bc4"),
        ("g8", "f6", "Nf6"),
    ] {
        site.hall.play(from, to, san).await;
    }
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    // All at once, as a person sets up a position.
    for (square, piece) in
        [("f6", '.'), ("c4", '.'), ("c6", '.'), ("f3", '.'), ("g8", 'n'), ("f1", 'B'), ("b8", 'n'), ("g1", 'N')]
    {
        site.hall.board.put(square, piece);
    }
    let placement = fen.split(' ').next().unwrap().to_owned();
    until("the position", async || {
        let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
        (boards["param"][0]["board"] == json!(placement)).then_some(())
    })
    .await;
    client.subscribe().await;
    let set = client.method("setup", json!({ "fen": fen })).await;
    assert_eq!((&set["san"], &set["match"]), (&json!([]), &json!(true)), "{set}");
    site.hall.board.play("d2", "d4");
    let lists = move_lists_until(&mut client, json!(["d4"])).await;
    assert!(lists.iter().all(|san| *san == json!([]) || *san == json!(["d4"])), "{lists:?}");
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
        {"table":3,"white":{"name":"Cid"},"black":{"name":"Dee"},"forfeit":"black"}]}"#;
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

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// A busy board may report its serial number only after the start of its game was released.
#[tokio::test]
async fn under_a_delay_a_late_serial_number_is_published() {
    let Some(site) = Site::open("[broadcast]\ndelay_s = 2").await else { return };
    let mut client = site.client().await;
    site.hall.board.send(b"\x91\0\x0800815");
    until("the other serial number", async || {
        let boards = client.call(json!({"id": 1, "call": "eboards"})).await;
        (boards["param"][0]["serialnr"] == "00815").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_delay_applies_to_everything() {
    let Some(mut site) = Site::open("[broadcast]\ndelay_s = 2").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.board.clock(300, 300, true);
    let made_at = site.hall.play("e2", "e4", "e4").await.time.unwrap();
    let message = client.wait_for("e4 on the board", |param| param["board"] == AFTER_E4).await;
    assert!(now() - made_at >= 2_000, "reported after {} ms", now() - made_at);
    // A delayed move is not yet settled.
    assert!(message.get("san").is_none_or(|san| *san == json!([])), "{message}");
    client.wait_for("e4", |param| param["san"] == json!(["e4"]) && param["match"] == true).await;
    assert!(now() - made_at >= 3_000, "reported after {} ms", now() - made_at);
    site.hall.board.clock(299, 300, false);
    let made_at = site.hall.play("e7", "e5", "e5").await.time.unwrap();
    let tournament = site.get("tournaments").await[0]["uuid"].as_str().unwrap().to_owned();
    let pairing = site.get(&format!("round/{tournament}/0")).await["pairings"][0]["uuid"].as_str().unwrap().to_owned();
    until("the reply over HTTP", async || {
        let (game, boards) = (site.get(&format!("game/{pairing}")).await, site.get("eboards").await);
        let seen = game["moves"].as_array().unwrap().len() == 2 || boards[0]["board"] != AFTER_E4;
        assert!(!seen || now() - made_at >= 2_000, "{game} {boards} after {} ms", now() - made_at);
        seen.then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_live_interface_ignores_the_delay() {
    let Some(mut site) = Site::open("live = true\n[broadcast]\ndelay_s = 3600").await else { return };
    let mut client = site.client().await;
    client.subscribe().await;
    client.method("setup", json!({ "fen": format!("{START} w KQkq - 0 1") })).await;
    site.hall.play("e2", "e4", "e4").await;
    client.wait_for("e4", |param| param["san"] == json!(["e4"])).await;
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
