//! The columns of a table of pairings, and their names in the exports of pairing programs.

use super::separated;

/// What is known of a player; each is a column of White's and one of Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Title,
    Rating,
    FideId,
    Federation,
    Team,
    StartNumber,
}

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Round,
    Table,
    White(Field),
    Black(Field),
    Board,
    Serial,
    Section,
    Result,
}

/// Our own names: the column, its name, and what it is, for `touchmovectl round load --help`.
pub(super) const OWN: &[(Column, &str, &str)] = &[
    (Column::Round, "round", "the number of the round; default: --round"),
    (Column::Table, "table", "the number of the playing table, from 1; default: the order of the lines"),
    (Column::White(Field::Name), "white", "the player with White: surname, comma, first names"),
    (Column::Black(Field::Name), "black", "the player with Black; bye, if White has no opponent"),
    (Column::White(Field::Title), "white_title", "GM, WIM, …"),
    (Column::Black(Field::Title), "black_title", ""),
    (Column::White(Field::Rating), "white_rating", ""),
    (Column::Black(Field::Rating), "black_rating", ""),
    (Column::White(Field::FideId), "white_fide_id", "FIDE's number"),
    (Column::Black(Field::FideId), "black_fide_id", ""),
    (Column::White(Field::Federation), "white_federation", "three letters"),
    (Column::Black(Field::Federation), "black_federation", ""),
    (Column::White(Field::Team), "white_team", ""),
    (Column::Black(Field::Team), "black_team", ""),
    (Column::White(Field::StartNumber), "white_start_number", "the start number in the tournament"),
    (Column::Black(Field::StartNumber), "black_start_number", ""),
    (Column::Board, "board", "the name that touchmoved gives to the board on the table"),
    (Column::Serial, "serial", "or the serial number of that board"),
    (Column::Section, "section", "the part of the tournament, such as Open or U14"),
    (Column::Result, "result", "1-0, 0-1 or 1/2-1/2; for a game that is not played +--, --+ or ---; or adjourned"),
];

/// Names of columns in the exports of Swiss-Manager and Chess-Results, Vega, and other programs, in English, German, Spanish, French
/// and Italian, as [`normalise`] returns them.
const FOREIGN: &[(Column, &[&str])] = &[
    (
        Column::Table,
        &["bo", "br", "brett", "tisch", "m", "mesa", "tablero", "ech", "éch", "échiquier", "sc", "scacchiera", "tavolo"],
    ),
    (Column::White(Field::Name), &["weiß", "weiss", "blancas", "blancs", "bianco", "bianchi", "white_player"]),
    (Column::Black(Field::Name), &["schwarz", "negras", "noirs", "nero", "neri", "black_player"]),
    (Column::White(Field::Rating), &["white_elo", "white_rtg", "welo"]),
    (Column::Black(Field::Rating), &["black_elo", "black_rtg", "belo"]),
    (Column::Result, &["res", "ergebnis", "erg", "resultado", "résultat", "resultat", "risultato", "ris"]),
];

/// Names that exports give to a column of each player: the first is White's, the second Black's.
const OF_EACH: &[(Field, &[&str])] = &[
    (Field::Name, &["name", "nombre", "nom", "nome"]),
    (Field::Title, &["title", "titel", "titre", "titolo", "título", "tit"]),
    (Field::Rating, &["rtg", "rtgi", "elo", "eloi", "rating", "rat"]),
    (Field::FideId, &["fide_id", "fideid", "id_fide", "fide_nr"]),
    (Field::Federation, &["fed", "land", "federation"]),
    (Field::Team, &["team", "club", "club/city", "verein", "verein/ort", "mannschaft", "equipo", "équipe", "squadra"]),
    (Field::StartNumber, &["no", "nr", "nº", "n°", "n", "snr", "sno", "start_no", "id"]),
];

/// Columns that exports have and that are not needed: they are not reported as unknown.
const NOT_NEEDED: &[&str] = &["", "pts", "pkt", "pti", "points", "punkte"];

/// The columns of a table, as its line of names has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// The names, as written.
    pub names: Vec<String>,
    columns: Vec<Option<Column>>,
}

impl Columns {
    /// Reads a line of names. `None`: it has no columns for both players.
    pub(super) fn read(line: &str, separator: char) -> Option<Columns> {
        let names = separated(line, separator)?;
        let normalised: Vec<String> = names.iter().map(|name| normalise(name)).collect();
        let mut columns: Vec<Option<Column>> = Vec::new();
        for name in &normalised {
            // The first column of a name counts.
            let column = named(name).or_else(|| of_each(name, &columns, &normalised));
            columns.push(column.filter(|column| !columns.contains(&Some(*column))));
        }
        // The title has no name, and is before the player's.
        for place in 1..columns.len() {
            let title = match columns.get(place) {
                Some(Some(Column::White(Field::Name))) => Column::White(Field::Title),
                Some(Some(Column::Black(Field::Name))) => Column::Black(Field::Title),
                _ => continue,
            };
            let is_empty = normalised.get(place - 1).is_some_and(String::is_empty);
            if is_empty && !columns.contains(&Some(title)) {
                columns[place - 1] = Some(title);
            }
        }
        let read = Columns { names, columns };
        let has = |column| read.place(column).is_some();
        (has(Column::White(Field::Name)) && has(Column::Black(Field::Name))).then_some(read)
    }

    /// Returns the index of a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|known| *known == Some(column))
    }

    /// Takes the column of boards for that of the tables.
    pub(super) fn read_boards_as_tables(&mut self) {
        for column in self.columns.iter_mut().filter(|column| **column == Some(Column::Board)) {
            *column = Some(Column::Table);
        }
    }

    /// Returns the names of the columns that are not read, without those that are known not to be needed.
    pub(super) fn ignored(&self) -> Vec<String> {
        let columns = self.names.iter().zip(&self.columns);
        let ignored = columns.filter(|(name, column)| column.is_none() && !NOT_NEEDED.contains(&normalise(name).as_str()));
        ignored.map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the column that has this name in every table.
fn named(name: &str) -> Option<Column> {
    let own = OWN.iter().find(|(_, own, _)| *own == name).map(|(column, ..)| *column);
    own.or_else(|| FOREIGN.iter().find(|(_, names)| names.contains(&name)).map(|(column, _)| *column))
}

/// Returns the column with this name, of which each player has one. `before`: the columns on its left. `all`: all names of the table.
fn of_each(name: &str, before: &[Option<Column>], all: &[String]) -> Option<Column> {
    let (field, spellings) = OF_EACH.iter().find(|(_, spellings)| spellings.contains(&name))?;
    // A single one belongs to nobody in particular.
    let count = all.iter().filter(|other| spellings.contains(&other.as_str())).count();
    let is_first = !before.contains(&Some(Column::White(*field)));
    (count == 2).then_some(if is_first { Column::White(*field) } else { Column::Black(*field) })
}

/// Returns a name in lower case, without a full stop at its end, and with underscores for spaces.
fn normalise(name: &str) -> String {
    name.trim().trim_end_matches(['.', ':']).to_lowercase().replace([' ', '-'], "_")
}
