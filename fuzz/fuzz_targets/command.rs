//! Any text as a command, an order or settings as JSON: see tests/strangers.
#![no_main]
#![allow(dead_code)] // what is shared with the tests is not all used here

#[path = "../../tests/strangers/inputs.rs"]
mod inputs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        inputs::command(text);
    }
});
