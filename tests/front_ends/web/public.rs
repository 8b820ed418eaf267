//! The public page: its documents are as `docs/public-api.json` says, its pages need no scripts, and neither says more than it may.

use super::{Events, Site, send_request};
use crate::harness::json_schema::Api;
use crate::harness::organiser::Organiser as _;
use crate::harness::until;
use serde_json::{Value, json};
use touchmove::game::{Command, GameResult};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

const ROUND: &str = r#"{"number": 1, "event": "City <Open>", "site": "Delft", "date": "2026.11.21", "pairings": [
    {"table": 1, "section": "Open", "white": {"name": "Ada, A", "title": "GM", "rating": 2500, "federation": "NED", "team": "Delft", "fide_id": 1503014},
     "black": {"name": "Bob, <i>", "federation": "ENG"}},
    {"table": 7, "section": "Open", "white": {"name": "Cid"}, "black": {"name": "Dee"}, "result": "+--"}],
    "byes": [{"player": {"name": "Eve"}, "kind": "half_point"}]}"#;

impl Site {
    /// Loads the round, and waits until spectators see the first move at table 1.
    async fn with_a_move(keys: &str) -> Option<Site> {
        let mut site = Site::open(keys).await?;
        site.hall.client.load_round(ROUND).await.unwrap();
        site.hall.board.clock(5400, 5400, true);
        site.hall.play("e2", "e4", "e4").await;
        site.hall.board.clock(5399, 5400, false);
        site.until_table(1, |state| state["ply"] == 1 && !state["clock"].is_null()).await;
        Some(site)
    }

    /// Waits until the state of a table of the round is as expected.
    async fn until_table(&self, table: u16, expect: impl Fn(&Value) -> bool) -> Value {
        until("the table", async || {
            let answer = self.send_request("GET /public/round/1.json", "", "").await;
            let round = (answer.status == 200).then(|| answer.json())?;
            let tables = round["tables"].as_array()?;
            let found = tables.iter().find(|known| known["table"] == table)?;
            expect(&found["state"]).then(|| found.clone())
        })
        .await
    }

    async fn page(&self, path: &str, lines: &str) -> (u16, String, String) {
        let answer = self.send_request(&format!("GET {path}"), lines, "").await;
        (answer.status, answer.head, answer.body)
    }
}

#[tokio::test]
async fn the_documents_are_as_described() {
    let Some(site) = Site::with_a_move("").await else { return };
    let api = Api::read();
    let event = site.get("/public/event.json").await;
    api.assert("Event", &event);
    assert_eq!((&event["name"], &event["round"], &event["stream"]), (&json!("City <Open>"), &json!(1), &json!("stream")));
    assert_eq!((&event["rounds"][0]["tables"], &event["rounds"][0]["finished"]), (&json!(2), &json!(1)));
    let round = site.get(&format!("/public/{}", event["rounds"][0]["address"].as_str().unwrap())).await;
    api.assert("Round", &round);
    assert_eq!((&round["sections"], &round["byes"][0]["player"]["name"]), (&json!(["Open"]), &json!("Eve")));
    let [first, second] = [0, 1].map(|index| &round["tables"][index]);
    assert_eq!((&first["state"]["state"], &first["state"]["last_move"]), (&json!("playing"), &json!("e2e4")));
    assert_eq!((&first["state"]["last_moves"], &first["state"]["clock"]["turn"]), (&json!(["1. e4"]), &json!("black")));
    assert_eq!((&second["state"]["state"], &second["state"]["result"]), (&json!("forfeited"), &json!("+--")));
    assert!(second["game"].is_null());
    let game = site.get(&format!("/public/{}", first["game"].as_str().unwrap())).await;
    api.assert("Game", &game);
    assert_eq!((&game["moves"][0]["san"], &game["opening"]["name"]), (&json!("e4"), &json!("King's Pawn Game")));
    assert_eq!(game["moves"][0]["clock_ms"], 5_399_000);
    let standings = site.get("/public/standings.json").await;
    api.assert("Standings", &standings);
    assert_eq!(standings["sections"][0]["rows"][0]["player"]["name"], "Cid");
    for language in event["languages"].as_array().unwrap() {
        let words = site.get(&format!("/public/{}", language["address"].as_str().unwrap())).await;
        api.assert("Words", &words);
        assert!(words["public-round"].as_str().unwrap().contains("{round}"), "{words}");
    }
    assert_eq!(site.get("/public/openapi.json").await["openapi"], "3.1.0");
    for path in ["round/1.pgn", "round/1/table/1.pgn"] {
        let (status, head, body) = site.page(&format!("/public/{path}"), "").await;
        assert!(status == 200 && head.contains("content-type: application/vnd.chess-pgn") && body.contains("1. e4"), "{body}");
        assert!(body.contains("[ECO \"B00\"]") && body.contains("[WhiteFederation \"NED\"]"), "{body}");
    }
    for path in ["round/1/table/1.svg", "qr/index.svg", "qr/round/1/table/7.svg"] {
        let (status, head, body) = site.page(&format!("/public/{path}"), "").await;
        assert!(status == 200 && head.contains("content-type: image/svg+xml") && body.contains("<svg"), "{path}: {head}");
    }
    for path in
        ["round/2.json", "round/1/table/7.json", "round/1/table/9.pgn", "words/tlh.json", "x", "../login", "round/01.json"]
    {
        assert_eq!(site.page(&format!("/public/{path}"), "").await.0, 404, "{path}");
    }
    // Every path of the description was requested above, or is the stream.
    assert_eq!(api.paths().len(), 12);
}

#[tokio::test]
async fn documents_are_sent_again_only_if_they_have_changed() {
    let Some(mut site) = Site::with_a_move("").await else { return };
    let get = async |lines: &str| send_request(site.port, "GET /public/round/1/table/1.json", lines, "").await;
    let first = get("").await;
    assert!(first.head.contains("access-control-allow-origin: *") && first.head.contains("date: "), "{}", first.head);
    let tag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let line = format!("If-None-Match: {tag}\r\n");
    assert_eq!(get(&line).await.status, 304);
    let port = site.port;
    site.hall.play("e7", "e5", "e5").await;
    until("the reply", async || {
        let answer = send_request(port, "GET /public/round/1/table/1.json", &line, "").await;
        (answer.status == 200).then(|| assert_eq!(answer.json()["moves"][1]["san"], "e5"))
    })
    .await;
}

#[tokio::test]
async fn the_stream_has_what_has_changed() {
    let Some(mut site) = Site::with_a_move("").await else { return };
    let api = Api::read();
    let is_at = |ply: u64| move |next: &super::ServerEvent| next.event == "table" && next.data["state"]["ply"] == ply;
    let mut events: Events = site.events("/public/stream", "").await;
    let first = events.until("the table", is_at(1)).await;
    api.assert("TableChange", &first.data);
    site.hall.play("e7", "e5", "e5").await;
    let second = events.until("the reply", is_at(2)).await;
    api.assert("TableChange", &second.data);
    assert_eq!(second.data["table"], 1);
    drop(events);
    let wins = Command::Result { result: Some(GameResult::WhiteWins) };
    site.hall.client.send_command(site.hall.game, &wins).await.unwrap();
    let mut again = site.events("/public/stream", &format!("Last-Event-ID: {}\r\n", second.id)).await;
    let over = again.until("the result", |next| next.event == "table" && next.data["state"]["result"] == "1-0").await;
    assert_eq!(over.data["state"]["state"], "finished");
    again.until("the standings", |next| next.event == "standings").await;
    let standings = site.get("/public/standings.json").await;
    assert_eq!(standings["is_final_round_over"], true);
    // The next round: the earlier one keeps its results, and counts.
    site.hall.client.load_round(&ROUND.replace("\"number\": 1", "\"number\": 2")).await.unwrap();
    again.until("the next round", |next| next.event == "round" && next.data["round"] == 2).await;
    let event = site.get("/public/event.json").await;
    assert_eq!((&event["round"], &event["rounds"][0]["finished"]), (&json!(2), &json!(2)));
    let standings = until("the standings after two rounds", async || {
        Some(site.get("/public/standings.json").await).filter(|standings| standings["through"] == 2)
    })
    .await;
    let ada =
        &standings["sections"][0]["rows"].as_array().unwrap().iter().find(|row| row["player"]["name"] == "Ada, A").unwrap();
    assert_eq!((&ada["points"], &ada["games"][0]["result"]), (&json!(1.0), &json!("1")));
    let game = site.get("/public/round/1/table/1.json").await;
    assert_eq!((&game["state"]["result"], game["moves"].as_array().unwrap().len()), (&json!("1-0"), 2));
}

#[tokio::test]
async fn of_players_nothing_else_is_published() {
    let row = |number: u8, title: &str, name: &str, id: &str, birth: &str, other: u8, colour: char| {
        let points = "0.0";
        format!(
            "001 {number:>4} m{title:>3} {name:<33} 2500 NED {id:>11} {birth} {points:>4} {number:>4}  {other:>4} {colour}  \r\n"
        )
    };
    let rows = [row(1, "GM", "Ada, A", "1503014", "1990/05/06", 2, 'w'), row(2, "", "Bob", "1503015", "1980/01/02", 1, 'b')];
    let trf = &format!("012 Open\r\n{}", rows.concat());
    let round = Round::read(trf, Some(1), &TableOrder::Rank).unwrap();
    let Some(site) = Site::open("").await else { return };
    site.hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    site.until_table(1, |_| true).await;
    let paths = ["/public/event.json", "/public/round/1.json", "/public/round/1/table/1.json", "/public/standings.json"];
    let pages = ["/public/round/1.pgn", "/", "/round/1", "/round/1/table/1", "/embed/round/1/table/1", "/standings"];
    for path in paths.iter().chain(&pages) {
        let (_, _, body) = site.page(path, "").await;
        for hidden in ["1990/05", "1990-05", "1503014", "fide_id", "FideId"] {
            assert!(!body.contains(hidden), "{path} has {hidden}: {body}");
        }
    }
    let Some(site) = Site::open("[public]\nfide_ids = true").await else { return };
    site.hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    let table = site.until_table(1, |_| true).await;
    assert_eq!(table["white"]["fide_id"], 1_503_014);
    assert!(site.page("/public/round/1.pgn", "").await.2.contains("[WhiteFideId \"1503014\"]"));
}

#[tokio::test]
async fn pages_need_no_scripts() {
    let Some(mut site) = Site::with_a_move("").await else { return };
    for (path, root, expected) in [
        ("/", "", "Ada, A"),
        ("/round/1", "../", "Bob, &lt;i&gt;"),
        ("/round/1/table/1", "../../../", "King's Pawn Game"),
        ("/embed/round/1/table/1", "../../../../", "Ada, A"),
        ("/standings", "", "<table class=\"standings\">"),
    ] {
        let (status, head, body) = site.page(path, "").await;
        assert!(status == 200 && head.contains("content-type: text/html"), "{path}: {head}");
        assert!(body.contains(expected) && body.contains(&format!("data-root=\"{root}\"")), "{path}: {body}");
        assert!(!body.contains("<i>") && body.contains("City &lt;Open&gt;"), "{path}: {body}");
        let may_be_framed = head.contains("frame-ancestors *");
        assert_eq!(may_be_framed, path.starts_with("/embed/"), "{path}: {head}");
        assert_eq!(site.page(&format!("{}.html", path.trim_end_matches('/')), "").await.0 == 200, path != "/", "{path}");
    }
    let (_, _, body) = site.page("/round/1", "").await;
    assert_eq!((body.matches("<svg class=\"position\"").count(), body.matches("Last move: 1. e4").count()), (2, 1), "{body}");
    let (_, head, body) = site.page("/round/1", "Accept-Language: tlh, de;q=0.8, fr;q=0.3\r\n").await;
    assert!(body.contains("<html lang=\"de\"") && head.contains("accept-language"), "{head}");
    assert!(site.page("/round/1?lang=ar", "").await.2.contains("<html lang=\"ar\" dir=\"rtl\""));
    for path in ["/round/2", "/round/1/table/9", "/embed/x", "/round/x"] {
        assert_eq!(site.page(path, "").await.0, 404, "{path}");
    }
    // Those who log in have their own page at the same addresses.
    assert!(site.page("/login", "").await.2.contains("page.js"));
    let cookie = site.log_in("Anna", "arbiter").await;
    for path in ["/", "/round/1"] {
        assert!(site.page(path, &cookie).await.2.contains("page.js"), "{path}");
    }
    assert!(site.page("/round/1/table/1", &cookie).await.2.contains("public.js"));
    site.hall.play("e7", "e5", "e5").await;
}

#[tokio::test]
async fn spectators_see_nothing_before_the_delay() {
    let Some(mut site) = Site::open("[broadcast]\ndelay_s = 3600").await else { return };
    site.hall.client.load_round(ROUND).await.unwrap();
    site.hall.play("e2", "e4", "e4").await;
    let table = site.until_table(1, |_| true).await;
    assert_eq!((&table["state"]["ply"], &table["state"]["state"]), (&json!(0), &json!("waiting")));
    let event = site.get("/public/event.json").await;
    assert_eq!(event["delay_ms"], json!(3_600_000));
    let (_, head, body) = site.page("/round/1", "").await;
    assert!(!head.contains("'wasm-unsafe-eval'") && body.contains("60 min"), "{head}\n{body}");
    // A result that is entered for a table without a board is known at once, as before; that of an earlier round is not.
    site.hall.client.load_round(&ROUND.replace("\"number\": 1", "\"number\": 2")).await.unwrap();
    until("the next round", async || (site.get("/public/event.json").await["round"] == 2).then_some(())).await;
    let round = site.get("/public/round/1.json").await;
    assert_eq!(round["tables"][0]["state"]["ply"], 0, "{round}");
}

#[tokio::test]
async fn the_files_of_the_cloud_have_public_tags_and_current_names() {
    let Some(site) = Site::with_a_move("").await else { return };
    let game = format!("/api/games/{}/pgn", site.hall.game);
    let pgn = "/cloud/round-1/games.pgn";
    until("the move", async || site.page(pgn, "").await.2.contains("e4").then_some(())).await;
    for path in [pgn, "/cloud/round-1/game-1.pgn", "/cloud/round-1/index.json", &game] {
        let (status, _, body) = site.page(path, "").await;
        assert!(status == 200 && body.contains("Ada") && !body.contains("1503014"), "{path}: {body}");
    }
    let mut command = std::process::Command::new(super::CTL);
    command.args(["forget", "Ada, A", "--yes", "--bus", &site.hall.bus.address()]);
    assert!(command.stdin(std::process::Stdio::null()).status().unwrap().success());
    until("the other name", async || site.page(pgn, "").await.2.contains("[White \"Player 1\"]").then_some(())).await;
    for path in [pgn, "/cloud/round-1/game-1.pgn", "/cloud/round-1/index.json", &game] {
        assert!(!site.page(path, "").await.2.contains("Ada"), "{path}");
    }
}

#[tokio::test]
async fn a_player_who_is_forgotten_is_named_nowhere_any_more() {
    let Some(site) = Site::with_a_move("[public]\nfide_ids = true").await else { return };
    let forget = |args: &[&str]| {
        let mut command = std::process::Command::new(super::CTL);
        command.arg("forget").args(args).args(["--bus", &site.hall.bus.address()]);
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat())
    };
    let (code, text) = forget(&["Ada"]);
    assert!(code == Some(3) && text.contains("there are: Ada, A"), "{text}");
    let (code, text) = forget(&["Ada, A"]);
    assert!(code == Some(1) && text.contains("round 1, table 1") && text.contains("--yes"), "{text}");
    let (code, text) = forget(&["Ada, A", "--yes"]);
    assert_eq!(code, Some(0), "{text}");
    let table = until("another name", async || {
        let round = site.get("/public/round/1.json").await;
        Some(round["tables"][0].clone()).filter(|table| table["white"]["name"] == "Player 1")
    })
    .await;
    assert_eq!((&table["state"]["ply"], &table["black"]["name"]), (&json!(1), &json!("Bob, <i>")));
    until("the game has the other name", async || {
        let snapshot = site.hall.client.snapshot().await.unwrap();
        snapshot.games.iter().all(|game| game.tags.get("White").is_some_and(|name| name == "Player 1")).then_some(())
    })
    .await;
    let pages = ["/", "/round/1/table/1", "/standings", "/public/round/1.pgn", "/public/round/1/table/1.json"];
    let cookie = site.log_in("Anna", "arbiter").await;
    let staff = [
        "/api/state",
        "/api/desk",
        "/api/desk/export?format=trf",
        "/api/desk/export?format=pgn",
        "/api/desk/export?format=log",
    ];
    for (path, lines) in pages.map(|path| (path, "")).into_iter().chain(staff.map(|path| (path, cookie.as_str()))) {
        let (status, _, body) = site.page(path, lines).await;
        assert!(status == 200 && !body.contains("Ada, A") && !body.contains("1503014"), "{path}: {body}");
    }
    assert!(site.page("/api/desk/export?format=log", &cookie).await.2.contains("no longer named"));
    // A round that is loaded later does not bring the name back.
    site.hall.client.load_round(&ROUND.replace("\"number\": 1", "\"number\": 2")).await.unwrap();
    let next = until("the next round", async || {
        let answer = site.send_request("GET /public/round/2.json", "", "").await;
        (answer.status == 200).then_some(answer.body)
    })
    .await;
    assert!(next.contains("Player 1") && !next.contains("Ada, A"), "{next}");
    let mut verify = std::process::Command::new(super::CTL);
    verify.args(["journal", "verify", "--state-dir"]).arg(site.hall.state.path());
    assert!(verify.output().unwrap().status.success());
}
