//! The replies of touchmoved to commands that succeeded.

use super::json::variant_to_json;
use crate::game::Command;
use crate::publish::dbus::command_words;
use crate::wire::command_from_value;
use serde_json::Value;
use std::collections::HashMap;
use zbus::{Message, OwnedVariant};

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

    /// Parses what method `Execute` returned for a command that is not a claim.
    pub(super) fn from_json(answer: &str) -> Reply {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        if let Some(allowed) = answer.get("allowed").and_then(Value::as_array) {
            return Reply::AllowedMoves(allowed.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        match answer.get("undone").map(command_from_value) {
            Some(Ok(undone)) => {
                let (command, argument) = command_words(&undone);
                Reply::Undone { command: command.to_owned(), argument }
            }
            _ => Reply::Done,
        }
    }
}

/// What a command would do, as returned by method `Preview`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandPreview {
    /// The number of the last event of the game.
    pub number: u64,
    /// A sentence for each effect.
    pub lines: Vec<String>,
    /// The words for carrying it out.
    pub action: String,
    /// The moves that leave the record; empty: none.
    pub removed: String,
    /// The moves that come on record in their place; empty: none.
    pub added: String,
    /// Whether something that was played leaves the record, or the game goes no further.
    pub removes: bool,
    /// Whether the user should be asked first.
    pub asks: bool,
    /// The number of plies played since the alert that the command answers was raised.
    pub plies_since_alert: u64,
}

impl CommandPreview {
    pub(super) fn new((number, lines, action, details): (u64, Vec<String>, String, HashMap<String, OwnedVariant>)) -> Self {
        let detail = |name: &str| details.get(name).map(|value| variant_to_json(value)).unwrap_or_default();
        let text = |name: &str| detail(name).as_str().unwrap_or_default().to_owned();
        CommandPreview {
            number,
            lines,
            action,
            removed: text("removed"),
            added: text("added"),
            removes: detail("removes").as_bool().unwrap_or_default(),
            asks: detail("asks").as_bool().unwrap_or_default(),
            plies_since_alert: detail("plies_since_alert").as_u64().unwrap_or_default(),
        }
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
