//! Any bytes as the target, headers and body of an HTTP request: see tests/strangers.
#![no_main]
#![allow(dead_code)] // shared with the tests, and not all used here

#[path = "../../tests/front_ends/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::request(bytes));
