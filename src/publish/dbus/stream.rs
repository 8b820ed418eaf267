//! The three streams: their bus names, who may see and do what on each, and which events each publishes.

use super::Error;
use crate::daemon::hub::Update;
use crate::daemon::hub::feed::Received;
use crate::game::rights::{Audience, Right, Role};
use crate::names;
use crate::publish::render::pgn::Reader;

/// One of the three streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// [`names::BUS_NAME`]: everything, for the arbiter.
    Live,
    /// [`names::OPERATOR_NAME`]: boards, games, seats and rounds, without what is for the arbiter alone.
    Operator,
    /// [`names::BROADCAST_NAME`]: games, with the delay of the public.
    Broadcast,
}

impl Stream {
    /// All streams.
    pub const ALL: [Stream; 3] = [Stream::Live, Stream::Operator, Stream::Broadcast];

    /// Returns the bus name.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Live => names::BUS_NAME,
            Stream::Operator => names::OPERATOR_NAME,
            Stream::Broadcast => names::BROADCAST_NAME,
        }
    }

    /// Returns the group for which the name is made.
    pub fn group(self) -> &'static str {
        match self {
            Stream::Live => names::ARBITER_GROUP,
            Stream::Operator => names::OPERATOR_GROUP,
            Stream::Broadcast => names::BROADCAST_GROUP,
        }
    }

    /// Returns the groups whose members may use the name: those who may see as much as its clients.
    pub fn groups(self) -> impl Iterator<Item = &'static str> {
        Stream::ALL.into_iter().rev().filter(move |other| other.audience() >= self.audience()).map(Stream::group)
    }

    /// Returns what its clients may see.
    pub fn audience(self) -> Audience {
        match self {
            Stream::Live => Audience::Arbiter,
            Stream::Operator => Audience::Operator,
            Stream::Broadcast => Audience::Public,
        }
    }

    /// Checks whether commands that need this right are accepted on this name, whoever gives them.
    ///
    /// # Errors
    /// `NotAllowed`, with a message that says what to do.
    pub(super) fn check_right(self, right: Right) -> Result<(), Error> {
        let greatest = match self {
            Stream::Live => Some(Role::Administrator),
            Stream::Operator => Some(Role::Operator),
            Stream::Broadcast => None,
        };
        if greatest.is_some_and(|role| role.has(right)) {
            return Ok(());
        }
        Err(self.not_allowed())
    }

    /// Checks whether clients of this name may see what is for this audience.
    ///
    /// # Errors
    /// `NotAllowed`, with a message that says what to do.
    pub(super) fn check_audience(self, audience: Audience) -> Result<(), Error> {
        if audience <= self.audience() { Ok(()) } else { Err(self.not_allowed()) }
    }

    fn not_allowed(self) -> Error {
        let (name, live) = (self.name(), Stream::Live.name());
        Error::NotAllowed(format!("this is for the arbiter, who calls {live}: {name} does not have it"))
    }

    /// Returns whether the stream has boards, and games without delay.
    pub fn is_live(self) -> bool {
        self != Stream::Broadcast
    }

    /// Returns whom the games of this stream are for, as PGN.
    pub(super) fn pgn_reader(self) -> Reader {
        match self {
            Stream::Live => Reader::Arbiter,
            Stream::Operator | Stream::Broadcast => Reader::Public,
        }
    }

    /// Returns whether this is a durable event of this stream.
    pub(super) fn has_signal_for(self, received: &Received) -> bool {
        matches!(received, Received::Update(Update::Event(published)) if published.stamped.number.is_some())
    }
}
