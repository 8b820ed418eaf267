//! Any bytes as an HTTP request: target, headers and body: see tests/strangers.
#![no_main]
#![allow(dead_code)] // what is shared with the tests is not all used here

#[path = "../../tests/strangers/inputs.rs"]
mod inputs;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inputs::request(bytes));
