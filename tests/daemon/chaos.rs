//! Random faults against the real daemon: no game may be lost without a report.
//!
//! A schedule plays one game on a virtual board while faults hit the daemon, the bus, the disk, the cable and the board itself.
//! Once the board is idle and the faults are over, [`verdict`] compares the record with the moves that were played. On boards
//! that identify pieces or their colour the record must be exact within [`WITHIN`], or an alert, the board's state or the
//! service's `Problems` must report that it may not be. On occupancy boards the record must match the occupied squares at the
//! end and at every [`rest`] without a fault.
//!
//! All models take part. Models without a serial port are emulated with umockdev ([`mock`]), and skipped where it is not
//! installed; the matrix also needs `--features gpio`. Wireless models are devices of a mock BlueZ ([`radio`]). A schedule with
//! a full disk is skipped unless the test may mount one, as root. In every eighth schedule `gdbus monitor` watches as a second
//! client ([`monitor`]): the events that it saw must be those that are stored.
//!
//! `cargo test chaos` runs a few fixed schedules. `make chaos` runs many: `SCHEDULES=2000 SEED=1 JOBS=8`. `SCHEDULE=17` runs
//! one and prints what happened; `FAULT="disk full"` selects the schedules with this fault. A schedule that fails leaves its
//! log and state directory under `target/tmp/chaos`.

mod driver;
mod line;
mod mock;
mod monitor;
mod radio;
mod rest;
mod schedule;
mod verdict;

use crate::daemon::time_of_day::TimeOfDay;
use schedule::{Schedule, TIME_OF_DAY};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use verdict::{Outcome, Verdict};

/// The time after the board is idle and the faults are over within which the record must agree or its disagreement must be
/// reported.
const WITHIN: Duration = Duration::from_secs(20);
/// The number of schedules that the ordinary test runs, and how many of them in parallel.
const SHORT: (u64, usize) = (12, 12);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

/// The outcomes of all schedules, by kind of fault and verdict.
#[derive(Default)]
struct Summary {
    verdicts: BTreeMap<&'static str, u64>,
    /// The number of schedules with each report.
    reports: BTreeMap<String, u64>,
    /// By fault: the number of schedules with it, and how many of these failed.
    faults: BTreeMap<&'static str, (u64, u64)>,
    /// The number of rests at which a record was compared that differs from the moves played.
    rests: usize,
    /// The number of schedules that the second client watched, and the number of its events that were compared.
    monitored: (u64, usize),
    failed: Vec<String>,
}

impl Summary {
    fn add(&mut self, schedule: &Schedule, outcome: &Outcome) {
        let verdict = &outcome.verdict;
        *self.verdicts.entry(verdict.name()).or_default() += 1;
        match verdict {
            Verdict::Skipped(_) => return,
            Verdict::Reported(report) => *self.reports.entry(report.clone()).or_default() += 1,
            Verdict::Indistinguishable(rests) => self.rests += rests,
            _ => {}
        }
        if let Some(events) = outcome.monitored {
            self.monitored.0 += 1;
            self.monitored.1 += events;
        }
        for fault in schedule.fault_names() {
            let (count, failed) = self.faults.entry(fault).or_default();
            *count += 1;
            *failed += u64::from(verdict.is_failure());
        }
        if verdict.is_failure() {
            self.failed.push(format!("{schedule}: {verdict}"));
        }
    }

    fn print(&self) {
        println!("verdict                      schedules");
        self.verdicts.iter().for_each(|(name, count)| println!("{name:<28} {count:>9}"));
        println!("indistinguishable records were compared at {} rests", self.rests);
        let (schedules, events) = self.monitored;
        println!("gdbus watched {schedules} schedules, and {events} of its events were compared");
        println!("reported by");
        self.reports.iter().for_each(|(report, count)| println!("{report:<28} {count:>9}"));
        println!("fault                        schedules    failed");
        self.faults.iter().for_each(|(name, (schedules, failed))| println!("{name:<28} {schedules:>9} {failed:>9}"));
        if !TimeOfDay::can_be_set() {
            println!("{TIME_OF_DAY:<28} SKIPPED: libfaketime is not installed");
        }
        self.failed.iter().for_each(|line| println!("FAILED {line}"));
    }
}

#[test]
fn no_game_is_lost_without_a_report() {
    if !crate::harness::installed("dbus-daemon") {
        return;
    }
    let first = number("SEED").unwrap_or(1) * 1_000_000;
    if let Some(number) = number("SCHEDULE") {
        let schedule = Schedule::draw(number);
        println!("{schedule:#?}");
        let Outcome { verdict, monitored } = driver::run(&schedule);
        println!("{verdict}");
        monitored.iter().for_each(|events| println!("{events} events of gdbus were compared"));
        assert!(!verdict.is_failure());
        return;
    }
    let count = number("SCHEDULES").unwrap_or(SHORT.0);
    let jobs = number("JOBS").map_or(SHORT.1, |jobs| jobs as usize);
    let fault = std::env::var("FAULT").ok();
    let has_fault =
        |number: &u64| fault.as_ref().is_none_or(|fault| Schedule::draw(*number).fault_names().contains(&fault.as_str()));
    let numbers: Vec<u64> = (first..first + 1_000_000).filter(has_fault).take(count as usize).collect();
    let (next, summary) = (AtomicU64::new(0), Arc::new(Mutex::new(Summary::default())));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(number) = numbers.get(index as usize) else { return };
                    let schedule = Schedule::draw(*number);
                    let outcome = driver::run(&schedule);
                    let verdict = &outcome.verdict;
                    let mut summary = summary.lock().unwrap();
                    summary.add(&schedule, &outcome);
                    if verdict.is_failure() {
                        eprintln!("{schedule}: {verdict}");
                    }
                    if count > SHORT.0 && index % 50 == 49 {
                        eprintln!("{} of {count} schedules, {} failed", index + 1, summary.failed.len());
                    }
                }
            });
        }
    });
    let summary = summary.lock().unwrap();
    summary.print();
    assert!(summary.failed.is_empty(), "{} of {count} schedules failed", summary.failed.len());
}
