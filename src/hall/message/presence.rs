//! That a machine is there, and how it is.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a machine says of itself every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Presence {
    /// Identifies the machine since it booted: another one with the same name is a copy.
    pub boot: String,
    /// Identifies the process since it was started.
    pub instance: String,
    /// The version of touchmove.
    pub version: String,
    /// Number of events that the hub has not confirmed.
    pub unsent: u64,
    /// Free disk space in the state directory, in bytes.
    pub free_bytes: Option<u64>,
    /// Temperature of the processor, in tenths of a degree Celsius.
    pub temperature: Option<i64>,
    /// How far the machine's clock is ahead of the hub's, in milliseconds; `None`: not known yet.
    pub clock_offset_ms: Option<i64>,
    /// Health problems, as sentences.
    pub problems: Vec<String>,
}

/// What the hub has on disk of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The number of events, by the journals in which their games began.
    pub events: BTreeMap<String, u64>,
    /// The number of messages that the hub has still to read: its lag.
    pub behind: u64,
}
