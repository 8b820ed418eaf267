//! From the bytes of these boards to moves on D-Bus, through touchmoved and a pseudo-terminal. In real time, so only boards that tell
//! pieces apart: on a machine that stutters two moves arrive as one, and boards that tell less cannot say which. Those are played in
//! simulated time.

use super::games::opera;
use crate::hall::client;
use crate::harness::{Daemon, PATIENCE, PrivateBus};
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::ctl::pty::Port;
use touchmove::game::event::Rotation;
use touchmove::publish::client::Client;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::{Scene, Stage, hands};

/// So many times as fast as real: the game lasts half a minute, and hands are still slower than a busy machine stutters.
const SPEED: u32 = 4;

/// A board on which the game begins when somebody opens its port; what is played, and how long that takes.
fn board(name: &str, path: &Path) -> (Vec<String>, Duration) {
    let scene = Scene { profile: &hands::CLEAN, clock: false, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let stage = Stage::new(name, &opera(), &scene).unwrap();
    let truth = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let lasts = Duration::from_millis(stage.ends_at() / u64::from(SPEED));
    let mut port = Port::open().unwrap();
    std::os::unix::fs::symlink(port.path(), path).unwrap();
    std::thread::spawn(move || port.serve(stage, SPEED, true));
    (truth, lasts)
}

async fn moves(client: &Client) -> Vec<String> {
    let games = client.snapshot().await.unwrap().games;
    assert!(games.len() <= 1, "it is one game");
    games.into_iter().flat_map(|game| game.moves).map(|played| played.uci).collect()
}

/// Waits for so many moves; returns them.
async fn played(client: &Client, count: usize, longest: Duration) -> Vec<String> {
    let end = Instant::now() + longest;
    loop {
        let moves = moves(client).await;
        if moves.len() >= count || Instant::now() >= end {
            return moves;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn game_on(name: &str) {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("board");
    let (truth, lasts) = board(name, &path);
    let client = client(&bus, Stream::Live).await;
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", name]);
    daemon.ready();
    let moves = played(&client, truth.len(), lasts + PATIENCE).await;
    assert_eq!(moves, truth, "{name}\n{}", daemon.log());
}

#[tokio::test]
async fn a_game_on_a_certabo_arrives() {
    game_on("certabo").await;
}

/// What was learned of the pieces is kept: in mid-game there is no start position to learn from.
#[tokio::test]
async fn a_game_on_a_certabo_goes_on_after_a_restart() {
    let Some(bus) = PrivateBus::start() else { return };
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("board");
    let (truth, lasts) = board("certabo", &path);
    let client = client(&bus, Stream::Live).await;
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let before = played(&client, 10, lasts + PATIENCE).await;
    assert!(before.len() >= 10, "{before:?}\n{}", daemon.log());
    daemon.kill();
    let kept: Vec<_> = std::fs::read_dir(state.path().join("calibration")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap().lines().count(), 32);
    let daemon = Daemon::on(&bus, state.path(), &path, &["--board", "certabo"]);
    daemon.ready();
    let moves = played(&client, truth.len(), lasts + PATIENCE).await;
    assert_eq!(moves, truth, "{}", daemon.log());
}
