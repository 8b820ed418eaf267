//! What a machine asks the hub.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Question {
    /// The time of the hub.
    Time,
    /// What the hub has on disk of this machine's games.
    Kept,
    /// Nothing: says that another machine is connected under the name of this one. The answer has no fields.
    Copy,
}

/// The answer to [`Question::Time`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeAnswer {
    /// Identifies the process of the hub: its times are comparable only with others of the same one.
    pub instance: String,
    /// The term of the hub, which grows when another computer becomes the hub; `None`: there is only one hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<u64>,
    /// Milliseconds of a clock that does not go back.
    pub now_ms: u64,
    /// Wall-clock time: Unix time in milliseconds.
    pub wall_ms: i64,
}

/// The answer to [`Question::Kept`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The games that the hub has, by the journal in which they began: the number of each there, and that of its last event on disk.
    pub games: BTreeMap<String, Vec<(u64, u64)>>,
}
