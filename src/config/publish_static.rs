//! The public page as files: see `publish::static_site`.

use super::files::conflict;
use super::hooks::is_command;
use super::key::{Key, Table, is_absolute, key, list, number, text};
use super::values::Values;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where and how the public page is written as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishStatic {
    /// The directory.
    pub dir: PathBuf,
    /// The program that is run after files have been written, with its arguments; empty: none.
    pub command: Vec<String>,
    /// The pause between two writes.
    pub interval: Duration,
    /// How long the program may run.
    pub timeout: Duration,
}

/// The table `[publish_static]`.
pub(super) static TABLE: Table = Table {
    name: "publish_static",
    about: "The public page as files, for any web server, web host or CDN, so that spectators need not reach this machine. With the\n\
            delay of [broadcast]. Off unless `dir` is given.",
    keys: KEYS,
};

const KEYS: &[Key] = &[
    key(
        "dir",
        text("an absolute path", is_absolute),
        None,
        "\"/srv/www/open\"",
        "The folder of the page, which is created if it does not exist. Files that touchmoved did not write there stay as they are.",
    ),
    key(
        "command",
        list("a list of the absolute path of a program and its arguments, or []", is_command),
        Some("[]"),
        "[\"/usr/bin/rsync\", \"-a\", \"--delete-after\", \"/srv/www/open/\", \"web@example.org:open/\"]",
        "A program that is run after files have been written, without a shell: its absolute path, and its arguments. It has the\n\
         folder in TOUCHMOVE_DIR and gets the paths of the changed files, relative to it, on its standard input, one a line. If it\n\
         fails, it is run again with the same paths. []: none.",
    ),
    key(
        "interval_s",
        number(1, 3600, "seconds"),
        Some("5"),
        "15",
        "How long touchmoved waits at least between two writes. Browsers read the files again as often.",
    ),
    key("timeout_s", number(1, 3600, "seconds"), Some("60"), "300", "How long the program may run; then it is killed."),
];

/// Reads the table. Reports a problem if the directory overlaps with the state directory.
pub(super) fn read(values: Values<'_>, state_dir: &Path) -> Option<PublishStatic> {
    let dir = PathBuf::from(values.given_text("dir")?);
    if let Some(conflict) = conflict(&dir, state_dir) {
        values.problems.add(&values.span_of("dir").unwrap_or(values.span.clone()), conflict);
    }
    let seconds = |name| Duration::from_secs(values.number(name));
    Some(PublishStatic { dir, command: values.list("command"), interval: seconds("interval_s"), timeout: seconds("timeout_s") })
}
