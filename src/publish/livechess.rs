//! The interface of DGT LiveChess 2, for the programs and pages that know it: boards, clocks and moves over a WebSocket, tournament,
//! rounds and games over HTTP, both at `/api/v1.0` of port 1982. The messages are in `livechess/message.rs`.
//!
//! | GET | answer |
//! |---|---|
//! | `/api/v1.0` | the WebSocket |
//! | `/api/v1.0/eboards` | all boards |
//! | `/api/v1.0/tournaments` | the tournament |
//! | `/api/v1.0/tournament/{uuid}` | its name, and which board stands at which table |
//! | `/api/v1.0/round/{uuid}/{n}` | the pairings of a round of it, from 0 |
//! | `/api/v1.0/game/{uuid}` | the game of a pairing |
//!
//! **Invariants:** nobody changes a game here: `setup` and `flip` say what one subscription is told. All of it is read in the gallery
//! where the public has a delay, unless the configuration says `live` and the address is this machine's own.

mod access;
mod boards;
mod http;
mod message;
mod rebuild;
mod session;
mod tournament;
mod uuid;

use crate::config::livechess::LiveChess;
use crate::config::{Config, Tags};
use crate::daemon::{Gallery, Hub, Source, Stop, stopped};
use crate::game::Delay;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tracing::{debug, error, info, warn};

/// So many clients at once; a hall has some dozen.
const GUESTS: usize = 256;
/// How long a client may take to ask, also for the next thing on the same connection.
const ASKING: Duration = Duration::from_secs(15);
/// When an address that could not be had is tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// What a client says before the empty line may take so many bytes.
const HEAD: usize = 16 * 1024;

/// What all clients are served from.
pub struct Desk {
    source: Source,
    config: LiveChess,
    tags: Tags,
    delay: Delay,
}

/// A client's place among the guests, given back when it goes.
type Guest = Arc<OwnedSemaphorePermit>;

impl Desk {
    /// One that shows what the configuration allows.
    pub fn new(hub: &Arc<Hub>, gallery: &Arc<Gallery>, config: &Config) -> Arc<Desk> {
        let is_own = config.livechess.listen.is_some_and(|listen| listen.ip().is_loopback());
        let is_live = config.delay == Delay::default() || (config.livechess.live && is_own);
        let source = if is_live { Source::Live(Arc::clone(hub)) } else { Source::Public(Arc::clone(gallery)) };
        Arc::new(Desk { source, config: config.livechess.clone(), tags: config.tags.clone(), delay: config.delay })
    }

    /// It shows what the public may see.
    fn is_late(&self) -> bool {
        matches!(self.source, Source::Public(_))
    }
}

/// Serves clients until `stop`; returns at once if it is off. An address that cannot be had is tried again.
pub async fn run(desk: Arc<Desk>, mut stop: Stop) {
    let Some(address) = desk.config.listen else { return };
    let router = http::router(desk, stop.clone());
    let serve = async {
        let listener = listen(address).await;
        accept(listener, router).await;
    };
    tokio::select! {
        () = serve => {}
        () = stopped(&mut stop) => {}
    }
}

async fn listen(address: SocketAddr) -> TcpListener {
    let mut said = false;
    loop {
        let bound = TcpListener::bind(address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
        match bound {
            Ok((bound, listener)) => {
                info!("programs that know LiveChess find the boards at ws://{bound}/api/v1.0");
                return listener;
            }
            Err(why) if !said => {
                error!(
                    "programs that know LiveChess cannot connect to {address} ({why}): end what uses it, perhaps LiveChess itself, or write another `listen` under [livechess]; it is tried again, and games go on"
                );
                said = true;
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

async fn accept(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(GUESTS));
    let mut full = false;
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(why) => {
                // There are no more file descriptors, perhaps.
                warn!("a program that knows LiveChess could not connect ({why})");
                sleep(AGAIN).await;
                continue;
            }
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                full = false;
                let router = router.clone().layer(Extension::<Guest>(Arc::new(place)));
                tokio::spawn(serve(stream, router));
            }
            Err(_) if !full => {
                warn!("{GUESTS} programs that know LiveChess are connected: others are turned away until one goes");
                full = true;
            }
            Err(_) => {}
        }
    }
}

async fn serve(stream: TcpStream, router: Router) {
    // Small messages, each of which is waited for.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(ASKING).max_buf_size(HEAD);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(why) = connection.with_upgrades().await {
        debug!("a program that knows LiveChess was let go: {why}");
    }
}
