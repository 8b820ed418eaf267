//! Checksums, marks and incarnations: damage and missing events are reported, and no number is given to another event.

mod incarnation;
mod report;

use super::*;
use crate::harness::hall::game;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use touchmove::daemon::journal::{Check, Findings};
use touchmove::simulate::rng::Rng;

/// The readable part of a journal: the board, result and events of each game.
type Games = BTreeMap<u64, (String, Option<GameResult>, Vec<StampedEvent>)>;

/// Everything that can be read, and whether a read failed.
fn read(journal: &Journal) -> (Games, bool) {
    let Ok(games) = journal.games() else { return (Games::new(), true) };
    let mut failed = false;
    let mut read = Games::new();
    for game in games {
        let events = journal.events(game.id, 0).unwrap_or_else(|_| {
            failed = true;
            Vec::new()
        });
        read.insert(game.id, (game.board, game.result, events));
    }
    (read, failed)
}

/// The contents of the journal's files, by name.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.marks.json"] {
        if let Ok(bytes) = fs::read(dir.join(name)) {
            files.push((name.to_owned(), bytes));
        }
    }
    files
}

fn directory_with(files: &[(String, Vec<u8>)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).expect("written");
    }
    dir
}

/// The hashes of all events as docs/journal.md describes them, by game and number.
fn hashes(journal: &rusqlite::Connection) -> Vec<(i64, i64, Vec<u8>)> {
    const EVENTS: &str = "
        SELECT game.id, game.started_wall_ms, game.epoch_wall_ms, game.board, number, at_ms, wall_ms, kind, event
        FROM event JOIN game ON game.id = event.game ORDER BY game.id, number";
    let mut statement = journal.prepare(EVENTS).expect("a journal");
    let mut rows = statement.query([]).expect("a journal");
    let mut hashes: Vec<(i64, i64, Vec<u8>)> = Vec::new();
    while let Some(row) = rows.next().expect("a row") {
        let number = |column| row.get::<_, i64>(column).expect("a number");
        let text = |column| row.get::<_, String>(column).expect("a text");
        let mut bytes = match hashes.last() {
            Some((game, _, before)) if *game == number(0) => before.clone(),
            _ => {
                let numbers = [number(0), number(1), number(2)].map(i64::to_le_bytes).concat();
                Sha256::digest([b"touchmove game", &numbers[..], text(3).as_bytes()].concat()).to_vec()
            }
        };
        let length = text(7).len() as i64;
        bytes.extend([number(4), number(5), number(6), length].map(i64::to_le_bytes).concat());
        bytes.extend((text(7) + &text(8)).into_bytes());
        hashes.push((number(0), number(4), Sha256::digest(&bytes).to_vec()));
    }
    hashes
}

/// Recomputes the hashes of a journal that a test has changed, as if it had been written in this way.
pub fn rehash(dir: &Path) {
    let journal = rusqlite::Connection::open(dir.join("journal.sqlite3")).expect("a journal");
    for (game, number, hash) in hashes(&journal) {
        let row = rusqlite::params![game, number, hash];
        journal.execute("UPDATE event SET chain = ?3 WHERE game = ?1 AND number = ?2", row).expect("changed");
    }
    fs::remove_file(dir.join("journal.marks.json")).expect("removed");
}

#[test]
fn the_hashes_are_what_the_documentation_says() {
    let (dir, _) = good_journal();
    let journal = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("a journal");
    let mut statement = journal.prepare("SELECT game, number, chain FROM event ORDER BY game, number").expect("a journal");
    let stored = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
    assert_eq!(stored.collect::<Result<Vec<_>, _>>().expect("rows"), hashes(&journal));
}

fn marks(dir: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(dir.join("journal.marks.json")).expect("marks")).expect("JSON")
}

fn verify(dir: &Path) -> Findings {
    Check::whole(dir).run(&AtomicBool::new(false), |_, _| {}).expect("a journal")
}

fn begin_game(journal: &Journal) -> u64 {
    append(journal, vec![nth(0)]).expect("a game begins")[0]
}

/// A journal of many games, the last one being played, closed.
fn closed_journal() -> (tempfile::TempDir, Games, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    fill(&journal, 0, 213);
    let (games, id) = (read(&journal).0, journal.incarnation().id);
    assert_eq!(games.len(), 11);
    (dir, games, id)
}

#[test]
fn a_flipped_bit_is_harmless_or_reported() {
    let (dir, games, id) = closed_journal();
    let files = files(dir.path());
    let mut rng = Rng::new(1, 0);
    let (mut harmless, mut reported) = (0, 0);
    let count = std::env::var("FLIPS").ok().and_then(|count| count.parse().ok()).unwrap_or(100);
    for flip in 0..count {
        let mut files = files.clone();
        let (at, bit) = (rng.below(files[0].1.len() as u64) as usize, rng.below(8));
        files[0].1[at] ^= 1 << bit;
        let dir = directory_with(&files);
        let Ok((journal, notices)) = Journal::open(dir.path()) else {
            reported += 1;
            continue;
        };
        let (found, is_reported) = read(&journal);
        if found == games && notices.is_empty() {
            harmless += 1;
            continue;
        }
        reported += 1;
        let is_reported = is_reported || !notices.is_empty();
        assert!(is_reported, "flip {flip}, bit {bit} at {at}: the games changed and nothing was reported");
        assert_ne!(journal.incarnation().id, id, "flip {flip}: {notices:?}");
        // The remaining events are the first ones that were written.
        for (game, (_, _, events)) in &found {
            let known = games.get(game).map_or(&[][..], |(_, _, events)| events);
            assert!(known.starts_with(events), "flip {flip}: game {game} has other events");
        }
        let new_game = begin_game(&journal);
        assert!(new_game > 11, "flip {flip}: the number of game {new_game} was used before");
    }
    println!("{harmless} harmless, {reported} reported");
    assert!(reported > count / 3);
}

#[test]
fn a_damaged_log_is_reported_and_no_number_is_reused() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let id = journal.incarnation().id;
    let index = fill(&journal, 0, 93);
    let number = (index - 1) % GAME + 1;
    let game = (index / GAME + 1).to_string();
    eventually("complete marks", || {
        (marks(dir.path())["games"][&game]["number"].as_u64() == Some(number as u64)).then_some(())
    });
    let (games, files) = (read(&journal).0, files(dir.path()));
    drop(journal);
    let (mut harmless, mut lost) = (0, 0);
    let mut rng = Rng::new(2, 0);
    for case in 0..150 {
        let mut files = files.clone();
        // Without the marks a damaged end cannot be distinguished from one that a power cut tore.
        let has_marks = case % 2 == 0;
        let log = &mut files[1].1;
        let at = rng.below(log.len() as u64) as usize;
        let length = [1, 1, 8, 512, 4096][rng.below(5) as usize].min(log.len() - at);
        let mask = 1 << rng.below(8);
        log[at..at + length].iter_mut().for_each(|byte| *byte ^= mask);
        if !has_marks {
            files.pop();
        }
        let dir = directory_with(&files);
        let (journal, notices) = Journal::open(dir.path()).expect("it opens");
        let (found, _) = read(&journal);
        let count = |games: &Games| games.values().map(|(_, _, events)| events.len()).sum::<usize>();
        if found == games {
            harmless += 1;
            continue;
        }
        // The last two commits: damage that spans both leaves no proof of the first.
        let is_end = count(&games) - count(&found) <= 6;
        if !has_marks && is_end && notices.is_empty() {
            continue;
        }
        lost += 1;
        assert!(
            !notices.is_empty(),
            "case {case}: {} of {} events remain and nothing was reported",
            count(&found),
            count(&games)
        );
        assert_ne!(journal.incarnation().id, id, "case {case}");
        // Nothing is added to a game of which clients may know more.
        for (game, (_, _, events)) in &found {
            assert!(games[game].2.starts_with(events), "case {case}: game {game} has other events");
        }
        let last = found.values().last().map_or(0, |(_, _, events)| events.len());
        let next = StampedEvent { number: Some(last as u64 + 1), ..nth(1) };
        assert!(append(&journal, vec![next]).is_err(), "case {case}: the game was continued");
        let new_game = begin_game(&journal);
        assert!(new_game > *games.keys().last().expect("games"), "case {case}: the number of game {new_game} was used before");
    }
    println!("{harmless} harmless, {lost} reported");
    assert!(lost > 100, "{lost}");
}

#[test]
fn a_damaged_log_is_no_loss_after_its_checkpoint() {
    let dir = tempfile::tempdir().expect("a directory");
    let synced = Arc::new(AtomicUsize::new(0));
    let counter = synced.clone();
    watched::watch(dir.path(), move |moment, path| {
        counter.fetch_add(usize::from(moment == Moment::AfterSync && path.to_string_lossy().ends_with(".sqlite3")), SeqCst);
        Ok(())
    });
    let journal = open(dir.path());
    let before = synced.load(SeqCst);
    let mut index = fill(&journal, 0, 1);
    eventually("the first checkpoint", || (synced.load(SeqCst) > before).then_some(()));
    // One commit more than a checkpoint waits for.
    let before = synced.load(SeqCst);
    for _ in 0..65 {
        index = fill(&journal, index, index + 1);
    }
    eventually("the second checkpoint", || (synced.load(SeqCst) > before).then_some(()));
    let (games, id, mut files) = (read(&journal).0, journal.incarnation(), files(dir.path()));
    drop(journal);
    let at = files[1].1.len() / 3;
    files[1].1[at] ^= 4;
    let dir = directory_with(&files);
    let (journal, notices, set_aside) = open_damaged(dir.path());
    assert!(notices.ends_with("everything in it is also in the main file, and nothing is missing"), "{notices}");
    assert_eq!((set_aside.len(), read(&journal).0, journal.incarnation()), (1, games, id));
}

#[test]
fn a_torn_unacknowledged_end_is_not_reported() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let mut index = fill(&journal, 0, 50);
    let mut rng = Rng::new(3, 0);
    for _ in 0..30 {
        let before = files(dir.path());
        let (length, incarnation) = (before[1].1.len(), journal.incarnation());
        let acknowledged = index;
        index = fill(&journal, index, index + 1);
        let mut torn = files(dir.path());
        let log = &mut torn[1].1;
        if log.len() <= length {
            // The log was restarted.
            continue;
        }
        let cut = length + rng.below((log.len() - length) as u64) as usize;
        if rng.chance(500) {
            log.truncate(cut);
        } else {
            // Written out of order: the sectors in between did not arrive.
            let from = cut / 512 * 512;
            let to = (from + 512).min(log.len());
            log[from.max(length)..to].fill(0);
        }
        torn.truncate(2);
        torn.extend(before.into_iter().nth(2));
        let dir = directory_with(&torn);
        let journal = open(dir.path());
        assert!((acknowledged..=index).contains(&stored(&journal)));
        assert_eq!(journal.incarnation(), incarnation);
        assert!(verify(dir.path()).is_good());
    }
}

#[test]
fn a_journal_without_checksums_gets_them_after_a_backup() {
    const FIRST_SCHEMA: &str = "
        CREATE TABLE game (id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, started_wall_ms INTEGER NOT NULL,
            epoch_wall_ms INTEGER NOT NULL) STRICT;
        CREATE INDEX game_of_board ON game (board, id);
        CREATE TABLE event (game INTEGER NOT NULL REFERENCES game (id), number INTEGER NOT NULL, at_ms INTEGER NOT NULL,
            wall_ms INTEGER NOT NULL, kind TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (game, number)) STRICT, WITHOUT ROWID;
        PRAGMA application_id = 1952671853;
        PRAGMA user_version = 1;";
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("journal.sqlite3");
    let old = rusqlite::Connection::open(&path).expect("a file");
    old.execute_batch(FIRST_SCHEMA).expect("a schema");
    for index in 0..90 {
        let (game, event) = (index / GAME + 1, nth(index));
        let (number, at) = ((index % GAME + 1) as i64, event.at as i64);
        if index % GAME == 0 {
            old.execute("INSERT INTO game (board, started_wall_ms, epoch_wall_ms) VALUES ('b1', ?1, 0)", [at]).expect("a game");
        }
        let (text, kind) = (touchmove::wire::to_json(&event), touchmove::wire::event_kind(&event.event));
        let row = rusqlite::params![game as i64, number, at, at, kind, text];
        old.execute("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).expect("an event");
    }
    drop(old);
    // Other readers need no migration.
    let archive = journal::Archive::open(dir.path()).expect("an archive");
    assert_eq!(archive.events(2).expect("events").len(), GAME);
    drop(archive);
    let findings = verify(dir.path());
    assert!(findings.is_good() && !findings.has_chains && findings.games == 5);

    let journal = open(dir.path());
    assert_eq!(stored(&journal), 90);
    let incarnation = journal.incarnation();
    assert_eq!((incarnation.id.len(), incarnation.last_good), (36, vec![]));
    fill(&journal, 90, 95);
    drop(journal);
    let findings = verify(dir.path());
    assert!(findings.is_good() && findings.has_chains && findings.events >= 95, "{findings:?}");
    let backup = rusqlite::Connection::open(dir.path().join("journal.sqlite3.backup-v1")).expect("a backup");
    let number = |sql: &str| backup.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
    assert_eq!((number("PRAGMA user_version"), number("SELECT count(*) FROM event")), (1, 90));
    drop(backup);
    // The restored backup is another incarnation, since the current game has continued in this one.
    assert_eq!(open(dir.path()).incarnation().id, incarnation.id);
    let elsewhere = tempfile::tempdir().expect("a directory");
    fs::copy(dir.path().join("journal.sqlite3.backup-v1"), elsewhere.path().join("journal.sqlite3")).expect("copied");
    let journal = open(elsewhere.path());
    assert_ne!(journal.incarnation().id, incarnation.id);
    assert_eq!(journal.incarnation().last_good, [(5, 10)]);
}

#[test]
fn without_its_lock_file_a_second_touchmoved_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = process("hold", dir.path()).spawn().expect("a process");
    next_line(&mut lines(&mut child), "open").expect("open");
    fs::remove_file(dir.path().join("journal.lock")).expect("removed");
    for _ in 0..2 {
        let error = Journal::open(dir.path()).err().expect("refused");
        assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    }
    assert!(!dir.path().join("journal.lock").exists());
    child.kill().expect("killed");
    child.wait().expect("ended");
    open(dir.path());
}

/// A journal with a changed event in game 7, which is too old to be verified on opening; and its incarnation.
fn damaged_old_game() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    for _ in 0..110 {
        append(&journal, (0..3).map(nth).collect()).expect("a game");
    }
    let id = journal.incarnation().id;
    drop(journal);
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET at_ms = at_ms + 1 WHERE game = 7 AND number = 3", []).expect("edited");
    (dir, id)
}

#[test]
fn old_games_are_verified_after_the_start() {
    let (dir, id) = damaged_old_game();
    let journal = open(dir.path());
    assert_eq!(journal.incarnation().id, id);
    let findings = journal.check().run(&AtomicBool::new(false), |_, _| {}).expect("looked through");
    assert_eq!(findings.to_string(), "stored events are missing or changed in game 7 (after its event 2)");
    assert_eq!(findings.games, 10);
    assert!(run(journal.close_damaged(&findings)).expect("noted"));
    assert!(!run(journal.close_damaged(&findings)).expect("known"));
    assert_ne!(journal.incarnation().id, id);
    assert_eq!(journal.incarnation().last_good, [(7, 2)]);
    assert_eq!(journal.events(7, 0).expect("what is good"), [nth(0), nth(1)]);
    drop(journal);
    let journal = open(dir.path());
    assert!(journal.check().run(&AtomicBool::new(false), |_, _| {}).expect("looked through").is_good());
}
