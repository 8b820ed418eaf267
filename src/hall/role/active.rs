//! The hub that has the role: renews its lease, and copies what the standby hub would go on with.
//!
//! **Invariant:** what the public sees, and what the desk has confirmed, is in the copy before.

use super::copies::{ContinuationsCopy, CopiedContinuation, CopyKey, DeskCopy, FileCopy, PolicyCopy, PublicCopy, RegistryCopy};
use super::lease::{HOLD, Holder, Lease, RENEWAL_INTERVAL};
use super::shared_log::{LogError, SharedLog, StreamState, read_all, read_state};
use super::state_files::StateFiles;
use super::{HALL_ROLE, RoleContext, desk_acts, host_name};
use crate::daemon::delayed_view::StoredRelease;
use crate::daemon::hub::{CopyRequest, DeskEntryKind, Inactive, role_clock_ms};
use crate::daemon::wait_for_stop;
use crate::game::DelayPolicy;
use crate::hall::connection::{Connection, ConnectionState};
use crate::hall::message::to_json;
use crate::hall::setup::registry_watch::RegistryWatch;
use crate::hall::subject::{LEASE, STANDBY};
use futures_util::StreamExt;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tracing::{debug, info, warn};

/// The interval at which everything is copied of which nobody says that it has changed.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// How long no standby hub must have been heard to be reported.
const STANDBY_PATIENCE: Duration = Duration::from_secs(30);

/// Runs until the shutdown signal. If another hub has taken the role, restarts touchmoved.
pub(in crate::hall) async fn run(context: RoleContext) {
    let mut stop = context.stop.clone();
    let connection = match Connection::open(&context.endpoint).await {
        Ok(connection) => connection,
        Err(sentence) => {
            warn!("this hub cannot keep its role: {sentence}");
            context.hub.set_health_problem(HALL_ROLE, None, Some(sentence));
            return wait_for_stop(&mut stop).await;
        }
    };
    let lease = Lease { term: 0, hub: context.hub.incarnation().id, host: host_name(), adopts: None };
    let mut active = Active {
        requests: context.hub.copy_requests(),
        log: SharedLog::new(connection.clone(), lease, 0),
        registry: RegistryWatch::new(context.files.clone()),
        state_files: StateFiles::new(&context.state_dir),
        renewed: None,
        copied: BTreeMap::new(),
        acts: 0,
        policy: None,
        standby_heard: Instant::now(),
        too_large: None,
        connection,
        context,
    };
    tokio::select! {
        () = active.run() => {}
        () = wait_for_stop(&mut stop) => {}
    }
}

struct Active {
    context: RoleContext,
    connection: Connection,
    log: SharedLog,
    requests: UnboundedReceiver<CopyRequest>,
    registry: RegistryWatch,
    state_files: StateFiles,
    /// When the lease was renewed last.
    renewed: Option<Instant>,
    /// The hashes of what the copy has, by subject.
    copied: BTreeMap<String, [u8; 32]>,
    /// The number of acts at the desk that are copied.
    acts: usize,
    /// The delay of the public that is copied.
    policy: Option<DelayPolicy>,
    /// When a standby hub was heard last.
    standby_heard: Instant,
    /// What cannot be copied, because it is too large.
    too_large: Option<String>,
}

impl Active {
    async fn run(&mut self) {
        let mut state = self.connection.state();
        loop {
            let reason = match timeout(CHECK_INTERVAL, state.wait_for(ConnectionState::is_up)).await.map(|up| up.is_ok()) {
                Ok(true) => match self.serve().await {
                    Err(LogError::Lost(lease)) => return self.lose(&lease).await,
                    Err(LogError::Failed(reason)) => reason,
                    Err(LogError::TooLarge) => "the lease is too large".to_owned(),
                },
                Ok(false) => return,
                Err(_) => "there is no connection".to_owned(),
            };
            debug!("the role of the hub is not renewed: {reason}");
            if self.context.hub.check_role() == Err(Inactive::Unreachable) {
                self.report(Some(format!(
                    "this hub publishes nothing new and gives no commands, because it cannot renew its role at the hall's server \
                     ({reason}), and the standby hub may have taken over: check the network, and the server"
                )));
            }
            sleep(CHECK_INTERVAL).await;
        }
    }

    fn report(&self, sentence: Option<String>) {
        let sentence = sentence.or_else(|| self.context.notice.clone());
        let problem = sentence.clone();
        if self.context.hub.set_health_problem(HALL_ROLE, None, sentence)
            && let Some(problem) = problem
        {
            warn!("{problem}");
        }
    }

    /// Ends this hub's service: another one has the role.
    async fn lose(&self, lease: &Lease) {
        self.context.hub.lose_role(&lease.host);
        warn!("{} has taken the role of the hub (term {}): this hub stands by from now on", lease.host, lease.term);
        self.context.restart.notify_one();
        std::future::pending().await
    }

    /// Renews the lease and copies, until something fails.
    async fn serve(&mut self) -> Result<Infallible, LogError> {
        let mut state = self.connection.state();
        state.mark_unchanged();
        self.begin().await?;
        let mut announcements =
            self.connection.client().subscribe(STANDBY).await.map_err(|error| LogError::Failed(error.to_string()))?;
        self.copied = read_all(&self.connection)
            .await
            .map_err(LogError::Failed)?
            .into_iter()
            .map(|(subject, payload)| (subject, hash(&payload)))
            .collect();
        self.copy_all().await?;
        let mut checks = interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let view = Arc::clone(&self.context.delayed_view);
        loop {
            tokio::select! {
                Some(CopyRequest { kind, done }) = self.requests.recv() => {
                    let outcome = match kind {
                        DeskEntryKind::Acts => self.copy_acts().await,
                        DeskEntryKind::Continuations => self.copy_continuations().await,
                        DeskEntryKind::Game(game) => self.copy_game(game).await,
                    };
                    // The requester may be gone.
                    let _ = done.send(outcome.is_ok() && self.too_large.is_none());
                    outcome?;
                }
                () = view.wait_for_release() => self.copy_releases().await?,
                _ = checks.tick() => self.check().await?,
                Some(_) = announcements.next() => self.standby_heard = Instant::now(),
                _ = state.changed() => return Err(LogError::Failed("the connection was lost".to_owned())),
            }
        }
    }

    /// Takes the lease in a new term, when this process has not had it yet, or renews it.
    async fn begin(&mut self) -> Result<(), LogError> {
        let StreamState { last, lease } = read_state(&self.connection).await.map_err(LogError::Failed)?;
        let (hub, files) = (self.log.lease.hub.clone(), self.context.files.clone());
        let own = match Holder::of(lease.map(|(_, lease)| lease), &hub) {
            Holder::Other(lease) | Holder::OwnAdopting(lease) => return Err(LogError::Lost(lease)),
            Holder::Own(lease) => lease.term,
            // The server has lost it.
            Holder::Nobody => 0,
        };
        let known = files.known_term().max(own).max(self.log.lease.term);
        let is_new = own == 0 || own != self.log.lease.term;
        let lease = Lease { term: if is_new { known + 1 } else { own }, ..self.log.lease.clone() };
        let term = lease.term;
        // The first message of a new term is refused if the lease has changed since.
        self.log = SharedLog::new(self.connection.clone(), lease, last);
        // Before a command can be sent in it.
        self.context.term.store(term, Ordering::Relaxed);
        self.renew().await?;
        if is_new {
            info!("this is the hub of the hall, in term {term}");
            if let Err(error) = files.store_term(term) {
                warn!("{error}");
            }
        }
        self.report(None);
        Ok(())
    }

    async fn renew(&mut self) -> Result<(), LogError> {
        let began = role_clock_ms();
        let lease = to_json(&self.log.lease);
        self.log.append(LEASE, lease).await?;
        self.context.hub.hold_role(began.saturating_add(u64::try_from(HOLD.as_millis()).unwrap_or(0)));
        self.renewed = Some(Instant::now());
        Ok(())
    }

    async fn renew_if_due(&mut self) -> Result<(), LogError> {
        let is_due = self.renewed.is_none_or(|renewed| renewed.elapsed() >= RENEWAL_INTERVAL);
        if is_due { self.renew().await } else { Ok(()) }
    }

    /// Copies this, if the copy has something else.
    async fn put(&mut self, key: &CopyKey, payload: Vec<u8>) -> Result<(), LogError> {
        self.renew_if_due().await?;
        let (subject, hash) = (key.subject(), hash(&payload));
        if self.copied.get(&subject) == Some(&hash) {
            return Ok(());
        }
        match self.log.append(&subject, payload).await {
            Ok(()) => {}
            Err(LogError::TooLarge) => {
                self.too_large = Some(match key {
                    CopyKey::Act(..) => "an act at the desk".to_owned(),
                    CopyKey::File(path) => format!("the file {path}"),
                    _ => subject.clone(),
                });
            }
            Err(error) => return Err(error),
        }
        self.copied.insert(subject, hash);
        Ok(())
    }

    /// Copies everything that the copy lacks.
    async fn copy_all(&mut self) -> Result<(), LogError> {
        self.registry = RegistryWatch::new(self.context.files.clone());
        self.acts = 0;
        self.state_files.forget();
        // What was removed while this hub did not copy.
        let files = self.copied.keys().filter_map(|subject| match CopyKey::parse(subject)? {
            CopyKey::File(path) => Some(path),
            _ => None,
        });
        let removed: Vec<String> = files.filter(|path| !self.context.state_dir.join(path).is_file()).collect();
        for path in removed {
            self.put(&CopyKey::File(path), to_json(&FileCopy { text: None })).await?;
        }
        self.copy_acts().await?;
        for game in self.context.hub.entered_games() {
            self.copy_game(game).await?;
        }
        self.policy = None;
        self.check().await
    }

    /// Copies what has changed of which nobody says so.
    async fn check(&mut self) -> Result<(), LogError> {
        self.renew_if_due().await?;
        self.copy_releases().await?;
        let policy = *self.context.delayed_view.policy().borrow();
        if self.policy != Some(policy) {
            // First what the earlier policy still hides.
            self.copy_all_releases().await?;
            self.put(&CopyKey::Policy, to_json(&PolicyCopy::from(policy))).await?;
            self.policy = Some(policy);
        }
        self.copy_continuations().await?;
        if let Ok(Some(registry)) = self.registry.changed() {
            self.put(&CopyKey::Registry, to_json(&RegistryCopy { registry })).await?;
        }
        for (path, text) in self.state_files.changed() {
            self.put(&CopyKey::File(path), to_json(&FileCopy { text })).await?;
        }
        let problem = match &self.too_large {
            _ if self.context.notice.is_some() => None,
            Some(what) => Some(format!("{what} is too large to be copied for the standby hub, which would not know it")),
            None => (self.standby_heard.elapsed() > STANDBY_PATIENCE).then(|| {
                "no other hub stands by for this one: start touchmoved there, with serve = true and standby = true, or set \
                 hall.standby = false here"
                    .to_owned()
            }),
        };
        self.report(problem);
        Ok(())
    }

    async fn copy_acts(&mut self) -> Result<(), LogError> {
        let journal = self.context.hub.journal();
        let entries = match journal.desk() {
            Ok((entries, _)) => entries,
            Err(error) => return Err(LogError::Failed(error.to_string())),
        };
        let hub = self.log.lease.hub.clone();
        let copies: Vec<(CopyKey, Vec<u8>)> = entries
            .iter()
            .enumerate()
            .skip(self.acts)
            .map(|(place, entry)| {
                let copy = desk_acts::copy(entry, |game| journal.remote_game(game).ok().flatten());
                (CopyKey::Act(hub.clone(), place), to_json(&copy))
            })
            .collect();
        for (key, payload) in copies {
            self.put(&key, payload).await?;
            self.acts += 1;
        }
        Ok(())
    }

    /// Copies which games continue on other boards.
    async fn copy_continuations(&mut self) -> Result<(), LogError> {
        let journal = self.context.hub.journal();
        let orders = journal.continuations().map_err(|error| LogError::Failed(error.to_string()))?;
        let source = |game| journal.remote_game(game).ok().flatten();
        let continuations = orders.iter().filter_map(|(order, game)| CopiedContinuation::new(order, *game, source)).collect();
        self.put(&CopyKey::Continuations, to_json(&ContinuationsCopy { continuations })).await
    }

    /// Copies what the desk has entered about a game.
    async fn copy_game(&mut self, game: u64) -> Result<(), LogError> {
        let journal = self.context.hub.journal();
        let read = journal.remote_game(game).and_then(|source| Ok((source, journal.desk_event_rows(game)?)));
        let (source, events) = read.map_err(|error| LogError::Failed(error.to_string()))?;
        match source {
            Some(source) => self.put(&CopyKey::Desk(source), to_json(&DeskCopy { events })).await,
            // A damaged game comes again as another one.
            None => Ok(()),
        }
    }

    /// Copies how much of all games is public.
    async fn copy_all_releases(&mut self) -> Result<(), LogError> {
        for (game, release) in self.context.delayed_view.releases() {
            self.copy_release(game, release).await?;
        }
        Ok(())
    }

    /// Copies what is going to be public, which then is.
    async fn copy_releases(&mut self) -> Result<(), LogError> {
        let view = Arc::clone(&self.context.delayed_view);
        while let Some(uncopied) = view.uncopied_releases() {
            for (game, release) in uncopied.games.clone() {
                self.copy_release(game, release).await?;
            }
            if !view.release_copied(&uncopied) {
                // They are tried again when the role is renewed.
                break;
            }
        }
        Ok(())
    }

    async fn copy_release(&mut self, game: u64, release: StoredRelease) -> Result<(), LogError> {
        match self.context.hub.journal().remote_game(game) {
            Ok(Some(source)) => self.put(&CopyKey::Public(source), to_json(&PublicCopy { release })).await,
            // A game of this hub's own boards, which the other one has not got.
            Ok(None) => Ok(()),
            Err(error) => Err(LogError::Failed(error.to_string())),
        }
    }
}

fn hash(payload: &[u8]) -> [u8; 32] {
    Sha256::digest(payload).into()
}
