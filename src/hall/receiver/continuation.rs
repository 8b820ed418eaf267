//! Games that continue on a board of a machine: the command, and the game that comes of it.

use super::commander::{Commander, RemoteOrder};
use crate::daemon::Hub;
use crate::daemon::hub::{
    BoardId, Continuation, DeskEntryKind, OrderError, RemoteBatch, RemoteContinuation, StoredGameState, TableExchange,
};
use crate::daemon::journal::{ContinuationOrder, EventRow};
use crate::game::Answer;
use crate::hall::message::continuation::ContinuedGame;
use crate::hall::message::events::EventsMessage;
use crate::hall::message::{MAX_BYTES, to_json};
use crate::hall::subject::EventsSubject;
use crate::wire;
use tracing::warn;

/// The room in a command for everything but the game, in bytes.
const COMMAND_BYTES: usize = 4 * 1024;

/// A game that a machine was asked to continue on a board.
struct ExpectedGame {
    order: ContinuationOrder,
    /// How often that was ordered and not refused.
    attempts: u32,
    /// The game that continues it, once there is one.
    subject: Option<EventsSubject>,
}

impl ExpectedGame {
    /// Returns whether it continues this game, and has not come.
    fn is_open(&self, continued: u64) -> bool {
        self.subject.is_none() && self.order.continued == continued
    }
}

/// The games that a machine was asked to continue on a board.
#[derive(Default)]
pub(super) struct ExpectedGames(Vec<ExpectedGame>);

impl ExpectedGames {
    /// Reads those that were ordered before touchmoved was started, and have not come.
    pub(super) fn stored(hub: &Hub, board: &BoardId) -> ExpectedGames {
        let open = hub.journal().open_continuations().unwrap_or_else(|error| {
            warn!("the games that continue on board {board} cannot be read: {error}");
            Vec::new()
        });
        let mut expected = ExpectedGames::default();
        let has_not_come = open.into_iter().filter(|(order, game)| order.to == board.as_str() && game.is_none());
        has_not_come.for_each(|(order, _)| expected.add(order));
        expected
    }

    /// Adds a game, which the machine is asked to continue now, perhaps once more.
    pub(super) fn add(&mut self, order: ContinuationOrder) {
        match self.0.iter_mut().find(|known| known.is_open(order.continued)) {
            Some(known) => (known.order, known.attempts) = (order, known.attempts + 1),
            None => self.0.push(ExpectedGame { order, attempts: 1, subject: None }),
        }
    }

    /// Notes that an order to continue this game was refused. Returns whether nothing comes of any other order, either: whoever orders it
    /// twice is refused because of the first order, whose game may come later than the refusal.
    pub(super) fn refuse(&mut self, game: u64) -> bool {
        let Some(index) = self.0.iter().position(|known| known.is_open(game)) else { return false };
        let is_last = self.0.get_mut(index).is_some_and(|known| {
            known.attempts -= 1;
            known.attempts == 0
        });
        if is_last {
            self.0.remove(index);
        }
        is_last
    }

    /// Returns what the game of these events continues, if they are its first ones.
    pub(super) fn claim(&mut self, subject: &EventsSubject, batch: &RemoteBatch) -> Option<RemoteContinuation> {
        let begins = batch.stamped.first().is_some_and(|stamped| stamped.number == Some(1));
        let last = batch.stamped.last().and_then(|stamped| stamped.number).unwrap_or(0);
        let is_meant = |known: &ExpectedGame| match &known.subject {
            Some(known) => known == subject,
            None => begins && known.order.started_wall_ms == batch.events.started_wall_ms,
        };
        let index = self.0.iter().position(is_meant)?;
        let known = self.0.get_mut(index)?;
        known.subject = Some(subject.clone());
        let ContinuationOrder { continued, from, to, by, recalled, .. } = known.order.clone();
        let exchange = TableExchange { game: Some(continued), from: BoardId::new(&from), to: BoardId::new(&to), by };
        let continuation = RemoteContinuation { exchange, recalled };
        if last >= recalled {
            self.0.remove(index);
        }
        Some(continuation)
    }
}

/// Returns the command by which a machine continues a game on a board, whose name here is `board`: the game at the machine itself, if
/// it is one of its own; the order to store; and the message.
///
/// # Errors
/// The game is too long, or cannot be read.
pub(super) fn command(
    hub: &Hub,
    machine: &str,
    board: &BoardId,
    continuation: Continuation,
) -> Result<(Option<EventsSubject>, ContinuationOrder, ContinuedGame), OrderError> {
    let Continuation { game: StoredGameState { epoch_wall_ms, events, .. }, order, exchange } = continuation;
    let first = events.first().ok_or_else(|| OrderError::Unreadable("the game has no events".to_owned()))?;
    let started_wall_ms = epoch_wall_ms.saturating_add_unsigned(first.at);
    let last = events.last().and_then(|last| last.number).unwrap_or(0);
    let game = exchange.game.ok_or_else(|| OrderError::NoGameToContinue(exchange.from.clone()))?;
    let source = hub.journal().remote_game(game).map_err(|error| OrderError::Unreadable(error.to_string()))?;
    let entered = hub.desk_record(game);
    // The machine's own events are complete, whereas the latest may not have come here yet. But what the public has seen of a
    // result that the desk has entered is not among them.
    let has_no_result = entered.is_none_or(|desk| desk.result().is_none());
    let own = source.filter(|source| source.machine == machine && has_no_result);
    let (continued, recalled) = match &own {
        Some(_) => (ContinuedGame::own(&order), hub.own_number(game, last)),
        None => (ContinuedGame::sent(&order, epoch_wall_ms, &events), last),
    };
    // The machine sends it in one message, so that what was public stays public.
    let bytes: usize = events.iter().map(|event| wire::to_json(event).len() + EventRow::MORE_BYTES).sum();
    if bytes > EventsMessage::ROWS_BYTES - COMMAND_BYTES || to_json(&continued).len() > MAX_BYTES - COMMAND_BYTES {
        return Err(OrderError::GameTooLong(board.clone()));
    }
    let subject = own.map(|source| EventsSubject { machine: source.machine, journal: source.journal, game: source.game });
    let order = exchange.order(started_wall_ms, recalled).ok_or(OrderError::NoGameToContinue(exchange.from))?;
    Ok((subject, order, continued))
}

/// Sends the command by which a machine continues a game. The order is stored before, so that the game is known as its continuation
/// whenever it comes.
pub(super) async fn execute(
    hub: &Hub,
    commander: &Commander,
    command: RemoteOrder,
    order: ContinuationOrder,
) -> Result<(Answer, Option<(EventsSubject, u64)>), OrderError> {
    let stored = hub.journal().begin_continuation(order).await;
    stored.map_err(|error| OrderError::JournalFull(error.to_string()))?;
    // The other hub learns of it at about the time of the command.
    let _ = hub.request_copy(DeskEntryKind::Continuations);
    commander.execute(command).await
}

/// Removes the stored order to continue this game on a board: it was refused.
pub(super) async fn cancel(hub: &Hub, continued: u64, to: &BoardId) {
    if let Err(error) = hub.journal().cancel_continuation(continued, to.as_str()).await {
        warn!("the order to continue a game on board {to} was refused, and remains in the journal: {error}");
    }
}

/// Returns whether nothing comes of a command that fails in this way.
pub(super) fn is_refused(error: &OrderError) -> bool {
    !matches!(error, OrderError::OutcomeUnknown { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::{Journal, RemoteEvents, RemoteGame};
    use crate::game::event::Rotation;
    use crate::game::{Command, Event, Order, StampedEvent};

    fn hub(dir: &std::path::Path) -> std::sync::Arc<Hub> {
        Hub::new(Journal::open(dir).unwrap().0, &[])
    }

    fn started() -> StampedEvent {
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".to_owned();
        let event = Event::GameStarted { fen, chess960: None, laws: "fide-2023".into(), rotation: Rotation::Upright };
        StampedEvent { at: 1, number: Some(1), event }
    }

    fn exchange() -> TableExchange {
        TableExchange { game: Some(1), from: BoardId::new("a"), to: BoardId::new("pi_01_b"), by: "Anna".to_owned() }
    }

    /// A game with this number of notes of 200 characters.
    fn continuation(notes: u64) -> Continuation {
        let note = |number| {
            let command = Command::ClockNote { white_ms: 0, black_ms: 0, note: "x".repeat(200) };
            StampedEvent { at: 1, number: Some(number), event: Event::Commanded { command, by: "Anna".to_owned() } }
        };
        let events = std::iter::once(started()).chain((2..=notes + 1).map(note)).collect();
        let order = Order { command: Command::Tags { tags: Vec::new() }, by: "Anna".to_owned() };
        Continuation { game: StoredGameState { epoch_wall_ms: 1_000, events, cut_from: None }, order, exchange: exchange() }
    }

    fn subject(game: u64) -> EventsSubject {
        EventsSubject { machine: "pi-01".to_owned(), journal: "j".to_owned(), game }
    }

    /// The first event of a game that began then.
    fn batch(started_wall_ms: i64) -> RemoteBatch {
        RemoteBatch {
            events: RemoteEvents {
                source: RemoteGame { machine: "pi-01".to_owned(), journal: "j".to_owned(), game: 1 },
                started_wall_ms,
                epoch_wall_ms: 1_000,
                events: Vec::new(),
            },
            stamped: vec![started()],
            ages_ms: vec![0],
            is_newest: true,
            continues: None,
            on_done: Box::new(|_| {}),
        }
    }

    #[test]
    fn a_second_order_that_is_refused_does_not_revoke_the_first() {
        let order = || exchange().order(1_001, 1).unwrap();
        let mut expected = ExpectedGames::default();
        expected.add(order());
        expected.add(order());
        assert!(!expected.refuse(1));
        assert!(expected.claim(&subject(1), &batch(1_001)).is_some());
        assert!(!expected.refuse(1));
        expected.add(order());
        assert!(expected.refuse(1));
        assert_eq!(expected.claim(&subject(2), &batch(1_001)), None);
    }

    #[tokio::test]
    async fn a_game_that_is_too_long_is_refused_for_that_reason() {
        let dir = tempfile::tempdir().unwrap();
        let hub = hub(dir.path());
        let board = BoardId::new("pi_01_b");
        assert!(command(&hub, "pi-01", &board, continuation(10)).is_ok());
        let notes = EventsMessage::ROWS_BYTES as u64 / 200;
        let error = command(&hub, "pi-01", &board, continuation(notes)).expect_err("refused");
        assert!(error.to_string().starts_with("the game is too long to be sent to the machine of board pi_01_b"), "{error}");
    }

    #[tokio::test]
    async fn a_game_that_was_ordered_before_a_restart_is_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let (first, board) = (hub(dir.path()), BoardId::new("pi_01_b"));
        first.journal().append("a", 1_001, vec![started()]).await.unwrap();
        let order = exchange().order(1_001, 1).unwrap();
        first.journal().begin_continuation(order.clone()).await.unwrap();
        drop(first);
        let hub = hub(dir.path());
        assert_eq!(ExpectedGames::stored(&hub, &BoardId::new("pi_02_b")).claim(&subject(1), &batch(1_001)), None);
        let mut expected = ExpectedGames::stored(&hub, &board);
        assert_eq!(expected.claim(&subject(1), &batch(1_002)), None);
        let continuation = RemoteContinuation { exchange: exchange(), recalled: 1 };
        assert_eq!(expected.claim(&subject(2), &batch(1_001)), Some(continuation));
        hub.journal().cancel_continuation(order.continued, &order.to).await.unwrap();
        assert_eq!(ExpectedGames::stored(&hub, &board).claim(&subject(2), &batch(1_001)), None);
    }
}
