//! Admits clients for every listening front-end: limits connections in total and per address, and keeps one client from blocking
//! others.
//!
//! **Invariants:** when the limit is reached, the connection that has been idle longest is evicted for a new one. If none is idle,
//! an expendable one is evicted, else one from the address with the most connections. So neither idle connections nor long-lived
//! listeners can lock others out.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tracing::warn;

/// Connection limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// Maximum number of connections in total. Lower where the process may open few files.
    pub total: usize,
    /// Maximum number of connections from one address, or from one /64 of IPv6, which is one household.
    pub per_address: usize,
}

/// An admitted client. Each request carries it as an extension.
#[derive(Clone)]
pub(crate) struct AdmittedClient(Arc<Permit>);

/// A guard for a client that is being served: while it is held, the client does not count as idle and keeps its permit.
pub(crate) struct ServingGuard {
    permit: Arc<Permit>,
    policy: EvictionPolicy,
}

/// Whether a client that is being served may be evicted when the limit is reached and no client is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvictionPolicy {
    /// It is kept, unless its address has more connections than any other.
    Keep,
    /// It is evicted for a new client: it loses little and reconnects.
    Expendable,
}

/// A permit for one connection, released when the last reference is dropped.
struct Permit {
    connection: Arc<ConnectionState>,
    permits: Arc<Permits>,
}

/// The state of a connection that has a permit.
struct ConnectionState {
    number: u64,
    peer: SocketAddr,
    /// Number of its requests being served.
    busy: AtomicUsize,
    /// Number of its requests being served that are expendable.
    expendable: AtomicUsize,
    /// When it last became idle, as a sequence number.
    idle_since: AtomicU64,
    evict: Notify,
}

/// All connections.
pub(super) struct Permits {
    limits: ConnectionLimits,
    client_noun: &'static str,
    connections: Mutex<BTreeMap<u64, Arc<ConnectionState>>>,
    next: AtomicU64,
    is_full_logged: AtomicBool,
}

impl AdmittedClient {
    /// Returns the client's address.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.0.connection.peer
    }

    /// Marks the client as being served until the guard is dropped.
    pub(crate) fn start_serving(&self, policy: EvictionPolicy) -> ServingGuard {
        self.0.connection.busy.fetch_add(1, Ordering::Relaxed);
        if policy == EvictionPolicy::Expendable {
            self.0.connection.expendable.fetch_add(1, Ordering::Relaxed);
        }
        ServingGuard { permit: Arc::clone(&self.0), policy }
    }

    /// Returns when the client must be evicted.
    pub(super) async fn evicted(&self) {
        self.0.connection.evict.notified().await;
    }
}

impl ServingGuard {
    /// Returns when the client must be evicted.
    pub(crate) async fn evicted(&self) {
        self.permit.connection.evict.notified().await;
    }
}

impl Drop for ServingGuard {
    fn drop(&mut self) {
        let Permit { connection, permits } = &*self.permit;
        if self.policy == EvictionPolicy::Expendable {
            connection.expendable.fetch_sub(1, Ordering::Relaxed);
        }
        connection.idle_since.store(permits.next.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        connection.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.connections().remove(&self.connection.number);
    }
}

impl Permits {
    pub(super) fn new(limits: ConnectionLimits, client_noun: &'static str) -> Arc<Permits> {
        let (connections, next, is_full_logged) = (Mutex::default(), AtomicU64::new(0), AtomicBool::new(false));
        Arc::new(Permits { limits, client_noun, connections, next, is_full_logged })
    }

    /// Admits a client from this address; returns `None` if the limit is reached and no connection can be evicted.
    pub(super) fn admit(self: &Arc<Permits>, peer: SocketAddr) -> Option<AdmittedClient> {
        let ConnectionLimits { total, per_address } = self.limits;
        let group = address_group(peer.ip());
        let mut connections = self.connections();
        let is_same_group = |connection: &&Arc<ConnectionState>| self::address_group(connection.peer.ip()) == group;
        let candidates: Vec<&Arc<ConnectionState>> = if connections.values().filter(is_same_group).count() >= per_address {
            connections.values().filter(is_same_group).collect()
        } else if connections.len() >= total {
            connections.values().collect()
        } else {
            Vec::new()
        };
        if candidates.is_empty() {
            self.is_full_logged.fetch_and(connections.len() * 2 > total, Ordering::Relaxed);
        } else {
            if !self.is_full_logged.swap(true, Ordering::Relaxed) {
                let count = candidates.len();
                warn!(
                    "{count} {} are connected: idle connections are closed to make room, and further clients are rejected",
                    self.client_noun
                );
            }
            let idle = candidates.iter().filter(|connection| connection.busy.load(Ordering::Relaxed) == 0);
            let evicted =
                idle.min_by_key(|connection| connection.idle_since.load(Ordering::Relaxed)).map(|connection| connection.number);
            let evicted =
                evicted.or_else(|| pick_expendable(&candidates)).or_else(|| pick_from_busiest_address(&candidates, group))?;
            if let Some(connection) = connections.remove(&evicted) {
                connection.evict.notify_one();
            }
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let idle_since = AtomicU64::new(number);
        let connection = Arc::new(ConnectionState {
            number,
            peer,
            busy: AtomicUsize::new(0),
            expendable: AtomicUsize::new(0),
            idle_since,
            evict: Notify::new(),
        });
        connections.insert(number, Arc::clone(&connection));
        Some(AdmittedClient(Arc::new(Permit { connection, permits: Arc::clone(self) })))
    }

    fn connections(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionState>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the oldest expendable connection of the address that has the most of them.
fn pick_expendable(candidates: &[&Arc<ConnectionState>]) -> Option<u64> {
    let is_expendable = |connection: &&&Arc<ConnectionState>| {
        let expendable = connection.expendable.load(Ordering::Relaxed);
        expendable > 0 && expendable == connection.busy.load(Ordering::Relaxed)
    };
    connections_of_busiest_address(candidates.iter().filter(is_expendable).copied())?.first().copied()
}

/// Returns the oldest connection of the address that has the most, if that has more than the new client's address would have.
fn pick_from_busiest_address(candidates: &[&Arc<ConnectionState>], group: IpAddr) -> Option<u64> {
    let own_count = candidates.iter().filter(|connection| self::address_group(connection.peer.ip()) == group).count();
    let busiest = connections_of_busiest_address(candidates.iter().copied())?;
    busiest.first().copied().filter(|_| busiest.len() > own_count + 1)
}

/// Returns the connections of the address that has the most.
fn connections_of_busiest_address<'a>(connections: impl Iterator<Item = &'a Arc<ConnectionState>>) -> Option<Vec<u64>> {
    let mut by_group: BTreeMap<IpAddr, Vec<u64>> = BTreeMap::new();
    connections.for_each(|connection| by_group.entry(address_group(connection.peer.ip())).or_default().push(connection.number));
    by_group.into_values().max_by_key(Vec::len)
}

/// Returns the address by which connections are counted together: an IPv4 address, or a /64 of IPv6.
pub(crate) fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a client that is being served; all come from one address.
    fn serve(permits: &Arc<Permits>, policy: EvictionPolicy) -> Option<(AdmittedClient, ServingGuard)> {
        let client = permits.admit("127.0.0.1:1".parse().expect("an address"))?;
        let busy = client.start_serving(policy);
        Some((client, busy))
    }

    #[test]
    fn expendable_connections_are_evicted_and_others_are_not() {
        let permits = Permits::new(ConnectionLimits { total: 4, per_address: 4 }, "browsers");
        let policies = [EvictionPolicy::Expendable, EvictionPolicy::Keep, EvictionPolicy::Expendable, EvictionPolicy::Keep];
        let clients: Vec<_> = policies.iter().map(|policy| serve(&permits, *policy).expect("a free permit")).collect();
        let is_connected = |index: usize| permits.connections().contains_key(&clients[index].0.0.connection.number);
        let first = serve(&permits, EvictionPolicy::Keep).expect("the permit of the first expendable connection");
        assert_eq!([0, 1, 2, 3].map(is_connected), [false, true, true, true]);
        let _second = serve(&permits, EvictionPolicy::Keep).expect("the permit of the other expendable connection");
        assert_eq!([0, 1, 2, 3].map(is_connected), [false, true, false, true]);
        assert!(serve(&permits, EvictionPolicy::Expendable).is_none(), "connections that are kept are not evicted");
        // A client with a further request on the same connection is not expendable meanwhile.
        drop(first);
        let (client, _guard) = serve(&permits, EvictionPolicy::Expendable).expect("a free permit");
        let request = client.start_serving(EvictionPolicy::Keep);
        assert!(serve(&permits, EvictionPolicy::Expendable).is_none());
        drop(request);
        assert!(serve(&permits, EvictionPolicy::Expendable).is_some());
    }
}
