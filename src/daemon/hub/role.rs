//! Whether this hub has the role of the hall's hub, if two computers share it; and what the desk enters, for the copy that the other
//! one would go on with.
//!
//! **Invariant:** the role is held until a time and no longer, unless that is extended. So a process that stood still has lost it,
//! before anything notices.

use super::{Hub, Update, lock};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long an entry at the desk waits to be copied.
const COPY_PATIENCE: Duration = Duration::from_secs(3);

/// The reason why a hub does not act as that of the hall; the message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inactive {
    /// Another computer has the role.
    #[error("nothing was changed, because {host} is the hub of the hall now: do it there")]
    OtherHub {
        /// Its host name.
        host: String,
    },
    /// The hub cannot know whether another computer has the role.
    #[error(
        "nothing was changed, because this hub does not reach the hall's server, and the standby hub may have taken over: look there"
    )]
    Unreachable,
}

/// Something that the desk has entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskEntryKind {
    /// Acts at the desk.
    Acts,
    /// Orders to continue games on other boards.
    Continuations,
    /// Names or results of this game of another machine.
    Game(u64),
}

/// A request to copy what the desk has entered.
#[derive(Debug)]
pub struct CopyRequest {
    /// What was entered.
    pub kind: DeskEntryKind,
    /// Receives `true` once it is copied.
    pub done: oneshot::Sender<bool>,
}

/// The role of this hub.
#[derive(Debug, Default)]
pub(super) struct HubRole {
    /// Two computers share the role. Otherwise this one always has it.
    is_shared: AtomicBool,
    /// Until when this one has it, in milliseconds of [`role_clock_ms`].
    held_until: AtomicU64,
    /// The host name of the other one, if that has it.
    other: Mutex<Option<String>>,
    copies: Mutex<Option<mpsc::UnboundedSender<CopyRequest>>>,
}

/// Returns the time since this computer was started, in milliseconds. It does not go back, and goes on while the computer sleeps: then
/// another one may take the role.
pub fn role_clock_ms() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let (seconds, milliseconds) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec / 1_000_000).unwrap_or(0));
    seconds.saturating_mul(1000).saturating_add(milliseconds)
}

impl Hub {
    /// Notes that two computers share the role of the hub, and that this one does not have it until [`Hub::hold_role`] is called.
    pub fn share_role(&self) {
        self.role.held_until.store(0, Ordering::Relaxed);
        self.role.is_shared.store(true, Ordering::Relaxed);
    }

    /// Notes that this hub has the role until this time of [`role_clock_ms`].
    pub fn hold_role(&self, until: u64) {
        let was_held = self.check_role().is_ok();
        self.role.held_until.fetch_max(until, Ordering::Relaxed);
        if !was_held {
            // Whatever was refused meanwhile is done now.
            self.publish(Update::Desk);
        }
    }

    /// Notes that another computer has the role.
    pub fn lose_role(&self, host: &str) {
        self.share_role();
        *lock(&self.role.other) = Some(host.to_owned());
    }

    /// Checks that this hub has the role now.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check_role(&self) -> Result<(), Inactive> {
        if !self.role.is_shared.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Some(host) = lock(&self.role.other).clone() {
            return Err(Inactive::OtherHub { host });
        }
        if role_clock_ms() < self.role.held_until.load(Ordering::Relaxed) { Ok(()) } else { Err(Inactive::Unreachable) }
    }

    /// Returns the requests to copy what the desk enters, which from now on is confirmed only when it is copied.
    pub fn copy_requests(&self) -> mpsc::UnboundedReceiver<CopyRequest> {
        let (sender, requests) = mpsc::unbounded_channel();
        *lock(&self.role.copies) = Some(sender);
        requests
    }

    /// Requests to copy what the desk has entered. Returns what receives `true` once it is copied; `None`: nothing is copied.
    pub fn request_copy(&self, kind: DeskEntryKind) -> Option<oneshot::Receiver<bool>> {
        let (done, copied) = oneshot::channel();
        lock(&self.role.copies).as_ref()?.send(CopyRequest { kind, done }).ok().map(|()| copied)
    }
}

/// Waits until something is copied. Returns whether it is.
pub(super) async fn is_copied(copied: oneshot::Receiver<bool>) -> bool {
    matches!(tokio::time::timeout(COPY_PATIENCE, copied).await, Ok(Ok(true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::Journal;

    #[test]
    fn a_shared_role_is_held_for_a_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let (journal, _) = Journal::open(dir.path()).expect("a journal");
        let hub = Hub::new(journal, &[]);
        assert_eq!(hub.check_role(), Ok(()));
        hub.share_role();
        assert_eq!(hub.check_role(), Err(Inactive::Unreachable));
        hub.hold_role(role_clock_ms() + 60_000);
        assert_eq!(hub.check_role(), Ok(()));
        // An answer that came too late extends nothing.
        hub.share_role();
        hub.hold_role(role_clock_ms());
        assert_eq!(hub.check_role(), Err(Inactive::Unreachable));
        hub.lose_role("hub-2");
        hub.hold_role(role_clock_ms() + 60_000);
        assert_eq!(hub.check_role(), Err(Inactive::OtherHub { host: "hub-2".to_owned() }));
    }
}
