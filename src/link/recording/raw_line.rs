//! The lines of a recording as JSON has them.

use super::{Entry, InitialState, RecordedLine};
use crate::boards::{LinkState, Millis};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to write instead of an invalid line.
pub(super) const LINE_HELP: &str =
    r#"write {"t":MILLISECONDS, and one of "rx":"HEX", "tx":"HEX", "link":"up", "command":{…}, "state":{…}, "note":"TEXT"}"#;

/// A line as stored in the file. Exactly one of the optional fields is present.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLine {
    t: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<InitialState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rx: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tx: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Converts a line as stored in the file.
///
/// # Errors
/// What is wrong with it, and what to write instead.
pub(super) fn parse_line(raw: RawLine) -> Result<RecordedLine, String> {
    let RawLine { t, state, rx, tx, link, command, note } = raw;
    let bytes = |name: &str, hex: &str| {
        HEXLOWER_PERMISSIVE
            .decode(hex.as_bytes())
            .map_err(|_| format!("\"{name}\" is \"{hex}\": write bytes as pairs of hex digits, e.g. \"8e003400\""))
    };
    let mut entries = Vec::new();
    entries.extend(state.map(Entry::State));
    entries.extend(rx.map(|hex| bytes("rx", &hex)).transpose()?.map(Entry::Rx));
    entries.extend(tx.map(|hex| bytes("tx", &hex)).transpose()?.map(Entry::Tx));
    entries.extend(link.map(|word| link_state(&word)).transpose()?.map(Entry::Link));
    entries.extend(command.map(Entry::Command));
    entries.extend(note.map(Entry::Note));
    let count = entries.len();
    match entries.pop() {
        Some(entry) if count == 1 => Ok(RecordedLine { at: t, entry }),
        _ => Err(format!("a line must have exactly one entry, but this one has {count}; {LINE_HELP}")),
    }
}

fn link_state(word: &str) -> Result<LinkState, String> {
    match word {
        "up" => Ok(LinkState::Up),
        "down" => Ok(LinkState::Down),
        other => Err(format!("\"link\" is \"{other}\": write \"up\" or \"down\"")),
    }
}

/// Converts a line to the form in which it is stored.
pub(super) fn to_raw(line: &RecordedLine) -> RawLine {
    let mut raw = RawLine { t: line.at, ..RawLine::default() };
    match &line.entry {
        Entry::State(state) => raw.state = Some(state.clone()),
        Entry::Rx(bytes) => raw.rx = Some(HEXLOWER.encode(bytes)),
        Entry::Tx(bytes) => raw.tx = Some(HEXLOWER.encode(bytes)),
        Entry::Link(state) => raw.link = Some(if *state == LinkState::Up { "up" } else { "down" }.to_owned()),
        Entry::Command(command) => raw.command = Some(command.clone()),
        Entry::Note(note) => raw.note = Some(note.clone()),
    }
    raw
}
