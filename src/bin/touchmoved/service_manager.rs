//! What the service manager is told: that the service is ready, what it does, and that it does not hang.

use sd_notify::NotifyState;
use tokio::sync::watch;
use tokio::time::Interval;
use touchmove::publish::dbus::NameState;
use tracing::warn;

/// Notifies the service manager once each name is held, or is known not to be available: games go on without a bus.
pub async fn notify_ready(name_states: Vec<watch::Receiver<NameState>>) {
    let status = bus_status(name_states).await;
    notify(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// Waits until it is known of each name whether it is held. Returns the status to report.
pub async fn bus_status(name_states: Vec<watch::Receiver<NameState>>) -> String {
    let mut status = "serving".to_owned();
    for mut name_state in name_states {
        if let Ok(known) = name_state.wait_for(|name_state| *name_state != NameState::NotTried).await
            && let NameState::NotOwned(reason) = &*known
        {
            status.clone_from(reason);
        }
    }
    status
}

/// The interval at which the service manager must be notified; none if it does not require that.
pub struct Watchdog(Option<Interval>);

impl Watchdog {
    /// Notifies twice within the timeout (sd_watchdog_enabled(3)).
    pub fn new() -> Watchdog {
        let every = sd_notify::watchdog_enabled().map(|timeout| timeout / 2).filter(|half| !half.is_zero());
        Watchdog(every.map(tokio::time::interval))
    }

    /// Waits until the service manager must be notified.
    pub async fn due(&mut self) {
        match &mut self.0 {
            Some(interval) => drop(interval.tick().await),
            None => std::future::pending().await,
        }
    }
}

/// Notifies the service manager.
pub fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!("the service manager could not be notified ({error})");
    }
}
