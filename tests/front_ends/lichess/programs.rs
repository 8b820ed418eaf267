//! The programs touchmoved and touchmovectl with a configured round, and certificates that are not trusted.

use super::fake::{Fake, TOKEN};
use super::keep_secret;
use crate::harness::hall::Hall;
use crate::harness::organiser::Organiser as _;
use crate::harness::{installed, until};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use touchmove::game::{Command as Order, GameResult};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder as TrfOrder;

/// A configuration, and its directory.
fn configured(fake: &Fake, round: &str, token: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (path, token_file) = (dir.path().join("touchmoved.toml"), dir.path().join("token"));
    keep_secret(&token_file, token);
    let (port, token_file) = (fake.port, token_file.display());
    let text = format!("[lichess]\nround = '{round}'\nurl = 'http://localhost:{port}'\ntoken_file = '{token_file}'\n");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

#[tokio::test]
async fn touchmoved_sends_what_is_played() {
    let fake = Fake::start().await;
    let (_dir, config) = configured(&fake, "1 = AbCd1234", TOKEN);
    let Some(mut hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let round = Round::read("white,black\nAda,Bob\n", Some(1), &TrfOrder::Unknown).unwrap();
    hall.client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
    hall.board.clock(5400, 5400, true);
    hall.play("e2", "e4", "e4").await;
    hall.board.clock(5399, 5400, false);
    let key = ("Ada".to_owned(), "Bob".to_owned());
    let moved = vec![("e4".to_owned(), Some(5399))];
    until("the move", async || fake.games().get(&key).is_some_and(|game| game.moves == moved).then_some(())).await;
    // At the end touchmoved sends what is still pending.
    hall.client.send_command(hall.game, &Order::Result { result: Some(GameResult::Draw) }).await.unwrap();
    let Hall { daemon, .. } = hall;
    assert!(tokio::task::spawn_blocking(|| daemon.terminate()).await.unwrap().success());
    assert_eq!(fake.games()[&key].result, "1/2-1/2");
    fake.assert_no_errors();
}

/// Runs `touchmovectl lichess`; returns whether it succeeded, and its output.
async fn run(config: &Path, more: &[&str], trust: Option<&Path>) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    command.args(["lichess", "--config", config.to_str().unwrap()]).args(more);
    // The test must not depend on the certificates that this machine trusts.
    command.env_remove("SSL_CERT_DIR").env_remove("SSL_CERT_FILE");
    command.envs(trust.map(|path| ("SSL_CERT_FILE", path)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = output.await.unwrap();
    (status.success(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned())
}

#[tokio::test]
async fn the_command_checks_rounds_before_there_are_games() {
    let fake = Fake::start().await;
    let (_dir, config) = configured(&fake, "AbCd1234", TOKEN);
    let (success, output) = run(&config, &[], None).await;
    assert!(
        success && output == "ok    AbCd1234 is \"Round 1\" of \"City Open\", and this token may write there\n",
        "{output}"
    );
    let (_dir, config) = configured(&fake, "1 = AbCd1234, 2 = ReadOnly, 4 = NoRound1", TOKEN);
    let (success, output) = run(&config, &[], None).await;
    let lines: Vec<&str> = output.lines().collect();
    assert!(!success && lines.len() == 3, "{output}");
    assert!(
        lines[0].starts_with("ok    round 1: AbCd1234 is") && lines[1].contains("may not write into round ReadOnly"),
        "{output}"
    );
    assert!(lines[2].starts_with("ERROR round 4: NoRound1 cannot be used: ") && lines[2].contains("has no round"), "{output}");
    let (_, json) = run(&config, &["--json"], None).await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["rounds"][1]["number"], &json["rounds"][1]["ok"]), (&2.into(), &false.into()));
    let (dir, config) = configured(&fake, "AbCd1234", "wrong");
    let (success, output) = run(&config, &[], None).await;
    assert!(!success && output.contains("does not know the token"), "{output}");
    let other = dir.path().join("other");
    std::fs::write(&other, TOKEN).unwrap();
    std::fs::set_permissions(&other, Permissions::from_mode(0o644)).unwrap();
    let (success, output) = run(&config, &["--token-file", other.to_str().unwrap()], None).await;
    assert!(
        !success && output.contains("every user of this machine can use") && output.contains("sudo chmod o-rwx"),
        "{output}"
    );
    std::fs::set_permissions(&other, Permissions::from_mode(0o640)).unwrap();
    assert!(run(&config, &["--token-file", other.to_str().unwrap()], None).await.0);
    std::fs::write(&config, "").unwrap();
    let (success, output) = run(&config, &[], None).await;
    assert!(!success && output.contains("write round under [lichess]"), "{output}");
}

/// A TLS server with its own certificate for `localhost`; it is no Lichess server.
struct TlsServer {
    server: std::process::Child,
    port: u16,
    certificate: PathBuf,
    _dir: TempDir,
}

impl TlsServer {
    fn start() -> Option<TlsServer> {
        if !installed("openssl") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let (key, certificate) = (path("key"), path("certificate"));
        let output = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // It prints the port that the system chose.
        let mut server = Command::new("openssl")
            .args(["s_server", "-accept", "127.0.0.1:0", "-www", "-key"])
            .arg(&key)
            .arg("-cert")
            .arg(&certificate)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let output = std::io::BufReader::new(server.stdout.take().unwrap());
        let port =
            std::io::BufRead::lines(output).find_map(|line| line.unwrap().strip_prefix("ACCEPT 127.0.0.1:")?.parse().ok());
        Some(TlsServer { server, port: port.unwrap(), certificate, _dir: dir })
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[tokio::test]
async fn a_server_without_a_trusted_certificate_gets_no_token() {
    let Some(server) = TlsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (config, token) = (dir.path().join("touchmoved.toml"), dir.path().join("token"));
    keep_secret(&token, TOKEN);
    let (port, token) = (server.port, token.display());
    let text = format!("[lichess]\nround = 'AbCd1234'\nurl = 'https://localhost:{port}'\ntoken_file = '{token}'\n");
    std::fs::write(&config, text).unwrap();
    let other = TlsServer::start().unwrap();
    let (success, output) = run(&config, &[], Some(&other.certificate)).await;
    assert!(!success && output.contains("localhost cannot prove its identity"), "{output}");
    // With a trusted certificate its reply is not one of Lichess.
    let (success, output) = run(&config, &[], Some(&server.certificate)).await;
    assert!(!success && output.contains("is not a Lichess server"), "{output}");
}
