//! The health problems of a machine of a hall.

use crate::daemon::Hub;
use tracing::{info, warn};

/// The hall cannot be reached.
pub const HALL_AWAY: &str = "hall_away";
/// The hall's server does not store what is sent.
pub const HALL_REFUSES: &str = "hall_refuses";
/// The hall has other events under the numbers of this machine's games.
pub const HALL_CONFLICT: &str = "hall_conflict";
/// Another machine has the same name and key.
pub const HALL_COPY: &str = "hall_copy";

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
