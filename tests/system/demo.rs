//! `touchmovectl demo --boards`: a tournament on virtual boards, from the outside.

use super::cli::{demo, nothing_is_left};
use crate::front_ends::web::{post, send_request};
use crate::harness::{eventually, installed, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use touchmove::game::Command;
use touchmove::publish::client::{Client, GameInfo};
use touchmove::publish::dbus::{Bus, Stream};

/// A running demonstration.
struct Demo {
    child: Child,
    output: Arc<Mutex<String>>,
    client: Client,
    dir: TempDir,
}

impl Demo {
    /// Starts it with these arguments, and waits until it has said what to try.
    async fn start(args: &[&str]) -> Option<Demo> {
        if !installed("dbus-daemon") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let mut child = demo(dir.path(), args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let output = Arc::<Mutex<String>>::default();
        let (lines, written) = (BufReader::new(child.stdout.take().unwrap()).lines(), Arc::clone(&output));
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut text = written.lock().unwrap();
                text.push_str(&line);
                text.push('\n');
            }
        });
        let bus = eventually("the guide", || {
            assert!(child.try_wait().unwrap().is_none(), "it ended: {}", output.lock().unwrap());
            let text = output.lock().unwrap();
            text.contains("Ctrl-C ends everything").then(|| between(&text, "touchmovectl status --bus '", "'").to_owned())
        });
        let client = Client::connect_to_bus(&Bus::Address(bus), Stream::Live).await.unwrap();
        Some(Demo { child, output, client, dir })
    }

    fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    /// Waits until it has printed this.
    async fn says(&self, text: &str) {
        until(text, async || self.output().contains(text).then_some(())).await;
    }

    /// The address that it prints for these readers.
    fn address(&self, readers: &str) -> String {
        between(&self.output(), &format!("  {readers} "), "\n").trim().to_owned()
    }

    /// Waits for an alert about an illegal move; returns the game, the number of the alert, and the ply.
    async fn illegal_move(&self) -> (u64, u32, u32) {
        until("an alert about an illegal move", async || {
            let games = self.client.snapshot().await.unwrap().games;
            games.iter().find_map(|game| {
                let alert = game.alerts.iter().find(|alert| alert.kind == "illegal_move")?;
                Some((game.id, alert.id, alert.ply))
            })
        })
        .await
    }

    async fn game(&self, id: u64) -> GameInfo {
        self.client.snapshot().await.unwrap().games.into_iter().find(|game| game.id == id).unwrap()
    }

    /// Interrupts it as Ctrl-C does, and checks that nothing is left.
    fn interrupt(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let status = eventually("it ends", || self.child.try_wait().unwrap());
        let output = eventually("its last words", || Some(self.output()).filter(|text| text.contains("What to do next")));
        assert!(status.success() && output.contains("Ended; nothing is left"), "{status}: {output}");
        nothing_is_left(self.dir.path());
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

#[track_caller]
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} after {before:?} in {text}")).0
}

/// The port of an address.
fn port(address: &str) -> u16 {
    address.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok()).unwrap()
}

async fn get(port: u16, path: &str, lines: &str) -> String {
    let answer = send_request(port, &format!("GET {path}"), lines, "").await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

#[tokio::test]
async fn a_round_on_twelve_boards() {
    let Some(demo) = Demo::start(&["--boards", "12", "--speed", "4", "--delay", "0", "--no-browser"]).await else { return };
    let page = port(&demo.address("Spectators"));

    // Every board plays a game of the round, with names.
    until("moves on all boards", async || {
        let snapshot = demo.client.snapshot().await.unwrap();
        let has_moves = |board: &str| {
            let game = snapshot.games.iter().find(|game| game.board == board);
            game.is_some_and(|game| !game.moves.is_empty() && game.tags.contains_key("WhiteElo"))
        };
        (snapshot.boards.len() == 12 && snapshot.boards.iter().all(|board| has_moves(&board.id))).then_some(())
    })
    .await;
    let boards = demo.client.snapshot().await.unwrap().boards;
    let models: BTreeSet<&str> = boards.iter().map(|board| board.model.as_str()).collect();
    assert!(models.len() >= 8, "{models:?}");
    assert!(boards.iter().any(|board| board.clock.is_some()) && boards.iter().any(|board| board.clock.is_none()));

    // The arbiter logs in once with the printed code, and sees the alert; the public does not.
    let (game, alert, ply) = demo.illegal_move().await;
    let address = demo.address("Arbiter");
    let (site, code) = address.split_once("#code=").unwrap();
    assert_eq!(site, format!("http://arbiter.localhost:{page}/login"));
    let lines = format!("Origin: http://localhost:{page}\r\n");
    let answer = post(page, "/api/login", &lines, &json!({ "code": code })).await;
    assert_eq!((answer.status, &answer.json()["role"]), (200, &json!("arbiter")));
    assert_eq!(post(page, "/api/login", &lines, &json!({ "code": code })).await.status, 401, "a code is for one login");
    let state: Value = serde_json::from_str(&get(page, "/api/state", &answer.cookie()).await).unwrap();
    let has_alert = |card: &Value| card["game"]["alerts"].as_array().is_some_and(|alerts| !alerts.is_empty());
    assert!(state["boards"].as_array().unwrap().iter().any(has_alert), "{state}");
    let public: Value = serde_json::from_str(&get(page, "/api/state", "").await).unwrap();
    assert_eq!(public["boards"].as_array().unwrap().len(), 12);
    assert!(public["who"].is_null() && !public["boards"].as_array().unwrap().iter().any(has_alert));
    let answer = send_request(page, "GET /", "", "").await;
    assert!(answer.status == 200 && answer.body.contains("<!doctype html>"));
    // The names of the addresses are those of the page.
    for readers in ["Operator", "Arbiter"] {
        let host = between(&demo.address(readers), "http://", "/").to_owned();
        let text = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert!(raw(page, &text).await.starts_with("HTTP/1.1 200 "), "{host}");
    }

    // Whatever is beside the page has received the round.
    let lichess = port(&demo.address("Lichess"));
    until("games on Lichess", async || {
        let answer = send_request(lichess, "GET /round/Demo0001.pgn", "", "").await;
        let games = answer.body.matches("[White \"").count();
        (answer.status == 200 && games == 12 && answer.body.contains("1. ")).then_some(())
    })
    .await;
    assert!(get(lichess, "/", "").await.contains("Demo0001"));
    assert_eq!(send_request(lichess, "POST /api/broadcast/round/Demo0001/push", "", "").await.status, 401);
    let client = get(lichess, "/livechess", "").await;
    let livechess = between(&client, "new WebSocket(\"ws://127.0.0.1:", "/").parse().unwrap();
    let eboards: Vec<Value> = serde_json::from_str(&get(livechess, "/api/v1.0/eboards", "").await).unwrap();
    let serial_numbers: BTreeSet<&str> = eboards.iter().filter_map(|board| board["serialnr"].as_str()).collect();
    assert_eq!(serial_numbers.len(), 12, "{serial_numbers:?}");

    // The players wait for the ruling, and go on after it.
    assert!(demo.output().contains("the players wait for the arbiter's ruling"), "{}", demo.output());
    assert!(demo.game(game).await.alerts.iter().any(|open| open.id == alert));
    demo.client.send_command(game, &Command::Restore { ply }).await.unwrap();
    demo.says("the arbiter has ruled").await;
    until("the game to go on", async || {
        let game = demo.game(game).await;
        (game.moves.len() > ply as usize && game.moves.iter().all(|mv| !mv.irregular)).then_some(())
    })
    .await;
    demo.interrupt();
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", lichess)).await.is_err());
}

/// Sends a text; returns the whole answer.
async fn raw(port: u16, text: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn one_round_follows_another() {
    let Some(demo) = Demo::start(&["--boards", "2", "--speed", "10", "--delay", "0", "--no-browser"]).await else { return };
    let (game, alert, _) = demo.illegal_move().await;
    demo.client.send_command(game, &Command::Acknowledge { alert }).await.unwrap();
    demo.says("the arbiter has ruled").await;
    demo.says("Round 1 is over.").await;
    let report = demo.client.desk(Some(1)).await.unwrap();
    assert!(report.tables.len() == 2 && report.tables.iter().all(|table| table.result.is_some()), "{report:?}");
    demo.says("round 2 begins; table 2 will need the arbiter").await;
    until("games of round 2", async || {
        let games = demo.client.snapshot().await.unwrap().games;
        let is_played = |round: &str| {
            games.iter().any(|game| game.tags.get("Round").is_some_and(|tag| tag == round) && !game.moves.is_empty())
        };
        (is_played("2.1") && is_played("2.2")).then_some(())
    })
    .await;
    demo.interrupt();
}
