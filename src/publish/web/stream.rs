//! Changes as server-sent events.

use super::WebState;
use super::auth::User;
use super::event_batch::{CardFormat, EventBatch};
use super::gzip::{GzipStream, Segment};
use crate::daemon::{Stop, wait_for_stop};
use crate::publish::http::admission::ServingGuard;
use axum::body::{Body, Bytes};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Heartbeat interval, so that both ends notice a lost connection.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// The heartbeat: an event, because browsers do not report comments to the page.
const HEARTBEAT: &[u8] = b"event: alive\ndata: {}\n\n";
/// The delay after which a browser reconnects, in milliseconds.
const RETRY_DELAY: &[u8] = b"retry: 2000\n\n";

/// The heartbeat and the retry delay, compressed.
static COMPRESSED_HEARTBEAT: LazyLock<Segment> = LazyLock::new(|| Segment::compress(HEARTBEAT));
static COMPRESSED_RETRY_DELAY: LazyLock<Segment> = LazyLock::new(|| Segment::compress(RETRY_DELAY));

/// What a client requests.
pub(super) struct StreamRequest {
    /// The number of the last change that it has; 0: none.
    pub last_seq: u64,
    /// How it wants the changes of cards.
    pub format: CardFormat,
    /// Whether it accepts gzip.
    pub gzip: bool,
}

/// What a stream is about.
pub(super) trait EventSource: Send + Sync {
    /// Returns a receiver of the number of the last change.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Returns the changes after `number` as server-sent events; without text if there are none.
    fn events_since(&self, number: u64, format: CardFormat) -> Arc<EventBatch>;
}

/// A client of the event stream.
struct EventStream {
    source: Arc<dyn EventSource>,
    changes: watch::Receiver<u64>,
    web: Arc<WebState>,
    /// The user, and a receiver of changes of tokens and sessions.
    user: Option<(User, watch::Receiver<()>)>,
    last_seq: u64,
    format: CardFormat,
    /// The compressed stream; `None` if the client does not accept it.
    gzip: Option<GzipStream>,
    progress: Progress,
    stop: Stop,
    _guard: ServingGuard,
}

/// What was sent so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing.
    New,
    /// The first changes.
    Begun,
    /// Everything.
    Ended,
}

/// Streams everything that changed after the requested number, and then all further changes, until the client disconnects, its token
/// is revoked, or its session ends.
pub(super) fn event_stream_body(
    web: &Arc<WebState>,
    source: Arc<dyn EventSource>,
    request: &StreamRequest,
    user: Option<User>,
    guard: ServingGuard,
) -> Body {
    let user = user.map(|user| (user, web.access.changes()));
    let (web, stop) = (Arc::clone(web), web.stop.clone());
    let event_stream = EventStream {
        changes: source.changes(),
        source,
        web,
        user,
        last_seq: request.last_seq,
        format: request.format,
        gzip: request.gzip.then(GzipStream::default),
        progress: Progress::New,
        stop,
        _guard: guard,
    };
    Body::from_stream(stream::unfold(event_stream, async |mut event_stream| {
        let chunk = event_stream.next().await?;
        Some((Ok::<Bytes, Infallible>(chunk), event_stream))
    }))
}

impl EventStream {
    /// Returns the next bytes; `None` at the end of the stream. Called once all earlier bytes have been sent.
    async fn next(&mut self) -> Option<Bytes> {
        match self.progress {
            Progress::New => {
                self.progress = Progress::Begun;
                Some(self.begin())
            }
            Progress::Begun => match self.next_events().await {
                Some(events) => Some(events),
                None => {
                    self.progress = Progress::Ended;
                    self.gzip.as_ref().map(GzipStream::end)
                }
            },
            Progress::Ended => None,
        }
    }

    /// Returns the first bytes.
    fn begin(&mut self) -> Bytes {
        let batch = self.next_batch();
        match &mut self.gzip {
            Some(gzip) => [gzip.begin(&COMPRESSED_RETRY_DELAY), gzip.append(batch.compressed())].concat().into(),
            None => [RETRY_DELAY, &batch.text].concat().into(),
        }
    }

    /// Returns the changes since the last batch.
    fn next_batch(&mut self) -> Arc<EventBatch> {
        let batch = self.source.events_since(self.last_seq, self.format);
        self.last_seq = batch.to;
        batch
    }

    /// Returns the next events; `None` when there will be no more.
    async fn next_events(&mut self) -> Option<Bytes> {
        let heartbeat_at = Instant::now() + HEARTBEAT_INTERVAL;
        loop {
            let tokens = async {
                match &mut self.user {
                    Some((_, tokens)) => drop(tokens.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tokens => {}
                changed = self.changes.changed() => changed.ok()?,
                () = sleep_until(heartbeat_at) => {}
                () = wait_for_stop(&mut self.stop) => return None,
            }
            if self.user.as_ref().is_some_and(|(user, _)| !self.web.access.is_still_authorized(user)) {
                return None;
            }
            let batch = self.next_batch();
            if !batch.text.is_empty() {
                return Some(match &mut self.gzip {
                    Some(gzip) => gzip.append(batch.compressed()),
                    None => batch.text.clone(),
                });
            }
            if heartbeat_at <= Instant::now() {
                return Some(match &mut self.gzip {
                    Some(gzip) => gzip.append(&COMPRESSED_HEARTBEAT),
                    None => Bytes::from_static(HEARTBEAT),
                });
            }
        }
    }
}
