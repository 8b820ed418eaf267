//! The description of a configuration key, and of a table with its keys.

use crate::game::words::words;

/// A table of the configuration.
pub struct Table {
    /// The name of the table; `board` is an array of tables.
    pub name: &'static str,
    /// The description, wrapped for a comment in the file.
    pub about: &'static str,
    /// Its keys, in the order of the file.
    pub keys: &'static [Key],
}

impl Table {
    /// Returns the header of the table as it is written in the file.
    pub fn header(&self) -> String {
        if self.name == "board" { "[[board]]".to_owned() } else { format!("[{}]", self.name) }
    }

    /// Returns the key of this name. A name that is not in the table is a bug where it is read, which any test would reveal.
    pub(super) fn key(&self, name: &str) -> &'static Key {
        match self.keys.iter().find(|key| key.name == name) {
            Some(key) => key,
            None => unreachable!("{}.{name} is not in the table of keys", self.name),
        }
    }
}

/// The kind of value that a key accepts.
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// An integer.
    Number {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
        /// The unit.
        unit: &'static str,
    },
    /// One of the given words.
    Word(&'static [&'static str]),
    /// The name of a model in the table of boards.
    Model,
    /// A text of the given form.
    Text {
        /// The expected form, as a continuation of "write".
        form: &'static str,
        /// Returns whether a text has that form.
        accepts: fn(&str) -> bool,
    },
    /// A list of texts of the given form.
    List {
        /// The expected form, as a continuation of "write".
        form: &'static str,
        /// Returns whether a list has that form.
        accepts: fn(&[String]) -> bool,
    },
}

/// Whether a key can be changed at run time, and when the change takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeEffect {
    /// It is read from the file alone: it decides which boards and programs are used, where touchmoved listens and writes, or who
    /// may reach it.
    FileOnly,
    /// At once.
    Immediate,
    /// In games that begin from then on.
    NewGames,
    /// When touchmoved is started next.
    NextStart,
}

impl ChangeEffect {
    /// Returns when a change takes effect, as a continuation of "takes effect"; `None`: the key cannot be changed at run time.
    pub fn when(self) -> Option<&'static str> {
        match self {
            ChangeEffect::FileOnly => None,
            ChangeEffect::Immediate => Some("at once"),
            ChangeEffect::NewGames => Some("in games that begin from then on"),
            ChangeEffect::NextStart => Some("when touchmoved is started next"),
        }
    }
}

words! { ChangeEffect { FileOnly = "file_only", Immediate = "immediate", NewGames = "new_games", NextStart = "next_start" } }

/// A key of the configuration.
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The kind of value that it accepts.
    pub kind: Kind,
    /// The default, as TOML; `None`: see `doc`.
    pub default: Option<&'static str>,
    /// A valid value, as TOML.
    pub example: &'static str,
    /// The description, wrapped for a comment in the file.
    pub doc: &'static str,
    /// Whether it can be changed at run time.
    pub effect: ChangeEffect,
}

impl Key {
    /// Sets when a change at run time takes effect.
    pub(super) const fn changes(self, effect: ChangeEffect) -> Key {
        Key { effect, ..self }
    }
}

/// Describes a key that cannot be changed at run time: see the fields of [`Key`].
pub(super) const fn key(
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    example: &'static str,
    doc: &'static str,
) -> Key {
    Key { name, kind, default, example, doc, effect: ChangeEffect::FileOnly }
}

pub(super) const fn number(min: i64, max: i64, unit: &'static str) -> Kind {
    Kind::Number { min, max, unit }
}

pub(super) const fn text(form: &'static str, accepts: fn(&str) -> bool) -> Kind {
    Kind::Text { form, accepts }
}

pub(super) const fn list(form: &'static str, accepts: fn(&[String]) -> bool) -> Kind {
    Kind::List { form, accepts }
}

impl Kind {
    /// Returns what to write, as a continuation of "write".
    pub fn expected(&self) -> String {
        match self {
            Kind::Flag => "true or false".to_owned(),
            Kind::Number { min, max, unit } => format!("a whole number from {min} to {max} ({unit})"),
            Kind::Word(words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or "),
            Kind::Model => {
                crate::boards::BOARDS.iter().map(|model| format!("{:?}", model.name)).collect::<Vec<_>>().join(" or ")
            }
            Kind::Text { form, .. } | Kind::List { form, .. } => (*form).to_owned(),
        }
    }
}

/// Returns whether this is a single line of text, as a PGN tag can hold.
pub(super) fn is_line(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// Returns whether this name is valid in a D-Bus object path and easy to type.
pub(super) fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether this is an absolute path.
pub(super) fn is_absolute(text: &str) -> bool {
    text.starts_with('/') && is_line(text)
}
