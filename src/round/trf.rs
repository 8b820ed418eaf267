//! Pairings from FIDE's tournament report file (TRF16), as pairing programs write it.
//!
//! Lines begin with three digits that identify the record; fields are in fixed columns. This module reads:
//!
//! | line | columns | content |
//! |---|---|---|
//! | 001 | 5–8, 10–13, 15–47, 49–52, 54–56, 58–68 | start number, sex and title, name, rating, federation, FIDE ID of a player |
//! | 001 | 92–95, 97, 99, and again every 10 columns | for each round: the opponent's start number, colour, result |
//! | 012, 022, 042, 122 | 5– | tournament, place, first day, time control |
//! | 132 | 92–99 and again every 10 columns | the day of each round, `YY/MM/DD` |
//! | 013 | 5–36, 37–40, … | a team and the start numbers of its players |
//!
//! The format has no table numbers: [`TableOrder`] says how they are assigned.

use super::{BadRound, Pairing, PairingResult, Player, Round};
use std::collections::BTreeMap;

/// The method for assigning tables, which the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableOrder {
    /// Not specified.
    #[default]
    Unknown,
    /// As in Swiss tournaments: by the points of the player who has more, then of the other, then by the better start number.
    Rank,
    /// By a list of tables, with the start number of one of the two players.
    Tables(BTreeMap<u16, u32>),
}

impl TableOrder {
    /// Reads a list of tables: on each line a table and the start number of one of its players, separated by a comma, a semicolon
    /// or a space.
    ///
    /// # Errors
    /// Every invalid line.
    pub fn read(text: &str) -> Result<TableOrder, BadRound> {
        let (mut tables, mut problems) = (BTreeMap::new(), Vec::new());
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let values: Vec<&str> = line.split([',', ';', '\t', ' ']).filter(|value| !value.is_empty()).collect();
            match values.as_slice() {
                [] => {}
                ["table", ..] if index == 0 => {}
                [table, player] if let (Ok(table), Ok(player)) = (table.parse(), player.parse()) => {
                    if tables.insert(table, player).is_some() {
                        problems.push(format!("line {}: table {table} is listed twice", index + 1));
                    }
                }
                _ => problems.push(format!("line {}: expected a table and the start number of one of its players", index + 1)),
            }
        }
        if problems.is_empty() { Ok(TableOrder::Tables(tables)) } else { Err(BadRound::Wrong(problems)) }
    }
}

/// One player of the file.
struct PlayerEntry {
    player: Player,
    /// One entry per round.
    games: Vec<RoundEntry>,
}

/// A player's entry for one round.
#[derive(Clone, Copy)]
struct RoundEntry {
    opponent: u32,
    colour: char,
    result: char,
}

impl RoundEntry {
    /// Returns the points, doubled.
    fn points(self) -> u32 {
        match self.result.to_ascii_uppercase() {
            '1' | '+' | 'W' | 'F' | 'U' => 2,
            '=' | 'D' | 'H' => 1,
            _ => 0,
        }
    }

    /// Returns whether the round has not been played.
    fn is_open(self) -> bool {
        self.result == ' '
    }
}

/// Returns characters `from` to `to` of a line, counted from 1 as in the format, trimmed.
fn columns(line: &[char], from: usize, to: usize) -> String {
    let end = to.min(line.len());
    line.get(from - 1..end).unwrap_or_default().iter().collect::<String>().trim().to_owned()
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Parses a TRF16 file. `number` selects the round; `None` selects the last round with pairings.
///
/// # Errors
/// Returns all problems in the file.
pub fn read(text: &str, number: Option<u16>, order: &TableOrder) -> Result<Round, BadRound> {
    let (mut entries, mut problems) = (BTreeMap::new(), Vec::new());
    let mut round = Round::default();
    let (mut days, mut teams) = (Vec::new(), Vec::new());
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line: Vec<char> = line.trim_end_matches('\r').chars().collect();
        match columns(&line, 1, 3).as_str() {
            "001" => match columns(&line, 5, 8).parse::<u32>() {
                Ok(start) => {
                    if entries.insert(start, parse_entry(&line)).is_some() {
                        problems.push(format!("line {}: start number {start} is listed twice", index + 1));
                    }
                }
                Err(_) => problems.push(format!("line {}: columns 5-8 are not a start number", index + 1)),
            },
            "012" => round.event = non_empty(columns(&line, 5, line.len())),
            "022" => round.site = non_empty(columns(&line, 5, line.len())),
            "042" => round.date = non_empty(columns(&line, 5, line.len()).replace(['/', '-'], ".")),
            "122" => round.time_control = non_empty(columns(&line, 5, line.len())),
            "132" => days = (0..).map(|n| columns(&line, 92 + 10 * n, 99 + 10 * n)).take_while(|day| !day.is_empty()).collect(),
            "013" => {
                let members = (0..).map(|n| columns(&line, 37 + 5 * n, 40 + 5 * n)).take_while(|id| !id.is_empty());
                teams.push((columns(&line, 5, 36), members.filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()));
            }
            _ => {}
        }
    }
    for (team, members) in teams {
        for member in members {
            if let Some(entry) = entries.get_mut(&member) {
                let entry: &mut PlayerEntry = entry;
                entry.player.team = Some(team.clone());
            }
        }
    }
    let rounds = entries.values().map(|entry| entry.games.len()).max().unwrap_or(0);
    let number = number.unwrap_or(rounds as u16);
    round.number = number;
    if let Some(day) = days.get(usize::from(number).wrapping_sub(1)) {
        // YY/MM/DD
        round.date = Some(format!("20{}", day.replace(['/', '-'], ".")));
    }
    if rounds == 0 || usize::from(number) > rounds || number == 0 {
        problems.push(format!("the file has {rounds} rounds but no round {number}: give --round N"));
        return Err(BadRound::Wrong(problems));
    }
    let index = usize::from(number) - 1;
    let points = |start: u32| -> u32 {
        entries.get(&start).map_or(0, |entry| entry.games.iter().take(index).map(|game| game.points()).sum())
    };
    let mut pairs: Vec<(u32, u32, Option<PairingResult>)> = Vec::new();
    for (start, entry) in &entries {
        let Some(game) = entry.games.get(index).copied().filter(|game| game.colour == 'w' && game.opponent > 0) else {
            continue;
        };
        match entries.get(&game.opponent).and_then(|other| other.games.get(index)) {
            Some(other) if other.opponent == *start => {
                let forfeit = match (game.result, other.result) {
                    ('+', _) => Some(PairingResult::WhiteWinsByForfeit),
                    (_, '+') => Some(PairingResult::BlackWinsByForfeit),
                    ('-', '-') => Some(PairingResult::BothForfeit),
                    _ => None,
                };
                pairs.push((*start, game.opponent, forfeit));
            }
            Some(_) => problems.push(format!("{start} is paired with {}, who is paired with somebody else", game.opponent)),
            None => problems.push(format!("{start} is paired with {}, who is not in the file", game.opponent)),
        }
    }
    let is_open = entries.values().filter_map(|entry| entry.games.get(index)).any(|game| game.is_open());
    if !is_open && pairs.is_empty() {
        problems.push(format!("nobody is paired in round {number}"));
    }
    let tables: Vec<u16> = match order {
        TableOrder::Unknown => {
            problems.push(
                "a TRF16 file has no table numbers: give --order rank, or --boards FILE with a table and a start number on each line"
                    .to_owned(),
            );
            Vec::new()
        }
        TableOrder::Rank => {
            pairs.sort_by_key(|&(white, black, _)| {
                let (one, other) = (points(white), points(black));
                (std::cmp::Reverse(one.max(other)), std::cmp::Reverse(one.min(other)), white.min(black))
            });
            (1..).take(pairs.len()).collect()
        }
        TableOrder::Tables(tables) => {
            let mut found = Vec::new();
            for (white, black, _) in &pairs {
                match tables.iter().find(|(_, player)| [white, black].contains(player)) {
                    Some((table, _)) => found.push(*table),
                    None => problems
                        .push(format!("the list of tables has neither {white} nor {black}, who are paired with each other")),
                }
            }
            found
        }
    };
    for (table, (white, black, result)) in tables.into_iter().zip(pairs) {
        let player = |start: u32| entries.get(&start).map(|entry| entry.player.clone()).unwrap_or_default();
        round.pairings.push(Pairing { table, white: player(white), black: player(black), result, ..Pairing::default() });
    }
    round.pairings.sort_by_key(|pairing| pairing.table);
    if problems.is_empty() { Ok(round) } else { Err(BadRound::Wrong(problems)) }
}

fn parse_entry(line: &[char]) -> PlayerEntry {
    let at = |column: usize| line.get(column - 1).copied().unwrap_or(' ');
    let mut games = Vec::new();
    for block in 0..99 {
        let from = 92 + 10 * block;
        if from > line.len() {
            break;
        }
        let opponent = columns(line, from, from + 3);
        let (colour, result) = (at(from + 5).to_ascii_lowercase(), at(from + 7));
        games.push(RoundEntry { opponent: opponent.parse().unwrap_or(0), colour, result });
    }
    // Trailing spaces are not rounds.
    while games.last().is_some_and(|game| game.opponent == 0 && game.colour == ' ' && game.result == ' ') {
        games.pop();
    }
    PlayerEntry {
        player: Player {
            name: columns(line, 15, 47),
            title: non_empty(columns(line, 11, 13)).map(|title| normalise_title(&title)),
            rating: columns(line, 49, 52).parse().ok().filter(|rating| *rating > 0),
            federation: non_empty(columns(line, 54, 56)),
            fide_id: columns(line, 58, 68).parse().ok().filter(|id| *id > 0),
            team: None,
        },
        games,
    }
}

/// Returns FIDE's abbreviation of a title; programs also write `g`, `m`, `f`, `c` and a `w` before them.
fn normalise_title(written: &str) -> String {
    let short = match written {
        "g" => "GM",
        "m" => "IM",
        "f" => "FM",
        "c" => "CM",
        "wg" => "WGM",
        "wm" => "WIM",
        "wf" => "WFM",
        "wc" => "WCM",
        other => return other.to_uppercase(),
    };
    short.to_owned()
}
