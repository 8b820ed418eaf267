//! The updates of the hub, or of the delayed view, as one subscriber receives it.
//!
//! Nothing waits for a subscriber: one that is too slow loses the oldest items. It then learns that it
//! [missed](Received::Missed) some, and reads the state again; one that must see each event gets them from
//! [`crate::daemon::source::EventCursor`].

use super::{BoardId, Update};
use std::collections::BTreeSet;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// A subscription to all updates from its beginning on. To miss nothing, subscribe first, then read the state.
#[derive(Debug)]
pub struct UpdateFeed(Receiver<Update>);

/// What a subscriber receives.
#[derive(Clone, Debug)]
pub enum Received {
    /// An update.
    Update(Update),
    /// The subscriber was too slow and lost this many items: it must read the state again.
    Missed(u64),
}

/// What several items together say has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The boards that changed.
    pub boards: BTreeSet<BoardId>,
    /// Whether the round changed.
    pub desk: bool,
    /// Whether the health problems or the incarnation of the journal changed.
    pub health: bool,
    /// Whether items were missed, so that anything may have changed.
    pub missed: bool,
}

impl UpdateFeed {
    pub(in crate::daemon) fn new(receiver: Receiver<Update>) -> UpdateFeed {
        UpdateFeed(receiver)
    }

    /// Waits for the next item; returns `None` once the source has ended. Cancel safe: nothing is lost if the future is
    /// dropped.
    pub async fn next(&mut self) -> Option<Received> {
        match self.0.recv().await {
            Ok(update) => Some(Received::Update(update)),
            Err(RecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// Returns the next item that has already arrived.
    pub fn try_next(&mut self) -> Option<Received> {
        match self.0.try_recv() {
            Ok(update) => Some(Received::Update(update)),
            Err(TryRecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    /// Returns what `first` and all items that have already arrived say has changed; `None` if there is no item at all.
    pub fn drain(&mut self, first: Option<Received>) -> Option<Changes> {
        let mut next = first.or_else(|| self.try_next());
        let mut changes = next.is_some().then(Changes::default)?;
        while let Some(received) = next {
            changes.add(received);
            next = self.try_next();
        }
        Some(changes)
    }

    /// Discards the items that have already arrived.
    pub fn skip_to_now(&mut self) {
        self.0 = self.0.resubscribe();
    }
}

impl Changes {
    fn add(&mut self, received: Received) {
        match received {
            Received::Update(Update::Event(published)) => drop(self.boards.insert(published.board.clone())),
            Received::Update(Update::Board(board)) => drop(self.boards.insert(board)),
            Received::Update(Update::Desk) => self.desk = true,
            Received::Update(Update::Health) => self.health = true,
            // Machines are read when they are shown: they change every few seconds, and by silence. So is the search over Bluetooth.
            Received::Update(Update::Machines | Update::Bluetooth) => {}
            Received::Missed(_) => self.missed = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::broadcast;

    #[tokio::test]
    async fn a_slow_subscriber_learns_that_it_missed_updates() {
        let sender = broadcast::Sender::new(2);
        let mut feed = UpdateFeed::new(sender.subscribe());
        let send = |update| assert_eq!(sender.send(update).expect("a subscriber"), 1);
        let board = BoardId::new("b1");
        [Update::Desk, Update::Health, Update::Board(board.clone())].into_iter().for_each(send);
        assert!(matches!(feed.next().await, Some(Received::Missed(1))));
        let changes = feed.drain(None);
        let expected = Changes { boards: [board].into(), health: true, ..Changes::default() };
        assert_eq!(changes, Some(expected));
        assert_eq!(feed.drain(None), None);
        [Update::Desk, Update::Desk, Update::Desk].into_iter().for_each(send);
        assert_eq!(feed.drain(None), Some(Changes { desk: true, missed: true, ..Changes::default() }));
        send(Update::Desk);
        feed.skip_to_now();
        assert!(feed.try_next().is_none());
        drop(sender);
        assert!(feed.next().await.is_none());
    }
}
