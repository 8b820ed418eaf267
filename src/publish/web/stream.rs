//! What happens, as server-sent events.

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

/// Something is said this often, so that both ends notice when the other is gone.
const QUIET: Duration = Duration::from_secs(15);
/// What is said then: an event, because a page is not told of comments.
const ALIVE: &[u8] = b"event: alive\ndata: {}\n\n";
/// How long a browser waits before it comes back, in milliseconds.
const COME_BACK: &str = "retry: 2000\n\n";

/// One who listens.
struct Listener {
    stage: Arc<Stage>,
    changes: watch::Receiver<u64>,
    web: Arc<Web>,
    /// Who it is, and when tokens or sessions change.
    who: Option<(Who, watch::Receiver<()>)>,
    told: u64,
    /// Nothing was said yet.
    is_new: bool,
    stop: Stop,
    _busy: Busy,
}

/// All cards that changed after this number, and those that change from now on: until the listener goes, his token is taken back, or his session has
/// ended.
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
    /// What is said next; `None`: nothing any more. Asked for when all before has been taken.
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
