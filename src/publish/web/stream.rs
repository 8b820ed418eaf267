//! Changes as server-sent events.

use super::WebState;
use super::audience_state::AudienceState;
use super::auth::User;
use crate::daemon::{Stop, wait_for_stop};
use crate::publish::http::admission::ServingGuard;
use axum::body::{Body, Bytes};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Heartbeat interval, so that both ends notice a lost connection.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// The heartbeat: an event, because browsers do not report comments to the page.
const HEARTBEAT: &[u8] = b"event: alive\ndata: {}\n\n";
/// The delay after which a browser reconnects, in milliseconds.
const RETRY_DELAY: &str = "retry: 2000\n\n";

/// A client of the event stream.
struct EventStream {
    audience_state: Arc<AudienceState>,
    changes: watch::Receiver<u64>,
    web: Arc<WebState>,
    /// The user, and a receiver of changes of tokens and sessions.
    user: Option<(User, watch::Receiver<()>)>,
    last_seq: u64,
    /// Whether nothing has been sent yet.
    is_new: bool,
    stop: Stop,
    _guard: ServingGuard,
}

/// Streams all cards that changed after this number, and then all further changes, until the client disconnects, its token is
/// revoked, or its session ends.
pub(super) fn event_stream_body(
    web: &Arc<WebState>,
    audience_state: Arc<AudienceState>,
    last_seq: u64,
    user: Option<User>,
    guard: ServingGuard,
) -> Body {
    let user = user.map(|user| (user, web.access.changes()));
    let (web, stop) = (Arc::clone(web), web.stop.clone());
    let event_stream = EventStream {
        changes: audience_state.changes(),
        audience_state,
        web,
        user,
        last_seq,
        is_new: true,
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
        if std::mem::take(&mut self.is_new) {
            let (last_seq, batch) = self.audience_state.events_since(self.last_seq);
            self.last_seq = last_seq;
            return Some([RETRY_DELAY.as_bytes(), &batch].concat().into());
        }
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
            let (last_seq, batch) = self.audience_state.events_since(self.last_seq);
            self.last_seq = last_seq;
            if !batch.is_empty() {
                return Some(batch);
            }
            if heartbeat_at <= Instant::now() {
                return Some(Bytes::from_static(HEARTBEAT));
            }
        }
    }
}
