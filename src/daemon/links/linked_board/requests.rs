//! Requests of front-ends to a board: orders, previews, games that continue here.

use super::LinkBoard;
use crate::boards::{BoardCommand, LinkState};
use crate::daemon::hub::{Continuation, GameGuard, OrderError, OrderGuard, ReplySender, Request, RequestKind, StoredGameState};
use crate::daemon::links::clock::Clock;
use crate::game::{Answer, Command, Order};
use crate::link::recording::Entry;
use crate::table::Input;
use crate::wire::order_to_value;
use crate::wiring_test::EndReason;
use std::time::Instant;
use tracing::debug;

impl LinkBoard {
    /// Handles a request; returns board commands.
    pub(in crate::daemon::links) fn handle_request(&mut self, now: Instant, request: Request) -> Vec<BoardCommand> {
        match request.kind {
            RequestKind::Order(order, guard) => {
                // A game may be due to begin.
                let mut commands = self.advance(now);
                if matches!(order.command, Command::Position { .. }) {
                    commands.extend(self.end_test(now, EndReason::Order));
                }
                match self.check_guard(guard) {
                    Ok(()) => commands.extend(self.handle_order(now, order, request.done)),
                    Err(error) => self.step.done = Some((request.done, Err(error))),
                }
                commands
            }
            RequestKind::Preview(order, game) => {
                let commands = self.advance(now);
                let outcome = self.check_guard(OrderGuard { game, seen: None }).and_then(|()| {
                    let preview = self.table.preview(self.clock.at(now), &order)?;
                    Ok(Answer::Preview(Box::new(preview)))
                });
                self.step.done = Some((request.done, outcome));
                commands
            }
            RequestKind::ContinueGame(continuation) => {
                let mut commands = self.end_test(now, EndReason::Order);
                commands.extend(self.continue_game(now, *continuation, request.done));
                commands
            }
            RequestKind::WiringTest(order) => {
                let (outcome, commands) = self.handle_test_order(now, order);
                self.step.done = Some((request.done, outcome));
                commands
            }
            RequestKind::PastGame(game, _) => {
                self.step.done = Some((request.done, Err(OrderError::NoSuchGame(game))));
                Vec::new()
            }
            // Handled by the link itself; it does not involve the table.
            RequestKind::Identify => Vec::new(),
        }
    }

    /// Returns an error if the game is not the one that an order is meant for, or not as its caller has seen it.
    fn check_guard(&self, OrderGuard { game, seen }: OrderGuard) -> Result<(), OrderError> {
        if !(game == GameGuard::AnyGame || game == GameGuard::After(self.games_begun)) {
            return Err(OrderError::GameReplaced);
        }
        match seen.filter(|&seen| self.table.has_news_since(seen)) {
            Some(seen) => Err(OrderError::Changed { seen, news: Vec::new() }),
            None => Ok(()),
        }
    }

    fn handle_order(&mut self, now: Instant, order: Order, done: ReplySender) -> Vec<BoardCommand> {
        self.record(now, || Entry::Command(order_to_value(&order)));
        let mut output = self.table.handle(self.clock.at(now), Input::Order(order));
        let reply = output.reply.take().map_or(Ok(Answer::Done), |reply| *reply);
        let outcome = reply.map_err(OrderError::from);
        self.step.done = Some((done, outcome));
        self.collect_output(output)
    }

    /// Continues a game of another board here, as after a restart.
    fn continue_game(&mut self, now: Instant, continuation: Continuation, done: ReplySender) -> Vec<BoardCommand> {
        let Continuation { game: StoredGameState { epoch_wall_ms, events, .. }, order, exchange } = continuation;
        let (table, events) = match self.table.continue_game(events) {
            Ok(continued) => continued,
            Err(squares) => {
                self.step.done = Some((done, Err(OrderError::PositionNotSetUp { board: self.id.clone(), squares })));
                return Vec::new();
            }
        };
        debug!(board = %self.id, "continuing a game of another board: {} events", events.len());
        self.clock = Clock::resumed(epoch_wall_ms, events.last().map_or(0, |event| event.at));
        self.table = table;
        self.games_begun += 1;
        self.handle.publish_continuation(epoch_wall_ms, events.clone(), exchange);
        self.game = if self.recorder.is_some() { events } else { Vec::new() };
        self.begin_recording(now);
        let mut commands = self.handle_link_state(now, LinkState::Up);
        commands.extend(self.handle_order(now, order, done));
        // Poll the placement, although nothing has changed.
        commands.push(BoardCommand::Placement);
        commands
    }
}
