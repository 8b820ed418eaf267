//! Those who are logging in, and have not sent all of it yet: so many at once, and whoever takes long makes room.
//!
//! Nobody is logged in here, so nobody is worth more than another: where it is full, whoever came first has had the longest time.

use crate::publish::guests::home;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// So many from one address, or from one /64 of IPv6: a whole hall may share one...
const EACH: usize = 32;
/// ...and so many from all.
const ALL: usize = 256;

/// Those who are logging in.
#[derive(Clone, Default)]
pub struct PendingLogins(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    next: u64,
    logins: BTreeMap<u64, (IpAddr, Arc<Notify>)>,
}

/// One who is logging in, until this is dropped.
pub struct PendingLogin {
    number: u64,
    evicted: Arc<Notify>,
    pending: PendingLogins,
}

impl PendingLogins {
    /// One more, from here.
    pub fn add(&self, from: IpAddr) -> PendingLogin {
        let home = home(from);
        let mut waiting = self.lock();
        let oldest_of = |waiting: &Waiting, home: IpAddr| {
            let of_home = waiting.logins.iter().filter(|(_, (other, _))| *other == home);
            (of_home.clone().count(), of_home.map(|(number, _)| *number).next())
        };
        let (own, mut evict) = oldest_of(&waiting, home);
        if own < EACH {
            evict = None;
            if waiting.logins.len() >= ALL {
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
    /// Returns when it has to make room.
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
        let slow: Vec<_> = (0..EACH).map(|_| pending.add(from(1))).collect();
        let other = pending.add(from(2));
        assert!(!slow.iter().any(is_evicted), "neighbours have room of their own");
        let neighbour = pending.add(from(1));
        assert!(is_evicted(&slow[0]) && !slow[1..].iter().any(is_evicted) && !is_evicted(&neighbour));
        drop(neighbour);
        let _again = pending.add(from(1));
        assert!(!is_evicted(&slow[1]));
        // Full of all: one of those makes room who are most.
        let all: Vec<_> = (0..ALL - EACH - 1).map(|index| pending.add(from(10 + (index % 200) as u8))).collect();
        let _last = pending.add(from(250));
        assert!(is_evicted(&slow[1]) && !is_evicted(&other) && !all.iter().any(is_evicted));
        assert_eq!(pending.lock().logins.len(), ALL);
    }
}
