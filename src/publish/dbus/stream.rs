//! Which of the two names, and what is told on it.

use crate::daemon::Hub;
use crate::daemon::hub::{GameView, News, Published, is_public};
use crate::daemon::journal::JournalError;
use crate::game::Stamped;
use crate::names;

/// Which of the two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// [`names::BUS_NAME`]: everything, for the arbiter and the operator.
    Live,
    /// [`names::BROADCAST_NAME`]: games, without what is for the arbiter alone.
    Broadcast,
}

impl Stream {
    /// The bus name.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Live => names::BUS_NAME,
            Stream::Broadcast => names::BROADCAST_NAME,
        }
    }

    /// The number of the last event that this stream tells.
    pub(super) fn last_number(self, game: &GameView) -> u64 {
        match self {
            Stream::Live => game.record.last_number,
            Stream::Broadcast => game.public,
        }
    }

    /// Whether it is a durable event of this stream.
    pub(super) fn told_by_signal(self, news: &News) -> bool {
        matches!(news, News::Event(published) if self.number(published).is_some())
    }

    /// The number under which this stream tells an event; `None`: it does not.
    pub(super) fn number(self, published: &Published) -> Option<u64> {
        match self {
            Stream::Live => published.stamped.number,
            Stream::Broadcast => published.public,
        }
    }

    /// The events of a game after this number, with the numbers of this stream, as far as its properties have come: what is in
    /// the journal already and in them not yet is news still to be told.
    pub(super) fn history(self, hub: &Hub, game: u64, after: u64) -> Result<Vec<(u64, Stamped)>, JournalError> {
        let first = match self {
            Stream::Live => after,
            Stream::Broadcast => 0,
        };
        let last = hub.read(|state| state.games.get(&game).map_or(0, |game| self.last_number(game)));
        let events = hub.since(game, first)?.into_iter();
        let mut numbered: Vec<(u64, Stamped)> = match self {
            Stream::Live => events.filter_map(|event| Some((event.number?, event))).collect(),
            Stream::Broadcast => (1..).zip(events.filter(|event| is_public(&event.event))).collect(),
        };
        numbered.retain(|(number, _)| after < *number && *number <= last);
        Ok(numbered)
    }
}
