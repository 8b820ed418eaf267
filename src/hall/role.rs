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

use super::connection::{Connection, Endpoint};
use super::setup::paths::HallFiles;
use super::subject;
use crate::config::hall::{Hall, Role};
use crate::daemon::{DelayedView, Hub, Stop};
use lease::Holder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::Notify;
use tracing::info;

/// Kind of health problem: the role of this hub, if there are two.
pub const HALL_ROLE: &str = "hall_role";

/// How long a start waits for the server.
const START_PATIENCE: Duration = Duration::from_secs(8);

/// How touchmoved has started, which holds until it starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRole {
    /// It is no hub, or the only one of its hall.
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
/// it has renewed it. `hub`: its journal identifies it.
pub async fn at_start(hall: &Hall, state_dir: &Path, hub: &Hub) -> StartRole {
    let Role::Hub { server, standby: true } = &hall.role else { return StartRole::Alone };
    hub.share_role();
    let has_role = async {
        let endpoint = Endpoint::new(hall, server, state_dir, subject::HUB).ok()?;
        let connection = Connection::open_once(&endpoint).await.ok()?;
        let state = shared_log::read_state(&connection).await.ok()?;
        let lease = state.lease.map(|(_, lease)| lease);
        Some(matches!(Holder::of(lease, &hub.incarnation().id), Holder::Own(_)))
    };
    let has_role = tokio::time::timeout(START_PATIENCE, has_role).await.ok().flatten().unwrap_or(false);
    if has_role {
        return StartRole::Serves;
    }
    info!("this hub stands by until it has the role of the hall's hub");
    StartRole::StandsBy
}

/// Returns the host name of this computer, for people.
fn host_name() -> String {
    let read =
        |path: &str| std::fs::read_to_string(path).ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    read("/etc/hostname").or_else(|| read("/proc/sys/kernel/hostname")).unwrap_or_else(|| "another computer".to_owned())
}
