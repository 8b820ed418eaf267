//! What leaves the desk: results for the pairing program, games, the arbiter's log.

use super::log::{self, LogForm};
use super::report::{DeskReport, GameReport};
use crate::daemon::Hub;
use crate::daemon::hub::round_games::tag_value;
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
    let round = completed(hub, &report).ok_or(ExportError::NoRound(number))?;
    match format {
        ExportFormat::Trf => {
            let numbers: Vec<u16> = report.rounds.iter().map(|round| round.number).collect();
            let reports = numbers.iter().map(|number| hub.read(|state| DeskReport::new(state, Some(*number))));
            let rounds: Vec<Round> = reports.filter_map(|report| completed(hub, &report)).collect();
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
        ExportFormat::Log | ExportFormat::Html => {
            let form = if format == ExportFormat::Html { LogForm::Html } else { LogForm::Text };
            Ok(log::write(hub, &DeskReport { round: Some(round), ..report }, form, locale)?)
        }
    }
}

/// Returns whether a game went on as another one, e.g. on another board: that one has all its moves, and began at the same moment.
pub(super) fn is_continued(games: &[GameReport], game: &GameReport) -> bool {
    games.iter().any(|later| later.game > game.game && later.started == game.started)
}

/// Returns the round of a report: its pairings have the results of their games where none was entered, and the configuration gives
/// the event and the site that the round does not have.
fn completed(hub: &Hub, report: &DeskReport) -> Option<Round> {
    let mut round = report.round.clone()?;
    let configured = |name: &str| tag_value(hub.event_tags(), name).filter(|value| *value != "?").map(str::to_owned);
    round.event = round.event.or_else(|| configured("Event"));
    round.site = round.site.or_else(|| configured("Site"));
    for pairing in &mut round.pairings {
        let table = report.tables.iter().find(|table| table.table == pairing.table);
        pairing.result = pairing.result.or(table.and_then(|table| table.result));
    }
    Some(round)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::journal::Journal;
    use crate::desk::DeskAct;
    use crate::round::trf::TableOrder;
    use crate::round::{Bye, ByeKind, PairingResult, Player};

    /// A round day without boards.
    async fn desk(dir: &std::path::Path) -> std::sync::Arc<Hub> {
        let tags = [("Event", "Club <Open>"), ("Site", "?")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let hub = Hub::new(Journal::open(dir).expect("a journal").0, &tags);
        hub.load_desk(dir).await;
        let round = |number: u16| {
            let text = "table,white,black\n1,Ada,Bob\n2,Cid,Dee\n";
            DeskAct::LoadRound { round: Round::read(text, Some(number), &TableOrder::Unknown).expect("a round") }
        };
        let eve = Player { name: "Eve".to_owned(), ..Player::default() };
        let result = |round: u16, table: u16, result| DeskAct::Result { round, table, result };
        let acts = [
            (round(1), "Anna"),
            (round(2), "Otto"),
            (DeskAct::Swap { round: 1, one: 1, other: 2 }, "Otto"),
            (DeskAct::Byes { round: 1, byes: vec![Bye { player: eve, kind: ByeKind::HalfPoint }] }, "Otto"),
            (result(1, 2, Some(PairingResult::WhiteWinsByForfeit)), "Anna"),
            (result(1, 1, Some(PairingResult::Draw)), "Otto"),
            (result(1, 1, None), "Otto"),
            (DeskAct::SeatAll { seats: std::collections::BTreeMap::new() }, "Otto"),
            (DeskAct::StartRound { round: 2 }, "Anna"),
            (DeskAct::Unpair { round: 2, table: 2 }, "Otto"),
            (DeskAct::SeatAll { seats: std::collections::BTreeMap::new() }, "Olga"),
        ];
        for (act, by) in acts {
            hub.change_desk(act, by).await.expect("an act");
        }
        hub
    }

    fn exported(hub: &Hub, format: ExportFormat, round: u16) -> String {
        export(hub, format, Some(round), Reader::Arbiter, Locale::English).expect("an export")
    }

    /// The log without the times of day.
    fn log(hub: &Hub, round: u16) -> Vec<String> {
        let without_time = |line: &str| line.strip_prefix("  ").map_or(line, |line| &line[8..]).trim().to_owned();
        exported(hub, ExportFormat::Log, round).lines().map(without_time).filter(|line| !line.is_empty()).collect()
    }

    #[tokio::test]
    async fn the_log_has_what_was_done_at_the_desk() {
        let dir = tempfile::tempdir().expect("a directory");
        let hub = desk(dir.path()).await;
        assert_eq!(
            log(&hub, 1),
            [
                "Club <Open> Round 1",
                "At the desk",
                "Round 1 is loaded  [Anna]",
                "The players of tables 1 and 2 are swapped  [Otto]",
                "Without an opponent: Eve (half a point)  [Otto]",
                "Table 2: +-- (White wins)  [Anna]",
                "Table 1: 1/2-1/2  [Otto]",
                "Table 1: the result is removed  [Otto]",
                "Boards seated: 0  [Otto]",
            ]
        );
        assert_eq!(
            log(&hub, 2)[2..],
            [
                "Round 2 is loaded  [Otto]",
                "Round 2 has started  [Anna]",
                "Table 2: the pairing is removed  [Otto]",
                "Boards seated: 0  [Olga]",
            ]
        );
    }

    #[tokio::test]
    async fn the_log_to_print_needs_no_other_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let hub = desk(dir.path()).await;
        let page = exported(&hub, ExportFormat::Html, 1);
        assert!(page.contains("<style>") && page.contains("<h1>Club &lt;Open&gt; Round 1</h1>"), "{page}");
        assert!(!page.contains("href") && !page.contains("src="), "{page}");
    }

    #[tokio::test]
    async fn a_round_without_an_event_has_that_of_the_configuration() {
        let dir = tempfile::tempdir().expect("a directory");
        let hub = desk(dir.path()).await;
        let report = exported(&hub, ExportFormat::Trf, 1);
        assert!(report.starts_with("012 Club <Open>\r\n"), "{report}");
        assert!(!report.contains("\n022"), "{report}");
    }
}
