//! Any bytes received from a board of the model `square-off`.
#![no_main]

#[path = "../decoder.rs"]
mod decoder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoder::run("square-off", bytes));
