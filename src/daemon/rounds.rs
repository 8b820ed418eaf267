//! Which board is at which playing table, and the players' names that the games of a round get.
//!
//! **Invariant:** names follow from the desk alone: a game keeps its pairing, on whatever board and cable it is played, until somebody
//! changes the pairing. A game without moves gets the pairing of the table at which its board is seated.

use crate::daemon::hub::feed::Changes;
use crate::daemon::hub::round_games::{GamePairings, RoundGames};
use crate::daemon::hub::{BoardId, BoardView, GameView, Hub, State, Target};
use crate::daemon::{Stop, wait_for_stop};
use crate::desk::DeskAct;
use crate::game::{Command, Order};
pub use crate::link::watch::natural_sort_key;
use crate::round::Round;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tracing::debug;

/// Returns the board at each playing table that has a seat or a pairing, by table.
pub fn boards_at_tables(state: &State) -> Vec<(u16, Option<BoardId>)> {
    let boards: Vec<(&str, Option<&str>)> =
        state.boards.values().map(|board| (board.id.as_str(), board.serial_number.as_deref())).collect();
    let ids: BTreeMap<&str, &BoardId> = state.boards.keys().map(|id| (id.as_str(), id)).collect();
    let id = |name: &str| ids.get(name).map(|id| (*id).clone());
    state.desk.boards(&boards).into_iter().map(|(table, name)| (table, name.and_then(id))).collect()
}

/// Gives the names of their pairings to games, when the desk changes and when a game begins, until `stop`.
pub async fn run(hub: Arc<Hub>, mut stop: Stop) {
    let mut updates = hub.subscribe();
    name_games(&hub).await;
    let identity = |board: &BoardView| (board.serial_number.clone(), board.game);
    let mut known = BTreeMap::new();
    loop {
        let next = tokio::select! {
            next = updates.next() => next,
            () = wait_for_stop(&mut stop) => return,
        };
        let Some(next) = next else { return };
        let Changes { boards, desk, missed, .. } = updates.drain(Some(next)).unwrap_or_default();
        // Every reading is an update about its board; what matters here seldom changes.
        let mut is_news = desk || missed;
        for board in boards {
            let now = hub.read(|state| state.boards.get(&board).map(identity));
            is_news |= known.insert(board, now.clone()) != Some(now);
        }
        if is_news {
            name_games(&hub).await;
        }
    }
}

/// A game that gets names.
struct NameAssignment {
    game: u64,
    round: u16,
    table: u16,
    tags: Vec<(String, String)>,
    /// How the game's time class differs from the round's time control.
    mismatch: Option<String>,
}

impl NameAssignment {
    fn new(game: &GameView, round: &Round, table: u16) -> Option<NameAssignment> {
        let tags = round.tags(round.table(table)?);
        let control = tags.iter().find(|(name, _)| name == "TimeControl").map_or("", |(_, control)| control);
        let mismatch = game.record.unlike_time_control(control);
        Some(NameAssignment { game: game.id, round: round.number, table, tags, mismatch })
    }
}

/// Returns the games without moves that lose their names: their boards are not at the table of their pairing any more, or another
/// round is played.
fn unnamed(state: &State, pairings: &GamePairings<'_>, assigned: &[NameAssignment]) -> Vec<u64> {
    let current = state.boards.values().filter_map(|board| state.games.get(&board.game?));
    let has_not_begun = current.filter(|game| game.record.plies.is_empty() && game.record.result.is_none());
    let assigned: BTreeSet<u64> = assigned.iter().map(|assignment| assignment.game).collect();
    has_not_begun.filter(|game| pairings.of(game).is_some() && !assigned.contains(&game.id)).map(|game| game.id).collect()
}

/// Returns the pairing of each game that is on a board.
fn assignments(state: &State, pairings: &GamePairings<'_>) -> Vec<NameAssignment> {
    let desk = &state.desk;
    let games = RoundGames::new(&state.games);
    let tables: BTreeMap<BoardId, u16> =
        boards_at_tables(state).into_iter().filter_map(|(table, board)| Some((board?, table))).collect();
    let assignment = |board: &BoardView| {
        let game = state.games.get(&board.game?)?;
        let has_begun = !game.record.plies.is_empty() || game.record.result.is_some();
        let current = pairings.of(game);
        if let Some((round, table)) = current.filter(|_| has_begun) {
            return NameAssignment::new(game, desk.rounds.get(&round)?, table);
        }
        // Somebody named a game that belongs to no round.
        if has_begun && !game.record.tags.is_empty() || game.record.result.is_some() {
            return None;
        }
        let round = desk.round()?;
        let table = *tables.get(&board.id)?;
        let pairing = round.table(table)?;
        // Play at a table after its game is over belongs to no pairing. Neither does play beside a game that goes on elsewhere.
        let is_elsewhere = |other: &&GameView| {
            let is_on_board = state.boards.get(&other.board).is_some_and(|board| board.game == Some(other.id));
            other.record.result.is_some() || has_begun && is_on_board && !other.record.plies.is_empty()
        };
        let is_decided = pairing.result.is_some();
        if is_decided || games.of(round, pairing).iter().filter(|other| other.id != game.id).any(is_elsewhere) {
            return None;
        }
        NameAssignment::new(game, round, table)
    };
    state.boards.values().filter_map(assignment).collect()
}

/// Gives the names of their pairings to games, once, and notes at the desk which games belong to which pairings.
pub async fn name_games(hub: &Hub) {
    let (assignments, unnamed, by) = hub.read(|state| {
        let pairings = GamePairings::new(&state.desk);
        let assignments = assignments(state, &pairings);
        let unnamed = unnamed(state, &pairings, &assignments);
        (assignments, unnamed, state.desk_by.clone())
    });
    let by = match by.as_str() {
        "" => "the pairings of the round".to_owned(),
        by => format!("the pairings of the round, set by {by}"),
    };
    let mut noted = Vec::new();
    for NameAssignment { game, round, table, tags, mismatch } in assignments {
        let (is_named, is_noted) = hub.read(|state| {
            let is_named = state.games.get(&game).is_some_and(|game| game.record.tags == tags);
            (is_named, state.desk.games(round, table).contains(&game))
        });
        if !is_noted {
            noted.push((round, table, game));
        }
        if is_named {
            continue;
        }
        if let Some(error) = mismatch {
            hub.warn_about_play(None, &format!("game {game} at table {table}: {error}; set time_class in [laws]"));
        }
        let order = Order { command: Command::Tags { tags }, by: by.clone() };
        match hub.execute(Target::Game(game), order).await {
            // At debug level: the public learns of the game only after the delay.
            Ok(_) => debug!("named game {game} at table {table}"),
            Err(error) => {
                noted.retain(|(_, _, noted)| *noted != game);
                hub.warn_about_play(None, &format!("game {game} at table {table} cannot be named: {error}"));
            }
        }
    }
    let mut lost = Vec::new();
    for game in unnamed {
        let order = Order { command: Command::Tags { tags: Vec::new() }, by: by.clone() };
        if hub.execute(Target::Game(game), order).await.is_ok() {
            lost.push(game);
        }
    }
    if !(noted.is_empty() && lost.is_empty())
        && let Err(error) = hub.change_desk(DeskAct::NameGames { games: noted, unnamed: lost }, "touchmoved").await
    {
        hub.warn_about_play(None, &format!("the games of the round cannot be noted at the desk: {error}"));
    }
}
