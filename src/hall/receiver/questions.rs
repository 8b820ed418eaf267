//! The hub's answers to the questions of machines.

use super::alarm;
use super::commander::Commander;
use super::kept::KeptCounts;
use crate::daemon::{Hub, steady_clock};
use crate::hall::connection::is_copy;
use crate::hall::message::question::{KeptAnswer, Question, TimeAnswer};
use crate::hall::message::{MessageError, from_json, to_json};
use crate::hall::subject;
use async_nats::Message;

/// The answer to a message.
pub(super) enum Answer {
    /// Send this.
    Reply {
        /// Where to.
        subject: String,
        /// Its content.
        payload: Vec<u8>,
    },
    /// The machine may not ask this, or it cannot be read: a sentence.
    Refused {
        /// Its name.
        machine: String,
        /// What it has done.
        sentence: String,
    },
    /// The message is no question.
    None,
}

/// Answers a message.
pub(super) fn answer(message: &Message, hub: &Hub, commander: &Commander, kept: &KeptCounts) -> Answer {
    if is_copy(message) {
        return Answer::None;
    }
    let (Some(machine), Some(reply_to)) = (subject::parse_question(&message.subject), &message.reply) else {
        return Answer::None;
    };
    // The hub may publish to all subjects, and a client may name any for its reply.
    if !reply_to.starts_with(&format!("{}.", subject::inbox(machine))) {
        let sentence = format!("machine {machine} asks for a reply to another machine");
        return Answer::Refused { machine: machine.to_owned(), sentence };
    }
    let payload = match from_json::<Question>(&message.payload) {
        Ok(Question::Time) => to_json(&TimeAnswer {
            instance: commander.instance().to_owned(),
            term: commander.term(),
            now_ms: commander.now_ms(),
            wall_ms: steady_clock::unix_ms(),
        }),
        Ok(Question::Kept) => to_json(&KeptAnswer { games: kept.games_of(machine) }),
        Ok(Question::Copy) => {
            hub.change_machine(machine, |view| view.copied_at = Some(steady_clock::now_ms()));
            to_json(&serde_json::json!({}))
        }
        Err(error @ MessageError::Newer { .. }) => {
            let sentence = alarm::unread(machine, "its question is not answered", &error);
            return Answer::Refused { machine: machine.to_owned(), sentence };
        }
        Err(MessageError::Malformed(_)) => return Answer::None,
    };
    Answer::Reply { subject: reply_to.to_string(), payload }
}
