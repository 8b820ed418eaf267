//! Games of other machines: their events arrive once, in order and unchanged, whatever is received twice.

mod desk_chain;

use super::chained::rehash;
use super::*;
use touchmove::daemon::journal::{
    Archive, Check, CommandState, ContinuationOrder, EventRow, GameEndRow, KnownRemoteGame, RemoteEvents, RemoteGame,
};
use touchmove::wire;

/// An event of a kind that this version does not know, in a form that it would not write itself.
const LATER: &str = r#"{ "t":900,"event":"piece_dropped", "n":9, "height":1.23456789,"é":[1,{"x":null}]}"#;

/// Makes a journal one of the fifth schema.
const FIFTH_SCHEMA: &str = "DROP TABLE continuation; ALTER TABLE desk_event DROP COLUMN chain; PRAGMA user_version = 5;";

fn source(game: u64) -> RemoteGame {
    RemoteGame { machine: "pi-07".to_owned(), journal: "journal-7".to_owned(), game }
}

/// The events of [`nth`] with these numbers, as those of a game of another machine.
fn remote(game: u64, numbers: std::ops::RangeInclusive<u64>) -> RemoteEvents {
    let row = |number: u64| {
        let text = if number == 9 { LATER.to_owned() } else { wire::to_json(&nth(number as usize - 1)) };
        EventRow { number, wall_ms: 1_000_000 + number as i64, text }
    };
    let started_wall_ms = 1_000_000 + game as i64;
    RemoteEvents { source: source(game), started_wall_ms, epoch_wall_ms: 999_000, events: numbers.map(row).collect() }
}

fn append_remote(journal: &Journal, events: RemoteEvents) -> Result<Vec<u64>, JournalError> {
    run(journal.append_remote("pi-07/b1", events)).map(|stored| stored.games)
}

fn rows(journal: &Journal, game: u64) -> Vec<EventRow> {
    journal.event_rows(game, 0, usize::MAX).expect("rows")
}

fn verified(dir: &Path) -> bool {
    Check::whole(dir).run(&AtomicBool::new(false), |_, _| {}).expect("a journal").is_good()
}

#[test]
fn events_that_arrive_twice_are_stored_once_and_unchanged() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    assert_eq!(append(&journal, vec![nth(0)]).expect("stored"), [1]);
    assert_eq!(append_remote(&journal, remote(4, 1..=5)).expect("stored"), [2; 5]);
    assert_eq!(append(&journal, vec![nth(1), nth(2)]).expect("stored"), [1, 1]);
    assert_eq!(append_remote(&journal, remote(4, 3..=8)).expect("stored"), [2; 6]);
    assert_eq!(append_remote(&journal, remote(4, 2..=3)).expect("nothing new"), [2; 2]);
    assert_eq!(append_remote(&journal, remote(6, 1..=1)).expect("another game"), [3]);
    assert_eq!(append_remote(&journal, remote(4, 9..=12)).expect("the first game"), [2; 4]);
    let known = |game, source, last| KnownRemoteGame { source, game, board: "pi-07/b1".to_owned(), last };
    let check = |journal: &Journal| {
        assert_eq!(rows(journal, 2), remote(4, 1..=12).events);
        assert_eq!(journal.remote_games().expect("games"), [known(2, source(4), 12), known(3, source(6), 1)]);
    };
    check(&journal);
    drop(journal);
    assert!(verified(dir.path()));
    let journal = open(dir.path());
    check(&journal);
    assert_eq!(append_remote(&journal, remote(4, 10..=13)).expect("stored"), [2; 4]);
    let summary = &journal.games().expect("games")[1];
    assert_eq!((summary.last_number, summary.started_wall_ms, summary.last_wall_ms), (13, 1_000_004, 1_000_013));

    // Rows in parts: each has at least one event, and more while they fit.
    let expected = remote(4, 1..=13).events;
    let (mut read, mut parts) = (Vec::new(), 0);
    while let Some(last) = journal.event_rows(2, read.len() as u64, 400).expect("rows").last() {
        read.extend(journal.event_rows(2, read.len() as u64, 400).expect("rows"));
        assert_eq!(last.number, read.len() as u64);
        parts += 1;
    }
    assert_eq!(read, expected);
    let total: usize = expected.iter().map(|row| row.text.len()).sum();
    assert!(parts > total / 400 && parts < expected.len(), "{parts} parts");
}

#[test]
fn events_that_cannot_be_accepted_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let check = |events: RemoteEvents, expect: &str| {
        let error = append_remote(&journal, events).expect_err("refused");
        assert!(!error.is_retryable() && error.to_string().contains(expect), "{error}");
    };
    check(remote(4, 2..=3), "event 2 of board pi-07/b1 is out of order: number 1 is next");
    append_remote(&journal, remote(4, 1..=3)).expect("stored");
    check(remote(4, 5..=6), "event 5 of board pi-07/b1 is out of order: number 4 is next");
    let mut gap = remote(4, 4..=6);
    gap.events.remove(1);
    check(gap, "event 6 of board pi-07/b1 is out of order: number 5 is next");

    let with_text = |number: u64, text: String| {
        let mut events = remote(4, number..=number);
        events.events[0].text = text;
        events
    };
    let text = |number: usize| wire::to_json(&nth(number - 1));
    let refused = "event 4 of game 4 from machine pi-07 cannot be stored: ";
    check(with_text(4, text(5)), &format!("{refused}its field `n` is 5"));
    check(with_text(4, text(4) + "}"), &format!("{refused}not an event: trailing characters"));
    check(with_text(4, r#"{"t":1,"n":4,"event":"alert_cleared"}"#.to_owned()), "missing field `id`");
    check(with_text(4, r#"{"t":1,"event":"link","state":"up"}"#.to_owned()), "its field `n` is missing");
    check(with_text(4, text(1).replace("\"n\":1", "\"n\":4")), "a game begins with a \"game_started\" event, and has only one");
    check(
        with_text(3, text(3).replace("\"t\":200", "\"t\":201")),
        "event 3 of game 4 from machine pi-07 is not the one that was",
    );
    // The game of that number of another machine is another one.
    let other = RemoteGame { machine: "pi-08".to_owned(), ..source(4) };
    check(RemoteEvents { source: other, ..remote(4, 4..=4) }, "is out of order: number 1 is next");

    // Only its own machine continues it.
    let error = run(journal.append_late(1, 0, vec![nth(3)])).expect_err("refused");
    assert!(matches!(error, JournalError::Order { .. }), "{error}");
    let error = run(journal.append("pi-07/b1", 0, vec![nth(3)])).expect_err("refused");
    assert_eq!(error.to_string(), "event 4 of board pi-07/b1 is out of order: number 1 is next");
    assert_eq!(rows(&journal, 1), remote(4, 1..=3).events);
    assert!(append_remote(&journal, RemoteEvents { events: Vec::new(), ..remote(4, 4..=4) }).expect("nothing").is_empty());
}

#[test]
fn only_games_of_other_machines_have_events_of_unknown_kinds() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    fill(&journal, 0, 12);
    append_remote(&journal, remote(4, 1..=12)).expect("stored");
    let events = journal.events(2, 0).expect("events");
    assert_eq!(wire::event_kind(&events[8].event), "piece_dropped");
    assert_eq!(events.len(), 12);
    drop(journal);
    let archive = Archive::open(dir.path()).expect("an archive");
    assert_eq!(archive.events(2).expect("events"), events);
    drop(archive);

    // A later version was here.
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET kind = 'piece_dropped', event = ?1 WHERE game = 1 AND number = 9", [LATER])
        .expect("changed");
    drop(edit);
    rehash(dir.path());
    let journal = open(dir.path());
    let error = journal.events(1, 0).expect_err("unreadable").to_string();
    assert!(error.starts_with("event 9 of game 1 in the journal cannot be read") && error.contains("piece_dropped"), "{error}");
    assert_eq!(journal.readable_events(1).len(), 8);
    assert_eq!(journal.events(2, 0).expect("events"), events);
}

#[test]
fn a_board_of_another_machine_has_its_games_in_the_order_of_their_start() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    for game in [7, 5, 6] {
        append_remote(&journal, remote(game, 1..=2)).expect("stored");
    }
    let games = |count| journal.games_of("pi-07/b1", count).expect("games");
    assert_eq!(games(9), [(2, 1_000_005), (3, 1_000_006), (1, 1_000_007)]);
    assert_eq!(games(2), [(3, 1_000_006), (1, 1_000_007)]);
    assert_eq!(journal.last_game("pi-07/b1").expect("read").expect("a game").id, 1);
    // On a board of this machine the clock may have been set.
    for (game, wall_ms) in [(4, 3_000), (5, 1_000), (6, 2_000)] {
        assert_eq!(run(journal.append("b1", wall_ms, vec![nth(0)])).expect("stored").games, [game]);
    }
    assert_eq!(journal.games_of("b1", 2).expect("games"), [(5, 1_000), (6, 2_000)]);
    // A game that continues one of another board began before the games that it follows.
    let continued = RemoteEvents { started_wall_ms: 1_000_001, ..remote(8, 1..=2) };
    assert_eq!(append_remote(&journal, continued).expect("stored"), [7; 2]);
    assert_eq!(games(2), [(1, 1_000_007), (7, 1_000_001)]);
    assert_eq!(journal.last_game("pi-07/b1").expect("read").expect("a game").id, 7);
}

#[test]
fn a_damaged_game_of_another_machine_is_received_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    append_remote(&journal, remote(4, 1..=6)).expect("stored");
    append_remote(&journal, remote(5, 1..=6)).expect("stored");
    run(journal.store_hall_position("TM_EV_hall", "2026-11-26", 12)).expect("stored");
    let id = journal.incarnation().id;
    drop(journal);
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET wall_ms = 5 WHERE game = 1 AND number = 4", []).expect("changed");
    drop(edit);
    assert!(!verified(dir.path()));
    let (journal, notices, _) = open_damaged(dir.path());
    assert!(notices.contains("game 1 (after its event 3)"), "{notices}");
    assert_ne!(journal.incarnation().id, id);
    let known: Vec<_> = journal.remote_games().expect("games").into_iter().map(|known| (known.game, known.last)).collect();
    assert_eq!(known, [(2, 6)]);
    assert_eq!(journal.hall_position("TM_EV_hall").expect("read"), None);
    assert!(matches!(append_remote(&journal, remote(4, 7..=8)), Err(JournalError::Order { expected: 1, .. })));
    assert_eq!(append_remote(&journal, remote(4, 1..=8)).expect("stored"), [3; 8]);
    assert_eq!(rows(&journal, 3), remote(4, 1..=8).events);
    assert_eq!(rows(&journal, 1), remote(4, 1..=3).events);
    assert_eq!(journal.game_ends().expect("games"), []);
    drop(journal);
    assert!(verified(dir.path()));
    open(dir.path());
}

#[test]
fn a_restored_backup_continues_the_games_of_other_machines() {
    let (dir, copies) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let copy = copies.path().join("copy");
    let journal = open(dir.path());
    append_remote(&journal, remote(4, 1..=6)).expect("stored");
    append(&journal, vec![nth(0)]).expect("stored");
    run(journal.store_hall_position("TM_EV_hall", "2026-11-26", 6)).expect("stored");
    journal.backup(&copy).expect("a backup");
    append_remote(&journal, remote(4, 7..=12)).expect("stored");
    append_remote(&journal, remote(5, 1..=2)).expect("stored");
    run(journal.store_hall_position("TM_EV_hall", "2026-11-26", 14)).expect("stored");
    let epoch_wall_ms = 999_000;
    drop(journal);
    fs::rename(&copy, dir.path().join("journal.sqlite3")).expect("restored");
    // All of the first game was public.
    let public = serde_json::json!({"1": {"epoch_wall_ms": epoch_wall_ms, "number": 12}});
    fs::write(dir.path().join("public.json"), public.to_string()).expect("written");
    let journal = open(dir.path());
    // Only the game of this machine is closed.
    assert_eq!(journal.incarnation().last_good, [(2, 1)]);
    assert_eq!(journal.hall_position("TM_EV_hall").expect("read"), Some(("2026-11-26".to_owned(), 6)));
    assert_eq!(append_remote(&journal, remote(4, 7..=12)).expect("stored"), [1; 6]);
    assert_eq!(rows(&journal, 1), remote(4, 1..=12).events);
    // Number 3 may have been published as another game.
    assert!(append_remote(&journal, remote(5, 1..=2)).expect("stored")[0] > 3);
}

#[test]
fn a_game_keeps_the_incarnation_in_which_it_began() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let index = fill(&journal, 0, 65);
    assert!((61..80).contains(&index));
    append_remote(&journal, remote(4, 1..=6)).expect("stored");
    let first = journal.incarnation().id;
    let births = |journal: &Journal| {
        let ends = journal.game_ends().expect("games");
        ends.into_iter().map(|end| (end.game, end.journal, end.last, end.closed_at)).collect::<Vec<_>>()
    };
    let last = (index - 60) as u64;
    let mut expected: Vec<_> =
        [(1, 20), (2, 20), (3, 20), (4, last)].map(|(game, last)| (game, first.clone(), last, None)).into();
    assert_eq!(births(&journal), expected);
    assert_eq!(
        journal.game_ends().expect("games")[1],
        GameEndRow {
            game: 2,
            board: "b1".to_owned(),
            started_wall_ms: journal.games().expect("games")[1].started_wall_ms,
            epoch_wall_ms: journal.game(2).expect("read").expect("a game").epoch_wall_ms,
            journal: first.clone(),
            last: 20,
            closed_at: None,
        }
    );
    drop(journal);
    let edit = rusqlite::Connection::open(dir.path().join("journal.sqlite3")).expect("open");
    edit.execute("UPDATE event SET wall_ms = 5 WHERE game = 2 AND number = 4", []).expect("changed");
    drop(edit);
    let (journal, _, _) = open_damaged(dir.path());
    let second = journal.incarnation().id;
    assert_ne!(first, second);
    // A game in progress goes on, and the next one begins in the new incarnation.
    fill(&journal, index, index + 1);
    assert_eq!(run(journal.append("b2", 0, vec![nth(0)])).expect("stored").games, [6]);
    let last = journal.games().expect("games")[3].last_number;
    expected[1].3 = Some(3);
    expected[3].2 = last;
    expected.push((6, second.clone(), 1, None));
    assert_eq!(births(&journal), expected);

    // The same if damage is found while it runs.
    let findings = Check::whole(dir.path()).run(&AtomicBool::new(false), |_, _| {}).expect("a check");
    assert!(findings.is_good());
    let damaged = journal::Damaged { game: 1, board: "b1".to_owned(), good: 7, is_desk: false };
    let findings = journal::Findings { damaged: vec![damaged], ..findings };
    assert!(run(journal.close_damaged(&findings)).expect("closed"));
    assert_eq!(run(journal.append("b3", 0, vec![nth(0)])).expect("stored").games, [7]);
    expected[0].3 = Some(7);
    expected.push((7, journal.incarnation().id, 1, None));
    assert_eq!(births(&journal), expected);
}

#[test]
fn a_journal_of_the_third_schema_gets_the_tables_of_the_hall_after_a_backup() {
    const THIRD_SCHEMA: &str = "
        DROP TABLE continuation; DROP TABLE desk_event; DROP TABLE remote_game; DROP TABLE hall_position; DROP TABLE hall_command;
        ALTER TABLE incarnation DROP COLUMN first_game;
        PRAGMA user_version = 3;";
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("journal.sqlite3");
    let journal = open(dir.path());
    let index = fill(&journal, 0, 45);
    let incarnation = journal.incarnation();
    drop(journal);
    rusqlite::Connection::open(&path).and_then(|old| old.execute_batch(THIRD_SCHEMA)).expect("the third schema");
    assert_eq!(Archive::open(dir.path()).expect("an archive").events(1).expect("events").len(), GAME);
    assert!(verified(dir.path()));

    let journal = open(dir.path());
    assert_eq!((stored(&journal), journal.incarnation()), (index, incarnation.clone()));
    fill(&journal, index, index + 1);
    assert!(journal.game_ends().expect("games").iter().all(|end| end.journal == incarnation.id));
    append_remote(&journal, remote(4, 1..=6)).expect("stored");
    drop(journal);
    assert!(verified(dir.path()));
    let backup = rusqlite::Connection::open(dir.path().join("journal.sqlite3.backup-v3")).expect("a backup");
    let number = |sql: &str| backup.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
    assert_eq!((number("PRAGMA user_version"), number("SELECT count(*) FROM event")), (3, index as i64));
}

#[test]
fn orders_to_continue_games_are_remembered_also_in_a_journal_of_the_fifth_schema() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    append(&journal, vec![nth(0)]).expect("stored");
    drop(journal);
    let path = dir.path().join("journal.sqlite3");
    rusqlite::Connection::open(&path).and_then(|old| old.execute_batch(FIFTH_SCHEMA)).expect("the fifth schema");
    let journal = open(dir.path());
    assert!(dir.path().join("journal.sqlite3.backup-v5").exists());
    // The games of `remote` begin at different times.
    let order = |to: &str| ContinuationOrder {
        continued: 1,
        from: "b1".to_owned(),
        to: to.to_owned(),
        by: "Anna".to_owned(),
        started_wall_ms: 1_000_004,
        recalled: 1,
    };
    for to in ["elsewhere", "pi-07/b1", "pi-07/b1"] {
        run(journal.begin_continuation(order(to))).expect("stored");
    }
    run(journal.cancel_continuation(1, "b1")).expect("there is none");
    append_remote(&journal, remote(3, 1..=1)).expect("another game");
    let open_orders = |journal: &Journal| journal.open_continuations().expect("orders");
    assert_eq!(open_orders(&journal), [(order("elsewhere"), None), (order("pi-07/b1"), None)]);
    append_remote(&journal, remote(4, 1..=1)).expect("the game");
    drop(journal);
    let journal = open(dir.path());
    assert_eq!(open_orders(&journal), [(order("elsewhere"), None), (order("pi-07/b1"), Some(3))]);
    assert!(!journal.is_continued(1).expect("read"));
    run(journal.finish_continuation(order("pi-07/b1"), 3)).expect("stored");
    assert_eq!(open_orders(&journal), []);
    assert!(journal.is_continued(1).expect("read") && !journal.is_continued(3).expect("read"));
    drop(journal);
    assert!(verified(dir.path()));
}

#[test]
fn positions_and_commands_are_remembered() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    assert_eq!(journal.hall_position("TM_EV_hall").expect("read"), None);
    for (stream, created, sequence) in [("TM_EV_hall", "a", 7), ("TM_EV_other", "b", 1), ("TM_EV_hall", "c", 2)] {
        run(journal.store_hall_position(stream, created, sequence)).expect("stored");
    }
    for id in ["one", "two", "three"] {
        assert_eq!(run(journal.begin_command(id, 1_000)).expect("stored"), None);
    }
    run(journal.finish_command("one", "done")).expect("stored");
    run(journal.finish_command("one", "refused")).expect("the first outcome remains");
    drop(journal);
    let journal = open(dir.path());
    assert_eq!(journal.hall_position("TM_EV_hall").expect("read"), Some(("c".to_owned(), 2)));
    assert_eq!(journal.hall_position("TM_EV_other").expect("read"), Some(("b".to_owned(), 1)));
    let known = |id: &str| run(journal.begin_command(id, 2_000)).expect("read");
    assert_eq!(known("one"), Some(CommandState::Done("done".to_owned())));
    assert_eq!(known("two"), Some(CommandState::Begun));
    assert_eq!(known("four"), None);
}

#[test]
fn what_the_desk_enters_has_its_place_beside_the_events_of_the_machine() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let entered = |number: u64, result| StampedEvent {
        at: 5_000,
        number: Some(number),
        event: Event::Result { result, reason: ResultReason::Arbiter },
    };
    let draw = entered(6, Some(GameResult::Draw));
    assert_eq!(append_remote(&journal, remote(4, 1..=5)).expect("stored"), [1; 5]);
    assert_eq!(run(journal.append_desk_events(1, 77, vec![draw.clone()])).expect("stored"), 5);
    assert_eq!(append_remote(&journal, remote(4, 6..=8)).expect("stored"), [1; 3]);
    let check = |events: Vec<StampedEvent>| {
        assert_eq!(
            events.iter().map(|stamped| stamped.number.expect("a number")).collect::<Vec<_>>(),
            (1..=9).collect::<Vec<_>>()
        );
        assert_eq!(events[5], draw);
        assert_eq!(events[6].event, nth(5).event);
    };
    check(journal.events(1, 0).expect("events"));
    check(Archive::open(dir.path()).expect("an archive").events(1).expect("events"));
    let after: Vec<_> = journal.events(1, 6).expect("events").iter().map(|stamped| stamped.number).collect();
    assert_eq!(after, [Some(7), Some(8), Some(9)]);
    assert_eq!(rows(&journal, 1), remote(4, 1..=8).events);
    // Only the next number, and only in a game of another machine.
    assert!(matches!(run(journal.append_desk_events(1, 78, vec![draw.clone()])), Err(JournalError::Order { .. })));
    append(&journal, vec![nth(0)]).expect("stored");
    assert!(matches!(run(journal.append_desk_events(2, 78, vec![entered(2, None)])), Err(JournalError::Order { .. })));
    let summary = |journal: &Journal| {
        let game = journal.games().expect("games").remove(0);
        (game.last_number, game.result)
    };
    assert_eq!(summary(&journal), (9, Some(GameResult::Draw)));
    assert_eq!(run(journal.append_desk_events(1, 79, vec![entered(10, None)])).expect("stored"), 8);
    assert_eq!(summary(&journal), (10, None));
    drop(journal);
    assert!(verified(dir.path()));
    assert_eq!(open(dir.path()).desk_records().expect("records")[&1].result(), Some((10, None)));
}
