//! Any bytes as a configuration file: see tests/strangers.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../tests/front_ends/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::configuration(bytes));
