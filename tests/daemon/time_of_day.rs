//! The time of day is set while touchmoved runs, and between two of its runs: published events stay unchanged, and clocks, logins and
//! delays continue.

use crate::front_ends::web::{port_of, post, send_request};
use crate::harness::hall::{Hall, made};
use crate::harness::{Daemon, PrivateBus, until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;
use touchmove::game::Command as Order;
use touchmove::publish::client::WatchedEvent;

const HOUR: i64 = 3600;

/// libfaketime, where it is installed.
static LIBRARY: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let found = |dir: std::fs::DirEntry| Some(dir.path().join("faketime/libfaketimeMT.so.1")).filter(|path| path.exists());
    std::fs::read_dir("/usr/lib").ok()?.flatten().find_map(found)
});

/// The time of day of one program, which can be set; time passes as fast as on the machine.
pub struct TimeOfDay {
    dir: TempDir,
    /// By how many seconds it is ahead of the machine's.
    ahead: i64,
    /// The processes that used it.
    pids: Vec<u32>,
}

impl TimeOfDay {
    /// Starts with the machine's time of day. `None` if it cannot be set here.
    pub fn new() -> Option<TimeOfDay> {
        LIBRARY.as_ref()?;
        let time = TimeOfDay { dir: tempfile::tempdir().unwrap(), ahead: 0, pids: Vec::new() };
        time.write();
        Some(time)
    }

    /// Whether it can be set here.
    pub fn can_be_set() -> bool {
        LIBRARY.is_some()
    }

    /// Returns the command of touchmoved with this time of day.
    pub fn touchmoved(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchmoved"));
        command.env("LD_PRELOAD", LIBRARY.as_ref().expect("it is installed"));
        command.env("FAKETIME_TIMESTAMP_FILE", self.file());
        command.envs([("FAKETIME_NO_CACHE", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1"), ("NO_FAKE_STAT", "1")]);
        command
    }

    /// Notes a process that runs with it.
    pub fn note(&mut self, daemon: &Daemon) {
        self.pids.push(daemon.pid());
    }

    /// Sets it forward or back by this many seconds.
    pub fn jump(&mut self, seconds: i64) {
        self.ahead += seconds;
        self.write();
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("ahead")
    }

    fn write(&self) {
        let new = self.dir.path().join("new");
        std::fs::write(&new, format!("{:+}\n", self.ahead)).unwrap();
        std::fs::rename(new, self.file()).unwrap();
    }

    /// Removes what the library leaves in shared memory when its process is killed: the next process with that id would not start.
    pub fn tidy_up(&mut self) {
        for pid in self.pids.drain(..) {
            for name in [format!("faketime_shm_{pid}"), format!("sem.faketime_sem_{pid}")] {
                let _ = std::fs::remove_file(Path::new("/dev/shm").join(name));
            }
        }
    }
}

impl Drop for TimeOfDay {
    fn drop(&mut self) {
        self.tidy_up();
    }
}

/// A hall with these lines of configuration, and a time of day of its own.
async fn open(keys: &str) -> Option<(Hall, TimeOfDay, TempDir)> {
    let Some(mut time) = TimeOfDay::new() else {
        eprintln!("SKIPPED: libfaketime is not installed");
        return None;
    };
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("touchmoved.toml");
    std::fs::write(&config, keys).unwrap();
    let hall = Hall::on_with(time.touchmoved(), PrivateBus::start()?, &["--config", config.to_str().unwrap()]).await;
    time.note(&hall.daemon);
    Some((hall, time, dir))
}

/// All published events of the game.
async fn published(hall: &Hall) -> Vec<WatchedEvent> {
    hall.client.events(hall.game).await.unwrap()
}

#[tokio::test]
async fn clocks_continue_and_logins_stay_valid() {
    let Some((mut hall, mut time, _dir)) = open("[web]\nlisten = '127.0.0.1:0'\n").await else { return };
    let port = port_of(&hall.daemon).await;
    let state = ["--state-dir", hall.state.path().to_str().unwrap()];
    let mut token = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    let token = token.args(["token", "create", "Anna", "--role", "arbiter"]).args(state).output().unwrap();
    let token = String::from_utf8(token.stdout).unwrap();
    let cookie = post(port, "/api/login", "", &json!({"token": token.trim()})).await.cookie();
    let read = async |lines: &str| send_request(port, "GET /api/state", lines, "").await.json();
    // The present time of a clock is calculated from when it was read.
    let age = |state: &Value| state["now"].as_i64().unwrap() - state["boards"][0]["clock"]["read_at"].as_i64().unwrap();
    let moves = [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3"), ("b8", "c6", "Nc6")];
    let mut before = Vec::new();
    for (index, (from, to, san)) in moves.into_iter().enumerate() {
        time.jump([30 * HOUR, -2 * HOUR, -90 * HOUR, HOUR / 2][index]);
        let (seconds, white_moves) = (5400 - index as u32, index % 2 == 0);
        hall.board.clock(seconds, seconds, white_moves);
        hall.play(from, to, san).await;
        hall.board.clock(seconds - 1, seconds, !white_moves);
        let shown = |state: &Value, who: &Value| {
            let clock = &state["boards"][0]["clock"];
            state["who"]["name"] == *who
                && clock["white_ms"] == (seconds - 1) * 1000
                && clock["turn"] == ["black", "white"][index % 2]
        };
        for (lines, who) in [(cookie.as_str(), json!("Anna")), ("", Value::Null)] {
            let state = until("the clock", async || Some(read(lines).await).filter(|state| shown(state, &who))).await;
            assert!((0..60_000).contains(&age(&state)), "after {san} the clock of {who} was read {} ms ago", age(&state));
        }
        let now = published(&hall).await;
        assert!(now.starts_with(&before), "{now:?} follows {before:?}");
        before = now;
    }
}

#[tokio::test]
async fn games_continue_when_it_was_set_between_two_runs() {
    let Some((mut hall, mut time, dir)) = open("[pgn]\nevent = 'City Open'\n").await else { return };
    let moves = [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3"), ("b8", "c6", "Nc6"), ("f1", "b5", "Bb5")];
    let mut before = Vec::new();
    for ((from, to, san), jump) in moves.into_iter().zip([5 * HOUR, -9 * HOUR, 1, -30 * 24 * HOUR, 7 * HOUR]) {
        hall.play(from, to, san).await;
        let Hall { client, watch, game, daemon, board, state, bus } = hall;
        daemon.kill();
        time.tidy_up();
        time.jump(jump);
        let (config, port) = (dir.path().join("touchmoved.toml"), board.path());
        let daemon = Daemon::on_with(time.touchmoved(), &bus, state.path(), &port, &["--config", config.to_str().unwrap()]);
        time.note(&daemon);
        daemon.ready();
        hall = Hall { client, watch, game, daemon, board, state, bus };
        let now = published(&hall).await;
        assert!(now.starts_with(&before) && now.len() > before.len(), "{now:?} follows {before:?}");
        assert!(now.is_sorted_by_key(|event| event.time), "{now:?}");
        before = now;
    }
    let games = hall.client.snapshot().await.unwrap().games;
    let sans: Vec<&str> = games.iter().flat_map(|game| game.moves.iter().map(|played| played.san.as_str())).collect();
    assert_eq!(sans, moves.map(|(_, _, san)| san));
}

#[tokio::test]
async fn delayed_events_are_published_neither_early_nor_late() {
    let Some((mut hall, mut time, _dir)) = open("[broadcast]\ndelay_s = 7200\n").await else { return };
    let public = crate::harness::hall::client(&hall.bus, touchmove::publish::dbus::Stream::Broadcast).await;
    hall.play("e2", "e4", "e4").await;
    for (jump, from, to, san) in [(3 * HOUR, "e7", "e5", "e5"), (-30 * HOUR, "g1", "f3", "Nf3")] {
        time.jump(jump);
        hall.board.play(from, to);
        made(&mut hall.watch, san).await;
    }
    // Tags are public at once, but must not release the game early.
    let (before, tags) = (published(&hall).await.len(), vec![("White".to_owned(), "Ada".to_owned())]);
    hall.client.send_command(hall.game, &Order::Tags { tags }).await.unwrap();
    until("the order", async || (published(&hall).await.len() > before).then_some(())).await;
    assert_eq!(public.snapshot().await.unwrap().games, []);
    drop(hall);
    let Some((mut hall, mut time, _dir)) = open("[broadcast]\ndelay_s = 1\n").await else { return };
    let public = hall.spectator().await;
    hall.play("e2", "e4", "e4").await;
    time.jump(-HOUR);
    until("the move", async || (public.snapshot().await.unwrap().games[0].moves.len() == 1).then_some(())).await;
}
