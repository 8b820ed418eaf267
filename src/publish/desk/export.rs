//! What leaves the desk: results for the pairing program, games, the arbiter's log.

use super::log::{self, LogForm};
use super::report::{DeskReport, GameReport};
use crate::daemon::Hub;
use crate::daemon::journal::JournalError;
use crate::game::ErrorCode;
use crate::game::pgn::AfterIllegal;
use crate::game::rights::Audience;
use crate::game::words::words;
use crate::locale::Locale;
use crate::publish::render::pgn::{Reader, game_to_pgn};
use crate::round::{Round, csv, trf};

/// A kind of export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// All rounds with their results as TRF16.
    Trf,
    /// The pairings and results of a round as a table of values.
    Csv,
    /// The games of a round, with all that was played at their tables. A game that went on on another board is there once.
    Pgn,
    /// What arbiters and operators did in a round, as text.
    Log,
    /// The same, as a page to print.
    Html,
}

words! {
    ExportFormat { Trf = "trf", Csv = "csv", Pgn = "pgn", Log = "log", Html = "html" }
}

impl ExportFormat {
    /// Returns who may have it: the log has alerts.
    pub fn audience(self) -> Audience {
        match self {
            ExportFormat::Trf | ExportFormat::Csv | ExportFormat::Pgn => Audience::Operator,
            ExportFormat::Log | ExportFormat::Html => Audience::Arbiter,
        }
    }

    /// Returns the end of the name of a file.
    pub fn extension(self) -> &'static str {
        match self {
            ExportFormat::Trf => "trf",
            ExportFormat::Csv => "csv",
            ExportFormat::Pgn => "pgn",
            ExportFormat::Log => "txt",
            ExportFormat::Html => "html",
        }
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            ExportFormat::Trf | ExportFormat::Log => "text/plain; charset=utf-8",
            ExportFormat::Csv => "text/csv; charset=utf-8",
            ExportFormat::Pgn => "application/x-chess-pgn",
            ExportFormat::Html => "text/html; charset=utf-8",
        }
    }
}

/// The reason why there is nothing to export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The round is not loaded.
    #[error("{}", match .0 {
        Some(round) => format!("round {round} is not loaded: `touchmovectl round load FILE`"),
        None => "no round is loaded: `touchmovectl round load FILE`".to_owned(),
    })]
    NoRound(Option<u16>),
    /// A game cannot be read.
    #[error(transparent)]
    Unreadable(#[from] JournalError),
}

impl ExportError {
    /// Returns the code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            ExportError::NoRound(_) => ErrorCode::Unknown("NoRound"),
            ExportError::Unreadable(error) => error.code(),
        }
    }
}

/// Exports a round; `None`: the one that is played. Reads games that are not in memory from the journal, which may take seconds.
///
/// # Errors
/// See [`ExportError`].
pub fn export(
    hub: &Hub,
    format: ExportFormat,
    number: Option<u16>,
    reader: Reader,
    locale: Locale,
) -> Result<String, ExportError> {
    let report = hub.read(|state| DeskReport::new(state, number));
    let round = with_results(&report).ok_or(ExportError::NoRound(number))?;
    match format {
        ExportFormat::Trf => {
            let numbers: Vec<u16> = report.rounds.iter().map(|round| round.number).collect();
            let reports = numbers.iter().map(|number| hub.read(|state| DeskReport::new(state, Some(*number))));
            let rounds: Vec<Round> = reports.filter_map(|report| with_results(&report)).collect();
            Ok(trf::write::write(&rounds))
        }
        ExportFormat::Csv => Ok(csv::write::write(&[round])),
        ExportFormat::Pgn => {
            let mut text = String::new();
            for table in &report.tables {
                for known in table.games.iter().filter(|game| game.has_moves && !is_continued(&table.games, game)) {
                    if let Some(game) = hub.game(known.game)? {
                        text.push_str(&game_to_pgn(&game, AfterIllegal::default(), reader));
                        text.push('\n');
                    }
                }
            }
            Ok(text)
        }
        ExportFormat::Log => Ok(log::write(hub, &report, LogForm::Text, locale)?),
        ExportFormat::Html => Ok(log::write(hub, &report, LogForm::Html, locale)?),
    }
}

/// Returns whether a game went on as another one, e.g. on another board: that one has all its moves, and began at the same moment.
fn is_continued(games: &[GameReport], game: &GameReport) -> bool {
    games.iter().any(|later| later.game > game.game && later.started == game.started)
}

/// Returns the round of a report, its pairings with the results of their games where none was entered.
fn with_results(report: &DeskReport) -> Option<Round> {
    let mut round = report.round.clone()?;
    for pairing in &mut round.pairings {
        let table = report.tables.iter().find(|table| table.table == pairing.table);
        pairing.result = pairing.result.or(table.and_then(|table| table.result));
    }
    Some(round)
}
