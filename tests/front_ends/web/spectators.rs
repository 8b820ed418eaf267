//! What spectators receive: the tournament, no casual play, and nothing before the delay is over.

use super::{Site, send_request};
use crate::harness::organiser::Organiser as _;
use crate::harness::until;
use serde_json::{Value, json};
use touchmove::game::{Command, GameResult};

#[tokio::test]
async fn the_tournament_in_the_format_of_livechess_cloud() {
    let Some(mut site) = Site::open("[pgn]\nevent = \"City Open\"\nsite = \"Delft\"").await else {
        return;
    };
    let get = async |path: &str, lines: &str| send_request(site.port, &format!("GET /cloud/{path}"), lines, "").await;
    site.hall.play("e2", "e4", "e4").await;
    let answer = until("the game", async || {
        let answer = get("round-1/game-1.json?poll", "").await;
        (answer.status == 200 && answer.json()["moves"] != json!([])).then_some(answer)
    })
    .await;
    assert!(answer.json()["moves"][0].as_str().unwrap().starts_with("e4"), "{}", answer.body);
    assert!(answer.head.contains("access-control-allow-origin: *") && answer.head.contains("cache-control: no-cache"));
    let tag = answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    for known in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let same = get("round-1/game-1.json", &format!("If-None-Match: {known}\r\n")).await;
        assert!(same.status == 304 && same.body.is_empty() && same.head.contains(&format!("etag: {tag}")), "{}", same.head);
    }
    let other = get("round-1/game-1.json", "If-None-Match: \"x\"\r\n").await;
    assert_eq!(other.status, 200);
    assert_eq!(get("tournament.json", "").await.json()["name"], "City Open");
    assert_eq!(get("round-1/index.json", "").await.json()["pairings"][0]["live"], true);
    assert!(get("round-1/games.pgn", "").await.body.contains("1. e4"));
    assert!(get("round-1/game-1.pgn", "").await.body.contains("[Event \"City Open\"]"));
    for path in ["round-2/index.json", "round-1/game-2.json", "..", "../../etc/passwd", "%2e%2e/tokens.json"] {
        assert_eq!(get(path, "").await.status, 404, "{path}");
    }
    site.hall.play("e7", "e5", "e5").await;
    until("the reply", async || {
        let answer = send_request(site.port, "GET /cloud/round-1/game-1.json", &format!("If-None-Match: {tag}\r\n"), "").await;
        (answer.status == 200).then(|| assert_eq!(answer.json()["moves"].as_array().unwrap().len(), 2))
    })
    .await;
    let page = send_request(site.port, "GET /", "", "").await;
    let tag = page.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    assert_eq!(send_request(site.port, "GET /", &format!("If-None-Match: {tag}\r\n"), "").await.status, 304);
}

#[tokio::test]
async fn casual_play_after_a_game_is_not_public() {
    let Some(mut site) = Site::open("").await else { return };
    let round = r#"{"number": 1, "pairings": [{"table": 1, "white": {"name": "Ada"}, "black": {"name": "Bob"}}]}"#;
    site.hall.client.load_round(round).await.unwrap();
    site.hall.play("e2", "e4", "e4").await;
    let played = async |game: u64, sans: Value| {
        let game = (json!(game), sans);
        until("the game", async || {
            let state = site.get("/api/state").await;
            let card = &state["boards"][0]["game"];
            ((&card["id"], &card["last_sans"]) == (&game.0, &game.1)).then_some(())
        })
        .await
    };
    played(site.hall.game, json!(["1. e4"])).await;
    let wins = Command::Result { result: Some(GameResult::WhiteWins) };
    site.hall.client.send_command(site.hall.game, &wins).await.unwrap();
    site.hall.board.play("e4", "e2");
    let next = until("another game", async || {
        site.hall.client.snapshot().await.unwrap().boards[0].game.filter(|next| *next != site.hall.game)
    })
    .await;
    site.hall.board.play("d2", "d4");
    let path = format!("GET /api/games/{next}");
    until("its move", async || site.send_request(&path, "", "").await.body.contains("d2d4").then_some(())).await;
    played(site.hall.game, json!(["1. e4"])).await;
    // An arbiter sees what is on the board.
    let cookie = site.log_in("Anna", "arbiter").await;
    assert_eq!(site.get_as(&cookie, "/api/state").await["boards"][0]["game"]["last_sans"], json!(["1. d4"]));
    // After the next round is loaded it is the next public game.
    site.hall.client.load_round(&round.replace("1,", "2,")).await.unwrap();
    until("the next game", async || {
        (site.get("/api/state").await["boards"][0]["game"]["last_sans"] == json!(["1. d4"])).then_some(())
    })
    .await;
}

#[tokio::test]
async fn under_a_delay_the_public_is_late_and_the_arbiter_is_not() {
    let Some(mut site) = Site::open("[broadcast]\ndelay_s = 2").await else { return };
    let arbiter = site.log_in("Anna", "arbiter").await;
    let mut live = site.events("/api/events", &arbiter).await;
    let mut public = site.events("/api/events", "").await;
    site.hall.board.clock(300, 300, true);
    let played = site.hall.play("e2", "e4", "e4").await.time.unwrap();
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    live.move_of("1. e4").await;
    assert!(now() - played < 2_000, "the arbiter saw the move after {} ms", now() - played);
    let cloud = send_request(site.port, "GET /cloud/round-1/games.pgn", "", "").await.body;
    let mut state = site.get("/api/state").await;
    // The random digits of these fields may look like a square.
    ["incarnation", "seq"].into_iter().for_each(|name| drop(state[name].take()));
    let state = state.to_string();
    let game = send_request(site.port, &format!("GET /api/games/{}", site.hall.game), "", "").await.body;
    let pgn = send_request(site.port, &format!("GET /api/games/{}/pgn", site.hall.game), "", "").await.body;
    if now() - played < 2_000 {
        for text in [&cloud, &state, &game, &pgn] {
            assert!(!text.contains("e4"), "{text}");
        }
    }
    public.move_of("1. e4").await;
    assert!(now() - played >= 2_000, "the public saw the move after {} ms", now() - played);
}
