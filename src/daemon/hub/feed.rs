//! The news of the hub, or of the delayed view, as one subscriber receives it.
//!
//! Nothing waits for a subscriber: one that is too slow loses the oldest items. It then learns that it [missed](Received::Missed)
//! some, and reads the state again; one that must see each event gets them from [`crate::daemon::source::EventCursor`].

use super::{BoardId, News};
use std::collections::BTreeSet;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// A subscription to all news from its beginning on. To miss nothing, subscribe first, then read the state.
#[derive(Debug)]
pub struct NewsFeed(Receiver<News>);

/// What a subscriber receives.
#[derive(Clone, Debug)]
pub enum Received {
    /// A news item.
    News(News),
    /// The subscriber was too slow and lost this many items: it must read the state again.
    Missed(u64),
}

/// What several items together say has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The boards that changed.
    pub boards: BTreeSet<BoardId>,
    /// Whether the round changed.
    pub round: bool,
    /// Whether the health problems or the incarnation of the journal changed.
    pub health: bool,
    /// Whether items were missed, so that anything may have changed.
    pub missed: bool,
}

impl NewsFeed {
    pub(in crate::daemon) fn new(receiver: Receiver<News>) -> NewsFeed {
        NewsFeed(receiver)
    }

    /// Waits for the next item; returns `None` once the source has ended. Cancel safe: nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Received> {
        match self.0.recv().await {
            Ok(news) => Some(Received::News(news)),
            Err(RecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// Returns the next item that has already arrived.
    pub fn try_next(&mut self) -> Option<Received> {
        match self.0.try_recv() {
            Ok(news) => Some(Received::News(news)),
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
            Received::News(News::Event(published)) => drop(self.boards.insert(published.board.clone())),
            Received::News(News::Board(board)) => drop(self.boards.insert(board)),
            Received::News(News::Round) => self.round = true,
            Received::News(News::Trouble) => self.health = true,
            Received::Missed(_) => self.missed = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::broadcast;

    #[tokio::test]
    async fn a_slow_subscriber_learns_that_it_missed_news() {
        let sender = broadcast::Sender::new(2);
        let mut feed = NewsFeed::new(sender.subscribe());
        let send = |news| assert_eq!(sender.send(news).expect("a subscriber"), 1);
        let board = BoardId::new("b1");
        [News::Round, News::Trouble, News::Board(board.clone())].into_iter().for_each(send);
        assert!(matches!(feed.next().await, Some(Received::Missed(1))));
        let changes = feed.drain(None);
        let expected = Changes { boards: [board].into(), health: true, ..Changes::default() };
        assert_eq!(changes, Some(expected));
        assert_eq!(feed.drain(None), None);
        [News::Round, News::Round, News::Round].into_iter().for_each(send);
        assert_eq!(feed.drain(None), Some(Changes { round: true, missed: true, ..Changes::default() }));
        send(News::Round);
        feed.skip_to_now();
        assert!(feed.try_next().is_none());
        drop(sender);
        assert!(feed.next().await.is_none());
    }
}
