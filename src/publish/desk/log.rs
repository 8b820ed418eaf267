//! The arbiter's log of a round: what was done at the desk, then for each game alerts, rulings, corrections and results, with the time
//! and who gave them.

mod act;

use super::export::is_continued;
use super::report::DeskReport;
use crate::daemon::Hub;
use crate::daemon::hub::GameView;
use crate::daemon::journal::JournalError;
use crate::game::record::{ChangeOrigin, PriorState};
use crate::game::{Alert, Command, DeskRecord, Event, Record, ResultReason, Text, taken_back};
use crate::locale::{self, Locale};
use crate::wire::{Word, command_to_value};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::Write;

/// The style of the log as a page: it is also read as a file, without the other files of the page.
const STYLE: &str = "body{font:1rem/1.4 sans-serif;margin:1.5rem auto;max-width:60rem;padding:0 1rem}\
    h1{font-size:1.4rem}h2{font-size:1.05rem;margin:1.2rem 0 .3rem}table{border-collapse:collapse}\
    td{padding:.1rem .8rem .1rem 0;vertical-align:top}td:first-child{font-variant-numeric:tabular-nums;white-space:nowrap}\
    tr{break-inside:avoid}h2{break-after:avoid}";

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
/// A game or the acts at the desk cannot be read.
pub(super) fn write(hub: &Hub, report: &DeskReport, form: LogForm, locale: Locale) -> Result<String, JournalError> {
    let mut text = String::new();
    let heading = report.round.as_ref().map_or_else(String::new, |round| {
        let event = round.event.as_deref().unwrap_or_default();
        format!("{event} {}", locale::page_word(locale, "page-round", &[("round", round.number.to_string())])).trim().to_owned()
    });
    begin(&mut text, form, locale, &heading);
    if let Some(round) = &report.round {
        let lines = act::lines(&hub.desk_entries()?, round.number, &report.tables, locale);
        write_section(&mut text, form, &locale::sentence(locale, &Text::new("log-desk")), &lines);
    }
    for table in &report.tables {
        for known in table.games.iter().filter(|game| game.has_moves && !is_continued(&table.games, game)) {
            let Some(game) = hub.game(known.game)? else { continue };
            let lines = lines(&game, hub.desk_record(game.id).as_ref(), hub.events_after(game.id, 0)?, locale);
            let number = locale::page_word(locale, "page-table", &[("table", table.table.to_string())]);
            let name = |colour: &str| game.record.tags.iter().find(|(name, _)| name == colour).map_or("?", |(_, value)| value);
            let result = if known.result == "*" { "–" } else { &known.result };
            let title = format!("{number}: {} – {}  {result}  ({})", name("White"), name("Black"), known.board);
            write_section(&mut text, form, &title, &lines);
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
             <style>{STYLE}</style></head><body><main><h1>{heading}</h1>",
            locale.tag(),
            heading = escaped(heading)
        ),
    };
}

fn write_section(text: &mut String, form: LogForm, title: &str, lines: &[LogLine]) {
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

/// Returns the lines of a game: each alert, command and result. `desk`: what the desk has entered, if it is one of another machine.
fn lines(game: &GameView, desk: Option<&DeskRecord>, events: Vec<crate::game::StampedEvent>, locale: Locale) -> Vec<LogLine> {
    let taken_back = taken_back(&events);
    let mut events = events.into_iter();
    let Some(mut record) = events.next().as_ref().and_then(Record::begin) else { return Vec::new() };
    let mut lines = Vec::new();
    // Who gave the last command.
    let mut commander = String::new();
    for stamped in events {
        let is_entered = desk.zip(stamped.number).is_some_and(|(desk, number)| desk.is_entered(number));
        let origin = if is_entered { ChangeOrigin::Desk } else { ChangeOrigin::Table };
        let what = match &stamped.event {
            Event::AlertRaised(alert) => Some((alert_text(alert, locale), String::new())),
            Event::AlertCleared { id } if taken_back.contains(id) => {
                Some((locale::page_word(locale, "page-taken-back", &[]), String::new()))
            }
            // The names of the players are no ruling.
            Event::Commanded { command: Command::Tags { .. }, .. } => None,
            Event::Commanded { command, by } => {
                commander.clone_from(by);
                Some((command_text(command, &record, origin, locale), by.clone()))
            }
            // Who gave the command entered it.
            Event::Result { result, reason: ResultReason::Arbiter } if !commander.is_empty() => {
                Some((result.map_or("*", |result| result.as_str()).to_owned(), commander.clone()))
            }
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
        match origin {
            ChangeOrigin::Table => record.apply(&stamped),
            ChangeOrigin::Desk => record.apply_entered(&stamped),
        }
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

/// Returns a command with its details: moves as on the score sheet, other arguments as in its JSON form. `origin`: where it was
/// carried out.
fn command_text(command: &Command, record: &Record, origin: ChangeOrigin, locale: Locale) -> String {
    let name = match command {
        Command::Pause { paused: true } => "page-do-pause",
        Command::Pause { paused: false } => "page-do-go_on",
        _ => command.spec().name_key,
    };
    let name = locale::sentence(locale, &Text::new(name));
    if let (Command::Undo {}, Some(undone)) = (command, record.last_change(origin)) {
        return format!("{name}: {}", command_text(&undone.command, record, origin, locale));
    }
    let value = command_to_value(command);
    let mut details = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !matches!(name.as_str(), "do" | "paused")) {
        let shown = match (name.as_str(), value) {
            ("ply", value) => value.as_u64().map(|ply| place(record, usize::try_from(ply).unwrap_or(0))).unwrap_or_default(),
            ("alert", value) => alert_name(value, record, locale),
            ("white_ms" | "black_ms", value) => value.as_u64().map(clock).unwrap_or_default(),
            (_, serde_json::Value::String(word)) => word.clone(),
            (_, serde_json::Value::Null) => String::new(),
            (_, other) => other.to_string(),
        };
        if !shown.is_empty() {
            details.push(shown);
        }
    }
    if details.is_empty() { name } else { format!("{name}: {}", details.join(" ")) }
}

/// Returns the heading of the alert with this number, which is open or was answered by one of the last commands; the number of any
/// other.
fn alert_name(number: &serde_json::Value, record: &Record, locale: Locale) -> String {
    let answered = record.changes.iter().filter_map(|change| match &change.before {
        PriorState::Alert(alert) => Some(alert.as_ref()),
        _ => None,
    });
    let alert = record.alerts.iter().chain(answered).find(|alert| number.as_u64() == Some(u64::from(alert.id)));
    alert.map_or_else(|| number.to_string(), |alert| locale::alert_heading(locale, alert.kind.word()))
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
