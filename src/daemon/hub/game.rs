//! A game, as faces see it.

use super::BoardId;
use crate::boards::Millis;
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
        GameView { id, board, epoch_wall_ms, record, tags, recalled: 0, carried_from: None, raised: BTreeMap::new() }
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
}
