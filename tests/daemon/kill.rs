//! SIGKILL at a hundred moments of a game: no published event is lost, and every published event did happen.

use crate::harness::hall::{client, game};
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

/// The number of times that the daemon is killed.
const KILLS: u32 = 100;
/// The playback speed, such that the game lasts about as long as the kills.
const SPEED: u32 = 3;

/// All events ever published, by game and number.
type PublishedEvents = BTreeMap<(u64, u64), WatchedEvent>;

/// The daemon's state directory and the logs of all starts, kept if the test fails.
struct KeptState {
    state: tempfile::TempDir,
    logs: RefCell<String>,
}

impl KeptState {
    fn new() -> KeptState {
        KeptState { state: tempfile::tempdir().unwrap(), logs: RefCell::default() }
    }

    fn path(&self) -> &Path {
        self.state.path()
    }

    /// Kills a daemon and keeps its log.
    fn kill(&self, daemon: Daemon) {
        self.logs.borrow_mut().push_str(&daemon.log());
        daemon.kill();
    }
}

impl Drop for KeptState {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.state.disable_cleanup(true);
            let written = std::fs::write(self.path().join("kill.log"), self.logs.borrow().as_bytes());
            eprintln!("kept in {}: the state, and in kill.log the log of each start ({written:?})", self.path().display());
        }
    }
}

/// Adds a published event; panics if another event was published before under the same number.
fn add_event(published: &mut PublishedEvents, event: WatchedEvent) {
    let (Some(game), Some(number)) = (event.game, event.number) else { return };
    let known = published.entry((game, number)).or_insert_with(|| event.clone());
    assert_eq!(known.event, event.event, "game {game}, number {number}");
    assert_eq!(known.fields, event.fields, "game {game}, number {number}");
}

/// Reads all games from the daemon and compares them with the published events; numbers must have no gap.
async fn compare(client: &Client, published: &Arc<Mutex<PublishedEvents>>) {
    let games = client.snapshot().await.unwrap().games;
    for game in games {
        // Before the stored ones are read: more may be published meanwhile.
        let events = (game.id, 0)..(game.id + 1, 0);
        let last = published.lock().unwrap().range(events).next_back().map_or(0, |((_, number), _)| *number);
        let stored = client.events(game.id).await.unwrap();
        let mut published = published.lock().unwrap();
        assert!(stored.len() as u64 >= last, "game {}: number {last} was published, and {} are stored", game.id, stored.len());
        for (index, event) in stored.into_iter().enumerate() {
            assert_eq!(event.number, Some(index as u64 + 1));
            add_event(&mut published, event);
        }
    }
}

#[tokio::test]
async fn after_a_hundred_kills_no_published_event_is_lost_or_changed() {
    let Some(bus) = PrivateBus::start() else { return };
    let state = KeptState::new();
    let games = pgn::read(include_str!("../../src/ctl/demo/opera.pgn"));
    let setup =
        SimulationSetup { profile: &hands::CLEAN, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: 7 };
    let simulation = Simulation::new("dgt", &games.games[0], &setup).unwrap();
    let truth: Vec<String> = simulation.truth().plies.iter().map(|ply| ply.uci.clone()).collect();
    let game_lasts = Duration::from_millis(simulation.ends_at() / u64::from(SPEED));
    let mut port = PseudoTerminal::open().unwrap();
    let (dir, simulated) = (tempfile::tempdir().unwrap(), port.path().to_owned());
    let path = dir.path().join("board");
    std::thread::spawn(move || port.serve(simulation, SPEED, true));

    let client = client(&bus, Stream::Live).await;
    let published = Arc::new(Mutex::new(PublishedEvents::new()));
    let mut watch = client.watch().await.unwrap();
    let shared = Arc::clone(&published);
    let watcher = tokio::spawn(async move {
        while let Some(item) = watch.next().await {
            if let WatchItem::Happened(event) = item {
                add_event(&mut shared.lock().unwrap(), event);
            }
        }
    });

    // The simulated board starts to play with the first request, however slow the machine. So that the start position is seen,
    // the game begins on a board that waits.
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
            // One more kill before it is ready: while it opens the journal, restores the game, or initialises the board.
            let daemon = Daemon::on(&bus, state.path(), &path, &[]);
            tokio::time::sleep(Duration::from_millis(rng.below(50))).await;
            state.kill(daemon);
        }
        let daemon = Daemon::serving(&bus, state.path(), &path);
        compare(&client, &published).await;
        // Some at once, most in the middle of work: the kills are spread over the game at random.
        let share = game_lasts * (kill + 1) / KILLS;
        let until = share.saturating_sub(began.elapsed()).max(Duration::from_millis(rng.below(60)));
        tokio::time::sleep(until * rng.below(1000) as u32 / 500).await;
        state.kill(daemon);
        assert!(!watcher.is_finished(), "published events contradict each other");
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
    compare(&client, &published).await;
    drop(daemon);
    println!("{} durable events published over {KILLS} kills", published.lock().unwrap().len());
}
