//! Server-sent events that are sent together, once for all clients that need exactly these.

use super::gzip::Segment;
use axum::body::Bytes;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// Number of different batches that are kept until the next change: one for clients that have everything but the last changes in
/// each format, the others for new clients and those that fell behind.
const MAX_BATCHES: usize = 4;

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

/// The batches that clients needed since the last change, the newest first.
#[derive(Default)]
pub(super) struct EventBatches(VecDeque<Arc<EventBatch>>);

impl EventBatches {
    /// Returns the batch of the changes after `from` up to `to`, the last change, if there is one. Removes those of earlier changes.
    pub(super) fn get(&mut self, from: u64, to: u64, format: CardFormat) -> Option<Arc<EventBatch>> {
        self.0.retain(|batch| batch.to == to);
        self.0.iter().find(|batch| (batch.from, batch.format) == (from, format)).cloned()
    }

    /// Stores a batch, and returns it.
    pub(super) fn store(&mut self, batch: EventBatch) -> Arc<EventBatch> {
        let batch = Arc::new(batch);
        self.0.truncate(MAX_BATCHES - 1);
        self.0.push_front(Arc::clone(&batch));
        batch
    }
}
