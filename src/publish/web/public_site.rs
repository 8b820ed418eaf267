//! The public page: documents, pages and their changes, made once for all spectators.
//!
//! **Invariant:** nothing waits for a spectator, and what is kept for them has a limit.

use super::etag::entity_tag;
use super::event_batch::{CardFormat, EventBatch, EventBatches};
use super::gzip::gzip;
use super::stream::EventSource;
use crate::daemon::hub::feed::{Changes, UpdateFeed};
use crate::daemon::{DelayedView, Stop, wait_for_stop};
use crate::publish::public::{Document, PageForm, PublicOptions, PublicPath, PublicTournament, View, render, seq_of};
use axum::body::Bytes;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Pause between updates, as for the cards of a large hall: everything that happens meanwhile is one change.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// Number of streams for which the pause grows by one millisecond: each update is written to every stream.
const STREAMS_PER_MS: u64 = 10;
/// How old a page with many boards may be: its script reads the documents anyway, and this is the thread of the boards.
const PAGE_AGE: Duration = Duration::from_secs(1);
/// How many bytes of documents are kept; then all are made again when they are requested.
const MAX_CACHED_BYTES: usize = 4 << 20;

/// The public page.
pub(super) struct PublicSite {
    /// What the organiser has decided.
    pub options: PublicOptions,
    delayed_view: Arc<DelayedView>,
    /// Distinguishes the numbers of changes from those of other runs of the program.
    run_id: String,
    state: Mutex<SiteState>,
    /// The number of the last change.
    changed: watch::Sender<u64>,
}

struct SiteState {
    updates: UpdateFeed,
    /// Everything has to be read.
    all: bool,
    tournament: PublicTournament,
    documents: BTreeMap<(PublicPath, &'static str), Arc<ServedDocument>>,
    cached_bytes: usize,
    /// Batches that end at the last change.
    batches: EventBatches,
}

/// A document as it is served.
pub(super) struct ServedDocument {
    seq: u64,
    made: Instant,
    /// Its entity tag.
    pub tag: String,
    /// Its media type.
    pub kind: &'static str,
    /// Its content.
    pub bytes: Bytes,
    compressed: OnceLock<Bytes>,
}

impl ServedDocument {
    fn new(seq: u64, document: Document) -> ServedDocument {
        let Document { kind, text } = document;
        let tag = entity_tag(text.as_bytes());
        ServedDocument { seq, made: Instant::now(), tag, kind, bytes: text.into(), compressed: OnceLock::new() }
    }

    /// Returns the content compressed, if it is already.
    pub(super) fn known_compressed(&self) -> Option<Bytes> {
        self.compressed.get().cloned()
    }

    /// Returns the content compressed. This takes some milliseconds the first time.
    pub(super) fn compressed(&self) -> Bytes {
        self.compressed.get_or_init(|| gzip(&self.bytes)).clone()
    }
}

impl PublicSite {
    /// Starts the page; it follows the delayed view until `stop`.
    pub(super) fn start(
        delayed_view: &Arc<DelayedView>,
        options: PublicOptions,
        run_id: String,
        mut stop: Stop,
    ) -> Arc<PublicSite> {
        let (updates, mut wakes) = (delayed_view.subscribe(), delayed_view.subscribe());
        let tournament = PublicTournament::new(options.clone());
        let (documents, batches) = (BTreeMap::new(), EventBatches::default());
        let state = SiteState { updates, all: true, tournament, documents, cached_bytes: 0, batches };
        let site = Arc::new(PublicSite {
            options,
            delayed_view: Arc::clone(delayed_view),
            run_id,
            state: Mutex::new(state),
            changed: watch::Sender::new(0),
        });
        site.update();
        let updater = Arc::clone(&site);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    received = wakes.next() => if received.is_none() { return },
                    () = wait_for_stop(&mut stop) => return,
                }
                wakes.skip_to_now();
                updater.update();
                tokio::select! {
                    () = sleep(updater.update_interval()) => {}
                    () = wait_for_stop(&mut stop) => return,
                }
            }
        });
        site
    }

    /// Returns a document; `None`: there is none.
    pub(super) fn get(&self, path: PublicPath, form: &PageForm<'_>) -> Option<Arc<ServedDocument>> {
        let mut state = self.lock();
        let state = &mut *state;
        let seq = seq_of(&state.tournament, path)?;
        let key = (path, form.locale.tag());
        // The address in a QR code is that which was requested.
        let is_kept = !matches!(path, PublicPath::QrCode(_));
        let has_many_boards = matches!(path, PublicPath::Page(View::Event | View::Round(_)));
        let is_current = |known: &&Arc<ServedDocument>| known.seq == seq || has_many_boards && known.made.elapsed() < PAGE_AGE;
        if let Some(known) = state.documents.get(&key).filter(is_current) {
            return Some(Arc::clone(known));
        }
        let document = Arc::new(ServedDocument::new(seq, render(&state.tournament, path, form)?));
        if is_kept {
            state.cached_bytes += document.bytes.len();
            if state.cached_bytes > MAX_CACHED_BYTES {
                state.documents.clear();
                state.cached_bytes = document.bytes.len();
            }
            if let Some(before) = state.documents.insert(key, Arc::clone(&document)) {
                state.cached_bytes = state.cached_bytes.saturating_sub(before.bytes.len());
            }
        }
        Some(document)
    }

    /// Returns whether pages may evaluate positions now.
    pub(super) fn allows_evaluation(&self) -> bool {
        let delay = self.delayed_view.delay();
        self.options.evaluation && (delay.ms > 0 || delay.plies > 0)
    }

    /// Parses `run_id-number`; returns 0 if it is not a number of this page.
    pub(super) fn parse_event_id(&self, id: &str) -> u64 {
        let number = id.rsplit_once('-').filter(|(run_id, _)| *run_id == self.run_id);
        let number = number.and_then(|(_, number)| number.parse().ok());
        number.filter(|number| *number <= self.lock().tournament.seq()).unwrap_or(0)
    }

    /// Returns the least time between two updates.
    fn update_interval(&self) -> Duration {
        let streams = u64::try_from(self.changed.receiver_count()).unwrap_or(u64::MAX);
        UPDATE_INTERVAL + Duration::from_millis(streams / STREAMS_PER_MS)
    }

    fn update(&self) {
        let mut state = self.lock();
        let state = &mut *state;
        let is_first = std::mem::take(&mut state.all);
        let changes = state.updates.drain(None);
        if changes.as_ref().is_none_or(|changes| *changes == Changes::default()) && !is_first {
            return;
        }
        let Changes { desk, health, missed, .. } = changes.unwrap_or_default();
        let before = state.tournament.seq();
        state.tournament.follow(&self.delayed_view, is_first || desk || health || missed);
        let seq = state.tournament.seq();
        if seq != before || is_first {
            self.changed.send_replace(seq);
        }
    }

    fn lock(&self) -> MutexGuard<'_, SiteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSource for PublicSite {
    fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn events_since(&self, number: u64, format: CardFormat) -> Arc<EventBatch> {
        let mut state = self.lock();
        let state = &mut *state;
        let last = state.tournament.seq();
        if let Some(batch) = state.batches.get(number, last, format) {
            return batch;
        }
        let mut text = String::new();
        for change in state.tournament.changes_since(number) {
            let (seq, event, data) = (change.seq, change.event, change.data);
            let _ = write!(text, "id: {}-{seq}\nevent: {event}\ndata: {data}\n\n", self.run_id);
        }
        state.batches.store(EventBatch::new(number, last, format, text.into()))
    }
}
