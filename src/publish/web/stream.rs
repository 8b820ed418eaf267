//! Changes as server-sent events.

use super::WebState;
use super::stage::AudienceState;
use super::who::User;
use crate::daemon::{Stop, wait_for_stop};
use crate::publish::guests::ServingGuard;
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
    stage: Arc<AudienceState>,
    changes: watch::Receiver<u64>,
    web: Arc<WebState>,
    /// The user, and a receiver of changes of tokens and sessions.
    who: Option<(User, watch::Receiver<()>)>,
    told: u64,
    /// Whether nothing has been sent yet.
    is_new: bool,
    stop: Stop,
    _busy: ServingGuard,
}

/// Streams all cards that changed after this number, and then all further changes, until the client disconnects, its token is
/// revoked, or its session ends.
pub fn event_stream_body(
    web: &Arc<WebState>,
    stage: Arc<AudienceState>,
    told: u64,
    who: Option<User>,
    busy: ServingGuard,
) -> Body {
    let who = who.map(|who| (who, web.access.changes()));
    let (web, stop) = (Arc::clone(web), web.stop.clone());
    let listener = EventStream { changes: stage.changes(), stage, web, who, told, is_new: true, stop, _busy: busy };
    Body::from_stream(stream::unfold(listener, async |mut listener| {
        let said = listener.next().await?;
        Some((Ok::<Bytes, Infallible>(said), listener))
    }))
}

impl EventStream {
    /// Returns the next bytes; `None` at the end of the stream. Called once all earlier bytes have been sent.
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_new) {
            let (told, batch) = self.stage.events_since(self.told);
            self.told = told;
            return Some([RETRY_DELAY.as_bytes(), &batch].concat().into());
        }
        let quiet = Instant::now() + HEARTBEAT_INTERVAL;
        loop {
            let tokens = async {
                match &mut self.who {
                    Some((_, tokens)) => drop(tokens.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tokens => {}
                changed = self.changes.changed() => changed.ok()?,
                () = sleep_until(quiet) => {}
                () = wait_for_stop(&mut self.stop) => return None,
            }
            if self.who.as_ref().is_some_and(|(who, _)| !self.web.access.is_still_authorized(who)) {
                return None;
            }
            let (told, batch) = self.stage.events_since(self.told);
            self.told = told;
            if !batch.is_empty() {
                return Some(batch);
            }
            if quiet <= Instant::now() {
                return Some(Bytes::from_static(HEARTBEAT));
            }
        }
    }
}
