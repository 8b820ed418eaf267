//! What a file of pairings contains, before anything is changed by it.

use super::encoding::{Encoding, decode};
use super::other_file::OtherFile;
use super::problem::{Problem, ProblemKind, Problems};
use super::trf::TableOrder;
use super::{BadRound, Format, Round, csv, pgn, trf};
use serde::Serialize;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// A file of pairings that was read, with everything that is wrong or doubtful in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundPreview {
    /// Its format; `None`: unknown.
    pub format: Option<Format>,
    /// Its character encoding.
    pub encoding: Encoding,
    /// The round, as far as it could be read. It may be used only if there are no errors.
    pub round: Round,
    /// What must be corrected in the file.
    pub errors: Vec<Problem>,
    /// What somebody should look at.
    pub warnings: Vec<Problem>,
    /// The names of the columns that are unknown and were not read.
    pub ignored_columns: Vec<String>,
}

/// What a reader of one format finds in a text.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub round: Round,
    /// The line of each pairing, in their order; shorter if the lines are not known.
    pub lines: Vec<u32>,
    pub errors: Problems,
    pub warnings: Problems,
    pub ignored_columns: Vec<String>,
}

impl RoundPreview {
    /// Returns the round, if there are no errors.
    ///
    /// # Errors
    /// All errors.
    pub fn into_round(self) -> Result<Round, BadRound> {
        if self.errors.is_empty() { Ok(self.round) } else { Err(BadRound(self.errors)) }
    }

    /// Completes the names that the file has cut, as loading the round does (see [`Round::complete_names`]), and checks the round
    /// again. `others`: all loaded rounds.
    pub fn complete_names(&mut self, others: &[Round]) {
        self.round.complete_names(others);
        // Two names may turn out to be that of one player.
        if self.errors.is_empty() {
            let mut errors = Problems::default();
            errors.extend(self.round.check());
            self.errors = errors.into_list();
        }
    }

    fn refused(kind: ProblemKind) -> RoundPreview {
        RoundPreview { errors: vec![Problem::of_file(kind)], ..RoundPreview::default() }
    }

    /// Reads a text of this encoding.
    fn of_text(text: &str, encoding: Encoding, number: Option<u16>, order: &TableOrder) -> RoundPreview {
        let text = text.trim_start_matches('\u{feff}');
        let mut preview = match Format::of(text) {
            _ if text.trim().is_empty() => RoundPreview::refused(ProblemKind::EmptyFile),
            None if text.trim_start().starts_with('<') => RoundPreview::refused(ProblemKind::OtherFile(OtherFile::WebPage)),
            None => RoundPreview::refused(ProblemKind::UnknownFormat),
            Some(format) => {
                let mut reading = match format {
                    Format::Pgn => pgn::read(text, number),
                    Format::Csv => csv::read(text, number),
                    Format::Trf => trf::read(text, number, order),
                };
                // Without pairings the reader has said why, and their number would only distract.
                if reading.errors.is_empty() || !reading.round.pairings.is_empty() {
                    let line = |pairing: usize| reading.lines.get(pairing).copied();
                    reading.errors.extend(reading.round.problems(line));
                    reading.warnings.extend(reading.round.doubts(line));
                }
                RoundPreview {
                    format: Some(format),
                    encoding,
                    round: reading.round,
                    errors: reading.errors.into_list(),
                    warnings: reading.warnings.into_list(),
                    ignored_columns: reading.ignored_columns,
                }
            }
        };
        preview.encoding = encoding;
        preview
    }
}

impl Round {
    /// Reads a file of pairings, in whichever format and encoding it is. `number`: the round that is wanted, of a file that has
    /// several, or that does not say which round it is.
    pub fn read_bytes(bytes: &[u8], number: Option<u16>, order: &TableOrder) -> RoundPreview {
        if bytes.len() > MAX_BYTES {
            return RoundPreview::refused(ProblemKind::TooLarge);
        }
        if let Some(other) = OtherFile::of(bytes) {
            return RoundPreview::refused(ProblemKind::OtherFile(other));
        }
        let decoded = decode(bytes);
        let mut preview = RoundPreview::of_text(&decoded.text, decoded.encoding, number, order);
        if decoded.is_damaged {
            preview.warnings.insert(0, Problem::of_file(ProblemKind::DamagedText));
        }
        if decoded.encoding == Encoding::Windows1252 {
            preview.warnings.insert(0, Problem::of_file(ProblemKind::NotUnicode));
        }
        preview
    }

    /// Like [`Round::read_bytes`], for a text.
    ///
    /// # Errors
    /// All errors in the text.
    pub fn read(text: &str, number: Option<u16>, order: &TableOrder) -> Result<Round, BadRound> {
        RoundPreview::of_text(text, Encoding::Utf8, number, order).into_round()
    }
}
