//! Keys of the configuration file that a step sets.

use super::machine::Machine;
use super::plan::StepState;
use super::record::Change;
use crate::config::key_text;
use anyhow::Context;

/// A key, and the value that it should have, as TOML; `None`: it should not be in the file.
pub(super) struct WantedKey {
    /// The table of the key.
    pub table: &'static str,
    /// The key.
    pub key: &'static str,
    /// The value.
    pub value: Option<String>,
}

impl WantedKey {
    /// Returns a key that should have this text.
    pub(super) fn text(table: &'static str, key: &'static str, text: &str) -> WantedKey {
        WantedKey { table, key, value: Some(toml::Value::String(text.to_owned()).to_string()) }
    }

    /// Returns a key that should not be in the file.
    pub(super) fn absent(table: &'static str, key: &'static str) -> WantedKey {
        WantedKey { table, key, value: None }
    }

    fn is_as_wanted(&self, text: &str) -> bool {
        match &self.value {
            Some(value) => key_text::has_value(text, self.table, self.key, value),
            None => key_text::value(text, self.table, self.key).is_none(),
        }
    }

    fn describe(&self) -> String {
        match &self.value {
            Some(value) => format!("+ [{}] {} = {value}", self.table, self.key),
            None => format!("- [{}] {}", self.table, self.key),
        }
    }
}

/// Returns what a step has to do that sets these keys.
pub(super) fn examine(machine: &Machine, wanted: &[WantedKey], done: impl FnOnce() -> String) -> StepState {
    let pending = wanted.iter().filter(|key| !key.is_as_wanted(&machine.text));
    let mut lines: Vec<String> = pending.map(WantedKey::describe).collect();
    let notes = wanted.iter().filter_map(|key| machine.settings_note(key.table, key.key));
    if lines.is_empty() {
        return StepState::Done(std::iter::once(done()).chain(notes).collect::<Vec<_>>().join("; "));
    }
    lines.insert(0, format!("{}:", machine.path(crate::names::SERVICE_CONFIG).display()));
    lines.extend(notes);
    StepState::Pending(lines)
}

/// Sets keys, and records them.
///
/// # Errors
/// The file has a form that is not changed, would not be valid, or cannot be written.
pub(super) fn apply(machine: &mut Machine, step: &str, wanted: &[WantedKey]) -> anyhow::Result<()> {
    let mut text = machine.text.clone();
    let mut changes = Vec::new();
    for WantedKey { table, key, value } in wanted.iter().filter(|key| !key.is_as_wanted(&machine.text)) {
        let before = key_text::value(&text, table, key).map(str::to_owned);
        let changed = match value {
            Some(value) => key_text::set(&text, table, key, value),
            None => key_text::remove(&text, table, key),
        };
        text = changed.with_context(|| form_error(table, key))?;
        changes.push(Change::Key { table: (*table).to_owned(), key: (*key).to_owned(), before, after: value.clone() });
    }
    machine.write_config(text)?;
    changes.into_iter().for_each(|change| machine.record.add(step, change));
    machine.save_record()
}

/// Returns what to do about a file with a form that is not changed.
pub(super) fn form_error(table: &str, key: &str) -> String {
    format!("the configuration file has [{table}] in a form that this program does not change: write {key} by hand")
}
