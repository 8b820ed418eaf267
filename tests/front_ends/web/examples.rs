//! The example programs for the public documents, against a running touchmoved.

use super::Site;
use crate::harness::organiser::Organiser as _;
use crate::harness::{PATIENCE, installed};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

const ROUND: &str = r#"{"number": 1, "pairings": [{"table": 1, "white": {"name": "Ada"}, "black": {"name": "Bob"}}]}"#;

async fn check(program: &str, example: &str) {
    if !installed(program) {
        return;
    }
    let Some(mut site) = Site::open("").await else { return };
    site.hall.client.load_round(ROUND).await.unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
    let address = format!("http://127.0.0.1:{}/", site.port);
    let mut child = Command::new(program).arg(&path).arg(&address).stdout(Stdio::piped()).spawn().unwrap();
    let (sender, printed) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let lines = |expect: &str| {
        let end = Instant::now() + PATIENCE;
        while !printed
            .recv_timeout(end.saturating_duration_since(Instant::now()))
            .unwrap_or_else(|_| panic!("{example} does not print {expect}"))
            .contains(expect)
        {}
    };
    lines("Ada – Bob");
    site.hall.play("e2", "e4", "e4").await;
    lines("1. e4");
    site.hall.play("e7", "e5", "e5").await;
    lines("1… e5");
    child.kill().unwrap();
    child.wait().unwrap();
    let once = Command::new(program).arg(&path).arg(&address).arg("--once").output().unwrap();
    assert!(once.status.success() && String::from_utf8(once.stdout).unwrap().contains("1… e5"));
}

#[tokio::test]
async fn the_python_client_follows_the_games() {
    check("python3", "public_feed.py").await;
}

#[tokio::test]
async fn the_javascript_client_follows_the_games() {
    check("node", "public_feed.mjs").await;
}
