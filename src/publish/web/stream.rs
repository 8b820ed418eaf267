//! Changes as server-sent events.

use super::Web;
use super::stage::Stage;
use super::who::Who;
use crate::daemon::{Stop, stopped};
use crate::publish::guests::Busy;
use axum::body::{Body, Bytes};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Heartbeat interval, so that both ends notice a lost connection.
const QUIET: Duration = Duration::from_secs(15);
/// The heartbeat: an event, because browsers do not report comments to the page.
const ALIVE: &[u8] = b"event: alive\ndata: {}\n\n";
/// The delay after which a browser reconnects, in milliseconds.
const COME_BACK: &str = "retry: 2000\n\n";

/// A client of the event stream.
struct Listener {
    stage: Arc<Stage>,
    changes: watch::Receiver<u64>,
    web: Arc<Web>,
    /// The user, and a receiver of changes of tokens and sessions.
    who: Option<(Who, watch::Receiver<()>)>,
    told: u64,
    /// Whether nothing has been sent yet.
    is_new: bool,
    stop: Stop,
    _busy: Busy,
}

/// Streams all cards that changed after this number, and then all further changes, until the client disconnects, its token is
/// revoked, or its session ends.
pub fn body(web: &Arc<Web>, stage: Arc<Stage>, told: u64, who: Option<Who>, busy: Busy) -> Body {
    let who = who.map(|who| (who, web.access.changes()));
    let (web, stop) = (Arc::clone(web), web.stop.clone());
    let listener = Listener { changes: stage.changes(), stage, web, who, told, is_new: true, stop, _busy: busy };
    Body::from_stream(stream::unfold(listener, async |mut listener| {
        let said = listener.next().await?;
        Some((Ok::<Bytes, Infallible>(said), listener))
    }))
}

impl Listener {
    /// Returns the next bytes; `None` at the end of the stream. Called once all earlier bytes have been sent.
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.is_new) {
            let (told, batch) = self.stage.since(self.told);
            self.told = told;
            return Some([COME_BACK.as_bytes(), &batch].concat().into());
        }
        let quiet = Instant::now() + QUIET;
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
                () = stopped(&mut self.stop) => return None,
            }
            if self.who.as_ref().is_some_and(|(who, _)| !self.web.access.still(who)) {
                return None;
            }
            let (told, batch) = self.stage.since(self.told);
            self.told = told;
            if !batch.is_empty() {
                return Some(batch);
            }
            if quiet <= Instant::now() {
                return Some(Bytes::from_static(ALIVE));
            }
        }
    }
}
