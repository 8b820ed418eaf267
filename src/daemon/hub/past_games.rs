//! Games that are no longer on a board: reading them, and entering their results.

use super::{BoardId, GameView, Hub, OrderError, Published, State, Update};
use crate::boards::Millis;
use crate::daemon::journal::{self, JournalError};
use crate::game::{Answer, GameResult, Record, late_result};
use crate::round::Round;
use std::sync::Arc;

/// What is kept in memory of a game of a round after the game itself was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// The board on which it was played.
    pub board: BoardId,
    /// When it began: Unix time in milliseconds.
    pub started_wall_ms: i64,
    /// Whether a move was made.
    pub has_moves: bool,
    /// Its result.
    pub result: Option<GameResult>,
}

impl From<&GameView> for GameSummary {
    fn from(game: &GameView) -> GameSummary {
        GameSummary {
            board: game.board.clone(),
            started_wall_ms: game.wall_ms(game.record.started_at),
            has_moves: !game.record.plies.is_empty(),
            result: game.record.result.map(|(result, _)| result),
        }
    }
}

impl From<&journal::GameSummary> for GameSummary {
    fn from(game: &journal::GameSummary) -> GameSummary {
        GameSummary {
            board: BoardId::new(&game.board),
            started_wall_ms: game.started_wall_ms,
            has_moves: game.has_moves,
            result: game.result,
        }
    }
}

/// Returns whether one of the players is the same with the same colour: then the name of the other one has been corrected at most.
fn has_same_player(tags: &[(String, String)], others: &[(String, String)]) -> bool {
    let is_name = |(name, _): &&(String, String)| matches!(name.as_str(), "White" | "Black");
    tags.iter().filter(is_name).any(|tag| others.contains(tag))
}

/// Returns the tags of a game that has left its board, as its pairing is now.
fn corrected_tags(state: &State, id: u64) -> Option<Vec<(String, String)>> {
    let (round, table) = state.desk.place_of(id).filter(|_| !state.boards.values().any(|board| board.game == Some(id)))?;
    let round = state.desk.rounds.get(&round)?;
    Some(round.tags(round.table(table)?))
}

impl Hub {
    /// Returns a game: from memory, else from the journal. `None`: there is no such game. A game that has left its board has the names
    /// of its pairing as they are now, unless others are paired at its table; on a board they change with an event of the game.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn game(&self, id: u64) -> Result<Option<GameView>, JournalError> {
        let (game, corrected) = self.read(|state| (state.games.get(&id).cloned(), corrected_tags(state, id)));
        let mut game = match game {
            Some(game) => Some(game),
            None => self.stored_game(id)?,
        };
        if let (Some(game), Some(tags)) = (&mut game, corrected)
            && has_same_player(&game.record.tags, &tags)
        {
            game.record.tags.retain(|(name, _)| !Round::names_tag(name));
            game.record.tags.extend(tags);
            game.record.tags.sort();
        }
        if let Some(game) = &mut game {
            self.read(|state| state.desk.hide_tags(&mut game.record.tags));
        }
        Ok(game)
    }

    fn stored_game(&self, id: u64) -> Result<Option<GameView>, JournalError> {
        let Some(stored) = self.journal.game(id)? else { return Ok(None) };
        let Some(record) = stored.events.first().and_then(Record::begin) else { return Ok(None) };
        let board = BoardId::new(&stored.board);
        let mut game = GameView::new(id, board, stored.epoch_wall_ms, record, Arc::clone(&self.tags));
        game.apply_stored(&stored.events, self.desk_record(id).as_ref());
        Ok(Some(game))
    }

    /// Sets the result of a game that is no longer its board's current one, or withdraws it (`None`). `by` names who did.
    ///
    /// # Errors
    /// See [`OrderError`]; nothing has changed then.
    pub async fn set_late_result(&self, id: u64, result: Option<GameResult>, by: &str) -> Result<Answer, OrderError> {
        // One late result after the other: each continues the numbers of the game.
        let _turn = self.late_turn.lock().await;
        let game = self.game(id).map_err(|error| OrderError::Unreadable(error.to_string()))?;
        let game = game.ok_or(OrderError::NoSuchGame(id))?;
        if !self.read(|state| state.boards.contains_key(&game.board)) {
            return Err(OrderError::BoardAway { game: id, board: game.board });
        }
        let wall_ms = jiff::Timestamp::now().as_millisecond();
        let at = Millis::try_from(wall_ms.saturating_sub(game.epoch_wall_ms)).unwrap_or(0);
        let events = late_result(&game.record, result, by, at);
        self.journal
            .append_late(id, wall_ms, events.clone())
            .await
            .map_err(|error| OrderError::JournalFull(error.to_string()))?;
        {
            let mut state = self.lock();
            for stamped in &events {
                state.apply(&game.board, Some(id), game.epoch_wall_ms, &self.tags, stamped);
            }
            if let Some(past) = state.past_games.get_mut(&id) {
                past.result = result;
            }
        }
        for stamped in events {
            let published = Published { board: game.board.clone(), game: Some(id), wall_ms, age_ms: 0, stamped };
            self.publish(Update::Event(Arc::new(published)));
        }
        Ok(Answer::Done)
    }
}
