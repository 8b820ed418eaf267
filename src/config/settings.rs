//! Settings that were changed at run time: `settings.toml` in the state directory. It has the same keys as the configuration file,
//! over which they take precedence, and who changed each of them when.

use super::key::{ChangeEffect, Key, Kind, Table};
use super::keys;
use super::values::nearest;
use super::{Config, Problem};
use crate::game::words::Word;
use crate::game::{DelayPolicy, IllegalMoves};
use std::collections::BTreeMap;
use std::fmt;
use toml::{Table as TomlTable, Value};

/// The file in the state directory.
pub const SETTINGS_FILE: &str = "settings.toml";

/// The table of the file that says who changed which key when.
const CHANGED: &str = "changed";

/// The first lines of the file.
const HEADER: &str = "# Written by touchmoved, over the configuration file: `touchmovectl config set KEY VALUE` and `unset KEY` change it,\n\
                      # `touchmovectl config` shows all keys.\n\n";

/// The settings that were changed at run time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimeSettings {
    /// By the name of the key with its table: `broadcast.delay_s`.
    changes: BTreeMap<String, SettingChange>,
}

/// A setting that was changed at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChange {
    value: Value,
    /// Who changed it.
    pub by: String,
    /// When, in RFC 3339.
    pub at: String,
}

/// The source of a key's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// The key is given nowhere.
    Default,
    /// The configuration file.
    File,
    /// `settings.toml`: who changed it, and when, in RFC 3339.
    Settings {
        /// Who.
        by: String,
        /// When.
        at: String,
    },
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The name with its table; `board[2].port` in the second `[[board]]`.
    pub name: String,
    /// The value as TOML; empty: none.
    pub value: String,
    /// Where the value is from.
    pub source: ValueSource,
    /// Whether the key can be changed at run time.
    pub effect: ChangeEffect,
}

/// The reason why a setting cannot be changed; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// There is no such key.
    #[error("there is no key {name}{}: `touchmovectl config` shows all keys", nearest.as_deref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    UnknownKey {
        /// The name as given.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The key is read from the file alone.
    #[error("{0} cannot be changed while touchmoved runs: change it in the configuration file, and restart touchmoved")]
    FileOnly(String),
    /// The value has the wrong form.
    #[error("{value:?} is not a value of {name}: write {expected}, such as `touchmovectl config set {name} '{example}'`")]
    BadValue {
        /// The key.
        name: String,
        /// The value as given.
        value: String,
        /// What to write.
        expected: String,
        /// A valid value.
        example: String,
    },
    /// The configuration would be invalid as a whole. The problems, at least one.
    #[error("the configuration would be invalid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// The key has no value in the settings.
    #[error(
        "{0} was not changed at run time, so there is nothing to unset: `touchmovectl config` shows where its value is from"
    )]
    NotSet(String),
}

/// The reason why the file of settings is not used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

impl RuntimeSettings {
    /// Parses the file.
    ///
    /// # Errors
    /// The text is not TOML, or has a key that cannot be changed at run time. Values are checked by [`RuntimeSettings::apply`].
    pub fn parse(text: &str) -> Result<RuntimeSettings, BadSettings> {
        let mut tables: TomlTable = text.parse().map_err(|error: toml::de::Error| BadSettings(error.message().to_owned()))?;
        let changed = match tables.remove(CHANGED) {
            Some(Value::Table(changed)) => changed,
            _ => TomlTable::new(),
        };
        let mut changes = BTreeMap::new();
        for (table, entries) in tables {
            let Value::Table(entries) = entries else { return Err(BadSettings(format!("{table} is not in a table"))) };
            for (key, value) in entries {
                let name = format!("{table}.{key}");
                changeable_key(&name).map_err(|error| BadSettings(error.to_string()))?;
                let text = |field| changed.get(&name).and_then(|change| change.get(field)?.as_str()).unwrap_or_default();
                let (by, at) = (text("by").to_owned(), text("at").to_owned());
                changes.insert(name, SettingChange { value, by, at });
            }
        }
        Ok(RuntimeSettings { changes })
    }

    /// Returns the content of the file.
    pub fn to_toml(&self) -> String {
        let mut tables = TomlTable::new();
        let mut changed = TomlTable::new();
        for (name, SettingChange { value, by, at }) in &self.changes {
            insert(&mut tables, name, value);
            let change = [("by", by), ("at", at)].map(|(field, text)| (field.to_owned(), Value::String(text.clone())));
            changed.insert(name.clone(), Value::Table(change.into_iter().collect()));
        }
        if !changed.is_empty() {
            tables.insert(CHANGED.to_owned(), Value::Table(changed));
        }
        format!("{HEADER}{tables}")
    }

    /// Changes a setting to this value, as a user types it: TOML, or a text without quotes, or the entries of a list with commas
    /// between them. `at`: the current time, in RFC 3339. Whether the configuration is then valid is checked by
    /// [`RuntimeSettings::apply`].
    ///
    /// # Errors
    /// There is no such key, it is read from the file alone, or the value has another form.
    pub fn set(&mut self, name: &str, text: &str, by: &str, at: &str) -> Result<ChangeEffect, SettingError> {
        let (_, key) = changeable_key(name)?;
        let value = parse_value(key, text).ok_or_else(|| SettingError::BadValue {
            name: name.to_owned(),
            value: text.to_owned(),
            expected: key.kind.expected(),
            example: key.example.trim_matches('"').to_owned(),
        })?;
        self.changes.insert(name.to_owned(), SettingChange { value, by: by.to_owned(), at: at.to_owned() });
        Ok(key.effect)
    }

    /// Removes a setting, so that the configuration file decides again.
    ///
    /// # Errors
    /// There is no such key, or it was not changed.
    pub fn unset(&mut self, name: &str) -> Result<ChangeEffect, SettingError> {
        let (_, key) = changeable_key(name)?;
        self.changes.remove(name).map(|_| key.effect).ok_or_else(|| SettingError::NotSet(name.to_owned()))
    }

    /// Returns the configuration of this file with the settings over it. The file itself must be valid.
    ///
    /// # Errors
    /// Returns the problems of both together, one sentence each.
    pub fn apply(&self, file: &str) -> Result<Config, Vec<String>> {
        let mut tables: TomlTable = file.parse().map_err(|error: toml::de::Error| vec![error.message().to_owned()])?;
        self.changes.iter().for_each(|(name, change)| insert(&mut tables, name, &change.value));
        let messages = |problems: Vec<Problem>| problems.into_iter().map(|problem| problem.message).collect();
        Config::parse(&tables.to_string()).map_err(messages)
    }

    /// Returns every key with its value and its source, in the order of the file. Of each `[[board]]`, the keys that are given.
    pub fn list(&self, file: &str) -> Vec<KeyValue> {
        let tables: TomlTable = file.parse().unwrap_or_default();
        keys::TABLES
            .iter()
            .flat_map(|table| match tables.get(table.name) {
                Some(Value::Array(boards)) => {
                    (1..).zip(boards).flat_map(|(index, board)| given_keys(table, index, board)).collect()
                }
                given => table.keys.iter().filter_map(|key| self.key_value(table, key, given)).collect::<Vec<_>>(),
            })
            .collect()
    }

    /// Returns a key of a plain table with its value.
    fn key_value(&self, table: &Table, key: &Key, given: Option<&Value>) -> Option<KeyValue> {
        let name = format!("{}.{}", table.name, key.name);
        let (value, source) = match (self.changes.get(&name), given.and_then(|given| given.get(key.name))) {
            (Some(SettingChange { value, by, at }), _) => {
                (value.to_string(), ValueSource::Settings { by: by.clone(), at: at.clone() })
            }
            (None, Some(value)) => (value.to_string(), ValueSource::File),
            // A [[board]] has no defaults unless it is given.
            (None, None) if table.name == "board" => return None,
            (None, None) => (key.default.unwrap_or_default().to_owned(), ValueSource::Default),
        };
        Some(KeyValue { name, value, source, effect: key.effect })
    }
}

/// Returns the keys that are given in one `[[board]]`.
fn given_keys(table: &Table, index: usize, board: &Value) -> Vec<KeyValue> {
    let key_value = |key: &Key| {
        let name = format!("{}[{index}].{}", table.name, key.name);
        Some(KeyValue { name, value: board.get(key.name)?.to_string(), source: ValueSource::File, effect: key.effect })
    };
    table.keys.iter().filter_map(key_value).collect()
}

/// Returns the key of this name, if it can be changed at run time.
fn changeable_key(name: &str) -> Result<(&'static Table, &'static Key), SettingError> {
    let Some((table, key)) = keys::find(name) else {
        let names: Vec<String> = keys::all().map(|(table, key)| format!("{}.{}", table.name, key.name)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let nearest = nearest(name, &names).map(str::to_owned);
        return Err(SettingError::UnknownKey { name: name.to_owned(), nearest });
    };
    if key.effect == ChangeEffect::FileOnly {
        return Err(SettingError::FileOnly(name.to_owned()));
    }
    Ok((table, key))
}

/// Parses a value as a user types it; `None`: it has another form than the key's.
fn parse_value(key: &Key, text: &str) -> Option<Value> {
    let toml = text.parse::<Value>().ok();
    match (&key.kind, toml) {
        (Kind::Flag, Some(value @ Value::Boolean(_))) => Some(value),
        (Kind::Number { min, max, .. }, Some(Value::Integer(number))) => {
            (*min..=*max).contains(&number).then_some(Value::Integer(number))
        }
        (Kind::Flag | Kind::Number { .. }, _) => None,
        (Kind::List { .. }, Some(value @ Value::Array(_))) => Some(value),
        (Kind::List { .. }, _) => {
            let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
            Some(Value::Array(entries.map(|entry| Value::String(entry.to_owned())).collect()))
        }
        (_, Some(value @ Value::String(_))) => Some(value),
        (Kind::Word(_) | Kind::Model | Kind::Text { .. }, _) => Some(Value::String(text.to_owned())),
    }
    .filter(|value| accepts(&key.kind, value))
}

/// Returns whether a value has the form of a key.
fn accepts(kind: &Kind, value: &Value) -> bool {
    let texts = || value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    match kind {
        Kind::Flag | Kind::Number { .. } => true,
        Kind::Word(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        Kind::Model => value.as_str().is_some_and(|text| crate::boards::model(text).is_some()),
        Kind::Text { accepts, .. } => value.as_str().is_some_and(accepts),
        Kind::List { accepts, .. } => texts().is_some_and(|texts| accepts(&texts)),
    }
}

/// Writes a value into the table that its name begins with.
fn insert(tables: &mut TomlTable, name: &str, value: &Value) {
    let Some((table, key)) = name.split_once('.') else { return };
    let entries = tables.entry(table.to_owned()).or_insert_with(|| Value::Table(TomlTable::new()));
    if let Value::Table(entries) = entries {
        entries.insert(key.to_owned(), value.clone());
    }
}

/// A change after which the public would see events sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierPublication {
    /// What holds now.
    pub before: DelayPolicy,
    /// What would hold.
    pub after: DelayPolicy,
}

/// Returns what the public would see sooner, or `None` if nothing.
pub fn earlier_publication(before: &Config, after: &Config) -> Option<EarlierPublication> {
    let policy = |config: &Config| DelayPolicy { delay: config.delay, illegal_moves: config.illegal_moves };
    let (before, after) = (policy(before), policy(after));
    let held = |policy: DelayPolicy| u8::from(policy.illegal_moves == IllegalMoves::Hold);
    let is_no_sooner =
        after.delay.ms >= before.delay.ms && after.delay.plies >= before.delay.plies && held(after) >= held(before);
    (!is_no_sooner).then_some(EarlierPublication { before, after })
}

impl fmt::Display for EarlierPublication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let describe = |policy: DelayPolicy| {
            let illegal_moves = policy.illegal_moves.word();
            format!("{} s, {} plies, illegal_move {illegal_moves}", policy.delay.ms / 1000, policy.delay.plies)
        };
        write!(
            f,
            "the public would see what happens from now on sooner ({} instead of {}), and so may help players; events until now \
             keep their delay",
            describe(self.after),
            describe(self.before)
        )
    }
}
