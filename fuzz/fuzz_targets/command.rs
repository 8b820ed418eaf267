//! Any bytes as a command, an order or settings as JSON: see tests/strangers.
#![no_main]
#![allow(dead_code)] // what is shared with the tests is not all used here

#[path = "../../tests/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::command(bytes));
