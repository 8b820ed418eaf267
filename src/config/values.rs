//! Reads the values of one table of the file according to the table of keys.

use super::Problem;
use super::key::{Key, Kind, Table};
use crate::boards;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value of the right kind and in range.
#[derive(Clone)]
pub(super) enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
}

/// The values of one table; values that are missing or invalid have their defaults.
pub(super) struct Values<'a> {
    pub(super) table: &'static Table,
    pub(super) given: Vec<(&'static Key, Value, Range<usize>)>,
    /// Keys whose values were invalid; those problems have been reported already.
    pub(super) refused: Vec<&'static str>,
    pub(super) problems: &'a mut Problems,
    /// The range of the table itself.
    pub(super) span: Range<usize>,
}

/// The problems found so far.
pub(super) struct Problems {
    /// All tables, to say where an unknown key belongs.
    pub(super) tables: &'static [&'static Table],
    /// The file.
    pub(super) text: String,
    /// Where each problem begins, in bytes, and its message.
    pub(super) found: Vec<(usize, String)>,
}

impl Problems {
    pub(super) fn add(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.found.push((span.start, message.into()));
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
    }

    /// Returns the problems in the order of the file, with lines and columns.
    pub(super) fn sorted(mut self) -> Vec<Problem> {
        self.found.sort();
        self.found.dedup();
        let to_problem = |(at, message): &(usize, String)| {
            let before = self.text.get(..*at).unwrap_or(&self.text);
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            Problem { line: self.line(*at), column, message: message.clone() }
        };
        self.found.iter().map(to_problem).collect()
    }
}

/// Reads a plain table; a missing one is treated as empty.
pub(super) fn read_table<'a>(root: &DeTable<'_>, table: &'static Table, problems: &'a mut Problems) -> Values<'a> {
    let empty = DeTable::new();
    match root.get(table.name) {
        None => read_values(table, &empty, 0..0, problems),
        Some(value) => match value.get_ref().as_table() {
            Some(entries) => read_values(table, entries, value.span(), problems),
            None => {
                let how = if value.get_ref().is_array() {
                    "with single brackets"
                } else {
                    "on a line of its own, and its keys below"
                };
                problems.add(&value.span(), format!("{0} is a table: write [{0}] {how}", table.name));
                read_values(table, &empty, 0..0, problems)
            }
        },
    }
}

/// Reads the entries of a table according to the table of keys.
pub(super) fn read_values<'a>(
    table: &'static Table,
    entries: &DeTable<'_>,
    span: Range<usize>,
    problems: &'a mut Problems,
) -> Values<'a> {
    let (mut given, mut refused) = (Vec::new(), Vec::new());
    for (name, value) in entries {
        let Some(key) = table.keys.iter().find(|key| key.name == name.get_ref().as_ref()) else {
            problems.add(&name.span(), unknown_key_message(problems.tables, table, name.get_ref()));
            continue;
        };
        match read_value(key, value) {
            Ok(read) => given.push((key, read, value.span())),
            Err(message) => {
                problems.add(&value.span(), message);
                refused.push(key.name);
            }
        }
    }
    Values { table, given, refused, problems, span }
}

pub(super) fn read_value(key: &Key, value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    let value = value.get_ref();
    let wrong = |found: String| {
        Err(format!("{} is {found}; write {}, such as {} = {}", key.name, key.kind.expected(), key.name, key.example))
    };
    match (&key.kind, value) {
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Number { min, max, .. }, DeValue::Integer(integer)) => {
            match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) if (*min..=*max).contains(&number) => Ok(Value::Number(number)),
                _ => wrong(integer.as_str().to_owned()),
            }
        }
        (Kind::Word(words), DeValue::String(text)) if words.contains(&text.as_ref()) => Ok(Value::Text(text.to_string())),
        (Kind::Model, DeValue::String(text)) if boards::model(text).is_some() => Ok(Value::Text(text.to_string())),
        (Kind::Text { accepts, .. }, DeValue::String(text)) if accepts(text) => Ok(Value::Text(text.to_string())),
        (Kind::List { accepts, .. }, DeValue::Array(array)) => {
            let texts = array.iter().map(|entry| entry.get_ref().as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
            match texts.filter(|texts| accepts(texts)) {
                Some(texts) => Ok(Value::List(texts)),
                None => wrong("an invalid list".to_owned()),
            }
        }
        (Kind::Word(_) | Kind::Model | Kind::Text { .. }, DeValue::String(text)) => wrong(format!("{:?}", text.as_ref())),
        (_, other) => wrong(match other {
            DeValue::String(_) => "text in quotes".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
            DeValue::Datetime(_) => "a date without quotes".to_owned(),
            DeValue::Float(float) => float.as_str().to_owned(),
            DeValue::Integer(integer) => format!("the number {}", integer.as_str()),
            DeValue::Boolean(flag) => flag.to_string(),
        }),
    }
}

impl Values<'_> {
    pub(super) fn find(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|(key, ..)| key.name == name).map(|(_, value, _)| value)
    }

    pub(super) fn span_of(&self, name: &str) -> Option<Range<usize>> {
        self.given.iter().find(|(key, ..)| key.name == name).map(|(.., span)| span.clone())
    }

    /// Returns the value if it was given and is valid.
    pub(super) fn given_text(&self, name: &str) -> Option<String> {
        match self.find(name) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.given_text(name).unwrap_or_else(|| self.table.key(name).default.unwrap_or_default().trim_matches('"').to_owned())
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        match self.find(name) {
            Some(Value::List(texts)) => texts.clone(),
            _ => {
                let default: Option<toml::Value> = self.table.key(name).default.and_then(|default| default.parse().ok());
                let texts = default.as_ref().and_then(toml::Value::as_array).into_iter().flatten();
                texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
            }
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        match self.find(name) {
            Some(Value::Flag(flag)) => *flag,
            _ => self.table.key(name).default == Some("true"),
        }
    }

    /// Returns a number. Its range in the table of keys must lie within that of `T`; a test checks this.
    pub(super) fn number<T: TryFrom<i64> + Default>(&self, name: &str) -> T {
        let number = match self.find(name) {
            Some(Value::Number(number)) => *number,
            _ => self.table.key(name).default.and_then(|default| default.parse().ok()).unwrap_or_default(),
        };
        T::try_from(number).unwrap_or_default()
    }
}

/// Returns the first table that has a key of this name.
fn table_of(tables: &[&'static Table], name: &str) -> Option<&'static Table> {
    tables.iter().copied().find(|table| table.keys.iter().any(|key| key.name == name))
}

fn unknown_key_message(tables: &[&'static Table], table: &Table, name: &str) -> String {
    let names: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
    let head = format!("there is no key {name} in {}", table.header());
    if let Some(near) = nearest(name, &names) {
        return format!("{head}; did you mean {near}?");
    }
    match table_of(tables, name) {
        Some(other) => format!("{head}: {name} belongs under {}", other.header()),
        None => format!("{head}; there are {}", names.join(", ")),
    }
}

pub(super) fn unknown_at_top_level_message(tables: &[&'static Table], name: &str, is_table: bool) -> String {
    if let Some(other) = table_of(tables, name).filter(|_| !is_table) {
        return format!("{name} belongs under {}: write that line first", other.header());
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    match nearest(name, &names).and_then(|near| tables.iter().find(|table| table.name == near)) {
        Some(near) => format!("there is no table {name}; did you mean {}?", near.header()),
        None => {
            let all: Vec<String> = tables.iter().map(|table| table.header()).collect();
            format!("there is no table or key {name}; there are {}", all.join(", "))
        }
    }
}

/// Returns the most similar name, if it is similar enough to be a typing error.
pub(super) fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    names
        .iter()
        .map(|other| (edit_distance(name, other), *other))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, other)| other)
}

/// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string alignment).
pub(super) fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut least =
                (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
