//! Backups while events are written.

use super::{fill, good_journal, open, stored};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use touchmove::daemon::journal;

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

/// SQLite locks the journal with POSIX locks, of which a process loses all when it closes any descriptor of the file.
#[test]
fn a_backup_keeps_the_locks_of_the_journal() {
    let dir = tempfile::tempdir().expect("a directory");
    let journal = open(dir.path());
    let inode = fs::metadata(dir.path().join("journal.sqlite3")).expect("the journal").ino();
    let locks = || {
        let all = fs::read_to_string("/proc/locks").expect("the locks");
        let of_journal = |line: &&str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            fields.get(1) == Some(&"POSIX") && fields.get(5).is_some_and(|file| file.ends_with(&format!(":{inode}")))
        };
        all.lines().filter(of_journal).count()
    };
    assert!(locks() > 0, "the journal is locked");
    journal.backup(&dir.path().join("copy.sqlite3")).expect("a backup");
    // How many there are depends on what the journal is doing.
    assert!(locks() > 0, "the journal is still locked");
}
