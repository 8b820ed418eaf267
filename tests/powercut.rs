//! Power cuts: the daemon plays a game under strace, and every state that a disk may have after a cut is opened as a start of the
//! daemon would open it. What had been told is there, and nothing is said to be lost; of every file beside the journal what was
//! written last is there, or what was there before, whole.
//!
//! `CUTS=20000 SEED=1 cargo test powercut` tries more of them; files of those that fail are kept.

mod disk;
mod recording;
mod start;
mod trace;

use crate::harness::PrivateBus;
use disk::Fate;
use recording::{may_trace, record};
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use touchmove::simulate::rng::Rng;

/// How many cuts the ordinary test tries.
const SHORT: u64 = 250;
/// After one in so many a daemon is started.
const STARTED: u64 = 100;

fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

#[tokio::test]
async fn after_a_power_cut_all_is_there_that_had_been_published() {
    let Some(bus) = PrivateBus::start().filter(|_| may_trace()) else { return };
    let (cuts, seed) = (number("CUTS", SHORT), number("SEED", 1));
    let (kill, ask) = (Signal::KILL, Signal::TERM);
    let recorded = match cuts {
        ..=SHORT => record(&bus, 1, &[kill, ask]).await,
        _ => record(&bus, 3, &[kill, ask, kill, kill, ask]).await,
    };
    let (mut rng, total) = (Rng::new(seed, 0), recorded.disk.operations.len());
    assert!(recorded.heard.len() > 20 && total > 100, "{} events, {total} operations", recorded.heard.len());
    // In memory where that can be: what is checked here is what comes back, and no disk.
    let place = PathBuf::from("/dev/shm");
    let place = if place.is_dir() { place } else { std::env::temp_dir() };
    let mut counts = [0; 3];
    let (mut failed, mut started) = (Vec::new(), 0);
    for index in 0..cuts {
        // First every prefix where there are enough cuts for that, then any.
        let cut = if index < 2 * total as u64 && cuts >= 4 * total as u64 {
            (index / 2) as usize + 1
        } else {
            1 + rng.below(total as u64) as usize
        };
        let (kind, fate) = match (index % 2 == 0, rng.below(4)) {
            (true, 0 | 1) => (0, Fate::Kept),
            (false, 0) => (1, Fate::Lost),
            _ => (2, Fate::Mixed(seed + index)),
        };
        counts[kind] += 1;
        let dir = tempfile::tempdir_in(&place).unwrap();
        let mut found = recorded.check(cut, fate, dir.path());
        if found.is_ok() && index % STARTED == STARTED / 2 {
            started += 1;
            found = start::serve(&recorded.disk.after(cut, fate)).await;
        }
        if let Err(why) = found {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("powercut").join(index.to_string());
            let _ = std::fs::remove_dir_all(&kept);
            std::fs::create_dir_all(&kept).unwrap();
            recorded.disk.after(cut, fate).write(&kept);
            failed.push(format!("cut {cut} of {total}, {fate:?}: {why} (kept in {})", kept.display()));
        }
    }
    // What is checked can fail: on a disk that loses what it was asked to sync.
    let unsynced = recorded.without_syncs();
    let lost = (0..20).filter(|index| {
        let dir = tempfile::tempdir_in(&place).unwrap();
        unsynced.check(total - *index, Fate::Mixed(seed), dir.path()).is_err()
    });
    assert!(lost.count() > 10);
    let [all, none, some] = counts;
    println!(
        "{total} operations, {} events heard; {cuts} cuts: unsynced writes kept {all}, lost {none}, mixed {some}; daemons started \
         after {started}; {} failed",
        recorded.heard.len(),
        failed.len()
    );
    failed.iter().for_each(|line| println!("FAILED {line}"));
    assert!(failed.is_empty(), "{} of {cuts} cuts failed, the first: {}", failed.len(), failed[0]);
}
