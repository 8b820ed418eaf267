//! Configuration of the delivery of alerts: see `publish::hooks`.

use super::key::{ChangeEffect, Key, Kind, Table, key, list, text};
use super::url::Url;
use super::values::Values;
use crate::game::event::AlertCategory;
use crate::locale::Locale;

/// How alerts are delivered to people who do not watch the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The program to run, with its arguments; empty: none.
    pub command: Vec<String>,
    /// The URL to which a message is posted in ntfy's format; `None`: none.
    pub webhook: Option<Url>,
    /// The matters of the alerts that are delivered.
    pub matters: Vec<AlertCategory>,
    /// The language of the messages.
    pub language: Locale,
}

impl Hooks {
    /// Returns whether neither a program nor a webhook is configured.
    pub fn is_off(&self) -> bool {
        self.command.is_empty() && self.webhook.is_none()
    }
}

/// The configuration words for the matters of alerts.
pub const MATTER_WORDS: [(&str, AlertCategory); 5] = [
    ("play", AlertCategory::Play),
    ("board", AlertCategory::Board),
    ("touch", AlertCategory::Touch),
    ("end", AlertCategory::End),
    ("device", AlertCategory::Device),
];

/// Returns the word for a matter.
pub fn matter_word(matter: AlertCategory) -> &'static str {
    match matter {
        AlertCategory::Play => "play",
        AlertCategory::Board => "board",
        AlertCategory::Touch => "touch",
        AlertCategory::End => "end",
        AlertCategory::Device => "device",
    }
}

/// Parses a list of words; `None` if a word is unknown or the list is empty.
pub fn parse_matters(words: &[String]) -> Option<Vec<AlertCategory>> {
    let matter = |word: &String| MATTER_WORDS.iter().find(|(known, _)| known == word).map(|(_, matter)| *matter);
    words.iter().map(matter).collect::<Option<Vec<_>>>().filter(|matters| !matters.is_empty())
}

/// Returns whether this is a program with an absolute path and its arguments, or nothing.
pub fn is_command(words: &[String]) -> bool {
    words.first().is_none_or(|program| program.starts_with('/')) && !words.iter().any(|word| word.contains('\0'))
}

/// The table `[hooks]`.
pub(super) static TABLE: Table = Table {
    name: "hooks",
    about: "Notifications of alerts: for each alert, a program is run or a message is posted. Off unless one of them is given.\n\
            Alerts are for the arbiter only, and notifications are not delayed: they can contain information that the players\n\
            must not have.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "command",
        list("a list of the absolute path of a program and its arguments, or []", is_command),
        Some("[]"),
        "[\"/usr/local/bin/notify\", \"arbiter\"]",
        "A program that is run for each alert, without a shell: its absolute path, and its arguments. It receives the alert in\n\
         variables TOUCHMOVE_… and as JSON on its standard input, and has 10 s.",
    ),
    key(
        "webhook",
        text("https://HOST/PATH, or http://HOST/PATH on this machine or its own network, or \"\" for none", |text| {
            text.is_empty() || text.parse::<Url>().is_ok()
        }),
        Some("\"\""),
        "\"https://ntfy.example.org/a-topic-nobody-guesses\"",
        "The address to which each alert is posted as text with the headers Title, Priority and Tags, such as a topic of ntfy,\n\
         which delivers to phones at once. Anyone who knows the address can read the alerts. \"\": none.",
    ).changes(ChangeEffect::Immediate),
    key(
        "matters",
        list("a list of play, board, touch, end, device", |words| parse_matters(words).is_some()),
        Some("[\"play\", \"board\"]"),
        "[\"play\", \"board\", \"end\"]",
        "The categories of alerts that are sent. `play`: actions of a player on the board or the clock; `board`: pieces on the\n\
         board; `touch`: touched pieces; `end`: results to confirm, and draws; `device`: boards, clocks, cables.",
    ).changes(ChangeEffect::Immediate),
    key("language", Kind::Word(Locale::TAGS), Some("\"en\""), "\"zh-Hans\"", "The language of the notifications.").changes(ChangeEffect::Immediate),
];

/// Reads the table.
pub(super) fn read(values: &Values<'_>) -> Hooks {
    Hooks {
        command: values.list("command"),
        webhook: values.given_text("webhook").and_then(|url| url.parse().ok()),
        matters: parse_matters(&values.list("matters")).unwrap_or_default(),
        language: Locale::from_tag(&values.text("language")),
    }
}
