//! Untrusted inputs, damaged in every way, given to the core's parsers (`inputs.rs`), and the memory of boards whose cable was
//! unplugged (`memory.rs`).

pub(crate) mod inputs;
mod memory;

use super::properties::{player, promises};
use inputs::{Check, INPUTS};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;
use touchmove::simulate::rng::Rng;
use touchmove::wire;

/// How long each kind of input is tried; `STRANGERS_MS=60000 cargo test strangers` takes longer.
pub fn span() -> Duration {
    let chosen = std::env::var("STRANGERS_MS").ok().and_then(|ms| ms.parse().ok());
    Duration::from_millis(chosen.unwrap_or(1_500))
}

/// Words that have a meaning for at least one parser.
pub const WORDS: [&str; 40] = [
    "\0",
    "\r\n",
    "\n\n",
    "\t",
    "\u{feff}",
    "\u{202e}",
    "é",
    "♞",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "[board]",
    "[[board]]",
    "=",
    ":",
    ",",
    ";",
    "-1",
    "0",
    "65536",
    "4294967296",
    "18446744073709551616",
    "1e999",
    "null",
    "true",
    "001 ",
    "1.",
    "O-O",
    "e8=Q",
    "*",
    "1-0",
    "FEN",
    "../",
];

/// Returns an input with a few faults, which may be a mixture of two inputs.
pub fn damaged(rng: &mut Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[rng.below(inputs.len() as u64) as usize].clone();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64 + 1) as usize;
        let end = (at + rng.below(24) as usize).min(bytes.len());
        match rng.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let twice = bytes[at..end].to_vec();
                bytes.splice(at..at, twice);
            }
            2 => bytes.truncate(at),
            3 => {
                let other = &inputs[rng.below(inputs.len() as u64) as usize];
                let from = rng.below(other.len() as u64 + 1) as usize;
                bytes.splice(at..end, other[from..].iter().copied().take(200));
            }
            4 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            _ => {
                let word = WORDS[rng.below(WORDS.len() as u64) as usize];
                bytes.splice(at..end, word.bytes());
            }
        }
    }
    bytes
}

/// Like [`damaged`], as text.
pub fn damaged_text(rng: &mut Rng, texts: &[Vec<u8>]) -> String {
    String::from_utf8_lossy(&damaged(rng, texts)).into_owned()
}

/// Reads a file of the repository.
pub fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The lines of a file of the repository.
pub fn lines(path: &str) -> Vec<Vec<u8>> {
    read(path).lines().map(|line| line.as_bytes().to_vec()).collect()
}

/// Files of the repository.
pub fn files(paths: &[&str]) -> Vec<Vec<u8>> {
    paths.iter().map(|path| read(path).into_bytes()).collect()
}

/// The initial inputs: whole files of the repository, or each line of files that have several.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    match name {
        "event" => lines("tests/data/wire/events.jsonl"),
        "command" => lines("tests/data/strangers/commands.jsonl"),
        "round" => files(&[
            "tests/data/strangers/export.csv",
            "tests/data/strangers/round.csv",
            "tests/data/strangers/round.pgn",
            "tests/data/strangers/round.trf",
        ]),
        "games" => files(&["tests/data/pgn/examples.pgn", "tests/data/pgn/illegal.pgn"]),
        "memory" => (0..20).map(memory::script).chain(memory::BROKE.iter().map(|(_, script)| script.to_vec())).collect(),
        _ => unreachable!("{name} has no corpus"),
    }
}

fn all_inputs() -> impl Iterator<Item = (&'static str, Check)> {
    INPUTS.into_iter().chain([("memory", memory::memory as Check)])
}

/// Runs each check on its corpus and on damaged inputs made of it, all checks at once.
pub fn check_damaged(inputs: impl Iterator<Item = (&'static str, Check)>, corpus: fn(&str) -> Vec<Vec<u8>>) {
    let play = move |name: &str, check: Check| {
        let (inputs, mut rng, began) = (corpus(name), Rng::new(17, name.len() as u64), Instant::now());
        inputs.iter().for_each(|input| check(input));
        let mut count = 0;
        while count < 200 || began.elapsed() < span() {
            let input = damaged(&mut rng, &inputs);
            if std::panic::catch_unwind(|| check(&input)).is_err() {
                panic!("{name}, number {count}: b\"{}\"", input.escape_ascii());
            }
            count += 1;
        }
        eprintln!("{name}: {count} inputs");
    };
    let threads: Vec<_> = inputs.map(|(name, check)| std::thread::spawn(move || play(name, check))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Asserts that each kind of input has a fuzz target of the same name in this package.
pub fn check_fuzzed(inputs: impl Iterator<Item = (&'static str, Check)>, package: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(package);
    let table = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    for (name, _) in inputs {
        assert!(dir.join(format!("fuzz_targets/{name}.rs")).exists(), "{name}");
        assert!(table.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}

/// A kind of input, and whether a text of it is valid.
pub type NamedParser = (&'static str, fn(&str) -> bool);

/// Asserts that the initial inputs are valid: otherwise only refusals would be tried.
pub fn check_valid(parsers: &[NamedParser], corpus: fn(&str) -> Vec<Vec<u8>>) {
    for (name, is_valid) in parsers {
        for text in corpus(name).into_iter().map(|text| String::from_utf8(text).unwrap()) {
            assert!(is_valid(&text), "{name}: {text}");
        }
    }
}

#[test]
fn damaged_inputs_are_read_or_refused_with_an_error() {
    check_damaged(all_inputs(), corpus);
}

#[test]
fn every_kind_of_input_is_fuzzed() {
    check_fuzzed(all_inputs(), "fuzz");
}

#[test]
fn the_initial_inputs_are_valid() {
    check_valid(
        &[
            ("event", |text| wire::from_json(text).is_ok()),
            ("command", |text| {
                let value = serde_json::from_str(text).unwrap();
                wire::order_from_value(&value).is_ok() || wire::settings_from_value(&value).is_ok()
            }),
            ("round", |text| Round::read(text, Some(1), &TableOrder::Rank).is_ok()),
        ],
        corpus,
    );
}
