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
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Sleep, sleep, timeout};
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

/// Returns what to do about an address that cannot be bound for this reason: `taken`, unless the service manager or missing
/// privileges prevent it.
pub fn bind_failure_hint(why: &io::Error, taken: &str) -> String {
    match why.raw_os_error() {
        // EPERM from SocketBindDeny=; EAFNOSUPPORT from RestrictAddressFamilies= (systemd.exec(5), systemd.resource-control(5)).
        Some(1 | 97) => {
            format!("touchmoved may not listen there; as a service it may with {}, which says how", names::LISTEN_FILE)
        }
        // EACCES: a port below 1024.
        Some(13) => "ports below 1024 are root's: give a higher one".to_owned(),
        _ => taken.to_owned(),
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
    pub room: ConnectionLimits,
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
    place: Arc<Permit>,
    weight: EvictionPolicy,
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
    seat: Arc<ConnectionState>,
    places: Arc<Permits>,
}

/// The state of a connection that has a permit.
struct ConnectionState {
    number: u64,
    peer: SocketAddr,
    /// Number of its requests being served.
    busy: AtomicUsize,
    /// Number of its requests being served that are expendable.
    spared: AtomicUsize,
    /// When it last became idle, as a sequence number.
    idle_since: AtomicU64,
    leave: Notify,
}

/// All connections.
struct Permits {
    room: ConnectionLimits,
    guests: &'static str,
    connections: Mutex<BTreeMap<u64, Arc<ConnectionState>>>,
    next: AtomicU64,
    said_full: AtomicBool,
}

impl Listener {
    /// Serves clients until the future is dropped. Binding is retried if it fails; `opened` is called with the result of each
    /// attempt.
    pub async fn serve(&self, router: Router, opened: impl Fn(Result<SocketAddr, io::Error>)) {
        let listener = self.listen(opened).await;
        let room = ConnectionLimits { total: self.room.total.min(max_connections()), ..self.room };
        let places = Permits::new(room, self.client_noun);
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                // The client disconnected before it was accepted.
                Err(why) if matches!(why.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => continue,
                Err(why) => {
                    // Possibly there are no more file descriptors.
                    warn!("{} cannot connect now ({why}); it is tried again", self.client_noun);
                    sleep(RETRY_INTERVAL).await;
                    continue;
                }
            };
            if let Some(place) = places.admit(peer) {
                let acceptor = self.certificate.as_ref().map(Certificate::acceptor);
                tokio::spawn(serve(stream, acceptor, place, router.clone()));
            }
        }
    }

    async fn listen(&self, opened: impl Fn(Result<SocketAddr, io::Error>)) -> TcpListener {
        loop {
            let bound = TcpListener::bind(self.address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
            match bound {
                Ok((address, listener)) => {
                    opened(Ok(address));
                    return listener;
                }
                Err(why) => opened(Err(why)),
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
        self.0.seat.peer
    }

    /// Marks the client as being served until the guard is dropped.
    pub fn start_serving(&self, weight: EvictionPolicy) -> ServingGuard {
        self.0.seat.busy.fetch_add(1, Ordering::Relaxed);
        if weight == EvictionPolicy::Expendable {
            self.0.seat.spared.fetch_add(1, Ordering::Relaxed);
        }
        ServingGuard { place: Arc::clone(&self.0), weight }
    }
}

impl ServingGuard {
    /// Returns when the client must be evicted.
    pub async fn evicted(&self) {
        self.place.seat.leave.notified().await;
    }
}

impl Drop for ServingGuard {
    fn drop(&mut self) {
        let Permit { seat, places } = &*self.place;
        if self.weight == EvictionPolicy::Expendable {
            seat.spared.fetch_sub(1, Ordering::Relaxed);
        }
        seat.idle_since.store(places.next.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        seat.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.places.inside().remove(&self.seat.number);
    }
}

impl Permits {
    fn new(room: ConnectionLimits, guests: &'static str) -> Arc<Permits> {
        let (inside, next, said_full) = (Mutex::default(), AtomicU64::new(0), AtomicBool::new(false));
        Arc::new(Permits { room, guests, connections: inside, next, said_full })
    }

    /// Returns a permit for a client from this address; `None` if the limit is reached and no connection can be evicted.
    fn admit(self: &Arc<Permits>, peer: SocketAddr) -> Option<Arc<Permit>> {
        let ConnectionLimits { total: all, per_address: each } = self.room;
        let home = address_group(peer.ip());
        let mut inside = self.inside();
        let is_neighbour = |seat: &&Arc<ConnectionState>| self::address_group(seat.peer.ip()) == home;
        let crowd: Vec<&Arc<ConnectionState>> = if inside.values().filter(is_neighbour).count() >= each {
            inside.values().filter(is_neighbour).collect()
        } else if inside.len() >= all {
            inside.values().collect()
        } else {
            Vec::new()
        };
        if crowd.is_empty() {
            self.said_full.fetch_and(inside.len() * 2 > all, Ordering::Relaxed);
        } else {
            if !self.said_full.swap(true, Ordering::Relaxed) {
                let count = crowd.len();
                warn!("{count} {} are connected: those who ask for nothing make room, and others are turned away", self.guests);
            }
            let silent = crowd.iter().filter(|seat| seat.busy.load(Ordering::Relaxed) == 0);
            let longest = silent.min_by_key(|seat| seat.idle_since.load(Ordering::Relaxed)).map(|seat| seat.number);
            let longest = longest.or_else(|| pick_expendable(&crowd)).or_else(|| pick_from_busiest_address(&crowd, home))?;
            if let Some(seat) = inside.remove(&longest) {
                seat.leave.notify_one();
            }
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let idle_since = AtomicU64::new(number);
        let seat = Arc::new(ConnectionState {
            number,
            peer,
            busy: AtomicUsize::new(0),
            spared: AtomicUsize::new(0),
            idle_since,
            leave: Notify::new(),
        });
        inside.insert(number, Arc::clone(&seat));
        Some(Arc::new(Permit { seat, places: Arc::clone(self) }))
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<ConnectionState>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the oldest expendable connection of the address that has the most of them.
fn pick_expendable(crowd: &[&Arc<ConnectionState>]) -> Option<u64> {
    let can_be = |seat: &&&Arc<ConnectionState>| {
        let spared = seat.spared.load(Ordering::Relaxed);
        spared > 0 && spared == seat.busy.load(Ordering::Relaxed)
    };
    connections_of_busiest_address(crowd.iter().filter(can_be).copied())?.first().copied()
}

/// Returns the oldest connection of the address that has the most, if that has more than the new client's address would have.
fn pick_from_busiest_address(crowd: &[&Arc<ConnectionState>], home: IpAddr) -> Option<u64> {
    let own = crowd.iter().filter(|seat| self::address_group(seat.peer.ip()) == home).count();
    let most = connections_of_busiest_address(crowd.iter().copied())?;
    most.first().copied().filter(|_| most.len() > own + 1)
}

/// Returns the connections of the address that has the most.
fn connections_of_busiest_address<'a>(seats: impl Iterator<Item = &'a Arc<ConnectionState>>) -> Option<Vec<u64>> {
    let mut by_home: BTreeMap<IpAddr, Vec<u64>> = BTreeMap::new();
    seats.for_each(|seat| by_home.entry(address_group(seat.peer.ip())).or_default().push(seat.number));
    by_home.into_values().max_by_key(Vec::len)
}

/// Returns the address by which connections are counted together: an IPv4 address, or a /64 of IPv6.
pub fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

async fn serve(stream: TcpStream, acceptor: Option<TlsAcceptor>, place: Arc<Permit>, router: Router) {
    // Messages are small, and the client waits for each.
    let _ = stream.set_nodelay(true);
    let stream = WriteTimeoutStream { stream, waiting: None };
    let served = ConnectionService { router: TowerToHyperService::new(router), guest: AdmittedClient(Arc::clone(&place)) };
    let talk = async {
        match acceptor {
            None => answer(stream, served).await,
            Some(acceptor) => match timeout(REQUEST_TIMEOUT, acceptor.accept(stream)).await {
                Ok(Ok(stream)) => answer(stream, served).await,
                Ok(Err(why)) => debug!("{} speaks no TLS with us: {why}", place.seat.peer),
                Err(_) => debug!("{} was too slow", place.seat.peer),
            },
        }
    };
    tokio::select! {
        () = talk => {}
        () = place.seat.leave.notified() => debug!("{} made room", place.seat.peer),
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, served: ConnectionService) {
    let peer = served.guest.peer();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(MAX_HEAD_BYTES);
    if let Err(why) = http.serve_connection(TokioIo::new(stream), served).with_upgrades().await {
        debug!("{peer} was let go: {why}");
    }
}

/// The HTTP service of one connection.
struct ConnectionService {
    router: TowerToHyperService<Router>,
    guest: AdmittedClient,
}

type Answered = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = ResponseFuture;

    fn call(&self, mut request: Request<Incoming>) -> ResponseFuture {
        request.extensions_mut().insert(self.guest.clone());
        ResponseFuture { _busy: self.guest.start_serving(EvictionPolicy::Keep), answered: Box::pin(self.router.call(request)) }
    }
}

/// A response in progress.
struct ResponseFuture {
    answered: Pin<Box<Answered>>,
    _busy: ServingGuard,
}

impl Future for ResponseFuture {
    type Output = Result<Response, std::convert::Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.answered.as_mut().poll(context)
    }
}

/// A stream with a write timeout: it fails when the other end does not read its data for [`WRITE_TIMEOUT`].
struct WriteTimeoutStream<S> {
    stream: S,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeoutStream<S> {
    /// Returns the outcome of a write, or an error once it has been pending for the timeout.
    fn check_timeout<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_timeout(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check_timeout(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.check_timeout(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check_timeout(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a client that is being served; all come from one address.
    fn serve(places: &Arc<Permits>, weight: EvictionPolicy) -> Option<(AdmittedClient, ServingGuard)> {
        let guest = AdmittedClient(places.admit("127.0.0.1:1".parse().expect("an address"))?);
        let busy = guest.start_serving(weight);
        Some((guest, busy))
    }

    #[test]
    fn those_who_look_make_room_and_those_who_rule_do_not() {
        let places = Permits::new(ConnectionLimits { total: 4, per_address: 4 }, "browsers");
        let weights = [EvictionPolicy::Expendable, EvictionPolicy::Keep, EvictionPolicy::Expendable, EvictionPolicy::Keep];
        let seated: Vec<_> = weights.iter().map(|weight| serve(&places, *weight).expect("room")).collect();
        let is_in = |index: usize| places.inside().contains_key(&seated[index].0.0.seat.number);
        let first = serve(&places, EvictionPolicy::Keep).expect("the room of the first who looks");
        assert_eq!([0, 1, 2, 3].map(is_in), [false, true, true, true]);
        let _second = serve(&places, EvictionPolicy::Keep).expect("the room of the other who looks");
        assert_eq!([0, 1, 2, 3].map(is_in), [false, true, false, true]);
        assert!(serve(&places, EvictionPolicy::Expendable).is_none(), "those who rule make no room for others");
        // A client with a further request on the same connection is not expendable meanwhile.
        drop(first);
        let (guest, _busy) = serve(&places, EvictionPolicy::Expendable).expect("room");
        let asks = guest.start_serving(EvictionPolicy::Keep);
        assert!(serve(&places, EvictionPolicy::Expendable).is_none());
        drop(asks);
        assert!(serve(&places, EvictionPolicy::Expendable).is_some());
    }

    #[test]
    fn what_is_in_the_way_is_said() {
        let says = |code| bind_failure_hint(&io::Error::from_raw_os_error(code), "end the other program");
        // EADDRINUSE
        assert_eq!(says(98), "end the other program");
        for code in [1, 97] {
            assert!(says(code).contains("/usr/share/touchmove/systemd/listen.conf"), "{}", says(code));
        }
        assert!(says(13).contains("give a higher one"));
    }
}
