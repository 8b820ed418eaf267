//! The delayed view: what the public may see, and when. It contains games only, built from their public events.
//!
//! **Invariant:** Every public front-end reads here and nowhere else, so that none of them can be ahead of the delay. The one
//! exception is the LiveChess server if the configuration says `live = true`, for this machine only. Alerts for the arbiter never
//! enter the delayed view.

mod desk;
mod past_results;
mod public_state;
mod release_log;
mod write_ahead;

use super::hub::feed::{Received, UpdateFeed};
use super::hub::{BoardId, Hub, Published, State, Update};
use super::{Stop, wait_for_stop};
use crate::desk::hide_tags;
use crate::game::{Command, Delay, DelayLine, DelayPolicy, Event, IllegalMoves, StampedEvent};
use public_state::{GameMeta, GameRelease, PublicState, PublishMode, public_tags};
use release_log::{PriorRelease, ReleaseLog};
pub use release_log::{RELEASE_FILE, StoredRelease, adopt_releases};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::Instant;
pub use write_ahead::UncopiedReleases;

/// Capacity of the feed: how many updates a front-end may fall behind before it must read the state again.
const FEED: usize = 1024;

/// The delayed view.
pub struct DelayedView {
    hub: Arc<Hub>,
    /// The policy for events that happen from now on.
    policy: watch::Sender<DelayPolicy>,
    /// Time 0 of the delay lines.
    epoch: Instant,
    public_state: Mutex<PublicState>,
    feed: broadcast::Sender<Update>,
}

impl DelayedView {
    /// Creates an empty delayed view; [`DelayedView::run`] fills it.
    pub fn new(hub: Arc<Hub>, delay: Delay, illegal_moves: IllegalMoves) -> Arc<DelayedView> {
        let policy = DelayPolicy { delay, illegal_moves };
        let incarnation = hub.incarnation().id;
        let public_state = Mutex::new(PublicState { incarnation, strictest: policy, ..PublicState::default() });
        let (epoch, feed) = (Instant::now(), broadcast::Sender::new(FEED));
        let policy = watch::Sender::new(policy);
        Arc::new(DelayedView { hub, policy, epoch, public_state, feed })
    }

    /// Sets the file that stores what has been released, and loads it. Must be called before [`DelayedView::run`].
    pub fn set_release_file(&self, path: PathBuf) {
        let release_log = ReleaseLog::load(path);
        if release_log.has_stricter() {
            self.hub.hide_play();
        }
        self.lock().release_log = release_log;
    }

    /// Changes the policy, with the rules of [`DelayLine::set_policy`], and stores for which events the earlier one still holds.
    /// Front-ends are notified.
    ///
    /// # Errors
    /// The file cannot be written, and the policy is unchanged: after a restart, events could be released that are hidden now.
    pub async fn set_policy(&self, policy: DelayPolicy) -> io::Result<()> {
        // First the file, then the policy. What happens in between is hidden by the earlier policy, which is then written again.
        self.write(|public, earlier| public.record_policy(earlier)).await?;
        let now = self.now();
        self.write(|public, earlier| {
            public.earlier_policies.push((now, earlier));
            public.lines.values_mut().for_each(|line| line.line.set_policy(policy));
            public.record_releases();
            public.strictest = public.strictest.strictest(earlier);
            self.policy.send_replace(policy);
        })
        .await?;
        // Front-ends read everything again, also the delay.
        self.publish(Update::Desk);
        Ok(())
    }

    /// Changes the state under the policy of this moment, and writes the file.
    async fn write(&self, change: impl FnOnce(&mut PublicState, DelayPolicy)) -> io::Result<()> {
        let write = {
            let mut public = self.lock();
            let policy = *self.policy.borrow();
            change(&mut public, policy);
            public.release_log.begin_write()
        };
        let Some(write) = write else { return Ok(()) };
        spawn_blocking(move || write.write()).await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    /// Reads the state. `read` must be short: it holds the lock on the state.
    pub fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock().state)
    }

    /// Subscribes to all updates from now on, as [`Hub::subscribe`].
    pub fn subscribe(&self) -> UpdateFeed {
        UpdateFeed::new(self.feed.subscribe())
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

    /// Returns the public delay of events that happen now.
    pub fn delay(&self) -> Delay {
        self.policy.borrow().delay
    }

    /// Returns the policy for events that happen now, and its changes.
    pub fn policy(&self) -> watch::Receiver<DelayPolicy> {
        self.policy.subscribe()
    }

    /// Receives the hub's updates and releases events when they are due, until `stop`.
    pub async fn run(self: Arc<Self>, mut stop: Stop) {
        // Subscribe before reading the games, so that nothing is missed in between.
        let mut updates = self.hub.subscribe();
        self.catch_up(None, PublishMode::StateChange);
        self.publish_desk();
        // Never block on the disk: one write at a time, on a blocking thread.
        let mut writing: Option<JoinHandle<io::Result<()>>> = None;
        loop {
            self.release_due();
            let (due, write_due) = {
                let public = self.lock();
                let of_games = public.lines.values().filter_map(|line| line.line.next_deadline());
                let due = of_games.chain(public.past_results.next_due()).min();
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
                next = updates.next() => {
                    self.release_due();
                    match next {
                        Some(Received::Update(Update::Event(published))) => self.push_event(&published),
                        // A newly registered board brings its games from the journal.
                        Some(Received::Update(Update::Board(board))) => {
                            self.catch_up(Some(&board), PublishMode::StateChange);
                            self.publish_serial_number(&board);
                        }
                        Some(Received::Missed(_)) => {
                            self.catch_up(None, PublishMode::EachEvent);
                            self.publish_incarnation();
                            self.publish_desk();
                        }
                        Some(Received::Update(Update::Desk)) => self.publish_desk(),
                        // Health problems themselves are not public, nor are the machines of the hall.
                        Some(Received::Update(Update::Health)) => self.publish_incarnation(),
                        Some(Received::Update(Update::Machines | Update::Bluetooth)) => {}
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
        let DelayPolicy { delay, illegal_moves } = *self.policy.borrow();
        let line = match prior {
            Some(PriorRelease::Released(released)) => DelayLine::replay(delay, illegal_moves, released.clone()),
            Some(PriorRelease::UpTo(_)) | None => DelayLine::new(delay, illegal_moves),
        };
        GameRelease { line, last: 0, pushed_at: i64::MIN, meta: None }
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
        let earlier = public.earlier_policy(self.now().saturating_sub_unsigned(published.age_ms));
        let earliest = public.write_ahead.earliest();
        let line = public.lines.entry(game).or_insert_with(|| self.line(None));
        line.last = number;
        line.meta = meta.or(line.meta.take());
        // An event that another machine sends late has waited there. Time does not go back within a game.
        let at = self.now().saturating_sub_unsigned(published.age_ms).max(line.pushed_at).max(earliest);
        line.pushed_at = at;
        if let Some(earlier) = earlier {
            line.line.keep_stricter(number, earlier);
        }
        line.line.push(at, published.stamped.clone());
        if let Event::Commanded { command: Command::Tags { tags }, .. } = &published.stamped.event {
            let mut tags = public_tags(tags);
            hide_tags(&public.forgotten, &mut tags);
            let Some(view) = public.state.games.get_mut(&game) else { return };
            view.record.tags = tags;
            drop(public);
            self.publish(Update::Board(published.board.clone()));
        }
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
        self.publish(Update::Board(board.clone()));
    }

    /// Publishes a new incarnation of the journal.
    fn publish_incarnation(&self) {
        let current = self.hub.incarnation().id;
        let previous = std::mem::replace(&mut self.lock().incarnation, current.clone());
        if previous != current {
            self.publish(Update::Health);
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
            let (mut released, mut due) = (Vec::new(), Vec::new());
            let meta = self.hub.read(|state| GameMeta::read(state, game));
            {
                let mut public = self.lock();
                let prior = meta.as_ref().and_then(|meta| public.released_before(game, meta)).filter(|_| last == 0);
                let strictest = public.strictest;
                let line = public.lines.entry(game).or_insert_with(|| self.line(prior.as_ref()));
                line.meta = meta.or(line.meta.take());
                if last == 0 {
                    // Of a board that was absent when the policy changed, it is unknown when its events happened.
                    let (up_to, policy) = prior.as_ref().and_then(PriorRelease::stricter).unwrap_or((last_number, strictest));
                    line.line.keep_stricter(up_to.min(last_number), policy);
                }
                let up_to = if let Some(PriorRelease::UpTo(number)) = prior { number } else { 0 };
                let now = self.now();
                for stamped in events {
                    let Some(number) = stamped.number.filter(|number| *number <= last_number) else { continue };
                    if number > up_to {
                        released.extend(std::iter::from_fn(|| line.line.pop(now)));
                    }
                    line.last = number;
                    line.pushed_at = now;
                    line.line.push(now, stamped);
                    if number == up_to {
                        released.extend(line.line.release_all());
                    }
                }
                released.extend(std::iter::from_fn(|| line.line.pop(now)));
                line.line.end_replay();
                due.extend(std::iter::from_fn(|| line.line.pop(now)).map(|stamped| (game, stamped)));
                // Without a restart, or if nothing had been released before it, these are new as well.
                if prior.is_none() {
                    due.splice(0..0, released.drain(..).map(|stamped| (game, stamped)));
                }
                public.write_ahead.hold(&mut due, if last > 0 { PublishMode::EachEvent } else { mode });
            }
            let mode = if last > 0 { PublishMode::EachEvent } else { mode };
            released.extend(due.into_iter().map(|(_, stamped)| stamped));
            any_released |= !released.is_empty() && mode == PublishMode::StateChange;
            released.into_iter().for_each(|stamped| self.release(game, stamped, mode));
        }
        if any_released {
            let boards: Vec<BoardId> = self.read(|state| state.boards.keys().cloned().collect());
            boards.into_iter().for_each(|board| self.publish(Update::Board(board)));
        }
    }

    /// Releases the events that are due.
    fn release_due(&self) {
        self.release_past_results();
        let now = self.now();
        let due: Vec<(u64, StampedEvent)> = {
            let mut public = self.lock();
            let public = &mut *public;
            let pop = |(game, line): (&u64, &mut GameRelease)| -> Vec<(u64, StampedEvent)> {
                std::iter::from_fn(|| line.line.pop(now)).map(|stamped| (*game, stamped)).collect()
            };
            let mut due = public.lines.iter_mut().flat_map(pop).collect();
            public.write_ahead.hold(&mut due, PublishMode::EachEvent);
            due
        };
        due.into_iter().for_each(|(game, stamped)| self.release(game, stamped, PublishMode::EachEvent));
    }

    fn release(&self, game: u64, stamped: StampedEvent, mode: PublishMode) {
        let (meta, in_memory) =
            self.hub.read(|state| (GameMeta::read(state, game), state.games.keys().copied().collect::<Vec<u64>>()));
        let published = self.lock().release(game, stamped, mode, meta, &in_memory);
        if let Some(published) = published.filter(|_| mode == PublishMode::EachEvent) {
            self.publish(Update::Event(Arc::new(published)));
        }
    }

    fn publish(&self, update: Update) {
        // An error means that there is no subscriber.
        let _ = self.feed.send(update);
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
