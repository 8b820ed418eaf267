//! Any bytes as games on a board whose cable is unplugged, and as the memory that it sends afterwards: see tests/core/strangers.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../tests/core/strangers/memory.rs"]
mod memory;
#[path = "../../tests/core/properties/player.rs"]
mod player;
#[path = "../../tests/core/properties/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memory::memory(bytes));
