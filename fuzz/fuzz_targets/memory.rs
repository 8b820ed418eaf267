//! Any bytes as games on a board whose cable is pulled, and what its memory says of them: see tests/strangers.
#![no_main]
#![allow(dead_code)] // what is shared with the tests is not all used here

#[path = "../../tests/strangers/memory.rs"]
mod memory;
#[path = "../../tests/properties/player.rs"]
mod player;
#[path = "../../tests/properties/promises.rs"]
mod promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memory::memory(bytes));
