//! One board of a machine: publishes what its machine sends, and passes on the orders for it.

use super::commander::{Commander, RemoteOrder};
use super::continuation::{self, ExpectedGames};
use crate::boards::{Model, SensorKind};
use crate::daemon::Hub;
use crate::daemon::hub::{
    BoardHandle, BoardView, ConnectionState, Continuation, GameGuard, OrderError, OrderGuard, RemoteBatch, ReplySender,
    Request, RequestKind,
};
use crate::daemon::journal::{ContinuationOrder, RemoteGame};
use crate::daemon::steady_clock;
use crate::game::{Answer, Event, Order, StampedEvent};
use crate::hall::message::board::BoardMessage;
use crate::hall::message::command::Action;
use crate::hall::subject::EventsSubject;
use crate::wire::order_to_value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

/// How long the answer to a command waits for the events that it caused.
const EVENTS_PATIENCE: Duration = Duration::from_secs(5);

/// What comes from the machine.
pub(super) enum BoardInput {
    /// Events of a game.
    Events(EventsSubject, Box<RemoteBatch>),
    /// The state of the board.
    State(&'static Model, SensorKind, Box<BoardMessage>),
    /// The machine is away, for this reason.
    Away(String),
}

/// Which board of which machine it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub machine: String,
    /// The name of the board there.
    pub board: String,
}

/// An answer that waits for the events that the command caused.
struct Waiting {
    game: EventsSubject,
    number: u64,
    until: Instant,
    done: ReplySender,
    answer: Answer,
}

/// A command for the machine.
struct Outgoing {
    /// The game that it is for; `None`: whatever game is on the board.
    game: Option<EventsSubject>,
    /// The game that is shown on the board here.
    shown: Option<u64>,
    /// The number of the last event that its author has seen here, and of the machine's event that this was or followed.
    seen: Option<u64>,
    own_seen: Option<u64>,
    /// The game that is to continue on the board.
    continuation: Option<ContinuationOrder>,
    action: Action,
}

/// The outcome of a command.
struct Executed {
    outcome: Result<(Answer, Option<(EventsSubject, u64)>), OrderError>,
    /// The game that was to continue on the board.
    continued: Option<u64>,
    done: ReplySender,
}

struct Task {
    hub: Arc<Hub>,
    commander: Arc<Commander>,
    identity: Identity,
    handle: BoardHandle,
    /// The number of the last event that was passed on, of each game of which there was one.
    last: BTreeMap<EventsSubject, u64>,
    waiting: Vec<Waiting>,
    expected: ExpectedGames,
    executed: mpsc::UnboundedSender<Executed>,
}

/// Runs until `inputs` is closed.
pub(super) async fn run(
    hub: Arc<Hub>,
    commander: Arc<Commander>,
    identity: Identity,
    handle: BoardHandle,
    mut inputs: mpsc::UnboundedReceiver<BoardInput>,
) {
    let (executed, mut outcomes) = mpsc::unbounded_channel();
    let (last, waiting) = (BTreeMap::new(), Vec::new());
    let expected = ExpectedGames::stored(&hub, handle.board());
    let mut task = Task { hub, commander, identity, handle, last, waiting, expected, executed };
    loop {
        let next_timeout = task.waiting.iter().map(|waiting| waiting.until).min();
        let timeout = async {
            match next_timeout {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            input = inputs.recv() => match input {
                Some(input) => task.apply(input),
                None => return,
            },
            Some(request) = task.handle.requests.recv() => task.request(request),
            Some(executed) = outcomes.recv() => task.finish(executed),
            () = timeout => task.answer_late(),
        }
    }
}

impl Task {
    fn apply(&mut self, input: BoardInput) {
        match input {
            BoardInput::Events(subject, batch) => self.publish(subject, *batch),
            BoardInput::State(model, sensing, message) => self.set_state(model, sensing, &message),
            BoardInput::Away(reason) => {
                let differs = |view: &BoardView| view.connection != ConnectionState::Unplugged || view.reason != reason;
                self.handle.update_if(differs, |view| {
                    (view.connection, view.reason) = (ConnectionState::Unplugged, reason.clone());
                    view.set_clock(None);
                });
            }
        }
    }

    fn publish(&mut self, subject: EventsSubject, mut batch: RemoteBatch) {
        batch.continues = self.expected.claim(&subject, &batch);
        let number = batch.stamped.last().and_then(|stamped| stamped.number).unwrap_or(0);
        let is_ready = |waiting: &Waiting| waiting.game == subject && waiting.number <= number;
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(is_ready);
        self.waiting = waiting;
        self.last.insert(subject, number);
        self.handle.publish_remote(batch);
        let ready: Vec<Waiting> = ready;
        for Waiting { done, answer, .. } in ready {
            self.answer_after_events(done, answer);
        }
    }

    fn set_state(&mut self, model: &'static Model, sensing: SensorKind, message: &BoardMessage) {
        let machine = self.identity.machine.clone();
        if let Some(state) = message.state.clone() {
            self.handle.update_if(
                |view| {
                    let mut after = view.clone();
                    (after.model, after.sensing) = (model, sensing);
                    state.apply(&machine, &mut after);
                    !is_same(view, &after)
                },
                |view| {
                    (view.model, view.sensing) = (model, sensing);
                    state.apply(&machine, view);
                },
            );
        }
        let known: Vec<StampedEvent> = message.known_events().into_iter().filter(|stamped| self.is_news(stamped)).collect();
        if !known.is_empty() {
            let epoch_wall_ms = steady_clock::unix_ms().saturating_sub_unsigned(message.now);
            self.handle.publish(epoch_wall_ms, known, |_| {}, None);
        }
    }

    /// Returns whether a transient event says something that is not known: machines repeat what is the case now.
    fn is_news(&self, stamped: &StampedEvent) -> bool {
        self.hub.read(|state| {
            let Some(view) = state.boards.get(self.handle.board()) else { return false };
            match &stamped.event {
                Event::Displaced { squares } => view.displaced != *squares,
                Event::Battery(battery) => view.battery != Some(*battery),
                Event::Clock { clocks, turn, running, flags, battery_low } => view.clock.is_none_or(|clock| {
                    (clock.times, clock.turn, clock.running, clock.flags, clock.battery_low)
                        != (*clocks, *turn, *running, *flags, *battery_low)
                }),
                _ => true,
            }
        })
    }

    fn request(&mut self, request: Request) {
        let Request { kind, done } = request;
        let is_for_desk = |game, order: &Order| self.hub.is_for_desk(self.handle.board(), game, order);
        let (action, guard) = match kind {
            RequestKind::Order(order, guard) if is_for_desk(None, &order) => {
                return self.handle.publish_desk_order(None, guard, order, done);
            }
            RequestKind::PastGame(game, order) if is_for_desk(Some(game), &order) => {
                let guard = OrderGuard { game: GameGuard::AnyGame, seen: None };
                return self.handle.publish_desk_order(Some(game), guard, order, done);
            }
            RequestKind::Preview(order, game) if is_for_desk(None, &order) => {
                let preview = self.hub.preview_desk_order(self.handle.board(), game, &order);
                let _ = done.send(preview);
                return;
            }
            RequestKind::Order(order, guard) => (Action::Order(order_to_value(&order)), guard),
            RequestKind::Preview(order, game) => (Action::Preview(order_to_value(&order)), OrderGuard { game, seen: None }),
            RequestKind::Identify => (Action::Identify, OrderGuard { game: GameGuard::AnyGame, seen: None }),
            RequestKind::WiringTest(_) => {
                let _ = done.send(Err(OrderError::TestElsewhere(self.handle.board().clone())));
                return;
            }
            RequestKind::PastGame(game, _) => {
                let _ = done.send(Err(OrderError::NoSuchGame(game)));
                return;
            }
            RequestKind::ContinueGame(continuation) => return self.continue_game(*continuation, done),
        };
        let on_board = self.hub.read(|state| {
            let view = state.boards.get(self.handle.board())?;
            let is_meant = match guard.game {
                GameGuard::AnyGame => true,
                GameGuard::After(begun) => view.games_begun == begun,
            };
            view.game.filter(|_| is_meant)
        });
        let source = match guard.game {
            GameGuard::AnyGame => None,
            GameGuard::After(_) => {
                let source = on_board.and_then(|game| self.hub.journal().remote_game(game).ok().flatten());
                let Some(RemoteGame { machine, journal, game }) = source else {
                    let _ = done.send(Err(OrderError::GameReplaced));
                    return;
                };
                Some(EventsSubject { machine, journal, game })
            }
        };
        // What the desk has entered since is not known at the machine.
        if let (Some(game), Some(seen)) = (on_board, guard.seen)
            && self.hub.events_after(game, seen).is_ok_and(|since| since.iter().any(|stamped| stamped.event.is_news()))
        {
            let _ = done.send(Err(OrderError::Changed { seen, news: Vec::new() }));
            return;
        }
        // The machine has other numbers: it does not know the events of the desk.
        let own_number = |shown| on_board.map_or(shown, |game| self.hub.own_number(game, shown));
        let (seen, own_seen) = (guard.seen, guard.seen.map(own_number));
        self.execute(Outgoing { game: source, shown: on_board, seen, own_seen, continuation: None, action }, done);
    }

    /// Asks the machine to continue a game of another board.
    fn continue_game(&mut self, continuation: Continuation, done: ReplySender) {
        match continuation::command(&self.hub, &self.identity.machine, self.handle.board(), continuation) {
            Ok((game, order, continued)) => {
                self.expected.add(order.clone());
                let (action, continuation) = (Action::Continue(continued), Some(order));
                let (shown, seen, own_seen) = (None, None, None);
                self.execute(Outgoing { game, shown, seen, own_seen, continuation, action }, done);
            }
            Err(error) => _ = done.send(Err(error)),
        }
    }

    /// Sends a command to the machine.
    fn execute(&self, command: Outgoing, done: ReplySender) {
        let Identity { machine, board } = self.identity.clone();
        let Outgoing { game, shown, seen, own_seen, continuation, action } = command;
        let order = RemoteOrder { machine, board, game, seen: own_seen, action };
        let (commander, executed, hub) = (Arc::clone(&self.commander), self.executed.clone(), Arc::clone(&self.hub));
        tokio::spawn(async move {
            let continued = continuation.as_ref().map(|continuation| continuation.continued);
            let executed_order = match continuation {
                Some(continuation) => continuation::execute(&hub, &commander, order, continuation).await,
                None => commander.execute(order).await,
            };
            let outcome = match (executed_order, shown, seen) {
                (Ok((Answer::Preview(mut preview), game)), Some(shown), _) => {
                    preview.last_number = hub.shown_number(shown, preview.last_number);
                    Ok((Answer::Preview(preview), game))
                }
                (Err(OrderError::Changed { news, .. }), _, Some(seen)) => Err(OrderError::Changed { seen, news }),
                (outcome, _, _) => outcome,
            };
            // If the board's task has ended, so has touchmoved.
            let _ = executed.send(Executed { outcome, continued, done });
        });
    }

    fn finish(&mut self, executed: Executed) {
        let Executed { outcome, continued, done } = executed;
        match outcome {
            Ok((answer, Some((game, number)))) => {
                let has_come = self.last.get(&game).is_some_and(|last| *last >= number);
                if has_come || matches!(answer, Answer::Preview(_)) {
                    self.answer_after_events(done, answer);
                } else {
                    self.waiting.push(Waiting { game, number, until: Instant::now() + EVENTS_PATIENCE, done, answer });
                }
            }
            Ok((answer, None)) => _ = done.send(Ok(answer)),
            Err(error) => {
                let is_over = |game: &u64| continuation::is_refused(&error) && self.expected.refuse(*game);
                let Some(game) = continued.filter(is_over) else {
                    let _ = done.send(Err(error));
                    return;
                };
                let (hub, board) = (Arc::clone(&self.hub), self.handle.board().clone());
                tokio::spawn(async move {
                    continuation::cancel(&hub, game, &board).await;
                    let _ = done.send(Err(error));
                });
            }
        }
    }

    /// Answers a command after the events that were passed on before, but not much later: a hub whose disk is full publishes none of
    /// them, and the machine has carried it out.
    fn answer_after_events(&self, done: ReplySender, answer: Answer) {
        let (published, is_published) = oneshot::channel();
        self.handle.publish(0, Vec::new(), |_| {}, Some((published, Ok(answer.clone()))));
        tokio::spawn(async move {
            let _ = timeout(EVENTS_PATIENCE, is_published).await;
            let _ = done.send(Ok(answer));
        });
    }

    /// Answers the commands whose events have not come in time: they were carried out.
    fn answer_late(&mut self) {
        let now = Instant::now();
        let (late, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|waiting| waiting.until <= now);
        self.waiting = waiting;
        let late: Vec<Waiting> = late;
        late.into_iter().for_each(|waiting| _ = waiting.done.send(Ok(waiting.answer)));
    }
}

/// Returns whether a state changed nothing that front-ends show.
fn is_same(before: &BoardView, after: &BoardView) -> bool {
    let shown = |view: &BoardView| {
        let identity = (view.model.name, view.sensing, view.serial_number.clone(), view.firmware.clone(), view.port.clone());
        (identity, view.connection, view.reason.clone(), view.rotation, view.placement)
    };
    shown(before) == shown(after)
}
