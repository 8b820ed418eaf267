//! Any bytes received from a board of the model `cpp`.
#![no_main]

#[path = "../decoder.rs"]
mod decoder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoder::run("cpp", bytes));
