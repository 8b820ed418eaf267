//! Answers machines that want to join the hall.

use crate::daemon::steady_clock;
use crate::hall::connection::Connection;
use crate::hall::setup::admission::{self, Outcome};
use crate::hall::setup::paths::HallFiles;
use async_nats::Message;
use tracing::{info, warn};

/// Answers a request to join in a task of its own, because it waits for the disk.
pub(super) fn answer(connection: &Connection, files: &HallFiles, message: Message) {
    let Some(reply_to) = message.reply else { return };
    let (connection, files) = (connection.clone(), files.clone());
    tokio::spawn(async move {
        let (subject, request) = (message.subject.as_str(), message.payload.to_vec());
        let answered = admission::answer(files, subject, Some(&reply_to), request, steady_clock::unix_ms()).await;
        match answered.outcome {
            Outcome::Joined { machine, not_reloaded: None } => info!("machine {machine} has joined the hall"),
            Outcome::Joined { machine, not_reloaded: Some(reason) } => {
                warn!("machine {machine} has joined the hall, and its server does not know that yet: {reason}");
            }
            Outcome::Refused(refusal) => warn!("a machine may not join the hall: {refusal}"),
            Outcome::Malformed => warn!("a request to join the hall cannot be read: its machine has another version"),
            Outcome::ReplyElsewhere => warn!("a request to join the hall asks for a reply to somebody else, and gets none"),
            Outcome::Failed(error) => warn!("a machine cannot join the hall: {error}"),
        }
        if let Some(reply) = answered.reply {
            connection.publish(reply_to.to_string(), reply).await;
        }
    });
}
