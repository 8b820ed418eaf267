//! The journal: what was acknowledged is there, whatever happens to the process, the disk or the file.

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
    ClockTime, Command as Asked, CompletedBy, Confidence, Event, GameResult, PlayedMove, ResultReason, StampedEvent,
};
use watched::Moment;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Events in each game of [`nth`].
const GAME: usize = 20;
/// Says to a process of this test what it is to be.
const ROLE: &str = "TOUCHMOVE_TEST_JOURNAL_ROLE";
const DIR: &str = "TOUCHMOVE_TEST_JOURNAL_DIR";

/// The events that every test here stores, from the 0th: games of twenty.
fn nth(index: usize) -> StampedEvent {
    let number = index % GAME + 1;
    let time = |ms| Some(ClockTime { ms, resolution_ms: 1000, age_ms: 40 });
    let event = match number {
        1 => {
            Event::GameStarted { fen: START.into(), chess960: Some(518), laws: "fide-2023".into(), rotation: Rotation::Upright }
        }
        GAME => Event::Result { result: Some(GameResult::Draw), reason: ResultReason::KingsSignal },
        7 => Event::Commanded { command: Asked::TakeBack(1), by: format!("uid {index}") },
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

/// From the `index`th on, one, two or three of them.
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

/// Everything in it, game after game; panics unless it is the beginning of what [`nth`] gives.
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

/// Stores events up to at least this many.
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
    let told: Vec<_> = games.iter().map(|game| (game.id, game.board.as_str(), game.last_number)).collect();
    assert_eq!(told, [(1, "b1", 3), (2, "b2", 1), (3, "b1", 2)]);
    assert_eq!((games[0].started_wall_ms, games[0].result), (10_500, None));

    // The numbers go on where they were.
    let result = StampedEvent { at: 900, number: Some(3), event: nth(GAME - 1).event };
    assert_eq!(run(journal.append("b1", 12_000, vec![result])).expect("stored").games, [3]);
    assert_eq!(journal.games().expect("read")[2].result, Some(GameResult::Draw));
}

#[test]
fn what_does_not_follow_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let check = |events: Vec<StampedEvent>, expect: &str| {
        let error = append(&journal, events).expect_err("refused");
        assert_eq!(error.to_string(), expect);
        assert!(!error.is_retryable());
    };
    check(vec![nth(1)], "event 2 of board b1 does not follow: number 1 is next");
    check(vec![nth(0), nth(2)], "event 3 of board b1 does not follow: number 2 is next");
    fill(&journal, 0, 2);
    check(vec![nth(1)], "event 2 of board b1 does not follow: number 4 is next");
    check(vec![StampedEvent { number: Some(2), ..nth(0) }], "event 2 of board b1 does not follow: number 1 is next");
    let touched = Event::Link(touchmove::boards::LinkState::Up);
    check(vec![StampedEvent { at: 0, number: None, event: touched }], "event 0 of board b1 does not follow: number 4 is next");
    assert_eq!(stored(&journal), 3, "of a refused batch nothing is stored");
}

/// Not a test of its own: what the processes that other tests start do.
#[test]
fn in_a_process_of_its_own() {
    let (Ok(role), Some(dir)) = (std::env::var(ROLE), std::env::var_os(DIR)) else { return };
    let dir = PathBuf::from(dir);
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).expect("somebody listens");
    };
    match role.as_str() {
        "append" => {
            let journal = open(&dir);
            let mut index = stored(&journal);
            say(format!("stored {index}"));
            loop {
                index = fill(&journal, index, index + 1);
                say(format!("stored {index}"));
            }
        }
        "hold" => {
            let _journal = open(&dir);
            say("open".to_owned());
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        "open" => match Journal::open(&dir) {
            Ok(_) => say("opened".to_owned()),
            Err(error) => say(format!("error {error}")),
        },
        other => panic!("no role {other}"),
    }
}

fn process(role: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "journal::in_a_process_of_its_own", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(DIR, dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The next line with this word first; the test harness talks in between.
fn heard(lines: &mut impl Iterator<Item = std::io::Result<String>>, word: &str) -> Option<String> {
    lines.map_while(Result::ok).find_map(|line| {
        // The harness ends its own line only after the test.
        let at = line.find(word)?;
        Some(line[at + word.len()..].trim().to_owned())
    })
}

fn lines(child: &mut Child) -> std::io::Lines<BufReader<std::process::ChildStdout>> {
    BufReader::new(child.stdout.take().expect("its output")).lines()
}

/// Numbers below `bound`, another row for every seed.
struct Dice(u64);

impl Dice {
    fn new() -> Dice {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        Dice(now.as_nanos() as u64 | 1)
    }
    fn throw(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[test]
fn killed_at_any_moment_it_has_all_that_was_acknowledged_and_no_more() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut dice = Dice::new();
    let mut acknowledged = 0;
    for round in 0..30 {
        let mut child = process("append", dir.path()).spawn().expect("a process");
        let mut lines = lines(&mut child);
        let before = acknowledged;
        // Sometimes while it opens, mostly while it writes; then not at the end of a batch but somewhere in the next.
        for _ in 0..dice.throw(40) {
            acknowledged = heard(&mut lines, "stored ").and_then(|text| text.parse().ok()).expect("progress");
        }
        for _ in 0..dice.throw(200_000) {
            std::hint::spin_loop();
        }
        child.kill().expect("killed");
        while let Some(text) = heard(&mut lines, "stored ") {
            acknowledged = text.parse().expect("a number");
        }
        child.wait().expect("gone");
        let found = stored(&open(dir.path()));
        let most = acknowledged + batch(acknowledged).len();
        assert!(
            (acknowledged..=most).contains(&found),
            "round {round}: {before} before, {acknowledged} acknowledged, {found} found, seed {}",
            dice.0
        );
        acknowledged = found;
    }
    assert!(acknowledged > 200, "only {acknowledged} events: the processes were killed too early to tell anything");
}

/// The files of a journal at one moment, and how many events it may hold.
struct Copy {
    files: Vec<(String, Vec<u8>)>,
    moment: String,
    acknowledged: usize,
    offered: usize,
}

impl Copy {
    /// The files but for SQLite's index in shared memory, which does not survive a power cut.
    fn take(dir: &Path, moment: String, acknowledged: &AtomicUsize, offered: &AtomicUsize) -> Copy {
        let acknowledged = acknowledged.load(SeqCst);
        let mut files = Vec::new();
        for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-journal"] {
            if let Ok(bytes) = fs::read(dir.join(name)) {
                files.push((name.to_owned(), bytes));
            }
        }
        Copy { files, moment, acknowledged, offered: offered.load(SeqCst) }
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
fn cut_at_every_sync_it_opens_to_what_had_been_acknowledged() {
    let dir = tempfile::tempdir().expect("a directory");
    let copies_dir = tempfile::tempdir().expect("a directory");
    let (acknowledged, offered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let copies = Arc::new(Mutex::new(Vec::new()));
    let hook = {
        let (dir, acknowledged, offered) = (dir.path().to_owned(), acknowledged.clone(), offered.clone());
        let copies = copies.clone();
        move |moment: Moment, path: &Path| {
            if moment != Moment::Write {
                let told = format!("{moment:?} of {} after {}", path.display(), acknowledged.load(SeqCst));
                copies.lock().unwrap_or_else(PoisonError::into_inner).push(Copy::take(&dir, told, &acknowledged, &offered));
            }
            Ok(())
        }
    };
    watched::watch(dir.path(), hook);

    let mut cuts = 0;
    let mut synced = 0;
    let mut check = || {
        let taken = std::mem::take(&mut *copies.lock().unwrap_or_else(PoisonError::into_inner));
        for mut copy in taken {
            copy.check(copies_dir.path());
            cuts += 1;
            // The power goes while the log is being written: half of what is not synced yet has arrived.
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
    // Past two tidyings, each followed by a log that begins anew.
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
    let (of_log, of_main) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (log, main) = (of_log.clone(), of_main.clone());
    watched::watch(dir.path(), move |moment, path| {
        let syncs = if path.to_string_lossy().ends_with("-wal") { &log } else { &main };
        syncs.fetch_add(usize::from(moment == Moment::AfterSync), SeqCst);
        Ok(())
    });
    let journal = open(dir.path());
    let opened = of_main.load(SeqCst);
    // After the first commit what was there is tidied up, and the commit after that begins the log anew.
    let mut index = fill(&journal, 0, 1);
    eventually("the log is written into the main file", || (of_main.load(SeqCst) > opened).then_some(()));
    index = fill(&journal, index, index + 1);
    let mut each = Vec::new();
    for _ in 0..40 {
        let before = of_log.load(SeqCst);
        index = fill(&journal, index, index + 1);
        each.push(of_log.load(SeqCst) - before);
    }
    assert_eq!(each, vec![1; 40]);
}

/// What a journal with a bad file in its place says, and the names of the files set aside.
fn opened(dir: &Path) -> (Journal, String, Vec<String>) {
    let (journal, notices) = Journal::open(dir).unwrap_or_else(|error| panic!("{error}"));
    let told: Vec<String> = notices.iter().map(ToString::to_string).collect();
    let mut aside: Vec<String> = fs::read_dir(dir)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("journal-damaged-"))
        .collect();
    aside.sort();
    (journal, told.join("\n"), aside)
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
fn a_damaged_file_is_set_aside_whole_and_said_so() {
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
    let check = |bytes: &[u8], why: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("journal.sqlite3");
        fs::write(&path, bytes).expect("written");
        let (journal, told, aside) = opened(dir.path());
        let begin = format!("the journal {} cannot be used: {why}", path.display());
        assert!(told.starts_with(&begin), "{told}");
        // Looking into it may have put an empty log and its index beside it.
        let aside: Vec<&String> = aside.iter().filter(|name| name.ends_with(".sqlite3")).collect();
        let [aside] = aside[..] else { panic!("set aside: {aside:?}") };
        let aside = dir.path().join(aside);
        let end = format!(
            ". It has been set aside as {} with nothing deleted, and a new journal has been begun; games played before are \
             not known to touchmoved any more",
            aside.display()
        );
        assert!(told.ends_with(&end), "{told}");
        assert_eq!(fs::read(&aside).expect("set aside"), bytes, "not a byte of it has changed");
        // And it works.
        assert_eq!(fill(&journal, 0, 3), 3);
        drop(journal);
        assert_eq!(stored(&open(dir.path())), 3);
    };
    check(b"", "it is empty");
    check(b"1. e4 e5 2. Nf3 Nc6", "it is not an SQLite database");
    check(&vec![0x5a; 20_000], "it is not an SQLite database");
    check(&good[..4096 * 5], "it is torn or cut short: ");
    check(&good[..good.len() - 4096], "it is torn or cut short: ");
    check(&good[..50], "it is torn or cut short: ");
    check(&torn, "it is torn or cut short: ");
    check(&other, "it is a database of another program");
}

#[test]
fn what_lies_beside_a_damaged_file_goes_with_it() {
    let (dir, good) = good_journal();
    let beside = |name: &str| dir.path().join(format!("journal.sqlite3{name}"));
    // The log of a journal in use: a valid one.
    let journal = open(dir.path());
    append(&journal, vec![nth(300 / GAME * GAME)]).expect("a game begins");
    let log = fs::read(beside("-wal")).expect("a log");
    drop(journal);

    fs::write(beside(""), b"").expect("written");
    fs::write(beside("-wal"), &log).expect("written");
    fs::write(beside("-shm"), b"index").expect("written");
    let (journal, told, aside) = opened(dir.path());
    assert!(told.contains("it is empty"), "{told}");
    let ends: Vec<&str> = aside.iter().map(|name| &name[name.len() - 4..]).collect();
    assert_eq!(ends, ["ite3", "-shm", "-wal"]);
    assert_eq!(fs::read(dir.path().join(&aside[2])).expect("its log"), log);
    drop(journal);

    // A log whose file is gone; and at the same second a second time.
    fs::remove_file(beside("")).expect("removed");
    fs::write(beside("-wal"), &log).expect("written");
    let (journal, told, aside) = opened(dir.path());
    assert!(told.contains("the main file is missing"), "{told}");
    assert_eq!(aside.len(), 4, "{aside:?}");
    drop(journal);

    // A log that is no log: the journal itself is good up to its last tidying.
    fs::write(beside(""), &good).expect("written");
    fs::write(beside("-wal"), b"this was never a write-ahead log").expect("written");
    let (journal, told, aside) = opened(dir.path());
    assert!(told.starts_with("the journal's write-ahead log ") && told.contains("the last moves may be missing\n"), "{told}");
    assert_eq!(aside.len(), 5, "{aside:?}");
    assert!(stored(&journal) >= 300);
}

#[test]
fn something_else_in_its_place_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("journal.sqlite3");
    fs::create_dir(&path).expect("made");
    let error = Journal::open(dir.path()).err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!("{} is not a file: move it away, touchmoved will begin a new journal there", path.display())
    );
    let file = dir.path().join("file");
    fs::write(&file, b"").expect("written");
    let error = Journal::open(&file).err().expect("refused").to_string();
    assert!(error.starts_with(&format!("cannot create {}: ", file.display())), "{error}");
}

#[test]
fn a_file_of_another_user_is_refused_with_what_to_do() {
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
    let message = heard(&mut lines(&mut child), "error ").expect("refused");
    child.wait().expect("gone");
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
            "{} has schema 7, and this touchmove knows schemas up to 2: a later touchmove has written it. Install that version \
             again, or name another state directory; the file has not been changed",
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
fn an_event_that_cannot_be_read_ends_its_game_and_is_said() {
    let (dir, _) = good_journal();
    let before = open(dir.path()).incarnation();
    let path = dir.path().join("journal.sqlite3");
    let edit = rusqlite::Connection::open(&path).expect("open");
    edit.execute("UPDATE event SET event = '{}' WHERE game = 2 AND number = 5", []).expect("edited");
    drop(edit);
    let (journal, told, _) = opened(dir.path());
    assert!(told.contains("published events are missing or changed in game 2 (after its event 4)"), "{told}");
    assert_eq!(journal.incarnation().last_good, [(2, 4)]);
    assert_ne!(journal.incarnation().id, before.id);
    let good: Vec<StampedEvent> = (GAME..GAME + 4).map(nth).collect();
    assert_eq!(journal.events(2, 0).expect("what is good"), good);
    assert_eq!(journal.events(2, 3).expect("what is good"), good[3..]);
    drop(journal);
    // It is said once.
    assert_eq!(open(dir.path()).incarnation().last_good, [(2, 4)]);
}

#[test]
fn damage_while_it_is_open_is_named() {
    let (dir, _) = good_journal();
    let journal = open(dir.path());
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET event = '{}' WHERE game = 2 AND number = 5", []).expect("edited");
    let error = journal.events(2, 0).expect_err("refused").to_string();
    assert_eq!(error, "event 5 of game 2 in the journal cannot be read: it is not what was written: its checksum does not fit");
}

#[test]
fn a_full_disk_loses_and_doubles_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    // Writes that still succeed; then none does until there is space again.
    let space = Arc::new(AtomicUsize::new(usize::MAX));
    let left = space.clone();
    watched::watch(dir.path(), move |moment, _| match moment {
        Moment::Write => left
            .fetch_update(SeqCst, SeqCst, |left| (left > 0).then(|| left.saturating_sub(1)))
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
                // The same events again, as the hub does.
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
fn a_disk_that_fails_to_sync_loses_and_doubles_nothing() {
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
fn a_log_that_cannot_be_tidied_up_keeps_everything() {
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
fn a_second_touchmoved_is_told_who_has_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = process("hold", dir.path()).spawn().expect("a process");
    heard(&mut lines(&mut child), "open").expect("open");
    let error = Journal::open(dir.path()).err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "{} is in use by another touchmoved (process {}): stop that one, or name another state directory",
            dir.path().join("journal.sqlite3").display(),
            child.id()
        )
    );
    child.kill().expect("killed");
    child.wait().expect("gone");
    open(dir.path());
}

#[test]
fn another_program_with_an_open_transaction_is_waited_for_or_named() {
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
fn a_backup_taken_while_writing_is_a_prefix() {
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
            let mut told = (0, 0);
            // As another process does it, and from within.
            if round % 2 == 0 {
                journal::backup(dir.path(), &file, |done, total| told = (done, total)).expect("a backup");
                assert!(told.0 == told.1 && told.1 > 0, "{told:?}");
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
fn backups_that_cannot_be_say_why() {
    let (dir, _) = good_journal();
    let taken = dir.path().join("taken");
    fs::write(&taken, b"precious").expect("written");
    let check = |from: &Path, to: &Path, expect: String| {
        let error = journal::backup(from, to, |_, _| {}).expect_err("refused").to_string();
        assert!(error.starts_with(&expect), "{error}\nexpected: {expect}");
    };
    check(
        dir.path(),
        &taken,
        format!("{} exists already: name another file for the backup, nothing is overwritten", taken.display()),
    );
    assert_eq!(fs::read(&taken).expect("read"), b"precious");
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
fn what_was_accepted_is_written_before_it_closes() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    run(async {
        // Given up after it was handed over: stored or not, but whole.
        let _ = tokio::time::timeout(Duration::ZERO, journal.append("b1", 0, batch(0))).await;
    });
    drop(journal);
    let found = stored(&open(dir.path()));
    assert!(found == 0 || found == batch(0).len(), "{found}");
}
