//! Journals that were replaced by a backup or by a new file: they are other incarnations, and no number is reused.

use super::*;

#[test]
fn a_restored_backup_is_another_incarnation() {
    let dir = tempfile::tempdir().expect("a directory");
    let copies = tempfile::tempdir().expect("a directory");
    let copy = copies.path().join("copy");
    let journal = open(dir.path());
    let id = journal.incarnation().id;
    let index = fill(&journal, 0, 30);
    journal.backup(&copy).expect("a backup");
    fill(&journal, index, 65);
    drop(journal);
    fs::rename(&copy, dir.path().join("journal.sqlite3")).expect("restored");

    // A check before touchmoved opens it reports it, too.
    assert!(!verify(dir.path()).is_good());
    let (journal, notices, _) = open_damaged(dir.path());
    assert!(notices.contains("published events are missing or changed in game 4 (all of it)"), "{notices}");
    assert_ne!(journal.incarnation().id, id);
    // Game 2 was being played, and continued after the backup.
    assert_eq!(journal.incarnation().last_good, [(2, 10), (4, 0)]);
    assert!(begin_game(&journal) > 4);
    drop(journal);
    open(dir.path());
    assert!(verify(dir.path()).is_good());
}

/// On a machine that has no other file of this journal.
#[test]
fn a_restored_backup_without_marks_is_another_incarnation() {
    let dir = tempfile::tempdir().expect("a directory");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let before = journal.incarnation();
    let index = fill(&journal, 0, 30);
    journal.backup(&elsewhere.path().join("journal.sqlite3")).expect("a backup");
    fill(&journal, index, 65);
    drop(journal);
    // The original is unchanged.
    assert_eq!(open(dir.path()).incarnation(), before);

    assert!(verify(elsewhere.path()).is_good());
    let journal = open(elsewhere.path());
    let incarnation = journal.incarnation();
    assert_ne!(incarnation.id, before.id);
    let number = (index - 1) % GAME + 1;
    assert_eq!(incarnation.last_good, [(2, number as u64)]);
    // The numbers of the events after the backup are not reused.
    assert_eq!(stored(&journal), index);
    assert!(append(&journal, vec![nth(index)]).is_err(), "the game was continued");
    assert!(begin_game(&journal) > 4);
    drop(journal);
    // It is no longer a backup.
    let journal = open(elsewhere.path());
    assert_eq!(journal.incarnation(), incarnation);
    assert!(verify(elsewhere.path()).is_good());
}

#[test]
fn a_new_journal_does_not_reuse_game_numbers() {
    let (dir, games, id) = closed_journal();
    fs::remove_file(dir.path().join("journal.sqlite3")).expect("removed");
    let (journal, notices, _) = open_damaged(dir.path());
    assert!(
        notices.contains("a new journal was created, and published events are missing or changed in game 11 (all of it)"),
        "{notices}"
    );
    assert_ne!(journal.incarnation().id, id);
    assert!(begin_game(&journal) > *games.keys().last().expect("games"));
    drop(journal);
    // Where nothing was published there is nothing to report.
    let dir = tempfile::tempdir().expect("a directory");
    assert_eq!(begin_game(&open(dir.path())), 1);
}
