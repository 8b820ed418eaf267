//! Any bytes from a `dgt-bus`.
#![no_main]

#[path = "../decoder.rs"]
mod decoder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoder::run("dgt-bus", bytes));
