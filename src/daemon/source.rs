//! What a front-end reads: the live hub or the delayed view, both in the same way.

use super::hub::feed::UpdateFeed;
use super::hub::{BoardId, GameView, Hub, Published, State};
use crate::daemon::DelayedView;
use crate::daemon::journal::JournalError;
use crate::game::StampedEvent;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The source that a front-end reads: the live hub or the delayed view.
#[derive(Clone)]
pub enum Source {
    /// For the arbiter and the operator.
    Live(Arc<Hub>),
    /// For everybody else.
    Public(Arc<DelayedView>),
}

impl Source {
    /// Reads the state. `read` must be short: it holds the lock on the state.
    pub fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        match self {
            Source::Live(hub) => hub.read(read),
            Source::Public(view) => view.read(read),
        }
    }

    /// Subscribes to all updates from now on, see [`Hub::subscribe`].
    pub fn subscribe(&self) -> UpdateFeed {
        match self {
            Source::Live(hub) => hub.subscribe(),
            Source::Public(view) => view.subscribe(),
        }
    }

    /// Returns a game's durable events after `number` (0: all), with this source's numbering.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn since(&self, game: u64, number: u64) -> Result<Vec<StampedEvent>, JournalError> {
        match self {
            Source::Live(hub) => hub.events_after(game, number),
            Source::Public(view) => Ok(view.events_after(game, number)),
        }
    }

    /// Returns the identifier of the journal's incarnation: while it is unchanged, [`Source::since`] numbers events identically.
    pub fn incarnation(&self) -> String {
        match self {
            Source::Live(hub) => hub.incarnation().id,
            Source::Public(view) => view.incarnation(),
        }
    }
}

/// How far a subscriber has processed the durable events of each game, so that it processes each event once.
#[derive(Debug, Default)]
pub struct EventCursor {
    /// The number of the last event that was processed, by game.
    last: BTreeMap<u64, u64>,
}

impl EventCursor {
    /// Returns whether this event of a game has not been processed yet, and counts it as processed.
    pub fn advance(&mut self, game: u64, number: u64) -> bool {
        let is_new = self.last.get(&game).is_none_or(|last| *last < number);
        if is_new {
            self.last.insert(game, number);
        }
        is_new
    }

    /// Returns the events of the games in memory that have not been processed yet, after updates were missed, and counts them
    /// as processed. Events that were never published as updates, because they are from before touchmoved was started, are not
    /// among them; nor are those that the journal cannot return. Forgets all other games.
    pub fn catch_up(&mut self, source: &Source) -> Vec<Published> {
        let summary = |game: &GameView| (game.id, game.board.clone(), game.epoch_wall_ms, game.last_recalled_number);
        let games: Vec<(u64, BoardId, i64, u64)> = source.read(|state| state.games.values().map(summary).collect());
        self.last.retain(|game, _| games.iter().any(|(known, ..)| known == game));
        let mut missed = Vec::new();
        for (game, board, epoch, recalled) in games {
            let last = self.last.entry(game).or_insert(recalled);
            for stamped in source.since(game, *last).unwrap_or_default() {
                *last = stamped.number.unwrap_or(*last);
                let wall_ms = epoch.saturating_add_unsigned(stamped.at);
                missed.push(Published { board: board.clone(), game: Some(game), wall_ms, age_ms: 0, stamped });
            }
        }
        missed
    }
}
