//! Which board is at which playing table of the round, and the players' names that its games get.

use crate::daemon::hub::feed::Received;
use crate::daemon::hub::round_games::{game_of, is_same_round};
use crate::daemon::hub::{BoardId, GameView, Hub, State, Target, Update};
use crate::daemon::{Stop, wait_for_stop};
use crate::game::{Command, Event, Order};
pub use crate::link::watch::natural_sort_key;
use crate::round::Round;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::debug;

/// Returns the board at each playing table.
pub fn boards_at_tables(state: &State) -> Vec<(u16, Option<BoardId>)> {
    let Some(round) = &state.round else { return Vec::new() };
    let mut boards: Vec<(String, Option<String>)> =
        state.boards.values().map(|board| (board.id.to_string(), board.serial_number.clone())).collect();
    boards.sort_by_key(|(name, _)| natural_sort_key(name));
    let found = |name: &str| state.boards.keys().find(|id| id.as_str() == name).cloned();
    round.boards(&boards).into_iter().map(|(table, name)| (table, name.and_then(found))).collect()
}

/// Returns the round with board `to` at the table of board `from`; all other boards keep their tables. `None`: no round is loaded,
/// or `from` is at no table.
pub fn round_with_board(state: &State, from: &BoardId, to: &BoardId) -> Option<Round> {
    let mut round = state.round.clone()?;
    let tables = boards_at_tables(state);
    let (table, _) = tables.iter().find(|(_, board)| board.as_ref() == Some(from))?;
    // Name every board explicitly: boards that are assigned by the order of their names would all move.
    for (other, board) in &tables {
        let pairing = round.table_mut(*other)?;
        let board = if other == table { Some(to) } else { board.as_ref().filter(|board| *board != to) };
        (pairing.board, pairing.serial) = (board.map(ToString::to_string), None);
    }
    Some(round)
}

/// Gives the round's names to the games on its tables, when the round changes and when a game begins, until `stop`.
pub async fn run(hub: Arc<Hub>, mut stop: Stop) {
    let mut updates = hub.subscribe();
    name_games(&hub).await;
    let mut known = BTreeMap::new();
    loop {
        let next = tokio::select! {
            next = updates.next() => next,
            () = wait_for_stop(&mut stop) => return,
        };
        match next {
            Some(Received::Update(Update::Event(published)))
                if !matches!(published.stamped.event, Event::GameStarted { .. }) => {}
            Some(Received::Update(Update::Board(board))) => {
                // Every reading is an update about its board; what matters here seldom changes.
                let now = hub.read(|state| state.boards.get(&board).map(|view| (view.serial_number.clone(), view.game)));
                if known.insert(board, now.clone()) != Some(now) {
                    name_games(&hub).await;
                }
            }
            Some(Received::Update(Update::Event(_) | Update::Round) | Received::Missed(_)) => name_games(&hub).await,
            Some(Received::Update(Update::Health)) => {}
            None => return,
        }
    }
}

/// Game, table, PGN tags to set, and how the game's time class differs from the round's time control.
type NameAssignment = (u64, u16, Vec<(String, String)>, Option<String>);

/// Gives names to the games that lack them. A game with names of another round belongs to that round.
async fn name_games(hub: &Hub) {
    let assignments: Vec<NameAssignment> = hub.read(|state| {
        let Some(round) = &state.round else { return Vec::new() };
        let assignment = |(table, board): (u16, Option<BoardId>)| {
            let game = state.games.get(&state.boards.get(&board?)?.game?)?;
            let pairing = round.table(table)?;
            let tags = round.tags(pairing);
            // Play at a table after its game is over belongs to no pairing.
            let is_over = |other: &GameView| other.id != game.id && other.record.result.is_some();
            if game_of(&state.games, round, pairing).is_some_and(is_over) {
                return None;
            }
            let known = &game.record.tags;
            // A game without moves and result, e.g. after the pieces were set up again, belongs to the current round.
            let has_not_begun = game.record.plies.is_empty() && game.record.result.is_none();
            let may_be_named = has_not_begun || known.is_empty() && game.record.result.is_none() || is_same_round(known, &tags);
            let control = tags.iter().find(|(name, _)| name == "TimeControl").map_or("", |(_, control)| control);
            let mismatch = game.record.unlike_time_control(control);
            (may_be_named && *known != tags).then_some((game.id, table, tags, mismatch))
        };
        boards_at_tables(state).into_iter().filter_map(assignment).collect()
    });
    let by = hub.read(|state| match state.round_by.as_str() {
        "" => "the pairings of the round".to_owned(),
        by => format!("the pairings of the round, set by {by}"),
    });
    for (game, table, tags, mismatch) in assignments {
        if let Some(error) = mismatch {
            hub.warn_about_play(None, &format!("game {game} at table {table}: {error}; set time_class in [laws]"));
        }
        let order = Order { command: Command::Tags { tags }, by: by.clone() };
        match hub.execute(Target::Game(game), order).await {
            // At debug level: the public learns of the game only after the delay.
            Ok(_) => debug!("named game {game} at table {table}"),
            Err(error) => hub.warn_about_play(None, &format!("game {game} at table {table} cannot be named: {error}")),
        }
    }
}
