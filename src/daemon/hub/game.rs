//! Front-ends' view of a game.

use super::BoardId;
use crate::boards::Millis;
use crate::daemon::steady_clock;
use crate::game::rights::Audience;
use crate::game::{DeskRecord, Event, Record, StampedEvent};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Front-ends' view of a game.
#[derive(Clone, Debug)]
pub struct GameView {
    /// Number in the journal; counts from 1 over all boards and is never reused.
    pub id: u64,
    /// Board on which the game is or was played.
    pub board: BoardId,
    /// Machine of the hall to which that board belongs; `None`: this one.
    pub machine: Option<String>,
    /// Wall-clock time of the board's time 0, in milliseconds since 1970-01-01 UTC: add an event's `at` to get its time of day. Set
    /// again at the start of each game, because a small computer gets the time of day from the network only after it has booted.
    pub epoch_wall_ms: i64,
    /// Time of the board's time 0 on the steady clock (see [`steady_clock`]). Updated by each event, so that it is correct from the first
    /// event after the system clock was set.
    pub epoch_steady_ms: i64,
    /// Record, as published.
    pub record: Record,
    /// PGN tags beyond those that the record itself contains.
    pub tags: Arc<[(String, String)]>,
    /// Number of the last event that was not published as an update: those up to it are from before touchmoved was started, or from
    /// another board.
    pub last_recalled_number: u64,
    /// Number of the last event that operators may know of.
    last_operator_number: u64,
    /// Game that this one continues: of another board, or of this board if a position had ended it.
    pub continued_from: Option<u64>,
    /// The game goes on as another one, on another board.
    pub is_continued: bool,
    /// Times at which the open alerts were raised, by alert id.
    pub alerts_raised_at: BTreeMap<u32, Millis>,
}

impl GameView {
    /// Creates the view of a game that has just begun.
    pub fn new(id: u64, board: BoardId, epoch_wall_ms: i64, record: Record, tags: Arc<[(String, String)]>) -> GameView {
        let epoch_steady_ms = steady_clock::from_wall(epoch_wall_ms);
        GameView {
            id,
            board,
            machine: None,
            epoch_wall_ms,
            epoch_steady_ms,
            last_operator_number: record.last_number,
            record,
            tags,
            last_recalled_number: 0,
            continued_from: None,
            is_continued: false,
            alerts_raised_at: BTreeMap::new(),
        }
    }

    /// Applies one event.
    pub(in crate::daemon) fn apply(&mut self, stamped: &StampedEvent) {
        self.record.apply(stamped);
        self.note(stamped);
    }

    /// Applies one event that the hub's desk has entered about a game of another machine.
    pub(in crate::daemon) fn apply_entered(&mut self, stamped: &StampedEvent) {
        self.record.apply_entered(stamped);
        self.note(stamped);
    }

    /// Applies the events after the first one as they are stored. `desk`: what the hub's desk has entered, if it is a game of another
    /// machine.
    pub(in crate::daemon) fn apply_stored(&mut self, events: &[StampedEvent], desk: Option<&DeskRecord>) {
        for stamped in events.iter().skip(1) {
            match desk.zip(stamped.number) {
                Some((desk, number)) if desk.is_entered(number) => self.apply_entered(stamped),
                _ => self.apply(stamped),
            }
        }
    }

    fn note(&mut self, stamped: &StampedEvent) {
        if let Some(number) = stamped.number.filter(|_| stamped.event.is_for(Audience::Operator)) {
            self.last_operator_number = number;
        }
        match &stamped.event {
            Event::AlertRaised(alert) => _ = self.alerts_raised_at.entry(alert.id).or_insert(stamped.at),
            Event::AlertCleared { id } => drop(self.alerts_raised_at.remove(id)),
            _ => {}
        }
    }

    /// Returns the number of the last event that this audience may know of. The public's view has numbers of its own.
    pub fn last_number_for(&self, audience: Audience) -> u64 {
        match audience {
            Audience::Operator => self.last_operator_number,
            Audience::Public | Audience::Arbiter => self.record.last_number,
        }
    }

    /// Converts an event's time to wall-clock time, in milliseconds since 1970-01-01 UTC.
    pub fn wall_ms(&self, at: Millis) -> i64 {
        self.epoch_wall_ms.saturating_add_unsigned(at)
    }

    /// Converts an event's time to the steady clock, to compute how long ago it was. See [`steady_clock`].
    pub fn steady_ms(&self, at: Millis) -> i64 {
        self.epoch_steady_ms.saturating_add_unsigned(at)
    }
}
