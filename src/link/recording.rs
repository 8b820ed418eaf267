//! Recordings: everything that a board sent, as JSON Lines. `docs/recording.md` describes every field.
//!
//! A recording's core data (settings, commands) is passed on as JSON; [`crate::wire`] interprets it.

mod parse;
mod raw_line;
mod writer;

use crate::boards::{LinkState, Millis};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;

pub use parse::{parse, read};
pub use writer::{WriteOutcome, Writer};

/// Version of the format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub touchmove_recording: u32,
    /// A model of [`crate::boards::BOARDS`].
    pub board: String,
    /// The board's configuration options.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Accept Chess960 start positions.
    #[serde(default)]
    pub chess960: bool,
    /// Start position of the game, if it is not detected on the board.
    #[serde(default)]
    pub start_fen: Option<String>,
    /// Edition of the Laws.
    #[serde(default = "default_laws")]
    pub laws: String,
    /// Start time of the recording, RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// Version of the program that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Effective settings of the core ([`crate::wire::settings_to_value`]); without them a replay uses the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Value>,
}

impl Header {
    /// Returns a header with all other fields at their defaults.
    pub fn new(board: &str) -> Header {
        Header {
            touchmove_recording: FORMAT,
            board: board.to_owned(),
            options: Map::new(),
            chess960: false,
            start_fen: None,
            laws: default_laws(),
            started: String::new(),
            version: None,
            core: None,
        }
    }
}

fn default_laws() -> String {
    "fide-2023".to_owned()
}

/// State of a recording that begins in mid-game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialState {
    /// Placement, seen as the players see it: the first field of a FEN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<String>,
    /// Position of the game, as FEN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// White's time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_white_ms: Option<u32>,
    /// Black's time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_black_ms: Option<u32>,
    /// Durable events of the game so far ([`crate::wire::to_json`]). Without them the game begins from `position`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// Calibration of the pieces ([`crate::boards::Reading::Calibration`]), for boards that do not store it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
}

/// Content of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// State of a recording that begins in mid-game.
    State(InitialState),
    /// Bytes from the board.
    Rx(Vec<u8>),
    /// Bytes sent to the board. For information only; a replay ignores them.
    Tx(Vec<u8>),
    /// Change of the link.
    Link(LinkState),
    /// Command of an arbiter or player ([`crate::wire::order_to_value`]).
    Command(Value),
    /// Any text; ignored.
    Note(String),
}

/// One line after the header.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLine {
    /// Time since the start of the recording; never less than in the previous line.
    pub at: Millis,
    /// Content.
    pub entry: Entry,
}

/// A complete recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// First line.
    pub header: Header,
    /// Other lines.
    pub lines: Vec<RecordedLine>,
}

/// Error of a recording that cannot be read; says where, and what to write instead.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("{file}: {error}")]
    Io {
        /// File.
        file: String,
        /// Reason.
        error: io::Error,
    },
    /// An invalid line.
    #[error("{file}:{line}: {reason}")]
    Line {
        /// File.
        file: String,
        /// Line number, from 1.
        line: usize,
        /// What is wrong, and what to write instead.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "{\"touchmove_recording\":1,\"board\":\"dgt\"}\n";

    #[test]
    fn written_entries_are_read_back() {
        let entries = [
            (0, Entry::State(InitialState { position: Some("8/8/8/8/8/8/8/8 w - - 0 1".into()), ..InitialState::default() })),
            (12, Entry::Rx(vec![0x8e, 0, 5, 0x34, 0])),
            (12, Entry::Tx(vec![0x42])),
            (13, Entry::Link(LinkState::Down)),
            (14, Entry::Command(serde_json::json!({"do": "take_back", "plies": 1, "by": "arbiter"}))),
            (15, Entry::Note("ä \" \n".into())),
        ];
        let mut header = Header::new("dgt");
        header.core = Some(serde_json::json!({"settle_ms": 250}));
        let mut writer = Writer::begin(Vec::new(), &header, 10_000).unwrap();
        for (at, entry) in &entries {
            assert_eq!(writer.write(*at, entry.clone()).unwrap(), WriteOutcome::Recorded);
        }
        let text = String::from_utf8(writer.into_inner()).unwrap();
        let recording = parse("x.rec", &text).unwrap();
        assert_eq!(recording.header, header);
        let read: Vec<_> = recording.lines.into_iter().map(|line| (line.at, line.entry)).collect();
        assert_eq!(read, entries);
    }

    #[test]
    fn a_full_recording_is_noted_once() {
        let mut writer = Writer::begin(Vec::new(), &Header::new("dgt"), 200).unwrap();
        let results: Vec<_> = (0..9).map(|at| writer.write(at, Entry::Rx(vec![0; 20])).unwrap()).collect();
        assert_eq!((results.first(), results.last()), (Some(&WriteOutcome::Recorded), Some(&WriteOutcome::Full)));
        let text = String::from_utf8(writer.into_inner()).unwrap();
        assert_eq!(text.matches("full").count(), 1);
        assert!(parse("x.rec", &text).is_ok());
    }

    #[test]
    fn a_long_state_does_not_count_towards_the_limit() {
        let mut writer = Writer::begin(Vec::new(), &Header::new("dgt"), 60).unwrap();
        let state = InitialState { events: vec![serde_json::json!("long"); 100], ..InitialState::default() };
        assert_eq!(writer.write(0, Entry::State(state)).unwrap(), WriteOutcome::Recorded);
        assert_eq!(writer.write(1, Entry::Rx(vec![0; 5])).unwrap(), WriteOutcome::Recorded);
        assert_eq!(writer.write(2, Entry::Rx(vec![0; 50])).unwrap(), WriteOutcome::Full);
    }

    #[test]
    fn errors_name_the_line_and_say_what_to_write() {
        let check = |text: &str, expect: &str| {
            let error = parse("x.rec", text).unwrap_err().to_string();
            assert!(error.contains(expect), "{text}: {error}");
        };
        check("", "x.rec:1: the file is empty: the first line is the header");
        check("{}\n", "x.rec:1: not a recording's header");
        check("{\"touchmove_recording\":2,\"board\":\"dgt\"}\n", "this program reads format 1");
        check("{\"touchmove_recording\":1,\"board\":\"dgt\",\"bord\":1}\n", "bord");
        check(&format!("{HEAD}hello\n"), "x.rec:2: not a line of a recording");
        check(&format!("{HEAD}{{\"t\":1,\"rx\":\"8\"}}\n"), "pairs of hex digits");
        check(&format!("{HEAD}{{\"t\":1,\"rx\":\"8é\"}}\n"), "pairs of hex digits");
        check(&format!("{HEAD}{{\"t\":1,\"link\":\"off\"}}\n"), "write \"up\" or \"down\"");
        check(&format!("{HEAD}{{\"t\":1}}\n"), "this one has 0");
        check(&format!("{HEAD}{{\"t\":1,\"rx\":\"\",\"tx\":\"\"}}\n"), "this one has 2");
        check(&format!("{HEAD}\n{{\"t\":5,\"rx\":\"\"}}\n{{\"t\":4,\"rx\":\"\"}}\n"), "x.rec:4: \"t\" is 4 after 5");
    }

    #[test]
    fn a_line_cut_off_by_a_power_failure_is_the_end() {
        let recording = parse("x.rec", &format!("{HEAD}{{\"t\":1,\"rx\":\"8e\"}}\n{{\"t\":2,\"rx\":\"8")).unwrap();
        assert_eq!(recording.lines.len(), 1);
    }
}
