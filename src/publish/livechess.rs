//! The interface of DGT LiveChess 2, for the programs and pages that know it: boards, clocks and moves over a WebSocket, tournament,
//! rounds and games over HTTP, both at `/api/v1.0` of port 1982. The messages are in `livechess/message.rs`.
//!
//! | GET | answer |
//! |---|---|
//! | `/api/v1.0` | the WebSocket |
//! | `/api/v1.0/eboards` | all boards |
//! | `/api/v1.0/sources` | where they are connected |
//! | `/api/v1.0/tournaments` | the tournament |
//! | `/api/v1.0/tournament/{uuid}` | its name, and which board stands at which table |
//! | `/api/v1.0/round/{uuid}/{n}` | the pairings of a round of it, from 0 |
//! | `/api/v1.0/game/{uuid}` | the game of a pairing |
//!
//! **Invariants:** no client changes a game: `setup` and `flip` affect only the subscription that they name, also where moves are
//! followed for that subscription alone. If the public has a delay, clients read the delayed view (the `Gallery`), unless the
//! configuration says `live` and `listen` is an address of this machine.

mod allowance;
pub(super) mod boards;
mod http;
pub mod message;
mod rebuild;
mod session;
mod tournament;
mod uuid;

use crate::config::livechess::LiveChess;
use crate::config::{Config, Tags};
use crate::daemon::{Gallery, Hub, Source, Stop, stopped};
use crate::game::Delay;
use crate::publish::guests::{House, Room, refused};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use tracing::{error, info};

/// So many clients are served at once, and so many from one address; a hall has some dozen.
const ROOM: Room = Room { all: 256, each: 64 };

/// What all clients are served from.
pub struct Desk {
    source: Source,
    config: LiveChess,
    tags: Tags,
    delay: Delay,
    /// Room for lines that are followed for one client alone.
    lines: Arc<Semaphore>,
}

impl Desk {
    /// One that shows what the configuration allows.
    pub fn new(hub: &Arc<Hub>, gallery: &Arc<Gallery>, config: &Config) -> Arc<Desk> {
        let source = if is_live(config) { Source::Live(Arc::clone(hub)) } else { Source::Public(Arc::clone(gallery)) };
        let (livechess, tags) = (config.livechess.clone(), config.tags.clone());
        Arc::new(Desk {
            source,
            config: livechess,
            tags,
            delay: config.delay,
            lines: Arc::new(Semaphore::new(allowance::LINES)),
        })
    }

    /// It shows what the public may see.
    fn is_late(&self) -> bool {
        matches!(self.source, Source::Public(_))
    }
}

/// Whether it is on, and shows boards, clocks and moves at once.
pub fn is_live(config: &Config) -> bool {
    let is_own = |listen: SocketAddr| listen.ip().is_loopback();
    config.livechess.listen.is_some_and(|listen| config.delay == Delay::default() || (config.livechess.live && is_own(listen)))
}

/// Serves clients until `stop`; returns at once if it is off. An address that cannot be had is tried again.
pub async fn run(desk: Arc<Desk>, mut stop: Stop) {
    let Some(address) = desk.config.listen else { return };
    let router = http::router(desk, stop.clone());
    let said = AtomicBool::new(false);
    let opened = |outcome: io::Result<SocketAddr>| match outcome {
        Ok(bound) => info!("programs that know LiveChess find the boards at ws://{bound}/api/v1.0"),
        Err(why) if !said.swap(true, Ordering::Relaxed) => error!(
            "programs that know LiveChess cannot connect to {address} ({why}): {}; it is tried again, and games go on",
            refused(&why, "end what uses it, perhaps LiveChess itself, or write another `listen` under [livechess]")
        ),
        Err(_) => {}
    };
    let house = House { address, room: ROOM, guests: "programs that know LiveChess", certificate: None };
    tokio::select! {
        () = house.open(router, opened) => {}
        () = stopped(&mut stop) => {}
    }
}
