//! Sends a part of a game to the stream: exactly the events that it lacks.

use super::health;
use crate::daemon::Hub;
use crate::hall::connection::store::{Stored, store};
use crate::hall::connection::{Connection, RequestError};
use crate::hall::message::MessageError;
use crate::hall::message::events::{EventLine, EventsMessage};
use crate::hall::outbox::{SendOutcome, Sent, Task};
use crate::hall::subject;
use std::time::Instant;

/// Sends the next part of a game. Also returns a sentence if the server refuses it.
pub(super) async fn send(
    connection: &Connection,
    hub: &Hub,
    hall: &str,
    machine: &str,
    task: &Task,
) -> (SendOutcome, Option<String>) {
    let outcome = async {
        let sent = match task.sent {
            Some(sent) => sent,
            None => match last_sent(connection, hub, hall, machine, task).await? {
                Ok(sent) => sent,
                Err(conflict) => return Ok((SendOutcome::Conflict(conflict), None)),
            },
        };
        send_after(connection, hub, hall, machine, task, sent).await
    };
    outcome.await.unwrap_or_else(|error: RequestError| {
        let sentence = match error {
            RequestError::NoResponders(_) => {
                Some(format!("the hall's server has no stream for the games of \"{hall}\": start the hub"))
            }
            // The state of the connection says it.
            RequestError::Failed(_) | RequestError::LaterVersion(_) => None,
        };
        (SendOutcome::Unknown, sentence)
    })
}

/// Sends the events after those of `sent`.
async fn send_after(
    connection: &Connection,
    hub: &Hub,
    hall: &str,
    machine: &str,
    task: &Task,
    sent: Sent,
) -> Result<(SendOutcome, Option<String>), RequestError> {
    let end = &task.end;
    let rows = match hub.journal().event_rows(end.game, sent.number, EventsMessage::ROWS_BYTES) {
        Ok(rows) => rows,
        Err(error) => return Ok((SendOutcome::Unknown, Some(format!("a game cannot be sent to the hall: {error}")))),
    };
    let now = Instant::now();
    let age = |number| {
        let stored = task.stored_at.iter().find(|(stored, _)| *stored == number);
        stored.map(|(_, at)| u64::try_from(now.saturating_duration_since(*at).as_millis()).unwrap_or(u64::MAX))
    };
    let last = end.closed_at.unwrap_or(u64::MAX);
    let rows = rows.into_iter().filter(|row| row.number <= last);
    let lines: Vec<EventLine> = rows.map(|row| EventLine { age_ms: age(row.number), row }).collect();
    let Some(number) = lines.last().map(|line| line.row.number) else { return Ok((SendOutcome::Sent(sent), None)) };
    let message = EventsMessage {
        board: end.board.clone(),
        started_wall_ms: end.started_wall_ms,
        epoch_wall_ms: end.epoch_wall_ms,
        lines,
    };
    let (headers, payload) = message.encode();
    let subject = subject::events(hall, machine, &end.journal, end.game);
    Ok(match store(connection, &subject, headers, payload, sent.sequence).await? {
        Stored::At(sequence) => (SendOutcome::Sent(Sent { number, sequence }), None),
        Stored::NotNext => (SendOutcome::Unknown, None),
        Stored::Refused(code, reason) => (SendOutcome::Unknown, Some(health::refused(code, &reason))),
    })
}

/// Reads what the stream has of a game. The inner error: it has other events.
async fn last_sent(
    connection: &Connection,
    hub: &Hub,
    hall: &str,
    machine: &str,
    task: &Task,
) -> Result<Result<Sent, String>, RequestError> {
    let end = &task.end;
    let stream = subject::events_stream(hall);
    let subject = subject::events(hall, machine, &end.journal, end.game);
    let Some((sequence, reply)) = connection.last(&stream, &subject).await? else {
        // Messages that have expired, or that were lost after the hub had them on disk, are not needed any more.
        return Ok(Ok(Sent { number: task.kept.min(end.last), sequence: 0 }));
    };
    let conflict = |what: &str| {
        format!(
            "the hall has another game {} of this machine ({what}): perhaps this is a copy of another machine's card; run \
             `touchmovectl doctor`",
            end.game
        )
    };
    let decoded = match EventsMessage::decode(Some(&reply.headers), &reply.payload) {
        Err(MessageError::Newer { found }) => {
            return Ok(Err(format!(
                "game {} of this machine was sent to the hall by a later version of touchmove (version {found} of the messages), and \
                 is not sent any more: install that version here again",
                end.game
            )));
        }
        decoded => decoded.ok(),
    };
    // What is not a message of a machine was sent there in reply to a request of somebody else. The hub skips it.
    let foreign = Sent { number: task.kept.min(end.last), sequence };
    let Some(last) = decoded.and_then(|message| message.lines.into_iter().next_back()).map(|line| line.row) else {
        return Ok(Ok(foreign));
    };
    let own = hub.journal().event_rows(end.game, last.number.saturating_sub(1), 1);
    Ok(match own.map(|rows| rows.into_iter().next()) {
        Ok(Some(own)) if own == last => {
            let number = if task.is_resent { last.number.min(task.kept) } else { last.number };
            Ok(Sent { number, sequence })
        }
        // The rest of a damaged game is only in the hall.
        Ok(None) if end.closed_at.is_some() => Ok(Sent { number: last.number, sequence }),
        Ok(_) => Err(conflict(&format!("event {} differs", last.number))),
        Err(error) => Err(error.to_string()),
    })
}
