//! Pairings from a table of values: the first line names the columns, in any order.

use super::{BadRound, Pairing, PairingResult, Player, Round};

/// The columns, by name, with what they are: for `touchmovectl round load --help`.
pub const COLUMNS: &[(&str, &str)] = &[
    ("table", "the number of the playing table, from 1; default: the order of the lines"),
    ("white", "the player with White: surname, comma, first names"),
    ("black", "the player with Black"),
    ("white_title", "GM, WIM, …"),
    ("black_title", ""),
    ("white_rating", ""),
    ("black_rating", ""),
    ("white_fide_id", "FIDE's number"),
    ("black_fide_id", ""),
    ("white_federation", "three letters"),
    ("black_federation", ""),
    ("white_team", ""),
    ("black_team", ""),
    ("board", "the name that touchmoved gives to the board on the table"),
    ("serial", "or the serial number of that board"),
    ("result", "1-0, 0-1 or 1/2-1/2; for a game that is not played +--, --+ or ---; or adjourned"),
];

/// Returns the column names in the first line.
pub fn names(line: &str) -> Vec<String> {
    let line = line.trim_start_matches('\u{feff}');
    line.split(separator(line)).map(|name| name.trim().trim_matches('"').to_lowercase().replace([' ', '-'], "_")).collect()
}

fn separator(line: &str) -> char {
    [';', '\t'].into_iter().find(|separator| line.contains(*separator)).unwrap_or(',')
}

/// Parses a table of values, separated by commas, semicolons or tabs; values that contain a separator are quoted.
///
/// # Errors
/// Returns all problems, each with its line.
pub fn read(text: &str, number: Option<u16>) -> Result<Round, BadRound> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let header = text.lines().next().unwrap_or_default();
    let names = names(header);
    let mut problems: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| COLUMNS.iter().all(|(known, _)| known != name)) {
        problems.push(format!("unknown column {name:?}: see `touchmovectl round load --help`"));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(header) as u8)
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut round = Round { number: number.unwrap_or(0), ..Round::default() };
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        if record.iter().all(str::is_empty) {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != names.len() {
            problems.push(format!("line {line} has {} values, but the first line has {} names", record.len(), names.len()));
            continue;
        }
        let value = |name: &str| {
            let at = names.iter().position(|known| known == name)?;
            record.get(at).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let mut count = |name: String| -> Option<u32> {
            let text = value(&name)?;
            let number = text.parse().ok();
            if number.is_none() {
                problems.push(format!("line {line}: {name} is {text:?}, but must be a number"));
            }
            number
        };
        let table = count("table".to_owned());
        let mut player = |colour: &str| Player {
            name: value(colour).unwrap_or_default(),
            title: value(&format!("{colour}_title")),
            fide_id: count(format!("{colour}_fide_id")),
            rating: count(format!("{colour}_rating")).and_then(|rating| u16::try_from(rating).ok()),
            federation: value(&format!("{colour}_federation")),
            team: value(&format!("{colour}_team")),
        };
        let (white, black) = (player("white"), player("black"));
        let result = PairingResult::parse(&value("result").unwrap_or_default()).unwrap_or_else(|error| {
            problems.push(format!("line {line}: {error}"));
            None
        });
        round.pairings.push(Pairing {
            table: table.map_or(round.pairings.len() as u16 + 1, |table| u16::try_from(table).unwrap_or(0)),
            white,
            black,
            board: value("board"),
            serial: value("serial"),
            result,
        });
    }
    if problems.is_empty() { Ok(round) } else { Err(BadRound::Wrong(problems)) }
}
