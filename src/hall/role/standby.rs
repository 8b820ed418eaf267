//! A hub that stands by: follows the games of the hall, and takes the role if the hub that has it falls silent.

use super::copies::{CopyKey, RegistryCopy};
use super::lease::{Holder, Lease, LeaseWatch, RENEWAL_INTERVAL};
use super::shared_log::{LogError, SharedLog, StreamState, read_all, read_one, read_state};
use super::{HALL_ROLE, RoleContext, host_name, takeover};
use crate::config::hall::is_name;
use crate::daemon::wait_for_stop;
use crate::hall::connection::{Connection, ConnectionState, is_copy};
use crate::hall::message::{from_json, to_json};
use crate::hall::receiver::follower;
use crate::hall::setup::registry;
use crate::hall::subject::{Bucket, HALL_KEY, LEASE, STANDBY};
use futures_util::StreamExt;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tracing::{debug, info, warn};

/// The interval at which the lease is read.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// How long a takeover waits until all events that the server has are on disk here.
const CATCH_UP_PATIENCE: Duration = Duration::from_secs(30);
/// How long the server may be away before that is reported.
const SERVER_PATIENCE: Duration = Duration::from_secs(5);
/// How often in succession the hall must not have been readable to be reported.
const MAX_FAILURES: u32 = 3;

/// Runs until the shutdown signal. When this hub has the role, restarts touchmoved.
pub(in crate::hall) async fn run(context: RoleContext) {
    let mut stop = context.stop.clone();
    let connection = match Connection::open(&context.endpoint).await {
        Ok(connection) => connection,
        Err(sentence) => {
            warn!("this hub cannot stand by: {sentence}");
            context.hub.set_health_problem(HALL_ROLE, None, Some(sentence));
            return wait_for_stop(&mut stop).await;
        }
    };
    let standby = Standby { hub: context.hub.incarnation().id, host: host_name(), connection, context };
    tokio::select! {
        () = standby.run() => {}
        () = wait_for_stop(&mut stop) => {}
    }
}

struct Standby {
    context: RoleContext,
    connection: Connection,
    /// Identifies this hub.
    hub: String,
    host: String,
}

impl Standby {
    async fn run(&self) {
        let mut state = self.connection.state();
        let mut failures: u32 = 0;
        loop {
            let began = Instant::now();
            match timeout(SERVER_PATIENCE, state.wait_for(ConnectionState::is_up)).await.map(|up| up.is_ok()) {
                Ok(true) => match self.watch().await {
                    Ok(()) => {
                        self.context.restart.notify_one();
                        return std::future::pending().await;
                    }
                    Err(reason) => {
                        debug!("the hall is read again: {reason}");
                        failures = if began.elapsed() < SERVER_PATIENCE { failures.saturating_add(1) } else { 0 };
                        if failures >= MAX_FAILURES {
                            self.report(format!("this hub stands by, and cannot take over at the moment: {reason}"));
                        }
                    }
                },
                Ok(false) => return,
                Err(_) => self.report(format!(
                    "this hub stands by, and cannot take over, because the hall's server at {} cannot be reached: check the network, \
                     and the server",
                    self.context.endpoint.url
                )),
            }
            sleep(WATCH_INTERVAL).await;
        }
    }

    fn report(&self, sentence: String) {
        if self.context.hub.set_health_problem(HALL_ROLE, None, Some(sentence.clone())) {
            info!("{sentence}");
        }
    }

    /// Follows the hall until this hub has the role.
    ///
    /// # Errors
    /// It must begin again; a sentence.
    async fn watch(&self) -> Result<(), String> {
        let registry = registry::load(&self.context.files).map_err(|error| error.to_string())?;
        let hall = match self.registry().await? {
            Some(copy) => copy.registry.hall,
            None => registry.map(|registry| registry.hall).unwrap_or_default(),
        };
        let (progress, mut read) = watch::channel(0);
        let following = async {
            loop {
                // Before the hub has created the stream there is none.
                let Err(reason) = follower::follow(&self.context.hub, &self.connection, &hall, &progress).await;
                debug!("{reason}");
                sleep(WATCH_INTERVAL).await;
            }
        };
        tokio::select! {
            () = following => Ok(()),
            watched = self.watch_lease(&hall, &mut read) => watched,
        }
    }

    /// Reads the hub's registry of machines, and keeps it here.
    async fn registry(&self) -> Result<Option<RegistryCopy>, String> {
        let Some(payload) = read_one(&self.connection, &CopyKey::Registry.subject()).await? else { return Ok(None) };
        let copy: RegistryCopy = from_json(&payload).map_err(|error| error.to_string())?;
        takeover::adopt_registry(&self.context.files, &copy.registry);
        Ok(Some(copy))
    }

    async fn watch_lease(&self, hall: &str, read: &mut watch::Receiver<u64>) -> Result<(), String> {
        let began = Instant::now();
        let now_ms = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut quiet = LeaseWatch::new(now_ms());
        let subject = Bucket::Hall.subject(HALL_KEY);
        let mut signs = self.connection.client().subscribe(subject).await.map_err(|error| error.to_string())?;
        let mut state = self.connection.state();
        state.mark_unchanged();
        let mut checks = interval(WATCH_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut is_heard, mut known) = (false, None);
        loop {
            tokio::select! {
                _ = checks.tick() => {}
                // A hub without the key `standby` has no lease.
                Some(sign) = signs.next() => {
                    // The server's reply to a machine is no sign of a hub.
                    if is_copy(&sign) || !std::str::from_utf8(&sign.payload).is_ok_and(is_name) {
                        continue;
                    }
                    is_heard = true;
                    quiet.note_life(now_ms());
                    continue;
                }
                _ = state.changed() => return Err("the connection was lost".to_owned()),
            }
            self.connection.publish(STANDBY.to_owned(), to_json(&serde_json::json!({ "host": self.host }))).await;
            let mut stream = read_state(&self.connection).await?;
            // The server may have lost it, or stored something else in its place. It says whose copy counts.
            stream.lease = stream.lease.or_else(|| known.clone());
            known.clone_from(&stream.lease);
            let (revision, lease) = stream.lease.clone().map_or((0, None), |(revision, lease)| (revision, Some(lease)));
            quiet.note_revision(revision, now_ms());
            match Holder::of(lease, &self.hub) {
                Holder::Own(_) => return Ok(()),
                Holder::OwnAdopting(lease) => return self.adopt(lease, stream.last).await,
                Holder::Other(lease) => {
                    self.context.hub.lose_role(&lease.host);
                    self.report(format!(
                        "this hub stands by for {}, which is the hub of the hall: commands are given there; this one takes over if it \
                         does not answer for 10 seconds",
                        lease.host
                    ));
                    if lease.term > self.context.files.known_term()
                        && let Err(error) = self.context.files.store_term(lease.term)
                    {
                        warn!("{error}");
                    }
                }
                Holder::Nobody if is_heard => self.report(
                    "this hub stands by for a hub that does not know of it: set hall.standby = true there, and start touchmoved again"
                        .to_owned(),
                ),
                Holder::Nobody => self.report("no hub has the role of the hall's hub: this one takes it in some seconds".to_owned()),
            }
            if self.registry().await?.is_some_and(|copy| copy.registry.hall != hall) {
                return Err("another event has begun".to_owned());
            }
            // A hub that does not know of this one would go on beside it.
            if quiet.may_take(now_ms()) && (revision > 0 || !is_heard) {
                return self.take(stream, hall, read).await;
            }
        }
    }

    /// Takes the role.
    ///
    /// # Errors
    /// Another hub has renewed it or taken it, or something failed; a sentence.
    async fn take(&self, stream: StreamState, hall: &str, read: &mut watch::Receiver<u64>) -> Result<(), String> {
        let previous = stream.lease.map(|(_, lease)| lease);
        let known = self.context.files.known_term().max(previous.as_ref().map_or(0, |lease| lease.term));
        let adopts = previous.as_ref().map(|lease| lease.to_adopt().to_owned()).filter(|hub| *hub != self.hub);
        let lease = Lease { term: known + 1, hub: self.hub.clone(), host: self.host.clone(), adopts };
        let mut log = SharedLog::new(self.connection.clone(), lease.clone(), stream.last);
        // It is refused if the lease was renewed since it was read.
        log.append(LEASE, to_json(&lease)).await.map_err(sentence)?;
        let before = previous.map_or_else(|| "no hub".to_owned(), |lease| lease.host);
        warn!("this hub takes over from {before}, in term {}", lease.term);
        let stored = self.context.files.store_term(lease.term);
        stored.map_err(|error| error.to_string())?;
        if let Some(last) = takeover::last_event(&self.connection, hall).await {
            let began = Instant::now();
            while timeout(RENEWAL_INTERVAL, read.wait_for(|read| *read >= last)).await.is_err() {
                if began.elapsed() >= CATCH_UP_PATIENCE {
                    warn!("not all events are here yet: machines send the rest again");
                    break;
                }
                // Otherwise a third hub would take the role meanwhile.
                log.append(LEASE, to_json(&lease)).await.map_err(sentence)?;
            }
        }
        self.finish(lease, log).await
    }

    /// Goes on with a takeover that was interrupted.
    async fn adopt(&self, lease: Lease, last: u64) -> Result<(), String> {
        let log = SharedLog::new(self.connection.clone(), lease.clone(), last);
        self.finish(lease, log).await
    }

    /// Adopts the copy of the hub from which this one takes over, and says that this one serves.
    async fn finish(&self, lease: Lease, mut log: SharedLog) -> Result<(), String> {
        if let Some(from) = &lease.adopts {
            let copies = read_all(&self.connection).await?;
            if let Err(sentence) = takeover::adopt(&self.context, &copies, from).await {
                self.report(sentence.clone());
                return Err(sentence);
            }
        }
        let lease = Lease { adopts: None, ..lease };
        log.lease = lease.clone();
        log.append(LEASE, to_json(&lease)).await.map_err(sentence)
    }
}

fn sentence(error: LogError) -> String {
    match error {
        LogError::Lost(lease) => format!("{} has the role of the hub", lease.host),
        LogError::TooLarge => "the lease is too large".to_owned(),
        LogError::Failed(reason) => reason,
    }
}
