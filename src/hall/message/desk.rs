//! What the hub's desk has entered about the games of a machine. Each message replaces the one before.

use crate::game::GameResult;
use crate::game::json::result_or_star;
use serde::{Deserialize, Serialize};

/// What the desk has entered about the last games of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeskMessage {
    /// The newest game first.
    pub games: Vec<GameEntries>,
}

/// What the desk has entered about a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameEntries {
    /// The journal in which the game began.
    pub journal: String,
    /// Its number there.
    pub game: u64,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<TagsEntry>,
    /// Its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultEntry>,
}

/// The tags of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagsEntry {
    /// Identifies the entry: what has the same is done once.
    pub id: String,
    /// All tags beyond those that the record contains.
    pub tags: Vec<(String, String)>,
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Identifies the entry: what has the same is done once.
    pub id: String,
    /// The result; `*`: it was withdrawn.
    #[serde(with = "result_or_star")]
    pub result: Option<GameResult>,
    /// The number of the machine's event after which it was entered.
    #[serde(default)]
    pub after: u64,
    /// A person has entered it, so that it replaces what the machine has recorded since. Otherwise it was withdrawn.
    #[serde(default)]
    pub stands: bool,
}
