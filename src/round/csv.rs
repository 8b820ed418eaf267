//! Pairings from a table of values: one line names the columns, in any order, and each line below it is a game. Also the results of a
//! tournament as such a table ([`write()`](write::write)).
//!
//! Exports of pairing programs have lines above the names: of the tournament, and of the round.

mod columns;
mod preamble;
pub mod write;

use super::preview::Reading;
use super::problem::ProblemKind;
use super::{Bye, ByeKind, Pairing, PairingResult, Player, Problem, Round};
use columns::{Column, Columns, Field, OWN};
use preamble::Preamble;

/// The most lines above the names of the columns.
const LONGEST_PREAMBLE: usize = 30;
/// The highest rating, and the highest number of a table, a round or a player.
const MAX_RATING: u32 = 4000;
const MAX_NUMBER: u32 = 9999;
const MAX_FIDE_ID: u32 = 999_999_999;

/// What exports write in place of the opponent of a player who has none, in lower case; the kind if there is no result.
const NO_OPPONENT: &[(&str, ByeKind)] = &[
    ("bye", ByeKind::PairingAllocated),
    ("spielfrei", ByeKind::PairingAllocated),
    ("descansa", ByeKind::PairingAllocated),
    ("exempt", ByeKind::PairingAllocated),
    ("riposa", ByeKind::PairingAllocated),
    ("not paired", ByeKind::ZeroPoint),
    ("nicht ausgelost", ByeKind::ZeroPoint),
    ("no emparejado", ByeKind::ZeroPoint),
    ("non apparié", ByeKind::ZeroPoint),
    ("non abbinato", ByeKind::ZeroPoint),
];

/// Returns our own columns, by name, with what they are: for `touchmovectl round load --help`.
pub fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
    OWN.iter().map(|(_, name, about)| (*name, *about))
}

/// Returns whether a text has a line of names of columns for both players.
pub(super) fn has_names(text: &str) -> bool {
    find_names(text).is_some()
}

/// Returns the columns, the number of the lines before their names, and the separator.
fn find_names(text: &str) -> Option<(Columns, usize, char)> {
    text.lines().take(LONGEST_PREAMBLE).enumerate().find_map(|(index, line)| {
        [';', '\t', ','].into_iter().find_map(|separator| Some((Columns::read(line, separator)?, index, separator)))
    })
}

/// Splits a line into its values, which may be quoted.
fn separated(line: &str, separator: char) -> Option<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(u8::try_from(separator).ok()?)
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

/// Parses a table of values, separated by commas, semicolons or tabs; values that contain a separator are quoted. `number`: the wanted
/// round.
pub(super) fn read(text: &str, number: Option<u16>) -> Reading {
    let mut reading = Reading::default();
    let Some((mut columns, above, separator)) = find_names(text) else { return reading };
    let mut rest = text.split_inclusive('\n');
    let preamble = Preamble::read(rest.by_ref().take(above), separator);
    let table: String = rest.collect();
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(u8::try_from(separator).unwrap_or(b','))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(table.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line) + above as u64;
                let mut values: Vec<String> = record.iter().map(unescaped).collect();
                while values.len() > columns.names.len() && values.last().is_some_and(String::is_empty) {
                    values.pop();
                }
                // Lines with a single value are remarks below the table.
                if values.iter().filter(|value| !value.is_empty()).count() > 1 {
                    rows.push(Row { line: u32::try_from(line).unwrap_or(u32::MAX), values });
                }
            }
            Err(error) => {
                let line = error.position().map(|position| position.line() + above as u64);
                let line = line.and_then(|line| u32::try_from(line).ok());
                reading.errors.push(Problem::in_line(line, ProblemKind::BadLine(error.to_string())));
            }
        }
    }
    reading.ignored_columns = columns.ignored();
    read_boards_as_tables(&mut columns, &rows, &mut reading);
    let rounds = rounds(&columns, &rows);
    let only = match rounds.as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    reading.round = Round {
        number: number.or(preamble.round).or(only).unwrap_or(0),
        event: preamble.event,
        date: preamble.date,
        ..Round::default()
    };
    if rounds.len() > 1 && number.is_none() {
        reading.errors.push(Problem::of_file(ProblemKind::SeveralRounds(rounds)));
        return reading;
    }
    for row in rows {
        if row.values.len() != columns.names.len() {
            let kind = ProblemKind::WrongCount { values: row.values.len(), names: columns.names.len() };
            reading.errors.push(Problem::in_line(row.line, kind));
            continue;
        }
        let round = row.value(&columns, Column::Round).and_then(|value| value.parse::<u16>().ok());
        if round.is_none_or(|round| round == reading.round.number) {
            row.read(&columns, &mut reading);
        }
    }
    if columns.place(Column::Table).is_none() && !reading.round.pairings.is_empty() {
        reading.warnings.push(Problem::of_file(ProblemKind::TablesByOrder));
    }
    reading
}

/// A column `board` is the number of the table in some exports, if there is no other column for it.
fn read_boards_as_tables(columns: &mut Columns, rows: &[Row], reading: &mut Reading) {
    let boards: Vec<&str> = rows.iter().filter_map(|row| row.value(columns, Column::Board)).collect();
    let is_number = |board: &&str| board.parse::<u16>().is_ok();
    if columns.place(Column::Table).is_none() && !boards.is_empty() && boards.iter().all(is_number) {
        columns.read_boards_as_tables();
        reading.warnings.push(Problem::of_file(ProblemKind::BoardsAreTables));
    }
}

/// Returns the numbers of the rounds in a column of rounds.
fn rounds(columns: &Columns, rows: &[Row]) -> Vec<u16> {
    let mut rounds: Vec<u16> =
        rows.iter().filter_map(|row| row.value(columns, Column::Round)).filter_map(|value| value.parse().ok()).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

/// Removes the apostrophe that marks a value as text, so that no spreadsheet computes it.
fn unescaped(value: &str) -> String {
    match value.strip_prefix('\'') {
        Some(text) if is_formula(text) => text.to_owned(),
        _ => value.to_owned(),
    }
}

/// Returns whether a spreadsheet may compute this value, or would if it had no apostrophes before it.
fn is_formula(value: &str) -> bool {
    value.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A line of the table.
struct Row {
    line: u32,
    values: Vec<String>,
}

impl Row {
    /// Returns the value in this column; `None`: there is no such column, or it is empty.
    fn value(&self, columns: &Columns, column: Column) -> Option<&str> {
        self.values.get(columns.place(column)?).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the number in this column, if there is one.
    fn number(&self, columns: &Columns, column: Column, max: u32, reading: &mut Reading) -> Option<u32> {
        let place = columns.place(column)?;
        let text = self.value(columns, column)?;
        let number = text.parse::<u32>().ok().filter(|number| *number <= max);
        if number.is_none() {
            let name = columns.names.get(place).map_or("", String::as_str);
            reading.errors.push(Problem::in_cell(self.line, name, text, ProblemKind::NotANumber(max)));
        }
        // Exports write 0 for players without a rating or a number.
        number.filter(|number| *number > 0)
    }

    /// Reads a player. `side`: the column of this field of the player.
    fn player(&self, columns: &Columns, side: fn(Field) -> Column, reading: &mut Reading) -> Player {
        let text = |field| self.value(columns, side(field)).map(str::to_owned);
        let mut number = |field, max| self.number(columns, side(field), max, reading);
        let small = |number: Option<u32>| number.and_then(|number| u16::try_from(number).ok());
        Player {
            name: text(Field::Name).unwrap_or_default(),
            title: text(Field::Title),
            fide_id: number(Field::FideId, MAX_FIDE_ID),
            rating: small(number(Field::Rating, MAX_RATING)),
            federation: text(Field::Federation),
            team: text(Field::Team),
            start_number: small(number(Field::StartNumber, MAX_NUMBER)),
        }
    }

    /// Reads a pairing or a bye.
    fn read(&self, columns: &Columns, reading: &mut Reading) {
        let has_players =
            [Column::White(Field::Name), Column::Black(Field::Name)].iter().any(|name| self.value(columns, *name).is_some());
        if !has_players {
            return;
        }
        let result = self.value(columns, Column::Result).unwrap_or_default();
        for (player, opponent) in [
            (Column::White as fn(Field) -> Column, Column::Black as fn(Field) -> Column),
            (Column::Black as fn(Field) -> Column, Column::White as fn(Field) -> Column),
        ] {
            let written = self.value(columns, opponent(Field::Name)).unwrap_or_default().to_lowercase();
            if let Some((_, kind)) = NO_OPPONENT.iter().find(|(word, _)| *word == written) {
                let kind = match result.split(['-', ':', ' ']).next().unwrap_or_default() {
                    "1" | "+" => ByeKind::PairingAllocated,
                    "½" | "1/2" | "0.5" | "0,5" => ByeKind::HalfPoint,
                    "0" => ByeKind::ZeroPoint,
                    _ => *kind,
                };
                let player = self.player(columns, player, reading);
                reading.warnings.push(Problem::in_line(self.line, ProblemKind::Bye(player.name.clone())));
                return reading.round.byes.push(Bye { player, kind });
            }
        }
        let table = match columns.place(Column::Table) {
            Some(_) => self.number(columns, Column::Table, MAX_NUMBER, reading).unwrap_or(0),
            None => reading.round.pairings.len() as u32 + 1,
        };
        let (white, black) = (self.player(columns, Column::White, reading), self.player(columns, Column::Black, reading));
        let result = PairingResult::parse(result).unwrap_or_else(|error| {
            let name = columns.place(Column::Result).and_then(|place| columns.names.get(place));
            let name = name.map_or("", String::as_str);
            reading.errors.push(Problem::in_cell(self.line, name, result, ProblemKind::BadResult(error)));
            None
        });
        reading.lines.push(self.line);
        reading.round.pairings.push(Pairing {
            table: u16::try_from(table).unwrap_or(0),
            white,
            black,
            board: self.value(columns, Column::Board).map(str::to_owned),
            serial: self.value(columns, Column::Serial).map(str::to_owned),
            section: self.value(columns, Column::Section).map(str::to_owned),
            result,
        });
    }
}
