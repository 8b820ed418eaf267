//! Any bytes as arguments of D-Bus methods, carried out in a game: see tests/strangers.
#![no_main]
#![allow(dead_code)] // what is shared with the tests is not all used here

#[path = "../../tests/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::argument(bytes));
