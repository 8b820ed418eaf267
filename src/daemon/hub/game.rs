//! A game, as faces see it.

use super::BoardId;
use crate::boards::Millis;
use crate::daemon::steady;
use crate::game::{Event, Record, Stamped};
use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// The same by the time that nobody sets (see [`steady`]), as far as the board has said something since the time of day was set.
    pub epoch_steady_ms: i64,
    /// What was published of it.
    pub record: Record,
    /// PGN tags beyond those that the record knows itself.
    pub tags: Arc<[(String, String)]>,
    /// The number of the last of its events that were no news: they are from before touchmoved was started, or from another board.
    pub recalled: u64,
    /// The game that goes on in it, of another board, or of this one where a position had ended it.
    pub carried_from: Option<u64>,
    /// When the alerts that stand were raised, by their ids.
    pub raised: BTreeMap<u32, Millis>,
}

impl GameView {
    /// One that has only begun.
    pub fn new(id: u64, board: BoardId, epoch_wall_ms: i64, record: Record, tags: Arc<[(String, String)]>) -> GameView {
        let epoch_steady_ms = steady::of_wall(epoch_wall_ms);
        let (recalled, carried_from, raised) = (0, None, BTreeMap::new());
        GameView { id, board, epoch_wall_ms, epoch_steady_ms, record, tags, recalled, carried_from, raised }
    }

    /// Takes in one more event.
    pub(in crate::daemon) fn take(&mut self, stamped: &Stamped) {
        self.record.apply(stamped);
        match &stamped.event {
            Event::AlertRaised(alert) => _ = self.raised.entry(alert.id).or_insert(stamped.at),
            Event::AlertCleared { id } => drop(self.raised.remove(id)),
            _ => {}
        }
    }

    /// The time of day of an event, in milliseconds since 1970-01-01 UTC.
    pub fn wall_ms(&self, at: Millis) -> i64 {
        self.epoch_wall_ms.saturating_add_unsigned(at)
    }

    /// The same by the time that nobody sets: to say how long ago it was, see [`steady`].
    pub fn steady_ms(&self, at: Millis) -> i64 {
        self.epoch_steady_ms.saturating_add_unsigned(at)
    }
}
