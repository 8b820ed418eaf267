//! Writes recordings.

use super::raw_line::to_raw;
use super::{Entry, Header, RecordedLine};
use crate::boards::Millis;
use std::io::{self, Write};

/// Outcome of writing a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The line is in the recording.
    Recorded,
    /// The recording has reached its maximum size: this line and all later ones are dropped.
    Full,
}

/// Writes a recording line by line, unbuffered: each line is passed to the inner writer at once.
pub struct Writer<W: Write> {
    to: W,
    remaining: u64,
    full: bool,
    last: Millis,
}

impl<W: Write> Writer<W> {
    /// Begins a recording of at most `cap` bytes. The header, states and a last note that the recording is full are not counted and
    /// always written.
    pub fn begin(mut to: W, header: &Header, cap: u64) -> io::Result<Writer<W>> {
        let mut line = serde_json::to_vec(header)?;
        line.push(b'\n');
        to.write_all(&line)?;
        Ok(Writer { to, remaining: cap, full: false, last: 0 })
    }

    /// Writes one line. A time before that of the last line is replaced by the latter.
    pub fn write(&mut self, at: Millis, entry: Entry) -> io::Result<WriteOutcome> {
        if self.full {
            return Ok(WriteOutcome::Full);
        }
        self.last = at.max(self.last);
        let is_uncounted = matches!(entry, Entry::State(_));
        let bytes = line_bytes(&RecordedLine { at: self.last, entry })?;
        self.remaining = match self.remaining.checked_sub(if is_uncounted { 0 } else { bytes.len() as u64 }) {
            Some(remaining) => remaining,
            None => {
                self.full = true;
                let note = Entry::Note("the recording is full: later entries are missing".to_owned());
                self.to.write_all(&line_bytes(&RecordedLine { at: self.last, entry: note })?)?;
                return Ok(WriteOutcome::Full);
            }
        };
        self.to.write_all(&bytes)?;
        Ok(WriteOutcome::Recorded)
    }

    /// Returns the inner writer.
    pub fn into_inner(self) -> W {
        self.to
    }
}

fn line_bytes(line: &RecordedLine) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(&to_raw(line))?;
    bytes.push(b'\n');
    Ok(bytes)
}
