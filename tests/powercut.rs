//! Power cuts: the daemon plays a game under strace, and every state that a disk may have after a cut is opened as a start of the
//! daemon would open it. What had been told is there, and nothing is said to be lost.
//!
//! `CUTS=20000 SEED=1 cargo test powercut` tries more of them; files of those that fail are kept.

mod disk;
mod trace;

use crate::hall::client;
use crate::harness::{Board, Daemon, PrivateBus, eventually, installed, until};
use disk::{Disk, Fate};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use touchmove::daemon::journal::{Check, Journal};
use touchmove::game::Stamped;
use touchmove::publish::client::Seen;
use touchmove::publish::dbus::Stream;
use touchmove::simulate::rng::Rng;
use trace::Operation;

/// How many cuts the ordinary test tries.
const SHORT: u64 = 250;

/// When each event was heard, in seconds since 1970, by game and number.
type Heard = BTreeMap<(u64, u64), f64>;

/// What the daemon did, and what was heard of it.
struct Recorded {
    disk: Disk,
    heard: Heard,
    /// All games as they were in the end.
    games: BTreeMap<u64, Vec<Stamped>>,
}

fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

/// Whether a process may be traced here; says so where it may not.
fn may_trace() -> bool {
    let traced =
        installed("strace") && Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|it| it.success());
    if !traced {
        eprintln!("SKIPPED: no process can be traced here");
    }
    traced
}

/// The daemon under strace.
fn traced(bus: &PrivateBus, state: &Path, port: &Path, log: &Path) -> Daemon {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-xx", "-ttt", "-s", "1000000", "-e", &format!("trace={}", trace::CALLS), "-o"]);
    command.arg(log).arg(env!("CARGO_BIN_EXE_touchmoved"));
    let (bus, state, port) = (bus.address(), state.to_str().expect("a path"), port.to_str().expect("a path"));
    let daemon = Daemon::run(command, &["--bus", &bus, "--state-dir", state, "--port", port]);
    daemon.ready();
    daemon
}

/// Sends it to the daemon itself and waits until the trace has ended.
fn end(daemon: Daemon, state: &Path, signal: Signal) {
    let text = fs::read_to_string(state.join("journal.lock")).expect("the lock");
    let pid = text.trim().parse().ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("it runs");
    eventually("the end of the trace", || {
        (!Path::new("/proc").join(daemon.pid().to_string()).join("exe").exists()).then_some(())
    });
}

/// Pawns, then knights that come and go: as often as a position may come back before that is the end of the game.
fn moves(rounds: usize) -> Vec<(&'static str, &'static str)> {
    let pawns = [("e2", "e4"), ("e7", "e5"), ("d2", "d3"), ("d7", "d6"), ("a2", "a3"), ("a7", "a6")];
    let knights =
        [("g1", "f3"), ("g8", "f6"), ("b1", "c3"), ("b8", "c6"), ("f3", "g1"), ("f6", "g8"), ("c3", "b1"), ("c6", "b8")];
    pawns.into_iter().chain(knights.into_iter().cycle().take(rounds * knights.len())).collect()
}

/// Plays a game, in one run for each of these ends.
async fn record(bus: &PrivateBus, rounds: usize, ends: &[Signal]) -> Recorded {
    let (state, logs, board) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Board::plugged());
    let dir = state.path().canonicalize().unwrap();
    let client = client(bus, Stream::Live).await;
    let heard = Arc::new(Mutex::new(Heard::new()));
    let mut watch = client.watch().await.unwrap();
    let into = Arc::clone(&heard);
    let watcher = tokio::spawn(async move {
        while let Some(seen) = watch.next().await {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
            if let Seen::Happened(happened) = seen
                && let (Some(game), Some(number)) = (happened.game, happened.number)
            {
                into.lock().unwrap().entry((game, number)).or_insert(now);
            }
        }
    });
    let mut played = 0;
    let moves = moves(rounds);
    for (run, signal) in ends.iter().enumerate() {
        let log = logs.path().join(run.to_string());
        let daemon = traced(bus, &dir, &board.path(), &log);
        board.wait_read();
        until("a game", async || (!client.snapshot().await.unwrap().games.is_empty()).then_some(())).await;
        for (from, to) in &moves[run * moves.len() / ends.len()..(run + 1) * moves.len() / ends.len()] {
            board.play(from, to);
            played += 1;
            let is_told = async || {
                let snapshot = client.snapshot().await.unwrap();
                snapshot.games.iter().any(|game| game.moves.len() == played).then_some(())
            };
            until("the move", is_told).await;
        }
        end(daemon, &dir, *signal);
    }
    watcher.abort();
    let mut reader = trace::Reader::new(&dir);
    for run in 0..ends.len() {
        reader.read(&fs::read_to_string(logs.path().join(run.to_string())).expect("a trace"));
    }
    let disk = Disk::new(reader.operations);
    // The model of the disk agrees with the disk.
    for (path, bytes) in disk.after(disk.operations.len(), Fate::Kept) {
        assert!(fs::read(&path).is_ok_and(|there| there == bytes), "{} is not what the trace says", path.display());
    }
    let journal = Journal::open(&dir).unwrap().0;
    let games = journal.games().unwrap().into_iter().map(|game| (game.id, journal.events(game.id, 0).unwrap())).collect();
    let heard = heard.lock().unwrap().clone();
    Recorded { disk, heard, games }
}

impl Recorded {
    /// The same on a disk that does not do what it says.
    fn without_syncs(&self) -> Recorded {
        let operations = self.disk.operations.iter().cloned().map(|mut timed| {
            if let Operation::Sync(_, before) = &mut timed.operation {
                *before = 0;
            }
            timed
        });
        Recorded { disk: Disk::new(operations.collect()), heard: self.heard.clone(), games: self.games.clone() }
    }

    /// What is wrong after this cut, if anything.
    fn check(&self, cut: usize, fate: Fate, dir: &Path) -> Result<(), String> {
        for (path, bytes) in self.disk.after(cut, fate) {
            fs::write(dir.join(path.file_name().expect("a name")), bytes).expect("written");
        }
        // What had been heard before the next call began was published before the cut.
        let cut_at = self.disk.operations.get(cut).map_or(f64::MAX, |next| next.at);
        for start in 1..=2 {
            let (journal, notices) = Journal::open(dir).map_err(|why| format!("start {start}: {why}"))?;
            if let Some(notice) = notices.first() {
                return Err(format!("start {start} says: {notice}"));
            }
            let mut found = BTreeMap::new();
            for game in journal.games().map_err(|why| why.to_string())? {
                let events = journal.events(game.id, 0).map_err(|why| format!("start {start}: {why}"))?;
                if !self.games.get(&game.id).is_some_and(|known| known.starts_with(&events)) {
                    return Err(format!("start {start}: game {} is another one", game.id));
                }
                found.insert(game.id, events.len() as u64);
            }
            for ((game, number), at) in &self.heard {
                if *at < cut_at && found.get(game).is_none_or(|last| last < number) {
                    return Err(format!("start {start}: event {number} of game {game} had been published and is not there"));
                }
            }
            if !journal.incarnation().last_good.is_empty() {
                return Err(format!("start {start}: a game is closed"));
            }
        }
        let findings = Check::whole(dir).run(&false.into(), |_, _| {}).map_err(|why| why.to_string())?;
        if findings.is_good() { Ok(()) } else { Err(findings.to_string()) }
    }
}

#[tokio::test]
async fn after_a_power_cut_all_is_there_that_had_been_published() {
    let Some(bus) = PrivateBus::start().filter(|_| may_trace()) else { return };
    let (cuts, seed) = (number("CUTS", SHORT), number("SEED", 1));
    let (kill, ask) = (Signal::KILL, Signal::TERM);
    let recorded = match cuts {
        ..=SHORT => record(&bus, 1, &[kill, ask]).await,
        _ => record(&bus, 3, &[kill, ask, kill, kill, ask]).await,
    };
    let (mut rng, total) = (Rng::new(seed, 0), recorded.disk.operations.len());
    assert!(recorded.heard.len() > 20 && total > 100, "{} events, {total} operations", recorded.heard.len());
    // In memory where that can be: what is checked here is what comes back, and no disk.
    let place = PathBuf::from("/dev/shm");
    let place = if place.is_dir() { place } else { std::env::temp_dir() };
    let mut counts = [0; 3];
    let mut failed = Vec::new();
    for index in 0..cuts {
        // First every prefix where there are enough cuts for that, then any.
        let cut = if index < 2 * total as u64 && cuts >= 4 * total as u64 {
            (index / 2) as usize + 1
        } else {
            1 + rng.below(total as u64) as usize
        };
        let (kind, fate) = match (index % 2 == 0, rng.below(4)) {
            (true, 0 | 1) => (0, Fate::Kept),
            (false, 0) => (1, Fate::Lost),
            _ => (2, Fate::Mixed(seed + index)),
        };
        counts[kind] += 1;
        let dir = tempfile::tempdir_in(&place).unwrap();
        if let Err(why) = recorded.check(cut, fate, dir.path()) {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("powercut").join(index.to_string());
            let _ = fs::remove_dir_all(&kept);
            fs::create_dir_all(&kept).unwrap();
            for (path, bytes) in recorded.disk.after(cut, fate) {
                fs::write(kept.join(path.file_name().expect("a name")), bytes).unwrap();
            }
            failed.push(format!("cut {cut} of {total}, {fate:?}: {why} (kept in {})", kept.display()));
        }
    }
    // What is checked can fail: on a disk that loses what it was asked to sync.
    let unsynced = recorded.without_syncs();
    let lost = (0..20).filter(|index| {
        let dir = tempfile::tempdir_in(&place).unwrap();
        unsynced.check(total - *index, Fate::Mixed(seed), dir.path()).is_err()
    });
    assert!(lost.count() > 10);
    let [all, none, some] = counts;
    println!(
        "{} operations, {} events heard; {cuts} cuts: unsynced writes kept {all}, lost {none}, mixed {some}; {} failed",
        total,
        recorded.heard.len(),
        failed.len()
    );
    failed.iter().for_each(|line| println!("FAILED {line}"));
    assert!(failed.is_empty(), "{} of {cuts} cuts failed, the first: {}", failed.len(), failed[0]);
}
