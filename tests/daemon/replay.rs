//! Replays of recordings: they print the same bytes every time, and a real board's game as it was played.

use crate::front_ends::dbus::Lines;
use crate::harness::hall::Hall;
use crate::harness::installed;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use touchmove::link::recording::{self, Entry};
use touchmove::names;

/// Runs touchmovectl and returns what it printed.
fn ctl(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_touchmovectl")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let pgn = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ctl/demo/opera.pgn");
    let file = dir.path().join("game.rec");
    let (pgn, file) = (pgn.to_str().unwrap(), file.to_str().unwrap());
    for hands in ["club", "worn"] {
        ctl(&["simulate", pgn, "--hands", hands, "--seed", "5", "--clock", "-o", file]);
        for form in [&["--json", "--all"][..], &["--pgn"], &[]] {
            let once = ctl(&[&["replay", file], form].concat());
            assert!(!once.is_empty());
            assert!(once == ctl(&[&["replay", file], form].concat()), "{hands} hands, {form:?}");
        }
    }
}

/// Returns the path of a file of the real capture. If it is missing, prints that and returns `None`.
fn capture(name: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/sensor").join(name);
    if !file.exists() {
        eprintln!("SKIPPED: there is no {}", file.display());
        return None;
    }
    Some(file)
}

/// The moves of the real game, in UCI.
fn truth(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let is_move = |word: &&str| word.len() >= 4 && word.starts_with(|first: char| first.is_ascii_lowercase());
    text.split_whitespace().filter(is_move).map(str::to_owned).collect()
}

/// The times are assigned in three ways, because the capture has none.
#[test]
fn a_real_game_is_read_without_a_correction_and_without_an_alert() {
    let Some(uci) = capture("dgt-1.uci") else { return };
    let truth = truth(&uci);
    assert_eq!(truth.len(), 57);
    for times in ["even", "early", "late"] {
        let Some(file) = capture(&format!("dgt-1.{times}.rec")) else { return };
        let output = ctl(&["replay", file.to_str().unwrap(), "--json"]);
        let events: Vec<serde_json::Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let events_of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
        let made: Vec<&str> = events_of("move_made").iter().map(|event| event["uci"].as_str().unwrap()).collect();
        assert_eq!(made, truth, "{times}");
        assert_eq!(events_of("moves_corrected"), Vec::<&serde_json::Value>::new(), "{times}");
        assert_eq!(events_of("alert_raised"), Vec::<&serde_json::Value>::new(), "{times}");
        assert!(
            events_of("move_completed").iter().all(|event| event["by"] == "clock"),
            "{times}: the lever was pressed on each move"
        );
    }
}

/// How many times faster than real the game is replayed.
const SPEED: u32 = 8;

/// Splits bytes into the messages of a DGT board.
fn messages(bytes: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let [_, high, low, ..] = rest {
        let (message, after) = rest.split_at((usize::from(*high) << 7 | usize::from(*low)).clamp(3, rest.len()));
        messages.push(message);
        rest = after;
    }
    messages
}

/// The same game over a serial line and D-Bus, as programs of other authors see it.
#[tokio::test]
async fn busctl_and_gdbus_see_a_real_game() {
    let (Some(uci), Some(file)) = (capture("dgt-1.uci"), capture("dgt-1.even.rec")) else { return };
    // The clock completes moves. The settle times are long because on a busy machine a piece may seem to rest for seconds.
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, "[game]\nsettle_ms = 5000\nsettle_low_ms = 5000\nwrong_move_cost = 1000000\n").unwrap();
    let Some(hall) = Hall::configured(&["--config", config.to_str().unwrap()]).await else { return };
    let address = hall.bus.address();
    let busctl = installed("busctl").then(|| {
        let address = format!("--address={address}");
        let lines = Lines::of("busctl", &[&address, "--json=short", "monitor", names::BUS_NAME]);
        lines.wait_for("busctl to listen", |line| line.contains("Monitoring"));
        lines
    });
    let gdbus = installed("gdbus").then(|| {
        let lines = Lines::of("gdbus", &["monitor", "--address", &address, "--dest", names::BUS_NAME]);
        lines.wait_for("gdbus to listen", |line| line.contains("Monitoring signals"));
        lines
    });
    if busctl.is_none() && gdbus.is_none() {
        return;
    }

    let Hall { board, daemon: _daemon, state: _state, bus: _bus, .. } = hall;
    let player = std::thread::spawn(move || {
        let began = Instant::now();
        for line in recording::read(&file).unwrap().lines {
            let Entry::Rx(bytes) = line.entry else { continue };
            let at = began + Duration::from_millis(line.at) / SPEED;
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            for message in messages(&bytes) {
                match message {
                    // The test's board answers requests for its placement itself.
                    [0x86, ..] => {}
                    [0x8e, _, _, field, code] => {
                        let square = [b'a' + field % 8, b'8' - field / 8];
                        let piece = char::from(b".PRNBKQprnbkq"[usize::from(*code)]);
                        board.put(std::str::from_utf8(&square).unwrap(), piece);
                    }
                    other => board.send(other),
                }
            }
        }
        board
    });
    let truth = truth(&uci);
    for (lines, quote) in [(&busctl, '"'), (&gdbus, '\'')] {
        let Some(lines) = lines else { continue };
        for uci in &truth {
            let quoted = format!("{quote}{uci}{quote}");
            lines.wait_for(&quoted, |line| {
                // On a busy machine two moves may arrive late and at once, which is reported.
                let alerted = line.contains("AlertRaised") && !line.contains("came late, all at once");
                assert!(!alerted && !line.contains("MovesCorrected"), "before {uci}: {line}");
                let made = line.contains("MoveMade");
                assert!(!made || line.contains(&quoted), "{uci} is next: {line}");
                made
            });
        }
    }
    player.join().unwrap();
}
