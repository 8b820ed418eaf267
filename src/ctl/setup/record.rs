//! What setup has changed on this machine, by steps, so that it can be undone: `setup.json` beside the configuration file.

use crate::daemon::atomic_file;
use anyhow::Context;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::Path;

/// The file.
pub(super) const FILE: &str = "/etc/touchmove/setup.json";

/// All changes, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    changes: Vec<Entry>,
}

/// A change, and the step that has made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The name of the step.
    pub step: String,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(super) enum Change {
    /// A key of the configuration file was set. Values are TOML; `None`: the key was not in the file, or was removed from it.
    Key {
        /// The table of the key.
        table: String,
        /// The key.
        key: String,
        /// Its value before setup changed it first.
        before: Option<String>,
        /// Its value since.
        after: Option<String>,
    },
    /// A `[[board]]` was added to the configuration file.
    Board {
        /// The name of the board.
        name: String,
        /// The text of the table.
        table: String,
    },
    /// A file was written.
    File {
        /// The file.
        path: String,
        /// The SHA-256 of its content.
        sha256: String,
    },
    /// A user was added to a group.
    Member {
        /// The user.
        user: String,
        /// The group.
        group: String,
    },
    /// The service was enabled, which it was not before.
    Enabled {
        /// The unit.
        unit: String,
    },
}

impl Change {
    /// Returns whether both are of the same thing, so that the later one takes the place of the earlier one.
    fn is_of_same(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::Key { table, key, .. }, Change::Key { table: other_table, key: other_key, .. }) => {
                (table, key) == (other_table, other_key)
            }
            (Change::Board { name, .. }, Change::Board { name: other, .. }) => name == other,
            (Change::File { path, .. }, Change::File { path: other, .. }) => path == other,
            _ => self == other,
        }
    }
}

impl Record {
    /// Reads the record; without a file it is empty.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(super) fn load(path: &Path) -> anyhow::Result<Record> {
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| {
                format!("{} is damaged: remove it; what setup did before can then not be undone", path.display())
            }),
            // With --dry-run, users need not be root.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
                Ok(Record::default())
            }
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
    }

    /// Writes the record; an empty one removes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        let written = match self.changes.is_empty() {
            true => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            false => {
                let text = serde_json::to_string_pretty(self)?;
                let folder = path.parent().unwrap_or(Path::new("/"));
                atomic_file::make_folder(folder, 0o755).and_then(|()| atomic_file::replace_secret(path, &(text + "\n")))
            }
        };
        written.with_context(|| format!("{} cannot be written", path.display()))
    }

    /// Adds a change. If the same thing was changed before, and by nobody since, what it was before that is what counts.
    pub(super) fn add(&mut self, step: &str, mut change: Change) {
        match self.changes.iter_mut().find(|entry| entry.change.is_of_same(&change)) {
            Some(entry) => {
                if let (Change::Key { before, .. }, Change::Key { before: first, after, .. }) = (&mut change, &entry.change)
                    && before == after
                {
                    before.clone_from(first);
                }
                entry.change = change;
            }
            None => self.changes.push(Entry { step: step.to_owned(), change }),
        }
    }

    /// Returns the changes of a step, the last one first.
    pub(super) fn of_step(&self, step: &str) -> Vec<Change> {
        self.changes.iter().rev().filter(|entry| entry.step == step).map(|entry| entry.change.clone()).collect()
    }

    /// Returns the recorded change of a key.
    pub(super) fn key(&self, table: &str, key: &str) -> Option<&Change> {
        self.changes.iter().map(|entry| &entry.change).find(
            |change| matches!(change, Change::Key { table: known, key: known_key, .. } if (known.as_str(), known_key.as_str()) == (table, key)),
        )
    }

    /// Returns the recorded SHA-256 of a file.
    pub(super) fn file(&self, path: &str) -> Option<&str> {
        self.changes.iter().find_map(|entry| match &entry.change {
            Change::File { path: known, sha256 } if known == path => Some(sha256.as_str()),
            _ => None,
        })
    }

    /// Removes a change.
    pub(super) fn forget(&mut self, change: &Change) {
        self.changes.retain(|entry| entry.change != *change);
    }
}

/// Returns the SHA-256 of a text, as hexadecimal digits.
pub(super) fn sha256(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_the_first_change_is_remembered() {
        let change = |before: Option<&str>, after: &str| Change::Key {
            table: "web".to_owned(),
            key: "listen".to_owned(),
            before: before.map(str::to_owned),
            after: Some(after.to_owned()),
        };
        let mut record = Record::default();
        record.add("page", change(None, "'a'"));
        record.add("page", change(Some("'a'"), "'b'"));
        assert_eq!(record.of_step("page"), [change(None, "'b'")]);
        // Somebody has changed it meanwhile.
        record.add("page", change(Some("'c'"), "'d'"));
        assert_eq!(record.of_step("page"), [change(Some("'c'"), "'d'")]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("etc/setup.json");
        record.save(&path).unwrap();
        assert_eq!(Record::load(&path).unwrap(), record);
        record.forget(&change(Some("'c'"), "'d'"));
        record.save(&path).unwrap();
        assert!(!path.exists());
    }
}
