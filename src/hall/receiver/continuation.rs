//! Games that continue on a board of a machine: the command, and the game that comes of it.

use crate::daemon::Hub;
use crate::daemon::hub::{BoardId, Continuation, OrderError, RemoteBatch, RemoteContinuation, StoredGameState, TableExchange};
use crate::daemon::journal::EventRow;
use crate::hall::message::continuation::ContinuedGame;
use crate::hall::message::events::EventsMessage;
use crate::hall::message::{MAX_BYTES, to_json};
use crate::hall::subject::EventsSubject;
use crate::wire;

/// The room in a command for everything but the game, in bytes.
const COMMAND_BYTES: usize = 4 * 1024;

/// A game that a machine was asked to continue on a board.
pub(super) struct ExpectedGame {
    exchange: TableExchange,
    /// When the game began: Unix time in milliseconds. The game that continues it began then, too.
    started_wall_ms: i64,
    /// The number of events that it has already.
    recalled: u64,
    /// The game that continues it, once there is one.
    subject: Option<EventsSubject>,
}

impl ExpectedGame {
    /// The number here of the game that is continued.
    pub(super) fn game(&self) -> Option<u64> {
        self.exchange.game
    }
}

/// The games that a machine was asked to continue on a board.
#[derive(Default)]
pub(super) struct ExpectedGames(Vec<ExpectedGame>);

impl ExpectedGames {
    /// Adds a game, which the machine is asked to continue now.
    pub(super) fn add(&mut self, expected: ExpectedGame) {
        self.0.retain(|known| known.subject.is_some() || known.game() != expected.game());
        self.0.push(expected);
    }

    /// Forgets a game that is not continued.
    pub(super) fn remove(&mut self, game: u64) {
        self.0.retain(|known| known.subject.is_some() || known.game() != Some(game));
    }

    /// Returns what the game of these events continues, if they are its first ones.
    pub(super) fn claim(&mut self, subject: &EventsSubject, batch: &RemoteBatch) -> Option<RemoteContinuation> {
        let begins = batch.stamped.first().is_some_and(|stamped| stamped.number == Some(1));
        let last = batch.stamped.last().and_then(|stamped| stamped.number).unwrap_or(0);
        let is_meant = |known: &ExpectedGame| match &known.subject {
            Some(known) => known == subject,
            None => begins && known.started_wall_ms == batch.events.started_wall_ms,
        };
        let index = self.0.iter().position(is_meant)?;
        let known = self.0.get_mut(index)?;
        known.subject = Some(subject.clone());
        let continuation = RemoteContinuation { exchange: known.exchange.clone(), recalled: known.recalled };
        if last >= known.recalled {
            self.0.remove(index);
        }
        Some(continuation)
    }
}

/// Returns the command by which a machine continues a game on a board, whose name here is `board`: the game at the machine itself, if
/// it is one of its own; what comes of the command; and the message.
///
/// # Errors
/// The game is too long, or cannot be read.
pub(super) fn command(
    hub: &Hub,
    machine: &str,
    board: &BoardId,
    continuation: Continuation,
) -> Result<(Option<EventsSubject>, ExpectedGame, ContinuedGame), OrderError> {
    let Continuation { game: StoredGameState { epoch_wall_ms, events, .. }, order, exchange } = continuation;
    let first = events.first().ok_or_else(|| OrderError::Unreadable("the game has no events".to_owned()))?;
    let started_wall_ms = epoch_wall_ms.saturating_add_unsigned(first.at);
    let last = events.last().and_then(|last| last.number).unwrap_or(0);
    let source = match exchange.game {
        Some(game) => hub.journal().remote_game(game).map_err(|error| OrderError::Unreadable(error.to_string()))?,
        None => None,
    };
    let entered = exchange.game.and_then(|game| hub.desk_record(game));
    // The machine's own events are complete, whereas the latest may not have come here yet. But what the public has seen of a
    // result that the desk has entered is not among them.
    let has_no_result = entered.is_none_or(|desk| desk.result().is_none());
    let own = source.filter(|source| source.machine == machine && has_no_result);
    let (continued, recalled) = match (&own, exchange.game) {
        (Some(_), Some(game)) => (ContinuedGame::own(&order), hub.own_number(game, last)),
        _ => (ContinuedGame::sent(&order, epoch_wall_ms, &events), last),
    };
    // The machine sends it in one message, so that what was public stays public.
    let bytes: usize = events.iter().map(|event| wire::to_json(event).len() + EventRow::MORE_BYTES).sum();
    if bytes > EventsMessage::ROWS_BYTES - COMMAND_BYTES || to_json(&continued).len() > MAX_BYTES - COMMAND_BYTES {
        return Err(OrderError::GameTooLong(board.clone()));
    }
    let subject = own.map(|source| EventsSubject { machine: source.machine, journal: source.journal, game: source.game });
    Ok((subject, ExpectedGame { exchange, started_wall_ms, recalled, subject: None }, continued))
}
