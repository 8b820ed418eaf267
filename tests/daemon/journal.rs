//! The journal: acknowledged events are there, whatever happens to the process, the disk or the file.

mod backup;
pub mod chained;
mod crash;
mod damage;
mod group;
mod remote;
mod watched;

use crate::harness::eventually;
use rusqlite::ffi;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use touchmove::daemon::journal::{self, Journal, JournalError};
use touchmove::game::event::{ClockTimes, Rotation};
use touchmove::game::{
    ClockTime, Command as ArbiterCommand, CompletedBy, Confidence, Event, GameResult, PlayedMove, ResultReason, StampedEvent,
};
use watched::Moment;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Events in each game of [`nth`].
const GAME: usize = 20;
/// The environment variables that tell a child process of this test its role and its directory.
const ROLE: &str = "TOUCHMOVE_TEST_JOURNAL_ROLE";
const DIR: &str = "TOUCHMOVE_TEST_JOURNAL_DIR";

/// The event number `index`, from 0, of those that every test here stores: games of twenty events.
fn nth(index: usize) -> StampedEvent {
    let number = index % GAME + 1;
    let time = |ms| Some(ClockTime { ms, resolution_ms: 1000, age_ms: 40 });
    let event = match number {
        1 => {
            Event::GameStarted { fen: START.into(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright }
        }
        GAME => Event::Result { result: Some(GameResult::Draw), reason: ResultReason::KingsSignal },
        7 => Event::Commanded { command: ArbiterCommand::TakeBack { plies: 1 }, by: format!("uid {index}") },
        number if number % 2 == 0 => Event::MoveMade {
            ply: number as u32 / 2,
            played: PlayedMove {
                uci: "e2e4".into(),
                san: format!("e{index}"),
                fen: START.into(),
                irregular: false,
                evidence: Vec::new(),
            },
            confidence: Confidence(998),
            alternatives: Vec::new(),
        },
        number => Event::MoveCompleted {
            ply: number as u32 / 2,
            by: CompletedBy::Clock,
            clocks: ClockTimes { white: time(index as u32 * 1000), black: None },
        },
    };
    StampedEvent { at: index as u64 * 100, number: Some(number as u64), event }
}

/// One, two or three events from number `index` on.
fn batch(index: usize) -> Vec<StampedEvent> {
    (index..index + 1 + index % 3).map(nth).collect()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(work)
}

fn open(dir: &Path) -> Journal {
    let (journal, notices) = Journal::open(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    assert_eq!(notices, [], "{}", dir.display());
    journal
}

/// The number of events in the journal; panics unless they are the first ones of [`nth`], game after game.
fn stored(journal: &Journal) -> usize {
    let games = journal.games().expect("games");
    let mut events = Vec::new();
    for (index, game) in games.iter().enumerate() {
        assert_eq!(game.id, index as u64 + 1);
        events.extend(journal.events(game.id, 0).expect("events"));
        assert_eq!(events.last().and_then(|last| last.number), Some(game.last_number));
    }
    for (index, event) in events.iter().enumerate() {
        assert_eq!(*event, nth(index));
    }
    events.len()
}

fn append(journal: &Journal, events: Vec<StampedEvent>) -> Result<Vec<u64>, JournalError> {
    run(journal.append("b1", 1_000_000, events)).map(|stored| stored.games)
}

/// Stores events from number `from` up to at least `to`; returns how many are stored then.
fn fill(journal: &Journal, mut from: usize, to: usize) -> usize {
    while from < to {
        let events = batch(from);
        let count = events.len();
        let games = append(journal, events).expect("stored");
        let expect: Vec<u64> = (from..from + count).map(|index| (index / GAME) as u64 + 1).collect();
        assert_eq!(games, expect);
        from += count;
    }
    from
}

#[test]
fn games_come_back_as_they_were_stored() {
    let dir = tempfile::tempdir().expect("a directory");
    let state = dir.path().join("new/state");
    let journal = open(&state);
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o750);
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.lock"] {
        assert_eq!(mode(&state.join(name)), 0o640, "{name}");
    }

    assert!(append(&journal, Vec::new()).expect("nothing to do").is_empty());
    assert_eq!(journal.last_game("b1").expect("read"), None);
    let first = StampedEvent { at: 500, ..nth(0) };
    let second = StampedEvent { at: 700, ..nth(1) };
    assert_eq!(run(journal.append("b1", 10_700, vec![first.clone(), second.clone()])).expect("stored").games, [1, 1]);
    assert_eq!(run(journal.append("b2", 20_000, vec![nth(0)])).expect("stored").games, [2]);
    let third = nth(2);
    assert_eq!(run(journal.append("b1", 11_000, vec![third.clone(), nth(0), nth(1)])).expect("stored").games, [1, 3, 3]);
    drop(journal);

    let journal = open(&state);
    let last = journal.last_game("b1").expect("read").expect("a game");
    assert_eq!((last.id, last.board.as_str(), last.events), (3, "b1", vec![nth(0), nth(1)]));
    assert_eq!((last.started_wall_ms, last.epoch_wall_ms), (10_900, 10_900));
    assert_eq!(journal.events(1, 0).expect("read"), [first, second.clone(), third.clone()]);
    assert_eq!(journal.events(1, 1).expect("read"), [second, third]);
    assert_eq!(journal.events(9, 0).expect("read"), []);
    let games = journal.games().expect("read");
    let summaries: Vec<_> = games.iter().map(|game| (game.id, game.board.as_str(), game.last_number)).collect();
    assert_eq!(summaries, [(1, "b1", 3), (2, "b2", 1), (3, "b1", 2)]);
    assert_eq!((games[0].started_wall_ms, games[0].result), (10_500, None));

    // Numbers continue.
    let result = StampedEvent { at: 900, number: Some(3), event: nth(GAME - 1).event };
    assert_eq!(run(journal.append("b1", 12_000, vec![result])).expect("stored").games, [3]);
    assert_eq!(journal.games().expect("read")[2].result, Some(GameResult::Draw));
}

#[test]
fn events_out_of_order_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let check = |events: Vec<StampedEvent>, expect: &str| {
        let error = append(&journal, events).expect_err("refused");
        assert_eq!(error.to_string(), expect);
        assert!(!error.is_retryable());
    };
    check(vec![nth(1)], "event 2 of board b1 is out of order: number 1 is next");
    check(vec![nth(0), nth(2)], "event 3 of board b1 is out of order: number 2 is next");
    fill(&journal, 0, 2);
    check(vec![nth(1)], "event 2 of board b1 is out of order: number 4 is next");
    check(vec![StampedEvent { number: Some(2), ..nth(0) }], "event 2 of board b1 is out of order: number 1 is next");
    let transient = Event::Link(touchmove::boards::LinkState::Up);
    check(
        vec![StampedEvent { at: 0, number: None, event: transient }],
        "event 0 of board b1 is out of order: number 4 is next",
    );
    assert_eq!(stored(&journal), 3, "of a refused batch nothing is stored");
}

/// Not a test of its own: the work of the child processes that other tests start.
#[test]
fn child_process_role() {
    let (Ok(role), Some(dir)) = (std::env::var(ROLE), std::env::var_os(DIR)) else { return };
    let dir = PathBuf::from(dir);
    let print = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).expect("the parent reads");
    };
    match role.as_str() {
        "append" => {
            let journal = open(&dir);
            let mut index = stored(&journal);
            print(format!("stored {index}"));
            loop {
                index = fill(&journal, index, index + 1);
                print(format!("stored {index}"));
            }
        }
        "hold" => {
            let _journal = open(&dir);
            print("open".to_owned());
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        "open" => match Journal::open(&dir) {
            Ok(_) => print("opened".to_owned()),
            Err(error) => print(format!("error {error}")),
        },
        other => panic!("no role {other}"),
    }
}

fn process(role: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "daemon::journal::child_process_role", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(DIR, dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The rest of the next line that contains this word; the test harness prints other lines in between.
fn next_line(lines: &mut impl Iterator<Item = std::io::Result<String>>, word: &str) -> Option<String> {
    lines.map_while(Result::ok).find_map(|line| {
        // The harness ends its own line only after the test.
        let at = line.find(word)?;
        Some(line[at + word.len()..].trim().to_owned())
    })
}

fn lines(child: &mut Child) -> std::io::Lines<BufReader<std::process::ChildStdout>> {
    BufReader::new(child.stdout.take().expect("its output")).lines()
}

/// Opens a journal that has a bad file; returns its notices and the names of the files set aside.
fn open_damaged(dir: &Path) -> (Journal, String, Vec<String>) {
    let (journal, notices) = Journal::open(dir).unwrap_or_else(|error| panic!("{error}"));
    let notices_text: Vec<String> = notices.iter().map(ToString::to_string).collect();
    let mut set_aside: Vec<String> = fs::read_dir(dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("journal-damaged-"))
        .collect();
    set_aside.sort();
    (journal, notices_text.join("\n"), set_aside)
}

/// A directory with a journal of 300 events, closed, and its bytes.
fn good_journal() -> (tempfile::TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().expect("a directory");
    fill(&open(dir.path()), 0, 300);
    let bytes = fs::read(dir.path().join("journal.sqlite3")).expect("the journal");
    assert!(bytes.len() > 40_000 && !dir.path().join("journal.sqlite3-wal").exists());
    (dir, bytes)
}

#[test]
fn a_full_disk_loses_and_duplicates_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    // The number of writes that still succeed; then all fail until there is space again.
    let space = Arc::new(AtomicUsize::new(usize::MAX));
    let remaining = space.clone();
    watched::watch(dir.path(), move |moment, _| match moment {
        Moment::Write => remaining
            .fetch_update(SeqCst, SeqCst, |remaining| (remaining > 0).then(|| remaining.saturating_sub(1)))
            .map(drop)
            .map_err(|_| ffi::SQLITE_FULL),
        _ => Ok(()),
    });
    let journal = open(dir.path());
    let mut index = fill(&journal, 0, 10);
    let mut refused = 0;
    for round in 0..200 {
        space.store(round % 5, SeqCst);
        let events = batch(index);
        let count = events.len();
        match append(&journal, events) {
            Ok(_) => index += count,
            Err(error) => {
                assert!(matches!(error, JournalError::Full) && error.is_retryable(), "{error}");
                assert_eq!(
                    error.to_string(),
                    "the disk is full: free some space in the state directory; no move is published until it can be stored"
                );
                assert_eq!(stored(&journal), index);
                space.store(usize::MAX, SeqCst);
                // The hub retries with the same events.
                index = fill(&journal, index, index + 1);
                refused += 1;
            }
        }
    }
    assert!(refused > 50, "only {refused} were refused");
    space.store(usize::MAX, SeqCst);
    assert_eq!(stored(&journal), index);
    drop(journal);
    assert_eq!(stored(&open(dir.path())), index);
}

#[test]
fn a_disk_that_fails_to_sync_loses_and_duplicates_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let broken = Arc::new(AtomicBool::new(false));
    let failing = broken.clone();
    watched::watch(dir.path(), move |moment, _| {
        if moment == Moment::BeforeSync && failing.load(SeqCst) { Err(ffi::SQLITE_IOERR_FSYNC) } else { Ok(()) }
    });
    let journal = open(dir.path());
    let mut index = fill(&journal, 0, 10);
    for _ in 0..10 {
        broken.store(true, SeqCst);
        let error = append(&journal, batch(index)).expect_err("refused");
        assert!(error.to_string().starts_with("cannot write to the journal: disk I/O error"), "{error}");
        assert_eq!(stored(&journal), index);
        broken.store(false, SeqCst);
        index = fill(&journal, index, index + 1);
    }
    drop(journal);
    assert_eq!(stored(&open(dir.path())), index);
}

#[test]
fn a_log_without_a_checkpoint_keeps_everything() {
    let dir = tempfile::tempdir().expect("a directory");
    let full = Arc::new(AtomicBool::new(false));
    let main_full = full.clone();
    watched::watch(dir.path(), move |moment, path| {
        let main = path.to_string_lossy().ends_with(".sqlite3");
        if moment == Moment::Write && main && main_full.load(SeqCst) { Err(ffi::SQLITE_FULL) } else { Ok(()) }
    });
    let journal = open(dir.path());
    full.store(true, SeqCst);
    let index = fill(&journal, 0, 400);
    assert_eq!(stored(&journal), index);
    drop(journal);
    full.store(false, SeqCst);
    assert_eq!(stored(&open(dir.path())), index);
}

#[test]
fn the_error_of_a_second_touchmoved_names_the_first_process() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = process("hold", dir.path()).spawn().expect("a process");
    next_line(&mut lines(&mut child), "open").expect("open");
    let error = Journal::open(dir.path()).err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "{} is in use by another touchmoved (process {}): stop that process, or give another state directory",
            dir.path().join("journal.sqlite3").display(),
            child.id()
        )
    );
    child.kill().expect("killed");
    child.wait().expect("ended");
    open(dir.path());
}

#[test]
fn a_transaction_of_another_program_delays_the_journal_and_is_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let mut index = fill(&journal, 0, 10);
    let shell = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    shell.execute_batch("BEGIN IMMEDIATE").expect("held");
    let error = append(&journal, batch(index)).expect_err("refused");
    assert!(error.is_retryable() && error.to_string().contains("perhaps an sqlite3 shell"), "{error}");
    shell.execute_batch("ROLLBACK").expect("let go");
    index = fill(&journal, index, index + 1);
    assert_eq!(stored(&journal), index);
}

#[test]
fn accepted_events_are_written_before_the_journal_closes() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    run(async {
        // Cancelled after the batch was handed over: all of it is stored, or nothing.
        let _ = tokio::time::timeout(Duration::ZERO, journal.append("b1", 0, batch(0))).await;
    });
    drop(journal);
    let found = stored(&open(dir.path()));
    assert!(found == 0 || found == batch(0).len(), "{found}");
}
