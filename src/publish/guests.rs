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
const ASKING: Duration = Duration::from_secs(15);
/// Write timeout: a client that does not read its data for this long is disconnected.
const TAKING: Duration = Duration::from_secs(20);
/// Pause before binding is retried, and before accepting is retried after an error (e.g. no more file descriptors).
const AGAIN: Duration = Duration::from_secs(5);
/// Maximum size of a request's head, in bytes.
const HEAD: usize = 16 * 1024;
/// One front-end may use at most 1/`SHARE` of the files that the process may open as connections: boards and the journal need the
/// rest.
const SHARE: u64 = 4;

/// Returns what to do about an address that cannot be bound for this reason: `taken`, unless the service manager or missing
/// privileges prevent it.
pub fn refused(why: &io::Error, taken: &str) -> String {
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
pub struct Room {
    /// Maximum number of connections in total. Lower where the process may open few files.
    pub all: usize,
    /// Maximum number of connections from one address, or from one /64 of IPv6, which is one household.
    pub each: usize,
}

/// A listening front-end.
pub struct House {
    /// The address to bind.
    pub address: SocketAddr,
    /// The connection limits.
    pub room: Room,
    /// The log's word for the clients, such as "browsers".
    pub guests: &'static str,
    /// The TLS certificate; `None`: without TLS.
    pub certificate: Option<Certificate>,
}

/// An admitted client. Each request carries it as an extension.
#[derive(Clone)]
pub struct Guest(Arc<Place>);

/// A guard for a client that is being served: while it is held, the client does not count as idle and keeps its permit.
pub struct Busy {
    place: Arc<Place>,
    weight: Weight,
}

/// Whether a client that is being served may be evicted when the limit is reached and no client is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It is kept, unless its address has more connections than any other.
    Stays,
    /// It is evicted for a new client: it loses little and reconnects.
    Spared,
}

/// A permit for one connection, released when the last reference is dropped.
struct Place {
    seat: Arc<Seat>,
    places: Arc<Places>,
}

/// The state of a connection that has a permit.
struct Seat {
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
struct Places {
    room: Room,
    guests: &'static str,
    inside: Mutex<BTreeMap<u64, Arc<Seat>>>,
    next: AtomicU64,
    said_full: AtomicBool,
}

impl House {
    /// Serves clients until the future is dropped. Binding is retried if it fails; `opened` is called with the result of each
    /// attempt.
    pub async fn open(&self, router: Router, opened: impl Fn(Result<SocketAddr, io::Error>)) {
        let listener = self.listen(opened).await;
        let room = Room { all: self.room.all.min(files()), ..self.room };
        let places = Places::new(room, self.guests);
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                // The client disconnected before it was accepted.
                Err(why) if matches!(why.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => continue,
                Err(why) => {
                    // Possibly there are no more file descriptors.
                    warn!("{} cannot connect now ({why}); it is tried again", self.guests);
                    sleep(AGAIN).await;
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
            sleep(AGAIN).await;
        }
    }
}

/// Returns how many connections a front-end may have, given how many files the process may open.
fn files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / SHARE).unwrap_or(usize::MAX).max(1)
}

impl Guest {
    /// Returns the client's address.
    pub fn peer(&self) -> SocketAddr {
        self.0.seat.peer
    }

    /// Marks the client as being served until the guard is dropped.
    pub fn busy(&self, weight: Weight) -> Busy {
        self.0.seat.busy.fetch_add(1, Ordering::Relaxed);
        if weight == Weight::Spared {
            self.0.seat.spared.fetch_add(1, Ordering::Relaxed);
        }
        Busy { place: Arc::clone(&self.0), weight }
    }
}

impl Busy {
    /// Returns when the client must be evicted.
    pub async fn has_to_go(&self) {
        self.place.seat.leave.notified().await;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let Place { seat, places } = &*self.place;
        if self.weight == Weight::Spared {
            seat.spared.fetch_sub(1, Ordering::Relaxed);
        }
        seat.idle_since.store(places.next.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        seat.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.inside().remove(&self.seat.number);
    }
}

impl Places {
    fn new(room: Room, guests: &'static str) -> Arc<Places> {
        let (inside, next, said_full) = (Mutex::default(), AtomicU64::new(0), AtomicBool::new(false));
        Arc::new(Places { room, guests, inside, next, said_full })
    }

    /// Returns a permit for a client from this address; `None` if the limit is reached and no connection can be evicted.
    fn admit(self: &Arc<Places>, peer: SocketAddr) -> Option<Arc<Place>> {
        let Room { all, each } = self.room;
        let home = home(peer.ip());
        let mut inside = self.inside();
        let is_neighbour = |seat: &&Arc<Seat>| self::home(seat.peer.ip()) == home;
        let crowd: Vec<&Arc<Seat>> = if inside.values().filter(is_neighbour).count() >= each {
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
            let longest = longest.or_else(|| spared(&crowd)).or_else(|| fuller(&crowd, home))?;
            if let Some(seat) = inside.remove(&longest) {
                seat.leave.notify_one();
            }
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let idle_since = AtomicU64::new(number);
        let seat = Arc::new(Seat {
            number,
            peer,
            busy: AtomicUsize::new(0),
            spared: AtomicUsize::new(0),
            idle_since,
            leave: Notify::new(),
        });
        inside.insert(number, Arc::clone(&seat));
        Some(Arc::new(Place { seat, places: Arc::clone(self) }))
    }

    fn inside(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Seat>>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the oldest expendable connection of the address that has the most of them.
fn spared(crowd: &[&Arc<Seat>]) -> Option<u64> {
    let can_be = |seat: &&&Arc<Seat>| {
        let spared = seat.spared.load(Ordering::Relaxed);
        spared > 0 && spared == seat.busy.load(Ordering::Relaxed)
    };
    most(crowd.iter().filter(can_be).copied())?.first().copied()
}

/// Returns the oldest connection of the address that has the most, if that has more than the new client's address would have.
fn fuller(crowd: &[&Arc<Seat>], home: IpAddr) -> Option<u64> {
    let own = crowd.iter().filter(|seat| self::home(seat.peer.ip()) == home).count();
    let most = most(crowd.iter().copied())?;
    most.first().copied().filter(|_| most.len() > own + 1)
}

/// Returns the connections of the address that has the most.
fn most<'a>(seats: impl Iterator<Item = &'a Arc<Seat>>) -> Option<Vec<u64>> {
    let mut by_home: BTreeMap<IpAddr, Vec<u64>> = BTreeMap::new();
    seats.for_each(|seat| by_home.entry(home(seat.peer.ip())).or_default().push(seat.number));
    by_home.into_values().max_by_key(Vec::len)
}

/// Returns the address by which connections are counted together: an IPv4 address, or a /64 of IPv6.
pub fn home(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

async fn serve(stream: TcpStream, acceptor: Option<TlsAcceptor>, place: Arc<Place>, router: Router) {
    // Messages are small, and the client waits for each.
    let _ = stream.set_nodelay(true);
    let stream = Patient { stream, waiting: None };
    let served = Served { router: TowerToHyperService::new(router), guest: Guest(Arc::clone(&place)) };
    let talk = async {
        match acceptor {
            None => answer(stream, served).await,
            Some(acceptor) => match timeout(ASKING, acceptor.accept(stream)).await {
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

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, served: Served) {
    let peer = served.guest.peer();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(ASKING).max_buf_size(HEAD);
    if let Err(why) = http.serve_connection(TokioIo::new(stream), served).with_upgrades().await {
        debug!("{peer} was let go: {why}");
    }
}

/// The HTTP service of one connection.
struct Served {
    router: TowerToHyperService<Router>,
    guest: Guest,
}

type Answered = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

impl Service<Request<Incoming>> for Served {
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = Serving;

    fn call(&self, mut request: Request<Incoming>) -> Serving {
        request.extensions_mut().insert(self.guest.clone());
        Serving { _busy: self.guest.busy(Weight::Stays), answered: Box::pin(self.router.call(request)) }
    }
}

/// A response in progress.
struct Serving {
    answered: Pin<Box<Answered>>,
    _busy: Busy,
}

impl Future for Serving {
    type Output = Result<Response, std::convert::Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.answered.as_mut().poll(context)
    }
}

/// A stream with a write timeout: it fails when the other end does not read its data for [`TAKING`].
struct Patient<S> {
    stream: S,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// Returns the outcome of a write, or an error once it has been pending for the timeout.
    fn waited<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(TAKING)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.waited(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.waited(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.waited(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.waited(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a client that is being served; all come from one address.
    fn serve(places: &Arc<Places>, weight: Weight) -> Option<(Guest, Busy)> {
        let guest = Guest(places.admit("127.0.0.1:1".parse().expect("an address"))?);
        let busy = guest.busy(weight);
        Some((guest, busy))
    }

    #[test]
    fn those_who_look_make_room_and_those_who_rule_do_not() {
        let places = Places::new(Room { all: 4, each: 4 }, "browsers");
        let weights = [Weight::Spared, Weight::Stays, Weight::Spared, Weight::Stays];
        let seated: Vec<_> = weights.iter().map(|weight| serve(&places, *weight).expect("room")).collect();
        let is_in = |index: usize| places.inside().contains_key(&seated[index].0.0.seat.number);
        let first = serve(&places, Weight::Stays).expect("the room of the first who looks");
        assert_eq!([0, 1, 2, 3].map(is_in), [false, true, true, true]);
        let _second = serve(&places, Weight::Stays).expect("the room of the other who looks");
        assert_eq!([0, 1, 2, 3].map(is_in), [false, true, false, true]);
        assert!(serve(&places, Weight::Spared).is_none(), "those who rule make no room for others");
        // A client with a further request on the same connection is not expendable meanwhile.
        drop(first);
        let (guest, _busy) = serve(&places, Weight::Spared).expect("room");
        let asks = guest.busy(Weight::Stays);
        assert!(serve(&places, Weight::Spared).is_none());
        drop(asks);
        assert!(serve(&places, Weight::Spared).is_some());
    }

    #[test]
    fn what_is_in_the_way_is_said() {
        let says = |code| refused(&io::Error::from_raw_os_error(code), "end the other program");
        // EADDRINUSE
        assert_eq!(says(98), "end the other program");
        for code in [1, 97] {
            assert!(says(code).contains("/usr/share/touchmove/systemd/listen.conf"), "{}", says(code));
        }
        assert!(says(13).contains("give a higher one"));
    }
}
