//! The configuration file that `add` and `forget` write.

use crate::config::{Config, ConfigError};
use crate::ctl::service::{confirm, print};
use crate::daemon::atomic_file::{self, Owner};
use anyhow::{Context, bail};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Which file is written.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The configuration file [default: the one that touchmoved reads]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// A configuration file that is valid.
pub(super) struct ConfigFile {
    path: PathBuf,
    pub(super) text: String,
    pub(super) config: Config,
}

impl Place {
    /// Reads the file; one that does not exist is empty.
    pub(super) fn read(&self) -> Result<ConfigFile, ConfigError> {
        let path = self.config.clone().unwrap_or_else(Config::default_path);
        let (config, text) = Config::load_with_text(&path)?;
        Ok(ConfigFile { path, text, config })
    }

    /// Shows a change of the file, asks whether to make it, and makes it. `notes` are sentences about what follows from it.
    ///
    /// # Errors
    /// The result would not be what is meant, or cannot be written.
    pub(super) fn change(&self, file: &ConfigFile, change: &Change, notes: &[String]) -> anyhow::Result<()> {
        let path = file.path.display();
        let config = Config::parse(&change.text).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(|problem| format!("{path}:{problem}")).collect();
            anyhow::anyhow!("the file would not be valid:\n{}", problems.join("\n"))
        })?;
        if config.boards.len() != change.boards {
            bail!("{path} has a form that this program does not change: edit it by hand");
        }
        let sign = if change.adds { '+' } else { '-' };
        let lines: String = change.table.lines().map(|line| format!("  {sign} {line}\n")).collect();
        let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
        print(&format!("{path}:\n{lines}{notes}"))?;
        if !confirm("Write that?", self.yes)? {
            return Ok(print("nothing was changed\n")?);
        }
        write(file, &change.text).with_context(|| format!("{path} cannot be written: put sudo before the command"))?;
        Ok(print("written; it takes effect when touchmoved starts next: `sudo systemctl restart touchmoved`\n")?)
    }
}

/// A change of the file.
pub(super) struct Change {
    /// The new text.
    pub(super) text: String,
    /// The table that is added or removed.
    pub(super) table: String,
    /// Whether it is added.
    pub(super) adds: bool,
    /// The number of boards that the new file has.
    pub(super) boards: usize,
}

/// Replaces the file, which keeps its owner and its mode.
fn write(file: &ConfigFile, text: &str) -> io::Result<()> {
    // A link, as some administrators use, stays one.
    let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
    match std::fs::metadata(&path) {
        Ok(metadata) => atomic_file::replace_as(&path, text, Owner::of(&path)?, metadata.permissions().mode() & 0o777),
        Err(_) => atomic_file::replace(&path, text, atomic_file::Durability::PowerCutSafe),
    }
}
