//! Limits pending logins: requests whose body has not been received completely. When the limit is reached, the oldest is evicted.
//!
//! No user is authenticated yet, so all requests are equal: the oldest one has had the most time.

use crate::publish::http::admission::address_group;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Maximum number of pending logins from one address, or from one /64 of IPv6: a whole playing hall may share one.
const MAX_PER_ADDRESS: usize = 32;
/// Maximum number of pending logins in total.
const MAX_TOTAL: usize = 256;

/// All pending logins.
#[derive(Clone, Default)]
pub(super) struct PendingLogins(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    next: u64,
    logins: BTreeMap<u64, (IpAddr, Arc<Notify>)>,
}

/// A guard for a pending login, which is removed when this is dropped.
pub(super) struct PendingLogin {
    number: u64,
    evicted: Arc<Notify>,
    pending: PendingLogins,
}

impl PendingLogins {
    /// Adds a pending login from this address, and evicts another if a limit is reached.
    pub(super) fn add(&self, from: IpAddr) -> PendingLogin {
        let group = address_group(from);
        let mut waiting = self.lock();
        let oldest_of = |waiting: &Waiting, group: IpAddr| {
            let of_group = waiting.logins.iter().filter(|(_, (other, _))| *other == group);
            (of_group.clone().count(), of_group.map(|(number, _)| *number).next())
        };
        let (own_count, mut evict) = oldest_of(&waiting, group);
        if own_count < MAX_PER_ADDRESS {
            evict = None;
            if waiting.logins.len() >= MAX_TOTAL {
                let groups: Vec<IpAddr> = waiting.logins.values().map(|(group, _)| *group).collect();
                evict = groups
                    .iter()
                    .map(|group| oldest_of(&waiting, *group))
                    .max_by_key(|(count, _)| *count)
                    .and_then(|busiest| busiest.1);
            }
        }
        if let Some((_, evicted)) = evict.and_then(|number| waiting.logins.remove(&number)) {
            evicted.notify_one();
        }
        let (number, evicted) = (waiting.next, Arc::new(Notify::new()));
        waiting.next += 1;
        waiting.logins.insert(number, (group, Arc::clone(&evicted)));
        PendingLogin { number, evicted, pending: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingLogin {
    /// Returns when this login is evicted.
    pub(super) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for PendingLogin {
    fn drop(&mut self) {
        self.pending.lock().logins.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_evicted(login: &PendingLogin) -> bool {
        !login.pending.lock().logins.contains_key(&login.number)
    }

    #[test]
    fn the_oldest_login_of_an_address_is_evicted() {
        let pending = PendingLogins::default();
        let from = |last: u8| IpAddr::from([192, 0, 2, last]);
        let slow: Vec<_> = (0..MAX_PER_ADDRESS).map(|_| pending.add(from(1))).collect();
        let other = pending.add(from(2));
        assert!(!slow.iter().any(is_evicted), "each address has its own limit");
        let newest = pending.add(from(1));
        assert!(is_evicted(&slow[0]) && !slow[1..].iter().any(is_evicted) && !is_evicted(&newest));
        drop(newest);
        let _next = pending.add(from(1));
        assert!(!is_evicted(&slow[1]));
        // At the total limit, the address with the most pending logins loses its oldest.
        let others: Vec<_> =
            (0..MAX_TOTAL - MAX_PER_ADDRESS - 1).map(|index| pending.add(from(10 + (index % 200) as u8))).collect();
        let _last = pending.add(from(250));
        assert!(is_evicted(&slow[1]) && !is_evicted(&other) && !others.iter().any(is_evicted));
        assert_eq!(pending.lock().logins.len(), MAX_TOTAL);
    }
}
