//! Replies to commands.

use crate::game::json::texts;
use crate::game::{Command, Preview, Text};
use crate::laws::RulingAction;
use serde::{Deserialize, Serialize};

/// The reply to a command that was carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The command was carried out.
    #[default]
    Done,
    /// A position was restored, and the player to move must make one of these moves, in UCI (Art. 7.5.1). Empty: any legal move.
    AllowedMoves(Vec<String>),
    /// The evaluation of a draw claim.
    Claim(Verdict),
    /// This command was undone.
    Undone(Command),
    /// What the command would do. Nothing was changed.
    Preview(Box<Preview>),
}

/// The evaluation of a draw claim (Art. 9.2, 9.3), and what the Laws then require.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the claim is correct, so that the game is drawn.
    pub is_correct: bool,
    /// The reason.
    pub text: Text,
    /// The plies after which the position occurred, 0 for the start; an intended move's own ply is the last.
    pub occurrences: Vec<u32>,
    /// Plies without a capture or a pawn move, including the intended one.
    pub plies_without_progress: u32,
    /// What the Laws require, in this order; empty if the edition does not say.
    #[serde(with = "texts")]
    pub required: Vec<RulingAction>,
    /// The articles of the edition in force, the most important first; empty if it is silent, or its text is not available.
    pub articles: Vec<String>,
}
