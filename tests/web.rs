//! The page's server: what browsers and others ask of touchmoved over HTTP, through real sockets.

use crate::hall::Hall;
use crate::harness::{PATIENCE, until};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// A hall with the page on a port of its own, and these lines of configuration under `[web]`.
struct Site {
    hall: Hall,
    port: u16,
    _dir: TempDir,
}

/// What was answered.
struct Answer {
    status: u16,
    /// In small letters.
    head: String,
    body: String,
}

impl Answer {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why} in {}", self.body))
    }
}

impl Site {
    async fn open(keys: &str) -> Option<Site> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("touchmoved.toml");
        std::fs::write(&path, format!("[web]\nlisten = \"127.0.0.1:0\"\n{keys}\n")).unwrap();
        let hall = Hall::configured(&["--config", path.to_str().unwrap()]).await?;
        let port = until("the port", async || {
            let log = hall.daemon.log();
            let (_, rest) = log.split_once("the page is at http")?;
            rest.split_once("://127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
        })
        .await;
        Some(Site { hall, port, _dir: dir })
    }

    /// A request with these lines after Host, and this body.
    async fn ask(&self, request: &str, lines: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let host = format!("Host: localhost:{}", self.port);
        let text = format!("{request} HTTP/1.1\r\n{host}\r\nConnection: close\r\n{lines}\r\n{body}");
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.ask(&format!("GET {path}"), "", "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Server-sent events from here, with these lines of the head.
    async fn events(&self, path: &str, lines: &str) -> Events {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let text = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut events = Events { stream: BufReader::new(stream) };
        assert!(events.line().await.unwrap().contains(" 200 "));
        while !events.line().await.unwrap().is_empty() {}
        events
    }
}

/// Server-sent events.
struct Events {
    stream: BufReader<TcpStream>,
}

/// One of them.
#[derive(Debug)]
struct Happened {
    id: String,
    event: String,
    data: Value,
}

impl Events {
    /// The next line; `None`: the stream has ended.
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("a line in time").unwrap_or(0);
        (count > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// The next event; `None`: the stream has ended. Lengths of chunks, between events, are passed over.
    async fn next(&mut self) -> Option<Happened> {
        let (mut id, mut event) = (String::new(), String::new());
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("id", rest)) => id = rest.to_owned(),
                Some(("event", rest)) => event = rest.to_owned(),
                Some(("data", rest)) => return Some(Happened { id, event, data: serde_json::from_str(rest).unwrap() }),
                _ => {}
            }
        }
    }

    /// The next one that fits.
    async fn until(&mut self, what: &str, fits: impl Fn(&Happened) -> bool) -> Happened {
        loop {
            let next = self.next().await.unwrap_or_else(|| panic!("the stream ended before {what}"));
            if fits(&next) {
                return next;
            }
        }
    }

    async fn move_of(&mut self, san: &str) -> Happened {
        self.until(san, |next| {
            let sans = next.data["game"]["last_sans"].as_array();
            sans.and_then(|sans| sans.last()?.as_str()).is_some_and(|last| last.ends_with(san))
        })
        .await
    }
}

#[tokio::test]
async fn the_state_and_what_changes() {
    let Some(mut site) = Site::open("").await else { return };
    let state =
        until("the game", async || Some(site.get("/api/state").await).filter(|state| !state["boards"][0]["game"].is_null()))
            .await;
    assert_eq!((&state["who"], &state["delay_ms"], &state["delay_plies"]), (&Value::Null, &json!(0), &json!(0)));
    assert!(state.get("trouble").is_none());
    let card = &state["boards"][0];
    assert_eq!((&card["contact"], &card["placement"], &card["attention"]), (&json!("ready"), &Value::Null, &json!(0)));
    assert_eq!((&card["game"]["id"], &card["game"]["ply"]), (&json!(site.hall.game), &json!(0)));
    assert!(card["game"]["fen"].as_str().unwrap().starts_with(START));
    assert!(card["game"].get("alerts").is_none());
    let mut events = site.events("/api/events", "").await;
    let first = events.next().await.unwrap();
    assert_eq!((first.event.as_str(), &first.data["board"]), ("card", &card["board"]));
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    let e4 = events.move_of("1. e4").await;
    assert_eq!((&e4.data["game"]["last_move"], &e4.data["game"]["result"]), (&json!(["e2", "e4"]), &json!("*")));
    site.hall.play("e7", "e5", "e5").await;
    let e5 = events.move_of("1… e5").await;
    drop(events);
    // Who comes back is told what changed since, and nothing else.
    site.hall.play("g1", "f3", "Nf3").await;
    let mut again = site.events("/api/events", &format!("Last-Event-ID: {}\r\n", e5.id)).await;
    assert_eq!(again.move_of("Nf3").await.event, "card");
    let mut anew = site.events("/api/events", "Last-Event-ID: elsewhen-3\r\n").await;
    assert_eq!(anew.next().await.unwrap().event, "card");
    let game = site.get(&format!("/api/games/{}", site.hall.game)).await;
    assert_eq!((&game["moves"][1]["san"], &game["card"]["game"]["ply"]), (&json!("e5"), &json!(3)));
    assert!(game.get("alerts").is_none() && game.get("frames").is_none(), "{game}");
    let pgn = site.ask(&format!("GET /api/games/{}/pgn", site.hall.game), "", "").await;
    assert!(pgn.body.contains("1. e4") && pgn.head.contains("content-type: text/plain"), "{}", pgn.body);
    for path in ["/api/games/999", "/api/games/999/pgn", "/api/games/x", "/page/nothing.js", "/etc/passwd"] {
        let answer = site.ask(&format!("GET {path}"), "", "").await;
        assert!((400..405).contains(&answer.status), "{path}: {}", answer.status);
    }
    let page = site.ask("GET /", "", "").await;
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    let named = site.ask("GET /api/state", "Host: evil.example\r\n", "").await;
    assert!(named.status >= 400, "{}", named.status);
}
