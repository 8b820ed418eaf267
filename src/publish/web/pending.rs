//! Limits pending logins: requests whose body has not been received completely. When the limit is reached, the oldest is evicted.
//!
//! No user is authenticated yet, so all requests are equal: the oldest one has had the most time.

use crate::publish::guests::address_group;
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
pub struct PendingLogins(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    next: u64,
    logins: BTreeMap<u64, (IpAddr, Arc<Notify>)>,
}

/// A guard for a pending login, which is removed when this is dropped.
pub struct PendingLogin {
    number: u64,
    evicted: Arc<Notify>,
    pending: PendingLogins,
}

impl PendingLogins {
    /// Adds a pending login from this address, and evicts another if a limit is reached.
    pub fn add(&self, from: IpAddr) -> PendingLogin {
        let home = address_group(from);
        let mut waiting = self.lock();
        let oldest_of = |waiting: &Waiting, home: IpAddr| {
            let of_home = waiting.logins.iter().filter(|(_, (other, _))| *other == home);
            (of_home.clone().count(), of_home.map(|(number, _)| *number).next())
        };
        let (own, mut evict) = oldest_of(&waiting, home);
        if own < MAX_PER_ADDRESS {
            evict = None;
            if waiting.logins.len() >= MAX_TOTAL {
                let homes: Vec<IpAddr> = waiting.logins.values().map(|(home, _)| *home).collect();
                evict =
                    homes.iter().map(|home| oldest_of(&waiting, *home)).max_by_key(|(count, _)| *count).and_then(|most| most.1);
            }
        }
        if let Some((_, evicted)) = evict.and_then(|number| waiting.logins.remove(&number)) {
            evicted.notify_one();
        }
        let (number, evicted) = (waiting.next, Arc::new(Notify::new()));
        waiting.next += 1;
        waiting.logins.insert(number, (home, Arc::clone(&evicted)));
        PendingLogin { number, evicted, pending: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingLogin {
    /// Returns when this login is evicted.
    pub async fn evicted(&self) {
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
    fn who_takes_longest_makes_room_for_neighbours() {
        let pending = PendingLogins::default();
        let from = |last: u8| IpAddr::from([192, 0, 2, last]);
        let slow: Vec<_> = (0..MAX_PER_ADDRESS).map(|_| pending.add(from(1))).collect();
        let other = pending.add(from(2));
        assert!(!slow.iter().any(is_evicted), "neighbours have room of their own");
        let neighbour = pending.add(from(1));
        assert!(is_evicted(&slow[0]) && !slow[1..].iter().any(is_evicted) && !is_evicted(&neighbour));
        drop(neighbour);
        let _again = pending.add(from(1));
        assert!(!is_evicted(&slow[1]));
        // At the total limit, the address with the most pending logins loses its oldest.
        let all: Vec<_> =
            (0..MAX_TOTAL - MAX_PER_ADDRESS - 1).map(|index| pending.add(from(10 + (index % 200) as u8))).collect();
        let _last = pending.add(from(250));
        assert!(is_evicted(&slow[1]) && !is_evicted(&other) && !all.iter().any(is_evicted));
        assert_eq!(pending.lock().logins.len(), MAX_TOTAL);
    }
}
