//! Who is let in, for every face that listens: so many at once, so many from one address, and nobody may keep others waiting.
//!
//! **Invariants:** where it is full, whoever has been silent longest makes room for who comes, and where all are being served, one who
//! can be spared, else one from the address that has the most: neither connections that are opened and left nor those that listen for ever keep others out. Nothing waits for a client but the task that serves it, and that not for long: one that does not ask, or does not
//! take what it is told, is let go.

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

/// How long a client may take to ask, also for the next thing on the same connection.
const ASKING: Duration = Duration::from_secs(15);
/// A client that takes nothing of what waits for it for so long is let go.
const TAKING: Duration = Duration::from_secs(20);
/// When an address that could not be had is tried again, and after there was no more room for connections.
const AGAIN: Duration = Duration::from_secs(5);
/// What a client says before the empty line may take so many bytes.
const HEAD: usize = 16 * 1024;
/// Of the files that this program may open so many at most, as a part of them, are one face's connections: boards and the journal
/// need the rest.
const SHARE: u64 = 4;

/// What to do about an address that cannot be had for this reason: `taken`, but where it is the service manager that is in the way.
pub fn refused(why: &io::Error, taken: &str) -> String {
    match why.raw_os_error() {
        // EPERM, of SocketBindDeny=; EAFNOSUPPORT, of RestrictAddressFamilies= (systemd.exec(5), systemd.resource-control(5)).
        Some(1 | 97) => {
            format!("touchmoved may not listen there; as a service it may with {}, which says how", names::LISTEN_FILE)
        }
        // EACCES: a port below 1024.
        Some(13) => "ports below 1024 are root's: give a higher one".to_owned(),
        _ => taken.to_owned(),
    }
}

/// How many are let in.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// All together. Fewer where this program may open few files.
    pub all: usize,
    /// From one address, or from the same /64 of IPv6, which is one household.
    pub each: usize,
}

/// A face that listens.
pub struct House {
    /// Where.
    pub address: SocketAddr,
    /// How many are let in.
    pub room: Room,
    /// What they are called in the log: "browsers".
    pub guests: &'static str,
    /// `None`: without TLS.
    pub certificate: Option<Certificate>,
}

/// A client that was let in. Each request carries it as an extension.
#[derive(Clone)]
pub struct Guest(Arc<Place>);

/// A guest that is being served: as long as this is held it does not count as silent, and its place is taken.
pub struct Busy {
    place: Arc<Place>,
    weight: Weight,
}

/// What becomes of a guest that is being served, where all are and it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// It stays, unless its address has more of them than any other.
    Stays,
    /// It makes room for who comes: it loses little, and comes again.
    Spared,
}

/// A place, given back when nobody holds it any more.
struct Place {
    seat: Arc<Seat>,
    places: Arc<Places>,
}

/// What is known of who has a place.
struct Seat {
    number: u64,
    peer: SocketAddr,
    /// How many of its requests are being answered...
    busy: AtomicUsize,
    /// ...and how many of these can be spared.
    spared: AtomicUsize,
    /// When it last stopped being busy, in the order of such things.
    idle_since: AtomicU64,
    leave: Notify,
}

/// Those who are in.
struct Places {
    room: Room,
    guests: &'static str,
    inside: Mutex<BTreeMap<u64, Arc<Seat>>>,
    next: AtomicU64,
    said_full: AtomicBool,
}

impl House {
    /// Serves clients until it is dropped. An address that cannot be had is tried again. `opened` hears of each attempt.
    pub async fn open(&self, router: Router, opened: impl Fn(Result<SocketAddr, io::Error>)) {
        let listener = self.listen(opened).await;
        let room = Room { all: self.room.all.min(files()), ..self.room };
        let places = Places::new(room, self.guests);
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                // It went before it was let in.
                Err(why) if matches!(why.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => continue,
                Err(why) => {
                    // There are no more file descriptors, perhaps.
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

/// How many connections a face may have, by the files that this program may open.
fn files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / SHARE).unwrap_or(usize::MAX).max(1)
}

impl Guest {
    /// From where.
    pub fn peer(&self) -> SocketAddr {
        self.0.seat.peer
    }

    /// It is being served from now on.
    pub fn busy(&self, weight: Weight) -> Busy {
        self.0.seat.busy.fetch_add(1, Ordering::Relaxed);
        if weight == Weight::Spared {
            self.0.seat.spared.fetch_add(1, Ordering::Relaxed);
        }
        Busy { place: Arc::clone(&self.0), weight }
    }
}

impl Busy {
    /// Returns when the guest has to make room.
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

    /// A place for one that comes from there; `None`: there is no room.
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

/// Of those who can be spared, the first from the address that has the most of them.
fn spared(crowd: &[&Arc<Seat>]) -> Option<u64> {
    let can_be = |seat: &&&Arc<Seat>| {
        let spared = seat.spared.load(Ordering::Relaxed);
        spared > 0 && spared == seat.busy.load(Ordering::Relaxed)
    };
    most(crowd.iter().filter(can_be).copied())?.first().copied()
}

/// Of those who are all being served, the first from the address that has the most of them, if that are more than this one would have
/// with another.
fn fuller(crowd: &[&Arc<Seat>], home: IpAddr) -> Option<u64> {
    let own = crowd.iter().filter(|seat| self::home(seat.peer.ip()) == home).count();
    let most = most(crowd.iter().copied())?;
    most.first().copied().filter(|_| most.len() > own + 1)
}

/// Those from the address that has the most of them.
fn most<'a>(seats: impl Iterator<Item = &'a Arc<Seat>>) -> Option<Vec<u64>> {
    let mut by_home: BTreeMap<IpAddr, Vec<u64>> = BTreeMap::new();
    seats.for_each(|seat| by_home.entry(home(seat.peer.ip())).or_default().push(seat.number));
    by_home.into_values().max_by_key(Vec::len)
}

/// Whose addresses count together: an address, or a /64 of IPv6, as one.
pub fn home(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

async fn serve(stream: TcpStream, acceptor: Option<TlsAcceptor>, place: Arc<Place>, router: Router) {
    // Small messages, each of which is waited for.
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

/// What answers one connection.
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

/// An answer on its way.
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

/// A stream that fails when the other end takes nothing of what waits for it for [`TAKING`].
struct Patient<S> {
    stream: S,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// What a write has come to, or that it has waited long enough.
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

    /// Guests from one address, all being served.
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
        // Who asked for more than that, on the same connection, is not spared meanwhile.
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
