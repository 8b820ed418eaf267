//! A command to a machine, and its reply.

use super::continuation::ContinuedGame;
use crate::game::{Answer, ErrorCode, Refusal, Text};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A command to a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandRequest {
    /// Identifies the command (UUID): it is carried out at most once.
    pub id: String,
    /// Identifies the process of the hub, see [`super::question::TimeAnswer`].
    pub hub: String,
    /// The term of the hub: a machine refuses commands of an older one. `None`: there is only one hub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<u64>,
    /// When the hub gives up waiting, in the milliseconds of its clock: the command is not carried out after that.
    pub expires_ms: u64,
    /// The name of the board at its machine.
    pub board: String,
    /// The game that it is for: the journal in which it began, and its number there; `None`: whatever game is on the board.
    #[serde(default)]
    pub game: Option<(String, u64)>,
    /// The number of the last event of the game that its author has seen; `None`: whatever has happened.
    #[serde(default)]
    pub seen: Option<u64>,
    /// What is to be done.
    pub action: Action,
}

/// What a machine is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Execute an order, in the JSON form of orders.
    Order(Value),
    /// Report what an order would do.
    Preview(Value),
    /// Identify the board by its lights or its beeper.
    Identify,
    /// Continue a game of another board on the board, on which its position is set up.
    Continue(ContinuedGame),
}

/// The reply to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandReply {
    /// It was carried out.
    Done {
        /// The answer.
        answer: Answer,
        /// The game that it changed, and the number of its last event then.
        game: Option<(String, u64, u64)>,
    },
    /// It was not carried out.
    Refused(RefusedCommand),
}

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCommand {
    /// The name of the error for programs.
    pub code: String,
    /// The reason, in English.
    pub message: String,
    /// The reason before translation; `None`: only `message` has it.
    #[serde(default)]
    pub text: Option<Text>,
    /// If the game has changed meanwhile: the last event that the author had seen.
    #[serde(default)]
    pub changed_since: Option<u64>,
    /// If the position of a game that is to continue is not on the board: the squares that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differing: Option<Vec<String>>,
}

impl RefusedCommand {
    /// The codes of errors that are not refusals of the core.
    const OTHER_CODES: &[&str] = &["BoardInUse", "NoGame", "NotCurrent", "NotPutUp", "OldTerm", "Playing", "Unnoticed"];

    /// Returns the error's code. A code that this version does not know becomes `Refused`.
    pub fn error_code(&self) -> ErrorCode {
        let known = Refusal::CODES.iter().chain(Self::OTHER_CODES).find(|known| **known == self.code);
        ErrorCode::Conflict(known.copied().unwrap_or("Refused"))
    }
}

/// The content of a JSON message: a command's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyMessage {
    /// The reply.
    pub reply: CommandReply,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::answer::Verdict;
    use crate::hall::message::{from_json, to_json};

    #[test]
    fn a_verdict_is_read_as_it_was_written() {
        let verdict = Verdict {
            is_correct: true,
            text: Text::new("claim-x").with("move", "Nf3".to_owned()).with("count", 3),
            occurrences: vec![4, 8, 12],
            plies_without_progress: 12,
            required: ["draw", "add 120"].map(|act| act.parse().unwrap()).to_vec(),
            articles: vec!["9.2".to_owned()],
        };
        let reply = CommandReply::Done { answer: Answer::Claim(verdict), game: Some(("j".to_owned(), 3, 17)) };
        let message = ReplyMessage { reply };
        assert_eq!(from_json::<ReplyMessage>(&to_json(&message)), Ok(message));
    }
}
