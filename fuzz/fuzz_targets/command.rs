//! Any bytes as JSON of a command, an order or settings: see tests/core/strangers.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../tests/core/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::command(bytes));
