//! The interface of DGT LiveChess 2 for programs and pages that support it: boards, clocks and moves over a WebSocket; tournament,
//! rounds and games over HTTP; both at `/api/v1.0` of port 1982. The messages are defined in `livechess/message.rs`.
//!
//! | GET | response |
//! |---|---|
//! | `/api/v1.0` | the WebSocket |
//! | `/api/v1.0/eboards` | all boards |
//! | `/api/v1.0/sources` | the devices to which they are connected |
//! | `/api/v1.0/tournaments` | the tournament |
//! | `/api/v1.0/tournament/{uuid}` | its name, and the board at each table |
//! | `/api/v1.0/round/{uuid}/{n}` | the pairings of one of its rounds, counted from 0 |
//! | `/api/v1.0/game/{uuid}` | the game of a pairing |
//!
//! **Invariants:** No client can change a game: `setup` and `flip` affect only the subscription that they name, even if moves are
//! followed for that subscription alone. If the public has a delay, clients read the delayed view (the `DelayedView`), unless the
//! configuration says `live` and `listen` is a loopback address.

mod allowance;
mod boards;
mod http;
pub mod message;
mod session;
mod setup;
mod tournament;

use crate::config::livechess::LiveChess;
use crate::config::{Config, EventTags};
use crate::daemon::{DelayedView, Hub, Source, Stop, wait_for_stop};
use crate::game::Delay;
use crate::publish::front_end::{Context, FrontEnd, Restart, Runtime, StartedFrontEnd};
use crate::publish::http::admission::ConnectionLimits;
use crate::publish::http::listener::{Listener, bind_failure_hint};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use tracing::{error, info};

/// Maximum number of clients in total and for each address; a hall has a few dozen.
const CONNECTION_LIMITS: ConnectionLimits = ConnectionLimits { total: 256, per_address: 64 };

/// The LiveChess server as a front-end.
pub struct LiveChessFrontEnd;

impl FrontEnd for LiveChessFrontEnd {
    fn name(&self) -> &'static str {
        "livechess"
    }

    /// Clients may have whole games followed for them.
    fn runtime(&self) -> Runtime {
        Runtime::OwnThread
    }

    /// Live clients must not stay live once the public has a delay.
    fn restart(&self) -> Option<Restart> {
        Some(Restart { is_changed: |old, new| old.delay == Delay::default() && new.delay != Delay::default() })
    }

    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd> {
        config.livechess.listen?;
        let server = ServerState::new(&context.hub, &context.delayed_view, config);
        Some(StartedFrontEnd::new(run(server, context.stop.clone())))
    }
}

/// The state shared by all clients of the server.
pub struct ServerState {
    source: Source,
    config: LiveChess,
    tags: EventTags,
    /// Permits for the lines of play that are followed for one client alone.
    line_permits: Arc<Semaphore>,
}

impl ServerState {
    /// Creates the state. The configuration decides whether clients see live or delayed data.
    pub fn new(hub: &Arc<Hub>, delayed_view: &Arc<DelayedView>, config: &Config) -> Arc<ServerState> {
        let source =
            if is_live(config, hub) { Source::Live(Arc::clone(hub)) } else { Source::Public(Arc::clone(delayed_view)) };
        let (livechess, tags) = (config.livechess.clone(), config.tags.clone());
        Arc::new(ServerState { source, config: livechess, tags, line_permits: Arc::new(Semaphore::new(allowance::MAX_LINES)) })
    }

    /// Returns the delay of what clients see.
    fn delay(&self) -> Delay {
        match &self.source {
            Source::Live(_) => Delay::default(),
            Source::Public(view) => view.delay(),
        }
    }

    /// Returns whether clients see the delayed view.
    fn is_delayed(&self) -> bool {
        matches!(self.source, Source::Public(_))
    }
}

/// Returns whether the server is on and shows boards, clocks and moves without delay. If there is no delay any more, events from
/// before may still be hidden.
pub fn is_live(config: &Config, hub: &Hub) -> bool {
    let is_loopback = |listen: SocketAddr| listen.ip().is_loopback();
    config.livechess.listen.is_some_and(|listen| !hub.has_public_delay() || (config.livechess.live && is_loopback(listen)))
}

/// Serves clients until `stop`; returns at once if the server is off. Retries if the address cannot be bound.
pub async fn run(server: Arc<ServerState>, mut stop: Stop) {
    let Some(address) = server.config.listen else { return };
    let router = http::router(Arc::clone(&server), stop.clone());
    let is_logged = AtomicBool::new(false);
    let report_outcome = |outcome: io::Result<SocketAddr>| match outcome {
        Ok(bound) => info!("LiveChess clients can connect to ws://{bound}/api/v1.0"),
        Err(error) if !is_logged.swap(true, Ordering::Relaxed) => error!(
            "LiveChess clients cannot connect to {address} ({error}): {}; touchmove tries again, and games continue",
            bind_failure_hint(
                &error,
                "stop the program that uses it, perhaps LiveChess itself, or set another `listen` under [livechess]"
            )
        ),
        Err(_) => {}
    };
    let listener = Listener {
        address,
        clients: server.config.clients.clone(),
        limits: CONNECTION_LIMITS,
        client_noun: "LiveChess clients",
        certificate: None,
    };
    tokio::select! {
        () = listener.serve(router, report_outcome) => {}
        () = wait_for_stop(&mut stop) => {}
    }
}
