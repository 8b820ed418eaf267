//! Server-sent events that are sent together, once for all clients that need exactly these.

use super::gzip::Segment;
use axum::body::Bytes;
use std::sync::OnceLock;

/// How the changes of a card are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CardFormat {
    /// The whole card.
    Whole,
    /// The changed fields, to clients that have the previous version.
    ChangedFields,
}

/// The events of all changes between two numbers.
pub(super) struct EventBatch {
    /// The number of the last change before these.
    pub from: u64,
    /// The number of the last of these changes.
    pub to: u64,
    /// How cards are sent.
    pub format: CardFormat,
    /// The events as text.
    pub text: Bytes,
    compressed: OnceLock<Segment>,
}

impl EventBatch {
    /// Creates a batch of these events.
    pub(super) fn new(from: u64, to: u64, format: CardFormat, text: Bytes) -> EventBatch {
        EventBatch { from, to, format, text, compressed: OnceLock::new() }
    }

    /// Returns the events compressed; they are compressed when the first client needs them.
    pub(super) fn compressed(&self) -> &Segment {
        self.compressed.get_or_init(|| Segment::compress(&self.text))
    }
}
