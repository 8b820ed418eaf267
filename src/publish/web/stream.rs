//! What happens, as server-sent events.

use super::stage::Stage;
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
/// How long a browser waits before it comes back, in milliseconds.
const COME_BACK: &str = "retry: 2000\n\n";

/// One who listens.
struct Listener {
    stage: Arc<Stage>,
    changes: watch::Receiver<u64>,
    told: u64,
    /// Nothing was said yet.
    is_new: bool,
    stop: Stop,
    _busy: Busy,
}

/// All cards that changed after this number, and those that change from now on, until the listener goes or `stop`.
pub fn body(stage: Arc<Stage>, told: u64, busy: Busy, stop: Stop) -> Body {
    let listener = Listener { changes: stage.changes(), stage, told, is_new: true, stop, _busy: busy };
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
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                () = sleep_until(quiet) => return Some(Bytes::from_static(b": still here\n\n")),
                () = stopped(&mut self.stop) => return None,
            }
            let (told, batch) = self.stage.since(self.told);
            self.told = told;
            if !batch.is_empty() {
                return Some(batch);
            }
        }
    }
}
