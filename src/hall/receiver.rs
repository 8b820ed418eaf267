//! The hub of a hall: takes the games of all machines into its own journal and state, where every front-end finds them, and sends the
//! machines the commands of front-ends.
//!
//! **Invariant:** what a machine is told to be on disk here is on disk here. Everything else is asked for again.

mod alarm;
mod commander;
mod continuation;
mod desk;
pub mod diagnosis;
pub(super) mod follower;
mod gaps;
mod ingest;
mod joins;
mod kept;
mod position;
mod presences;
mod questions;
mod remote_board;
mod remote_boards;
mod storage;
mod streams;
mod subscriptions;

use super::connection::{Connection, ConnectionState, Endpoint, is_copy};
use super::message::board::BoardMessage;
use super::message::presence::Kept;
use super::message::{from_json, to_json};
use super::setup::paths::HallFiles;
use super::setup::registry::Registry;
use super::setup::registry_watch::RegistryWatch;
use super::subject::{self, Bucket, HALL_KEY};
use crate::daemon::{Hub, Stop, wait_for_stop};
use async_nats::Message;
use commander::Commander;
use desk::DeskEntries;
use futures_util::StreamExt;
use ingest::{Ingest, Taken};
use kept::KeptCounts;
use position::Position;
use remote_boards::RemoteBoards;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use subscriptions::Subscriptions;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tracing::{debug, info, warn};

/// The kinds of health problems of the hub of a hall.
pub const HALL_SERVER: &str = "hall_server";
/// Games of a machine are not taken.
pub const HALL_GAMES: &str = "hall_games";
pub use storage::HALL_STORAGE;

/// The interval at which machines are told what is on disk.
const KEPT_INTERVAL: Duration = Duration::from_millis(500);
/// After how many of these intervals all machines are told, also the name of the hall.
const TELL_ALL_EVERY: u32 = 4;
/// How many messages may be read whose events are not on disk yet.
const MAX_STORING: usize = 2_000;
/// The pause before the streams are opened again.
const REOPEN_PAUSE: Duration = Duration::from_secs(2);
/// How long the server may be away before that is a health problem.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);

/// What the hub of a hall needs.
pub struct ReceiverContext {
    /// The live games.
    pub hub: Arc<Hub>,
    /// Where and how to connect.
    pub endpoint: Endpoint,
    /// The hall with its machines.
    pub registry: Registry,
    /// The files of the hall.
    pub files: HallFiles,
    /// The term of this hub, which its commands carry; 0: it shares its role with no other hub.
    pub term: Arc<AtomicU64>,
    /// The shutdown signal.
    pub stop: Stop,
}

/// Runs until `stop`.
pub async fn run(context: ReceiverContext) {
    let ReceiverContext { hub, endpoint, registry, files, term, mut stop } = context;
    let connection = match Connection::open(&endpoint).await {
        Ok(connection) => connection,
        Err(error) => {
            let sentence = format!("this hub cannot connect to its server at {}: {error}", endpoint.url);
            warn!("{sentence}");
            hub.set_health_problem(HALL_SERVER, None, Some(sentence));
            return wait_for_stop(&mut stop).await;
        }
    };
    let known = hub.journal().remote_games().unwrap_or_else(|error| {
        hub.set_health_problem(HALL_GAMES, None, Some(format!("the games of the hall's machines cannot be read: {error}")));
        Vec::new()
    });
    let kept = KeptCounts::default();
    let commander = Arc::new(Commander::new(Arc::clone(&hub), connection.clone(), term));
    let boards = RemoteBoards::new(Arc::clone(&hub), Arc::clone(&commander));
    let ingest = Ingest::new(&registry.hall, known, kept.clone());
    let desk = DeskEntries::new(Arc::clone(&hub));
    let mut receiver = Receiver {
        hub,
        connection,
        url: endpoint.url,
        registry,
        registry_watch: RegistryWatch::new(files.clone()),
        files,
        commander,
        boards,
        ingest,
        kept,
        desk,
        read: 0,
        behind: 0,
        told: 0,
        position: Default::default(),
        opened_at: None,
    };
    for (machine, board) in receiver.ingest.boards() {
        receiver.boards.restore(&machine, &board);
        receiver.hub.change_machine(&machine, |_| {});
    }
    presences::note_removed(&receiver.hub, &mut receiver.boards, &receiver.registry.removed);
    tokio::select! {
        () = receiver.run() => {}
        () = wait_for_stop(&mut stop) => {}
    }
    receiver.boards.stop().await;
}

struct Receiver {
    hub: Arc<Hub>,
    connection: Connection,
    url: String,
    registry: Registry,
    registry_watch: RegistryWatch,
    files: HallFiles,
    commander: Arc<Commander>,
    boards: RemoteBoards,
    ingest: Ingest,
    kept: KeptCounts,
    desk: DeskEntries,
    /// The sequence number of the last message that was read.
    read: u64,
    /// The number of messages that are still to be read.
    behind: u64,
    /// How often the machines were told what is on disk.
    told: u32,
    position: Position,
    /// When the streams were last opened, on the steady clock, in milliseconds; `None`: not yet.
    opened_at: Option<i64>,
}

impl Receiver {
    async fn run(&mut self) {
        self.wait_for_role().await;
        self.hub.resume_continuations().await;
        let mut state = self.connection.state();
        loop {
            match tokio::time::timeout(SERVER_PATIENCE, state.wait_for(ConnectionState::is_up)).await {
                Ok(Ok(_)) => {}
                Ok(Err(_)) => return,
                Err(_) => {
                    let url = &self.url;
                    self.report(Some(format!(
                        "the hall's server at {url} cannot be reached: `systemctl status touchmove-nats`"
                    )));
                    self.follow_registry();
                    continue;
                }
            }
            let failed = match self.connection.unusable() {
                Some(sentence) => Err(sentence),
                None => self.open().await,
            };
            match failed {
                Ok(mut subscriptions) => {
                    self.report(None);
                    info!("the hall \"{}\" is open", self.registry.hall);
                    let ended = self.serve(&mut subscriptions).await;
                    debug!("the hall's streams are opened again: {ended}");
                }
                Err(sentence) => self.report(Some(sentence)),
            }
            sleep(REOPEN_PAUSE).await;
        }
    }

    fn report(&self, sentence: Option<String>) {
        let problem = sentence.clone();
        if self.hub.set_health_problem(HALL_SERVER, None, sentence)
            && let Some(problem) = problem
        {
            warn!("{problem}");
        }
    }

    /// Reads the registry again if it has changed, and returns whether another event has begun. Boards, games and what is on disk
    /// stay; the streams must be opened again.
    fn follow_registry(&mut self) -> bool {
        let registry = match self.registry_watch.changed() {
            Ok(Some(registry)) => registry,
            Ok(None) => return false,
            Err(error) => {
                warn!("the hall's registry cannot be read again: {error}");
                return false;
            }
        };
        presences::note_removed(&self.hub, &mut self.boards, &registry.removed);
        let before = std::mem::replace(&mut self.registry, registry);
        let hall = &self.registry.hall;
        if *hall == before.hall {
            return false;
        }
        info!("the event \"{hall}\" of the hall follows \"{}\"", before.hall);
        self.ingest.set_hall(hall);
        true
    }

    /// Serves until a subscription ends, or another event begins; returns why.
    async fn serve(&mut self, subscriptions: &mut Subscriptions) -> String {
        let mut told = interval(KEPT_INTERVAL);
        told.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut state = self.connection.state();
        state.mark_unchanged();
        loop {
            tokio::select! {
                event = subscriptions.events.next(), if self.kept.storing() < MAX_STORING => match event {
                    Some(Ok(message)) => self.take(&message),
                    Some(Err(error)) => return error.to_string(),
                    None => return "the events ended".to_owned(),
                },
                Some(message) = subscriptions.boards.next() => self.read_board(&message),
                Some(message) = subscriptions.presences.next() => presences::read(&self.hub, &mut self.boards, &message),
                Some(message) = subscriptions.questions.next(), if self.hub.check_role().is_ok() => self.answer(&message).await,
                Some(message) = subscriptions.joins.next(), if self.hub.check_role().is_ok() => joins::answer(&self.connection, &self.files, message),
                _ = told.tick() => {
                    if self.hub.check_role().is_err() {
                        return "this hub does not have its role".to_owned();
                    }
                    if self.follow_registry() {
                        return "another event has begun".to_owned();
                    }
                    self.tell().await;
                    self.desk.tell(&self.connection).await;
                    presences::check(&self.hub, &mut self.boards, self.opened_at);
                    self.check_refused();
                    self.read_gaps(&subscriptions.stream).await;
                }
                changed = state.changed() => {
                    // The server may have lost its last messages: their sequence numbers would be used again.
                    if changed.is_err() || state.borrow_and_update().is_up() {
                        return "the connection was made again".to_owned();
                    }
                }
            }
        }
    }

    /// Takes a message of the stream of events.
    fn take(&mut self, message: &async_nats::jetstream::Message) {
        if let Ok(info) = message.info() {
            (self.read, self.behind) = (info.stream_sequence, info.pending);
            self.position.note(self.read, info.published.to_string());
        }
        self.take_events(message);
    }

    fn take_events(&mut self, message: &async_nats::jetstream::Message) {
        let boards = &mut self.boards;
        let sequence = message.info().map_or(self.read, |info| info.stream_sequence);
        let place = |subject: &_, events: &_| boards.place(subject, events);
        let taken = self.ingest.take(&self.hub, &message.message, sequence, place);
        match taken {
            Taken::Events(events) => self.boards.publish(*events),
            Taken::Known => {}
            Taken::Refused(machine, sentence) => alarm::raise(&self.hub, machine.as_deref(), sentence),
        }
    }

    fn read_board(&mut self, message: &Message) {
        if is_copy(message) {
            return;
        }
        let Some((machine, board)) = subject::parse_board(&self.registry.hall, &message.subject) else { return };
        // It may have sent this before it was removed.
        if self.registry.removed.iter().any(|removed| removed == machine) {
            return;
        }
        let taken = match from_json::<BoardMessage>(&message.payload) {
            Ok(state) => self.boards.set_state(machine, board, state),
            Err(error) => {
                let what = format!("the state of board {board} of {machine} is not taken");
                Err(alarm::unread(machine, &what, &error))
            }
        };
        if let Err(sentence) = taken {
            alarm::raise(&self.hub, Some(machine), sentence);
        }
    }

    async fn answer(&mut self, message: &Message) {
        match questions::answer(message, &self.hub, &self.commander, &self.kept) {
            questions::Answer::Reply { subject, payload } => _ = self.connection.publish(subject, payload).await,
            questions::Answer::Refused { machine, sentence } => alarm::raise(&self.hub, Some(&machine), sentence),
            questions::Answer::None => {}
        }
    }

    /// Tells the machines what is on disk, and stores how far the stream was read.
    async fn tell(&mut self) {
        // A machine must not find anything else there.
        if self.told.is_multiple_of(TELL_ALL_EVERY) {
            // They wait for the lag to end, and a message may have been lost.
            self.kept.mark_all();
            self.connection.publish(Bucket::Hall.subject(HALL_KEY), self.registry.hall.clone().into_bytes()).await;
        }
        self.told = self.told.wrapping_add(1);
        for (machine, events) in self.kept.take_changed() {
            let kept = to_json(&Kept { events, behind: self.behind });
            self.connection.publish(Bucket::Kept.subject(&machine), kept).await;
        }
        self.position.store(&self.hub, self.kept.position(self.read)).await;
    }

    /// Reports the events that the journal refused.
    fn check_refused(&mut self) {
        let refused = self.kept.take_refused();
        if refused.is_empty() {
            return;
        }
        let known = self.hub.journal().remote_games().unwrap_or_default();
        for (subject, reason) in refused {
            self.ingest.reset(&subject, &known);
            alarm::raise(&self.hub, Some(&subject.machine), reason);
        }
    }
}
