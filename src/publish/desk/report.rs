//! What an operator sees of the desk.

use crate::daemon::hub::round_games::RoundGames;
use crate::daemon::hub::{BoardId, BoardView, GameSummary, State};
use crate::daemon::rounds::boards_at_tables;
use crate::desk::lost_pairings;
use crate::game::json::word_or_null;
use crate::game::words::words;
use crate::round::{Pairing, PairingResult, Round};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The desk, with everything that is known of one round. This is also the transmitted JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeskReport {
    /// The number of acts at the desk until now: with it an act says what its author had seen.
    #[serde(default)]
    pub n: u64,
    /// The number of the round that is played; `None`: none.
    pub current_round: Option<u16>,
    /// All loaded rounds.
    pub rounds: Vec<RoundSummary>,
    /// The round that was requested. Its pairings have the results that were entered.
    pub round: Option<Round>,
    /// The tables of that round, and those at which a board is seated, in order.
    pub tables: Vec<TableReport>,
    /// The boards that are seated nowhere.
    pub unseated: Vec<SeatReport>,
}

/// A loaded round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// Its number.
    pub number: u16,
    /// The number of pairings.
    pub pairings: usize,
    /// The tables of [`TableState::ResultMissing`].
    pub missing: Vec<u16>,
    /// All tables without a result, also those of games that are in play or have not begun.
    #[serde(default)]
    pub open: Vec<u16>,
}

/// A board, for a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatReport {
    /// Its name.
    pub board: String,
    /// Its serial number, if known.
    pub serial_number: Option<String>,
    /// The state of the connection, as in property `Connection` of `org.touchmove1.Board`; `absent` if touchmoved does not have the
    /// board.
    pub connection: String,
}

/// A playing table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableReport {
    /// Its number.
    pub table: u16,
    /// The board that is seated there; `None`: nobody has seated one.
    pub seat: Option<SeatReport>,
    /// The state of its pairing; `None`: it has none.
    #[serde(with = "word_or_null")]
    pub state: Option<TableState>,
    /// The result: the one that was entered, else that of the game.
    #[serde(with = "word_or_null")]
    pub result: Option<PairingResult>,
    /// Whether the game has another result than the one that was entered.
    pub differs: bool,
    /// The games of the pairing, in the order in which they began.
    pub games: Vec<GameReport>,
}

/// A game of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameReport {
    /// Its number.
    pub game: u64,
    /// The board on which it is or was played.
    pub board: String,
    /// When it began: Unix time in milliseconds.
    pub started: i64,
    /// Whether a move was made.
    pub has_moves: bool,
    /// Its result: `1-0`, `0-1`, `1/2-1/2`, or `*`.
    pub result: String,
    /// Whether it is on its board now.
    pub is_on_board: bool,
}

/// The state of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableState {
    /// No move was made.
    NotBegun,
    /// The game is on a board, or on one that is away, and has no result.
    InPlay,
    /// There is no result, although the game is no longer on its board, or the round is over.
    ResultMissing,
    /// There is a result, or the game is adjourned.
    Ended,
}

words! {
    TableState { NotBegun = "not_begun", InPlay = "in_play", ResultMissing = "result_missing", Ended = "ended" }
}

impl DeskReport {
    /// Reports on the desk and on this round; `None`: the one that is played.
    pub fn new(state: &State, number: Option<u16>) -> DeskReport {
        let desk = &state.desk;
        let games = RoundGames::new(&state.games);
        let round = number.or(desk.current_round).and_then(|number| desk.rounds.get(&number));
        let boards: BTreeMap<u16, _> = boards_at_tables(state).into_iter().collect();
        let mut numbers: Vec<u16> = desk.seats.keys().copied().collect();
        let pairings = round.into_iter().flat_map(|round| &round.pairings);
        let pairings: BTreeMap<u16, &Pairing> = pairings.map(|pairing| (pairing.table, pairing)).collect();
        numbers.extend(pairings.keys());
        numbers.sort_unstable();
        numbers.dedup();
        let table = |table: u16| {
            let board = boards.get(&table).cloned().flatten().and_then(|id| state.boards.get(&id));
            let absent = || {
                let seat = desk.seats.get(&table)?;
                let (board, serial_number) = (seat.board.clone(), seat.serial_number.clone());
                Some(SeatReport { board, serial_number, connection: "absent".to_owned() })
            };
            let pairing = round.zip(pairings.get(&table));
            let report = pairing.map(|(round, pairing)| pairing_report(state, &games, round, pairing)).unwrap_or_default();
            TableReport { seat: board.map(SeatReport::new).or_else(absent), table, ..report }
        };
        let seated: BTreeSet<&BoardId> = boards.values().flatten().collect();
        DeskReport {
            n: state.desk_number,
            current_round: desk.current_round,
            rounds: desk.rounds.values().map(|round| RoundSummary::new(state, &games, round)).collect(),
            round: round.cloned(),
            tables: numbers.into_iter().map(table).collect(),
            unseated: state.boards.values().filter(|board| !seated.contains(&board.id)).map(SeatReport::new).collect(),
        }
    }
}

impl DeskReport {
    /// Returns the pairings of the round that are lost with their results or games when another round takes its place. `loaded`: with
    /// the names that are completed when it is loaded.
    pub fn lost_pairings(&self, loaded: &Round) -> Vec<&Pairing> {
        let Some(before) = &self.round else { return Vec::new() };
        lost_pairings(loaded, before, |table| self.has_game(table))
    }

    fn has_game(&self, table: u16) -> bool {
        let mut known = self.tables.iter().filter(|known| known.table == table);
        known.any(|known| known.games.iter().any(|game| game.has_moves))
    }

    /// Returns the tables of the round whose results are missing.
    pub fn missing_results(&self) -> Vec<u16> {
        let missing = self.tables.iter().filter(|table| table.state == Some(TableState::ResultMissing));
        missing.map(|table| table.table).collect()
    }
}

impl RoundSummary {
    fn new(state: &State, games: &RoundGames<'_>, round: &Round) -> RoundSummary {
        let report = |pairing: &Pairing| (pairing.table, pairing_report(state, games, round, pairing).state);
        let mut open: Vec<(u16, Option<TableState>)> = round.pairings.iter().map(report).collect();
        open.retain(|(_, state)| *state != Some(TableState::Ended));
        open.sort_unstable_by_key(|(table, _)| *table);
        let missing = open.iter().filter(|(_, state)| *state == Some(TableState::ResultMissing));
        RoundSummary {
            number: round.number,
            pairings: round.pairings.len(),
            missing: missing.map(|(table, _)| *table).collect(),
            open: open.iter().map(|(table, _)| *table).collect(),
        }
    }
}

impl SeatReport {
    fn new(board: &BoardView) -> SeatReport {
        SeatReport {
            board: board.id.to_string(),
            serial_number: board.serial_number.clone(),
            connection: board.connection.word().to_owned(),
        }
    }
}

/// Returns the last known game on the board of this one.
fn last_game(state: &State, game: &GameSummary) -> Option<u64> {
    state.past_games.iter().rev().find(|(_, other)| other.board == game.board).map(|(id, _)| *id)
}

/// Reports on the table of a pairing, without its seat.
fn pairing_report(state: &State, games: &RoundGames<'_>, round: &Round, pairing: &Pairing) -> TableReport {
    let table = pairing.table;
    let noted =
        state.desk.games(round.number, table).iter().filter_map(|id| state.past_games.get(id).map(|game| (*id, game.clone())));
    let in_memory = games.of(round, pairing).into_iter().map(|game| (game.id, GameSummary::from(game)));
    let games: BTreeMap<u64, GameSummary> = noted.chain(in_memory).collect();
    let is_on_board = |id: u64, game: &GameSummary| state.boards.get(&game.board).is_some_and(|board| board.game == Some(id));
    // The game goes on when the board is back.
    let is_away = |id: u64, game: &GameSummary| !state.boards.contains_key(&game.board) && last_game(state, game) == Some(id);
    let of_games = games.values().find_map(|game| game.result);
    let is_played = |game: &GameSummary| game.has_moves;
    let is_over = state.desk.current_round.is_some_and(|current| current > round.number);
    let is_playing =
        games.iter().any(|(id, game)| game.has_moves && (is_on_board(*id, game) || !is_over && is_away(*id, game)));
    let result = pairing.result.or(of_games.map(PairingResult::from));
    let report_state = match result {
        Some(_) => TableState::Ended,
        None if is_playing => TableState::InPlay,
        None if is_over || games.values().any(is_played) => TableState::ResultMissing,
        None => TableState::NotBegun,
    };
    let report = |(id, game): (&u64, &GameSummary)| GameReport {
        game: *id,
        board: game.board.to_string(),
        started: game.started_wall_ms,
        has_moves: game.has_moves,
        result: game.result.map_or("*", |result| result.as_str()).to_owned(),
        is_on_board: is_on_board(*id, game),
    };
    TableReport {
        table,
        seat: None,
        state: Some(report_state),
        result,
        differs: pairing.result.zip(of_games).is_some_and(|(entered, of_game)| entered.game_result() != Some(of_game)),
        games: games.iter().map(report).collect(),
    }
}
