//! The arbiter's log of a round: alerts, rulings, corrections and results, with the time and who gave them.

use super::report::DeskReport;
use crate::daemon::Hub;
use crate::daemon::hub::GameView;
use crate::daemon::journal::JournalError;
use crate::game::{Alert, Command, Event, Record, Text, taken_back};
use crate::locale::{self, Locale};
use crate::wire::{Word, command_to_value};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write;

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogForm {
    Text,
    Html,
}

/// A line of the log.
struct LogLine {
    wall_ms: i64,
    /// After which move.
    place: String,
    what: String,
    by: String,
}

/// Returns the log of the round of a report.
///
/// # Errors
/// A game cannot be read.
pub(super) fn write(hub: &Hub, report: &DeskReport, form: LogForm, locale: Locale) -> Result<String, JournalError> {
    let mut text = String::new();
    let heading = report.round.as_ref().map_or_else(String::new, |round| {
        let event = round.event.as_deref().unwrap_or_default();
        format!("{event} {}", locale::page_word(locale, "page-round", &[("round", round.number.to_string())])).trim().to_owned()
    });
    begin(&mut text, form, locale, &heading);
    for table in &report.tables {
        for known in table.games.iter().filter(|game| game.has_moves) {
            let Some(game) = hub.game(known.game)? else { continue };
            let lines = lines(&game, hub.events_after(game.id, 0)?, locale);
            let number = locale::page_word(locale, "page-table", &[("table", table.table.to_string())]);
            let name = |colour: &str| game.record.tags.iter().find(|(name, _)| name == colour).map_or("?", |(_, value)| value);
            let result = if known.result == "*" { "–" } else { &known.result };
            let title = format!("{number}: {} – {}  {result}  ({})", name("White"), name("Black"), known.board);
            write_game(&mut text, form, &title, &lines);
        }
    }
    if form == LogForm::Html {
        text.push_str("</main></body></html>\n");
    }
    Ok(text)
}

fn begin(text: &mut String, form: LogForm, locale: Locale, heading: &str) {
    let _ = match form {
        LogForm::Text => writeln!(text, "{heading}\n"),
        LogForm::Html => writeln!(
            text,
            "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{heading}</title>\
             <link rel=\"stylesheet\" href=\"/page/page.css\"></head><body class=\"log\"><main><h1>{heading}</h1>",
            locale.tag(),
            heading = escaped(heading)
        ),
    };
}

fn write_game(text: &mut String, form: LogForm, title: &str, lines: &[LogLine]) {
    match form {
        LogForm::Text => {
            let _ = writeln!(text, "{title}");
            for LogLine { wall_ms, place, what, by } in lines {
                let by = if by.is_empty() { String::new() } else { format!("  [{by}]") };
                let _ = writeln!(text, "  {}  {place:12}  {what}{by}", time(*wall_ms));
            }
            text.push('\n');
        }
        LogForm::Html => {
            let _ = write!(text, "<h2>{}</h2><table>", escaped(title));
            for LogLine { wall_ms, place, what, by } in lines {
                let _ = write!(
                    text,
                    "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    time(*wall_ms),
                    escaped(place),
                    escaped(what),
                    escaped(by)
                );
            }
            text.push_str("</table>\n");
        }
    }
}

/// Returns the lines of a game: each alert, command and result.
fn lines(game: &GameView, events: Vec<crate::game::StampedEvent>, locale: Locale) -> Vec<LogLine> {
    let taken_back = taken_back(&events);
    let mut events = events.into_iter();
    let Some(mut record) = events.next().as_ref().and_then(Record::begin) else { return Vec::new() };
    let mut lines = Vec::new();
    for stamped in events {
        let what = match &stamped.event {
            Event::AlertRaised(alert) => Some((alert_text(alert, locale), String::new())),
            Event::AlertCleared { id } if taken_back.contains(id) => {
                Some((locale::page_word(locale, "page-taken-back", &[]), String::new()))
            }
            // The names of the players are no ruling.
            Event::Commanded { command: Command::Tags { .. }, .. } => None,
            Event::Commanded { command, by } => Some((command_text(command, &record, locale), by.clone())),
            Event::Result { result, reason } => {
                let result = result.map_or("*", |result| result.as_str());
                Some((format!("{result} ({})", reason.word()), String::new()))
            }
            _ => None,
        };
        if let Some((what, by)) = what {
            let place = place(&record, record.plies.len());
            lines.push(LogLine { wall_ms: game.wall_ms(stamped.at), place, what, by });
        }
        record.apply(&stamped);
    }
    lines
}

/// Returns the last move of the first `plies`, such as `21.Nf3` or `21...Qa5`; empty before the first move.
fn place(record: &Record, plies: usize) -> String {
    let ply = plies.checked_sub(1).and_then(|last| record.plies.get(last));
    ply.map_or_else(String::new, |ply| {
        let mut fields = ply.played.fen.split(' ').skip(1);
        let is_white = fields.next() == Some("b");
        let number: u32 = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
        match is_white {
            true => format!("{number}.{}", ply.played.san),
            false => format!("{}...{}", number.saturating_sub(1), ply.played.san),
        }
    })
}

fn alert_text(alert: &Alert, locale: Locale) -> String {
    let heading = locale::alert_heading(locale, alert.kind.word());
    let articles = if alert.articles.is_empty() { String::new() } else { format!(" ({})", alert.articles.join(", ")) };
    format!("{heading}{articles}: {}", locale::sentence(locale, &alert.text))
}

/// Returns a command with its details: moves as on the score sheet, other arguments as in its JSON form.
fn command_text(command: &Command, record: &Record, locale: Locale) -> String {
    let name = match command {
        Command::Pause { paused: true } => "page-do-pause",
        Command::Pause { paused: false } => "page-do-go_on",
        _ => command.spec().name_key,
    };
    let mut text = locale::sentence(locale, &Text::new(name));
    let value = command_to_value(command);
    for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !matches!(name.as_str(), "do" | "paused")) {
        let shown = match (name.as_str(), value) {
            ("ply", value) => value.as_u64().map(|ply| place(record, usize::try_from(ply).unwrap_or(0))).unwrap_or_default(),
            ("white_ms" | "black_ms", value) => value.as_u64().map(clock).unwrap_or_default(),
            (_, serde_json::Value::String(word)) => word.clone(),
            (_, serde_json::Value::Null) => String::new(),
            (_, other) => other.to_string(),
        };
        if !shown.is_empty() {
            let _ = write!(text, " {shown}");
        }
    }
    text
}

fn clock(ms: u64) -> String {
    let seconds = ms / 1000;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn time(wall_ms: i64) -> String {
    let at = Timestamp::from_millisecond(wall_ms).map(|at| at.to_zoned(TimeZone::system()));
    at.map_or_else(|_| String::new(), |at| at.strftime("%H:%M:%S").to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
