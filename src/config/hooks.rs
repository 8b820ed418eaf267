//! How somebody is told who is not looking: see `publish::hooks`.

use super::url::Url;
use crate::game::event::Matter;
use crate::locale::Locale;

/// How somebody is told of alerts who is not looking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hooks {
    /// A program with its arguments; empty: none.
    pub command: Vec<String>,
    /// Where a message is posted, in ntfy's form; `None`: nowhere.
    pub webhook: Option<Url>,
    /// Of which alerts.
    pub matters: Vec<Matter>,
    /// In which language.
    pub language: Locale,
}

impl Hooks {
    /// Nobody is told.
    pub fn are_off(&self) -> bool {
        self.command.is_empty() && self.webhook.is_none()
    }
}

/// The words of the matters of alerts.
pub const MATTERS: [(&str, Matter); 5] = [
    ("play", Matter::Play),
    ("board", Matter::Board),
    ("touch", Matter::Touch),
    ("end", Matter::End),
    ("device", Matter::Device),
];

/// The word of a matter.
pub fn word(matter: Matter) -> &'static str {
    match matter {
        Matter::Play => "play",
        Matter::Board => "board",
        Matter::Touch => "touch",
        Matter::End => "end",
        Matter::Device => "device",
    }
}

/// The matters of a list of words; `None`: one is none, or there is none at all.
pub fn matters(words: &[String]) -> Option<Vec<Matter>> {
    let matter = |word: &String| MATTERS.iter().find(|(known, _)| known == word).map(|(_, matter)| *matter);
    words.iter().map(matter).collect::<Option<Vec<_>>>().filter(|matters| !matters.is_empty())
}

/// A program by its whole path, and arguments.
pub fn is_command(words: &[String]) -> bool {
    words.first().is_none_or(|program| program.starts_with('/')) && !words.iter().any(|word| word.contains('\0'))
}
