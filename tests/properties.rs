//! What a table promises for every stream, with every kind of sensor: see [`promises`]. Scripts of random bytes are played, see
//! [`player`]; `SEED=17 cargo test properties` plays one of them and tells all that happened.

mod player;
mod promises;

use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use touchmove::game::{CompletedBy, Event};

/// How many scripts are played, if there is time for all of them.
const SCRIPTS: u64 = 1_500;
/// How long they may take together.
const AT_MOST: Duration = Duration::from_secs(7);

/// What is wrong with a script, if anything; a panic too.
fn broken(script: &[u8]) -> Option<String> {
    match catch_unwind(|| player::play(script)) {
        Ok(Ok(_)) => None,
        Ok(Err(promise)) => Some(promise),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Some(format!("panic: {}", text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()))
        }
    }
}

/// A shorter script that breaks something still.
fn shorter(script: &[u8]) -> Vec<u8> {
    let mut script = script.to_vec();
    let end = Instant::now() + Duration::from_secs(1);
    let mut length = script.len() / 2;
    while length > 0 {
        let mut from = 2;
        while from < script.len() && Instant::now() < end {
            let mut without = script.clone();
            without.drain(from..(from + length).min(script.len()));
            if broken(&without).is_some() {
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
        let promises = player::play(&script).unwrap_or_else(|broken| panic!("{broken}"));
        promises.told.iter().for_each(|stamped| println!("{stamped:?}"));
        return;
    }
    let (began, mut played, mut failures) = (Instant::now(), 0, Vec::new());
    for seed in 0..SCRIPTS {
        if began.elapsed() > AT_MOST || failures.len() >= 5 {
            break;
        }
        played += 1;
        let script = player::script(seed);
        if let Some(first) = broken(&script) {
            let shorter = shorter(&script);
            let why = broken(&shorter).unwrap_or(first);
            failures.push(format!("SEED={seed}, in short {shorter:?}: {why}"));
        }
    }
    eprintln!("{played} scripts in {:?}", began.elapsed());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The same script gives the same events: nothing hangs on the order of a hash or on the time of day.
#[test]
fn the_same_stream_gives_the_same_events() {
    for seed in 0..30 {
        let script = player::script(seed);
        let run = || player::play(&script).map(|promises| promises.told).unwrap_or_default();
        assert_eq!(run(), run(), "SEED={seed}");
    }
}

/// The scripts get somewhere: what is promised of corrections, completed moves and alerts is put to the test by each sensing.
#[test]
fn the_streams_have_something_of_everything() {
    for sensing in 0..3 {
        let mut counts =
            [("made", 0), ("completed by the clock", 0), ("corrected", 0), ("alerts", 0), ("results", 0), ("games", 0)];
        let mut longest = 0;
        for seed in (0..120).filter(|seed| seed % 3 == sensing) {
            let Ok(promises) = player::play(&player::script(seed)) else { continue };
            for stamped in &promises.told {
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
