//! Reads recordings.

use super::raw_line::{LINE_HELP, RawLine, parse_line};
use super::{Entry, FORMAT, Header, Recording, RecordingError};
use crate::boards::Millis;
use std::path::Path;

/// Maximum length of a recording: 366 days, in milliseconds.
const MAX_DURATION: Millis = 366 * 86_400_000;
const HEADER_EXAMPLE: &str = r#"{"touchmove_recording":1,"board":"dgt"}"#;

/// Reads a recording from a file.
pub fn read(path: &Path) -> Result<Recording, RecordingError> {
    let file = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&file, &text),
        Err(error) => Err(RecordingError::Io { file, error }),
    }
}

/// Parses a recording; `file` is its name in errors. Empty lines are skipped. An incomplete last line (no newline, no complete
/// JSON) is skipped too: a recording ends like this after a power cut.
pub fn parse(file: &str, text: &str) -> Result<Recording, RecordingError> {
    let line_error = |line: usize, reason: String| RecordingError::Line { file: file.to_owned(), line, reason };
    let mut lines = text.split_inclusive('\n').enumerate().map(|(index, line)| (index + 1, line));
    let (number, first) = lines
        .by_ref()
        .find(|(_, line)| !line.trim().is_empty())
        .ok_or_else(|| line_error(1, format!("the file is empty: the first line is the header, e.g. {HEADER_EXAMPLE}")))?;
    let header = parse_header(first).map_err(|reason| line_error(number, reason))?;
    let mut recording = Recording { header, lines: Vec::new() };
    let mut last = 0;
    for (number, text) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let line = match serde_json::from_str::<RawLine>(text) {
            Ok(raw) => parse_line(raw).map_err(|reason| line_error(number, reason))?,
            Err(error) if error.is_eof() && !text.ends_with('\n') => break,
            Err(error) => return Err(line_error(number, format!("not a line of a recording: {error}; {LINE_HELP}"))),
        };
        if line.at < last {
            return Err(line_error(number, format!("\"t\" is {} after {last}: times must not decrease", line.at)));
        }
        if line.at > MAX_DURATION {
            return Err(line_error(
                number,
                format!("\"t\" is {}, more than a year: write milliseconds since the recording began", line.at),
            ));
        }
        if matches!(line.entry, Entry::State(_)) && !recording.lines.is_empty() {
            return Err(line_error(number, "a \"state\" must be the first line after the header".to_owned()));
        }
        last = line.at;
        recording.lines.push(line);
    }
    Ok(recording)
}

fn parse_header(line: &str) -> Result<Header, String> {
    let header: Header = serde_json::from_str(line)
        .map_err(|error| format!("not a recording's header: {error}; write e.g. {HEADER_EXAMPLE}"))?;
    if header.touchmove_recording != FORMAT {
        return Err(format!(
            "\"touchmove_recording\" is {}, and this program reads format {FORMAT}: replay it with the program that wrote it",
            header.touchmove_recording
        ));
    }
    Ok(header)
}
