//! Files that are damaged or cannot be used: they are set aside or refused, and the reason is reported.

use super::*;
use std::os::unix::process::CommandExt;

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
            "{} has schema 7, but this touchmove knows schemas only up to 6: a later version wrote it. Install that version \
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
fn what_is_good_of_a_damaged_game_keeps_its_pairing() {
    let dir = tempfile::tempdir().expect("a directory");
    let tags = ["Round", "Table", "White"].map(|name| (name.to_owned(), "1".to_owned())).to_vec();
    let named = Event::Commanded { command: ArbiterCommand::Tags { tags }, by: "Anna".to_owned() };
    let events = vec![nth(0), StampedEvent { at: 50, number: Some(2), event: named }, nth(2)];
    append(&open(dir.path()), events.clone()).expect("stored");
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET event = '{}' WHERE number = 3", []).expect("edited");
    drop(edit);
    let (journal, notices, _) = open_damaged(dir.path());
    assert!(notices.contains("game 1 (after its event 2)"), "{notices}");
    // The game that continues it on its board begins with these.
    assert_eq!(journal.readable_events(1), events[..2]);
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
