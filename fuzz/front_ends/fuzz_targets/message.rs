//! Any bytes as a message from a LiveChess client: see tests/front_ends/strangers.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../../tests/core/strangers/inputs.rs"]
mod core_inputs;
#[path = "../../../tests/front_ends/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::livechess_message(bytes));
