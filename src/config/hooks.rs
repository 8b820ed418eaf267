//! Configuration of the delivery of alerts: see `publish::hooks`.

use super::url::Url;
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
pub const MATTERS: [(&str, AlertCategory); 5] = [
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
    let matter = |word: &String| MATTERS.iter().find(|(known, _)| known == word).map(|(_, matter)| *matter);
    words.iter().map(matter).collect::<Option<Vec<_>>>().filter(|matters| !matters.is_empty())
}

/// Returns whether this is a program with an absolute path and its arguments, or nothing.
pub fn is_command(words: &[String]) -> bool {
    words.first().is_none_or(|program| program.starts_with('/')) && !words.iter().any(|word| word.contains('\0'))
}
