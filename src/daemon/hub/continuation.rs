//! Games that continue on another board.

use super::orders::check_current;
use super::request::{Continuation, OrderError, RequestKind, StoredGameState, TableExchange};
use super::round_games::tag_value;
use super::{BoardId, GameView, Hub, State};
use crate::game::{Command, Order};

/// A game that will be continued.
pub(super) struct GameToContinue {
    pub(super) game: u64,
    epoch_wall_ms: i64,
    tags: Vec<(String, String)>,
}

impl GameToContinue {
    pub(super) fn of(game: &GameView) -> GameToContinue {
        GameToContinue { game: game.id, epoch_wall_ms: game.epoch_wall_ms, tags: game.record.tags.clone() }
    }
}

impl Hub {
    /// Continues the game of one board on another board, on which its position is set up: with its record, its clocks and its
    /// obligations. In the journal it is a new game that begins with the events of the old one. The other board takes over the
    /// playing table. `by` names who requested it.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn continue_game(&self, from: &BoardId, to: &BoardId, by: &str) -> Result<(), OrderError> {
        let game = self.read(|state| {
            let game = open_game(state, from)?.filter(|_| from != to);
            let game = game.ok_or_else(|| OrderError::NoGameToContinue(from.clone()))?;
            check_free(state, to)?;
            Ok::<_, OrderError>(GameToContinue::of(game))
        })?;
        let exchange = TableExchange { game: Some(game.game), from: from.clone(), to: to.clone(), by: by.to_owned() };
        let author = format!("{by}, continuing game {} from board {from}", game.game);
        self.send_continuation(game, exchange, author).await
    }

    /// Continues a game of this machine on another of its boards, as [`Hub::continue_game`] does. `order` is put on its record.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn continue_own_game(&self, game: u64, to: &BoardId, order: Order) -> Result<(), OrderError> {
        let (game, from) = self.read(|state| {
            let view = state.games.get(&game).ok_or(OrderError::NoSuchGame(game))?;
            check_current(state, game, &view.board)?;
            let is_open = is_open(view) && view.board != *to;
            let view = Some(view).filter(|_| is_open).ok_or_else(|| OrderError::NoGameToContinue(view.board.clone()))?;
            check_free(state, to)?;
            Ok::<_, OrderError>((GameToContinue::of(view), view.board.clone()))
        })?;
        let exchange = TableExchange { game: Some(game.game), from, to: to.clone(), by: order.by.clone() };
        let stored = self.stored_state(&game)?;
        self.send_stored(stored, order, exchange).await
    }

    /// Continues a game of another machine on a board of this one, as [`Hub::continue_game`] does. `order` is put on its record. The
    /// events must be those of a game, numbered from 1.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn continue_foreign_game(&self, game: StoredGameState, to: &BoardId, order: Order) -> Result<(), OrderError> {
        self.read(|state| check_free(state, to))?;
        let exchange = TableExchange { game: None, from: to.clone(), to: to.clone(), by: order.by.clone() };
        self.send_stored(game, order, exchange).await
    }

    /// Continues a game as `exchange` says. `author` is named in the game's record.
    pub(super) async fn send_continuation(
        &self,
        game: GameToContinue,
        exchange: TableExchange,
        author: String,
    ) -> Result<(), OrderError> {
        let stored = self.stored_state(&game)?;
        let order = Order { command: Command::Tags { tags: game.tags }, by: author };
        self.send_stored(stored, order, exchange).await
    }

    fn stored_state(&self, game: &GameToContinue) -> Result<StoredGameState, OrderError> {
        let events = self.events_after(game.game, 0).map_err(|error| OrderError::Unreadable(error.to_string()))?;
        Ok(StoredGameState { epoch_wall_ms: game.epoch_wall_ms, events, cut_from: None })
    }

    async fn send_stored(&self, game: StoredGameState, order: Order, exchange: TableExchange) -> Result<(), OrderError> {
        let to = exchange.to.clone();
        let continuation = Continuation { game, order, exchange };
        self.request(&to, RequestKind::ContinueGame(Box::new(continuation))).await.map(drop)
    }
}

/// Returns the game on a board that can be continued on another one.
fn open_game<'a>(state: &'a State, board: &BoardId) -> Result<Option<&'a GameView>, OrderError> {
    let view = state.boards.get(board).ok_or_else(|| OrderError::NoSuchBoard(board.to_string()))?;
    Ok(view.game.and_then(|game| state.games.get(&game)).filter(|game| is_open(game)))
}

fn is_open(game: &GameView) -> bool {
    game.record.result.is_none() && !game.is_continued
}

/// Returns an error if a game with names is being played on a board.
fn check_free(state: &State, board: &BoardId) -> Result<(), OrderError> {
    let is_named = |game: &&GameView| !game.record.plies.is_empty() && tag_value(&game.record.tags, "White").is_some();
    match open_game(state, board)?.filter(is_named) {
        Some(other) => Err(OrderError::BoardInUse { board: board.clone(), game: other.id }),
        None => Ok(()),
    }
}
