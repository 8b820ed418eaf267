//! Where the journal and the recordings are stored, and how much disk space recordings take.

use super::key::{ChangeEffect, Key, Kind, Table, is_absolute, key, number, text};
use super::values::Values;

/// Directory of the service's journal and recordings, unless another is configured.
pub(super) const DEFAULT_STATE_DIR: &str = "/var/lib/touchmove";

/// Limits on disk space, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLimits {
    /// Maximum size of all recordings together.
    pub max: u64,
    /// Minimum free space on the disk; below it, nothing is recorded.
    pub reserve: u64,
}

/// The table `[journal]`.
pub(super) static JOURNAL: Table =
    Table { name: "journal", about: "The journal, in which every event is stored before it is published.", keys: JOURNAL_KEYS };

const JOURNAL_KEYS: &[Key] = &[key(
    "state_dir",
    text("an absolute path", is_absolute),
    None,
    "\"/var/lib/touchmove\"",
    "The directory of the journal and the recordings.\n\
     If omitted: $STATE_DIRECTORY, otherwise $XDG_STATE_HOME/touchmove, otherwise ~/.local/state/touchmove, otherwise\n\
     /var/lib/touchmove.",
)];

/// The table `[recordings]`.
pub(super) static RECORDINGS: Table = Table {
    name: "recordings",
    about: "Recordings of everything that the boards send, to be replayed with `touchmovectl replay`.",
    keys: RECORDINGS_KEYS,
};

const RECORDINGS_KEYS: &[Key] = &[
    key("on", Kind::Flag, Some("true"), "true", "Whether recordings are written next to the journal.")
        .changes(ChangeEffect::NextStart),
    key(
        "max_mb",
        number(1, 1_000_000, "MB"),
        Some("256"),
        "256",
        "The maximum size of all recordings together. The oldest are deleted for the newest; first those of boards that take\n\
         more than their equal share.",
    )
    .changes(ChangeEffect::NextStart),
    key(
        "reserve_mb",
        number(0, 1_000_000, "MB"),
        Some("64"),
        "64",
        "Recording stops when the disk has less free space than this, which is reserved for moves.",
    )
    .changes(ChangeEffect::NextStart),
];

/// Returns the disk space for recordings, or `None` if nothing is recorded.
pub(super) fn read_recordings(values: &Values<'_>) -> Option<DiskLimits> {
    let megabytes = |key| values.number::<u64>(key) * 1_000_000;
    values.flag("on").then(|| DiskLimits { max: megabytes("max_mb"), reserve: megabytes("reserve_mb") })
}
