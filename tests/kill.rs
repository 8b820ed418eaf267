//! SIGKILL at a hundred moments of a game: nothing that was told is lost, and nothing is told that was not so.

use crate::hall::{client, game};
use crate::harness::{Board, Daemon, PATIENCE, PrivateBus};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use touchmove::ctl::pty::PseudoTerminal;
use touchmove::game::event::Rotation;
use touchmove::publish::client::{Client, WatchItem, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::simulate::rng::Rng;
use touchmove::simulate::{Simulation, SimulationSetup, hands, pgn};

/// How often the daemon is killed.
const KILLS: u32 = 100;
/// So many times as fast as real: the game lasts about as long as the kills.
const SPEED: u32 = 3;

/// Everything that was ever told, by game and number.
type Told = BTreeMap<(u64, u64), WatchedEvent>;

/// The daemon's state directory and what its starts have logged, kept if the test fails.
struct Kept {
    state: tempfile::TempDir,
    logs: RefCell<String>,
}

impl Kept {
    fn new() -> Kept {
        Kept { state: tempfile::tempdir().unwrap(), logs: RefCell::default() }
    }

    fn path(&self) -> &Path {
        self.state.path()
    }

    /// Kills this start.
    fn kill(&self, daemon: Daemon) {
        self.logs.borrow_mut().push_str(&daemon.log());
        daemon.kill();
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.state.disable_cleanup(true);
            let kept = std::fs::write(self.path().join("kill.log"), self.logs.borrow().as_bytes());
            eprintln!("kept in {}: the state, and in kill.log what each start logged ({kept:?})", self.path().display());
        }
    }
}

/// Adds what was told; panics if the same number was told otherwise before.
fn note(told: &mut Told, happened: WatchedEvent) {
    let (Some(game), Some(number)) = (happened.game, happened.number) else { return };
    let known = told.entry((game, number)).or_insert_with(|| happened.clone());
    assert_eq!(known.event, happened.event, "game {game}, number {number}");
    assert_eq!(known.fields, happened.fields, "game {game}, number {number}");
}

/// Reads all games from the daemon and holds them against what was told; numbers must have no gap.
async fn compare(client: &Client, told: &Arc<Mutex<Told>>) {
    let games = client.snapshot().await.unwrap().games;
    for game in games {
        let stored = client.events(game.id).await.unwrap();
        let mut told = told.lock().unwrap();
        let last = told.range((game.id, 0)..(game.id + 1, 0)).next_back().map_or(0, |((_, number), _)| *number);
        assert!(stored.len() as u64 >= last, "game {}: number {last} was told, and {} are stored", game.id, stored.len());
        for (index, event) in stored.into_iter().enumerate() {
            assert_eq!(event.number, Some(index as u64 + 1));
            note(&mut told, event);
        }
    }
}

#[tokio::test]
async fn killed_at_a_hundred_moments_nothing_told_is_lost_and_nothing_invented() {
    let Some(bus) = PrivateBus::start() else { return };
    let state = Kept::new();
    let games = pgn::read(include_str!("../src/ctl/demo/opera.pgn"));
    let scene =
        SimulationSetup { profile: &hands::CLEAN, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let stage = Simulation::new("dgt", &games.games[0], &scene).unwrap();
    let truth: Vec<String> = stage.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let game_lasts = Duration::from_millis(stage.ends_at() / u64::from(SPEED));
    let mut port = PseudoTerminal::open().unwrap();
    let (dir, simulated) = (tempfile::tempdir().unwrap(), port.path().to_owned());
    let path = dir.path().join("board");
    std::thread::spawn(move || port.serve(stage, SPEED, true));

    let client = client(&bus, Stream::Live).await;
    let told = Arc::new(Mutex::new(Told::new()));
    let mut watch = client.watch().await.unwrap();
    let into = Arc::clone(&told);
    let watcher = tokio::spawn(async move {
        while let Some(seen) = watch.next().await {
            if let WatchItem::Happened(happened) = seen {
                note(&mut into.lock().unwrap(), happened);
            }
        }
    });

    // The simulated board plays from the moment it is asked something, however slow the machine: so that somebody has seen the
    // start position, the game begins on a board that waits.
    let waiting = Board::plugged();
    symlink(waiting.path(), &path).unwrap();
    let daemon = Daemon::serving(&bus, state.path(), &path);
    game(&client).await;
    state.kill(daemon);
    std::fs::remove_file(&path).unwrap();
    symlink(simulated, &path).unwrap();

    let mut rng = Rng::new(20_261_121, 0);
    let began = Instant::now();
    for kill in 0..KILLS {
        if rng.chance(300) {
            // Killed once more, before it is ready: while it opens the journal, takes up the game, greets the board.
            let daemon = Daemon::on(&bus, state.path(), &path, &[]);
            tokio::time::sleep(Duration::from_millis(rng.below(50))).await;
            state.kill(daemon);
        }
        let daemon = Daemon::serving(&bus, state.path(), &path);
        compare(&client, &told).await;
        // Some at once, most in the middle of something: the kills are spread over the game at random.
        let share = game_lasts * (kill + 1) / KILLS;
        let until = share.saturating_sub(began.elapsed()).max(Duration::from_millis(rng.below(60)));
        tokio::time::sleep(until * rng.below(1000) as u32 / 500).await;
        state.kill(daemon);
        assert!(!watcher.is_finished(), "what was told contradicts itself");
    }
    let daemon = Daemon::serving(&bus, state.path(), &path);
    let end = Instant::now() + game_lasts + PATIENCE;
    loop {
        let games = client.snapshot().await.unwrap().games;
        let played: Vec<&str> = games.iter().flat_map(|game| game.moves.iter().map(|played| played.uci.as_str())).collect();
        if played == truth {
            assert_eq!(games.len(), 1, "it is one game");
            break;
        }
        assert!(Instant::now() < end, "played {played:?}, but {truth:?} is the game");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    compare(&client, &told).await;
    drop(daemon);
    println!("{} durable events told over {KILLS} kills", told.lock().unwrap().len());
}
