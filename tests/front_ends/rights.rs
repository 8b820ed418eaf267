//! Every command and every kind of alert for every role, on every channel.

use super::dbus::touchmovectl;
use super::web::{port_of, send_request};
use crate::harness::{Daemon, PrivateBus, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;
use tempfile::TempDir;
use touchmove::daemon::journal::Journal;
use touchmove::game::command::COMMANDS;
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::rights::{Audience, Right, Role};
use touchmove::game::{Alert, AlertKind, Event, StampedEvent, Text};
use touchmove::locale::{Locale, alert_heading};
use touchmove::names;
use touchmove::publish::web::tokens::TokenStore;
use touchmove::wire::Word;
use zbus::{Connection, Proxy};

const ROLES: [Role; 3] = [Role::Operator, Role::Arbiter, Role::Administrator];
const GAME: u64 = 1;
/// The kind of two alerts: the number of its kind, and the last one.
pub(crate) const TWICE: AlertKind = AlertKind::MovesUncertain;

/// A daemon that continues a game in which an alert of each kind was raised, and one of [`TWICE`] once more. Ids count from 1, in the
/// order of the kinds.
pub(crate) struct Scene {
    connection: Connection,
    pub port: u16,
    daemon: Daemon,
    /// The token of each role.
    pub tokens: Vec<(Role, String)>,
    _dir: TempDir,
    bus: PrivateBus,
}

impl Scene {
    pub async fn open() -> Option<Scene> {
        let bus = PrivateBus::start()?;
        let dir = tempfile::tempdir().unwrap();
        let (state, config) = (dir.path().join("state"), dir.path().join("touchmoved.toml"));
        std::fs::create_dir(&state).unwrap();
        std::fs::write(&config, "[web]\nlisten = \"127.0.0.1:0\"\n").unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let start =
            Event::GameStarted { fen: fen.clone(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright };
        let kinds = AlertKind::ALL.iter().chain([&TWICE]);
        let alerts = (1..).zip(kinds).map(|(id, kind)| Event::AlertRaised(Box::new(alert(id, *kind, &fen))));
        // The last event, of which operators do not know, is an alert once more.
        let unknown = (1..).zip(AlertKind::ALL).find(|(_, kind)| kind.audience() == Audience::Arbiter);
        let unknown = unknown.map(|(id, kind)| Event::AlertRaised(Box::new(alert(id, *kind, &fen))));
        let events = (1..).zip(std::iter::once(start).chain(alerts).chain(unknown));
        let events = events.map(|(number, event)| StampedEvent { at: 0, number: Some(number), event }).collect();
        let journal = Journal::open(&state).unwrap().0;
        journal.append("dgt_board", 1_700_000_000_000, events).await.unwrap();
        drop(journal);
        let store = TokenStore::of(&state);
        let tokens = ROLES.map(|role| (role, store.create(role.word(), role, 0).unwrap())).to_vec();
        let command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        // Not plugged in: then nothing happens in the game but what the test does.
        let absent = dir.path().join("board");
        let daemon = Daemon::on_with(command, &bus, &state, &absent, &["--config", config.to_str().unwrap()]);
        daemon.ready();
        let port = port_of(&daemon).await;
        let scene = Scene { connection: bus.connect().await, port, daemon, tokens, _dir: dir, bus };
        until("the game", async || (scene.get("/api/state", "").await.1["boards"][0]["game"]["id"] == GAME).then_some(()))
            .await;
        Some(scene)
    }

    /// Sends a request with these header lines. Returns the status and the body.
    async fn send(&self, request: &str, lines: &str, body: &str) -> (u16, Value) {
        let lines = format!("{lines}Content-Length: {}\r\n", body.len());
        let answer = send_request(self.port, request, &lines, body).await;
        (answer.status, answer.json())
    }

    pub async fn get(&self, path: &str, lines: &str) -> (u16, Value) {
        self.send(&format!("GET {path}"), lines, "").await
    }

    async fn proxy(&self, name: &'static str) -> Proxy<'_> {
        Proxy::new(&self.connection, name, names::game_path(GAME), names::OPERATOR_INTERFACE).await.unwrap()
    }
}

fn alert(id: u32, kind: AlertKind, fen: &str) -> Alert {
    Alert {
        id,
        kind,
        by: None,
        articles: Vec::new(),
        ply: 0,
        squares: Vec::new(),
        text: Text::new(kind.heading_key()),
        position: fen.to_owned(),
        clocks: ClockTimes::default(),
        required: Vec::new(),
        allowed: Vec::new(),
        count: None,
        evidence: Vec::new(),
        evidence_kind: None,
        touches: Vec::new(),
        put_right: None,
        proposed: Vec::new(),
    }
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
}

/// Returns whether a call was refused because the caller may not do it; every other outcome depends on the game.
fn is_not_allowed<T: std::fmt::Debug>(outcome: zbus::Result<T>) -> bool {
    matches!(outcome, Err(zbus::Error::MethodError(name, ..)) if name.as_str() == "org.touchmove1.Error.NotAllowed")
}

/// The kinds of alert that an audience is told of: devices, what is missing, and nothing that a player did.
fn kinds_for(audience: Audience) -> BTreeSet<&'static str> {
    let operators = [
        "position_unexplained",
        "moves_uncertain",
        "correction_proposed",
        "result_wanted",
        "result_missing",
        "board_silent",
        "link_lost",
        "clock_stopped",
        "clock_set",
        "clock_lost",
        "clock_battery",
        "board_battery",
    ];
    match audience {
        Audience::Public => BTreeSet::new(),
        Audience::Operator => operators.into(),
        Audience::Arbiter => AlertKind::WORDS.iter().map(|(word, _)| *word).collect(),
    }
}

#[tokio::test]
async fn each_role_gives_the_commands_that_it_may_give() {
    let Some(scene) = Scene::open().await else { return };
    let operators = ["result", "promotion", "replace", "insert", "adopt", "tags"];
    let (operator, live) = (scene.proxy(names::OPERATOR_NAME).await, scene.proxy(names::BUS_NAME).await);
    for spec in COMMANDS {
        let least = match spec.word {
            word if operators.contains(&word) => Role::Operator,
            "laws" => Role::Administrator,
            _ => Role::Arbiter,
        };
        assert_eq!(spec.right.role(), least, "{}", spec.word);
        let body = format!("{{\"game\":{GAME},\"command\":{}}}", spec.example);
        for path in ["POST /api/preview", "POST /api/command"] {
            let (status, answer) = scene.send(path, "Content-Type: application/json\r\n", &body).await;
            assert_eq!(status, 401, "nobody: {path} {}: {answer}", spec.word);
            for (role, token) in &scene.tokens {
                let (status, answer) = scene.send(path, &bearer(token), &body).await;
                assert_eq!(status == 403, *role < least, "{role:?}: {path} {}: {status} {answer}", spec.word);
                assert!(![400, 401, 404].contains(&status), "{role:?}: {path} {}: {status} {answer}", spec.word);
            }
        }
        for (proxy, role) in [(&operator, Role::Operator), (&live, Role::Administrator)] {
            let preview = proxy.call::<_, _, zbus::OwnedVariant>("Preview", &(spec.example, "en")).await;
            assert_eq!(is_not_allowed(preview), role < least, "{role:?}: Preview {}", spec.word);
            let execute = proxy.call::<_, _, String>("Execute", &(spec.example, 0u64)).await;
            assert_eq!(is_not_allowed(execute), role < least, "{role:?}: Execute {}", spec.word);
        }
    }
}

#[tokio::test]
async fn each_role_reads_and_changes_what_it_may() {
    let Some(scene) = Scene::open().await else { return };
    for (role, token) in &scene.tokens {
        let head = bearer(token);
        assert_eq!(scene.get("/api/desk", &head).await.0, 200, "{role:?}");
        let act = r#"{"do":"unseat","table":7}"#;
        let (status, answer) = scene.send("POST /api/desk", &head, act).await;
        assert_eq!(status, 404, "{role:?} may, but there is no such seat: {answer}");
        for other in ROLES {
            let request = format!("{{\"name\":\"a telephone of {role:?}\",\"role\":\"{}\"}}", other.word());
            let (status, answer) = scene.send("POST /api/code", &head, &request).await;
            assert_eq!(status, if *role >= other { 200 } else { 403 }, "{role:?} for {other:?}: {answer}");
        }
        let (_, state) = scene.get("/api/state", &head).await;
        let rights: Vec<&str> = role.rights().map(Word::word).collect();
        assert_eq!(state["who"]["rights"], json!(rights));
    }
    // The board is not plugged in; one that nobody has seen is not asked anything.
    for (path, body, may) in [
        ("POST /api/wiring-test", r#"{"board":"dgt_board","do":"begin"}"#, 409),
        ("POST /api/bluetooth", r#"{"do":"identify","address":"AA:BB:CC:DD:EE:01"}"#, 404),
    ] {
        let (status, answer) = scene.send(path, "Content-Type: application/json\r\n", body).await;
        assert_eq!(status, 401, "nobody: {path}: {answer}");
        for (role, token) in &scene.tokens {
            let (status, answer) = scene.send(path, &bearer(token), body).await;
            assert_eq!(status, if role.has(Right::Boards) { may } else { 403 }, "{role:?}: {path}: {answer}");
        }
    }
    let board = names::board_path("dgt_board");
    let board = Proxy::new(&scene.connection, names::OPERATOR_NAME, board, names::BOARD_INTERFACE).await.unwrap();
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert!(is_not_allowed(board.call::<_, _, ()>("SetPosition", &fen).await), "operators give no rulings");
    for method in ["Identify", "BeginWiringTest"] {
        let outcome = board.call::<_, _, ()>(method, &()).await;
        assert!(outcome.is_err() && !is_not_allowed(outcome), "operators may: {method}");
    }
    let root = names::ROOT_PATH;
    let manager = Proxy::new(&scene.connection, names::OPERATOR_NAME, root, names::MANAGER_INTERFACE).await.unwrap();
    for (format, is_for_arbiters) in [("trf", false), ("csv", false), ("pgn", false), ("log", true), ("html", true)] {
        let exported = manager.call::<_, _, String>("Export", &(format, 0u16)).await;
        assert_eq!(is_not_allowed(exported), is_for_arbiters, "{format}");
    }
    let administrator =
        Proxy::new(&scene.connection, names::OPERATOR_NAME, root, names::ADMINISTRATOR_INTERFACE).await.unwrap();
    administrator.call::<_, _, ()>("Set", &("broadcast.delay_s", "0", true)).await.expect_err("there is no such interface");
    assert!(Right::ALL.iter().any(|right| right.role() == Role::Administrator));
}

#[tokio::test]
async fn each_role_is_told_the_alerts_that_are_for_it() {
    let Some(scene) = Scene::open().await else { return };
    for (role, token) in &scene.tokens {
        let (_, game) = scene.get(&format!("/api/games/{GAME}"), &bearer(token)).await;
        let told: BTreeSet<&str> =
            game["alerts"].as_array().unwrap().iter().map(|alert| alert["kind"].as_str().unwrap()).collect();
        assert_eq!(told, kinds_for(role.audience()), "{role:?}");
        for alert in game["alerts"].as_array().unwrap().iter().chain(game["card"]["game"]["alerts"].as_array().unwrap()) {
            assert!(told.contains(alert["kind"].as_str().unwrap()), "{role:?}: {alert}");
            assert!(*role > Role::Operator || !alert["offers"].to_string().contains("restore"), "{role:?}: {alert}");
        }
    }
    let mut last_numbers = Vec::new();
    for (_, token) in &scene.tokens {
        let (_, game) = scene.get(&format!("/api/games/{GAME}"), &bearer(token)).await;
        last_numbers.push(game["card"]["game"]["last_number"].as_u64().unwrap());
    }
    assert!(last_numbers[0] < last_numbers[1] && last_numbers[1] == last_numbers[2], "{last_numbers:?}");
    // A result would clear them all: a preview names those that its reader is told of.
    let preview = format!("{{\"game\":{GAME},\"command\":{{\"do\":\"result\",\"result\":\"1-0\"}}}}");
    for (role, token) in &scene.tokens {
        let (status, preview) = scene.send("POST /api/preview?lang=en", &bearer(token), &preview).await;
        assert_eq!(status, 200, "{preview}");
        assert_eq!(preview["answer"]["preview"]["n"] == last_numbers[0], *role == Role::Operator, "{role:?}: {preview}");
        let (all, operators) = (kinds_for(Audience::Arbiter), kinds_for(Audience::Operator));
        let text = preview.to_string();
        let named = all.difference(&operators).filter(|word| text.contains(&alert_heading(Locale::English, word))).count();
        assert_eq!(named > 0, *role > Role::Operator, "{role:?}: {preview}");
    }
    let (_, game) = scene.get(&format!("/api/games/{GAME}"), "").await;
    assert!(game.get("alerts").is_none() && game["card"]["game"].get("alerts").is_none(), "{game}");

    for (name, audience) in [(names::OPERATOR_NAME, Audience::Operator), (names::BUS_NAME, Audience::Arbiter)] {
        let proxy = scene.proxy(name).await;
        for (id, (word, _)) in (1u32..).zip(AlertKind::WORDS) {
            let described = proxy.call::<_, _, (String, String, Vec<String>)>("Describe", &(id, "en")).await;
            assert_eq!(described.is_ok(), kinds_for(audience).contains(word), "{name}: {word}: {described:?}");
        }
    }
    // Nothing else on the operator's name reveals an alert.
    let manager = zbus::fdo::ObjectManagerProxy::new(&scene.connection, names::OPERATOR_NAME, names::ROOT_PATH).await.unwrap();
    let objects = format!("{:?}", manager.get_managed_objects().await.unwrap());
    let game =
        Proxy::new(&scene.connection, names::OPERATOR_NAME, names::game_path(GAME), names::GAME_INTERFACE).await.unwrap();
    assert_eq!(game.get_property::<u64>("LastNumber").await.unwrap(), last_numbers[0]);
    type Events = Vec<(u64, i64, String, std::collections::HashMap<String, zbus::OwnedVariant>)>;
    let events: Events = game.call("Since", &(0u64, "")).await.unwrap();
    let names: Vec<&str> = events.iter().map(|(_, _, name, _)| name.as_str()).collect();
    assert_eq!(names[0], "GameStarted");
    assert!(!names.iter().any(|name| name.starts_with("Alert") || *name == "Commanded"), "{names:?}");
    assert!(!objects.contains("org.touchmove1.Arbiter") && objects.contains("org.touchmove1.Operator"), "{objects}");
    for word in kinds_for(Audience::Arbiter).difference(&kinds_for(Audience::Operator)) {
        assert!(!objects.contains(&format!("\"{word}\"")), "{word} is shown to operators: {objects}");
        assert!(!scene.daemon.log().contains(word), "{word} is in the log");
    }
}

#[tokio::test]
async fn own_acknowledgements_are_no_news() {
    let Some(scene) = Scene::open().await else { return };
    let head = bearer(&scene.tokens[1].1);
    let (_, game) = scene.get(&format!("/api/games/{GAME}"), &head).await;
    let seen = &game["card"]["game"]["last_number"];
    let acknowledge = async |id: usize| {
        let body = json!({"game": GAME, "n_seen": seen, "command": {"do": "acknowledge", "alert": id}});
        scene.send("POST /api/command", &head, &body.to_string()).await.0
    };
    let others: Vec<usize> = (1..).zip(AlertKind::ALL).filter(|(_, kind)| **kind != TWICE).map(|(id, _)| id).collect();
    for id in &others[..2] {
        assert_eq!(acknowledge(*id).await, 200);
    }
    // What somebody else has done is news.
    let (id, address) = ((AlertKind::ALL.len() + 1).to_string(), scene.bus.address());
    let (status, output, errors) = touchmovectl(&address, &["arbiter", "acknowledge", &id, "--all"]);
    let first = 1 + AlertKind::ALL.iter().position(|kind| *kind == TWICE).unwrap();
    assert!(status == Some(0) && output.contains(&format!("these alerts are closed: {id}, {first}")), "{output}{errors}");
    assert_eq!(acknowledge(others[2]).await, 412);
}
