//! The PGN tags of the event.

use super::key::{ChangeEffect, Key, Table, is_line, key, text};
use super::values::Values;

/// PGN tags that are the same for all games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTags {
    /// The event; `?` if unknown.
    pub event: String,
    /// The site; `?` if unknown.
    pub site: String,
    /// The date in PGN format, `2026.11.21`; `None`: the day on which the game began.
    pub date: Option<String>,
    /// The round; `?` if unknown.
    pub round: String,
}

impl EventTags {
    /// Returns the name and value of each tag that is the same for all games.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let always = [("Event", &self.event), ("Site", &self.site), ("Round", &self.round)];
        let dated = self.date.as_ref().map(|date| ("Date", date));
        always.into_iter().chain(dated).map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }
}

/// The table `[pgn]`.
pub(super) static TABLE: Table = Table { name: "pgn", about: "PGN tags about the event, the same in every game.", keys: KEYS };

const KEYS: &[Key] = &[
    key("event", text("one line of text", is_line), Some("\"?\""), "\"Club championship\"", "The event. `?`: not known.")
        .changes(ChangeEffect::NextStart),
    key("site", text("one line of text", is_line), Some("\"?\""), "\"Shanghai\"", "The place. `?`: not known.")
        .changes(ChangeEffect::NextStart),
    key(
        "date",
        text("\"today\" or a date such as \"2026.11.21\" (? where a digit is not known)", is_date),
        Some("\"today\""),
        "\"2026.11.21\"",
        "The day, as PGN writes it. `today`: the day on which a game began.",
    )
    .changes(ChangeEffect::NextStart),
    key("round", text("one line of text", is_line), Some("\"?\""), "\"3\"", "The round. `?`: not known.")
        .changes(ChangeEffect::NextStart),
];

fn is_date(text: &str) -> bool {
    text == "today"
        || (text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'.',
                _ => byte.is_ascii_digit() || byte == b'?',
            })
            && is_calendar_date(text))
}

/// Returns whether such a day exists, as far as its digits are known.
fn is_calendar_date(date: &str) -> bool {
    let number = |range| date.get(range).and_then(|digits: &str| digits.parse::<i16>().ok());
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // An unknown year counts as a leap year, an unknown month as one with 31 days.
    let small = |number: i16| i8::try_from(number).unwrap_or(0);
    jiff::civil::Date::new(year.unwrap_or(2000).max(1), small(month.unwrap_or(1)), small(day.unwrap_or(1))).is_ok()
}

/// Reads the table.
pub(super) fn read(values: &Values<'_>) -> EventTags {
    EventTags {
        event: values.text("event"),
        site: values.text("site"),
        date: Some(values.text("date")).filter(|date| date != "today"),
        round: values.text("round"),
    }
}
