//! The web server: requests of browsers and other programs over HTTP, through real sockets.

mod code;
mod engine;
mod examples;
mod former;
mod login;
mod public;
mod service;
mod spectators;
mod stream;
mod taken_back;

use crate::harness::hall::Hall;
use crate::harness::organiser::Organiser as _;
use crate::harness::{Daemon, PATIENCE, until};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use touchmove::desk::DeskAct;
use touchmove::game::rights::Role;
use touchmove::wire::Word;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
/// Certificates for tests, with their keys.
pub const TLS_DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tls");

/// A hall with the page on a port of its own, and these lines of configuration under `[web]`.
struct Site {
    hall: Hall,
    port: u16,
    _dir: TempDir,
}

/// An answer to a request.
pub struct Answer {
    pub status: u16,
    /// In lower case.
    pub head: String,
    pub body: String,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.body))
    }

    /// The header line with which a browser returns the cookie that it received, among others. Names are in lower case.
    pub fn cookie(&self) -> String {
        let cookie = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        format!("Cookie: a=b; {}\r\n", cookie.split(';').next().unwrap())
    }
}

impl Site {
    async fn open(keys: &str) -> Option<Site> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("touchmoved.toml");
        std::fs::write(&path, format!("[web]\nlisten = \"127.0.0.1:0\"\n{keys}\n")).unwrap();
        let hall = Hall::configured(&["--config", path.to_str().unwrap()]).await?;
        let port = port_of(&hall.daemon).await;
        Some(Site { hall, port, _dir: dir })
    }

    /// Sends a request with these header lines after Host, and this body.
    async fn send_request(&self, request: &str, lines: &str, body: &str) -> Answer {
        send_request(self.port, request, lines, body).await
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.send_request(&format!("GET {path}"), "", "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Opens a stream of server-sent events with these header lines.
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

/// A server-sent event.
#[derive(Debug)]
struct ServerEvent {
    id: String,
    event: String,
    data: Value,
}

impl Events {
    /// The next line, or `None` if the stream has ended.
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("a line in time").unwrap_or(0);
        (count > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// The next event, or `None` if the stream has ended. Lengths of chunks between events are ignored.
    async fn next(&mut self) -> Option<ServerEvent> {
        let (mut id, mut event) = (String::new(), String::new());
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("id", rest)) => id = rest.to_owned(),
                Some(("event", rest)) => event = rest.to_owned(),
                Some(("data", rest)) => return Some(ServerEvent { id, event, data: serde_json::from_str(rest).unwrap() }),
                _ => {}
            }
        }
    }

    /// The next event that fits. The stream is never silent for long, so the whole wait has a limit.
    async fn until(&mut self, name: &str, fits: impl Fn(&ServerEvent) -> bool) -> ServerEvent {
        let wait = async {
            loop {
                let next = self.next().await.unwrap_or_else(|| panic!("the stream ended before {name}"));
                if fits(&next) {
                    break next;
                }
            }
        };
        timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("waited in vain for {name}"))
    }

    async fn move_of(&mut self, san: &str) -> ServerEvent {
        self.until(san, |next| {
            let sans = next.data["game"]["last_sans"].as_array();
            sans.and_then(|sans| sans.last()?.as_str()).is_some_and(|last| last.ends_with(san))
        })
        .await
    }
}

#[tokio::test]
async fn the_state_and_its_changes() {
    let Some(mut site) = Site::open("").await else { return };
    let state =
        until("the game", async || Some(site.get("/api/state").await).filter(|state| !state["boards"][0]["game"].is_null()))
            .await;
    assert_eq!((&state["who"], &state["delay_ms"], &state["delay_plies"]), (&Value::Null, &json!(0), &json!(0)));
    assert!(state.get("problems").is_none());
    assert_eq!(json!(site.hall.client.snapshot().await.unwrap().incarnation), state["incarnation"]);
    let card = &state["boards"][0];
    assert_eq!((&card["contact"], &card["placement"], &card["attention"]), (&json!("ready"), &Value::Null, &json!(0)));
    assert_eq!((&card["game"]["id"], &card["game"]["ply"]), (&json!(site.hall.game), &json!(0)));
    assert!(card["game"]["fen"].as_str().unwrap().starts_with(START));
    assert!(card["game"].get("alerts").is_none());
    let mut events = site.events("/api/events", "").await;
    let first = events.next().await.unwrap();
    assert_eq!((first.event.as_str(), &first.data["incarnation"]), ("incarnation", &state["incarnation"]));
    let first = events.next().await.unwrap();
    assert_eq!((first.event.as_str(), &first.data["board"]), ("card", &card["board"]));
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    let e4 = events.move_of("1. e4").await;
    assert_eq!((&e4.data["game"]["last_move"], &e4.data["game"]["result"]), (&json!(["e2", "e4"]), &json!("*")));
    site.hall.play("e7", "e5", "e5").await;
    let e5 = events.move_of("1… e5").await;
    drop(events);
    // A client that reconnects receives what has changed since, and nothing else.
    site.hall.play("g1", "f3", "Nf3").await;
    let mut again = site.events("/api/events", &format!("Last-Event-ID: {}\r\n", e5.id)).await;
    let is_nf3 = |next: &ServerEvent| {
        assert_ne!(next.event, "incarnation");
        next.data["game"]["last_sans"].to_string().contains("Nf3")
    };
    assert_eq!(again.until("Nf3", is_nf3).await.event, "card");
    let mut anew = site.events("/api/events", "Last-Event-ID: elsewhen-3\r\n").await;
    assert_eq!(anew.next().await.unwrap().event, "incarnation");
    assert_eq!(anew.next().await.unwrap().event, "card");
    let game = site.get(&format!("/api/games/{}", site.hall.game)).await;
    assert_eq!((&game["moves"][1]["san"], &game["card"]["game"]["ply"]), (&json!("e5"), &json!(3)));
    assert!(game.get("alerts").is_none() && game.get("frames").is_none(), "{game}");
    let pgn = site.send_request(&format!("GET /api/games/{}/pgn", site.hall.game), "", "").await;
    assert!(pgn.body.contains("1. e4") && pgn.head.contains("content-type: text/plain"), "{}", pgn.body);
    for path in ["/api/games/999", "/api/games/999/pgn", "/api/games/x", "/page/nothing.js", "/etc/passwd"] {
        let answer = site.send_request(&format!("GET {path}"), "", "").await;
        assert!((400..405).contains(&answer.status), "{path}: {}", answer.status);
    }
    let page = site.send_request("GET /", "", "").await;
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    let twice = site.send_request("GET /api/state", "Host: evil.example\r\n", "").await;
    assert_eq!(twice.status, 403);
}

const CTL: &str = env!("CARGO_BIN_EXE_touchmovectl");

impl Site {
    /// Runs `touchmovectl token` and returns what it prints.
    fn token(&self, args: &[&str]) -> String {
        let state = ["--state-dir", self.hall.state.path().to_str().unwrap()];
        let output = std::process::Command::new(CTL).arg("token").args(args).args(state).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    async fn post(&self, path: &str, lines: &str, body: &Value) -> Answer {
        post(self.port, path, lines, body).await
    }

    /// Logs in with a new token. Returns the header line with the session's cookie.
    async fn log_in(&self, name: &str, role: &str) -> String {
        let token = self.token(&["create", name, "--role", role]);
        let answer = self.post("/api/login", "", &json!({ "token": token })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.json(), who(name, role));
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        assert!(cookie.contains("; httponly; samesite=strict; path=/") && !cookie.contains("secure"), "{cookie}");
        assert!(!answer.head.contains("strict-transport-security"), "{}", answer.head);
        answer.cookie()
    }

    /// Starts touchmoved again with the same state directory, on another port.
    async fn restart(self) -> Site {
        let Site { hall: Hall { client, watch, game, daemon, board, state, bus }, _dir, .. } = self;
        assert!(daemon.terminate().success());
        let config = _dir.path().join("touchmoved.toml");
        let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
        let port = port_of(&daemon).await;
        Site { hall: Hall { client, watch, game, daemon, board, state, bus }, port, _dir }
    }

    async fn get_as(&self, cookie: &str, path: &str) -> Value {
        let answer = self.send_request(&format!("GET {path}"), cookie, "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }
}

#[tokio::test]
async fn an_arbiter_sees_alerts_and_rules() {
    let Some(mut site) = Site::open("").await else { return };
    let arbiter = site.log_in("Anna", "arbiter").await;
    let operator = site.log_in("Otto", "operator").await;
    let list = site.token(&["list"]);
    assert!(list.contains("Anna") && list.contains("operator"), "{list}");
    let bob = site.token(&["create", "Bob", "--role", "operator"]);
    for name in ["tokens.json", "sessions.json"] {
        let path = site.hall.state.path().join(name);
        let content = std::fs::read_to_string(&path).unwrap();
        for secret in [arbiter.trim().rsplit('=').next().unwrap(), &bob] {
            assert!(!content.contains(secret), "a secret is stored as it is in {name}");
        }
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }

    let mut events = site.events("/api/events?lang=zh-Hans", &arbiter).await;
    let mut watched = site.events("/api/events", &operator).await;
    let mut public = site.events("/api/events", "").await;
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    site.hall.board.clock(5390, 5400, false);
    site.hall.play("e7", "e5", "e5").await;
    site.hall.board.clock(5390, 5390, true);
    // This is not a move of a rook.
    site.hall.board.put("h1", '.');
    site.hall.board.put("h3", 'R');
    site.hall.board.clock(5380, 5390, false);
    let card = events.until("the alert", |next| next.data["game"]["alerts"][0]["kind"] == "illegal_move").await.data;
    let alert = &card["game"]["alerts"][0];
    assert_eq!((&alert["matter"], &alert["by"], &alert["notice"]), (&json!("play"), &json!("white"), &json!(false)));
    assert_eq!(card["attention"], 3);
    assert!(alert["articles"].as_array().unwrap().contains(&json!("7.5.1")), "{alert}");
    assert!(alert["text"].as_str().unwrap().contains("白方"), "{alert}");
    assert!(!alert["evidence"].as_array().unwrap().is_empty() && !alert["required"].as_array().unwrap().is_empty(), "{alert}");
    let wrong = watched.move_of("Rh1-h3").await.data;
    assert!(wrong["game"]["alerts"] == json!([]) && wrong["attention"] == 0, "{wrong}");
    assert!(wrong["placement"].is_string() && !wrong["clock"].is_null(), "{wrong}");
    // The public does not see it before the arbiter has ruled.
    let game = format!("/api/games/{}", site.hall.game);
    for path in [&game, &format!("{game}/pgn"), "/api/state", "/cloud/round-1/games.pgn"] {
        let seen = site.send_request(&format!("GET {path}"), "", "").await;
        assert!(seen.status == 200 && !seen.body.contains("Rh1") && !seen.body.contains("h1h3"), "{path}: {}", seen.body);
    }
    let card = public.move_of("e5").await.data;
    assert!(card["game"].get("alerts").is_none() && card["placement"].is_null(), "{card}");

    let path = format!("/api/games/{}", site.hall.game);
    let game = site.get_as(&arbiter, &path).await;
    assert_eq!((&game["alerts"][0]["cleared"], &game["moves"][2]["irregular"]), (&json!(false), &json!(true)));
    assert!(game["frames"].as_array().unwrap().iter().any(|frame| frame["square"] == "h3"), "{}", game["frames"]);
    assert_eq!(game["tally"]["white"][0]["ply"], 3, "{}", game["tally"]);
    let seen = site.get_as(&operator, &path).await;
    assert!(["frames", "tally", "undo"].iter().all(|field| seen.get(field).is_none()), "{seen}");
    assert_eq!(seen["alerts"], json!([]));

    // Clients that may not give commands, and invalid commands.
    let restore = json!({"game": site.hall.game, "command": {"do": "restore", "ply": 3}});
    assert_eq!(site.post("/api/command", "", &restore).await.status, 401);
    assert_eq!(site.post("/api/command", &operator, &restore).await.status, 403);
    for (wrong, status) in [
        (json!({"game": 1}), 400),
        (json!({"command": {"do": "undo"}}), 400),
        (json!({"game": 1, "board": "x", "command": {"do": "undo"}}), 400),
        (json!({"game": 1, "command": {"do": "dance"}}), 400),
        (json!({"board": "x", "n_seen": 1, "command": {"do": "undo"}}), 400),
        (json!({"game": 1, "command": {"do": "tags", "tags": [["A\"", "b"]]}}), 400),
        (json!({"game": 999, "command": {"do": "undo"}}), 404),
        (json!({"board": "nowhere", "command": {"do": "undo"}}), 404),
        (json!({"game": 1, "command": {"do": "restore", "ply": 99}}), 409),
    ] {
        let answer = site.post("/api/command", &arbiter, &wrong).await;
        assert_eq!(answer.status, status, "{wrong}: {}", answer.body);
        assert!(answer.json()["error"].as_str().unwrap().len() > 10, "{}", answer.body);
    }
    // The table's reason is in the reader's language.
    for (lang, reason) in [("en", "the game has no position before such a move"), ("zh-Hant", "棋局沒有該步之前的局面")]
    {
        let command = json!({"game": 1, "command": {"do": "restore", "ply": 99}});
        let answer = site.post(&format!("/api/command?lang={lang}"), &arbiter, &command).await;
        assert!(answer.status == 409 && answer.body.contains(reason), "{}", answer.body);
    }
    // A preview changes nothing, and a command on a stale view is refused.
    assert_eq!(site.post("/api/preview", &operator, &restore).await.status, 403);
    let answer = site.post("/api/preview?lang=zh-Hans", &arbiter, &restore).await.json();
    let preview = &answer["answer"]["preview"];
    assert_eq!((&preview["removed_moves"], &preview["removes"]), (&json!("2.Rh1-h3"), &json!(true)), "{answer}");
    assert_eq!(preview["action"], "删除1着");
    let last = site.get_as(&arbiter, "/api/state").await["boards"][0]["game"]["last_number"].clone();
    assert_eq!(preview["n"], last);
    let count = json!({"game": site.hall.game, "command": {"do": "count", "player": "black", "what": "two_hands"}});
    assert_eq!(site.post("/api/command", &arbiter, &count).await.status, 200);
    // Operators are not told of it: what is refused is that there is no promotion.
    let promotion = json!({"game": site.hall.game, "n_seen": last, "command": {"do": "promotion", "piece": "queen"}});
    let answer = site.post("/api/command", &operator, &promotion).await;
    assert!(answer.status == 409 && answer.body.contains("promotion"), "{}", answer.body);
    let mut stale = restore.clone();
    stale["n_seen"] = last;
    let answer = site.post("/api/command?lang=en", &arbiter, &stale).await;
    assert_eq!(answer.status, 412, "{}", answer.body);
    assert_eq!(
        answer.json()["error"],
        "nothing was changed, because the game has gone on since you looked: Anna gave the command \"count an irregularity\""
    );
    let undo = json!({"game": site.hall.game, "command": {"do": "undo"}});
    assert_eq!(site.post("/api/command", &arbiter, &undo).await.status, 200);
    let answer = site.post("/api/command", &arbiter, &restore).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.json()["answer"]["allowed"].is_array(), "{}", answer.body);
    // The change can be read at once, and the journal has the name of the arbiter.
    let state = site.get_as(&arbiter, "/api/state").await;
    assert_eq!((&state["who"], &state["boards"][0]["game"]["ply"]), (&who("Anna", "arbiter"), &json!(2)));
    let claim = json!({"game": site.hall.game, "command": {"do": "claim", "player": "white", "claimed": "fifty_moves"}});
    let answer = site.post("/api/command?lang=zh-Hant", &arbiter, &claim).await.json();
    assert_eq!(answer["answer"]["claim"]["correct"], json!(false));
    assert!(!answer["text"].as_str().unwrap().is_ascii(), "{answer}");
    let past = site.hall.client.events(site.hall.game).await.unwrap();
    assert!(format!("{past:?}").contains("Anna"), "{past:?}");

    // Both roles may change pairings.
    let swap = json!({"do": "swap", "round": 3, "one": 1, "other": 2});
    assert_eq!(site.post("/api/desk", &operator, &swap).await.status, 404);
    let pairings = r#"{"number":3,"event":"City Open","pairings":[
        {"table":1,"white":{"name":"Ada"},"black":{"name":"Bob"}},{"table":2,"white":{"name":"Cid"},"black":{"name":"Dee"}}]}"#;
    site.hall.client.load_round(pairings).await.unwrap();
    assert_eq!(site.post("/api/desk", &operator, &swap).await.status, 200);
    until("the journal to say who set the names", async || {
        let past = site.hall.client.events(site.hall.game).await.unwrap();
        format!("{past:?}").contains("set by Otto").then_some(())
    })
    .await;
    assert_eq!(site.post("/api/desk", "", &swap).await.status, 401);
    let forfeit = json!({"do": "result", "round": 3, "table": 2, "result": "--+"});
    assert_eq!(site.post("/api/desk", &arbiter, &forfeit).await.status, 200);
    assert_eq!(site.post("/api/desk", &arbiter, &json!({"do": "unseat", "table": 9})).await.status, 404);
    watched.until("the round", |next| next.event == "round").await;
    let event = public.until("the round", |next| next.event == "round" || next.data.to_string().contains("Rh1")).await;
    assert_eq!(event.event, "round", "{event:?}");
    let state = site.get_as(&operator, "/api/state").await;
    assert_eq!((&state["event"]["name"], &state["boards"][0]["table"]), (&json!("City Open"), &json!(1)));
    assert_eq!(state["boards"][0]["pairing"]["white"]["name"], "Cid");
    assert_eq!(state["problems"], json!([]));

    // A game continues on another board only if there is one.
    let board = state["boards"][0]["board"].as_str().unwrap();
    for (to, status, sentence) in [("nowhere", 404, "没有棋盘nowhere"), (board, 409, "没有正在进行的对局")] {
        let answer = site.post("/api/desk/exchange?lang=zh-Hans", &operator, &json!({"from": board, "to": to})).await;
        assert!(answer.status == status && answer.body.contains(sentence), "{}", answer.body);
    }
    assert_eq!(site.post("/api/desk/exchange", &operator, &json!({"from": board})).await.status, 400);
    assert_eq!(site.post("/api/desk/exchange", "", &json!({"from": board, "to": board})).await.status, 401);

    // Who enters a result for a pairing that was removed meanwhile is told who did it, in the page and on the bus.
    let seen = site.hall.client.desk(Some(3)).await.unwrap().n;
    let unpair = json!({"do": "unpair", "round": 3, "table": 2});
    assert_eq!(site.post("/api/desk", &arbiter, &unpair).await.status, 200);
    let late = json!({"do": "result", "round": 3, "table": 2, "result": "1-0", "n_seen": seen});
    let answer = site.post("/api/desk", &operator, &late).await;
    assert!(answer.status == 412 && answer.body.contains("Anna has changed table 2 of round 3"), "{}", answer.body);
    let late = DeskAct::Result { round: 3, table: 2, result: None };
    let refused = site.hall.client.change_seen_desk(&late, Some(seen)).await.unwrap_err().to_string();
    assert!(refused.contains("Anna has changed table 2 of round 3"), "{refused}");

    // The log to print names the commands in words.
    let laws = json!({"game": site.hall.game, "command": {"do": "laws", "laws": "fide-2018"}});
    assert_eq!(site.post("/api/command", &arbiter, &laws).await.status, 403);
    let administrator = site.log_in("Ada", "administrator").await;
    assert_eq!(site.post("/api/command", &administrator, &laws).await.status, 200);
    let result = json!({"do": "result", "round": 3, "table": 1, "result": "1-0"});
    assert_eq!(site.post("/api/desk", &operator, &result).await.status, 200);
    let log = site.send_request("GET /api/desk/export?format=log&round=3", &arbiter, "").await;
    for row in [
        "  The players of tables 1 and 2 are swapped  [Otto]",
        "  Table 2: --+ (Black wins)  [Anna]",
        "  undo: count an irregularity: ",
        "  restore a position: ",
        "  set the Laws: fide-2018  [Ada]",
        "  set the result: 1-0  [Otto]",
        "  1-0  [Otto]",
    ] {
        assert!(log.body.contains(row), "{row:?} is not in\n{}", log.body);
    }
    assert!(!log.body.contains("(arbiter)"), "{}", log.body);
    let printed = site.send_request("GET /api/desk/export?format=html&round=3", &arbiter, "").await;
    assert!(printed.body.contains("<style>") && printed.head.contains("style-src 'unsafe-inline'"), "{}", printed.head);
    assert_eq!(printed.head.matches("content-security-policy").count(), 1, "{}", printed.head);

    // Revoking a token ends its sessions, and its streams of events.
    site.token(&["revoke", "Anna"]);
    while events.next().await.is_some() {}
    assert_eq!(site.post("/api/command", &arbiter, &restore).await.status, 401);
    assert_eq!(site.get_as(&operator, "/api/state").await["who"]["role"], "operator");
}

/// Waits until the page is served, and returns its port.
pub async fn port_of(daemon: &Daemon) -> u16 {
    until("the port", async || {
        let log = daemon.log();
        let (_, rest) = log.split_once("the page is at http")?;
        rest.split_once("://127.0.0.1:")?.1.split_once('/')?.0.parse().ok()
    })
    .await
}

/// Sends a request with these header lines after Host, and this body.
pub async fn send_request(port: u16, request: &str, lines: &str, body: &str) -> Answer {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    exchange(stream, &format!("{request} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n{lines}\r\n{body}")).await
}

/// A user as the page sees them.
fn who(name: &str, role: &str) -> Value {
    let role = Role::from_word(role).unwrap();
    let rights: Vec<&str> = role.rights().map(Word::word).collect();
    let grants: Vec<&str> =
        ["administrator", "arbiter", "operator"].into_iter().skip_while(|word| *word != role.word()).collect();
    json!({"name": name, "role": role.word(), "rights": rights, "grants": grants})
}

/// Posts JSON with these header lines after Host.
pub async fn post(port: u16, path: &str, lines: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let lines = format!("Content-Type: application/json\r\nContent-Length: {}\r\n{lines}", body.len());
    send_request(port, &format!("POST {path}"), &lines, &body).await
}

/// Sends a text, and returns the answer.
pub async fn exchange(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin, text: &str) -> Answer {
    // A request that is refused before all of it was sent may be cut off.
    let _ = stream.write_all(text.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer in time");
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {text}: {answer}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

#[tokio::test]
async fn tls_with_a_certificate_that_is_renewed() {
    let data = std::path::Path::new(TLS_DATA);
    let dir = tempfile::tempdir().unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| dir.path().join(name));
    let renew = |which: &str| {
        std::fs::copy(data.join(format!("{which}.key.pem")), &key).unwrap();
        std::fs::copy(data.join(format!("{which}.cert.pem")), &cert).unwrap();
    };
    renew("one");
    let keys = format!("tls_cert = {:?}\ntls_key = {:?}", cert.to_str().unwrap(), key.to_str().unwrap());
    let Some(site) = Site::open(&keys).await else { return };
    let answer = send_encrypted_request(site.port, "one", "GET /", "", "").await.expect("it is trusted");
    assert_eq!(answer.status, 200);
    assert!(send_encrypted_request(site.port, "two", "GET /", "", "").await.is_none());
    let token = site.token(&["create", "Anna", "--role", "arbiter"]);
    let answer = log_in_encrypted(site.port, "one", &token).await;
    assert!(answer.status == 200 && answer.head.contains("; secure"), "{}", answer.head);
    // A request without TLS has no answer.
    let mut plain = TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut received = Vec::new();
    let _ = timeout(PATIENCE, plain.read_to_end(&mut received)).await.unwrap();
    assert!(!received.starts_with(b"HTTP"), "{received:?}");
    renew("two");
    until("the new certificate", async || send_encrypted_request(site.port, "two", "GET /", "", "").await).await;
    // An invalid certificate changes nothing.
    std::fs::write(&cert, "nothing").unwrap();
    until("the new certificate again", async || send_encrypted_request(site.port, "two", "GET /", "", "").await).await;
}

/// Like [`send_request`], over TLS and with a client that trusts only this certificate. `None` if the server has another one.
pub async fn send_encrypted_request(port: u16, trusts: &str, request: &str, lines: &str, body: &str) -> Option<Answer> {
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(format!("{TLS_DATA}/{trusts}.cert.pem")).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(std::sync::Arc::new(ring::default_provider()));
    let config = builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots).with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let stream = connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.ok()?;
    let lines = format!("Host: localhost:{port}\r\nOrigin: https://localhost:{port}\r\nConnection: close\r\n{lines}");
    Some(exchange(stream, &format!("{request} HTTP/1.1\r\n{lines}\r\n{body}")).await)
}

/// Logs in over TLS with this token.
pub async fn log_in_encrypted(port: u16, trusts: &str, token: &str) -> Answer {
    let body = json!({ "token": token }).to_string();
    let lines = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    send_encrypted_request(port, trusts, "POST /api/login", &lines, &body).await.expect("it is trusted")
}

/// Raises the limit of open files of this process to this number. Returns whether that is possible.
fn may_open(files: u64) -> bool {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let enough = limit.current.is_none_or(|now| now >= files)
        || setrlimit(Resource::Nofile, Rlimit { current: Some(files), ..limit }).is_ok();
    if !enough {
        eprintln!("SKIPPED: this process may not open {files} files");
    }
    enough
}

#[tokio::test]
async fn ten_thousand_idle_connections_do_no_harm() {
    if !may_open(12_000) {
        return;
    }
    let Some(mut site) = Site::open("[livechess]\nlisten = \"127.0.0.1:0\"\n[metrics]\nlisten = \"127.0.0.1:0\"").await else {
        return;
    };
    let log = site.hall.daemon.log();
    let port = |before: &str| -> u16 {
        let rest = log.split_once(before).unwrap().1;
        rest.split_once('/').unwrap().0.parse().unwrap()
    };
    let (livechess, metrics) = (port("ws://127.0.0.1:"), port("metrics are served at http://127.0.0.1:"));
    let mut events = site.events("/api/events", "").await;
    events.next().await.unwrap();
    // From many addresses, most of them from one, and to all listeners.
    let mut idle = Vec::new();
    for index in 0..10_000u32 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        let from = if index % 4 == 0 { [127, 0, 1, (index / 4 % 250) as u8 + 1] } else { [127, 0, 0, 1] };
        socket.bind((std::net::Ipv4Addr::from(from), 0).into()).unwrap();
        let port = [site.port, livechess, site.port, metrics][index as usize / 4 % 4];
        // The system may delay connections while its queue is full.
        match timeout(PATIENCE, socket.connect((std::net::Ipv4Addr::LOCALHOST, port).into())).await.unwrap() {
            Ok(mut stream) => {
                // Some begin a request, and never finish it.
                if index % 3 == 0 {
                    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").await;
                }
                idle.push(stream);
            }
            Err(error) => panic!("{error} after {index}"),
        }
    }
    // Existing connections stay open, and new clients are served.
    site.hall.play("e2", "e4", "e4").await;
    events.move_of("1. e4").await;
    assert_eq!(site.get("/api/state").await["boards"][0]["game"]["ply"], 1);
    let boards = send_request(livechess, "GET /api/v1.0/eboards", "", "").await;
    assert!(boards.status == 200 && boards.body.contains("23946"), "{}", boards.body);
    assert_eq!(send_request(metrics, "GET /metrics", "", "").await.status, 200);
    assert!(site.hall.daemon.log().contains("further clients are rejected"));
    drop(idle);
}
