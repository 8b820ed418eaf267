//! Any bytes as a script of readings, link events, orders and restarts, on boards of every kind: see tests/core/properties.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../tests/core/properties/player.rs"]
mod player;
#[path = "../../tests/core/properties/promises.rs"]
mod promises;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| {
    if let Err(broken) = player::play(script) {
        panic!("{broken}");
    }
});
