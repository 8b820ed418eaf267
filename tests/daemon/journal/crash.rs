//! Kills and power cuts: acknowledged events are there afterwards.

use super::*;
use std::sync::PoisonError;

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
