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
//! The format has no table numbers: [`TableOrder`] says how they are assigned. [`write()`](write::write) writes a tournament.
//!
//! Source: FIDE Handbook, C.04, annex 2 (TRF16).

mod block;
pub mod write;

use super::preview::Reading;
use super::problem::{ProblemKind, Problems};
use super::{BadRound, Bye, Pairing, PairingResult, Player, Problem};
use block::Block;
use std::collections::BTreeMap;

/// The most rounds of a tournament.
const MOST_ROUNDS: usize = 99;
/// The width of the column of names; longer names are cut.
const NAME_WIDTH: usize = 33;

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
        let (mut tables, mut problems) = (BTreeMap::new(), Problems::default());
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let values: Vec<&str> = line.split([',', ';', '\t', ' ']).filter(|value| !value.is_empty()).collect();
            match values.as_slice() {
                [] => {}
                ["table", ..] if number == 1 => {}
                [table, player] if let (Ok(table), Ok(player)) = (table.parse(), player.parse()) => {
                    if tables.insert(table, player).is_some() {
                        problems.push(Problem::in_line(number, ProblemKind::TableTwice(table)));
                    }
                }
                _ => problems.push(Problem::in_line(number, ProblemKind::BadTableListLine)),
            }
        }
        if problems.is_empty() { Ok(TableOrder::Tables(tables)) } else { Err(BadRound(problems.into_list())) }
    }
}

/// One player of the file.
struct PlayerEntry {
    player: Player,
    /// The line.
    line: u32,
    /// One entry per round.
    games: Vec<Block>,
}

/// Returns characters `from` to `to` of a line, counted from 1 as in the format, trimmed.
fn columns(line: &[char], from: usize, to: usize) -> String {
    let end = to.min(line.len());
    line.get(from - 1..end).unwrap_or_default().iter().collect::<String>().trim().to_owned()
}

/// Returns a name as a file of this format has it: cut at the width of its column.
pub(super) fn cut_name(name: &str) -> String {
    name.chars().take(NAME_WIDTH).collect::<String>().trim().to_owned()
}

fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Parses a TRF16 file. `number` selects the round; `None` selects the last round with pairings.
pub(super) fn read(text: &str, number: Option<u16>, order: &TableOrder) -> Reading {
    let mut reading = Reading::default();
    let Reading { round, errors, warnings, lines, .. } = &mut reading;
    let mut entries: BTreeMap<u32, PlayerEntry> = BTreeMap::new();
    let (mut days, mut teams) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line: Vec<char> = line.trim_end_matches('\r').chars().collect();
        match columns(&line, 1, 3).as_str() {
            "001" => match columns(&line, 5, 8).parse::<u32>() {
                Ok(start) => {
                    if entries.insert(start, parse_entry(&line, number, start)).is_some() {
                        errors.push(Problem::in_line(number, ProblemKind::StartNumberTwice(start)));
                    }
                }
                Err(_) => errors.push(Problem::in_line(number, ProblemKind::BadStartNumber)),
            },
            "012" => round.event = non_empty(columns(&line, 5, line.len())),
            "022" => round.site = non_empty(columns(&line, 5, line.len())),
            "042" => round.date = non_empty(columns(&line, 5, line.len()).replace(['/', '-'], ".")),
            "122" => round.time_control = non_empty(columns(&line, 5, line.len())),
            "132" => days = (0..MOST_ROUNDS).map(|n| columns(&line, 92 + 10 * n, 99 + 10 * n)).collect(),
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
                entry.player.team = Some(team.clone());
            }
        }
    }
    let rounds = entries.values().map(|entry| entry.games.len()).max().unwrap_or(0);
    let number = number.unwrap_or(rounds as u16);
    round.number = number;
    if let Some(day) = days.get(usize::from(number).wrapping_sub(1)).filter(|day| !day.is_empty()) {
        // YY/MM/DD
        round.date = Some(format!("20{}", day.replace(['/', '-'], ".")));
    }
    if usize::from(number) > rounds || number == 0 {
        errors.push(Problem::of_file(ProblemKind::NoSuchRound { rounds, number }));
        return reading;
    }
    let index = usize::from(number) - 1;
    let points = |start: u32| -> u32 {
        entries.get(&start).map_or(0, |entry| entry.games.iter().take(index).map(|game| game.doubled_points()).sum())
    };
    let mut pairs: Vec<(u32, u32, Option<PairingResult>)> = Vec::new();
    for (start, entry) in &entries {
        let Some(game) = entry.games.get(index).copied() else { continue };
        if let Some(kind) = game.bye() {
            warnings.push(Problem::in_line(entry.line, ProblemKind::Bye(entry.player.name.clone())));
            round.byes.push(Bye { player: entry.player.clone(), kind });
        }
        if game.colour != 'w' || game.opponent == 0 {
            continue;
        }
        let (player, opponent) = (*start, game.opponent);
        match entries.get(&opponent).and_then(|other| other.games.get(index)) {
            Some(other) if other.opponent == player => {
                let result = game.result_against(*other);
                if result.is_none() && !game.is_open() {
                    warnings.push(Problem::in_line(entry.line, ProblemKind::ResultsDiffer));
                }
                pairs.push((player, opponent, result));
            }
            Some(_) => errors.push(Problem::in_line(entry.line, ProblemKind::OpponentElsewhere { player, opponent })),
            None => errors.push(Problem::in_line(entry.line, ProblemKind::NoOpponent { player, opponent })),
        }
    }
    let tables: Vec<u16> = match order {
        _ if pairs.is_empty() => Vec::new(),
        TableOrder::Unknown => {
            errors.push(Problem::of_file(ProblemKind::NoTableNumbers));
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
            let mut table_of = |&(white, black, _): &(u32, u32, _)| {
                let table = tables.iter().find(|(_, player)| [white, black].contains(player)).map(|(table, _)| *table);
                if table.is_none() {
                    errors.push(Problem::of_file(ProblemKind::NotInTableList { white, black }));
                }
                table
            };
            // A pair without a table is an error, so that the others need not fit.
            pairs.iter().filter_map(&mut table_of).collect()
        }
    };
    let mut at_tables: Vec<_> = tables.into_iter().zip(pairs).collect();
    at_tables.sort_by_key(|(table, _)| *table);
    for (table, (white, black, result)) in at_tables {
        let player = |start: u32| entries.get(&start).map(|entry| entry.player.clone()).unwrap_or_default();
        lines.extend(entries.get(&white).map(|entry| entry.line));
        round.pairings.push(Pairing { table, white: player(white), black: player(black), result, ..Pairing::default() });
    }
    reading
}

fn parse_entry(line: &[char], number: u32, start: u32) -> PlayerEntry {
    let at = |column: usize| line.get(column - 1).copied().unwrap_or(' ');
    let mut games = Vec::new();
    for block in 0..MOST_ROUNDS {
        let from = 92 + 10 * block;
        if from > line.len() {
            break;
        }
        let opponent = columns(line, from, from + 3);
        let (colour, result) = (at(from + 5).to_ascii_lowercase(), at(from + 7).to_ascii_uppercase());
        games.push(Block { opponent: opponent.parse().unwrap_or(0), colour, result });
    }
    // Trailing spaces are not rounds.
    while games.last().is_some_and(|game| game.opponent == 0 && game.colour == ' ' && game.result == ' ') {
        games.pop();
    }
    PlayerEntry {
        player: Player {
            name: columns(line, 15, 14 + NAME_WIDTH),
            title: non_empty(columns(line, 11, 13)).map(|title| normalise_title(&title)),
            rating: columns(line, 49, 52).parse().ok().filter(|rating| *rating > 0),
            federation: non_empty(columns(line, 54, 56)),
            fide_id: columns(line, 58, 68).parse().ok().filter(|id| *id > 0),
            team: None,
            start_number: u16::try_from(start).ok().filter(|start| *start > 0),
        },
        line: number,
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
