//! Ordering and fan-out: the events of a board's game are written to the journal, then applied to the state that front-ends read,
//! then published.
//!
//! **Invariants:** An event that a front-end sees is already in the journal, if it is durable at all. Every front-end receives the
//! events of one board in the order in which the board's table produced them. No front-end can delay a board: the feed is a ring
//! buffer, and a front-end that falls behind reads the state again and requests the events that it missed.

mod bluetooth;
mod board;
mod continuation;
mod desk;
mod desk_records;
pub mod feed;
mod game;
mod handle;
mod machine;
mod orders;
mod past_games;
mod publisher;
pub mod readings;
mod recent_acts;
mod remote;
mod remote_continuation;
mod request;
mod role;
pub mod round_games;
mod state;
mod update;
mod wiring_test;

pub use bluetooth::{
    BluetoothError, BluetoothOrder, BluetoothRequest, BluetoothView, Candidate, Confidence, Confirmation, Identification,
    NearbyDevice, SearchActivity, SignalStrength, candidate_text, evidence_text, handshake_error_text, identification_text,
    unavailable_text,
};
pub use board::{BoardId, BoardView, ClockView, ConnectionState, TrafficCounters};
pub use desk::DeskChangeError;
use desk_records::DeskRecords;
use feed::UpdateFeed;
pub use game::GameView;
pub use handle::{BoardHandle, RemoteBatch, RemoteContinuation};
pub use machine::MachineView;
pub use past_games::GameSummary;
pub use readings::Readings;
use recent_acts::RecentActs;
pub use request::{
    Continuation, GameGuard, OrderError, OrderGuard, ReplySender, Request, RequestKind, Seen, StoredGameState, TableExchange,
    Target,
};
pub use role::{CopyRequest, DeskEntryKind, Inactive, role_clock_ms};
pub use state::{
    GAME_UNREADABLE, GAMES_IN_MEMORY, HOOK_FAILED, HealthProblem, JOURNAL_DAMAGED, JOURNAL_FAILED, JOURNAL_FULL,
    JOURNAL_LAST_ROOM, State, WEBHOOK_FAILED, is_health_kind_for,
};
pub use update::{Published, Update};
pub use wiring_test::{TestOrder, WiringTestView};

use crate::daemon::desk_file::DeskFile;
use crate::daemon::journal::{Incarnation, Journal, JournalError};
use crate::daemon::{Stop, wait_for_stop};
use crate::game::{Delay, Record, StampedEvent};
use crate::link::watch::UnusedDevice;
use crate::names::MANAGER_INTERFACE;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tracing::field::display;
use tracing::{debug, error, warn};

/// Capacity of the feed: how many updates a front-end may fall behind before it must read the state again.
const FEED_CAPACITY: usize = 1024;
/// State, ordering and fan-out, shared by link tasks and front-ends.
pub struct Hub {
    state: Mutex<State>,
    routes: Mutex<HashMap<BoardId, mpsc::Sender<Request>>>,
    publishers: Mutex<Vec<JoinHandle<()>>>,
    /// Where orders for the search for boards over Bluetooth are sent; `None`: it does not run.
    bluetooth_orders: Mutex<Option<mpsc::Sender<BluetoothRequest>>>,
    feed: broadcast::Sender<Update>,
    journal: Journal,
    tags: Arc<[(String, String)]>,
    desk_file: Mutex<Option<DeskFile>>,
    /// Held while an act of the desk is checked, stored and applied.
    desk_turn: tokio::sync::Mutex<RecentActs>,
    /// What the desk has entered about games of other machines.
    desk_records: Mutex<DeskRecords>,
    /// Held while a result is added to a game that is no longer on a board.
    late_turn: tokio::sync::Mutex<()>,
    has_public_delay: AtomicBool,
    role: role::HubRole,
}

/// Tells a thread to stop when the task that waits for it is dropped.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Hub {
    /// Creates a hub without boards over an open journal. `tags` are added to the PGN of every game.
    pub fn new(journal: Journal, tags: &[(String, String)]) -> Arc<Hub> {
        let desk_records = journal.desk_records().unwrap_or_else(|error| {
            warn!("what the desk has entered about games of other machines is left out: {error}");
            Default::default()
        });
        Arc::new(Hub {
            state: Mutex::default(),
            routes: Mutex::default(),
            publishers: Mutex::default(),
            bluetooth_orders: Mutex::default(),
            feed: broadcast::Sender::new(FEED_CAPACITY),
            journal,
            tags: tags.into(),
            desk_file: Mutex::default(),
            desk_turn: tokio::sync::Mutex::default(),
            desk_records: Mutex::new(DeskRecords::of(desk_records)),
            late_turn: tokio::sync::Mutex::default(),
            has_public_delay: AtomicBool::new(false),
            role: role::HubRole::default(),
        })
    }

    /// Sets the public delay. The log is not delayed: if there is a public delay, log lines at the default level reveal nothing
    /// about a game or about play. This stays so until the process ends, because a shorter delay holds for later events only.
    pub fn set_public_delay(&self, delay: Delay) {
        if delay != Delay::default() {
            self.hide_play();
        }
    }

    /// Keeps play out of the log, because events are hidden from the public.
    pub fn hide_play(&self) {
        self.has_public_delay.store(true, Ordering::Relaxed);
    }

    /// Returns whether the public sees games, or has seen them in this process, with a delay. See [`Hub::set_public_delay`].
    pub fn has_public_delay(&self) -> bool {
        self.has_public_delay.load(Ordering::Relaxed)
    }

    /// Logs a failure whose description reveals something about a game or about play. With a public delay, logs `brief`, which
    /// reveals nothing, and the description at debug level.
    pub fn log_failure(&self, brief: &str, description: &str) {
        if self.has_public_delay() {
            error!("{brief}");
            debug!("{description}");
        } else {
            error!("{description}");
        }
    }

    /// Logs a warning that reveals something about a game or about play: at debug level if there is a public delay.
    pub fn warn_about_play(&self, board: Option<&BoardId>, sentence: &str) {
        let board = board.map(display);
        match self.has_public_delay() {
            true => debug!(board, "{sentence}"),
            false => warn!(board, "{sentence}"),
        }
    }

    /// Reads the state. `read` must be short: it holds the lock on the state.
    pub fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    /// Subscribes to all updates from now on. To miss nothing, subscribe first, then read the state. See [`feed`] for what to
    /// do when some is missed.
    pub fn subscribe(&self) -> UpdateFeed {
        UpdateFeed::new(self.feed.subscribe())
    }

    /// Returns a game's durable events with numbers above `number` (0: all) from the journal. Some may not have reached subscribers
    /// yet.
    pub fn events_after(&self, game: u64, number: u64) -> Result<Vec<StampedEvent>, JournalError> {
        self.journal.events(game, number)
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Changes what is known of a machine of the hall.
    pub fn change_machine(&self, machine: &str, change: impl FnOnce(&mut MachineView)) {
        {
            let mut state = self.lock();
            let view = state.machines.entry(machine.to_owned()).or_default();
            let before = view.clone();
            change(view);
            if *view == before {
                return;
            }
        }
        self.publish(Update::Machines);
    }

    /// Returns the PGN tags that the configuration gives all games.
    pub fn event_tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// Returns the journal's incarnation.
    pub fn incarnation(&self) -> Incarnation {
        self.journal.incarnation()
    }

    /// Checks, on a thread of its own, the part of the journal that was not checked when it was opened, and reports damage.
    pub async fn check_journal(&self, mut stop: Stop) {
        let check = self.journal.check();
        let (sender, found) = oneshot::channel();
        let stop_check = StopOnDrop::default();
        let is_stopped = Arc::clone(&stop_check.0);
        let thread = std::thread::Builder::new().name("journal-check".to_owned());
        let started = thread.spawn(move || _ = sender.send(check.run(&is_stopped, |_, _| {})));
        let found = tokio::select! {
            () = wait_for_stop(&mut stop) => return,
            found = found => found,
        };
        let closed = match (started, found) {
            (Ok(_), Ok(Ok(findings))) if findings.is_good() => return,
            (Ok(_), Ok(Ok(findings))) => self.journal.close_damaged(&findings).await.map(|_| {
                format!(
                    "the journal is damaged: {findings}; make a copy with `touchmovectl backup`, and run `touchmovectl \
                     journal verify`{}",
                    if findings.torn.is_some() { "; touchmoved sets the file aside when it starts next" } else { "" }
                )
            }),
            (Ok(_), Ok(Err(error))) => Err(error),
            (Err(_), _) | (_, Err(_)) => Err(JournalError::Closed),
        };
        let sentence = closed.unwrap_or_else(|error| format!("the journal cannot be checked: {error}"));
        let brief = format!("the journal is damaged or cannot be checked: see property Problems of {MANAGER_INTERFACE}");
        self.log_failure(&brief, &sentence);
        self.set_health_problem(JOURNAL_DAMAGED, None, Some(sentence));
    }

    /// Registers a board and loads its last games from the journal. Also returns the events of the last one, for its table. A game
    /// that cannot be read is left out and reported as a health problem; if it is the last one, its readable beginning is
    /// continued.
    pub fn register_board(self: &Arc<Self>, mut view: BoardView) -> (BoardHandle, Option<StoredGameState>) {
        let board = view.id.clone();
        let mut last = None;
        let mut unreadable = Vec::new();
        let games: Vec<(u64, i64)> = self.journal.games_of(board.as_str(), GAMES_IN_MEMORY).unwrap_or_else(|reason| {
            unreadable.push(reason.to_string());
            Vec::new()
        });
        let newest = games.last().map(|(id, _)| *id);
        for (id, started_wall_ms) in games {
            let closed = self.journal.last_good(id);
            let events = match closed {
                // An older game whose beginning is unreadable is not needed.
                Some(0) if newest != Some(id) => continue,
                Some(good) if newest == Some(id) => {
                    Err(format!("events of game {id} after number {good} are missing or changed in the journal"))
                }
                _ => self.journal.events(id, 0).map_err(|reason| reason.to_string()),
            };
            let read = events.and_then(|events| {
                let record = events.first().and_then(Record::begin);
                Ok((record.ok_or_else(|| format!("game {id} in the journal does not begin with its first event"))?, events))
            });
            let (record, events) = match read {
                Ok(read) => read,
                Err(reason) => {
                    unreadable.push(reason);
                    (view.game, view.rotation) = (None, None);
                    let events = self.journal.readable_events(id);
                    last = events.first().and_then(Record::begin).map(|record| StoredGameState {
                        epoch_wall_ms: started_wall_ms.saturating_sub_unsigned(record.started_at),
                        events,
                        cut_from: Some(id),
                    });
                    continue;
                }
            };
            view.game = Some(id);
            let epoch_wall_ms = started_wall_ms.saturating_sub_unsigned(record.started_at);
            let mut game = GameView::new(id, board.clone(), epoch_wall_ms, record, self.tags.clone());
            game.apply_stored(&events, self.desk_record(id).as_ref());
            game.last_recalled_number = game.record.last_number;
            game.machine.clone_from(&view.machine);
            // If the journal cannot be read, its games cannot either.
            game.is_continued = self.journal.is_continued(id).unwrap_or(false);
            view.rotation = Some(game.record.rotation);
            last = Some(StoredGameState { epoch_wall_ms, events, cut_from: None });
            let mut state = self.lock();
            state.desk.hide_tags(&mut game.record.tags);
            state.games.insert(id, game);
            state.mark_continued(id);
        }
        if !unreadable.is_empty() {
            let reason = unreadable.join("; ");
            // The reason may name a move, which must not appear in the system log.
            error!(%board, "a stored game cannot be read: see property Problems of {MANAGER_INTERFACE}");
            let outcome = match &last {
                Some(StoredGameState { cut_from: Some(_), events, .. }) => {
                    format!("the game continues from its first {} events, and later moves are missing", events.len())
                }
                _ => format!("board {board} continues without it"),
            };
            let sentence = format!(
                "a stored game of board {board} cannot be read ({reason}): {outcome}; inspect it with sqlite3 in a copy made by \
                 `touchmovectl backup`"
            );
            self.set_health_problem(GAME_UNREADABLE, Some(&board), Some(sentence));
        }
        self.lock().boards.insert(board.clone(), view);
        let (route, requests) = mpsc::channel(16);
        lock(&self.routes).insert(board.clone(), route);
        let (batches, queue) = mpsc::unbounded_channel();
        let publisher = tokio::spawn(Arc::clone(self).run_publisher(board.clone(), queue));
        lock(&self.publishers).push(publisher);
        self.publish(Update::Board(board.clone()));
        (BoardHandle { hub: Arc::clone(self), board, batches, requests }, last)
    }

    /// Sets the list of devices that may be boards and are not used.
    pub fn set_unused(&self, unused: Vec<UnusedDevice>) {
        let is_news = {
            let mut state = self.lock();
            let is_news = state.unused != unused;
            state.unused = unused;
            is_news
        };
        if is_news {
            self.publish(Update::Health);
        }
    }

    /// Sets a board's health problem of this kind, or clears it (`None`). Those of other boards are not changed. Returns whether
    /// the list changed.
    pub fn set_health_problem(&self, kind: &'static str, board: Option<&BoardId>, sentence: Option<String>) -> bool {
        {
            let mut state = self.lock();
            let problems = &mut state.health_problems;
            let known = problems.iter().position(|problem| problem.kind == kind && problem.board.as_ref() == board);
            match (known.and_then(|index| problems.get_mut(index)), sentence) {
                (None, None) => return false,
                (Some(known), Some(sentence)) if known.sentence == sentence => return false,
                (Some(known), Some(sentence)) => known.sentence = sentence,
                (None, Some(sentence)) => problems.push(HealthProblem { kind, board: board.cloned(), sentence }),
                (Some(_), None) => problems.retain(|problem| problem.kind != kind || problem.board.as_ref() != board),
            }
        }
        self.publish(Update::Health);
        true
    }

    /// Removes the health problems of these kinds, of all boards.
    pub fn clear_health_problems(&self, kinds: &[&'static str]) {
        let problems = self.read(|state| state.health_problems.clone());
        for problem in problems.iter().filter(|problem| kinds.contains(&problem.kind)) {
            self.set_health_problem(problem.kind, problem.board.as_ref(), None);
        }
    }

    /// Waits until all published events are in the journal. All board handles must have been dropped.
    pub async fn drain(&self) {
        lock(&self.routes).clear();
        let publishers = std::mem::take(&mut *lock(&self.publishers));
        for publisher in publishers {
            if let Err(error) = publisher.await {
                error!("a board's publisher failed: {error}");
            }
        }
    }

    fn change_board(&self, board: &BoardId, change: impl FnOnce(&mut BoardView)) {
        if let Some(view) = self.lock().boards.get_mut(board) {
            change(view);
        }
        self.publish(Update::Board(board.clone()));
    }

    fn publish(&self, update: Update) {
        // An error means that there is no subscriber.
        let _ = self.feed.send(update);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Locks a mutex and ignores poisoning: a panic elsewhere leaves the state as it was before or after one complete change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
