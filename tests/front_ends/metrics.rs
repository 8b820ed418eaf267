//! Metrics: through touchmoved, on a port that the system chooses.

use crate::harness::hall::{Hall, seen};
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus, eventually, until};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use touchmove::game::command::Command as Order;
use touchmove::publish::metrics::METRICS;

async fn hall(keys: &str) -> Option<(Hall, SocketAddr, TempDir)> {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, format!("[metrics]\nlisten = '127.0.0.1:0'\n{keys}")).unwrap();
    let hall = Hall::configured(&["--config", config.to_str().unwrap()]).await?;
    let address = address(&hall.daemon);
    Some((hall, address, dir))
}

fn address(daemon: &Daemon) -> SocketAddr {
    eventually("the address of the metrics", || {
        daemon.log().split("metrics are served at http://").nth(1)?.split_once("/metrics")?.0.parse().ok()
    })
}

/// Sends these bytes; returns the reply.
fn request(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(address: SocketAddr) -> String {
    request(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

/// Requests the metrics with this token.
fn get_with(address: SocketAddr, token: &str) -> String {
    request(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n"))
}

/// Creates a token with this role, for a touchmoved with this state directory.
fn token(state: &Path, role: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    command.args(["token", "create", role, "--role", role, "--state-dir"]).arg(state);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The samples of a page, by name and labels.
fn samples(page: &str) -> BTreeMap<String, f64> {
    let body = page.split_once("\r\n\r\n").unwrap().1;
    let lines = body.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit_once(' ').unwrap()).map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect()
}

/// The sum of all samples whose name begins with this.
fn sum(page: &str, begin: &str) -> f64 {
    samples(page).iter().filter(|(name, _)| name.starts_with(begin)).map(|(_, value)| value).sum()
}

#[tokio::test]
async fn games_moves_corrections_and_errors_are_counted() {
    let Some((mut hall, address, _dir)) = hall("[broadcast]\ndelay_s = 1\n").await else { return };
    let token = token(hall.state.path(), "operator");
    hall.play("e2", "e4", "e4").await;
    hall.client.send_command(hall.game, &Order::Replace { ply: 1, uci: "d2d4".into() }).await.unwrap();
    seen(&mut hall.watch, "the correction", |event| event.event == "MovesCorrected").await;
    hall.board.send(&[0x55, 0x56, 0x57]);
    let page_with_all = || {
        let page = get_with(address, &token);
        let counted = ["touchmove_games_total{", "touchmove_moves_total{", "touchmove_corrections_total{"];
        let counted = counted.iter().all(|name| sum(&page, name) == 1.0);
        let public = sum(&page, "touchmove_publication_delay_seconds_count{stream=\"broadcast\"") > 1.0;
        (counted && public && sum(&page, "touchmove_board_errors_total{") > 0.0).then_some(page)
    };
    let page = until("all counts", async || page_with_all()).await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4"), "{page}");
    let ready = samples(&page).into_iter().filter(|(name, value)| name.contains("state=\"ready\"") && *value == 1.0);
    assert_eq!(ready.count(), 1, "{page}");
    assert!(sum(&page, "touchmove_board_frames_total{") >= 3.0 && sum(&page, "touchmove_board_bytes_total{") >= 70.0, "{page}");
    assert_eq!(sum(&page, "touchmove_configured_delay_seconds"), 1.0);
    // No public event was published before the delay.
    assert_eq!(samples(&page)["touchmove_publication_delay_seconds_bucket{stream=\"broadcast\",le=\"0.500\"}"], 0.0);
    assert!(!page.contains("e4") && !page.contains("d4"), "{page}");

    // Without a token, published moves and the state of boards can be read.
    let public = get(address);
    assert_eq!(sum(&public, "touchmove_moves_total{"), 1.0);
    hall.board.unplug();
    let unplugged =
        || samples(&get(address)).into_iter().any(|(name, value)| name.contains("state=\"unplugged\"") && value == 1.0);
    until("the lost link", async || unplugged().then_some(())).await;
    assert_eq!(sum(&get(address), "touchmove_board_losses_total{"), 1.0);
}

#[tokio::test]
async fn without_a_token_metrics_are_delayed_and_have_no_alerts() {
    let Some((mut hall, address, _dir)) = hall("[broadcast]\ndelay_s = 3600\n").await else { return };
    let (token, operator) = (token(hall.state.path(), "arbiter"), token(hall.state.path(), "operator"));
    hall.board.clock(5400, 5400, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(5390, 5400, false);
    hall.play("e7", "e5", "e5").await;
    hall.board.clock(5390, 5390, true);
    // An illegal move of a rook.
    hall.board.put("h1", '.');
    hall.board.put("h3", 'R');
    hall.board.clock(5380, 5390, false);
    const NAMES: [&str; 6] =
        ["games_total", "moves_total", "alerts_total", "alerts", "board_frames_total", "board_bytes_total"];
    let has_all = |page: &String| NAMES.iter().all(|name| sum(page, &format!("touchmove_{name}{{")) > 0.0);
    let live = until("the alert", async || Some(get_with(address, &token)).filter(has_all)).await;
    // An illegal move is for the arbiter alone.
    let of_operator = get_with(address, &operator);
    assert!(of_operator.contains("stream=\"live\"") && !of_operator.contains("illegal"), "{of_operator}");
    // Moves within milliseconds may raise an alert for the operator, too: they look like reports that came late.
    assert_eq!(sum(&of_operator, "touchmove_alerts{"), sum(&live, "touchmove_alerts{") - 1.0, "{of_operator}");
    let public = get(address);
    for name in NAMES {
        let begin = format!("touchmove_{name}{{");
        assert!(!samples(&public).keys().any(|sample| sample.starts_with(&begin)), "{name} in {public}");
    }
    assert!(live.contains("stream=\"live\"") && !public.contains("stream=\"live\""), "{public}");
    assert_eq!(sum(&public, "touchmove_publication_delay_seconds_count"), 0.0);
    // The state of boards and of the service is the same with and without a token.
    assert_eq!(sum(&public, "touchmove_board_state{"), 1.0);
    assert_eq!(sum(&public, "touchmove_configured_delay_seconds"), 3600.0);
    for wrong in ["", "0", &token[1..], &format!("{token}0")] {
        let answer = get_with(address, wrong);
        assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("www-authenticate: Bearer"), "{answer}");
    }
    // Credentials for a proxy are not a token.
    let basic = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nAuthorization: Basic eDp5\r\n\r\n");
    assert!(request(address, &basic).starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn neither_the_log_nor_metrics_without_a_token_reveal_play_before_its_publication() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir, board) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Board::plugged());
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[metrics]\nlisten = '127.0.0.1:0'\n[broadcast]\ndelay_s = 3600\n").unwrap();
    // A health problem that does not depend on play: nothing can be recorded.
    std::fs::write(state.path().join("recordings"), "").unwrap();
    // Two moves were played before the board was read.
    for (square, piece) in [("e2", '.'), ("e4", 'P'), ("e7", '.'), ("e5", 'p')] {
        board.put_unseen(square, piece);
    }
    let daemon = Daemon::on(&bus, state.path(), &board.path(), &["--config", config.to_str().unwrap()]);
    daemon.ready();
    let (address, token) = (address(&daemon), token(state.path(), "operator"));
    let has_problem = |page: &str, kind: &str| sum(page, &format!("touchmove_trouble{{kind=\"{kind}\"")) == 1.0;
    let live = until("play without a game", async || {
        // The problem is reported after the position has been stable for seconds.
        tokio::time::sleep(Duration::from_millis(100)).await;
        Some(get_with(address, &token)).filter(|page| has_problem(page, "unrecorded"))
    })
    .await;
    let late = get(address);
    for page in [&live, &late] {
        assert!(has_problem(page, "recordings_stopped"), "{page}");
    }
    assert!(!late.contains("unrecorded"), "{late}");
    let log = daemon.log();
    assert!(log.contains("nothing is recorded (") && !log.contains("look like play"), "{log}");
}

#[tokio::test]
async fn other_requests_are_refused() {
    let Some((_hall, address, _dir)) = hall("").await else { return };
    let check = |text: &str, status: &str| {
        let answer = request(address, text);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{text:?}: {answer}");
        answer
    };
    let head = check("HEAD /metrics HTTP/1.1\r\nhost: localhost:1\r\n\r\n", "200");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    check("GET /metrics?x HTTP/1.1\r\nHost: [::1]:9\r\n\r\n", "200");
    check("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "404");
    check("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "405");
    // A foreign host name that resolves to this address.
    check("GET /metrics HTTP/1.1\r\nHost: evil.example:9482\r\n\r\n", "403");
    check("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "403");
    check("GET /metrics HTTP/1.1\r\n\r\n", "403");
    check(&format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(20_000)), "431");
}

#[tokio::test]
async fn silent_connections_do_not_delay_others() {
    let Some((_hall, address, _dir)) = hall("").await else { return };
    let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert!(get(address).starts_with("HTTP/1.1 200 "));
    drop(silent);
}

#[test]
fn the_dashboard_shows_every_metric() {
    let dashboard = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/grafana.json")).unwrap();
    serde_json::from_str::<serde_json::Value>(&dashboard).unwrap();
    let names: BTreeSet<&str> = dashboard
        .match_indices("touchmove_")
        .map(|(at, _)| {
            let rest = &dashboard[at..];
            let name = &rest[..rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len())];
            ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
        })
        .collect();
    assert_eq!(names, METRICS.iter().map(|(name, ..)| *name).collect());
}
