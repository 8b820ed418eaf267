//! Runs the part of this machine in a hall, as the configuration says, and begins anew when that changes.

use super::connection::Endpoint;
use super::machine::{self, MachineContext};
use super::receiver::{self, ReceiverContext};
use super::role::{self, RoleContext, StartRole};
use super::setup::paths::HallFiles;
use super::setup::registry;
use super::subject;
use crate::config::hall::{Hall, Role};
use crate::daemon::{DelayedView, Hub, LiveConfig, Stop, wait_for_stop};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::{Notify, watch};
use tracing::{info, warn};

/// The kind of health problem: this machine cannot take part in its hall as it is set up.
pub const HALL_SETUP: &str = "hall_setup";

/// What the hall needs.
pub struct HallContext {
    /// The live games.
    pub hub: Arc<Hub>,
    /// What the public may see.
    pub delayed_view: Arc<DelayedView>,
    /// How touchmoved has started.
    pub start_role: StartRole,
    /// Is notified if touchmoved must start again, because its role has changed.
    pub restart: Arc<Notify>,
    /// The configuration, which can change.
    pub live_config: Arc<LiveConfig>,
    /// The state directory.
    pub state_dir: PathBuf,
    /// The shutdown signal.
    pub stop: Stop,
}

/// Runs until `stop`.
pub async fn run(context: HallContext) {
    let mut configs = context.live_config.subscribe();
    let (hub, mut stop) = (Arc::clone(&context.hub), context.stop.clone());
    loop {
        let hall = configs.borrow_and_update().hall.clone();
        let (stop_sender, stop_receiver) = watch::channel(false);
        let mut part = pin!(part(&context, &hall, stop_receiver));
        let is_stopped = tokio::select! {
            () = &mut part => return,
            changed = configs.wait_for(|config| config.hall != hall) => changed.is_err(),
            () = wait_for_stop(&mut stop) => true,
        };
        stop_sender.send_replace(true);
        part.await;
        if is_stopped {
            return;
        }
        info!("the configuration of hall has changed");
        hub.clear_health_problems(HEALTH_KINDS);
    }
}

/// The kinds of health problems of halls.
pub const HEALTH_KINDS: &[&str] = &[
    HALL_SETUP,
    machine::HALL_AWAY,
    machine::HALL_REFUSES,
    machine::HALL_CONFLICT,
    machine::HALL_COPY,
    machine::HALL_VERSION,
    receiver::HALL_SERVER,
    receiver::HALL_GAMES,
    receiver::HALL_STORAGE,
    role::HALL_ROLE,
];

/// Runs the part of this machine until `stop`.
async fn part(context: &HallContext, hall: &Hall, mut stop: Stop) {
    let (hub, state_dir, role) = (Arc::clone(&context.hub), context.state_dir.as_path(), &hall.role);
    let takes_effect = match (context.start_role, role) {
        (StartRole::Alone, Role::Hub { standby, .. }) => !standby,
        (StartRole::Alone, _) | (StartRole::StandsBy, Role::Hub { .. }) => true,
        (StartRole::Serves, Role::Hub { standby, .. }) => *standby,
        (StartRole::Serves | StartRole::StandsBy, _) => false,
    };
    let notice = (!takes_effect).then(|| {
        let key = if matches!(role, Role::Hub { .. }) { "hall.standby" } else { "hall.serve" };
        format!("{key} has changed: it takes effect when touchmoved is started next")
    });
    if notice.is_some() {
        hub.set_health_problem(role::HALL_ROLE, None, notice.clone());
    }
    match role {
        Role::None => wait_for_stop(&mut stop).await,
        Role::Machine { hub: server, machine } => match Endpoint::new(hall, server, state_dir, machine) {
            Ok(endpoint) => machine::run(MachineContext { hub, endpoint, state_dir: state_dir.to_owned(), stop }).await,
            Err(sentence) => wait_with(&hub, sentence, &mut stop).await,
        },
        Role::Hub { server, .. } => {
            let registry = registry::load(&HallFiles::of(state_dir)).map_err(|error| error.to_string());
            let registry = registry.and_then(|registry| registry.ok_or_else(|| NO_HALL.to_owned()));
            let ready = registry.and_then(|registry| Ok((registry, Endpoint::new(hall, server, state_dir, subject::HUB)?)));
            match ready {
                Ok((registry, endpoint)) => {
                    let files = HallFiles::of(state_dir);
                    let term = Arc::new(AtomicU64::new(files.known_term()));
                    let shared = || RoleContext {
                        hub: Arc::clone(&hub),
                        delayed_view: Arc::clone(&context.delayed_view),
                        endpoint: endpoint.clone(),
                        files: files.clone(),
                        state_dir: state_dir.to_owned(),
                        term: Arc::clone(&term),
                        restart: Arc::clone(&context.restart),
                        notice: notice.clone(),
                        stop: stop.clone(),
                    };
                    if context.start_role == StartRole::StandsBy {
                        return role::standby::run(shared()).await;
                    }
                    let receiver = ReceiverContext {
                        hub: Arc::clone(&hub),
                        endpoint: endpoint.clone(),
                        registry,
                        files: files.clone(),
                        term: Arc::clone(&term),
                        stop: stop.clone(),
                    };
                    let receiver = receiver::run(receiver);
                    _ = match context.start_role {
                        StartRole::Alone => tokio::join!(receiver, role::watch_for_other(shared())),
                        StartRole::Serves | StartRole::StandsBy => tokio::join!(receiver, role::active::run(shared())),
                    };
                }
                Err(sentence) => wait_with(&hub, sentence, &mut stop).await,
            }
        }
    }
}

/// What to say if there is no registry.
pub(super) const NO_HALL: &str =
    "this machine is to be the hub of a hall, and there is none: run `sudo touchmovectl hall init --event NAME`";

/// Reports why nothing can be done, and waits.
async fn wait_with(hub: &Hub, sentence: String, stop: &mut Stop) {
    warn!("{sentence}");
    hub.set_health_problem(HALL_SETUP, None, Some(sentence));
    wait_for_stop(stop).await;
}
