//! Checksums of what the hub's desk has entered: what is missing or changed is reported, and nothing else takes its place.

use super::*;
use sha2::{Digest, Sha256};
use touchmove::daemon::journal::{Damaged, Findings};

fn entered(number: u64, result: Option<GameResult>) -> StampedEvent {
    StampedEvent { at: 5_000, number: Some(number), event: Event::Result { result, reason: ResultReason::Arbiter } }
}

/// A journal with a game of another machine, in which the desk has entered three results: as its events 6, 10 and 11.
fn entered_journal() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    assert_eq!(append_remote(&journal, remote(4, 1..=5)).expect("stored"), [1; 5]);
    assert_eq!(run(journal.append_desk_events(1, 77, vec![entered(6, Some(GameResult::Draw))])).expect("stored"), 5);
    assert_eq!(append_remote(&journal, remote(4, 6..=8)).expect("stored"), [1; 3]);
    assert_eq!(run(journal.append_desk_events(1, 78, vec![entered(10, None)])).expect("stored"), 8);
    assert_eq!(run(journal.append_desk_events(1, 79, vec![entered(11, Some(GameResult::WhiteWins))])).expect("stored"), 8);
    dir
}

fn file(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join("journal.sqlite3")).expect("a journal")
}

fn verify(dir: &Path) -> Findings {
    Check::whole(dir).run(&AtomicBool::new(false), |_, _| {}).expect("a journal")
}

/// The stored hashes of what the desk has entered.
fn stored_hashes(journal: &rusqlite::Connection) -> Vec<Vec<u8>> {
    let mut statement = journal.prepare("SELECT chain FROM desk_event ORDER BY game, number").expect("a journal");
    let hashes = statement.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>();
    hashes.expect("rows")
}

/// The hashes of what the desk has entered about game 1, as docs/journal.md describes them.
fn documented_hashes(journal: &rusqlite::Connection) -> Vec<Vec<u8>> {
    let game = journal.query_row("SELECT id, started_wall_ms, epoch_wall_ms, board FROM game WHERE id = 1", [], |row| {
        Ok(([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?], row.get::<_, String>(3)?))
    });
    let (numbers, board) = game.expect("a game");
    let numbers = numbers.map(i64::to_le_bytes).concat();
    let game = Sha256::digest([b"touchmove game", &numbers[..], board.as_bytes()].concat());
    let mut before = Sha256::digest([b"touchmove desk", &game[..]].concat()).to_vec();
    let mut statement = journal
        .prepare("SELECT number, after, wall_ms, event FROM desk_event WHERE game = 1 ORDER BY number")
        .expect("a journal");
    let rows = statement.query_map([], |row| Ok(([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?], row.get::<_, String>(3)?)));
    let rows = rows.expect("rows").collect::<Result<Vec<_>, _>>().expect("rows");
    let hash = |(numbers, event): ([i64; 3], String)| {
        let numbers = numbers.map(i64::to_le_bytes).concat();
        before = Sha256::digest([&before[..], &numbers[..], event.as_bytes()].concat()).to_vec();
        before.clone()
    };
    rows.into_iter().map(hash).collect()
}

#[test]
fn the_hashes_of_the_desk_are_what_the_documentation_says() {
    let dir = entered_journal();
    let journal = file(dir.path());
    let documented = documented_hashes(&journal);
    assert_eq!((documented.len(), stored_hashes(&journal)), (3, documented));
    assert!(verified(dir.path()));
}

#[test]
fn whatever_is_damaged_of_what_the_desk_entered_is_reported() {
    let original = entered_journal();
    let (known, incarnation) = {
        let journal = open(original.path());
        (journal.events(1, 0).expect("events"), journal.incarnation().id)
    };
    for (change, good) in [
        ("UPDATE desk_event SET event = event || ' ' WHERE number = 6", 5),
        ("UPDATE desk_event SET event = 'x' WHERE number = 11", 8),
        ("UPDATE desk_event SET wall_ms = wall_ms + 1 WHERE number = 10", 8),
        ("UPDATE desk_event SET chain = x'00' WHERE number = 10", 8),
        ("UPDATE desk_event SET number = 12 WHERE number = 11", 8),
        ("UPDATE desk_event SET after = -1 WHERE number = 11", 8),
        // What stands before it is not known any more.
        ("UPDATE desk_event SET after = after + 1 WHERE number = 6", 1),
        ("DELETE FROM desk_event WHERE number = 6", 1),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        fs::copy(original.path().join("journal.sqlite3"), dir.path().join("journal.sqlite3")).expect("copied");
        let entries = |dir: &Path| {
            let count = file(dir).query_row("SELECT count(*) FROM desk_event", [], |row| row.get::<_, i64>(0));
            count.expect("a number")
        };
        file(dir.path()).execute(change, []).expect("changed");
        let before = entries(dir.path());
        let findings = verify(dir.path());
        let damaged = Damaged { game: 1, board: "pi-07/b1".to_owned(), good, is_desk: true };
        assert_eq!(findings.damaged, [damaged], "{change}");
        let what = format!("game 1 (what the desk entered after its event {good}: check its names and its result)");
        assert!(findings.to_string().ends_with(&what), "{change}: {findings}");

        let (journal, notices) = Journal::open(dir.path()).expect("it opens");
        assert_eq!(notices.len(), 1, "{change}: {notices:?}");
        assert!(notices[0].message.contains(&what), "{change}: {notices:?}");
        assert_ne!(journal.incarnation().id, incarnation, "{change}");
        assert_eq!(journal.incarnation().last_good, [(1, good)], "{change}");
        // The events of the machine are good, and of the others none has another content.
        assert_eq!(rows(&journal, 1), remote(4, 1..=8).events);
        for stamped in journal.events(1, 0).expect("events") {
            let is_known = known.iter().any(|known| known.event == stamped.event);
            assert!(is_known || matches!(stamped.event, Event::Unknown(_)), "{change}: {stamped:?}");
        }
        // The machine sends its game again. What was damaged stays for people to read.
        assert_eq!(append_remote(&journal, remote(4, 1..=8)).expect("stored"), [2; 8]);
        assert_eq!(journal.damaged_before(2).expect("read"), Some(1));
        drop(journal);
        assert_eq!(entries(dir.path()), before, "{change}");
        let (_, notices) = Journal::open(dir.path()).expect("it opens");
        assert_eq!((notices.len(), verified(dir.path())), (0, true), "{change}");
    }
}

#[test]
fn what_the_desk_entered_about_an_old_game_is_verified_after_the_start() {
    let dir = entered_journal();
    let journal = open(dir.path());
    // On its board, too, so that the first game is neither the last one there nor one of the newest hundred.
    for game in 5..110 {
        append_remote(&journal, remote(game, 1..=1)).expect("stored");
    }
    drop(journal);
    file(dir.path()).execute("UPDATE desk_event SET wall_ms = 0 WHERE number = 10", []).expect("changed");
    let journal = open(dir.path());
    let findings = journal.check().run(&AtomicBool::new(false), |_, _| {}).expect("looked through");
    assert_eq!(findings.damaged.iter().map(|damaged| (damaged.game, damaged.good)).collect::<Vec<_>>(), [(1, 8)]);
    assert!(run(journal.close_damaged(&findings)).expect("noted"));
    assert_eq!(journal.incarnation().last_good, [(1, 8)]);
    // The latest result is as it was entered.
    assert_eq!(journal.desk_records().expect("records")[&1].result(), Some((11, Some(GameResult::WhiteWins))));
    drop(journal);
    assert!(verified(dir.path()));
}

#[test]
fn a_journal_of_the_fifth_schema_gets_the_hashes_of_the_desk_after_a_backup() {
    let dir = entered_journal();
    let (hashes, events) = (stored_hashes(&file(dir.path())), open(dir.path()).events(1, 0).expect("events"));
    file(dir.path()).execute_batch(FIFTH_SCHEMA).expect("the fifth schema");
    // Other readers need no migration.
    assert_eq!(Archive::open(dir.path()).expect("an archive").events(1).expect("events"), events);
    assert!(verified(dir.path()));

    let journal = open(dir.path());
    assert_eq!(journal.events(1, 0).expect("events"), events);
    assert_eq!(run(journal.append_desk_events(1, 80, vec![entered(12, None)])).expect("stored"), 8);
    drop(journal);
    assert!(verified(dir.path()));
    let migrated = stored_hashes(&file(dir.path()));
    assert_eq!((&migrated[..3], migrated.len()), (&hashes[..], 4));
    assert_eq!(migrated, documented_hashes(&file(dir.path())));
    let backup = rusqlite::Connection::open(dir.path().join("journal.sqlite3.backup-v5")).expect("a backup");
    let number = |sql: &str| backup.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
    assert_eq!((number("PRAGMA user_version"), number("SELECT count(*) FROM desk_event")), (5, 3));
}
