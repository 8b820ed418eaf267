//! The journal: acknowledged events are there, whatever happens to the process, the disk or the file.

pub mod chained;
mod watched;

use crate::harness::eventually;
use rusqlite::ffi;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
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

/// A random number generator (xorshift), seeded with the time.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        Random(now.as_nanos() as u64 | 1)
    }
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn after_a_kill_the_journal_has_all_acknowledged_events() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut random = Random::new();
    let mut acknowledged = 0;
    for round in 0..30 {
        let mut child = process("append", dir.path()).spawn().expect("a process");
        let mut lines = lines(&mut child);
        let before = acknowledged;
        // Sometimes during the opening, mostly during writing, and then at any moment of a batch.
        for _ in 0..random.below(40) {
            acknowledged = next_line(&mut lines, "stored ").and_then(|text| text.parse().ok()).expect("progress");
        }
        for _ in 0..random.below(200_000) {
            std::hint::spin_loop();
        }
        child.kill().expect("killed");
        while let Some(text) = next_line(&mut lines, "stored ") {
            acknowledged = text.parse().expect("a number");
        }
        child.wait().expect("ended");
        let found = stored(&open(dir.path()));
        let max = acknowledged + batch(acknowledged).len();
        assert!(
            (acknowledged..=max).contains(&found),
            "round {round}: {before} before, {acknowledged} acknowledged, {found} found, seed {}",
            random.0
        );
        acknowledged = found;
    }
    assert!(acknowledged > 200, "only {acknowledged} events: the processes were killed too early for a test");
}

/// The files of a journal at one moment, and the limits of the number of events in them.
struct JournalCopy {
    files: Vec<(String, Vec<u8>)>,
    moment: String,
    acknowledged: usize,
    offered: usize,
}

impl JournalCopy {
    /// Copies the files, except SQLite's index in shared memory, which does not survive a power cut.
    fn take(dir: &Path, moment: String, acknowledged: &AtomicUsize, offered: &AtomicUsize) -> JournalCopy {
        let acknowledged = acknowledged.load(SeqCst);
        let mut files = Vec::new();
        for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-journal"] {
            if let Ok(bytes) = fs::read(dir.join(name)) {
                files.push((name.to_owned(), bytes));
            }
        }
        JournalCopy { files, moment, acknowledged, offered: offered.load(SeqCst) }
    }

    fn log(&mut self) -> Option<&mut Vec<u8>> {
        self.files.iter_mut().find(|(name, _)| name.ends_with("-wal")).map(|(_, bytes)| bytes)
    }

    fn check(&self, dir: &Path) {
        let dir = dir.join("copy");
        fs::create_dir(&dir).expect("made");
        for (name, bytes) in &self.files {
            fs::write(dir.join(name), bytes).expect("written");
        }
        let (journal, notices) = Journal::open(&dir).unwrap_or_else(|error| panic!("{}: {error}", self.moment));
        assert_eq!(notices, [], "{}", self.moment);
        let found = stored(&journal);
        let (low, high) = (self.acknowledged, self.offered);
        assert!((low..=high).contains(&found), "{}: {found} found, {low} acknowledged, {high} offered", self.moment);
        drop(journal);
        fs::remove_dir_all(&dir).expect("removed");
    }
}

#[test]
fn after_a_power_cut_at_any_sync_acknowledged_events_are_there() {
    let dir = tempfile::tempdir().expect("a directory");
    let copies_dir = tempfile::tempdir().expect("a directory");
    let (acknowledged, offered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let copies = Arc::new(Mutex::new(Vec::new()));
    let hook = {
        let (dir, acknowledged, offered) = (dir.path().to_owned(), acknowledged.clone(), offered.clone());
        let copies = copies.clone();
        move |moment: Moment, path: &Path| {
            if moment != Moment::Write {
                let description = format!("{moment:?} of {} after {}", path.display(), acknowledged.load(SeqCst));
                copies.lock().unwrap_or_else(PoisonError::into_inner).push(JournalCopy::take(
                    &dir,
                    description,
                    &acknowledged,
                    &offered,
                ));
            }
            Ok(())
        }
    };
    watched::watch(dir.path(), hook);

    let mut cuts = 0;
    let mut synced = 0;
    let mut check = || {
        let new_copies = std::mem::take(&mut *copies.lock().unwrap_or_else(PoisonError::into_inner));
        for mut copy in new_copies {
            copy.check(copies_dir.path());
            cuts += 1;
            // The power fails while the log is being written: half of the unsynced part is on the disk.
            let growing = copy.moment.starts_with("Before");
            if let Some(log) = copy.log() {
                let length = log.len();
                if growing && length > synced {
                    log.truncate(synced + (length - synced) / 2);
                    copy.moment.push_str(", half of it");
                    copy.check(copies_dir.path());
                    cuts += 1;
                }
                synced = length;
            }
        }
    };
    let journal = open(dir.path());
    check();
    let mut index = 0;
    // Past two checkpoints, after each of which the log is restarted.
    for _ in 0..140 {
        offered.store(index + batch(index).len(), SeqCst);
        index = fill(&journal, index, index + 1);
        acknowledged.store(index, SeqCst);
        check();
    }
    drop(journal);
    check();
    assert_eq!(stored(&open(dir.path())), index);
    assert!(cuts > 350, "only {cuts} syncs were seen");
}

#[test]
fn a_commit_is_one_sync() {
    let dir = tempfile::tempdir().expect("a directory");
    let (log_syncs, main_syncs) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (log, main) = (log_syncs.clone(), main_syncs.clone());
    watched::watch(dir.path(), move |moment, path| {
        let syncs = if path.to_string_lossy().ends_with("-wal") { &log } else { &main };
        syncs.fetch_add(usize::from(moment == Moment::AfterSync), SeqCst);
        Ok(())
    });
    let journal = open(dir.path());
    let initial_syncs = main_syncs.load(SeqCst);
    // After the first commit there is a checkpoint, and the next commit restarts the log.
    let mut index = fill(&journal, 0, 1);
    eventually("the log is written into the main file", || (main_syncs.load(SeqCst) > initial_syncs).then_some(()));
    index = fill(&journal, index, index + 1);
    let mut syncs_by_commit = Vec::new();
    for _ in 0..40 {
        let before = log_syncs.load(SeqCst);
        index = fill(&journal, index, index + 1);
        syncs_by_commit.push(log_syncs.load(SeqCst) - before);
    }
    assert_eq!(syncs_by_commit, vec![1; 40]);
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
fn a_damaged_file_is_set_aside_unchanged_and_reported() {
    let (_, good) = good_journal();
    let mut torn = good.clone();
    torn[8192..12288].fill(0xa5);
    let other = {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("other");
        let connection = rusqlite::Connection::open(&path).expect("a database");
        connection.execute_batch("CREATE TABLE recipes (title TEXT)").expect("a table");
        drop(connection);
        fs::read(path).expect("its bytes")
    };
    let check = |bytes: &[u8], reason: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("journal.sqlite3");
        fs::write(&path, bytes).expect("written");
        let (journal, notices, set_aside) = open_damaged(dir.path());
        let begin = format!("the journal {} cannot be used: {reason}", path.display());
        assert!(notices.starts_with(&begin), "{notices}");
        // The check may have created an empty log and its index.
        let set_aside: Vec<&String> = set_aside.iter().filter(|name| name.ends_with(".sqlite3")).collect();
        let [set_aside] = set_aside[..] else { panic!("set aside: {set_aside:?}") };
        let set_aside = dir.path().join(set_aside);
        let end = format!(
            ". It has been set aside as {}, nothing has been deleted, and a new journal has been created; touchmoved does \
             not know the earlier games any more",
            set_aside.display()
        );
        assert!(notices.ends_with(&end), "{notices}");
        assert_eq!(fs::read(&set_aside).expect("set aside"), bytes, "not a byte of it has changed");
        // The new journal works.
        assert_eq!(fill(&journal, 0, 3), 3);
        drop(journal);
        assert_eq!(stored(&open(dir.path())), 3);
    };
    check(b"", "it is empty");
    check(b"1. e4 e5 2. Nf3 Nc6", "it is not an SQLite database");
    check(&vec![0x5a; 20_000], "it is not an SQLite database");
    check(&good[..4096 * 5], "it is corrupt or truncated: ");
    check(&good[..good.len() - 4096], "it is corrupt or truncated: ");
    check(&good[..50], "it is corrupt or truncated: ");
    check(&torn, "it is corrupt or truncated: ");
    check(&other, "it is a database of another program");
}

#[test]
fn the_log_of_a_damaged_file_is_set_aside_with_it() {
    let (dir, good) = good_journal();
    let file = |name: &str| dir.path().join(format!("journal.sqlite3{name}"));
    // A valid log, of a journal in use.
    let journal = open(dir.path());
    append(&journal, vec![nth(300 / GAME * GAME)]).expect("a game begins");
    let log = fs::read(file("-wal")).expect("a log");
    drop(journal);

    fs::write(file(""), b"").expect("written");
    fs::write(file("-wal"), &log).expect("written");
    fs::write(file("-shm"), b"index").expect("written");
    let (journal, notices, set_aside) = open_damaged(dir.path());
    assert!(notices.contains("it is empty"), "{notices}");
    let suffixes: Vec<&str> = set_aside.iter().map(|name| &name[name.len() - 4..]).collect();
    assert_eq!(suffixes, ["ite3", "-shm", "-wal"]);
    assert_eq!(fs::read(dir.path().join(&set_aside[2])).expect("its log"), log);
    drop(journal);

    // A log whose file is missing; for the second time in the same second.
    fs::remove_file(file("")).expect("removed");
    fs::write(file("-wal"), &log).expect("written");
    let (journal, notices, set_aside) = open_damaged(dir.path());
    assert!(notices.contains("the main file is missing"), "{notices}");
    assert_eq!(set_aside.len(), 4, "{set_aside:?}");
    drop(journal);

    // A log that is none: the journal itself is good up to its last checkpoint.
    fs::write(file(""), &good).expect("written");
    fs::write(file("-wal"), b"this was never a write-ahead log").expect("written");
    let (journal, notices, set_aside) = open_damaged(dir.path());
    assert!(
        notices.starts_with("the journal's write-ahead log ") && notices.contains("the last moves may be missing\n"),
        "{notices}"
    );
    assert_eq!(set_aside.len(), 5, "{set_aside:?}");
    assert!(stored(&journal) >= 300);
}

#[test]
fn a_path_that_is_not_a_file_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("journal.sqlite3");
    fs::create_dir(&path).expect("made");
    let error = Journal::open(dir.path()).err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!("{} is not a file: move it away, and touchmoved creates a new journal there", path.display())
    );
    let file = dir.path().join("file");
    fs::write(&file, b"").expect("written");
    let error = Journal::open(&file).err().expect("refused").to_string();
    assert!(error.starts_with(&format!("cannot create {}: ", file.display())), "{error}");
}

#[test]
fn a_file_of_another_user_is_refused_with_advice() {
    let (dir, _) = good_journal();
    let set = |name: &str, mode| {
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).expect("mode set");
    };
    set("", 0o777);
    set("journal.lock", 0o666);
    set("journal.sqlite3", 0o400);
    let mut command = process("open", dir.path());
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return eprintln!("skipped: another user cannot run this test: {error}"),
    };
    let message = next_line(&mut lines(&mut child), "error ").expect("refused");
    child.wait().expect("ended");
    let path = dir.path().join("journal.sqlite3");
    assert_eq!(
        message,
        format!(
            "cannot open {}: Permission denied (os error 13) (it must belong to the user that touchmoved runs as)",
            path.display()
        )
    );
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let (dir, _) = good_journal();
    let path = dir.path().join("journal.sqlite3");
    rusqlite::Connection::open(&path).and_then(|newer| newer.pragma_update(None, "user_version", 7)).expect("newer");
    let before = fs::read(&path).expect("read");
    let error = Journal::open(dir.path()).err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "{} has schema 7, but this touchmove knows schemas only up to 2: a later version wrote it. Install that version \
             again, or give another state directory; the file has not been changed",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).expect("read"), before);
    assert!(
        fs::read_dir(dir.path())
            .expect("listed")
            .all(|entry| { !entry.expect("an entry").file_name().to_string_lossy().starts_with("journal-damaged") })
    );
}

#[test]
fn an_unreadable_event_ends_its_game_and_is_reported() {
    let (dir, _) = good_journal();
    let before = open(dir.path()).incarnation();
    let path = dir.path().join("journal.sqlite3");
    let edit = rusqlite::Connection::open(&path).expect("open");
    edit.execute("UPDATE event SET event = '{}' WHERE game = 2 AND number = 5", []).expect("edited");
    drop(edit);
    let (journal, notices, _) = open_damaged(dir.path());
    assert!(notices.contains("published events are missing or changed in game 2 (after its event 4)"), "{notices}");
    assert_eq!(journal.incarnation().last_good, [(2, 4)]);
    assert_ne!(journal.incarnation().id, before.id);
    let good: Vec<StampedEvent> = (GAME..GAME + 4).map(nth).collect();
    assert_eq!(journal.events(2, 0).expect("what is good"), good);
    assert_eq!(journal.events(2, 3).expect("what is good"), good[3..]);
    drop(journal);
    // It is reported once.
    assert_eq!(open(dir.path()).incarnation().last_good, [(2, 4)]);
}

#[test]
fn damage_to_an_open_journal_is_reported() {
    let (dir, _) = good_journal();
    let journal = open(dir.path());
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET event = '{}' WHERE game = 2 AND number = 5", []).expect("edited");
    let error = journal.events(2, 0).expect_err("refused").to_string();
    assert_eq!(error, "event 5 of game 2 in the journal cannot be read: it has been changed: its checksum does not match");
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
fn a_backup_during_writing_has_the_first_events() {
    let dir = tempfile::tempdir().expect("a directory");
    let backups = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let stored_so_far = AtomicUsize::new(fill(&journal, 0, 100));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(SeqCst) {
                let index = stored_so_far.load(SeqCst);
                stored_so_far.store(fill(&journal, index, index + 1), SeqCst);
            }
        });
        for round in 0..8 {
            let copy = backups.path().join(format!("{round}"));
            fs::create_dir(&copy).expect("made");
            let file = copy.join("journal.sqlite3");
            let before = stored_so_far.load(SeqCst);
            let mut progress = (0, 0);
            // As another process does, and within the process.
            if round % 2 == 0 {
                journal::backup(dir.path(), &file, |done, total| progress = (done, total)).expect("a backup");
                assert!(progress.0 == progress.1 && progress.1 > 0, "{progress:?}");
            } else {
                journal.backup(&file).expect("a backup");
            }
            let after = stored_so_far.load(SeqCst) + 3;
            assert_eq!(fs::read_dir(&copy).expect("listed").count(), 1, "one file");
            let found = stored(&open(&copy));
            assert!((before..=after).contains(&found), "{before} {found} {after}");
        }
        done.store(true, SeqCst);
    });
}

#[test]
fn failed_backups_give_the_reason() {
    let (dir, _) = good_journal();
    let existing = dir.path().join("taken");
    fs::write(&existing, b"precious").expect("written");
    let check = |from: &Path, to: &Path, expect: String| {
        let error = journal::backup(from, to, |_, _| {}).expect_err("refused").to_string();
        assert!(error.starts_with(&expect), "{error}\nexpected: {expect}");
    };
    check(
        dir.path(),
        &existing,
        format!("{} already exists: give another file for the backup; nothing has been overwritten", existing.display()),
    );
    assert_eq!(fs::read(&existing).expect("read"), b"precious");
    let empty = tempfile::tempdir().expect("a directory");
    check(
        empty.path(),
        &dir.path().join("new"),
        format!("there is no journal in {}: give the state directory of touchmoved", empty.path().display()),
    );
    let nowhere = dir.path().join("no/such/file");
    check(dir.path(), &nowhere, format!("cannot create {}.part-", nowhere.display()));
    fs::write(empty.path().join("journal.sqlite3"), b"1. e4 e5").expect("written");
    check(empty.path(), &dir.path().join("new"), "the journal is damaged (it is not an SQLite database)".to_owned());
    assert!(!dir.path().join("new").exists());
}

#[test]
fn touchmovectl_backup_reads_its_arguments_and_writes_the_file() {
    use clap::{Args, FromArgMatches};
    let command = touchmove::ctl::backup::Args::augment_args(clap::Command::new("backup"));
    command.clone().debug_assert();
    let (dir, _) = good_journal();
    let copy = tempfile::tempdir().expect("a directory");
    let file = copy.path().join("journal.sqlite3");
    let words = ["backup".as_ref(), "--state-dir".as_ref(), dir.path().as_os_str(), file.as_os_str()];
    let matches = command.try_get_matches_from(words).expect("arguments");
    let args = touchmove::ctl::backup::Args::from_arg_matches(&matches).expect("arguments");
    touchmove::ctl::backup::run(args).expect("a backup");
    assert!(stored(&open(copy.path())) >= 300);
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
