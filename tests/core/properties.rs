//! The promises of a table for every stream, with every kind of sensor: see [`promises`]. Scripts of random bytes are played, see
//! [`player`]; `SEED=17 cargo test properties` plays one of them and prints its events, `SCRIPTS=100000 cargo test properties` plays
//! that many.

mod memory;
pub mod player;
pub mod promises;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use touchmove::game::{CompletedBy, Event};

/// The time for which scripts are played, unless `SCRIPTS` gives their number; `FROM` is the seed of the first one.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The promise that a script breaks, if any, or its panic.
fn broken_promise(script: &[u8]) -> Option<String> {
    match catch_unwind(|| player::play(script)) {
        Ok(Ok(_)) => None,
        Ok(Err(promise)) => Some(promise),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Some(format!("panic: {}", text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()))
        }
    }
}

/// A shorter script that still breaks a promise.
fn shorter(script: &[u8]) -> Vec<u8> {
    let mut script = script.to_vec();
    let end = Instant::now() + Duration::from_secs(1);
    let mut length = script.len() / 2;
    while length > 0 {
        let mut from = 2;
        while from < script.len() && Instant::now() < end {
            let mut without = script.clone();
            without.drain(from..(from + length).min(script.len()));
            if broken_promise(&without).is_some() {
                script = without;
            } else {
                from += length;
            }
        }
        length /= 2;
    }
    script
}

#[test]
fn every_stream_keeps_the_promises() {
    if let Ok(seed) = std::env::var("SEED") {
        let script = player::script(seed.parse().expect("SEED is a number"));
        let promises = player::play(&script).unwrap_or_else(|promise| panic!("{promise}"));
        promises.events.iter().for_each(|stamped| println!("{stamped:?}"));
        return;
    }
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("SCRIPTS and FROM are numbers"));
    let (from, scripts): (u64, Option<u64>) = (number("FROM").unwrap_or(0), number("SCRIPTS"));
    let (began, next) = (Instant::now(), AtomicU64::new(from));
    let failures = Mutex::new(Vec::new());
    let play = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let is_over = scripts.map_or(began.elapsed() > TIME_LIMIT, |scripts| seed >= from.saturating_add(scripts));
            if is_over || failures.lock().is_ok_and(|failures| failures.len() >= 5) {
                break;
            }
            let script = player::script(seed);
            if let Some(first) = broken_promise(&script) {
                let shorter = shorter(&script);
                let reason = broken_promise(&shorter).unwrap_or(first);
                failures.lock().unwrap().push(format!("SEED={seed}, shortened {shorter:?}: {reason}"));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(play);
        scope.spawn(play);
    });
    eprintln!("{} scripts in {:?}", next.into_inner() - from, began.elapsed());
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Scripts that once broke a promise, each with a description.
const PAST_FAILURES: [(&str, &[u8]); 2] = [
    // A command took back a move that the line had already dropped, which was not published yet.
    (
        "a move that was taken back stayed on record",
        &[2, 7, 16, 177, 9, 16, 19, 6, 18, 0, 9, 16, 243, 2, 24, 19, 12, 35, 233, 174, 133],
    ),
    // A piece was touched after the move of a notice had been taken back.
    (
        "an alert without its ply or its sentence",
        &[
            0, 0, 16, 223, 0, 19, 8, 16, 22, 0, 19, 8, 17, 63, 167, 99, 33, 19, 8, 16, 110, 2, 19, 6, 16, 115, 1, 19, 6, 16,
            155, 1, 19, 9, 16, 235, 0, 19, 6, 0, 131, 193, 19, 7, 16, 39, 0, 19, 8, 16, 98, 0, 19, 9, 17, 239, 233, 22, 142,
            19, 6, 16, 75, 1, 19, 7, 16, 172, 1, 19, 9, 16, 44, 1, 19, 9, 0, 188, 243, 19, 6, 16, 218, 0, 19, 8, 16, 150, 1,
            19, 8, 16, 143, 1, 19, 7, 16, 174, 0, 19, 8, 0, 32, 112, 19, 7, 18, 0, 9, 19, 7, 17, 17, 5, 39, 143,
        ],
    ),
];

#[test]
fn scripts_that_once_broke_a_promise_pass() {
    for (description, script) in PAST_FAILURES {
        assert_eq!(broken_promise(script), None, "{description}");
    }
}

/// The same script gives the same events: nothing depends on the order of hashes or on the time of day.
#[test]
fn the_same_stream_gives_the_same_events() {
    for seed in 0..30 {
        let script = player::script(seed);
        let run = || player::play(&script).map(|promises| promises.events).unwrap_or_default();
        assert_eq!(run(), run(), "SEED={seed}");
    }
}

/// The scripts are useful: with each kind of sensor they have corrections, completed moves, alerts, results and long games.
#[test]
fn the_streams_have_events_of_every_kind() {
    for sensing in 0..3 {
        let mut counts =
            [("made", 0), ("completed by the clock", 0), ("corrected", 0), ("alerts", 0), ("results", 0), ("games", 0)];
        let mut longest = 0;
        for seed in (0..120).filter(|seed| seed % 3 == sensing) {
            let Ok(promises) = player::play(&player::script(seed)) else { continue };
            for stamped in &promises.events {
                let index = match &stamped.event {
                    Event::MoveMade { ply, .. } => {
                        longest = longest.max(*ply);
                        0
                    }
                    Event::MoveCompleted { by: CompletedBy::Clock, .. } => 1,
                    Event::MovesCorrected { .. } => 2,
                    Event::AlertRaised(_) => 3,
                    Event::Result { .. } => 4,
                    Event::GameStarted { .. } => 5,
                    _ => continue,
                };
                counts[index].1 += 1;
            }
        }
        println!("sensing {sensing}: {counts:?}, at most {longest} plies");
        assert!(counts.iter().all(|(_, count)| *count >= 10), "sensing {sensing}: {counts:?}");
        assert!(longest >= 20, "sensing {sensing}: no game is longer than {longest} plies");
    }
}
