//! Orders of front-ends to a board's table.

use super::continuation::GameToContinue;
use super::request::{GameGuard, OrderError, OrderGuard, Request, RequestKind, Seen, TableExchange, Target};
use super::{BoardId, GameView, Hub, JOURNAL_FAILED, JOURNAL_FULL, State, lock};
use crate::daemon::journal::JournalError;
use crate::game::Refusal;
use crate::game::news::news;
use crate::game::rights::Audience;
use crate::game::{Answer, Command, Event, Order, Preview, StampedEvent};
use tokio::sync::oneshot;

impl Hub {
    /// Executes an order. Returns its answer when its events are in the journal and published.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn execute(&self, target: Target, order: Order) -> Result<Answer, OrderError> {
        self.execute_seen(target, order, None).await
    }

    /// As [`Hub::execute`], but only if nothing has happened in the game that the caller must know and has not seen. That they have
    /// acknowledged other alerts themselves is known to them.
    ///
    /// # Errors
    /// See [`OrderError`], in particular [`OrderError::Changed`]; nothing has changed then.
    pub async fn execute_seen(&self, target: Target, order: Order, seen: Option<Seen>) -> Result<Answer, OrderError> {
        let Some(Seen { number: seen, audience }) = seen else { return self.execute_after(&target, order, None).await };
        let mut number = seen;
        loop {
            let outcome = self.execute_after(&target, order.clone(), Some(number)).await;
            let (Err(OrderError::Changed { .. }), Target::Game(game)) = (&outcome, &target) else { return outcome };
            // What the table knew when it refused has been published.
            let since = self.events_after(*game, number).map_err(|error| OrderError::Unreadable(error.to_string()))?;
            let last = since.iter().rev().find_map(|stamped| stamped.number);
            let is_own = |event: &Event| matches!(event, Event::Commanded { command: Command::Acknowledge { .. }, by } if *by == order.by);
            let others: Vec<StampedEvent> = since.into_iter().filter(|stamped| !is_own(&stamped.event)).collect();
            let news = news(&others, audience);
            match last {
                // All new events are for other roles, or are the caller's own.
                Some(last) if news.is_empty() && last > number => number = last,
                _ => return Err(OrderError::Changed { seen, news }),
            }
        }
    }

    /// Executes an order, if nothing has happened in the game after event `seen` (`None`: whatever has happened).
    ///
    /// # Errors
    /// As [`Hub::execute_seen`], but [`OrderError::Changed`] does not say what has changed.
    pub async fn execute_after(&self, target: &Target, order: Order, seen: Option<u64>) -> Result<Answer, OrderError> {
        self.check_role()?;
        if let (Target::Game(game), Command::Result { result }) = (target, &order.command)
            && self.read(|state| !is_current(state, *game))
        {
            return match self.board_of_remote_game(*game)? {
                // Its journal is at its machine.
                Some(board) => self.request(&board, RequestKind::PastGame(*game, order)).await,
                None => self.set_late_result(*game, *result, &order.by).await,
            };
        }
        let (board, game) = self.read(|state| {
            let (board, guard) = guard(state, target)?;
            // A full disk affects all boards; any other write failure affects only the board that has it.
            let blocking = state.health_problems.iter().find(|problem| {
                problem.kind == JOURNAL_FULL || problem.kind == JOURNAL_FAILED && problem.board.as_ref() == Some(&board)
            });
            blocking.map_or(Ok((board, guard)), |blocking| Err(OrderError::JournalFull(blocking.sentence.clone())))
        })?;
        let undoes = (order.command == Command::Undo {}).then(|| order.by.clone());
        let outcome = self.request(&board, RequestKind::Order(order, OrderGuard { game, seen })).await;
        match (&outcome, target, undoes) {
            (Err(OrderError::GameReplaced), Target::Game(requested), _) => {
                // The game that began meanwhile has already been published.
                self.read(|state| check_current(state, *requested, &board))?;
            }
            (Err(OrderError::Refused(Refusal::NothingToUndo)), _, Some(by)) => {
                return self.undo_position(&board, &by).await.unwrap_or(outcome);
            }
            _ => {}
        }
        outcome
    }

    /// Returns the board of a game in the journal of another machine; `None`: it is a game of this machine, or there is none.
    fn board_of_remote_game(&self, game: u64) -> Result<Option<BoardId>, OrderError> {
        let unreadable = |error: JournalError| OrderError::Unreadable(error.to_string());
        if self.journal.remote_game(game).map_err(unreadable)?.is_none() {
            return Ok(None);
        }
        let view = self.game(game).map_err(unreadable)?;
        Ok(view.map(|game| game.board))
    }

    /// Returns what an order would do now, as [`Answer::Preview`], as far as this audience may know. Nothing changes.
    ///
    /// # Errors
    /// The reason why the order would not be executed.
    pub async fn preview(&self, target: Target, order: Order, audience: Audience) -> Result<Answer, OrderError> {
        self.check_role()?;
        let (board, guard) = self.read(|state| guard(state, &target))?;
        let is_undo = order.command == Command::Undo {};
        let outcome = self.request(&board, RequestKind::Preview(order, guard)).await;
        let narrowed = |preview: Preview| {
            let last_number = self.read(|state| {
                let game = state.games.get(&state.boards.get(&board)?.game?)?;
                Some(game.last_number_for(audience))
            });
            let last_number = last_number.unwrap_or(preview.last_number);
            Answer::Preview(Box::new(preview.for_audience(audience, last_number)))
        };
        if is_undo
            && let Err(OrderError::Refused(Refusal::NothingToUndo)) = &outcome
            && let Some((_, preview, _)) = self.game_ended_by_position(&board)
        {
            return Ok(narrowed(preview));
        }
        outcome.map(|answer| match answer {
            Answer::Preview(preview) => narrowed(*preview),
            other => other,
        })
    }

    /// Makes a board identify itself for some seconds with all its lights and a beep, as far as it has them.
    ///
    /// # Errors
    /// See [`OrderError`], in particular if a game is being played there (Art. 12.6).
    pub async fn identify(&self, board: &BoardId) -> Result<(), OrderError> {
        self.check_not_played(board)?;
        self.request(board, RequestKind::Identify).await.map(drop)
    }

    /// Checks that no game is being played on a board, as far as published.
    pub(super) fn check_not_played(&self, board: &BoardId) -> Result<(), OrderError> {
        self.read(|state| {
            let game = state.boards.get(board).and_then(|view| view.game).and_then(|game| state.games.get(&game));
            match game.filter(|game| game.record.result.is_none() && !game.record.plies.is_empty()) {
                Some(game) => Err(OrderError::Playing { board: board.clone(), game: game.id }),
                None => Ok(()),
            }
        })
    }

    /// Undoes a `Position` command: if the game on a board began with a position that somebody set, continues the game that this
    /// command ended. The game from that position stays as it is. `None`: this is not the case.
    async fn undo_position(&self, board: &BoardId, by: &str) -> Option<Result<Answer, OrderError>> {
        let (ended, _, command) = self.game_ended_by_position(board)?;
        let exchange = TableExchange { game: Some(ended.game), from: board.clone(), to: board.clone(), by: by.to_owned() };
        let author = format!("{by}, undoing the position that had ended game {}", ended.game);
        Some(self.send_continuation(ended, exchange, author).await.map(|()| Answer::Undone(command)))
    }

    /// Returns the game that a `Position` command on this board ended, and that an undo would continue; what this would do; and the
    /// command.
    fn game_ended_by_position(&self, board: &BoardId) -> Option<(GameToContinue, Preview, Command)> {
        let (position_game, ended, preview) = self.read(|state| {
            let on_board = |game: &&GameView| game.board == *board;
            let position_game = state.boards.get(board).and_then(|view| view.game).and_then(|game| state.games.get(&game))?;
            let ended =
                state.games.values().filter(on_board).filter(|game| game.id < position_game.id).max_by_key(|game| game.id)?;
            let is_open = |game: &GameView| game.record.result.is_none();
            let preview = Preview::continuing(&position_game.record, &ended.record);
            (is_open(position_game) && is_open(ended)).then(|| (position_game.id, GameToContinue::of(ended), preview))
        })?;
        let events = self.events_after(position_game, 0).ok()?;
        let command = events.into_iter().find_map(|stamped| match stamped.event {
            Event::Commanded { command: command @ Command::Position { .. }, .. } => Some(command),
            _ => None,
        })?;
        let preview = Preview { undone: Some(command.clone()), ..preview };
        Some((ended, preview, command))
    }

    /// Sends a request to the task of a board's link, and returns its outcome.
    ///
    /// # Errors
    /// See [`OrderError`]; in particular if this hub does not have the role of the hall's hub.
    pub(super) async fn request(&self, board: &BoardId, kind: RequestKind) -> Result<Answer, OrderError> {
        self.check_role()?;
        let route = lock(&self.routes).get(board).cloned();
        let route = route.ok_or_else(|| OrderError::NoSuchBoard(board.to_string()))?;
        let (done, outcome) = oneshot::channel();
        route.send(Request { kind, done }).await.map_err(|_| OrderError::Stopping)?;
        outcome.await.map_err(|_| OrderError::Stopping)?
    }
}

/// Returns whether this game is, as far as published, the one on its board.
fn is_current(state: &State, game: u64) -> bool {
    let board = state.games.get(&game).and_then(|game| state.boards.get(&game.board));
    board.is_some_and(|board| board.game == Some(game))
}

/// Returns the board of a target, and the game on it that an order may change.
fn guard(state: &State, target: &Target) -> Result<(BoardId, GameGuard), OrderError> {
    match target {
        Target::Board(board) => Ok((board.clone(), GameGuard::AnyGame)),
        Target::Game(requested) => {
            let game = state.games.get(requested).ok_or(OrderError::NoSuchGame(*requested))?;
            check_current(state, *requested, &game.board)?;
            let begun = state.boards.get(&game.board).map(|board| board.games_begun);
            Ok((game.board.clone(), begun.map_or(GameGuard::AnyGame, GameGuard::After)))
        }
    }
}

/// Returns an error if, as far as published, another game is on the board of game `requested`.
pub(super) fn check_current(state: &State, requested: u64, board: &BoardId) -> Result<(), OrderError> {
    match state.boards.get(board).and_then(|board| board.game) {
        Some(current) if current != requested => Err(OrderError::NotCurrent { requested, board: board.clone(), current }),
        _ => Ok(()),
    }
}
