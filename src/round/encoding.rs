//! The character encoding of a file, and its text.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::Serialize;

/// A character encoding of text files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    #[serde(rename = "UTF-8")]
    Utf8,
    /// UTF-16, the low byte first.
    #[serde(rename = "UTF-16LE")]
    Utf16Le,
    /// UTF-16, the high byte first.
    #[serde(rename = "UTF-16BE")]
    Utf16Be,
    /// Windows-1252, the encoding of older programs in western Europe and America; Latin-1 is a part of it.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DecodedText {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding in which it was.
    pub encoding: Encoding,
    /// Some bytes were invalid in this encoding, and became U+FFFD.
    pub is_damaged: bool,
}

/// Decodes a file. A byte order mark decides; then zero bytes, which occur in UTF-16 only; then whether it is valid UTF-8, which other
/// texts with accents hardly ever are. What remains is Windows-1252: a guess among other encodings would depend on the names in the file,
/// so that a player could be called differently in each round.
pub(super) fn decode(bytes: &[u8]) -> DecodedText {
    let encoding = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => match zero_bytes(bytes) {
            (0, 0) if std::str::from_utf8(bytes).is_ok() => UTF_8,
            (0, 0) => WINDOWS_1252,
            (even, odd) if even > odd => UTF_16BE,
            _ => UTF_16LE,
        },
    };
    let (text, is_damaged) = encoding.decode_with_bom_removal(bytes);
    let encoding = match encoding {
        encoding if encoding == UTF_16LE => Encoding::Utf16Le,
        encoding if encoding == UTF_16BE => Encoding::Utf16Be,
        encoding if encoding == WINDOWS_1252 => Encoding::Windows1252,
        _ => Encoding::Utf8,
    };
    DecodedText { text: text.into_owned(), encoding, is_damaged }
}

/// Returns how many zero bytes are at even and at odd places. Separators, digits and line ends have them in UTF-16, whatever the
/// alphabet of the names.
fn zero_bytes(bytes: &[u8]) -> (usize, usize) {
    let zeros = |offset: usize| bytes.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    (zeros(0), zeros(1))
}
