//! The delayed view: what the public may see, and when. It contains games only, built from their public events.
//!
//! **Invariant:** Every public front-end reads here and nowhere else, so that none of them can be ahead of the delay. The one
//! exception is the LiveChess server if the configuration says `live = true`, for this machine only. Alerts for the arbiter never
//! enter the delayed view.

mod release_log;

use super::hub::feed::{NewsFeed, Received};
use super::hub::{BoardId, BoardView, GameView, Hub, News, Published, State};
use super::{Stop, wait_for_stop};
use crate::game::{Command, Delay, DelayLine, Event, IllegalMoves, StampedEvent};
use release_log::{PriorRelease, ReleaseLog};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::Instant;

/// Capacity of the feed: how many news items a front-end may fall behind before it must read the state again.
const FEED: usize = 1024;

/// How many game numbers before the oldest game in memory are kept, since these games may belong to boards that are not plugged in
/// yet.
const KEPT_GAME_NUMBERS: u64 = 1_000;

/// The delayed view.
pub struct DelayedView {
    hub: Arc<Hub>,
    delay: Delay,
    illegal_moves: IllegalMoves,
    /// Time 0 of the delay lines.
    epoch: Instant,
    public_state: Mutex<PublicState>,
    feed: broadcast::Sender<News>,
}

#[derive(Default)]
struct PublicState {
    /// Games; of boards only their identity and which game is on them.
    state: State,
    /// Released events by game, numbered from 1.
    events: BTreeMap<u64, Vec<StampedEvent>>,
    lines: BTreeMap<u64, GameRelease>,
    /// How much of each game has been released, by journal event numbers.
    release_log: ReleaseLog,
    /// Identifier of the journal's incarnation.
    incarnation: String,
}

impl PublicState {
    /// Returns how much of a game had been released before it became known here. A game that is continued on another board has the
    /// events of the game that it continues.
    fn released_before(&self, game: u64, meta: &GameMeta) -> Option<PriorRelease> {
        let under_old_number = || self.release_log.released(meta.carried_from?, meta.epoch_wall_ms);
        self.release_log.released(game, meta.epoch_wall_ms).or_else(under_old_number)
    }
}

/// Returns the tags that are public at once: who plays, and where.
fn public_tags(tags: &[(String, String)]) -> Vec<(String, String)> {
    const OTHER_PUBLIC_TAGS: [&str; 6] = ["Event", "Site", "Date", "Round", "Table", "TimeControl"];
    /// Suffixes of `White` and `Black`.
    const PLAYER_TAG_SUFFIXES: [&str; 9] = ["", "Title", "Elo", "FideId", "Team", "Country", "USCF", "NA", "Type"];
    let of_player = |name: &str| {
        let player = name.strip_prefix("White").or_else(|| name.strip_prefix("Black"));
        player.is_some_and(|suffix| PLAYER_TAG_SUFFIXES.contains(&suffix))
    };
    tags.iter().filter(|(name, _)| of_player(name) || OTHER_PUBLIC_TAGS.contains(&name.as_str())).cloned().collect()
}

/// What is published about events that turn out to be released already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PublishMode {
    /// Publish each event, because front-ends received those before it.
    EachEvent,
    /// Publish only that the state changed: the events were released before this process was started.
    StateChange,
}

/// The release of one game.
struct GameRelease {
    line: DelayLine,
    /// Number of the last durable event processed.
    last: u64,
    /// Last known data of the game.
    meta: Option<GameMeta>,
}

/// Data of a game other than its events.
#[derive(Clone)]
struct GameMeta {
    /// Board of the game, reduced to what is public.
    board: BoardView,
    epoch_wall_ms: i64,
    epoch_steady_ms: i64,
    carried_from: Option<u64>,
    tags: Arc<[(String, String)]>,
    own_tags: Vec<(String, String)>,
}

impl GameMeta {
    /// Reads the hub's data of a game; `None`: the hub no longer has it in memory.
    fn read(state: &State, game: u64) -> Option<GameMeta> {
        let game = state.games.get(&game)?;
        let board = state.boards.get(&game.board)?;
        let serial_number = board.serial_number.clone();
        let board = BoardView { serial_number, ..BoardView::new(board.id.clone(), board.model, board.sensing) };
        let (tags, own_tags) = (Arc::clone(&game.tags), game.record.tags.clone());
        let GameView { epoch_wall_ms, epoch_steady_ms, continued_from: carried_from, .. } = *game;
        Some(GameMeta { board, epoch_wall_ms, epoch_steady_ms, carried_from, tags, own_tags })
    }
}

impl DelayedView {
    /// Creates an empty delayed view; [`DelayedView::run`] fills it.
    pub fn new(hub: Arc<Hub>, delay: Delay, illegal_moves: IllegalMoves) -> Arc<DelayedView> {
        let public_state = Mutex::new(PublicState { incarnation: hub.incarnation().id, ..PublicState::default() });
        let (epoch, feed) = (Instant::now(), broadcast::Sender::new(FEED));
        Arc::new(DelayedView { hub, delay, illegal_moves, epoch, public_state, feed })
    }

    /// Sets the file that stores what has been released, and loads it. Must be called before [`DelayedView::run`].
    pub fn set_release_file(&self, path: PathBuf) {
        self.lock().release_log = ReleaseLog::load(path);
    }

    /// Reads the state. `read` must be short: it holds the lock on the state.
    pub fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock().state)
    }

    /// Subscribes to all news from now on, as [`Hub::subscribe`].
    pub fn subscribe(&self) -> NewsFeed {
        NewsFeed::new(self.feed.subscribe())
    }

    /// Returns a game's released events after `number` (0: all).
    pub fn events_after(&self, game: u64, number: u64) -> Vec<StampedEvent> {
        let public = self.lock();
        let events = public.events.get(&game).map_or(&[][..], Vec::as_slice);
        events.get(number as usize..).unwrap_or_default().to_vec()
    }

    /// Returns the identifier of the journal's incarnation.
    pub fn incarnation(&self) -> String {
        self.lock().incarnation.clone()
    }

    /// Returns the public delay.
    pub fn delay(&self) -> Delay {
        self.delay
    }

    /// Receives the hub's news and releases events when they are due, until `stop`.
    pub async fn run(self: Arc<Self>, mut stop: Stop) {
        // Subscribe before reading the games, so that nothing is missed in between.
        let mut news = self.hub.subscribe();
        self.catch_up(None, PublishMode::StateChange);
        self.publish_round();
        // Never block on the disk: one write at a time, on a blocking thread.
        let mut writing: Option<JoinHandle<io::Result<()>>> = None;
        loop {
            self.release_due();
            let (due, write_due) = {
                let public = self.lock();
                let due = public.lines.values().filter_map(|line| line.line.next_deadline()).min();
                (due.map(|at| self.epoch + Duration::from_millis(u64::try_from(at).unwrap_or(0))), public.release_log.due())
            };
            let write_due = write_due.filter(|_| writing.is_none());
            if write_due.is_some_and(|at| at <= Instant::now()) {
                writing = self.lock().release_log.begin_write().map(|writing| spawn_blocking(move || writing.write()));
                continue;
            }
            let due = due.into_iter().chain(write_due).min();
            let wait_until_due = async {
                match due {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                next = news.next() => {
                    self.release_due();
                    match next {
                        Some(Received::News(News::Event(published))) => self.push_event(&published),
                        // A newly registered board brings its games from the journal.
                        Some(Received::News(News::Board(board))) => {
                            self.catch_up(Some(&board), PublishMode::StateChange);
                            self.publish_serial_number(&board);
                        }
                        Some(Received::Missed(_)) => {
                            self.catch_up(None, PublishMode::EachEvent);
                            self.publish_incarnation();
                        }
                        Some(Received::News(News::Round)) => self.publish_round(),
                        // Health problems themselves are not public.
                        Some(Received::News(News::Trouble)) => self.publish_incarnation(),
                        None => return,
                    }
                }
                () = wait_until_due => {}
                outcome = wait_for_write(&mut writing) => self.lock().release_log.finish_write(outcome),
                () = wait_for_stop(&mut stop) => break,
            }
        }
        self.release_due();
        if writing.is_some() {
            let outcome = wait_for_write(&mut writing).await;
            self.lock().release_log.finish_write(outcome);
        }
        self.lock().release_log.write_now();
    }

    /// Creates the release of a game that was released up to `prior` before a restart.
    fn line(&self, prior: Option<&PriorRelease>) -> GameRelease {
        let line = match prior {
            Some(PriorRelease::Released(released)) => DelayLine::replay(self.delay, self.illegal_moves, released.clone()),
            Some(PriorRelease::UpTo(_)) | None => DelayLine::new(self.delay, self.illegal_moves),
        };
        GameRelease { line, last: 0, meta: None }
    }

    fn now(&self) -> i64 {
        i64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    fn push_event(&self, published: &Published) {
        let (Some(game), Some(number)) = (published.game, published.stamped.number) else { return };
        let last = self.lock().lines.get(&game).map(|line| line.last);
        match last {
            Some(last) if number == last + 1 => {}
            Some(last) if number <= last => return,
            None if number == 1 => {}
            // Events were missed.
            _ => return self.catch_up(None, PublishMode::EachEvent),
        }
        let meta = self.hub.read(|state| GameMeta::read(state, game));
        let mut public = self.lock();
        let line = public.lines.entry(game).or_insert_with(|| self.line(None));
        line.last = number;
        line.meta = meta.or(line.meta.take());
        line.line.push(self.now(), published.stamped.clone());
        if let Event::Commanded { command: Command::Tags(tags), .. } = &published.stamped.event
            && let Some(view) = public.state.games.get_mut(&game)
        {
            view.record.tags = public_tags(tags);
            drop(public);
            self.publish(News::Board(published.board.clone()));
        }
    }

    /// Publishes the round: who plays whom is public.
    fn publish_round(&self) {
        let mut round = self.hub.read(|state| state.round.clone());
        // A result is published by its game, after the delay.
        round.iter_mut().flat_map(|round| &mut round.pairings).for_each(|pairing| pairing.result = None);
        self.lock().state.round = round;
        self.publish(News::Round);
    }

    /// Publishes the serial number of a board that reported it after its game began: the board's identity is public.
    fn publish_serial_number(&self, board: &BoardId) {
        let serial_number = self.hub.read(|state| state.boards.get(board).and_then(|view| view.serial_number.clone()));
        {
            let mut public = self.lock();
            let Some(view) = public.state.boards.get_mut(board).filter(|view| view.serial_number != serial_number) else {
                return;
            };
            view.serial_number = serial_number;
        }
        self.publish(News::Board(board.clone()));
    }

    /// Publishes a new incarnation of the journal.
    fn publish_incarnation(&self) {
        let current = self.hub.incarnation().id;
        let previous = std::mem::replace(&mut self.lock().incarnation, current.clone());
        if previous != current {
            self.publish(News::Trouble);
        }
    }

    /// Reads the events of the games in memory that were not processed yet. Events that had been released before are public; all
    /// others are treated as if they happened now, since their age is unknown. `only`: only games of this board, and only those not
    /// known at all.
    fn catch_up(&self, only: Option<&BoardId>, mode: PublishMode) {
        let games: Vec<(u64, u64)> = self.hub.read(|state| {
            let games = state.games.values().filter(|game| only.is_none_or(|board| game.board == *board));
            games.map(|game| (game.id, game.record.last_number)).collect()
        });
        let mut any_released = false;
        for (game, last_number) in games {
            let last = self.lock().lines.get(&game).map_or(0, |line| line.last);
            if last >= last_number || (only.is_some() && last > 0) {
                continue;
            }
            let events = match self.hub.events_after(game, last) {
                Ok(events) => events,
                Err(error) => {
                    let message = "is no longer published to the public, because the journal cannot be read";
                    let brief = format!("a game {message}: run `touchmovectl journal verify`");
                    self.hub.log_failure(&brief, &format!("game {game} {message}: {error}"));
                    continue;
                }
            };
            let mut released = Vec::new();
            let meta = self.hub.read(|state| GameMeta::read(state, game));
            {
                let mut public = self.lock();
                let prior = meta.as_ref().and_then(|meta| public.released_before(game, meta)).filter(|_| last == 0);
                let line = public.lines.entry(game).or_insert_with(|| self.line(prior.as_ref()));
                line.meta = meta.or(line.meta.take());
                let up_to = if let Some(PriorRelease::UpTo(number)) = prior { number } else { 0 };
                let now = self.now();
                for stamped in events {
                    let Some(number) = stamped.number.filter(|number| *number <= last_number) else { continue };
                    if number > up_to {
                        released.extend(std::iter::from_fn(|| line.line.pop(now)));
                    }
                    line.last = number;
                    line.line.push(now, stamped);
                    if number == up_to {
                        released.extend(line.line.release_all());
                    }
                }
                released.extend(std::iter::from_fn(|| line.line.pop(now)));
                line.line.end_replay();
                released.extend(std::iter::from_fn(|| line.line.pop(now)));
            }
            let mode = if last > 0 { PublishMode::EachEvent } else { mode };
            any_released |= !released.is_empty() && mode == PublishMode::StateChange;
            released.into_iter().for_each(|stamped| self.release(game, stamped, mode));
        }
        if any_released {
            let boards: Vec<BoardId> = self.read(|state| state.boards.keys().cloned().collect());
            boards.into_iter().for_each(|board| self.publish(News::Board(board)));
        }
    }

    /// Releases the events that are due.
    fn release_due(&self) {
        let now = self.now();
        let due: Vec<(u64, StampedEvent)> = {
            let mut public = self.lock();
            let pop = |(game, line): (&u64, &mut GameRelease)| -> Vec<(u64, StampedEvent)> {
                std::iter::from_fn(|| line.line.pop(now)).map(|stamped| (*game, stamped)).collect()
            };
            public.lines.iter_mut().flat_map(pop).collect()
        };
        due.into_iter().for_each(|(game, stamped)| self.release(game, stamped, PublishMode::EachEvent));
    }

    fn release(&self, game: u64, stamped: StampedEvent, mode: PublishMode) {
        let (meta, in_memory) =
            self.hub.read(|state| (GameMeta::read(state, game), state.games.keys().copied().collect::<Vec<u64>>()));
        let mut public = self.lock();
        // The hub may have removed the game meanwhile.
        let Some(meta) = meta.or_else(|| public.lines.get(&game)?.meta.clone()) else { return };
        let GameMeta { board, epoch_wall_ms, epoch_steady_ms, tags, own_tags, .. } = meta;
        let id = board.id.clone();
        if let Some(released) = public.lines.get(&game).map(|line| line.line.released().clone()) {
            public.release_log.record(game, epoch_wall_ms, stamped.number.unwrap_or(0), &released);
        }
        let events = public.events.entry(game).or_default();
        let number = events.len() as u64 + 1;
        let stamped = StampedEvent { number: Some(number), ..stamped };
        events.push(stamped.clone());
        if matches!(stamped.event, Event::GameStarted { .. }) {
            let earlier: Vec<u64> = public
                .state
                .games
                .values()
                .filter(|other| other.board == id && other.id < game)
                .map(|other| other.id)
                .collect();
            for other in earlier {
                if let Some(line) = public.lines.get_mut(&other) {
                    line.line.end();
                }
            }
            public.lines.retain(|game, line| in_memory.contains(game) || line.line.is_waiting());
        }
        let serial_number = board.serial_number.clone();
        // The board's identity is public.
        public.state.boards.entry(id.clone()).or_insert(board).serial_number = serial_number;
        public.state.apply(&id, Some(game), epoch_wall_ms, &tags, &stamped);
        if let Some(view) = public.state.games.get_mut(&game) {
            view.epoch_steady_ms = epoch_steady_ms;
            // The players' names are public.
            view.record.tags = public_tags(&own_tags);
            if mode == PublishMode::StateChange {
                view.last_recalled_number = number;
            }
        }
        let State { games, .. } = &public.state;
        let public_games: Vec<u64> = games.keys().copied().collect();
        public.events.retain(|game, _| public_games.contains(game));
        // Games of boards that are not plugged in yet have been released, too.
        if let Some(first) = in_memory.first().filter(|_| matches!(stamped.event, Event::GameStarted { .. })) {
            public.release_log.forget_before(first.saturating_sub(KEPT_GAME_NUMBERS));
        }
        drop(public);
        if mode == PublishMode::StateChange {
            return;
        }
        let wall_ms = epoch_wall_ms.saturating_add_unsigned(stamped.at);
        let published = Published { board: id, game: Some(game), wall_ms, stamped };
        self.publish(News::Event(Arc::new(published)));
    }

    fn publish(&self, news: News) {
        // An error means that there is no subscriber.
        let _ = self.feed.send(news);
    }

    fn lock(&self) -> MutexGuard<'_, PublicState> {
        self.public_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the end of a write and returns its outcome; waits forever if there is none.
async fn wait_for_write(writing: &mut Option<JoinHandle<io::Result<()>>>) -> io::Result<()> {
    let Some(task) = writing else { return std::future::pending().await };
    let outcome = task.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    *writing = None;
    outcome
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_tags_of_players_and_table_are_public_at_once() {
        let tags = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect::<Vec<_>>();
        let public = tags(&["White", "BlackTitle", "WhiteFideId", "Round", "Table"]);
        let hidden = tags(&["WhiteNote", "BlackClock", "WhiteRatingDiff", "Annotator", "Result"]);
        assert_eq!(super::public_tags(&[public.clone(), hidden].concat()), public);
    }
}
