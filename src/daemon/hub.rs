//! Ordering and fan-out: the events of a board's game are written to the journal, then applied to the state that front-ends read,
//! then published.
//!
//! **Invariants:** An event that a front-end sees is already in the journal, if it is durable at all. Every front-end receives the
//! events of one board in the order in which the board's table produced them. No front-end can delay a board: the feed is a ring
//! buffer, and a front-end that falls behind reads the state again and requests the events that it missed.

mod board;
mod game;
mod handle;
mod news;
pub mod readings;
mod request;
mod state;

pub use board::{BoardId, BoardView, ClockView, ConnectionState, TrafficCounters};
pub use game::GameView;
use handle::Batch;
pub use handle::{BoardHandle, StoredGameState};
pub use news::{News, Published};
pub use readings::Readings;
pub use request::{Continuation, GameGuard, OrderError, ReplySender, Request, RequestKind, TableExchange, Target};
pub use state::{
    GAME_UNREADABLE, GAMES_IN_MEMORY, HealthProblem, JOURNAL_DAMAGED, JOURNAL_FAILED, JOURNAL_FULL, JOURNAL_LAST_ROOM, State,
};

use crate::daemon::journal::{AppendOutcome, Incarnation, Journal, JournalError};
use crate::daemon::rounds::{RoundFile, round_with_board, tag_value};
use crate::daemon::{Stop, wait_for_stop};
use crate::game::command::Refusal;
use crate::game::{Answer, Command, Delay, Event, Order, Record, StampedEvent};
use crate::link::watch::UnusedDevice;
use crate::names::MANAGER_INTERFACE;
use crate::round::Round;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tracing::field::display;
use tracing::{debug, error, info, warn};

/// Capacity of the feed: how many news items a front-end may fall behind before it must read the state again.
const FEED_CAPACITY: usize = 1024;
/// Shortest and longest pause between attempts to write to a full disk.
const WRITE_RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// State, ordering and fan-out, shared by link tasks and front-ends.
pub struct Hub {
    state: Mutex<State>,
    routes: Mutex<HashMap<BoardId, mpsc::Sender<Request>>>,
    publishers: Mutex<Vec<JoinHandle<()>>>,
    feed: broadcast::Sender<News>,
    journal: Journal,
    tags: Arc<[(String, String)]>,
    round_file: Mutex<Option<RoundFile>>,
    has_public_delay: AtomicBool,
}

/// Tells a thread to stop when the task that waits for it is dropped.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A game that will be continued.
struct GameToContinue {
    game: u64,
    epoch_wall_ms: i64,
    tags: Vec<(String, String)>,
}

impl GameToContinue {
    fn of(game: &GameView) -> GameToContinue {
        GameToContinue { game: game.id, epoch_wall_ms: game.epoch_wall_ms, tags: game.record.tags.clone() }
    }
}

impl Hub {
    /// Creates a hub without boards over an open journal. `tags` are added to the PGN of every game.
    pub fn new(journal: Journal, tags: &[(String, String)]) -> Arc<Hub> {
        Arc::new(Hub {
            state: Mutex::default(),
            routes: Mutex::default(),
            publishers: Mutex::default(),
            feed: broadcast::Sender::new(FEED_CAPACITY),
            journal,
            tags: tags.into(),
            round_file: Mutex::default(),
            has_public_delay: AtomicBool::new(false),
        })
    }

    /// Sets the public delay. The log is not delayed: if there is a public delay, log lines at the default level reveal nothing
    /// about a game or about play. Must be called before boards are served.
    pub fn set_public_delay(&self, delay: Delay) {
        self.has_public_delay.store(delay != Delay::default(), Ordering::Relaxed);
    }

    /// Returns whether the public sees games with a delay. See [`Hub::set_public_delay`].
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

    /// Subscribes to all news from now on. To miss nothing, subscribe first, then read the state. After `Lagged`, read the state
    /// again and call [`Hub::events_after`] for the missed events.
    pub fn subscribe(&self) -> broadcast::Receiver<News> {
        self.feed.subscribe()
    }

    /// Returns a game's durable events with numbers above `number` (0: all) from the journal. Some may not have reached subscribers
    /// yet.
    pub fn events_after(&self, game: u64, number: u64) -> Result<Vec<StampedEvent>, JournalError> {
        self.journal.events(game, number)
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
        let brief = format!("the journal is damaged or cannot be checked: see property Trouble of {MANAGER_INTERFACE}");
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
            events.iter().skip(1).for_each(|event| game.apply(event));
            game.last_recalled_number = game.record.last_number;
            view.rotation = Some(game.record.rotation);
            last = Some(StoredGameState { epoch_wall_ms, events, cut_from: None });
            self.lock().games.insert(id, game);
        }
        if !unreadable.is_empty() {
            let reason = unreadable.join("; ");
            // The reason may name a move, which must not appear in the system log.
            error!(%board, "a stored game cannot be read: see property Trouble of {MANAGER_INTERFACE}");
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
        self.publish(News::Board(board.clone()));
        (BoardHandle { hub: Arc::clone(self), board, batches, requests }, last)
    }

    /// Executes an order. Returns its answer when its events are in the journal and published.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn execute(&self, target: Target, order: Order) -> Result<Answer, OrderError> {
        let (board, guard) = self.read(|state| {
            let (board, guard) = match &target {
                Target::Board(board) => (board.clone(), GameGuard::AnyGame),
                Target::Game(requested) => {
                    let game = state.games.get(requested).ok_or(OrderError::NoSuchGame(*requested))?;
                    check_current(state, *requested, &game.board)?;
                    let begun = state.boards.get(&game.board).map(|board| board.games_begun);
                    (game.board.clone(), begun.map_or(GameGuard::AnyGame, GameGuard::After))
                }
            };
            // A full disk affects all boards; any other write failure affects only the board that has it.
            let blocking = state.health_problems.iter().find(|problem| {
                problem.kind == JOURNAL_FULL || problem.kind == JOURNAL_FAILED && problem.board.as_ref() == Some(&board)
            });
            blocking.map_or(Ok((board, guard)), |blocking| Err(OrderError::JournalFull(blocking.sentence.clone())))
        })?;
        let undoes = (order.command == Command::Undo).then(|| order.by.clone());
        let outcome = self.request(&board, RequestKind::Order(order, guard)).await;
        match (&outcome, target, undoes) {
            (Err(OrderError::GameReplaced), Target::Game(requested), _) => {
                // The game that began meanwhile has already been published.
                self.read(|state| check_current(state, requested, &board))?;
            }
            (Err(OrderError::Refused(Refusal::NothingToUndo)), _, Some(by)) => {
                return self.undo_position(&board, &by).await.unwrap_or(outcome);
            }
            _ => {}
        }
        outcome
    }

    /// Undoes a `Position` command: if the game on a board began with a position that somebody set and nothing has been played in
    /// it, continues the game that this command ended. `None`: this is not the case.
    async fn undo_position(&self, board: &BoardId, by: &str) -> Option<Result<Answer, OrderError>> {
        let (position_game, ended) = self.read(|state| {
            let on_board = |game: &&GameView| game.board == *board;
            let position_game = state.boards.get(board).and_then(|view| view.game).and_then(|game| state.games.get(&game))?;
            let ended =
                state.games.values().filter(on_board).filter(|game| game.id < position_game.id).max_by_key(|game| game.id)?;
            let is_open = |game: &GameView| game.record.result.is_none();
            (is_open(position_game) && position_game.record.plies.is_empty() && is_open(ended))
                .then(|| (position_game.id, GameToContinue::of(ended)))
        })?;
        let events = self.events_after(position_game, 0).ok()?;
        let command = events.into_iter().find_map(|stamped| match stamped.event {
            Event::Commanded { command: command @ Command::Position(_), .. } => Some(command),
            _ => None,
        })?;
        let exchange = TableExchange { game: ended.game, from: board.clone(), to: board.clone(), by: by.to_owned() };
        let author = format!("{by}, undoing the position that had ended game {}", ended.game);
        Some(self.send_continuation(ended, exchange, author).await.map(|()| Answer::Undone(command)))
    }

    /// Continues a game as `exchange` says. `author` is named in the game's record.
    async fn send_continuation(
        &self,
        game_to_continue: GameToContinue,
        exchange: TableExchange,
        author: String,
    ) -> Result<(), OrderError> {
        let GameToContinue { game, epoch_wall_ms, tags } = game_to_continue;
        let events = self.events_after(game, 0).map_err(|error| OrderError::Unreadable(error.to_string()))?;
        let to = exchange.to.clone();
        let order = Order { command: Command::Tags(tags), by: author };
        let continuation = Continuation { game: StoredGameState { epoch_wall_ms, events, cut_from: None }, order, exchange };
        self.request(&to, RequestKind::ContinueGame(Box::new(continuation))).await.map(drop)
    }

    async fn request(&self, board: &BoardId, kind: RequestKind) -> Result<Answer, OrderError> {
        let route = lock(&self.routes).get(board).cloned();
        let route = route.ok_or_else(|| OrderError::NoSuchBoard(board.to_string()))?;
        let (done, outcome) = oneshot::channel();
        route.send(Request { what: kind, done }).await.map_err(|_| OrderError::Stopping)?;
        outcome.await.map_err(|_| OrderError::Stopping)?
    }

    /// Continues the game of one board on another board, on which its position is set up: with its record, its clocks and its
    /// obligations. In the journal it is a new game that begins with the events of the old one. The other board takes over the
    /// playing table. `by` names who requested it.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn continue_game(&self, from: &BoardId, to: &BoardId, by: &str) -> Result<(), OrderError> {
        let game = self.read(|state| {
            let missing = |board: &BoardId| OrderError::NoSuchBoard(board.to_string());
            let game_on = |board: &BoardId| -> Result<Option<&GameView>, OrderError> {
                let view = state.boards.get(board).ok_or_else(|| missing(board))?;
                Ok(view.game.and_then(|game| state.games.get(&game)).filter(|game| game.record.result.is_none()))
            };
            let game = game_on(from)?.filter(|_| from != to).ok_or_else(|| OrderError::NoGameToContinue(from.clone()))?;
            let is_named = |game: &&GameView| !game.record.plies.is_empty() && tag_value(&game.record.tags, "White").is_some();
            if let Some(other) = game_on(to)?.filter(is_named) {
                return Err(OrderError::BoardInUse { board: to.clone(), game: other.id });
            }
            Ok(GameToContinue::of(game))
        })?;
        let exchange = TableExchange { game: game.game, from: from.clone(), to: to.clone(), by: by.to_owned() };
        let author = format!("{by}, continuing game {} from board {from}", game.game);
        self.send_continuation(game, exchange, author).await
    }

    /// Makes a board identify itself for some seconds with all its lights and a beep, as far as it has them.
    ///
    /// # Errors
    /// See [`OrderError`], in particular if a game is being played there (Art. 12.6).
    pub async fn identify(&self, board: &BoardId) -> Result<(), OrderError> {
        self.read(|state| {
            let game = state.boards.get(board).and_then(|view| view.game).and_then(|game| state.games.get(&game));
            match game.filter(|game| game.record.result.is_none() && !game.record.plies.is_empty()) {
                Some(game) => Err(OrderError::Playing { board: board.clone(), game: game.id }),
                None => Ok(()),
            }
        })?;
        self.request(board, RequestKind::Identify).await.map(drop)
    }

    /// Sets the file in which the round is stored, and loads the round from it.
    pub fn set_round_file(&self, file: RoundFile) {
        self.lock().round = file.load();
        *lock(&self.round_file) = Some(file);
        self.publish(News::Round);
    }

    /// Sets the round that is being played, as requested by `by`. See [`crate::daemon::rounds`].
    ///
    /// # Errors
    /// The round cannot be stored; nothing has changed then.
    pub fn set_round(&self, round: Round, by: &str) -> io::Result<()> {
        if let Some(file) = &*lock(&self.round_file) {
            file.store(&round)?;
        }
        {
            let mut state = self.lock();
            state.round = Some(round);
            by.clone_into(&mut state.round_by);
        }
        self.publish(News::Round);
        Ok(())
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
            self.publish(News::Trouble);
        }
    }

    /// Sets a board's health problem of this kind, or clears it (`None`). Those of other boards are not changed. Returns whether
    /// the list changed.
    pub fn set_health_problem(&self, kind: &'static str, board: Option<&BoardId>, sentence: Option<String>) -> bool {
        {
            let mut state = self.lock();
            let before = state.health_problems.clone();
            state.health_problems.retain(|problem| problem.kind != kind || problem.board.as_ref() != board);
            if let Some(sentence) = sentence {
                state.health_problems.push(HealthProblem { kind, board: board.cloned(), sentence });
            }
            if state.health_problems == before {
                return false;
            }
        }
        self.publish(News::Trouble);
        true
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

    async fn run_publisher(self: Arc<Self>, board: BoardId, mut queue: mpsc::UnboundedReceiver<Batch>) {
        while let Some(mut batch) = queue.recv().await {
            // Transient events do not wait for the disk, but never overtake durable ones.
            let durable: Vec<StampedEvent> = batch.events.iter().filter(|event| event.number.is_some()).cloned().collect();
            if durable.is_empty() {
                self.apply(&board, batch, Vec::new());
                continue;
            }
            let transient = batch.events.iter().take_while(|event| event.number.is_none()).count();
            let events = batch.events.drain(..transient).collect();
            let transient = Batch { epoch_wall_ms: batch.epoch_wall_ms, events, change: None, done: None, exchange: None };
            // Poll the write first, so that the disk starts before the transient events are published.
            let commit = self.commit(&board, batch.epoch_wall_ms, durable);
            let (games, ()) = tokio::join!(biased; commit, async { self.apply(&board, transient, Vec::new()) });
            self.apply(&board, batch, games);
        }
    }

    /// Stores durable events; retries until it succeeds.
    async fn commit(&self, board: &BoardId, epoch_wall_ms: i64, events: Vec<StampedEvent>) -> Vec<u64> {
        let wall_ms = epoch_wall_ms.saturating_add_unsigned(events.last().map_or(0, |event| event.at));
        let mut delay = WRITE_RETRY.0;
        let mut is_held_back = false;
        loop {
            match self.journal.append(board.as_str(), wall_ms, events.clone()).await {
                Ok(AppendOutcome { games, uses_reserve }) => {
                    let sentence = uses_reserve.then(|| {
                        "the disk is full, and moves are stored in the space that was reserved for them: free some space in the \
                         state directory, or moves will be held back"
                            .to_owned()
                    });
                    let is_full = sentence.is_some();
                    if self.set_health_problem(JOURNAL_LAST_ROOM, None, sentence) && is_full {
                        error!("the disk is full: moves are being stored in the reserved space");
                    }
                    if is_held_back {
                        info!("the journal accepts moves again; nothing was lost");
                        self.set_health_problem(JOURNAL_FULL, Some(board), None);
                        self.set_health_problem(JOURNAL_FAILED, Some(board), None);
                    }
                    return games;
                }
                Err(error) => {
                    if !is_held_back {
                        let message = "moves are held back until the journal can store them";
                        let brief = format!("{message}: see property Trouble of {MANAGER_INTERFACE}");
                        self.log_failure(&brief, &format!("board {board}: {message}: {error}"));
                    }
                    is_held_back = true;
                    let (kind, other, sentence) = if error.is_retryable() {
                        (JOURNAL_FULL, JOURNAL_FAILED, error.to_string())
                    } else {
                        let sentence = format!(
                            "moves of board {board} are held back, because they cannot be stored ({error}): touchmoved retries; if this persists, restart touchmoved"
                        );
                        (JOURNAL_FAILED, JOURNAL_FULL, sentence)
                    };
                    self.set_health_problem(other, Some(board), None);
                    self.set_health_problem(kind, Some(board), Some(sentence));
                    tokio::time::sleep(delay).await;
                    delay = (delay * 2).min(WRITE_RETRY.1);
                }
            }
        }
    }

    fn apply(&self, board: &BoardId, batch: Batch, games: Vec<u64>) {
        let mut news = Vec::with_capacity(batch.events.len() + 1);
        let is_news = batch.exchange.is_none();
        // Move the board before the game on it gets the names of another table. The pairings may have changed since the request.
        if let Some(TableExchange { from, to, by, .. }) =
            batch.exchange.as_ref().filter(|exchange| exchange.from != exchange.to)
            && let Some(round) = self.read(|state| round_with_board(state, from, to))
            && let Err(error) = self.set_round(round, by)
        {
            let message = "is not assigned to its table, because the round cannot be stored";
            self.log_failure(
                &format!("a board {message}: {error}"),
                &format!("a game continues on board {board}, which {message}: {error}"),
            );
        }
        {
            let mut state = self.lock();
            let mut games = games.into_iter();
            for stamped in batch.events {
                let game = if stamped.number.is_some() { games.next() } else { None };
                let game = game.or_else(|| state.boards.get(board).and_then(|view| view.game));
                state.apply(board, game, batch.epoch_wall_ms, &self.tags, &stamped);
                if !is_news {
                    continue;
                }
                debug!(%board, game, event = ?stamped.event, "event");
                let view = game.and_then(|game| state.games.get(&game));
                let epoch_wall_ms = view.map_or(batch.epoch_wall_ms, |game| game.epoch_wall_ms);
                let wall_ms = epoch_wall_ms.saturating_add_unsigned(stamped.at);
                let published = Published { board: board.clone(), game, wall_ms, stamped };
                news.push(News::Event(Arc::new(published)));
            }
            if let Some(TableExchange { game: from, .. }) = &batch.exchange {
                let current = state.boards.get(board).and_then(|view| view.game);
                if let Some(game) = current.and_then(|game| state.games.get_mut(&game)) {
                    (game.last_recalled_number, game.continued_from) = (game.record.last_number, Some(*from));
                }
                news.push(News::Board(board.clone()));
            }
            if let (Some(change), Some(view)) = (batch.change, state.boards.get_mut(board)) {
                change(view);
                news.push(News::Board(board.clone()));
            }
        }
        news.into_iter().for_each(|news| self.publish(news));
        if let Some((done, outcome)) = batch.done {
            // The requester may be gone.
            let _ = done.send(outcome);
        }
    }

    fn change_board(&self, board: &BoardId, change: impl FnOnce(&mut BoardView)) {
        if let Some(view) = self.lock().boards.get_mut(board) {
            change(view);
        }
        self.publish(News::Board(board.clone()));
    }

    fn publish(&self, news: News) {
        // An error means that there is no subscriber.
        let _ = self.feed.send(news);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Returns an error if, as far as published, another game is on the board of game `asked`.
fn check_current(state: &State, requested: u64, board: &BoardId) -> Result<(), OrderError> {
    match state.boards.get(board).and_then(|board| board.game) {
        Some(current) if current != requested => {
            Err(OrderError::NotCurrent { asked: requested, board: board.clone(), current })
        }
        _ => Ok(()),
    }
}

/// Locks a mutex and ignores poisoning: a panic elsewhere leaves the state as it was before or after one complete change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
