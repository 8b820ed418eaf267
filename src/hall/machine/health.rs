//! The health problems of a machine of a hall.

use crate::daemon::Hub;
use crate::hall::connection::ConnectionState;
use crate::hall::message::{MessageError, from_json};
use serde::de::DeserializeOwned;
use tracing::{info, warn};

/// The hall cannot be reached.
pub const HALL_AWAY: &str = "hall_away";
/// The hall's server does not store what is sent.
pub const HALL_REFUSES: &str = "hall_refuses";
/// The hall has other events under the numbers of this machine's games.
pub const HALL_CONFLICT: &str = "hall_conflict";
/// Another machine has the same name and key.
pub const HALL_COPY: &str = "hall_copy";
/// The hub has a version of the messages that this machine does not know.
pub const HALL_VERSION: &str = "hall_version";

/// What to say if the server has nobody who listens to the questions of machines.
pub(super) const HUB_SILENT: &str = "the hall's server answers, but the hub does not: start touchmoved there";

/// Returns what to say if the hub has this version of the messages, which this machine does not know.
pub(super) fn later_hub(found: u32) -> String {
    format!(
        "the hub of the hall has a later version of touchmove, and this machine cannot read its messages (version {found}); games are \
         recorded here and sent later: install that version here"
    )
}

/// Reports that the hub has this version of the messages, which this machine does not know.
pub(super) fn report_later_hub(hub: &Hub, found: u32) {
    report(hub, HALL_VERSION, Some(later_hub(found)));
}

/// Reads a message of the hub, and reports whether this machine is too old for it.
///
/// # Errors
/// As [`from_json`].
pub(super) fn read_from_hub<T: DeserializeOwned>(hub: &Hub, payload: &[u8]) -> Result<T, MessageError> {
    let message = from_json(payload);
    match &message {
        Ok(_) => report(hub, HALL_VERSION, None),
        Err(MessageError::Newer { found }) => report_later_hub(hub, *found),
        Err(MessageError::Malformed(_)) => {}
    }
    message
}

/// Returns what to say while there is no connection to the server at this URL.
pub(super) fn away(url: &str, state: &ConnectionState) -> String {
    let reason = match state {
        ConnectionState::Down(reason) => format!(" ({reason})"),
        ConnectionState::Up(_) => String::new(),
    };
    format!(
        "the hall at {url} cannot be reached{reason}: games are recorded here and sent later; check the network, then the hub, or \
         run `sudo touchmovectl doctor`"
    )
}

/// The error codes of the server that say that its storage is full: of the account, of the server, and what a new stream needs.
const FULL_CODES: [u64; 3] = [10_002, 10_023, 10_047];
/// The text of the server if the stream is full. Its error code, 10077, has other meanings, too.
const STREAM_FULL: &str = "maximum bytes exceeded";

/// Returns what to say if the server does not store games, for this reason.
pub(super) fn refused(code: u64, reason: &str) -> String {
    if FULL_CODES.contains(&code) || reason.contains(STREAM_FULL) {
        return format!(
            "the storage of the hall's server is full ({reason}): play on, games are recorded here and sent later; run \
             `sudo touchmovectl hall new-event NAME` at the hub"
        );
    }
    format!(
        "the hall's server does not store games ({reason}): play on, games are recorded here and sent later; free some disk space \
         at the hub, and see `journalctl -u touchmove-nats` there"
    )
}

/// Reports a health problem, or that it is over, and logs the change.
pub(super) fn report(hub: &Hub, kind: &'static str, sentence: Option<String>) {
    let problem = sentence.clone();
    if hub.set_health_problem(kind, None, sentence) {
        match problem {
            Some(problem) => warn!("{problem}"),
            None => info!("health problem {kind:?} is resolved"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_storage_needs_another_event() {
        for (code, reason) in [
            (10_077, "maximum bytes exceeded"),
            (10_023, "insufficient resources"),
            (10_002, "resource limits exceeded for account"),
        ] {
            let sentence = refused(code, reason);
            assert!(sentence.contains("is full") && sentence.contains("hall new-event"), "{sentence}");
        }
        let sentence = refused(10_077, "write: no space left on device");
        assert!(sentence.contains("no space left on device") && sentence.contains("free some disk space"), "{sentence}");
    }
}
