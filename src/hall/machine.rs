//! A machine of a hall: sends its games, the states of its boards and its own state to the hub, and carries out the hub's commands.
//!
//! **Invariant:** nothing here delays a board. What cannot be sent stays in the journal, and is sent when the hall is there again.

mod beat;
mod boards;
mod commands;
mod desk;
pub mod diagnosis;
mod health;
mod kept;
mod presence;
mod sender;
mod time;

use super::connection::{Connection, ConnectionState, Endpoint, RequestError, is_copy};
use super::message::presence::Kept;
use super::outbox::{Outbox, SendOutcome};
use super::subject::{self, Bucket, HALL_KEY};
use crate::config::hall::is_name;
use crate::daemon::hub::Update;
use crate::daemon::hub::feed::{Received, UpdateFeed};
use crate::daemon::{Hub, Stop, wait_for_stop};
use async_nats::Message;
use beat::{Beat, BeatRequest, beat};
use boards::Boards;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use presence::{Lease, PresenceSource};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use time::HubClock;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, sleep_until};
use tracing::{info, warn};

pub use health::{HALL_AWAY, HALL_CONFLICT, HALL_COPY, HALL_REFUSES, HALL_VERSION};

/// The interval at which the machine says that it is there.
const PRESENCE_INTERVAL: Duration = Duration::from_secs(5);
/// The interval at which changed boards are sent.
const BOARDS_INTERVAL: Duration = Duration::from_millis(100);
/// The pause after the server refused something.
const REFUSED_PAUSE: Duration = Duration::from_secs(2);
/// How long the hub may have less on disk than was sent before the machine asks what it lacks.
const LACKING_PATIENCE: Duration = Duration::from_secs(10);
/// How long the connection may be down before that is a health problem.
const AWAY_PATIENCE: Duration = Duration::from_secs(10);

/// What a machine of a hall needs.
pub struct MachineContext {
    /// The live games.
    pub hub: Arc<Hub>,
    /// Where and how to connect.
    pub endpoint: Endpoint,
    /// The state directory, whose disk is reported.
    pub state_dir: PathBuf,
    /// The shutdown signal.
    pub stop: Stop,
}

/// Runs until `stop`.
pub async fn run(context: MachineContext) {
    let MachineContext { hub, endpoint, state_dir, mut stop } = context;
    let connection = match Connection::open(&endpoint).await {
        Ok(connection) => connection,
        Err(error) => {
            let sentence = format!("this machine cannot join the hall at {}: {error}", endpoint.url);
            warn!("{sentence}");
            hub.set_health_problem(HALL_AWAY, None, Some(sentence));
            return wait_for_stop(&mut stop).await;
        }
    };
    let clock = Arc::new(HubClock::default());
    let name = &endpoint.machine;
    let mut tasks = JoinSet::new();
    tasks.spawn(commands::run(connection.clone(), Arc::clone(&hub), name.clone(), Arc::clone(&clock)));
    tasks.spawn(desk::run(connection.clone(), Arc::clone(&hub), name.clone()));
    let mut machine = Machine::new(hub, connection, endpoint, &state_dir, clock);
    machine.run(&mut stop).await;
    tasks.abort_all();
    machine.leave().await;
}

/// A part of a game that is being sent.
type Sending = Pin<Box<dyn Future<Output = (u64, SendOutcome, Option<String>)> + Send>>;

struct Machine {
    hub: Arc<Hub>,
    connection: Connection,
    endpoint: Endpoint,
    clock: Arc<HubClock>,
    outbox: Outbox,
    sending: FuturesUnordered<Sending>,
    boards: Boards,
    /// The lease of the machine's name; `None` while a beat uses it.
    lease: Option<Lease>,
    /// Whether this machine has its name for itself, as far as is known.
    is_alone: bool,
    presence: PresenceSource,
    /// The name of the hall, once the hub has said it.
    hall: Option<String>,
    /// Whether the hub has said what it has on disk, since there is this connection.
    is_kept_known: bool,
    /// Since when everything is sent and the hub has less on disk.
    lacking_since: Option<Instant>,
    /// Since when there is no connection.
    down_since: Option<Instant>,
    /// No message is sent before.
    paused_until: Option<Instant>,
    /// When changed boards are sent next.
    flush_at: Option<Instant>,
    /// What the machine says and asks every few seconds, while it waits for the answers: at most one.
    beating: FuturesUnordered<Pin<Box<dyn Future<Output = Beat> + Send>>>,
}

impl Machine {
    fn new(hub: Arc<Hub>, connection: Connection, endpoint: Endpoint, state_dir: &Path, clock: Arc<HubClock>) -> Machine {
        Machine {
            presence: PresenceSource::new(state_dir),
            hub,
            connection,
            endpoint,
            clock,
            outbox: Outbox::default(),
            sending: FuturesUnordered::new(),
            boards: Boards::default(),
            lease: Some(Lease::default()),
            is_alone: false,
            hall: None,
            is_kept_known: false,
            lacking_since: None,
            down_since: Some(Instant::now()),
            paused_until: None,
            flush_at: None,
            beating: FuturesUnordered::new(),
        }
    }

    async fn run(&mut self, stop: &mut Stop) {
        let mut updates = self.hub.subscribe();
        self.read_journal();
        let mut state = self.connection.state();
        let mut presence = interval(PRESENCE_INTERVAL);
        presence.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let machine = &self.endpoint.machine;
        let subjects = [Bucket::Kept.subject(machine), Bucket::Hall.subject(HALL_KEY)];
        let mut messages = futures_util::stream::select_all(Vec::new());
        for subject in subjects {
            // Subscriptions are made again with each connection.
            match self.connection.client().subscribe(subject).await {
                Ok(subscription) => messages.push(subscription),
                Err(error) => warn!("the hall cannot be followed: {error}"),
            }
        }
        loop {
            self.send();
            let may_flush = self.boards.is_dirty() && self.connection.is_up() && self.hall.is_some();
            let flush_at = may_flush.then(|| *self.flush_at.get_or_insert_with(|| Instant::now() + BOARDS_INTERVAL));
            let pause = self.paused_until.map(|until| until.saturating_duration_since(Instant::now()));
            tokio::select! {
                () = wait_for_stop(stop) => return,
                received = updates.next() => {
                    let Some(received) = received else { return };
                    self.receive(received, &mut updates);
                }
                Some((game, outcome, refused)) = self.sending.next(), if !self.sending.is_empty() => {
                    self.finish(game, &outcome, refused);
                }
                Some(message) = messages.next() => {
                    self.read_message(&message);
                    // The hub is there, perhaps since now. What is on its disk is asked at once, not with the next beat.
                    if self.hall.is_some() && !self.is_kept_known && !is_copy(&message) {
                        presence.reset_immediately();
                    }
                }
                changed = state.changed() => {
                    if changed.is_err() { return }
                    let now = state.borrow_and_update().clone();
                    self.connection_changed(&now);
                    if now.is_up() {
                        presence.reset_immediately();
                    }
                }
                _ = presence.tick() => self.begin_beat(),
                Some(beat) = self.beating.next(), if !self.beating.is_empty() => self.finish_beat(beat),
                () = sleep_until(flush_at.unwrap_or_else(Instant::now).into()), if flush_at.is_some() => self.flush_boards().await,
                () = sleep(pause.unwrap_or_default()), if pause.is_some() => self.paused_until = None,
            }
        }
    }

    /// Reads the games of the journal, or what has changed of them.
    fn read_journal(&mut self) {
        match self.hub.journal().game_ends() {
            Ok(ends) => {
                let current = self.current();
                self.outbox.add(ends, |game| current.contains(&game));
            }
            Err(error) => {
                let sentence = format!("games cannot be sent to the hall, because the journal cannot be read: {error}");
                self.hub.set_health_problem(HALL_REFUSES, None, Some(sentence));
            }
        }
    }

    fn receive(&mut self, received: Received, updates: &mut UpdateFeed) {
        match received {
            Received::Update(Update::Event(published)) => {
                match (published.game, published.stamped.number) {
                    (Some(game), Some(number)) => {
                        if !self.outbox.note_event(game, number, Instant::now()) {
                            self.read_journal();
                            self.outbox.note_event(game, number, Instant::now());
                        }
                        if number == 1 {
                            let current = self.current();
                            self.outbox.set_current(|game| current.contains(&game));
                        }
                    }
                    _ => self.boards.push_event(&published),
                }
                self.boards.mark(&published.board);
            }
            Received::Update(Update::Board(board)) => self.boards.mark(&board),
            Received::Update(Update::Desk | Update::Health | Update::Machines | Update::Bluetooth) => {}
            Received::Missed(_) => {
                updates.skip_to_now();
                self.read_journal();
                self.boards.mark_all(&self.hub);
            }
        }
    }

    /// Returns the games that are on boards.
    fn current(&self) -> Vec<u64> {
        self.hub.read(|state| state.boards.values().filter_map(|board| board.game).collect())
    }

    /// Begins to send as much as is allowed.
    fn send(&mut self) {
        let Some(hall) = self.hall.clone() else { return };
        if !self.connection.is_up() || !self.is_alone || self.paused_until.is_some() || !self.is_kept_known {
            return;
        }
        while let Some(task) = self.outbox.next_task() {
            let (connection, hub) = (self.connection.clone(), Arc::clone(&self.hub));
            let (hall, machine) = (hall.clone(), self.endpoint.machine.clone());
            self.sending.push(Box::pin(async move {
                let (outcome, refused) = sender::send(&connection, &hub, &hall, &machine, &task).await;
                (task.end.game, outcome, refused)
            }));
        }
    }

    fn finish(&mut self, game: u64, outcome: &SendOutcome, refused: Option<String>) {
        self.outbox.finish(game, outcome);
        if let SendOutcome::Conflict(sentence) = outcome {
            warn!("{sentence}");
            self.hub.set_health_problem(HALL_CONFLICT, None, Some(sentence.clone()));
        }
        if refused.is_some() || *outcome == SendOutcome::Unknown {
            self.paused_until = Some(Instant::now() + REFUSED_PAUSE / if refused.is_some() { 1 } else { 20 });
        }
        if refused.is_some() || matches!(outcome, SendOutcome::Sent(_)) {
            health::report(&self.hub, HALL_REFUSES, refused);
        }
    }

    fn connection_changed(&mut self, state: &ConnectionState) {
        match state {
            ConnectionState::Up(_) => {
                self.down_since = None;
                health::report(&self.hub, HALL_AWAY, self.connection.unusable());
                info!("connected to the hall at {}", self.endpoint.url);
                // The server may have lost its last messages.
                self.outbox.forget_sent();
                self.outbox.set_behind(0);
                (self.is_kept_known, self.is_alone) = (false, false);
                if let Some(lease) = &mut self.lease {
                    lease.forget();
                }
                self.boards.forget_events();
                self.boards.mark_all(&self.hub);
            }
            ConnectionState::Down(reason) => {
                if self.down_since.is_none() {
                    warn!("the hall at {} cannot be reached: {reason}", self.endpoint.url);
                    self.down_since = Some(Instant::now());
                }
            }
        }
    }

    fn read_message(&mut self, message: &Message) {
        if is_copy(message) {
            return;
        }
        if Bucket::Hall.key(&message.subject) == Some(HALL_KEY) {
            self.set_hall(&message.payload);
        } else if let Ok(kept) = health::read_from_hub::<Kept>(&self.hub, &message.payload) {
            self.set_kept(kept);
        }
    }

    fn set_hall(&mut self, payload: &[u8]) {
        let name = std::str::from_utf8(payload).ok().filter(|name| is_name(name)).map(str::to_owned);
        if name.is_some() && self.hall != name {
            info!("this machine is in the hall {}", name.as_deref().unwrap_or_default());
            self.hall = name;
            // Another stream. What is on its way to the one before may not be read there.
            self.sending.clear();
            self.outbox.abandon();
            self.is_kept_known = false;
        }
    }

    /// Begins to say that the machine is there, and to ask the hub what is not known yet.
    fn begin_beat(&mut self) {
        if !self.connection.is_up() {
            if self.down_since.is_some_and(|since| since.elapsed() > AWAY_PATIENCE) {
                health::report(&self.hub, HALL_AWAY, Some(health::away(&self.endpoint.url, &self.connection.state().borrow())));
            }
            return;
        }
        // The hub forgets states that are not repeated, and a hub that was started again has none.
        self.boards.mark_all(&self.hub);
        if self.outbox.unkept() == 0 || self.outbox.is_busy() {
            self.lacking_since = None;
        } else {
            self.lacking_since.get_or_insert_with(Instant::now);
        }
        let is_lacking = self.lacking_since.is_some_and(|since| since.elapsed() > LACKING_PATIENCE);
        // The lease is here again when the beat before has ended.
        let Some(lease) = self.lease.take() else { return };
        self.beating.push(Box::pin(beat(BeatRequest {
            connection: self.connection.clone(),
            machine: self.endpoint.machine.clone(),
            clock: Arc::clone(&self.clock),
            presence: self.presence.read(&self.hub, self.outbox.unkept(), self.clock.offset_ms()),
            lease,
            asks_hall: self.hall.is_none(),
            asks_kept: !self.is_kept_known || is_lacking,
            is_lacking,
        })));
    }

    fn finish_beat(&mut self, beat: Beat) {
        self.is_alone = beat.lease.is_held();
        self.lease = Some(beat.lease);
        health::report(&self.hub, HALL_COPY, beat.copy);
        if let Some(hall) = beat.hall {
            self.set_hall(&hall);
        }
        match beat.kept {
            Some(Ok(kept)) => self.set_all_kept(kept, beat.is_lacking),
            Some(Err(RequestError::NoResponders(_))) => {
                // A server that is too old has nobody to answer.
                let sentence = self.connection.unusable().unwrap_or_else(|| health::HUB_SILENT.to_owned());
                health::report(&self.hub, HALL_AWAY, Some(sentence));
            }
            Some(Err(RequestError::LaterVersion(found))) => health::report_later_hub(&self.hub, found),
            Some(Err(RequestError::Failed(_))) | None => {}
        }
    }

    async fn flush_boards(&mut self) {
        self.flush_at = None;
        let Some(hall) = &self.hall else { return };
        for (board, payload) in self.boards.take(&self.hub) {
            self.connection.publish(subject::board(hall, &self.endpoint.machine, board.as_str()), payload).await;
        }
    }

    /// Says that the machine leaves, so that it, or its replacement, can come back at once.
    async fn leave(&mut self) {
        if let Some(lease) = self.lease.as_mut().filter(|_| self.connection.is_up()) {
            lease.release(&self.connection, &self.endpoint.machine).await;
        }
    }
}
