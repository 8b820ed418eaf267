//! Runs the part of this machine in a hall, as the configuration says, and begins anew when that changes.

use super::connection::Endpoint;
use super::machine::{self, MachineContext};
use super::receiver::{self, ReceiverContext};
use super::setup::paths::HallFiles;
use super::setup::registry;
use super::subject;
use crate::config::hall::{Hall, Role};
use crate::daemon::{Hub, LiveConfig, Stop, wait_for_stop};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::watch;
use tracing::{info, warn};

/// The kind of health problem: this machine cannot take part in its hall as it is set up.
pub const HALL_SETUP: &str = "hall_setup";

/// What the hall needs.
pub struct HallContext {
    /// The live games.
    pub hub: Arc<Hub>,
    /// The configuration, which can change.
    pub live_config: Arc<LiveConfig>,
    /// The state directory.
    pub state_dir: PathBuf,
    /// The shutdown signal.
    pub stop: Stop,
}

/// Runs until `stop`.
pub async fn run(context: HallContext) {
    let HallContext { hub, live_config, state_dir, mut stop } = context;
    let mut configs = live_config.subscribe();
    loop {
        let hall = configs.borrow_and_update().hall.clone();
        let (stop_sender, stop_receiver) = watch::channel(false);
        let mut part = pin!(part(&hub, &hall, &state_dir, stop_receiver));
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
];

/// Runs the part of this machine until `stop`.
async fn part(hub: &Arc<Hub>, hall: &Hall, state_dir: &Path, mut stop: Stop) {
    let (hub, role) = (Arc::clone(hub), &hall.role);
    match role {
        Role::None => wait_for_stop(&mut stop).await,
        Role::Machine { hub: server, machine } => match Endpoint::new(hall, server, state_dir, machine) {
            Ok(endpoint) => machine::run(MachineContext { hub, endpoint, state_dir: state_dir.to_owned(), stop }).await,
            Err(sentence) => wait_with(&hub, sentence, &mut stop).await,
        },
        Role::Hub { server } => {
            let registry = registry::load(&HallFiles::of(state_dir)).map_err(|error| error.to_string());
            let registry = registry.and_then(|registry| registry.ok_or_else(|| NO_HALL.to_owned()));
            let ready = registry.and_then(|registry| Ok((registry, Endpoint::new(hall, server, state_dir, subject::HUB)?)));
            match ready {
                Ok((registry, endpoint)) => {
                    let files = HallFiles::of(state_dir);
                    receiver::run(ReceiverContext { hub, endpoint, registry, files, stop }).await;
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
