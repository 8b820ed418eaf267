//! Message 8f: the board's own memory, a ring buffer of 7936 bytes in an EEPROM, sent from the oldest entry to the newest.
//!
//! | bytes | entry | becomes |
//! |---|---|---|
//! | 40–5f, field | a square changed: low nibble the piece code; bit 4: less than about 250 ms after the change before | [`MemoryEntry::Square`] |
//! | 60–69 or 70–79, minutes, seconds | the clock was pressed, with the time of the stopped half; low nibble the hours, bit 4: the left half; the others binary-coded decimal | [`MemoryEntry::ClockPressed`] |
//! | 6a | switched on; every piece that is detected follows as a changed square | [`MemoryEntry::PowerUp`] |
//! | 6b | the end | ignored: it is also the end of the message |
//! | 6c | all pieces on the outer four rows, but not the start position | ignored |
//! | 6d | the board is empty | [`MemoryEntry::Cleared`] |
//! | 6e | the memory was sent | ignored |
//! | 6f, 7a | the start position, or the same turned round | [`MemoryEntry::StartPosition`] |
//! | 7b | start of a game, set in bus mode; every piece follows | ignored: the pieces have not moved |
//! | 7c | the watchdog bit; 6a follows | ignored |
//! | 7d, 7e | reserved | ignored |
//! | 7f, 00 | nothing | ignored |
//!
//! A change of the square that changed last replaces that entry, so that a flickering square does not fill the ring buffer: the
//! touch is lost, but never the state. Presses in quick succession may be missing.
//!
//! The newest entry may have overwritten part of the oldest. Bytes that cannot be decoded are skipped; decoding continues at the
//! next byte that can begin an entry. *Unknown*: one other program interprets bit 4 of a time as the right half. Users of these
//! times must not rely on it.

use super::codes::{piece, square};
use crate::boards::{ClockHalf, MemoryEntry};

/// Size of the ring buffer, in bytes.
pub(crate) const SIZE: usize = 0x1f00;

/// Decodes the memory, oldest entry first.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<MemoryEntry> {
    let mut entries = Vec::new();
    while let [first, rest @ ..] = bytes {
        let (entry, length) = match (first, rest) {
            (0x40..=0x5f, &[field, ..]) => match (square(field), piece(first & 0x0f)) {
                (Some(square), Some(sensed)) => {
                    (Some(MemoryEntry::Square { square, sensed, follows_at_once: first & 0x10 != 0 }), 2)
                }
                _ => (None, 1),
            },
            (0x60..=0x69 | 0x70..=0x79, &[minutes, seconds, ..]) => match time(first & 0x0f, minutes, seconds) {
                Some(ms) => {
                    let half = if first & 0x10 != 0 { ClockHalf::Left } else { ClockHalf::Right };
                    (Some(MemoryEntry::ClockPressed { half, ms }), 3)
                }
                None => (None, 1),
            },
            (0x6a, _) => (Some(MemoryEntry::PowerUp), 1),
            (0x6d, _) => (Some(MemoryEntry::Cleared), 1),
            (0x6f | 0x7a, _) => (Some(MemoryEntry::StartPosition), 1),
            _ => (None, 1),
        };
        entries.extend(entry);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    entries
}

/// Decodes a time, in milliseconds; `None` if a digit is invalid.
fn time(hours: u8, minutes: u8, seconds: u8) -> Option<u32> {
    let digits = |byte: u8| (byte >> 4 <= 5 && byte & 0x0f <= 9).then_some(u32::from(byte >> 4) * 10 + u32::from(byte & 0x0f));
    Some(((u32::from(hours) * 60 + digits(minutes)?) * 60 + digits(seconds)?) * 1000)
}
