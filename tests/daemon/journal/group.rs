//! Batches that wait at the same time are stored in one transaction.

use super::*;
use std::sync::mpsc;
use touchmove::daemon::journal::AppendOutcome;

/// A journal whose next commit can be made to wait.
struct Gated {
    journal: Journal,
    is_closed: Arc<AtomicBool>,
    waiting: mpsc::Receiver<()>,
    release: mpsc::Sender<()>,
    /// Number of times that the log was synced, which is once for each commit.
    syncs: Arc<AtomicUsize>,
    /// Whether writes fail because the disk is full.
    is_full: Arc<AtomicBool>,
    _dir: tempfile::TempDir,
}

type Outcome = Result<AppendOutcome, JournalError>;

impl Gated {
    fn new() -> Gated {
        let dir = tempfile::tempdir().expect("a directory");
        let [is_closed, is_full] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let syncs = Arc::new(AtomicUsize::new(0));
        let ((arrive, waiting), (release, released)) = (mpsc::channel(), mpsc::channel());
        let (closed, full, counter, released) = (is_closed.clone(), is_full.clone(), syncs.clone(), Mutex::new(released));
        watched::watch(dir.path(), move |moment, path| {
            if !path.to_string_lossy().ends_with("-wal") {
                return Ok(());
            }
            if moment == Moment::Write && full.load(SeqCst) {
                return Err(ffi::SQLITE_FULL);
            }
            if moment == Moment::BeforeSync {
                counter.fetch_add(1, SeqCst);
                if closed.swap(false, SeqCst) {
                    let _ = arrive.send(());
                    let _ = released.lock().expect("the gate").recv();
                }
            }
            Ok(())
        });
        let journal = open(dir.path());
        // The first commit is followed by a checkpoint, and the second one waits for it.
        for board in ["b1", "b2", "b3"] {
            run(journal.append(board, 0, vec![nth(0)])).expect("stored");
        }
        Gated { journal, is_closed, waiting, release, syncs, is_full, _dir: dir }
    }

    /// Appends one batch to `b1`, and the others while that one is being written. Returns the outcomes, and the number of
    /// commits for the others. `before`: is done before they are written.
    fn append(
        &self,
        first: StampedEvent,
        others: [(&str, Vec<StampedEvent>); 3],
        before: impl FnOnce(),
    ) -> ([Outcome; 3], usize) {
        self.is_closed.store(true, SeqCst);
        let [a, b, c] = others.map(|(board, events)| self.journal.append(board, 0, events));
        let behind = async {
            self.waiting.recv().expect("the first batch is being written");
            let release = async {
                before();
                self.syncs.store(0, SeqCst);
                self.release.send(()).expect("it waits");
            };
            tokio::join!(biased; a, b, c, release)
        };
        let (first, (a, b, c, ())) = run(async { tokio::join!(biased; self.journal.append("b1", 0, vec![first]), behind) });
        assert_eq!(first.expect("stored").games, [1]);
        ([a, b, c], self.syncs.load(SeqCst))
    }

    /// The number of events of each game.
    fn stored(&self) -> Vec<u64> {
        self.journal.games().expect("games").iter().map(|game| game.last_number).collect()
    }
}

#[test]
fn a_refused_batch_does_not_affect_those_that_are_stored_with_it() {
    let gated = Gated::new();
    // The bad batch begins a game before it is refused.
    let bad = vec![nth(1), nth(0), nth(3)];
    let ([a, b, c], commits) = gated.append(nth(1), [("b1", vec![nth(2)]), ("b2", bad), ("b3", vec![nth(1), nth(0)])], || {});
    assert_eq!((a.expect("stored").games, c.expect("stored").games), (vec![1], vec![3, 4]));
    let error = b.expect_err("refused").to_string();
    assert_eq!(error, "event 4 of board b2 is out of order: number 2 is next");
    assert_eq!(commits, 1, "two batches were not stored together");
    assert_eq!(gated.stored(), [3, 1, 2, 1]);

    // Everything continues where it was.
    for (board, game, event) in [("b1", 1, nth(3)), ("b2", 2, nth(1)), ("b3", 4, nth(1))] {
        assert_eq!(run(gated.journal.append(board, 0, vec![event])).expect("stored").games, [game]);
    }
    assert_eq!(gated.stored(), [4, 2, 2, 2]);
}

#[test]
fn a_full_disk_refuses_all_batches_of_a_transaction() {
    let gated = Gated::new();
    let batches = || [("b1", vec![nth(2)]), ("b2", vec![nth(1)]), ("b3", vec![nth(0), nth(1)])];
    let (outcomes, _) = gated.append(nth(1), batches(), || gated.is_full.store(true, SeqCst));
    for outcome in outcomes {
        assert!(matches!(outcome, Err(JournalError::Full)), "{outcome:?}");
    }
    assert_eq!(gated.stored(), [2, 1, 1]);
    gated.is_full.store(false, SeqCst);
    let stored = batches().map(|(board, events)| run(gated.journal.append(board, 0, events)).expect("stored").games);
    assert_eq!(stored, [vec![1], vec![2], vec![4, 4]]);
    assert_eq!(gated.stored(), [3, 2, 1, 2]);
}
