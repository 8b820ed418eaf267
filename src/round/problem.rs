//! What is wrong or doubtful in the pairings of a round, and where.

mod text;

use super::other_file::OtherFile;
use crate::game::json::text as as_text;
use serde::Serialize;
use std::fmt;

/// The longest value that is repeated in a problem, in characters.
const LONGEST_VALUE: usize = 60;
/// The most errors, and the most warnings, that are listed of one file.
const MOST_LISTED: usize = 200;
/// What to do if two people have one name.
const NAMESAKES: &str = "if these are two people, write one of the names differently";

/// A problem, with the place in the file where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line, from 1. `None`: it concerns several lines, or the whole file.
    pub line: Option<u32>,
    /// The value that is wrong, if it is one value.
    pub cell: Option<Cell>,
    /// What is wrong; in JSON a sentence.
    #[serde(rename = "message", serialize_with = "as_text::serialize")]
    pub kind: ProblemKind,
}

/// A value of a table, with the name of its column as the file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The column.
    pub column: String,
    /// The value, shortened if it is long.
    pub value: String,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    /// The file is larger than [`MAX_BYTES`](super::preview::MAX_BYTES).
    #[error("the file is larger than {} MiB: export only the pairings of one round", super::preview::MAX_BYTES >> 20)]
    TooLarge,
    /// There is nothing in the file.
    #[error("the file is empty: export the pairings again")]
    EmptyFile,
    /// It is a file of another sort.
    #[error("this is {}: {}", .0.name(), .0.advice())]
    OtherFile(OtherFile),
    /// It is a text in none of the supported formats.
    #[error(
        "unknown format: give PGN, a table with columns for the players (such as white and black), or a TRF16 file: see `touchmovectl round load --help`"
    )]
    UnknownFormat,
    /// Some characters were lost.
    #[error("some characters are damaged, and shown as \u{fffd}: save the file as UTF-8")]
    DamagedText,
    /// It is in an encoding that cannot be told from similar ones.
    #[error("the file is not in Unicode, and was read as Windows-1252: check names with accents, or save the file as UTF-8")]
    NotUnicode,
    /// The number of the round is not known.
    #[error("the round has no number: give --round N")]
    NoRoundNumber,
    /// There are several rounds in the file.
    #[error("the file has rounds {}: choose one with --round N", list(.0))]
    SeveralRounds(Vec<u16>),
    /// The wanted round is not in the file.
    #[error("the file has {rounds} rounds but no round {number}: give --round N")]
    NoSuchRound {
        /// How many rounds there are.
        rounds: usize,
        /// The wanted one.
        number: u16,
    },
    /// The section of a table is no single line.
    #[error("the section of table {0} must be a single line of at most 255 bytes")]
    BadSection(u16),
    /// There are no pairings.
    #[error("nobody is paired in this round")]
    NobodyPaired,
    /// There are more pairings than can be.
    #[error("there are more than {} pairings: give one round of one tournament", super::MAX_PAIRINGS)]
    TooManyPairings,
    /// A line cannot be split into values.
    #[error("the line cannot be read: {0}")]
    BadLine(String),
    /// A line of a table has too many or too few values.
    #[error("{values} values, but the line of the column names has {names} names")]
    WrongCount {
        /// Of this line.
        values: usize,
        /// Of the line of names.
        names: usize,
    },
    /// A value must be a number.
    #[error("this must be a number, at least 1 and at most {0}")]
    NotANumber(u32),
    /// A value must be a result.
    #[error(transparent)]
    BadResult(super::result::BadResult),
    /// The results of two opponents do not fit.
    #[error("the results of the two players do not fit: none is read, enter it later")]
    ResultsDiffer,
    /// A pairing without a table.
    #[error("{white} - {black} has no table")]
    NoTable {
        /// The players.
        white: String,
        /// The players.
        black: String,
    },
    /// Two pairings at one table.
    #[error("table {0} is listed twice")]
    TableTwice(u16),
    /// A pairing without one of its players.
    #[error("a player at table {0} has no name")]
    NoName(u16),
    /// A player twice.
    #[error("{name} plays at table {first} and at table {second}: {}", NAMESAKES)]
    PlaysTwice {
        /// The player.
        name: String,
        /// One table.
        first: u16,
        /// The other table.
        second: u16,
    },
    /// A player with a bye and a game.
    #[error("{name} has a bye, and plays at table {table}: {}", NAMESAKES)]
    ByeAndGame {
        /// The player.
        name: String,
        /// The table.
        table: u16,
    },
    /// A player with two byes.
    #[error("{} has two byes: {}", .0, NAMESAKES)]
    TwoByes(String),
    /// A text that is no single line.
    #[error("the data of a player at table {0} must be single lines of at most 255 bytes")]
    BadText(u16),
    /// A board at two tables.
    #[error("board {board} is at table {first} and at table {second}")]
    BoardTwice {
        /// Its name.
        board: String,
        /// One table.
        first: u16,
        /// The other table.
        second: u16,
    },
    /// A board at two tables, by its serial number.
    #[error("the board with serial number {serial} is at table {first} and at table {second}")]
    SerialTwice {
        /// The serial number.
        serial: String,
        /// One table.
        first: u16,
        /// The other table.
        second: u16,
    },
    /// One FIDE ID of two players.
    #[error("{name} and {other} have the same FIDE ID {id}")]
    SameFideId {
        /// A player.
        name: String,
        /// The other player.
        other: String,
        /// The number.
        id: u32,
    },
    /// Two players of one name, of whom one has a FIDE ID.
    #[error("only one {} has a FIDE ID: TRF16 may have one player of the name; {}, or give the FIDE ID of each", .0, NAMESAKES)]
    Namesakes(String),
    /// Players who have no rating, unlike others.
    #[error("no rating: {}", names(.0))]
    NoRating(Vec<String>),
    /// A bye, which needs no table.
    #[error("{0} has no opponent in this round: a bye")]
    Bye(String),
    /// The file has no column of tables.
    #[error("the file has no column of tables: they are numbered in the order of the lines")]
    TablesByOrder,
    /// The column of boards has numbers only.
    #[error("the column has only numbers: they are read as tables")]
    BoardsAreTables,
    /// A game of a PGN file.
    #[error("game {game} is not PGN: {error}")]
    NotPgn {
        /// Its number, from 1.
        game: usize,
        /// The parser's message.
        error: String,
    },
    /// A line of a player without start number.
    #[error("columns 5-8 are not a start number")]
    BadStartNumber,
    /// Two players with one start number.
    #[error("start number {0} is listed twice")]
    StartNumberTwice(u32),
    /// The opponent has another opponent.
    #[error("{player} is paired with {opponent}, who is paired with somebody else")]
    OpponentElsewhere {
        /// A start number.
        player: u32,
        /// That of the opponent.
        opponent: u32,
    },
    /// The opponent does not exist.
    #[error("{player} is paired with {opponent}, who is not in the file")]
    NoOpponent {
        /// A start number.
        player: u32,
        /// That of the opponent.
        opponent: u32,
    },
    /// The format has no tables, and nothing says how they are numbered.
    #[error(
        "a TRF16 file has no table numbers: give --order rank, or --boards FILE with a table and a start number on each line"
    )]
    NoTableNumbers,
    /// The list of tables is incomplete.
    #[error("the list of tables has neither {white} nor {black}, who are paired with each other")]
    NotInTableList {
        /// A start number.
        white: u32,
        /// A start number.
        black: u32,
    },
    /// A line of the list of tables.
    #[error("expected a table and the start number of one of its players")]
    BadTableListLine,
    /// More problems than are listed.
    #[error("and {0} more")]
    More(usize),
}

/// The errors and warnings of one file, of which only the first are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Problems {
    listed: Vec<Problem>,
    more: usize,
}

impl Problem {
    /// Creates a problem of the whole file.
    pub(super) fn of_file(kind: ProblemKind) -> Problem {
        Problem { line: None, cell: None, kind }
    }

    /// Creates a problem in this line.
    pub(super) fn in_line(line: impl Into<Option<u32>>, kind: ProblemKind) -> Problem {
        Problem { line: line.into(), cell: None, kind }
    }

    /// Creates a problem with one value.
    pub(super) fn in_cell(line: u32, column: &str, value: &str, kind: ProblemKind) -> Problem {
        let shorten = |text: &str| text.chars().take(LONGEST_VALUE).collect();
        Problem { line: Some(line), cell: Some(Cell { column: shorten(column), value: shorten(value) }), kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(Cell { column, value }) = &self.cell {
            write!(f, "{column} {value:?}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl Problems {
    /// Adds a problem.
    pub(super) fn push(&mut self, problem: Problem) {
        if self.listed.len() < MOST_LISTED {
            self.listed.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns the list; if it is not complete, its end says so.
    pub(super) fn into_list(mut self) -> Vec<Problem> {
        if self.more > 0 {
            self.listed.push(Problem::of_file(ProblemKind::More(self.more)));
        }
        self.listed
    }
}

impl Extend<Problem> for Problems {
    fn extend<T: IntoIterator<Item = Problem>>(&mut self, problems: T) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

/// Formats numbers as a list.
fn list(numbers: &[u16]) -> String {
    numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

/// Formats names as a list, of which only the first are shown.
fn names(names: &[String]) -> String {
    let (shown, more) = first_names(names);
    if more > 0 { format!("{shown}, and {more} more") } else { shown }
}

/// Returns the first names as a list, and how many more there are.
fn first_names(names: &[String]) -> (String, usize) {
    const SHOWN: usize = 10;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    (shown, names.len().saturating_sub(SHOWN))
}
