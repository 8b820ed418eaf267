//! The machine that is set up: its files, and what is known of it.

use super::Args;
use super::answers::Answers;
use super::network_names::NetworkNames;
use super::record::{Change, Record, sha256};
use crate::config::settings::SETTINGS_FILE;
use crate::config::{Config, key_text};
use crate::ctl::config_file;
use crate::daemon::atomic_file::{self, Owner};
use crate::names::SERVICE_CONFIG;
use anyhow::{Context, anyhow, bail};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The state directory of the service.
const STATE_DIR: &str = "/var/lib/touchmove";

/// The machine.
pub(super) struct Machine {
    root: PathBuf,
    /// The text of the configuration file.
    pub text: String,
    /// The configuration file, checked.
    pub config: Config,
    /// What setup has changed, now and before.
    pub record: Record,
    /// What the user wants.
    pub answers: Answers,
    /// How other machines reach this one.
    pub names: NetworkNames,
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// All users.
    Everybody,
    /// The service, by its group `touchmove`, and root.
    Service,
    /// Root.
    Root,
}

impl Machine {
    /// Reads what is there.
    ///
    /// # Errors
    /// A file cannot be read, or is not valid.
    pub(super) fn open(args: &Args) -> anyhow::Result<Machine> {
        let root = args.root.clone();
        let path = below(&root, SERVICE_CONFIG);
        let (config, text) = Config::load_with_text(&path)?;
        let record = Record::load(&below(&root, super::record::FILE))?;
        Ok(Machine { root, text, config, record, answers: Answers::default(), names: NetworkNames::default() })
    }

    /// Returns whether this is the machine that runs.
    pub(super) fn is_running(&self) -> bool {
        self.root == Path::new("/")
    }

    /// Returns where a file of the machine is.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        below(&self.root, path)
    }

    /// Reads a file of the machine; `None`: it does not exist.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(&self, path: &str) -> anyhow::Result<Option<String>> {
        match fs::read_to_string(self.path(path)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", self.path(path).display())),
        }
    }

    /// Returns a sentence about a key that was set while touchmoved runs, and therefore is not changed by the file.
    pub(super) fn settings_note(&self, table: &str, key: &str) -> Option<String> {
        let settings = self.read(&format!("{STATE_DIR}/{SETTINGS_FILE}")).ok().flatten()?;
        let value = key_text::value(&settings, table, key)?;
        Some(format!(
            "{table}.{key} = {value} was set while touchmoved ran, and holds until `sudo touchmovectl config unset {table}.{key}`"
        ))
    }

    /// Returns why a file that setup has written is not written again: somebody has changed it since.
    pub(super) fn change_note(&self, path: &str) -> Option<String> {
        let recorded = self.record.file(path)?;
        let text = self.read(path).ok().flatten()?;
        (sha256(&text) != recorded).then(|| {
            format!("{path} was changed since setup wrote it, and stays: for a new one remove it, and run setup again")
        })
    }

    /// Writes a file, and records it.
    ///
    /// # Errors
    /// It cannot be written, or somebody has changed it since setup wrote it.
    pub(super) fn write(&mut self, step: &str, path: &str, text: &str, readers: Readers) -> anyhow::Result<()> {
        if let Some(note) = self.change_note(path) {
            bail!(note);
        }
        let file = self.path(path);
        let folder = file.parent().unwrap_or(&self.root);
        let write = || -> io::Result<()> {
            atomic_file::make_folder(folder, 0o755)?;
            let folder = Owner::of(folder)?;
            let (group, mode) = match readers {
                Readers::Everybody => (folder.group, 0o644),
                Readers::Root => (folder.group, 0o600),
                Readers::Service => match self.group_id("touchmove") {
                    Some(group) => (group, 0o640),
                    None => (folder.group, 0o600),
                },
            };
            atomic_file::replace_as(&file, text, Owner { user: folder.user, group }, mode)
        };
        write().with_context(|| format!("{} cannot be written", file.display()))?;
        self.remember(step, Change::File { path: path.to_owned(), sha256: sha256(text) })
    }

    /// Replaces the configuration file with a text that must be valid.
    ///
    /// # Errors
    /// It is not valid, or cannot be written.
    pub(super) fn write_config(&mut self, text: String) -> anyhow::Result<()> {
        let path = self.path(SERVICE_CONFIG);
        let config = self.check_config(&text)?;
        config_file::write(&path, &text).with_context(|| format!("{} cannot be written", path.display()))?;
        (self.text, self.config) = (text, config);
        Ok(())
    }

    /// Returns the configuration that a text of the configuration file stands for.
    ///
    /// # Errors
    /// It is not valid.
    pub(super) fn check_config(&self, text: &str) -> anyhow::Result<Config> {
        let path = self.path(SERVICE_CONFIG);
        Config::parse(text).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect();
            anyhow!("the configuration would not be valid:\n{}", problems.join("\n"))
        })
    }

    /// Records a change of a step, on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn remember(&mut self, step: &str, change: Change) -> anyhow::Result<()> {
        self.record.add(step, change);
        self.save_record()
    }

    /// Writes the record.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn save_record(&self) -> anyhow::Result<()> {
        self.record.save(&self.path(super::record::FILE))
    }

    /// Returns the number of a group.
    fn group_id(&self, name: &str) -> Option<u32> {
        self.group_line(name)?.split(':').nth(2)?.parse().ok()
    }

    /// Returns the line of a group in /etc/group.
    pub(super) fn group_line(&self, name: &str) -> Option<String> {
        self.line("/etc/group", name)
    }

    /// Returns whether a user is in /etc/passwd: those of a directory service are not, and usermod does not change them.
    pub(super) fn has_user(&self, name: &str) -> bool {
        self.line("/etc/passwd", name).is_some()
    }

    /// Returns the line of a file whose first field, up to a colon, is this name.
    fn line(&self, path: &str, name: &str) -> Option<String> {
        let text = self.read(path).ok().flatten()?;
        text.lines().find(|line| line.split(':').next() == Some(name)).map(str::to_owned)
    }
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
