//! The replies of touchmoved to commands that succeeded.

use crate::game::Command;
use zbus::Message;

/// The reply of touchmoved to a command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The command was carried out.
    Done,
    /// A position was restored, and the touched pieces allow these moves, as UCI; empty: any legal move.
    AllowedMoves(Vec<String>),
    /// The verdict on a claim.
    Claim(ClaimVerdict),
    /// A command was undone; the fields are as in signal `Commanded`.
    Undone {
        /// The command.
        command: String,
        /// The command's argument.
        argument: String,
    },
}

impl Reply {
    /// Parses what the method of a command returned.
    pub(super) fn parse(command: &Command, message: &Message) -> zbus::Result<Reply> {
        let body = message.body();
        Ok(match command {
            Command::Restore { .. } => Reply::AllowedMoves(body.deserialize()?),
            Command::Undo {} => {
                let (command, argument) = body.deserialize()?;
                Reply::Undone { command, argument }
            }
            Command::Claim { .. } => {
                let (is_correct, sentence, occurrences, plies_without_progress, required, articles) = body.deserialize()?;
                Reply::Claim(ClaimVerdict { is_correct, sentence, occurrences, plies_without_progress, required, articles })
            }
            _ => Reply::Done,
        })
    }
}

/// The verdict on a claim, as returned by method `Claim`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimVerdict {
    /// Whether the game is drawn.
    pub is_correct: bool,
    /// The reason, as a sentence.
    pub sentence: String,
    /// Plies after which the position occurred on the board.
    pub occurrences: Vec<u32>,
    /// Number of plies without a capture or pawn move.
    pub plies_without_progress: u32,
    /// What the Laws require.
    pub required: Vec<String>,
    /// The articles, the most important first.
    pub articles: Vec<String>,
}
