//! The two streams: their bus names, and which events each publishes.

use crate::daemon::Source;
use crate::daemon::hub::Update;
use crate::daemon::hub::feed::Received;
use crate::names;
use crate::publish::render::pgn::Reader;

/// One of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// [`names::BUS_NAME`]: everything, for the arbiter and the operator.
    Live,
    /// [`names::BROADCAST_NAME`]: games, without events for the arbiter alone.
    Broadcast,
}

impl Stream {
    /// Returns the stream that publishes this source.
    pub fn of(source: &Source) -> Stream {
        match source {
            Source::Live(_) => Stream::Live,
            Source::Public(_) => Stream::Broadcast,
        }
    }

    /// Returns the bus name.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Live => names::BUS_NAME,
            Stream::Broadcast => names::BROADCAST_NAME,
        }
    }

    /// Returns whom the games of this stream are for, as PGN.
    pub(super) fn pgn_reader(self) -> Reader {
        match self {
            Stream::Live => Reader::Arbiter,
            Stream::Broadcast => Reader::Public,
        }
    }

    /// Returns whether this is a durable event of this stream.
    pub(super) fn has_signal_for(self, received: &Received) -> bool {
        matches!(received, Received::Update(Update::Event(published)) if published.stamped.number.is_some())
    }
}
