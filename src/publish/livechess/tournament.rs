//! Tournament, rounds and games in the form of LiveChess's HTTP interface.
//!
//! The tournament has as many rounds as the number of the current round; nothing is known of the others. If no pairings were
//! loaded, there is one round, and each board is a table.

use super::ServerState;
use super::boards::{self, ClockReading};
use crate::daemon::hub::round_games::RoundGames;
use crate::daemon::hub::{BoardView, GameView, State};
use crate::daemon::rounds;
use crate::game::GameResult;
use crate::game::caution::is_stable;
use crate::game::event::ClockTime;
use crate::game::record::{Ply, PlyState};
use crate::publish::render::pgn::all_tags;
use crate::publish::render::stable_id::stable_id;
use crate::round::{self, PairingResult};
use serde::Serialize;

/// The byte after each text from which an id is computed; it occurs in no text.
const ID_END: u8 = 0xff;

/// An entry in the list of tournaments.
#[derive(Serialize)]
pub(super) struct Summary {
    uuid: String,
    description: String,
    rounds: u16,
}

/// A tournament.
#[derive(Serialize)]
pub(super) struct Tournament {
    uuid: String,
    name: String,
    description: String,
    location: String,
    country: String,
    rounds: u16,
    /// The serial numbers of the boards by table, beginning with table 1; `None`: no board.
    eboards: Vec<Option<String>>,
}

/// A round.
#[derive(Serialize)]
pub(super) struct Round {
    nr: u16,
    date: Option<String>,
    pairings: Vec<Pairing>,
}

#[derive(Serialize)]
struct Pairing {
    nr: u16,
    uuid: String,
    white: Player,
    black: Player,
    live: bool,
    result: Option<&'static str>,
}

#[derive(Default, Serialize)]
struct Player {
    fname: Option<String>,
    mname: Option<String>,
    lname: Option<String>,
    title: Option<String>,
    federation: Option<String>,
    gender: Option<&'static str>,
    fideid: Option<String>,
}

/// A game.
#[derive(Serialize)]
pub(super) struct Game {
    /// The Chess960 number of the start position; `None` for other start positions, which LiveChess cannot express.
    chess960: Option<u16>,
    result: Option<&'static str>,
    comment: Option<String>,
    clock: Option<ClockReading>,
    /// The moves, each as `SAN seconds+seconds`: remaining time and time used.
    moves: Vec<String>,
}

/// A playing table of the round.
struct PlayingTable<'a> {
    nr: u16,
    uuid: String,
    board: Option<&'a BoardView>,
    pairing: Option<&'a round::Pairing>,
    game: Option<&'a GameView>,
}

/// Returns the list of tournaments, which has one entry.
pub(super) fn tournaments(server: &ServerState, state: &State) -> Vec<Summary> {
    let (description, _) = name_and_location(server, state);
    vec![Summary { uuid: tournament_uuid(server, state), description, rounds: round_count(state) }]
}

/// Returns the tournament with this UUID.
pub(super) fn tournament(server: &ServerState, state: &State, uuid: &str) -> Option<Tournament> {
    let own_uuid = tournament_uuid(server, state);
    let (name, location) = name_and_location(server, state);
    let tables = tables(server, state);
    let last = tables.iter().map(|table| table.nr).max().unwrap_or(0);
    let board = |nr: u16| {
        let board = tables.iter().find(|table| table.nr == nr)?.board?;
        Some(boards::serial_number(state, board))
    };
    let eboards = (1..=last).map(board).collect();
    let (description, country, rounds) = (name.clone(), String::new(), round_count(state));
    is_same_uuid(uuid, &own_uuid).then_some(Tournament {
        uuid: own_uuid,
        name,
        description,
        location,
        country,
        rounds,
        eboards,
    })
}

/// Returns the round with this number, counted from 0, of the tournament with this UUID.
pub(super) fn round(server: &ServerState, state: &State, uuid: &str, number: u16) -> Option<Round> {
    let rounds = round_count(state);
    if !is_same_uuid(uuid, &tournament_uuid(server, state)) || number >= rounds {
        return None;
    }
    let is_played = number + 1 == rounds;
    let pairings = tables(server, state).iter().filter(|_| is_played).map(|table| table.to_pairing()).collect();
    let configured = state.desk.round().and_then(|round| round.date.clone()).or_else(|| server.tags.date.clone());
    let date = configured.or_else(|| tables(server, state).iter().find_map(|table| table.game.and_then(date_of)));
    let date = date.filter(|date| is_played && !date.contains('?')).map(|date| date.replace('.', "-"));
    Some(Round { nr: number + 1, date, pairings })
}

/// Returns the game of the pairing with this UUID.
pub(super) fn game(server: &ServerState, state: &State, uuid: &str) -> Option<Game> {
    let tables = tables(server, state);
    let table = tables.iter().find(|table| is_same_uuid(uuid, &table.uuid))?;
    let Some(game) = table.game else {
        return Some(Game { chess960: Some(518), result: table.result(), comment: None, clock: None, moves: Vec::new() });
    };
    let current_board = state.boards.get(&game.board).filter(|board| board.game == Some(game.id));
    let clock = match current_board {
        Some(board) => boards::game_clock(server, state, board),
        None => boards::recorded_clock(server, game),
    };
    Some(Game { chess960: game.record.chess960, result: table.result(), comment: None, clock, moves: moves(game) })
}

/// Returns the date of a game, as in its PGN.
fn date_of(game: &GameView) -> Option<String> {
    all_tags(game).into_iter().find_map(|(name, value)| (name == "Date").then_some(value))
}

fn is_same_uuid(uuid: &str, other: &str) -> bool {
    uuid.eq_ignore_ascii_case(other)
}

fn round_count(state: &State) -> u16 {
    state.desk.round().map_or(1, |round| round.number.max(1))
}

/// Returns name and location of the tournament.
fn name_and_location(server: &ServerState, state: &State) -> (String, String) {
    let known = |text: &str| Some(text.to_owned()).filter(|text| text != "?" && !text.is_empty());
    let round_text = |get: fn(&round::Round) -> &Option<String>| state.desk.round().and_then(|round| get(round).clone());
    let name = round_text(|round| &round.event).or_else(|| known(&server.tags.event));
    let location = round_text(|round| &round.site).or_else(|| known(&server.tags.site));
    (name.unwrap_or_else(|| "touchmove".to_owned()), location.unwrap_or_default())
}

fn tournament_uuid(server: &ServerState, state: &State) -> String {
    let (name, location) = name_and_location(server, state);
    stable_id(&["tournament", &name, &location], ID_END)
}

fn tables<'a>(server: &ServerState, state: &'a State) -> Vec<PlayingTable<'a>> {
    let (name, location) = name_and_location(server, state);
    let id = |table: &str, words: &str| stable_id(&["pairing", &name, &location, words, table], ID_END);
    let Some(round) = state.desk.round() else {
        let table = |(index, board): (usize, &'a BoardView)| {
            let nr = u16::try_from(index + 1).unwrap_or(u16::MAX);
            let game = boards::game(state, board);
            PlayingTable { nr, uuid: id(board.id.as_str(), "board"), board: Some(board), pairing: None, game }
        };
        return boards::sorted_boards(server, state).into_iter().enumerate().map(table).collect();
    };
    let number = round.number.to_string();
    let games = RoundGames::new(&state.games);
    let table = |(nr, board): (u16, Option<_>)| {
        let pairing = round.table(nr);
        let game = pairing.and_then(|pairing| games.shown(round, pairing));
        // The delayed view does not list every board at its table: the game says on which board it is played.
        let board = if server.is_delayed() { game.map(|game| game.board.clone()) } else { board };
        let board = board.and_then(|board| state.boards.get(&board));
        PlayingTable { nr, uuid: id(&nr.to_string(), &number), board, pairing, game }
    };
    rounds::boards_at_tables(state).into_iter().map(table).collect()
}

impl PlayingTable<'_> {
    fn to_pairing(&self) -> Pairing {
        let player = |player_of: fn(&round::Pairing) -> &round::Player, colour: &str| match (self.pairing, self.game) {
            (Some(pairing), _) => player(player_of(pairing)),
            (None, Some(game)) => tagged_player(&game.record.tags, colour),
            (None, None) => Player::default(),
        };
        let forfeit = self.pairing.and_then(round::Pairing::forfeit);
        let is_live = forfeit.is_none() && self.game.is_some_and(|game| game.record.result.is_none());
        Pairing {
            nr: self.nr,
            uuid: self.uuid.clone(),
            white: player(|pairing| &pairing.white, "White"),
            black: player(|pairing| &pairing.black, "Black"),
            // Clients look for the board of a live game.
            live: is_live && self.board.is_some(),
            result: self.result(),
        }
    }

    fn result(&self) -> Option<&'static str> {
        let of_pairing = self.pairing.and_then(|pairing| pairing.result);
        match of_pairing {
            Some(PairingResult::WhiteWinsByForfeit) => return Some("WHITEFORFAIT"),
            Some(PairingResult::BlackWinsByForfeit) => return Some("BLACKFORFAIT"),
            Some(PairingResult::BothForfeit) => return None,
            _ => {}
        }
        let result = match self.game {
            Some(game) => game.record.result.map(|(result, _)| result),
            None => of_pairing.and_then(PairingResult::game_result),
        };
        result.map(|result| match result {
            GameResult::WhiteWins => "WHITEWIN",
            GameResult::BlackWins => "BLACKWIN",
            GameResult::Draw => "DRAW",
        })
    }
}

fn player(player: &round::Player) -> Player {
    let (last, first) = match player.name.split_once(',') {
        Some((last, first)) => (last.trim(), Some(first.trim().to_owned())),
        None => (player.name.trim(), None),
    };
    Player {
        fname: first.filter(|first| !first.is_empty()),
        mname: None,
        lname: Some(last.to_owned()),
        // Titles of women begin with a W; other titles do not imply a gender.
        gender: player.title.as_ref().filter(|title| title.starts_with('W')).map(|_| "F"),
        title: player.title.clone(),
        federation: player.federation.clone(),
        fideid: player.fide_id.map(|id| id.to_string()),
    }
}

fn tagged_player(tags: &[(String, String)], colour: &str) -> Player {
    let tag = |name: &str| tags.iter().find(|(known, _)| *known == format!("{colour}{name}")).map(|(_, value)| value.clone());
    let Some(name) = tag("") else { return Player::default() };
    let (title, fide_id) = (tag("Title"), tag("FideId").and_then(|id| id.parse().ok()));
    player(&round::Player { name, title, fide_id, federation: tag("Federation"), ..round::Player::default() })
}

/// Returns the moves that are unlikely to be corrected, up to the first that is not legal. Each has a time, because clients treat a
/// move without one as a guess.
fn moves(game: &GameView) -> Vec<String> {
    let published_at = |ply: &Ply| match ply.state {
        PlyState::Completed { at, .. } => at,
        PlyState::Made => ply.made_at,
    };
    let mut before = game.record.started_at;
    let mut moves = Vec::new();
    for ply in game.record.plies.iter().take_while(|ply| is_stable(ply)) {
        let used = published_at(ply).saturating_sub(before) / 1000;
        before = published_at(ply);
        let white_moved = ply.played.fen.split(' ').nth(1) == Some("b");
        let remaining = if white_moved { ply.clocks.white } else { ply.clocks.black };
        let remaining = remaining.map_or_else(String::new, |ClockTime { ms, .. }| (ms / 1000).to_string());
        moves.push(format!("{} {remaining}+{used}", ply.played.san));
    }
    moves
}
