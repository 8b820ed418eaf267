//! Admits clients for every listening front-end: limits connections in total and per address, and keeps one client from blocking
//! others.
//!
//! **Invariants:** when the limit is reached, the connection that has been idle longest is evicted for a new one. If none is idle,
//! an expendable one is evicted, else one from the address with the most connections. So neither idle connections nor long-lived
//! listeners can lock others out. Only the task that serves a client waits for it, and only until a timeout: a client that sends no
//! request, or does not read its data, is disconnected.

use crate::names;
use crate::publish::tls::Certificate;
use axum::Router;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

/// Timeout for the TLS handshake and for the head of each request on a connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Write timeout: a client that does not read its data for this long is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause before binding is retried, and before accepting is retried after an error (e.g. no more file descriptors).
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum size of a request's head, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// One front-end may use at most 1/`FILE_LIMIT_DIVISOR` of the files that the process may open as connections: boards and the journal need the
/// rest.
const FILE_LIMIT_DIVISOR: u64 = 4;

/// Returns what to do about an address that cannot be bound for this reason: `in_use_hint`, unless the service manager or missing
/// privileges prevent it.
pub fn bind_failure_hint(error: &io::Error, in_use_hint: &str) -> String {
    match error.raw_os_error() {
        // EPERM from SocketBindDeny=; EAFNOSUPPORT from RestrictAddressFamilies= (systemd.exec(5), systemd.resource-control(5)).
        Some(1 | 97) => {
            format!("touchmoved may not listen there; {} allows the service to, and explains how", names::LISTEN_FILE)
        }
        // EACCES: a port below 1024.
        Some(13) => "only root may use ports below 1024: choose a higher port".to_owned(),
        _ => in_use_hint.to_owned(),
    }
}

/// Connection limits.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of connections in total. Lower where the process may open few files.
    pub total: usize,
    /// Maximum number of connections from one address, or from one /64 of IPv6, which is one household.
    pub per_address: usize,
}

/// A listening front-end.
pub struct Listener {
    /// The address to bind.
    pub address: SocketAddr,
    /// The connection limits.
    pub limits: ConnectionLimits,
    /// The log's word for the clients, such as "browsers".
    pub client_noun: &'static str,
    /// The TLS certificate; `None`: without TLS.
    pub certificate: Option<Certificate>,
}

/// An admitted client. Each request carries it as an extension.
#[derive(Clone)]
pub struct AdmittedClient(Arc<Permit>);

/// A guard for a client that is being served: while it is held, the client does not count as idle and keeps its permit.
pub struct ServingGuard {
    permit: Arc<Permit>,
    policy: EvictionPolicy,
}

/// Whether a client that is being served may be evicted when the limit is reached and no client is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvictionPolicy {
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
struct Permits {
    limits: ConnectionLimits,
    client_noun: &'static str,
    connections: Mutex<BTreeMap<u64, Arc<ConnectionState>>>,
    next: AtomicU64,
    is_full_logged: AtomicBool,
}

impl Listener {
    /// Serves clients until the future is dropped. Binding is retried if it fails; `report_outcome` is called with the result of
    /// each attempt.
    pub async fn serve(&self, router: Router, report_outcome: impl Fn(Result<SocketAddr, io::Error>)) {
        let listener = self.listen(report_outcome).await;
        let limits = ConnectionLimits { total: self.limits.total.min(max_connections()), ..self.limits };
        let permits = Permits::new(limits, self.client_noun);
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                // The client disconnected before it was accepted.
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {
                    continue;
                }
                Err(error) => {
                    // Possibly there are no more file descriptors.
                    warn!("{} cannot connect now ({error}); touchmove tries again", self.client_noun);
                    sleep(RETRY_INTERVAL).await;
                    continue;
                }
            };
            if let Some(permit) = permits.admit(peer) {
                let acceptor = self.certificate.as_ref().map(Certificate::acceptor);
                tokio::spawn(serve(stream, acceptor, permit, router.clone()));
            }
        }
    }

    async fn listen(&self, report_outcome: impl Fn(Result<SocketAddr, io::Error>)) -> TcpListener {
        loop {
            let bound = TcpListener::bind(self.address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
            match bound {
                Ok((address, listener)) => {
                    report_outcome(Ok(address));
                    return listener;
                }
                Err(error) => report_outcome(Err(error)),
            }
            sleep(RETRY_INTERVAL).await;
        }
    }
}

/// Returns how many connections a front-end may have, given how many files the process may open.
fn max_connections() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / FILE_LIMIT_DIVISOR).unwrap_or(usize::MAX).max(1)
}

impl AdmittedClient {
    /// Returns the client's address.
    pub fn peer(&self) -> SocketAddr {
        self.0.connection.peer
    }

    /// Marks the client as being served until the guard is dropped.
    pub fn start_serving(&self, policy: EvictionPolicy) -> ServingGuard {
        self.0.connection.busy.fetch_add(1, Ordering::Relaxed);
        if policy == EvictionPolicy::Expendable {
            self.0.connection.expendable.fetch_add(1, Ordering::Relaxed);
        }
        ServingGuard { permit: Arc::clone(&self.0), policy }
    }
}

impl ServingGuard {
    /// Returns when the client must be evicted.
    pub async fn evicted(&self) {
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
    fn new(limits: ConnectionLimits, client_noun: &'static str) -> Arc<Permits> {
        let (connections, next, is_full_logged) = (Mutex::default(), AtomicU64::new(0), AtomicBool::new(false));
        Arc::new(Permits { limits, client_noun, connections, next, is_full_logged })
    }

    /// Returns a permit for a client from this address; `None` if the limit is reached and no connection can be evicted.
    fn admit(self: &Arc<Permits>, peer: SocketAddr) -> Option<Arc<Permit>> {
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
        Some(Arc::new(Permit { connection, permits: Arc::clone(self) }))
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
pub fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

async fn serve(stream: TcpStream, acceptor: Option<TlsAcceptor>, permit: Arc<Permit>, router: Router) {
    // Messages are small, and the client waits for each.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(WRITE_TIMEOUT));
    let stream = Box::pin(stream);
    let service = ConnectionService { router: TowerToHyperService::new(router), client: AdmittedClient(Arc::clone(&permit)) };
    let session = async {
        match acceptor {
            None => serve_http(stream, service).await,
            Some(acceptor) => match timeout(REQUEST_TIMEOUT, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => serve_http(stream, service).await,
                Ok(Err(error)) => debug!("the TLS handshake with {} failed: {error}", permit.connection.peer),
                Err(_) => debug!("the TLS handshake with {} timed out", permit.connection.peer),
            },
        }
    };
    tokio::select! {
        () = session => {}
        () = permit.connection.evict.notified() => debug!("the connection of {} was evicted", permit.connection.peer),
    }
}

async fn serve_http(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, service: ConnectionService) {
    let peer = service.client.peer();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).with_upgrades().await {
        debug!("the connection of {peer} ended: {error}");
    }
}

/// The HTTP service of one connection.
struct ConnectionService {
    router: TowerToHyperService<Router>,
    client: AdmittedClient,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Self::Error>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.client.clone());
        let guard = self.client.start_serving(EvictionPolicy::Keep);
        let response = self.router.call(request);
        Box::pin(async move {
            let _guard = guard;
            response.await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a client that is being served; all come from one address.
    fn serve(permits: &Arc<Permits>, policy: EvictionPolicy) -> Option<(AdmittedClient, ServingGuard)> {
        let client = AdmittedClient(permits.admit("127.0.0.1:1".parse().expect("an address"))?);
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

    #[test]
    fn bind_failure_hint_names_the_obstacle() {
        let hint = |code| bind_failure_hint(&io::Error::from_raw_os_error(code), "end the other program");
        // EADDRINUSE
        assert_eq!(hint(98), "end the other program");
        for code in [1, 97] {
            assert!(hint(code).contains("/usr/share/touchmove/systemd/listen.conf"), "{}", hint(code));
        }
        assert!(hint(13).contains("choose a higher port"));
    }
}
