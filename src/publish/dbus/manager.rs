//! `org.touchmove1.Manager`.

use crate::daemon::Hub;
use crate::names::API_VERSION;
use std::sync::Arc;
use zbus::interface;

/// The service as a whole.
pub struct Manager {
    /// Where to read.
    pub hub: Arc<Hub>,
}

/// The service as a whole. Boards and games are found through org.freedesktop.DBus.ObjectManager on the same object.
/// Since API version 1.
#[interface(name = "org.touchmove1.Manager")]
impl Manager {
    /// Version of the program, e.g. 0.1.0.
    #[zbus(property(emits_changed_signal = "const"))]
    fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    /// Version of these interfaces. It counts up with each incompatible change; what is only added does not count.
    #[zbus(property(emits_changed_signal = "const"))]
    fn api_version(&self) -> u32 {
        API_VERSION
    }

    /// What is wrong with the service now, as (kind, sentence). Kinds: journal_full (moves are held back, none is lost, until
    /// there is room), journal_failed (as before, for another reason), game_unreadable, recordings_stopped. The sentence says what to do.
    #[zbus(property)]
    fn trouble(&self) -> Vec<(String, String)> {
        self.hub.read(|state| {
            let mut told = Vec::new();
            for trouble in &state.trouble {
                let trouble = (trouble.kind.to_owned(), trouble.sentence.clone());
                // Boards that share a trouble say it once.
                if !told.contains(&trouble) {
                    told.push(trouble);
                }
            }
            told
        })
    }
}
