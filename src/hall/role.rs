//! Two hubs, of which one has the role of the hall's hub and the other stands by.
//!
//! The role is a lease with a growing term in a stream that only hubs use. The hub that has it copies there what the journals of machines
//! do not have: what the desk has entered, and what is public. The other one follows the machines' events; if it takes the role, it
//! adopts the copy and starts touchmoved again, as the hub. A hub that has lost the role starts again, too, and stands by.

pub(super) mod active;
mod copies;
mod desk_acts;
mod lease;
mod shared_log;
pub(super) mod standby;
mod state_files;
mod takeover;

use super::connection::{Connection, ConnectionState, Endpoint};
use super::setup::paths::HallFiles;
use super::subject;
use crate::config::hall::{Hall, Role};
use crate::daemon::{DelayedView, Hub, Stop, wait_for_stop};
use lease::Holder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::Notify;
use tracing::{debug, info, warn};

/// Kind of health problem: the role of this hub, if there are two.
pub const HALL_ROLE: &str = "hall_role";

/// How long a start waits for the server.
const START_PATIENCE: Duration = Duration::from_secs(8);

/// How touchmoved has started, which holds until it starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRole {
    /// It is no hub, or the only one of its hall, as far as it knows.
    Alone,
    /// It is one of two hubs, and has the role.
    Serves,
    /// It is one of two hubs, and stands by.
    StandsBy,
}

/// What a hub needs that shares its role with another one.
pub(super) struct RoleContext {
    pub(super) hub: Arc<Hub>,
    pub(super) delayed_view: Arc<DelayedView>,
    pub(super) endpoint: Endpoint,
    pub(super) files: HallFiles,
    pub(super) state_dir: PathBuf,
    /// The term of this hub, which its commands carry.
    pub(super) term: Arc<AtomicU64>,
    /// Starts touchmoved again.
    pub(super) restart: Arc<Notify>,
    /// What to report if nothing is wrong.
    pub(super) notice: Option<String>,
    pub(super) stop: Stop,
}

/// Returns how touchmoved starts. One of two hubs has the role only if the message server says so, and holds it from the moment at which
/// it has renewed it. A hub that does not know of another one stands by, too, if that one has the role. `hub`: its journal identifies
/// it.
pub async fn at_start(hall: &Hall, state_dir: &Path, hub: &Hub) -> StartRole {
    let Role::Hub { server, standby } = &hall.role else { return StartRole::Alone };
    if *standby {
        hub.share_role();
    }
    let holder = async {
        let endpoint = Endpoint::new(hall, server, state_dir, subject::HUB).ok()?;
        let connection = Connection::open_once(&endpoint).await.ok()?;
        let lease = shared_log::read_lease(&connection).await.ok()?;
        Some(Holder::of(lease, &hub.incarnation().id))
    };
    let holder = tokio::time::timeout(START_PATIENCE, holder).await.ok().flatten();
    let role = match (holder, standby) {
        (Some(Holder::Own(_)), true) => StartRole::Serves,
        (Some(Holder::Other(_) | Holder::OwnAdopting(_)), false) | (_, true) => StartRole::StandsBy,
        (Some(Holder::Own(_) | Holder::Nobody) | None, false) => StartRole::Alone,
    };
    if role == StartRole::StandsBy {
        hub.share_role();
        info!("this hub stands by until it has the role of the hall's hub");
    }
    role
}

/// Runs at a hub that knows of no other one, until the shutdown signal. If another one has taken the role while this one did not reach
/// the server, restarts touchmoved, which then stands by.
pub(super) async fn watch_for_other(context: RoleContext) {
    let mut stop = context.stop.clone();
    let watch = async {
        let connection = Connection::open(&context.endpoint).await.ok()?;
        let mut state = connection.state();
        loop {
            state.wait_for(ConnectionState::is_up).await.ok()?;
            match shared_log::read_lease(&connection).await.map(|lease| Holder::of(lease, &context.hub.incarnation().id)) {
                Ok(Holder::Other(lease)) => return Some(lease),
                Ok(_) => {}
                Err(reason) => {
                    debug!("{reason}");
                    tokio::time::sleep(START_PATIENCE).await;
                    continue;
                }
            }
            state.wait_for(|state| !state.is_up()).await.ok()?;
        }
    };
    tokio::select! {
        Some(lease) = watch => {
            context.hub.lose_role(&lease.host);
            warn!("{} has the role of the hub (term {}): this hub stands by from now on", lease.host, lease.term);
            context.restart.notify_one();
        }
        () = wait_for_stop(&mut stop) => return,
    }
    wait_for_stop(&mut stop).await;
}

/// Returns the host name of this computer, for people.
fn host_name() -> String {
    let read =
        |path: &str| std::fs::read_to_string(path).ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    read("/etc/hostname").or_else(|| read("/proc/sys/kernel/hostname")).unwrap_or_else(|| "another computer".to_owned())
}
