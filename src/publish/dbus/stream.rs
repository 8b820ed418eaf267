//! Which of the two names, and what is told on it.

use crate::daemon::Source;
use crate::daemon::hub::News;
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
    /// What is told of this source.
    pub fn of(source: &Source) -> Stream {
        match source {
            Source::Live(_) => Stream::Live,
            Source::Public(_) => Stream::Broadcast,
        }
    }

    /// The bus name.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Live => names::BUS_NAME,
            Stream::Broadcast => names::BROADCAST_NAME,
        }
    }

    /// Whether it is a durable event of this stream.
    pub(super) fn told_by_signal(self, news: &News) -> bool {
        matches!(news, News::Event(published) if published.stamped.number.is_some())
    }
}
