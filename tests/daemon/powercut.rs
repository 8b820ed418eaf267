//! Power cuts: the daemon plays a game under strace, and the states that a disk may have after a cut are opened as a start of the
//! daemon would open them. All published events are there, and nothing is reported as lost; every other file has its last or its
//! previous content, complete.
//!
//! `CUTS=20000 SEED=1 cargo test powercut` tries more cuts; the files of failed ones are kept.

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

/// The number of cuts in the ordinary test.
const SHORT: u64 = 250;
/// A daemon is started after one cut in this many.
const STARTED: u64 = 100;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

#[tokio::test]
async fn after_a_power_cut_all_published_events_are_there() {
    let Some(bus) = PrivateBus::start().filter(|_| may_trace()) else { return };
    let (cuts, seed) = (number("CUTS", SHORT), number("SEED", 1));
    let (kill, terminate) = (Signal::KILL, Signal::TERM);
    let recorded = match cuts {
        ..=SHORT => record(&bus, 1, &[kill, terminate]).await,
        _ => record(&bus, 3, &[kill, terminate, kill, kill, terminate]).await,
    };
    let (mut rng, total) = (Rng::new(seed, 0), recorded.disk.operations.len());
    assert!(recorded.published.len() > 20 && total > 100, "{} events, {total} operations", recorded.published.len());
    // In memory where possible: the test checks the recovery, not a real disk.
    let parent = PathBuf::from("/dev/shm");
    let parent = if parent.is_dir() { parent } else { std::env::temp_dir() };
    let mut counts = [0; 3];
    let (mut failed, mut started) = (Vec::new(), 0);
    for index in 0..cuts {
        // With enough cuts, first every prefix, then random ones.
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
        let dir = tempfile::tempdir_in(&parent).unwrap();
        let mut result = recorded.check(cut, fate, dir.path());
        if result.is_ok() && index % STARTED == STARTED / 2 {
            started += 1;
            result = start::serve(&recorded.disk.after(cut, fate)).await;
        }
        if let Err(error) = result {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("powercut").join(index.to_string());
            let _ = std::fs::remove_dir_all(&kept);
            std::fs::create_dir_all(&kept).unwrap();
            recorded.disk.after(cut, fate).write(&kept);
            failed.push(format!("cut {cut} of {total}, {fate:?}: {error} (kept in {})", kept.display()));
        }
    }
    // The check itself is checked: it must fail on a disk that loses synced data.
    let unsynced = recorded.without_syncs();
    let lost = (0..20).filter(|index| {
        let dir = tempfile::tempdir_in(&parent).unwrap();
        unsynced.check(total - *index, Fate::Mixed(seed), dir.path()).is_err()
    });
    assert!(lost.count() > 10);
    let [all, none, some] = counts;
    println!(
        "{total} operations, {} events published; {cuts} cuts: unsynced writes kept {all}, lost {none}, mixed {some}; daemons started \
         after {started}; {} failed",
        recorded.published.len(),
        failed.len()
    );
    failed.iter().for_each(|line| println!("FAILED {line}"));
    assert!(failed.is_empty(), "{} of {cuts} cuts failed, the first: {}", failed.len(), failed[0]);
}
