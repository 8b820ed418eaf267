//! Order and fan-out: what a board's game says is journalled, then applied to the state that faces read, then published.
//!
//! **Invariants:** an event that a face sees is in the journal already (if it is durable at all). The events of one board reach
//! every face in the order in which its table gave them. Nothing a face does, or fails to do, holds a board up: the feed is a
//! ring, and a face that falls behind reads the state again and asks for what it missed.

use crate::boards::{Battery, LinkState, Model, Placement, Sensing};
use crate::daemon::journal::{Journal, JournalError};
use crate::game::command::Refused;
use crate::game::event::{ClockTimes, Difference, Rotation};
use crate::game::{Event, Order, Record, Stamped};
use crate::link::Place;
use shakmaty::{ByColor, Color};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tracing::{debug, error, info, warn};

/// So many of a board's games are kept at hand: the one being played and those before it. Older ones are in the journal.
pub const GAMES_AT_HAND: usize = 4;
/// A face may be so many news behind before it has to read the state again.
const FEED: usize = 1024;
/// Pauses between attempts to write to a full disk.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// The name of a board for as long as it exists: in the journal, in object paths, on the command line.
///
/// It is known before the port is opened and never changes, so that a daemon that was restarted finds the board's game again:
/// the name given in the configuration, else the model and where the board is looked for: `dgt_ttyUSB0` (port), `dgt_23946` (USB
/// serial number), `dgt_usb_1_2` (socket), `dgt_0403_6001` (USB ids), `dgt` (any board that its USB id names). The serial number
/// that the board itself tells comes too late for that; it is a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardId(String);

impl BoardId {
    /// From any text: what is not a letter or digit of ASCII becomes `_`, so that it can stand in an object path. Empty: `_`.
    pub fn new(text: &str) -> BoardId {
        let id: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        BoardId(if id.is_empty() { "_".to_owned() } else { id })
    }

    /// Of a board that the configuration does not name.
    pub fn at(model: &Model, place: &Place) -> BoardId {
        let place = match place {
            Place::Port(path) => {
                path.strip_prefix("/dev").unwrap_or(path.file_name().map_or(path, Path::new)).display().to_string()
            }
            Place::Serial(serial) => serial.clone(),
            Place::UsbPath(socket) => format!("usb_{socket}"),
            Place::Ids(ids) => ids.to_string(),
            Place::Found(_) => return BoardId::new(model.name),
        };
        BoardId::new(&format!("{}_{place}", model.name))
    }

    /// As text: ASCII letters, digits and `_` only, at least one.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How it stands between us and a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// The port is open and the board has been greeted.
    Connecting,
    /// The board talks.
    Ready,
    /// The port is open and the board says nothing, not even when asked.
    Silent,
    /// The port is not there.
    Unplugged,
    /// The port is there and may not be opened: no permission, or another program holds it.
    Refused,
}

impl Contact {
    /// The word for it: `connecting`, `ready`, `silent`, `unplugged`, `refused`.
    pub fn word(self) -> &'static str {
        match self {
            Contact::Connecting => "connecting",
            Contact::Ready => "ready",
            Contact::Silent => "silent",
            Contact::Unplugged => "unplugged",
            Contact::Refused => "refused",
        }
    }
}

/// What a board's clock said last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockView {
    /// Both times.
    pub times: ClockTimes,
    /// Whose time it is by the lever.
    pub turn: Color,
    /// Whether it runs.
    pub running: bool,
    /// Whose flag it shows as fallen.
    pub flags: ByColor<bool>,
    /// Its battery is low.
    pub battery_low: bool,
}

/// A board, as faces see it.
#[derive(Clone)]
pub struct BoardView {
    /// Its name.
    pub id: BoardId,
    /// Its family.
    pub model: &'static Model,
    /// As the maker prints it, once the board has told.
    pub serial_number: Option<String>,
    /// Version of its firmware, once the board has told.
    pub firmware: Option<String>,
    /// Path of the port; empty while it is not known.
    pub port: String,
    /// How it stands between us and it.
    pub contact: Contact,
    /// Why, in a sentence that says what to do; empty when there is nothing to do.
    pub reason: String,
    /// What its squares are taken to tell.
    pub sensing: Sensing,
    /// How it stands, once found or set.
    pub rotation: Option<Rotation>,
    /// What the squares show, as the players see them; `None` before the first whole reading.
    pub placement: Option<Placement>,
    /// Squares that differ from the record for longer than a move takes.
    pub displaced: Vec<Difference>,
    /// Its clock; `None` where none is connected.
    pub clock: Option<ClockView>,
    /// Its battery, where it has one and says so.
    pub battery: Option<Battery>,
    /// The game on it, or the last one.
    pub game: Option<u64>,
}

impl BoardView {
    /// A board of which nothing is known but its name and family.
    pub fn new(id: BoardId, model: &'static Model, sensing: Sensing) -> BoardView {
        BoardView {
            id,
            model,
            serial_number: None,
            firmware: None,
            port: String::new(),
            contact: Contact::Unplugged,
            reason: String::new(),
            sensing,
            rotation: None,
            placement: None,
            displaced: Vec::new(),
            clock: None,
            battery: None,
            game: None,
        }
    }
}

/// A game, as faces see it.
#[derive(Clone, Debug)]
pub struct GameView {
    /// Its number in the journal; counts from 1 over all boards and never comes again.
    pub id: u64,
    /// The board it is or was played on.
    pub board: BoardId,
    /// When the board's time 0 was, in milliseconds since 1970-01-01 UTC: add an event's `at` to have its time of day. Taken
    /// anew at the start of each game, because a small computer learns the time of day from the network, after it has started.
    pub epoch_wall_ms: i64,
    /// What was published of it.
    pub record: Record,
    /// PGN tags beyond those that the record knows itself.
    pub tags: Arc<[(String, String)]>,
    /// How many of its durable events are public, see [`is_public`].
    pub public: u64,
}

/// Whether players and spectators may know of it: what happened on the board, and nothing of what the arbiter is told or does
/// (Art. 12.6). Public events are numbered on their own, so that a gap does not tell either.
pub fn is_public(event: &Event) -> bool {
    matches!(
        event,
        Event::GameStarted { .. }
            | Event::MoveMade { .. }
            | Event::MoveCompleted { .. }
            | Event::MovesCorrected { .. }
            | Event::ClockRevised { .. }
            | Event::Result { .. }
    )
}

impl GameView {
    /// The time of day of an event, in milliseconds since 1970-01-01 UTC.
    pub fn wall_ms(&self, at: crate::boards::Millis) -> i64 {
        self.epoch_wall_ms.saturating_add_unsigned(at)
    }
}

/// Something the operator should know that is no board's own trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What it is about, e.g. `journal_full`, `recordings_stopped`.
    pub kind: &'static str,
    /// Which board has it; `None`: the daemon as a whole.
    pub board: Option<BoardId>,
    /// A sentence that says what to do.
    pub sentence: String,
}

/// What faces read.
#[derive(Default)]
pub struct State {
    /// All boards.
    pub boards: BTreeMap<BoardId, BoardView>,
    /// The games at hand.
    pub games: BTreeMap<u64, GameView>,
    /// What is wrong now.
    pub trouble: Vec<Trouble>,
}

/// An event on its way out.
#[derive(Clone, Debug)]
pub struct Published {
    /// The board.
    pub board: BoardId,
    /// The game, for durable events and for others while there is one.
    pub game: Option<u64>,
    /// Time of day, in milliseconds since 1970-01-01 UTC.
    pub wall_ms: i64,
    /// Its number among the public events of its game, see [`is_public`].
    pub public: Option<u64>,
    /// What happened.
    pub stamped: Stamped,
}

/// What a face is told. The state has changed already when it hears of it.
#[derive(Clone, Debug)]
pub enum News {
    /// An event.
    Event(Arc<Published>),
    /// Something else about this board changed, or it is new.
    Board(BoardId),
    /// The list of troubles changed.
    Trouble,
}

/// Whom an order is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Whatever is played on this board.
    Board(BoardId),
    /// This game, and no other on the same board.
    Game(u64),
}

/// Why an order was not carried out; says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// The core refused it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No such board.
    #[error("there is no board {0}: `touchmovectl list` shows the boards there are")]
    NoSuchBoard(String),
    /// No such game at hand.
    #[error("game {0} is not at hand: `touchmovectl list` shows the games that are")]
    NoSuchGame(u64),
    /// Another game is played on the board by now.
    #[error("game {asked} is over, and game {current} is on board {board} now: command that one")]
    NotCurrent {
        /// Which was asked for.
        asked: u64,
        /// The board it was on.
        board: BoardId,
        /// Which is on it now.
        current: u64,
    },
    /// The journal cannot take it now.
    #[error("the order was not carried out because it could not be kept: {0}")]
    JournalFull(String),
    /// The daemon is going down.
    #[error("touchmoved is shutting down: start it again, then repeat the order")]
    Stopping,
}

/// An order for the task that owns the board's table.
#[derive(Debug)]
pub struct Request {
    /// What, and who gave it.
    pub order: Order,
    /// Answered once what came of it is published.
    pub done: Done,
}

/// Where an order's outcome is told.
pub type Done = oneshot::Sender<Result<(), OrderError>>;

type Change = Box<dyn FnOnce(&mut BoardView) + Send>;

/// One step of a board: events, then what changes in its view, then the answer to an order.
struct Batch {
    epoch_wall_ms: i64,
    events: Vec<Stamped>,
    change: Option<Change>,
    done: Option<(Done, Result<(), OrderError>)>,
}

/// A link task's place at the hub: it tells what its board says and gets the orders for it. Dropped: the board says no more.
pub struct Seat {
    hub: Arc<Hub>,
    board: BoardId,
    batches: mpsc::UnboundedSender<Batch>,
    /// Orders for this board.
    pub requests: mpsc::Receiver<Request>,
}

impl Seat {
    /// Publishes events in order, journalled first; then changes the board's view; then answers an order. Returns at once.
    ///
    /// `epoch_wall_ms`: the time of day at the board's time 0, milliseconds since 1970-01-01 UTC, by what the time of day is now.
    pub fn publish(
        &self,
        epoch_wall_ms: i64,
        events: Vec<Stamped>,
        change: impl FnOnce(&mut BoardView) + Send + 'static,
        done: Option<(Done, Result<(), OrderError>)>,
    ) {
        let batch = Batch { epoch_wall_ms, events, change: Some(Box::new(change)), done };
        // The publisher outlives the seat, so the channel is open.
        let _ = self.batches.send(batch);
    }

    /// Changes the board's view at once, before what is still to be journalled: for what is not part of the game.
    pub fn update(&self, change: impl FnOnce(&mut BoardView)) {
        self.hub.change_board(&self.board, change);
    }

    /// As [`Seat::update`], if there is something to change; whether there was.
    pub fn update_if(&self, needed: impl FnOnce(&BoardView) -> bool, change: impl FnOnce(&mut BoardView)) -> bool {
        let needed = self.hub.read(|state| state.boards.get(&self.board).is_some_and(needed));
        if needed {
            self.update(change);
        }
        needed
    }

    /// The board's name.
    pub fn board(&self) -> &BoardId {
        &self.board
    }
}

/// The game that a board had when the daemon ended.
pub struct LastGame {
    /// The time of day at the board's time 0, in milliseconds since 1970-01-01 UTC.
    pub epoch_wall_ms: i64,
    /// All its events.
    pub events: Vec<Stamped>,
}

/// State, order and fan-out. Shared by link tasks and faces.
pub struct Hub {
    state: Mutex<State>,
    routes: Mutex<HashMap<BoardId, mpsc::Sender<Request>>>,
    publishers: Mutex<Vec<JoinHandle<()>>>,
    feed: broadcast::Sender<News>,
    journal: Journal,
    tags: Arc<[(String, String)]>,
}

impl Hub {
    /// A hub without boards, over an open journal. `tags`: what the PGN of every game says.
    pub fn new(journal: Journal, tags: &[(String, String)]) -> Arc<Hub> {
        Arc::new(Hub {
            state: Mutex::default(),
            routes: Mutex::default(),
            publishers: Mutex::default(),
            feed: broadcast::Sender::new(FEED),
            journal,
            tags: tags.into(),
        })
    }

    /// Reads the state. Keep it short: everything waits meanwhile.
    pub fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock())
    }

    /// Everything from now on. To miss nothing, subscribe first and read the state then. `Lagged`: read the state again and ask
    /// [`Hub::since`] for the events missed.
    pub fn subscribe(&self) -> broadcast::Receiver<News> {
        self.feed.subscribe()
    }

    /// The durable events of a game after this number (0: all), from the journal. A few may be on their way to subscribers still.
    pub fn since(&self, game: u64, number: u64) -> Result<Vec<Stamped>, JournalError> {
        self.journal.events(game, number)
    }

    /// Gives a board a seat, with the last games that the journal has of it. Returns the events of the last one too, for its
    /// table. A game that cannot be read is left out and said to be trouble; if it is the last one, the board begins anew.
    pub fn seat(self: &Arc<Self>, mut view: BoardView) -> (Seat, Option<LastGame>) {
        let board = view.id.clone();
        let mut last = None;
        let mut unreadable = Vec::new();
        let games = self.journal.games_of(board.as_str(), GAMES_AT_HAND).unwrap_or_else(|why| {
            unreadable.push(why.to_string());
            Vec::new()
        });
        for (id, started_wall_ms) in games {
            let read = self.journal.events(id, 0).map_err(|why| why.to_string()).and_then(|events| {
                let record = events.first().and_then(Record::begin);
                Ok((record.ok_or_else(|| format!("game {id} in the journal does not begin with its start"))?, events))
            });
            let (mut record, events) = match read {
                Ok(read) => read,
                Err(why) => {
                    unreadable.push(why);
                    (view.game, view.rotation, last) = (None, None, None);
                    continue;
                }
            };
            events.iter().skip(1).for_each(|event| record.apply(event));
            view.game = Some(id);
            view.rotation = Some(record.rotation);
            let epoch_wall_ms = started_wall_ms.saturating_sub_unsigned(record.started_at);
            let public = events.iter().filter(|event| is_public(&event.event)).count() as u64;
            let game = GameView { id, board: board.clone(), epoch_wall_ms, record, tags: self.tags.clone(), public };
            last = Some(LastGame { epoch_wall_ms, events });
            self.lock().games.insert(id, game);
        }
        if !unreadable.is_empty() {
            let why = unreadable.join("; ");
            error!(%board, "a stored game is set aside: {why}");
            let sentence = format!(
                "board {board} is served without a stored game ({why}): look at it with sqlite3 in a copy made by `touchmovectl backup`"
            );
            self.trouble(GAME_UNREADABLE, Some(&board), Some(sentence));
        }
        self.lock().boards.insert(board.clone(), view);
        let (route, requests) = mpsc::channel(16);
        lock(&self.routes).insert(board.clone(), route);
        let (batches, queue) = mpsc::unbounded_channel();
        let publisher = tokio::spawn(Arc::clone(self).publisher(board.clone(), queue));
        lock(&self.publishers).push(publisher);
        self.tell(News::Board(board.clone()));
        (Seat { hub: Arc::clone(self), board, batches, requests }, last)
    }

    /// Gives an order; returns when what came of it is in the journal and published.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn command(&self, target: Target, order: Order) -> Result<(), OrderError> {
        let board = self.read(|state| {
            let board = match &target {
                Target::Board(board) => board.clone(),
                Target::Game(asked) => {
                    let game = state.games.get(asked).ok_or(OrderError::NoSuchGame(*asked))?;
                    match state.boards.get(&game.board).and_then(|board| board.game) {
                        Some(current) if current != *asked => {
                            return Err(OrderError::NotCurrent { asked: *asked, board: game.board.clone(), current });
                        }
                        _ => game.board.clone(),
                    }
                }
            };
            // A full disk is full for all; what else a board cannot store is its own.
            let held = state.trouble.iter().find(|trouble| {
                trouble.kind == JOURNAL_FULL || trouble.kind == JOURNAL_FAILED && trouble.board.as_ref() == Some(&board)
            });
            held.map_or(Ok(board), |held| Err(OrderError::JournalFull(held.sentence.clone())))
        })?;
        let route = lock(&self.routes).get(&board).cloned();
        let route = route.ok_or_else(|| OrderError::NoSuchBoard(board.to_string()))?;
        let (done, outcome) = oneshot::channel();
        route.send(Request { order, done }).await.map_err(|_| OrderError::Stopping)?;
        outcome.await.map_err(|_| OrderError::Stopping)?
    }

    /// Puts a trouble of a board on the list, or takes it off (`None`). That of another board stays.
    pub fn trouble(&self, kind: &'static str, board: Option<&BoardId>, sentence: Option<String>) {
        {
            let mut state = self.lock();
            let before = state.trouble.clone();
            state.trouble.retain(|trouble| trouble.kind != kind || trouble.board.as_ref() != board);
            if let Some(sentence) = sentence {
                state.trouble.push(Trouble { kind, board: board.cloned(), sentence });
            }
            if state.trouble == before {
                return;
            }
        }
        self.tell(News::Trouble);
    }

    /// Waits until everything that was published is in the journal. The seats must be gone.
    pub async fn drain(&self) {
        lock(&self.routes).clear();
        let publishers = std::mem::take(&mut *lock(&self.publishers));
        for publisher in publishers {
            if let Err(failed) = publisher.await {
                error!("a board's publisher failed: {failed}");
            }
        }
    }

    async fn publisher(self: Arc<Self>, board: BoardId, mut queue: mpsc::UnboundedReceiver<Batch>) {
        while let Some(mut batch) = queue.recv().await {
            // What is only passing does not wait for the disk, but it never overtakes what does.
            let durable: Vec<Stamped> = batch.events.iter().filter(|event| event.number.is_some()).cloned().collect();
            if durable.is_empty() {
                self.apply(&board, batch, Vec::new());
                continue;
            }
            let passing = batch.events.iter().take_while(|event| event.number.is_none()).count();
            let events = batch.events.drain(..passing).collect();
            let passing = Batch { epoch_wall_ms: batch.epoch_wall_ms, events, change: None, done: None };
            // The disk begins first.
            let commit = self.commit(&board, batch.epoch_wall_ms, durable);
            let (games, ()) = tokio::join!(biased; commit, async { self.apply(&board, passing, Vec::new()) });
            self.apply(&board, batch, games);
        }
    }

    /// Stores durable events, however long it takes.
    async fn commit(&self, board: &BoardId, epoch_wall_ms: i64, events: Vec<Stamped>) -> Vec<u64> {
        let wall_ms = epoch_wall_ms.saturating_add_unsigned(events.last().map_or(0, |event| event.at));
        let mut pause = RETRY.0;
        let mut held = false;
        loop {
            match self.journal.append(board.as_str(), wall_ms, events.clone()).await {
                Ok(games) => {
                    if held {
                        info!(%board, "the journal takes moves again; nothing was lost");
                        self.trouble(JOURNAL_FULL, Some(board), None);
                        self.trouble(JOURNAL_FAILED, Some(board), None);
                    }
                    return games;
                }
                Err(why) => {
                    if !held {
                        error!(%board, "moves are held back until the journal can take them: {why}");
                    }
                    held = true;
                    let (kind, other, sentence) = if why.may_be_repeated() {
                        (JOURNAL_FULL, JOURNAL_FAILED, why.to_string())
                    } else {
                        let sentence = format!(
                            "moves of board {board} are held back, because they cannot be stored ({why}): it is tried again; if it stays so, restart touchmoved"
                        );
                        (JOURNAL_FAILED, JOURNAL_FULL, sentence)
                    };
                    self.trouble(other, Some(board), None);
                    self.trouble(kind, Some(board), Some(sentence));
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(RETRY.1);
                }
            }
        }
    }

    fn apply(&self, board: &BoardId, batch: Batch, games: Vec<u64>) {
        let mut news = Vec::with_capacity(batch.events.len() + 1);
        {
            let mut state = self.lock();
            let mut games = games.into_iter();
            for stamped in batch.events {
                let game = if stamped.number.is_some() { games.next() } else { None };
                let game = game.or_else(|| state.boards.get(board).and_then(|view| view.game));
                state.take(board, game, batch.epoch_wall_ms, &self.tags, &stamped);
                debug!(%board, game, event = ?stamped.event, "event");
                let view = game.and_then(|game| state.games.get(&game));
                let epoch_wall_ms = view.map_or(batch.epoch_wall_ms, |game| game.epoch_wall_ms);
                let wall_ms = epoch_wall_ms.saturating_add_unsigned(stamped.at);
                let public = view.filter(|_| is_public(&stamped.event)).map(|game| game.public);
                let published = Published { board: board.clone(), game, wall_ms, public, stamped };
                news.push(News::Event(Arc::new(published)));
            }
            if let (Some(change), Some(view)) = (batch.change, state.boards.get_mut(board)) {
                change(view);
                news.push(News::Board(board.clone()));
            }
        }
        news.into_iter().for_each(|news| self.tell(news));
        if let Some((done, outcome)) = batch.done {
            // Whoever asked may have gone away.
            let _ = done.send(outcome);
        }
    }

    fn change_board(&self, board: &BoardId, change: impl FnOnce(&mut BoardView)) {
        if let Some(view) = self.lock().boards.get_mut(board) {
            change(view);
        }
        self.tell(News::Board(board.clone()));
    }

    fn tell(&self, news: News) {
        // Without a face nobody listens, which is no error.
        let _ = self.feed.send(news);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// The kind of trouble that holds moves back until there is room.
pub const JOURNAL_FULL: &str = "journal_full";
/// The kind of trouble that holds moves back for any other reason.
pub const JOURNAL_FAILED: &str = "journal_failed";
/// The kind of trouble when a stored game is left out.
pub const GAME_UNREADABLE: &str = "game_unreadable";

impl State {
    /// Takes in one event of a board.
    fn take(
        &mut self,
        board: &BoardId,
        game: Option<u64>,
        epoch_wall_ms: i64,
        tags: &Arc<[(String, String)]>,
        stamped: &Stamped,
    ) {
        if let (Event::GameStarted { rotation, .. }, Some(id), Some(record)) = (&stamped.event, game, Record::begin(stamped)) {
            let tags = Arc::clone(tags);
            self.games.insert(id, GameView { id, board: board.clone(), epoch_wall_ms, record, tags, public: 1 });
            let of_board: Vec<u64> = self.games.values().filter(|game| game.board == *board).map(|game| game.id).collect();
            for old in of_board.iter().rev().skip(GAMES_AT_HAND) {
                self.games.remove(old);
            }
            if let Some(view) = self.boards.get_mut(board) {
                view.game = Some(id);
                view.displaced.clear();
                view.rotation = Some(*rotation);
            }
            return;
        }
        if let Some(view) = game.and_then(|game| self.games.get_mut(&game)) {
            view.record.apply(stamped);
            view.public += u64::from(is_public(&stamped.event));
        } else if stamped.number.is_some() {
            warn!(%board, "an event of a game that is not at hand");
        }
        let Some(view) = self.boards.get_mut(board) else { return };
        match &stamped.event {
            Event::Displaced { squares } => view.displaced = squares.clone(),
            Event::Clock { clocks, turn, running, flags, battery_low } => {
                let none = clocks.white.is_none() && clocks.black.is_none();
                let clock =
                    ClockView { times: *clocks, turn: *turn, running: *running, flags: *flags, battery_low: *battery_low };
                view.clock = (!none).then_some(clock);
            }
            // Its clock hangs on the same cable.
            Event::Link(LinkState::Down) => view.clock = None,
            Event::Battery(battery) => view.battery = Some(*battery),
            _ => {}
        }
    }
}

/// A panic elsewhere leaves the state as it was before or after one whole change, so it can be read on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
