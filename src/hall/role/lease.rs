//! The lease of the hub's role: who has it, in which term, and when somebody else may take it.
//!
//! **Invariant:** the hub that has the role counts it as lost at least four seconds before another one may take it. Both measure only
//! how long something did not happen, each by its own clock, which does not go back.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a hub has the role after it began to renew the lease.
pub(super) const HOLD: Duration = Duration::from_secs(6);
/// The interval at which it renews the lease.
pub(super) const RENEWAL_INTERVAL: Duration = Duration::from_secs(2);
/// How long a standby hub must see no renewal before it takes the role.
const TAKEOVER_AFTER: Duration = Duration::from_secs(10);

/// The content of the lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lease {
    /// Grows with each hub that takes the role, and with each start of a hub that has it.
    pub(super) term: u64,
    /// Identifies the hub: the incarnation of its journal.
    pub(super) hub: String,
    /// Its host name, for people.
    pub(super) host: String,
    /// The hub whose copy it has still to adopt before it serves; `None`: it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) adopts: Option<String>,
}

impl Lease {
    /// Returns the hub whose copy somebody must adopt who takes the role after this lease.
    pub(super) fn to_adopt(&self) -> &str {
        self.adopts.as_deref().unwrap_or(&self.hub)
    }
}

/// Who has the role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// Nobody: there is no lease.
    Nobody,
    /// This hub, which serves.
    Own(Lease),
    /// This hub, which has not yet adopted the copy of another one.
    OwnAdopting(Lease),
    /// Another hub.
    Other(Lease),
}

impl Holder {
    /// `hub`: identifies this one.
    pub(super) fn of(lease: Option<Lease>, hub: &str) -> Holder {
        match lease {
            None => Holder::Nobody,
            Some(lease) if lease.hub != hub => Holder::Other(lease),
            Some(lease) if lease.adopts.is_some() => Holder::OwnAdopting(lease),
            Some(lease) => Holder::Own(lease),
        }
    }
}

/// How long a standby hub has seen nothing of the one that serves.
#[derive(Debug)]
pub(super) struct LeaseWatch {
    /// The sequence number of the lease that was seen last; 0: there was none.
    revision: u64,
    /// Since when nothing was seen, in milliseconds.
    quiet_since: u64,
}

impl LeaseWatch {
    /// Begins to watch, when the connection is made. While there was none, nothing could be seen.
    pub(super) fn new(now_ms: u64) -> LeaseWatch {
        LeaseWatch { revision: 0, quiet_since: now_ms }
    }

    /// Notes the lease that is there now.
    pub(super) fn note_revision(&mut self, revision: u64, now_ms: u64) {
        if revision != self.revision {
            (self.revision, self.quiet_since) = (revision, now_ms);
        }
    }

    /// Notes another sign that a hub serves.
    pub(super) fn note_life(&mut self, now_ms: u64) {
        self.quiet_since = now_ms;
    }

    /// Returns whether this hub may take the role.
    pub(super) fn may_take(&self, now_ms: u64) -> bool {
        u128::from(now_ms.saturating_sub(self.quiet_since)) >= TAKEOVER_AFTER.as_millis()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_is_taken_only_after_ten_quiet_seconds() {
        let mut watch = LeaseWatch::new(1_000);
        assert!(!watch.may_take(10_999) && watch.may_take(11_000));
        watch.note_revision(5, 10_999);
        watch.note_revision(5, 15_000);
        assert!(!watch.may_take(20_998) && watch.may_take(20_999));
        // A hub that was set up without a standby hub has no lease, but is heard.
        watch.note_life(20_000);
        assert!(!watch.may_take(29_999) && watch.may_take(30_000));
        assert!(HOLD + RENEWAL_INTERVAL <= TAKEOVER_AFTER.checked_sub(Duration::from_secs(2)).unwrap_or_default());
    }

    #[test]
    fn a_hub_serves_after_it_has_adopted_the_copy() {
        let lease = |hub: &str, adopts: Option<&str>| Lease {
            term: 3,
            hub: hub.to_owned(),
            host: String::new(),
            adopts: adopts.map(str::to_owned),
        };
        assert_eq!(Holder::of(None, "a"), Holder::Nobody);
        assert_eq!(Holder::of(Some(lease("b", None)), "a"), Holder::Other(lease("b", None)));
        assert_eq!(Holder::of(Some(lease("a", Some("b"))), "a"), Holder::OwnAdopting(lease("a", Some("b"))));
        assert_eq!(Holder::of(Some(lease("a", None)), "a"), Holder::Own(lease("a", None)));
        // Whoever takes over from a hub that failed meanwhile adopts the same copy.
        assert_eq!((lease("a", Some("b")).to_adopt(), lease("a", None).to_adopt()), ("b", "a"));
    }
}
