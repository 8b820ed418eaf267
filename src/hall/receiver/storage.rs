//! How full the storage of the hall's server is, and the health problem that warns before nothing more fits.

use crate::daemon::Hub;
use crate::hall::message::MAX_BYTES;
use crate::hall::setup::registry::Registry;
use async_nats::jetstream::Context;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::Stream;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use tracing::{debug, info, warn};

/// Kind of health problem: the server of the hall has little storage left.
pub const HALL_STORAGE: &str = "hall_storage";

/// The share from which on it is reported, in percent.
const WARN_PERCENT: u64 = 80;
/// The share below which it is no longer reported, in percent.
const CLEAR_PERCENT: u64 = 75;
/// The interval at which the server is asked.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// How much of a storage is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StorageUse {
    /// The bytes that are used.
    used: u64,
    /// The bytes that may be used.
    limit: u64,
}

impl StorageUse {
    /// Returns the share that is used, in whole percent, rounded down.
    pub(super) fn percent(self) -> u64 {
        self.used.saturating_mul(100).checked_div(self.limit).unwrap_or(0)
    }

    /// Returns whether the largest message does not fit any more.
    fn is_full(self) -> bool {
        self.limit.saturating_sub(self.used) < MAX_BYTES as u64
    }
}

/// What the server says of its storage; the type of the library has fields that version 2.9 does not send.
#[derive(Deserialize)]
struct Account {
    /// The bytes on disk of all streams.
    storage: u64,
}

/// Reads how much of the storage is used: of the stream of this event, or of all streams of the server, whichever is fuller.
///
/// # Errors
/// The server does not answer; its error.
pub(super) async fn measure(context: &Context, stream: &Stream, registry: &Registry) -> Result<StorageUse, String> {
    let info = stream.get_info().await.map_err(|error| error.to_string())?;
    let account = match context.request("INFO", b"").await {
        Ok(Response::Ok(Account { storage })) => storage,
        Ok(Response::Err { error }) => return Err(error.to_string()),
        Err(error) => return Err(error.to_string()),
    };
    let all = StorageUse { used: account, limit: registry.store_bytes };
    let of_stream = u64::try_from(info.config.max_bytes).ok().filter(|limit| *limit > 0);
    let event = of_stream.map(|limit| StorageUse { used: info.state.bytes, limit });
    Ok(event.into_iter().fold(all, |fuller, event| if event.percent() > fuller.percent() { event } else { fuller }))
}

/// Returns a sentence if the storage is nearly full. `was_reported`: whether it was before.
pub(super) fn sentence(storage: StorageUse, event: &str, was_reported: bool) -> Option<String> {
    let percent = storage.percent();
    if percent < if was_reported { CLEAR_PERCENT } else { WARN_PERCENT } {
        return None;
    }
    let state = match storage.is_full() && percent >= WARN_PERCENT {
        true => "is full, and machines keep their games for themselves".to_owned(),
        false => format!("is {percent} % full, and when it is full the hub gets no more games"),
    };
    Some(format!(
        "the storage of the hall's server for \"{event}\" {state}: run `sudo touchmovectl hall new-event NAME`, \
         which begins an empty one and keeps all games"
    ))
}

/// Reports the health problem, and when it is over, until it is dropped.
pub(super) async fn watch(hub: Arc<Hub>, context: Context, stream: Stream, registry: Registry) {
    let mut checks = interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        checks.tick().await;
        let storage = match measure(&context, &stream, &registry).await {
            Ok(storage) => storage,
            Err(error) => {
                debug!("the storage of the hall's server is not known: {error}");
                continue;
            }
        };
        let was_reported = hub.read(|state| state.health_problems.iter().any(|problem| problem.kind == HALL_STORAGE));
        let sentence = sentence(storage, &registry.hall, was_reported);
        hub.set_health_problem(HALL_STORAGE, None, sentence.clone());
        match sentence {
            // The share changes often.
            Some(sentence) if !was_reported => warn!("{sentence}"),
            None if was_reported => info!("health problem {HALL_STORAGE:?} is resolved"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 100 << 20;

    fn at(percent: u64, was_reported: bool) -> Option<String> {
        sentence(StorageUse { used: LIMIT / 100 * percent, limit: LIMIT }, "open-2026", was_reported)
    }

    #[test]
    fn a_storage_is_reported_until_there_is_room_again() {
        assert_eq!(at(79, false), None);
        assert!(at(80, false).is_some_and(|sentence| sentence.contains("\"open-2026\" is 80 % full")));
        assert!(at(75, true).is_some_and(|sentence| sentence.contains("75 % full")));
        assert_eq!(at(74, true), None);
    }

    #[test]
    fn a_storage_is_full_if_the_largest_message_does_not_fit() {
        let full = StorageUse { used: LIMIT - MAX_BYTES as u64 + 1, limit: LIMIT };
        let sentence = sentence(full, "open-2026", true).unwrap_or_default();
        assert!(sentence.contains("is full, and machines keep their games"), "{sentence}");
        assert!(at(99, true).is_some_and(|sentence| sentence.contains("99 % full")));
        assert_eq!(StorageUse { used: 1, limit: 0 }.percent(), 0);
    }
}
