//! Files of the configuration that subcommands change, after showing the change and asking.

use super::service::{confirm, print};
use crate::config::{Config, ConfigError};
use crate::daemon::atomic_file::{self, Owner};
use anyhow::{Context, bail};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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
        self.write(&file.path, &change.text, &change.lines, notes)
    }

    /// Shows the changed lines of a file, each with a sign before it, asks whether to write the file, and writes it.
    ///
    /// # Errors
    /// The file cannot be written, or nobody can answer.
    pub(super) fn write(&self, path: &Path, text: &str, lines: &str, notes: &[String]) -> anyhow::Result<()> {
        let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
        print(&format!("{}:\n{lines}{notes}", path.display()))?;
        if !confirm("Write that?", self.yes)? {
            return Ok(print("nothing was changed\n")?);
        }
        write(path, text).with_context(|| format!("{} cannot be written: put sudo before the command", path.display()))?;
        Ok(print("written; it takes effect when touchmoved starts next: `sudo systemctl restart touchmoved`\n")?)
    }
}

/// A change of the configuration file.
pub(super) struct Change {
    /// The new text.
    pub(super) text: String,
    /// The changed lines, see [`with_sign`].
    pub(super) lines: String,
    /// The number of boards that the new file has.
    pub(super) boards: usize,
}

/// Returns lines that are added (`+`) or removed (`-`).
pub(super) fn with_sign(sign: char, text: &str) -> String {
    text.lines().map(|line| format!("{sign} {line}\n")).collect()
}

/// Returns the lines that differ between two texts, the removed ones first.
pub(super) fn changed_lines(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let equal_start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let (before, after) = (before.get(equal_start..).unwrap_or_default(), after.get(equal_start..).unwrap_or_default());
    let equal_end = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let differing = |lines: &[&str]| lines.get(..lines.len().saturating_sub(equal_end)).unwrap_or_default().join("\n");
    with_sign('-', &differing(before)) + &with_sign('+', &differing(after))
}

/// Replaces a file, which keeps its owner and its mode.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    // A link, as some administrators use, stays one.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&path) {
        Ok(metadata) => atomic_file::replace_as(&path, text, Owner::of(&path)?, metadata.permissions().mode() & 0o777),
        Err(_) => atomic_file::replace(&path, text, atomic_file::Durability::PowerCutSafe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_differ_are_shown() {
        let check = |before: &str, after: &str, expect: &str| assert_eq!(changed_lines(before, after), expect);
        check("a\nb\nc\n", "a\nx\nc\n", "- b\n+ x\n");
        check("a\nc\n", "a\nb\nc\n", "+ b\n");
        check("a\n", "a\n", "");
        check("a\na\n", "a\na\na\n", "+ a\n");
    }
}
